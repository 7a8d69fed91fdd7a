/**
 * The numbers of a text's terms, found by the characters of its words: a word that came before costs no string and no object. ASCII is
 * scanned here, by the same rules as the word pattern of `language/tokens.ts`; pieces with other characters are matched by it.
 */
import { visibleWords } from '../../language/tokens.ts';
import { Numbers } from './postings.ts';

/** A longer word is worked out each time it comes. Characters. */
const maxChars = 64;
/** Some four megabytes. More words are worked out each time they come. */
const maxWords = 131_072;
/** Words that collide more often, as hostile ones may, are worked out each time they come. */
const maxProbes = 32;
const minSlots = 1_024;

const [other, letter, joint] = [0, 1, 2] as const;
/** By ASCII character: what it may be in a word. */
const kinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/\w/.test(character)) return letter;
  return /[.'@/-]/.test(character) ? joint : other;
});
const [plus, hash, space, lastAscii] = [0x2b, 0x23, 0x20, 0x7f] as const;

const isLetter = (text: string, at: number) => at < text.length && kinds[text.charCodeAt(at)] === letter;

/** FNV-1a, 32 bits. */
function hashOf(text: string, start: number, end: number): number {
  let value = 0x811c9dc5;
  for (let at = start; at < end; at++) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return (value ^ (value >>> 15)) >>> 0;
}

/** Where a word of ASCII ends. @param at its first character */
function wordEnd(text: string, at: number, end: number): number {
  let to = at;
  do {
    to++;
    while (to < end && isLetter(text, to)) to++;
  } while (to + 1 < end && kinds[text.charCodeAt(to)] === joint && isLetter(text, to + 1));
  if (text.charCodeAt(to) === plus && text.charCodeAt(to + 1) === plus) return to + 2;
  return text.charCodeAt(to) === hash && !isLetter(text, to + 1) ? to + 1 : to;
}

export class WordNumbers {
  readonly #work: (word: string) => readonly number[];
  /** Number of a word plus one, 0: none; open addressing, at most half full. */
  #slots = new Uint32Array(minSlots);
  readonly #hashes = new Numbers();
  /** By word: where its characters and its numbers begin; those of the next word follow. */
  readonly #charStarts = new Numbers();
  readonly #chars = new Numbers();
  readonly #numberStarts = new Numbers();
  readonly #numbers = new Numbers();

  /** @param work the numbers of a word's terms */
  constructor(work: (word: string) => readonly number[]) {
    this.#work = work;
    this.#charStarts.push(0);
    this.#numberStarts.push(0);
  }

  /** Appends the numbers of a text's terms, in reading order. @param text without invisible characters @returns how many there are */
  append(text: string, to: Numbers): number {
    const before = to.length;
    let at = 0;
    while (at < text.length) {
      let end = at;
      let isAscii = true;
      for (let code = text.charCodeAt(end); code > space; code = text.charCodeAt(end)) {
        if (code > lastAscii) isAscii = false;
        end++;
      }
      if (isAscii) this.#appendAscii(text, at, end, to);
      else for (const word of visibleWords(text.slice(at, end))) this.#appendWord(word, 0, word.length, to);
      at = end + 1;
    }
    return to.length - before;
  }

  #appendAscii(text: string, start: number, end: number, to: Numbers): void {
    let at = start;
    while (at < end) {
      if (!isLetter(text, at)) {
        at++;
        continue;
      }
      const wordTo = wordEnd(text, at, end);
      this.#appendWord(text, at, wordTo, to);
      at = wordTo;
    }
  }

  #appendWord(text: string, start: number, end: number, to: Numbers): void {
    const word = end - start <= maxChars ? this.#find(text, start, end) : undefined;
    if (word === undefined) {
      for (const number of this.#work(text.slice(start, end))) to.push(number);
      return;
    }
    const numbers = this.#numbers.values;
    const last = this.#numberStarts.values[word + 1] as number;
    for (let at = this.#numberStarts.values[word] as number; at < last; at++) to.push(numbers[at] as number);
  }

  /** @returns the number of a word, a new one if there is room for it */
  #find(text: string, start: number, end: number): number | undefined {
    const value = hashOf(text, start, end);
    const mask = this.#slots.length - 1;
    for (let probe = 0; probe < maxProbes; probe++) {
      const slot = (value + probe) & mask;
      const word = this.#slots[slot] as number;
      if (word === 0) return this.#hashes.length < maxWords ? this.#add(text, start, end, value, slot) : undefined;
      if (this.#hashes.values[word - 1] === value && this.#isAt(word - 1, text, start, end)) return word - 1;
    }
    return undefined;
  }

  #isAt(word: number, text: string, start: number, end: number): boolean {
    const from = this.#charStarts.values[word] as number;
    if ((this.#charStarts.values[word + 1] as number) - from !== end - start) return false;
    const chars = this.#chars.values;
    for (let at = start; at < end; at++) if (chars[from + at - start] !== text.charCodeAt(at)) return false;
    return true;
  }

  #add(text: string, start: number, end: number, value: number, slot: number): number {
    for (let at = start; at < end; at++) this.#chars.push(text.charCodeAt(at));
    for (const number of this.#work(text.slice(start, end))) this.#numbers.push(number);
    const word = this.#hashes.length;
    this.#hashes.push(value);
    this.#charStarts.push(this.#chars.length);
    this.#numberStarts.push(this.#numbers.length);
    this.#slots[slot] = word + 1;
    if (this.#hashes.length * 2 > this.#slots.length) this.#grow();
    return word;
  }

  #grow(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2);
    const mask = this.#slots.length - 1;
    for (let word = 0; word < this.#hashes.length; word++) {
      let slot = (this.#hashes.values[word] as number) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = word + 1;
    }
  }
}
