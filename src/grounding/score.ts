/**
 * How much of a sentence its passage says, as one score from simple shares of its telling words: a logistic curve whose weights are data
 * (score-weights.json), fitted on sentences with people's labels (bench/grounding-weights.ts says on which, and what they were worth).
 */
import type { PassageReading, Statement, TellingWord } from './reading.ts';
import weights from './score-weights.json' with { type: 'json' };

export const scoreFeatures = ['share', 'missingRun', 'clause'] as const;
export type ScoreFeatures = Readonly<Record<(typeof scoreFeatures)[number], number>>;

/** A longer run of missing words says no more. */
const longestRun = 6;
/** A clause that tells less is no statement of its own. */
const minTellingOfClause = 2;

/** Each 0 to 1. */
export function featuresOf({ words, clauses }: Statement, { stems, meets }: PassageReading): ScoreFeatures {
  const shareOf = (some: readonly TellingWord[]) =>
    some.length === 0 ? 1 : some.reduce((sum, word) => sum + meets(word, stems), 0) / some.length;
  let [run, missing] = [0, 0];
  for (const word of words) {
    run = meets(word, stems) > 0 ? 0 : run + 1;
    missing = Math.max(missing, run);
  }
  const shares = clauses.filter((clause) => clause.words.length >= minTellingOfClause).map((clause) => shareOf(clause.words));
  return { share: shareOf(words), missingRun: Math.min(longestRun, missing) / longestRun, clause: Math.min(1, ...shares) };
}

/** 0 to 1: how likely it is that people call a sentence with these features supported, where half of all are. */
export function scoreOf(features: ScoreFeatures): number {
  const evidence = scoreFeatures.reduce((sum, name) => sum + weights[name] * features[name], weights.intercept);
  return 1 / (1 + Math.exp(-evidence));
}
