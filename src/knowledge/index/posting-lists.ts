/**
 * Inverted lists: for each term the chunks that hold it and how often, in the order in which they were added. What was there when the
 * lists were packed stands end to end, one run for each term; what was added since is a chain of blocks that double in size, all in
 * two shared typed arrays (the block pools of Lucene's in-memory index work the same way).
 */
import { GrowingArray } from './growing-array.ts';

/** Entries of a list's first block; each further one holds twice as many, up to the last level. */
const firstBlockEntries = 2;
const maxLevel = 10;
const entriesOf = (level: number) => firstBlockEntries << level;

/** No list and no block has this place. */
const none = 0;

/** A term that stands more often in a chunk than this is as good as there this often: its score is saturated long before. */
export const maxFrequency = 255;

/** Runs of all terms, end to end. */
export interface PackedPostings {
  /** Where the run of a term begins; one more than there are terms. */
  readonly starts: Uint32Array<ArrayBuffer>;
  readonly chunks: Uint32Array<ArrayBuffer>;
  readonly frequencies: Uint8Array<ArrayBuffer>;
}

export const emptyPostings = (): PackedPostings => ({
  starts: new Uint32Array(1),
  chunks: new Uint32Array(0),
  frequencies: new Uint8Array(0),
});

type Visit = (chunks: Uint32Array, frequencies: Uint8Array, from: number, to: number) => void;

export class PostingLists {
  readonly #packed: PackedPostings;
  readonly #packedTerms: number;
  /** A block: the place of the next one, then chunk numbers. */
  readonly #chunks = new GrowingArray((length) => new Uint32Array(length));
  /** Beside each: the block's level, then frequencies. */
  readonly #frequencies = new GrowingArray((length) => new Uint8Array(length));
  /** Per term: first block, last block, entries used in the last block. */
  readonly #heads = new GrowingArray((length) => new Uint32Array(length));
  readonly #tails = new GrowingArray((length) => new Uint32Array(length));
  readonly #used = new GrowingArray((length) => new Uint32Array(length));

  constructor(packed: PackedPostings = emptyPostings()) {
    this.#packed = packed;
    this.#packedTerms = packed.starts.length - 1;
    this.#allocate(0);
  }

  /** The packed runs where nothing was added since. */
  get packed(): PackedPostings | undefined {
    return this.#heads.length === 0 ? this.#packed : undefined;
  }

  #allocate(level: number): number {
    const size = entriesOf(level) + 1;
    const block = this.#chunks.extend(size);
    this.#frequencies.extend(size);
    this.#frequencies.values[block] = level;
    return block;
  }

  /** @param frequency 1 to `maxFrequency` */
  add(term: number, chunk: number, frequency: number): void {
    if (this.#heads.length <= term) {
      const missing = term + 1 - this.#heads.length;
      this.#heads.extend(missing);
      this.#tails.extend(missing);
      this.#used.extend(missing);
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
  forEachRun(term: number, visit: Visit): void {
    if (term < this.#packedTerms) {
      const { starts, chunks, frequencies } = this.#packed;
      visit(chunks, frequencies, starts[term] as number, starts[term + 1] as number);
    }
    if (term >= this.#heads.length) return;
    const tail = this.#tails.values[term] as number;
    for (let block = this.#heads.values[term] as number; block !== none; block = this.#chunks.values[block] as number) {
      const entries = block === tail ? (this.#used.values[term] as number) : entriesOf(this.#frequencies.values[block] as number);
      visit(this.#chunks.values, this.#frequencies.values, block + 1, block + 1 + entries);
      if (block === tail) return;
    }
  }
}
