/**
 * Chunks by number: where each belongs, how long it is, and its forward list, the terms that it holds with their frequencies. Everything
 * in typed arrays, end to end; a chunk that is removed stays as a dead one until the lists are compacted.
 */
import { GrowingArray } from './growing-array.ts';

const maxFrequency = 65_535;

export class ForwardLists {
  /** Per chunk: number of its document, position in the document, length in weighted terms, where its list begins, whether it is alive. */
  readonly documents = new GrowingArray((length) => new Uint32Array(length));
  readonly ordinals = new GrowingArray((length) => new Uint32Array(length));
  readonly lengths = new GrowingArray((length) => new Float32Array(length));
  readonly alive = new GrowingArray((length) => new Uint8Array(length));
  readonly #starts = new GrowingArray((length) => new Uint32Array(length));
  /** Per entry of a list. */
  readonly #terms = new GrowingArray((length) => new Uint32Array(length));
  readonly #frequencies = new GrowingArray((length) => new Uint16Array(length));

  constructor() {
    this.#starts.push(0);
  }

  /** Number of chunks, dead ones included. */
  get size(): number {
    return this.documents.length;
  }

  /** @returns the chunk's number */
  add(document: number, ordinal: number, length: number, terms: ArrayLike<number>, frequencies: ArrayLike<number>): number {
    const chunk = this.documents.push(document);
    this.ordinals.push(ordinal);
    this.lengths.push(length);
    this.alive.push(1);
    const start = this.#terms.extend(terms.length);
    this.#frequencies.extend(terms.length);
    for (let index = 0; index < terms.length; index++) {
      this.#terms.values[start + index] = terms[index] as number;
      this.#frequencies.values[start + index] = Math.min(maxFrequency, frequencies[index] as number);
    }
    this.#starts.push(start + terms.length);
    return chunk;
  }

  /** Views; valid until the next `add`. */
  termsOf(chunk: number): Uint32Array {
    return this.#terms.values.subarray(this.#starts.values[chunk], this.#starts.values[chunk + 1]);
  }

  frequenciesOf(chunk: number): Uint16Array {
    return this.#frequencies.values.subarray(this.#starts.values[chunk], this.#starts.values[chunk + 1]);
  }
}
