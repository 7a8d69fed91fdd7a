/**
 * Inverted lists: term → chunks and frequencies. A list is a chain of blocks in one typed array,
 * newest first, with doubling sizes. Lucene's in-memory index has similar block pools.
 */
import { maxFrequency } from '../scoring.ts';

/**
 * Growth factors of a full array. Copying dominates index builds; unused pages cost no memory until
 * they are written.
 */
const growth = 1.5;
const largeGrowth = 2;
const large = 65_536;
const minCapacity = 256;

/** Growable array of unsigned 32-bit integers. */
export class Uint32List {
  /** Capacity, replaced when the list grows. */
  values = new Uint32Array(minCapacity);
  length = 0;

  /** Appends `count` zeros. @returns the index of the first */
  extend(count: number) {
    const start = this.length;
    this.length += count;
    const { length } = this.values;
    if (this.length > length)
      this.reserve(
        Math.max(this.length, Math.ceil(length * (length < large ? growth : largeGrowth))),
      );
    return start;
  }

  reserve(capacity: number) {
    const { values } = this;
    if (capacity <= values.length) return;
    this.values = new Uint32Array(capacity);
    this.values.set(values);
  }

  /** View of the values; valid until the next change. */
  view(): Uint32Array {
    return this.values.subarray(0, this.length);
  }

  push(value: number) {
    const at = this.extend(1);
    this.values[at] = value;
  }
}

/**
 * A block starts with two numbers: start and end of the previous block, 0 in the first block of a
 * list.
 */
const headerLength = 2;
const firstBlockEntries = 2;
/** Limits the unused capacity of a list. */
const maxBlockEntries = 2_048;
/** Per term: start of its newest block, position of the next entry, end of the block. */
const toBlock = 0;
const toNext = 1;
const toEnd = 2;
const perTerm = 3;
const none = 0;

/**
 * Low bits of an entry: frequency, at most `maxFrequency`. High bits: chunk number, up to 16
 * million.
 */
const frequencyBits = 8;

export class Postings {
  readonly #blocks = new Uint32List();
  readonly #lists = new Uint32List();

  constructor() {
    this.#blocks.push(none);
  }

  reserve(entries: number) {
    this.#blocks.reserve(this.#blocks.length + entries);
  }

  add(term: number, chunk: number, frequency: number) {
    const list = term * perTerm;
    const missing = list + perTerm - this.#lists.length;
    if (missing > 0) this.#lists.extend(missing);
    const { values } = this.#lists;
    if (values[list + toNext] === values[list + toEnd]) this.#addBlock(list);
    const next = values[list + toNext] as number;
    this.#blocks.values[next] = (chunk << frequencyBits) | Math.min(maxFrequency, frequency);
    values[list + toNext] = next + 1;
  }

  #addBlock(list: number) {
    const { values } = this.#lists;
    const before = values[list + toBlock] as number;
    const end = values[list + toEnd] as number;
    const entries = Math.max(firstBlockEntries, Math.min(maxBlockEntries, (end - before) * 2));
    const block = this.#blocks.extend(headerLength + entries);
    const blocks = this.#blocks.values;
    blocks[block] = before;
    blocks[block + 1] = end;
    values[list + toBlock] = block;
    values[list + toNext] = block + headerLength;
    values[list + toEnd] = block + headerLength + entries;
  }

  forEach(term: number, visit: (chunk: number, frequency: number) => void) {
    const { values } = this.#blocks;
    const list = term * perTerm;
    let end = this.#lists.values[list + toNext] ?? none;
    for (
      let block = this.#lists.values[list + toBlock] ?? none;
      block !== none;
      block = values[block] as number
    ) {
      for (let at = block + headerLength; at < end; at++) {
        const entry = values[at] as number;
        visit(entry >>> frequencyBits, entry & maxFrequency);
      }
      end = values[block + 1] as number;
    }
  }
}
