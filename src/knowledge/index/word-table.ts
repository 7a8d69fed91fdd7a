/**
 * ASCII words as they are written → the numbers of their terms, so that indexing a text costs one look for each word. A word is looked
 * for by its bytes: no string is made for one that is known. Open addressing, FNV-1a; holds a bounded number of words and begins
 * anew when it is full.
 */

const maxWords = 60_000;
const maxBytes = 1_000_000;
const maxTerms = 150_000;
/** A power of two, more than twice the words. */
const slots = 131_072;
const fnvPrime = 16_777_619;
export const hashSeed = 2_166_136_261 | 0;

export const hashed = (hash: number, byte: number): number => Math.imul(hash ^ byte, fnvPrime);

export class WordTable {
  /** 0 where a slot is free, else the word's number + 1. */
  readonly #slots = new Uint32Array(slots);
  /** Bytes of all words, end to end, and where each begins; one more than there are words. */
  readonly #bytes = new Uint8Array(maxBytes);
  readonly #starts = new Uint32Array(maxWords + 1);
  /** Numbers of the terms of all words, end to end, and where those of each word begin. */
  readonly #terms = new Uint32Array(maxTerms);
  readonly #termStarts = new Uint32Array(maxWords + 1);
  #count = 0;

  /** The number of the word at `start` to `end`, whose hash is given; -1 where it is not known yet. */
  find(text: Uint8Array, start: number, end: number, hash: number): number {
    const length = end - start;
    for (let slot = hash & (slots - 1); ; slot = (slot + 1) & (slots - 1)) {
      const held = this.#slots[slot] as number;
      if (held === 0) return -1;
      const from = this.#starts[held - 1] as number;
      if ((this.#starts[held] as number) - from !== length) continue;
      let at = 0;
      while (at < length && this.#bytes[from + at] === text[start + at]) at++;
      if (at === length) return held - 1;
    }
  }

  /** Takes up a word that is not known yet. @returns its number */
  add(text: Uint8Array, start: number, end: number, hash: number, terms: readonly number[]): number {
    const isFull =
      this.#count === maxWords ||
      (this.#starts[this.#count] as number) + end - start > maxBytes ||
      (this.#termStarts[this.#count] as number) + terms.length > maxTerms;
    if (isFull) {
      this.#slots.fill(0);
      this.#count = 0;
    }
    let slot = hash & (slots - 1);
    while (this.#slots[slot] !== 0) slot = (slot + 1) & (slots - 1);
    const word = this.#count++;
    const from = this.#starts[word] as number;
    this.#bytes.set(text.subarray(start, end), from);
    this.#starts[word + 1] = from + end - start;
    this.#terms.set(terms, this.#termStarts[word] as number);
    this.#termStarts[word + 1] = (this.#termStarts[word] as number) + terms.length;
    this.#slots[slot] = word + 1;
    return word;
  }

  /** Writes the terms of a word to `target` at `at`. @returns where they end */
  copyTerms(word: number, target: Uint32Array, at: number): number {
    const end = this.#termStarts[word + 1] as number;
    let to = at;
    for (let index = this.#termStarts[word] as number; index < end; index++) target[to++] = this.#terms[index] as number;
    return to;
  }
}
