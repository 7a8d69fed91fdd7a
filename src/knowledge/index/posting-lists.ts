/**
 * Inverted lists: for each term the chunks that hold it, in the order in which they were added. All lists share two typed arrays; a list
 * is a chain of blocks that double in size, so a rare term takes some bytes and a frequent one is read in long runs
 * (the block pools of Lucene's in-memory index work the same way).
 */
import { GrowingArray } from './growing-array.ts';

/** Entries of a list's first block; each further one holds twice as many, up to the last level. */
const firstBlockEntries = 2;
const maxLevel = 10;
const entriesOf = (level: number) => firstBlockEntries << level;

/** No list and no block has this place. */
const none = 0;

export class PostingLists {
  /** A block: the place of the next one, then chunk numbers. */
  readonly #chunks = new GrowingArray((length) => new Uint32Array(length));
  /** Beside each: the block's level, then frequencies. */
  readonly #frequencies = new GrowingArray((length) => new Uint16Array(length));
  /** Per term: first block, last block, entries used in the last block. */
  readonly #heads = new GrowingArray((length) => new Uint32Array(length));
  readonly #tails = new GrowingArray((length) => new Uint32Array(length));
  readonly #used = new GrowingArray((length) => new Uint32Array(length));

  constructor() {
    this.#allocate(0);
  }

  #allocate(level: number): number {
    const size = entriesOf(level) + 1;
    const block = this.#chunks.extend(size);
    this.#frequencies.extend(size);
    this.#frequencies.values[block] = level;
    return block;
  }

  add(term: number, chunk: number, frequency: number): void {
    while (this.#heads.length <= term) {
      this.#heads.push(none);
      this.#tails.push(none);
      this.#used.push(0);
    }
    let block = this.#tails.values[term] as number;
    let used = this.#used.values[term] as number;
    const level = block === none ? -1 : (this.#frequencies.values[block] as number);
    if (block === none || used === entriesOf(level)) {
      const next = this.#allocate(Math.min(level + 1, maxLevel));
      if (block === none) this.#heads.values[term] = next;
      else this.#chunks.values[block] = next;
      this.#tails.values[term] = block = next;
      used = 0;
    }
    this.#chunks.values[block + 1 + used] = chunk;
    this.#frequencies.values[block + 1 + used] = frequency;
    this.#used.values[term] = used + 1;
  }

  /** Calls `visit` for each run of a term's list: entries `from` to `to` of both arrays. */
  forEachRun(term: number, visit: (chunks: Uint32Array, frequencies: Uint16Array, from: number, to: number) => void): void {
    const tail = this.#tails.values[term] as number;
    for (let block = this.#heads.values[term] ?? none; block !== none; block = this.#chunks.values[block] as number) {
      const entries = block === tail ? (this.#used.values[term] as number) : entriesOf(this.#frequencies.values[block] as number);
      visit(this.#chunks.values, this.#frequencies.values, block + 1, block + 1 + entries);
      if (block === tail) return;
    }
  }
}
