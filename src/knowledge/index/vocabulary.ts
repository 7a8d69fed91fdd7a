/** Terms by number, and how many live chunks hold each. */
import { GrowingArray } from './growing-array.ts';

export class Vocabulary {
  readonly #ids = new Map<string, number>();
  readonly liveCounts = new GrowingArray((length) => new Uint32Array(length));

  get size(): number {
    return this.#ids.size;
  }

  /** The number of a term, a new one if there is none. */
  add(term: string): number {
    let id = this.#ids.get(term);
    if (id === undefined) {
      id = this.liveCounts.push(0);
      this.#ids.set(term, id);
    }
    return id;
  }

  find(term: string): number | undefined {
    return this.#ids.get(term);
  }

  /** Live chunks that hold a term. */
  holders(term: string): number {
    const id = this.#ids.get(term);
    return id === undefined ? 0 : (this.liveCounts.values[id] as number);
  }

  /** In the order of their numbers. */
  [Symbol.iterator](): IterableIterator<[term: string, id: number]> {
    return this.#ids.entries();
  }
}
