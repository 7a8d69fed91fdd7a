/**
 * Converts text to term numbers. A cache maps the characters of a word to its terms, so a repeated
 * word allocates nothing. ASCII runs are scanned here, by the rules of the word pattern in
 * `language/tokens.ts`; other runs use that pattern.
 */
import { visibleWords } from '../../../packages/shared/src/language/tokens.ts';
import { Uint32List } from './postings.ts';

/** Longer words are not cached. */
const maxChars = 64;
/** About 4 MB. Further words are not cached. */
const maxWords = 131_072;
/** Words with more collisions, perhaps hostile ones, are not cached. */
const maxProbes = 32;
const minSlots = 1_024;
const minCodes = 16_384;

const other = 0;
const letter = 1;
const joint = 2;
/** Role in a word, by ASCII code. */
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/\w/.test(character)) return letter;
  return /[.'@/-]/.test(character) ? joint : other;
});
const plus = 0x2b;
const hash = 0x23;
const space = 0x20;
const lastAscii = 0x7f;

/** FNV-1a, 32 bits. */
const firstHash = 0x811c9dc5;
const hashFactor = 0x01000193;
const isLetter = (code: number | undefined) => kinds[code ?? 0] === letter;

/** Two characters as one number; the last character of a word may be single. */
const pairAt = (codes: Uint16Array, at: number, end: number) =>
  ((codes[at] as number) | (at + 1 < end ? (codes[at + 1] as number) << 16 : 0)) >>> 0;

/**
 * Record of a word: hash, length, count of term numbers, the numbers, then its characters in pairs.
 */
const toHash = 0;
const toLength = 1;
const toCount = 2;
const toNumbers = 3;

export class CachedTokenizer {
  readonly #termsOf;
  /** Position of a word in `#records`, or 0. Open addressing, at most half full. */
  #slots = new Uint32Array(minSlots);
  /** One array for all data of a word, for locality in the CPU cache. */
  readonly #records = new Uint32List();
  #size = 0;
  /** UTF-16 units of the current text. */
  #codes = new Uint16Array(minCodes);
  #bytes = Buffer.from(this.#codes.buffer);

  /** @param termsOf returns the term numbers of a word */
  constructor(termsOf: (word: string) => readonly number[]) {
    this.#termsOf = termsOf;
    // Fills position 0, which marks an empty slot.
    this.#records.push(0);
  }

  /**
   * Appends the term numbers of a text, in reading order. @param text without invisible characters
   * @returns their count
   */
  append(text: string, to: Uint32List) {
    const before = to.length;
    if (this.#codes.length < text.length) {
      this.#codes = new Uint16Array(text.length * 2);
      this.#bytes = Buffer.from(this.#codes.buffer);
    }
    const codes = this.#codes;
    this.#bytes.write(text, 'utf16le');
    let at = 0;
    while (at < text.length) {
      let end = at;
      let isAscii = true;
      for (; end < text.length && (codes[end] as number) > space; end++)
        if ((codes[end] as number) > lastAscii) isAscii = false;
      if (isAscii) this.#appendAscii(text, at, end, to);
      else for (const word of visibleWords(text.slice(at, end))) this.#appendOther(word, to);
      at = end + 1;
    }
    return to.length - before;
  }

  #appendAscii(text: string, start: number, runEnd: number, to: Uint32List) {
    const codes = this.#codes;
    let at = start;
    while (at < runEnd) {
      if (!isLetter(codes[at])) {
        at++;
        continue;
      }
      let value: number = firstHash;
      let end = at;
      for (; end < runEnd; end++) {
        const code = codes[end] as number;
        const kind = kinds[code];
        if (kind !== letter && (kind !== joint || end + 1 === runEnd || !isLetter(codes[end + 1])))
          break;
        value = Math.imul(value ^ code, hashFactor);
      }
      const suffixEnd = end + this.#suffixLength(end, runEnd);
      for (; end < suffixEnd; end++) value = Math.imul(value ^ (codes[end] as number), hashFactor);
      this.#appendWord(text, codes, at, end, value, to);
      at = end;
    }
  }

  /** Returns the length of the suffix in words such as `C++` and `C#`. */
  #suffixLength(at: number, runEnd: number) {
    const codes = this.#codes;
    if (at >= runEnd) return 0;
    if (codes[at] === plus) return at + 1 < runEnd && codes[at + 1] === plus ? 2 : 0;
    return codes[at] === hash && (at + 1 === runEnd || !isLetter(codes[at + 1])) ? 1 : 0;
  }

  #appendOther(word: string, to: Uint32List) {
    const codes = Uint16Array.from({ length: Math.min(word.length, maxChars) }, (_, at) =>
      word.charCodeAt(at),
    );
    let value: number = firstHash;
    for (const code of codes) value = Math.imul(value ^ code, hashFactor);
    this.#appendWord(word, codes, 0, word.length, value, to);
  }

  /**
   * @param text contains the word at `start` @param codes UTF-16 units of `text` @param value hash
   * of the word
   */
  #appendWord(
    text: string,
    codes: Uint16Array,
    start: number,
    end: number,
    value: number,
    to: Uint32List,
  ) {
    const word =
      end - start <= maxChars
        ? this.#find(text, codes, start, end, (value ^ (value >>> 15)) >>> 0)
        : undefined;
    if (word === undefined) {
      for (const number of this.#termsOf(text.slice(start, end))) to.push(number);
      return;
    }
    const records = this.#records.values;
    const last = word + toNumbers + (records[word + toCount] as number);
    for (let at = word + toNumbers; at < last; at++) to.push(records[at] as number);
  }

  /** Finds or adds a word. @returns its position; undefined if it cannot be cached */
  #find(text: string, codes: Uint16Array, start: number, end: number, value: number) {
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let probe = 0; probe < maxProbes; probe++) {
      const slot = (value + probe) & mask;
      const word = slots[slot] as number;
      if (word === 0)
        return this.#size < maxWords ? this.#add(text, codes, start, end, value, slot) : undefined;
      if (this.#isAt(word, codes, start, end, value)) return word;
    }
    return undefined;
  }

  #isAt(word: number, codes: Uint16Array, start: number, end: number, value: number) {
    const records = this.#records.values;
    if (records[word + toHash] !== value || records[word + toLength] !== end - start) return false;
    let from = word + toNumbers + (records[word + toCount] as number);
    for (let at = start; at < end; at += 2)
      if (records[from++] !== pairAt(codes, at, end)) return false;
    return true;
  }

  #add(text: string, codes: Uint16Array, start: number, end: number, value: number, slot: number) {
    const numbers = this.#termsOf(text.slice(start, end));
    const records = this.#records;
    const word = records.length;
    for (const one of [value, end - start, numbers.length, ...numbers]) records.push(one);
    for (let at = start; at < end; at += 2) records.push(pairAt(codes, at, end));
    this.#slots[slot] = word;
    if (++this.#size * 2 > this.#slots.length) this.#grow();
    return word;
  }

  #grow() {
    const before = this.#slots;
    this.#slots = new Uint32Array(before.length * 2);
    const mask = this.#slots.length - 1;
    for (const word of before) {
      if (word === 0) continue;
      let slot = (this.#records.values[word + toHash] as number) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = word;
    }
  }
}
