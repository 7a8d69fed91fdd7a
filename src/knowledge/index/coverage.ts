/**
 * How surely the documents speak of what is asked. Three signals of the best chunks, put together by a logistic curve that was fitted
 * on public collections and on support questions over three sets of documents (bench/README.md: kept and turned away at each threshold):
 *
 * held     share of the query's words that one chunk holds, each by what it tells: its idf in the documents times how seldom people
 *          say it at all. That `Mongolia` is missing tells more than that `nicked` is.
 * strength the best chunk's score over what a chunk that is all about the query would have
 * matched  how many words it holds, up to four: one word may be there by chance, four hardly
 */
import { surprisalOf } from '../text/real-words.ts';
import type { Slot } from './query-plan.ts';

const intercept = -4.3;
const heldWeight = 3.6;
const strengthWeight = 2.7;
const matchedWeight = 4;
const enoughWords = 4;

/** Added to each idf: among few chunks the idf of all words is small, and says little. */
const priorIdf = 2;

/** Words below this many bits say little wherever they stand, those above the other say all that a word can. */
const minBits = 8;
const maxBits = 18;
const minTold = 0.2;
/** The best chunks among which one may hold more than the first. */
export const judgedChunks = 5;
/** Score of a chunk that is all about the query, over the sum of the idf. */
const idealScore = 3;

/** How much a word tells by itself, whatever the documents are; words that are not English as much as any. */
const tellingOf = (word: string): number => Math.min(1, Math.max(minTold, (surprisalOf(word) - minBits) / (maxBits - minBits)));

/**
 * @param best of each of the best chunks, the first first: per slot how surely it speaks of the word, 0 to 1
 * @param score of the first of them
 * @returns 0 to 1
 */
export function coverageOf(slots: readonly Slot[], best: readonly ArrayLike<number>[], score: number): number {
  const [first] = best;
  if (!first || slots.length === 0) return 0;
  // A compound whose parts are asked for as well need not be found as a whole.
  const worths = slots.map(({ idf, word }) => (word.isWhole ? 0 : (idf + priorIdf) * tellingOf(word.word)));
  const whole = worths.reduce((sum, worth) => sum + worth, 0);
  const ideal = idealScore * slots.reduce((sum, { idf }) => sum + idf, 0);
  const heldBy = (chunk: ArrayLike<number>) => worths.reduce((sum, worth, slot) => sum + worth * (chunk[slot] as number), 0);
  const held = whole === 0 ? 1 : Math.max(...best.map(heldBy)) / whole;
  const matched = Math.min(enoughWords, Array.from(first).filter((weight) => weight > 0).length) / enoughWords;
  const evidence = intercept + heldWeight * held + (strengthWeight * score) / ideal + matchedWeight * matched;
  return 1 / (1 + Math.exp(-evidence));
}
