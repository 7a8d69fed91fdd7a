/**
 * How well a few units of a passage bear a sentence, as one score: a logistic curve over simple features whose weights are data
 * (score-weights.json), fitted on sentences with labels (bench/grounding-weights.ts says on which, and what they were worth).
 */
import { contraryOf, sidesNamed } from './checks/polarity.ts';
import type { Part, PassageReading, PassageUnit, Statement, TellingWord } from './reading.ts';
import weights from './score-weights.json' with { type: 'json' };

export const scoreFeatures = ['missing', 'unit', 'last', 'turned', 'opposite', 'widened', 'general'] as const;
export type ScoreFeatures = Readonly<Record<(typeof scoreFeatures)[number], number>>;

/** Telling words at the end of a sentence, where most says what is new. */
const lastWords = 2;
/** Of a part with fewer words that the evidence has too nothing tells that it is turned around. */
const minCompared = 2;

function signsOf(parts: readonly Part[]): ReadonlyMap<string, ReadonlySet<boolean>> {
  const signs = new Map<string, Set<boolean>>();
  for (const { stems, polarity } of parts)
    for (const stem of stems) {
      const known = signs.get(stem);
      if (known) known.add(polarity.denies);
      else signs.set(stem, new Set([polarity.denies]));
    }
  return signs;
}

/** The largest share of a part's words that the evidence only has with the other sign. */
function turnedShare({ parts, words }: Statement, evidence: readonly Part[]): number {
  const signs = signsOf(evidence);
  const telling = new Set(words.flatMap(({ term, parts: own }) => [term, ...own]));
  const shares = parts.map(({ stems, polarity }) => {
    const compared = [...stems].flatMap((stem) => (telling.has(stem) ? [signs.get(stem)].filter((known) => known !== undefined) : []));
    const turned = compared.filter((some) => !some.has(polarity.denies));
    return compared.length < minCompared ? 0 : turned.length / compared.length;
  });
  return Math.max(0, ...shares);
}

/** Whether a sentence that denies nothing has all of its words from one unit, and each unit that has them denies one of them. */
export function hasLostDenial({ parts, words }: Statement, evidence: readonly PassageUnit[]): boolean {
  const holders = evidence.filter(({ context }) => words.every(({ term }) => context.has(term)));
  if (words.length < minCompared || holders.length === 0 || parts.some(({ polarity }) => polarity.denies)) return false;
  return holders.every((unit) => {
    const signs = signsOf(unit.parts());
    return words.some(({ term }) => signs.get(term)?.has(false) === false);
  });
}

const negatingPrefix = /^(?:un|in|im|ir|il|non|dis|not|nicht|no|de)(?=.{4})/;

/** Whether a word is denied by a prefix that its counterpart has not: `unavailable` where the other says `available`. */
const isFlipped = (words: ReadonlySet<string>, others: ReadonlySet<string>): boolean =>
  [...words].some((word) => {
    const base = word.replace(negatingPrefix, '');
    return base !== word && others.has(base) && !others.has(word) && !words.has(base);
  });

const stemsOf = (parts: readonly Part[]): ReadonlySet<string> => new Set(parts.flatMap(({ stems }) => [...stems]));
const sidesOf = (parts: readonly Part[]): ReadonlySet<number> => new Set(parts.flatMap(({ polarity }) => [...polarity.sides]));

/** Each 0 to 1. @param evidence units that say most of the sentence */
export function featuresOf(statement: Statement, reading: PassageReading, evidence: readonly PassageUnit[]): ScoreFeatures {
  const { words, parts } = statement;
  const { meets, language } = reading;
  const held = evidence.reduce<ReadonlySet<string>>((all, { context }) => all.union(context), new Set());
  const shareOf = (some: readonly TellingWord[], among: ReadonlySet<string>) =>
    some.length === 0 ? 1 : some.reduce((sum, word) => sum + meets(word, among), 0) / some.length;
  const stated = evidence.flatMap((unit) => unit.parts());
  const [own, others] = [sidesOf(parts), sidesOf(stated)];
  const isOpposite = (side: number) => others.has(contraryOf(side)) && !others.has(side) && !own.has(contraryOf(side));
  /** Whether one takes a side of some groups that the other does not take. */
  const takesAlone = (name: string, some: ReadonlySet<number>, rest: ReadonlySet<number>) =>
    [...sidesNamed(name, language)].some((side) => some.has(side) && !rest.has(side)) ? 1 : 0;
  return {
    missing: 1 - shareOf(words, held),
    unit: Math.max(0, ...evidence.map(({ context }) => shareOf(words, context))),
    last: shareOf(words.slice(-lastWords), held),
    turned: turnedShare(statement, stated),
    opposite: [...own].some(isOpposite) || isFlipped(stemsOf(parts), stemsOf(stated)) ? 1 : 0,
    widened: takesAlone('only', others, own),
    general: takesAlone('general', own, others),
  };
}

/** 0 to 1: how likely it is that people call a sentence with these features supported, where half of all are. */
export function scoreOf(features: ScoreFeatures): number {
  const evidence = scoreFeatures.reduce((sum, name) => sum + weights[name] * features[name], weights.intercept);
  return 1 / (1 + Math.exp(-evidence));
}
