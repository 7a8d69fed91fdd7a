/**
 * Inverted lists: for each term the chunks that hold it and how often. A list is a chain of blocks, the newest first, all in one typed
 * array (the block pools of Lucene's in-memory index work the same way); each block is twice as long as the one before.
 */
import { maxFrequency } from '../scoring.ts';

/** Each time it is full. Unused pages of a large array cost no memory until they are written, and copying it costs most of a build. */
const [growth, largeGrowth, large] = [1.5, 2, 65_536] as const;
const minCapacity = 256;

/** Numbers from 0 to 2³² − 1, end to end, without an object for each. */
export class Numbers {
  /** Longer than `length`; replaced when it grows. */
  values = new Uint32Array(minCapacity);
  length = 0;

  /** Makes room for `count` more values, all 0, and counts them in. @returns where they begin */
  extend(count: number): number {
    const start = this.length;
    this.length += count;
    const { length } = this.values;
    if (this.length > length) this.reserve(Math.max(this.length, Math.ceil(length * (length < large ? growth : largeGrowth))));
    return start;
  }

  /** Room for so many values in all: growing by and by copies them again and again. */
  reserve(capacity: number): void {
    const { values } = this;
    if (capacity <= values.length) return;
    this.values = new Uint32Array(capacity);
    this.values.set(values);
  }

  /** A view of all values; valid until the next change. */
  filled(): Uint32Array {
    return this.values.subarray(0, this.length);
  }

  push(value: number): void {
    const at = this.extend(1);
    this.values[at] = value;
  }
}

/** A block begins with the place of the one before it and with where that ends, both 0 in the first of a list; its entries follow. */
const headerLength = 2;
const firstBlockEntries = 2;
/** Unused room in the newest block is all that a list costs beside its entries. */
const maxBlockEntries = 2_048;
/** Of each term, side by side: where its newest block begins, where the next entry goes, where that block ends. */
const [toBlock, toNext, toEnd, perTerm] = [0, 1, 2, 3] as const;
/** No block has this place. */
const none = 0;

/** Of an entry, the bits that hold the frequency, at most `maxFrequency`; those above hold the number of the chunk, up to 16 million. */
const frequencyBits = 8;

export class Postings {
  readonly #blocks = new Numbers();
  readonly #lists = new Numbers();

  constructor() {
    this.#blocks.push(none);
  }

  /** Room for so many more entries in all lists together, and for the ends of their blocks. */
  reserve(entries: number): void {
    this.#blocks.reserve(this.#blocks.length + entries);
  }

  add(term: number, chunk: number, frequency: number): void {
    const list = term * perTerm;
    const missing = list + perTerm - this.#lists.length;
    if (missing > 0) this.#lists.extend(missing);
    const { values } = this.#lists;
    if (values[list + toNext] === values[list + toEnd]) this.#addBlock(list);
    const next = values[list + toNext] as number;
    this.#blocks.values[next] = (chunk << frequencyBits) | Math.min(maxFrequency, frequency);
    values[list + toNext] = next + 1;
  }

  #addBlock(list: number): void {
    const { values } = this.#lists;
    const [before, end] = [values[list + toBlock] as number, values[list + toEnd] as number];
    const entries = Math.max(firstBlockEntries, Math.min(maxBlockEntries, (end - before) * 2));
    const block = this.#blocks.extend(headerLength + entries);
    const blocks = this.#blocks.values;
    blocks[block] = before;
    blocks[block + 1] = end;
    values[list + toBlock] = block;
    values[list + toNext] = block + headerLength;
    values[list + toEnd] = block + headerLength + entries;
  }

  /** Calls `visit` for each entry of a term's list. */
  forEach(term: number, visit: (chunk: number, frequency: number) => void): void {
    const { values } = this.#blocks;
    const list = term * perTerm;
    let end = this.#lists.values[list + toNext] ?? none;
    for (let block = this.#lists.values[list + toBlock] ?? none; block !== none; block = values[block] as number) {
      for (let at = block + headerLength; at < end; at++) {
        const entry = values[at] as number;
        visit(entry >>> frequencyBits, entry & maxFrequency);
      }
      end = values[block + 1] as number;
    }
  }
}
