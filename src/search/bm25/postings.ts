/**
 * Inverted lists: for each term the chunks that hold it and how often, in the order in which they were added. A list is a chain of blocks,
 * all in one typed array (the block pools of Lucene's in-memory index work the same way). Where it is known how long a list will be,
 * its first block has room for all of it; each further one is twice as long as the one before.
 */

/** Each time it is full: what is copied stays within three times of what is added, what is unused within half of what is used. */
const growth = 1.5;
const minCapacity = 256;

/** Numbers from 0 to 2³² − 1, end to end, without an object for each. */
export class Numbers {
  /** Longer than `length`; replaced when it grows. */
  values: Uint32Array<ArrayBuffer>;
  length = 0;

  /** @param expected so many need no second place */
  constructor(expected = 0) {
    this.values = new Uint32Array(Math.max(minCapacity, expected));
  }

  /** Makes room for `count` more values, all 0, and counts them in. @returns where they begin */
  extend(count: number): number {
    const start = this.length;
    this.length += count;
    if (this.length > this.values.length) this.#grow();
    return start;
  }

  push(value: number): void {
    const at = this.extend(1);
    this.values[at] = value;
  }

  #grow(): void {
    const larger = new Uint32Array(Math.max(this.length, Math.ceil(this.values.length * growth)));
    larger.set(this.values);
    this.values = larger;
  }
}

/** A block begins with the place of the next one and with its own end, both 0 in the last block of a list; its entries follow. */
const headerLength = 2;
const firstBlockEntries = 2;
/** Of blocks that are added to a list; unused room in the last one is all that they cost. */
const maxBlockEntries = 2_048;
/** Of each term, side by side: where its first and its last block begin, where the next entry goes, where the last block ends. */
const [toFirst, toLast, toNext, toEnd, perTerm] = [0, 1, 2, 3, 4] as const;
/** No block has this place. */
const none = 0;

/** A term that stands more often in a chunk than this is as good as there this often: its score is saturated long before. */
const maxFrequency = 255;
/** Of an entry, the bits that hold the frequency; those above hold the number of the chunk, up to 16 million. */
const frequencyBits = 8;

export class Postings {
  readonly #blocks: Numbers;
  readonly #lists: Numbers;

  /** @param terms how many are expected. @param entries of all of them together */
  constructor(terms: number, entries: number) {
    this.#lists = new Numbers(terms * perTerm);
    this.#blocks = new Numbers(entries + terms * headerLength + 1);
    this.#blocks.push(none);
  }

  /** Puts a block at the end of a term's list, with room for so many entries. */
  reserve(term: number, entries: number): void {
    const missing = (term + 1) * perTerm - this.#lists.length;
    if (missing > 0) this.#lists.extend(missing);
    const block = this.#blocks.extend(headerLength + entries);
    const lists = this.#lists.values;
    const list = term * perTerm;
    const last = lists[list + toLast] as number;
    if (last === none) lists[list + toFirst] = block;
    else this.#blocks.values.set([block, lists[list + toNext] as number], last);
    lists[list + toLast] = block;
    lists[list + toNext] = block + headerLength;
    lists[list + toEnd] = this.#blocks.length;
  }

  add(term: number, chunk: number, frequency: number): void {
    const list = term * perTerm;
    if (list >= this.#lists.length || this.#lists.values[list + toNext] === this.#lists.values[list + toEnd]) {
      const before = ((this.#lists.values[list + toEnd] ?? 0) - (this.#lists.values[list + toLast] ?? 0)) * 2;
      this.reserve(term, Math.max(firstBlockEntries, Math.min(maxBlockEntries, before)));
    }
    const next = this.#lists.values[list + toNext] as number;
    this.#blocks.values[next] = (chunk << frequencyBits) | Math.min(maxFrequency, frequency);
    this.#lists.values[list + toNext] = next + 1;
  }

  /** Calls `visit` for each entry of a term's list. */
  forEach(term: number, visit: (chunk: number, frequency: number) => void): void {
    const { values } = this.#blocks;
    const list = term * perTerm;
    for (let block = this.#lists.values[list + toFirst] ?? none; block !== none; block = values[block] as number) {
      const isLast = values[block] === none;
      const end = (isLast ? this.#lists.values[list + toNext] : values[block + 1]) as number;
      for (let at = block + headerLength; at < end; at++) {
        const entry = values[at] as number;
        visit(entry >>> frequencyBits, entry & maxFrequency);
      }
    }
  }
}
