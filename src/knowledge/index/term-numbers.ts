/**
 * Text → the numbers of its terms, the fast way to what `terms` says. Words of plain ASCII text are found by one pass over its bytes,
 * others by the pattern of `rawWords`; both find the same.
 */
import type { Language } from '../text/languages.ts';
import { terms, termsOf } from '../text/words.ts';
import { GrowingArray } from './growing-array.ts';
import type { Vocabulary } from './vocabulary.ts';
import { hashed, hashSeed, WordTable } from './word-table.ts';

/** A longer word is worked out each time it comes. */
const maxRememberedBytes = 64;
const notAscii = /[^\p{ASCII}]/u;

/** Per byte: part of a word, a mark that may join two words into one, or neither. */
const neither = 0;
const inWord = 1;
const joins = 2;
const kinds = Uint8Array.from({ length: 256 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /[A-Za-z0-9_]/.test(character) ? inWord : ".'@/-".includes(character) ? joins : neither;
});

/** `C++`, `C#`. */
const plus = 43;
const sharp = 35;

export type NumberTerms = (text: string, language: Language) => Uint32Array;

/** New terms are added to the vocabulary. */
export function createTermNumbers(vocabulary: Vocabulary): NumberTerms {
  const tables = new Map<Language, WordTable>();
  const numbers = new GrowingArray((length) => new Uint32Array(length));
  let bytes = Buffer.alloc(16_384);

  function tableOf(language: Language): WordTable {
    let table = tables.get(language);
    if (!table) {
      table = new WordTable();
      tables.set(language, table);
    }
    return table;
  }

  function add(start: number, end: number, hash: number, language: Language, table: WordTable): void {
    let word = table.find(bytes, start, end, hash);
    if (word < 0) {
      const found = termsOf(bytes.toString('latin1', start, end), language).map((term) => vocabulary.add(term));
      if (end - start > maxRememberedBytes) {
        for (const number of found) numbers.push(number);
        return;
      }
      word = table.add(bytes, start, end, hash, found);
    }
    numbers.length = table.copyTerms(word, numbers.values, numbers.length);
  }

  function scan(text: string, language: Language): void {
    const table = tableOf(language);
    const { length } = text;
    if (bytes.length < length + 2) bytes = Buffer.alloc(length * 2 + 2);
    bytes.write(text, 'latin1');
    // A compound gives itself and its parts: never more terms than it has characters and one.
    numbers.extend(length + 1);
    numbers.length = 0;
    // What follows the text ends its last word.
    bytes.fill(0, length, length + 2);
    let at = 0;
    while (at < length) {
      if (kinds[bytes[at] as number] !== inWord) {
        at++;
        continue;
      }
      const start = at;
      let hash = hashSeed;
      for (;;) {
        while (kinds[bytes[at] as number] === inWord) hash = hashed(hash, bytes[at++] as number);
        // One mark between two words joins them.
        if (at + 1 >= length || kinds[bytes[at] as number] !== joins || kinds[bytes[at + 1] as number] !== inWord) break;
        hash = hashed(hash, bytes[at++] as number);
      }
      if (bytes[at] === plus && bytes[at + 1] === plus) {
        hash = hashed(hashed(hash, plus), plus);
        at += 2;
      } else if (bytes[at] === sharp && kinds[bytes[at + 1] as number] !== inWord) hash = hashed(hash, bytes[at++] as number);
      add(start, Math.min(at, length), hash, language, table);
    }
  }

  return (text, language) => {
    numbers.length = 0;
    if (!notAscii.test(text)) scan(text, language);
    else for (const term of terms(text, language)) numbers.push(vocabulary.add(term));
    return numbers.values.slice(0, numbers.length);
  };
}
