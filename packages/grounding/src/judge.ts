/**
 * Judges without a model whether passages support a sentence. Chooses the best units as evidence,
 * then applies the vetoes: exact parts, names, figures, negations, remarks. If there is no veto, a
 * trained score decides.
 */
import { type Figure, isSameFigure } from '../../shared/src/language/figures.ts';
import { termsOf } from '../../shared/src/language/tokens.ts';
import { holdsExactParts } from './checks/exact-parts.ts';
import { figuresHold } from './checks/figures.ts';
import { contraryOf, sidesNamed } from './checks/polarity.ts';
import { type ClauseWord, contentWordsOf, type Part, type Statement } from './clauses.ts';
import type { PassageReading, PassageUnit } from './reading.ts';
import { scoreWeights } from './score-weights.ts';

// The score is a logistic regression over the features below, fitted on labelled sentences; see
// bench/grounding-weights.ts.

export const scoreFeatures = [
  'missing',
  'unit',
  'last',
  'turned',
  'opposite',
  'widened',
  'general',
] as const;
type ScoreFeatures = Readonly<Record<(typeof scoreFeatures)[number], number>>;

/**
 * Number of last words that get a feature of their own, because a sentence usually ends with new
 * information.
 */
const lastWords = 2;
/** A part that shares fewer words with the evidence is too short to detect a flipped negation. */
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

/**
 * Returns the largest share of a part's words that the evidence contains only with the opposite
 * negation.
 */
function turnedShare({ parts, words }: Statement, evidence: readonly Part[]): number {
  const signs = signsOf(evidence);
  const content = new Set(words.flatMap(({ term, parts: own }) => [term, ...own]));
  const shares = parts.map(({ stems, polarity }) => {
    const compared = [...stems].flatMap((stem) =>
      content.has(stem) ? [signs.get(stem)].filter((known) => known !== undefined) : [],
    );
    const turned = compared.filter((some) => !some.has(polarity.denies));
    return compared.length < minCompared ? 0 : turned.length / compared.length;
  });
  return Math.max(0, ...shares);
}

/**
 * Whether the sentence lost a negation: it has none, but each unit that contains all words of the
 * sentence negates one of them.
 */
function hasLostDenial({ parts, words }: Statement, evidence: readonly PassageUnit[]): boolean {
  const holders = evidence.filter(({ context }) => words.every(({ term }) => context.has(term)));
  if (
    words.length < minCompared ||
    holders.length === 0 ||
    parts.some(({ polarity }) => polarity.denies)
  )
    return false;
  return holders.every((unit) => {
    const signs = signsOf(unit.parts());
    return words.some(({ term }) => signs.get(term)?.has(false) === false);
  });
}

const negatingPrefix = /^(?:un|in|im|ir|il|non|dis|not|nicht|no|de)(?=.{4})/;

/** Whether only one side has a negating prefix: `unavailable` and `available`. */
const isFlipped = (words: ReadonlySet<string>, others: ReadonlySet<string>): boolean =>
  [...words].some((word) => {
    const base = word.replace(negatingPrefix, '');
    return base !== word && others.has(base) && !others.has(word) && !words.has(base);
  });

const stemsOf = (parts: readonly Part[]): ReadonlySet<string> =>
  new Set(parts.flatMap(({ stems }) => [...stems]));
const sidesOf = (parts: readonly Part[]): ReadonlySet<number> =>
  new Set(parts.flatMap(({ polarity }) => [...polarity.sides]));

/** Returns features of 0 to 1. @param evidence units with most of the sentence's words */
export function featuresOf(
  statement: Statement,
  reading: PassageReading,
  evidence: readonly PassageUnit[],
): ScoreFeatures {
  const { words, parts } = statement;
  const { meets, language } = reading;
  const held = evidence.reduce<ReadonlySet<string>>(
    (all, { context }) => all.union(context),
    new Set(),
  );
  const shareOf = (some: readonly ClauseWord[], among: ReadonlySet<string>) =>
    some.length === 0 ? 1 : some.reduce((sum, word) => sum + meets(word, among), 0) / some.length;
  const stated = evidence.flatMap((unit) => unit.parts());
  const [own, others] = [sidesOf(parts), sidesOf(stated)];
  const isOpposite = (side: number) =>
    others.has(contraryOf(side)) && !others.has(side) && !own.has(contraryOf(side));
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

/**
 * Returns the probability that people call the sentence supported, given that half of all sentences
 * are.
 */
export function scoreOf(features: ScoreFeatures): number {
  const evidence = scoreFeatures.reduce(
    (sum, name) => sum + scoreWeights[name] * features[name],
    scoreWeights.intercept,
  );
  return 1 / (1 + Math.exp(-evidence));
}

/**
 * Two capitalized words, such as `Anna Schmidt`; three or more are a list or the name of an office.
 */
const pair =
  /(?<!\p{Lu}\p{Ll}{1,40} )(?<![\p{L}\p{N}])(\p{Lu}\p{Ll}+) (\p{Lu}\p{Ll}+)(?![\p{L}\p{N}])(?! \p{Lu})/gu;

/**
 * Whether one clause contains both names; true if the passage lacks a name or a heading contains
 * it.
 */
const isPaired = (
  names: readonly string[],
  { clauses, stems, headings, language }: PassageReading,
): boolean => {
  const terms = names.map((name) => termsOf(name, language)[0] ?? '');
  const isKnown = terms.every((term) => stems.has(term) && !headings.has(term));
  return !isKnown || clauses().some((clause) => terms.every((term) => clause.stems.has(term)));
};

const namesHold = ({ text, words }: Statement, reading: PassageReading): boolean =>
  words.every(
    ({ isName, term, parts }) =>
      !isName || reading.stems.has(term) || parts.every((part) => reading.stems.has(part)),
  ) &&
  [...text.matchAll(pair)].every(([, first = '', second = '']) =>
    isPaired([first, second], reading),
  );

function denialsHold(
  { parts, words }: Statement,
  { units }: PassageReading,
  evidence: ReadonlySet<number>,
): boolean {
  const hasContent = (stems: ReadonlySet<string>) => words.some(({ term }) => stems.has(term));
  const denied = parts.filter(
    ({ stems, polarity: { denies, excepts } }) => denies && !excepts && hasContent(stems),
  );
  if (denied.length === 0) return true;
  const stated = units.flatMap((unit, position): readonly Part[] =>
    evidence.has(position) ? unit.parts() : [],
  );
  // `Not open` means `closed`.
  const opposites = new Set(denied.flatMap(({ polarity }) => [...polarity.sides].map(contraryOf)));
  return stated.some(
    ({ polarity: { denies, sides } }) => denies || !sides.isDisjointFrom(opposites),
  );
}

const remark = /\s\([^()]{1,300}\)|[,;:–—]\s[^,;:–—()]{1,300}?(?=[\s.!?…。"”’'*_]*$)/gu;

const remarksHold = ({ text }: Statement, { stems, meets, language }: PassageReading): boolean =>
  [...text.matchAll(remark)].every(([text]) => {
    const words = contentWordsOf(text, language);
    return words.length === 0 || words.some((word) => meets(word, stems) > 0);
  });

export type Place = Readonly<{ passage: number; start: number; end: number }>;

/**
 * Why a sentence is not supported. `empty`: it states nothing. `markup`: its text may not be shown.
 */
export type Reason = 'empty' | 'markup' | 'exact' | 'name' | 'figure' | 'polarity' | 'score';

export interface Verdict {
  readonly reason: Reason | undefined;
  /** 0 to 1; 1 for verbatim units of the passage. */
  readonly score: number;
  readonly isVerbatim: boolean;
  /**
   * Supporting places; the closest ones if only the score or polarity is against the sentence; else
   * empty.
   */
  readonly places: readonly Place[];
}

/** Minimum score of a supported sentence (bench/README.md: effect of a higher one). */
export const minScore = 0.3;
/** Minimum share of a sentence's words in a passage; with fewer the sentence is unsupported. */
const minPassageShare = 0.2;
/**
 * A sentence of at most `fewWords` words is unsupported if `tooManyMissing` or more are missing; a
 * synonym counts half.
 */
const fewWords = 3;
const tooManyMissing = 1.5;
/**
 * Maximum share of missing words in a near copy. A near copy with a flipped negation or an opposite
 * contradicts the passage.
 */
const fewMissing = 0.15;
const contextWeight = 0.9;

type Holds = (statement: Statement, reading: PassageReading, evidence: Set<number>) => boolean;

/** Checks that a sentence must pass regardless of its score, in this order. */
export const vetoes: readonly (readonly [Reason, Holds])[] = [
  [
    'exact',
    ({ exact }, { exactText }, evidence) => holdsExactParts(exact, () => exactText(evidence)),
  ],
  ['name', namesHold],
  ['figure', figuresHold],
  ['polarity', denialsHold],
  ['score', remarksHold],
];

const shareOf = (words: Statement['words'], { meets, stems }: PassageReading): number =>
  words.reduce((sum, word) => sum + meets(word, stems), 0) / Math.max(1, words.length);

/**
 * Weights in a unit's score for a clause: share of the whole sentence's words, and share of the
 * clause's figures.
 */
const [wholeWeight, figureWeight] = [0.05, 0.3];

/** Returns positions of the units with most words of each clause, and of the whole sentence. */
export function evidenceFor(
  { clauses, words }: Statement,
  { units, meets, clauses: stated }: PassageReading,
): Set<number> {
  const figuresIn = new Map<number, Figure[]>();
  if (clauses.some(({ figures }) => figures.length > 0))
    for (const { unit, figures } of stated())
      figuresIn.set(unit, [...(figuresIn.get(unit) ?? []), ...figures]);
  const heldIn = (some: Statement['words'], unit: PassageUnit) =>
    some.reduce(
      (sum, word) =>
        sum + Math.max(meets(word, unit.context) * contextWeight, meets(word, unit.stems)),
      0,
    ) / Math.max(1, some.length);
  const whole = units.map((unit) => heldIn(words, unit));
  const bestFor = (score: (unit: PassageUnit, position: number) => number) => {
    let [best, most] = [-1, 0];
    for (const [position, unit] of units.entries()) {
      const own = score(unit, position);
      if (own > most) [best, most] = [position, own];
    }
    return best;
  };
  const chosen = clauses.map((clause) =>
    bestFor((unit, position) => {
      const held = clause.figures.filter((figure) =>
        figuresIn.get(position)?.some((one) => isSameFigure(figure, one)),
      ).length;
      return (
        heldIn(clause.words, unit) +
        wholeWeight * (whole[position] ?? 0) +
        (figureWeight * held) / Math.max(1, clause.figures.length)
      );
    }),
  );
  return new Set(
    [...chosen, bestFor((_, position) => whole[position] ?? 0)].filter((position) => position >= 0),
  );
}

const maxGapChars = 40;
const maxPlaceChars = 400;

/** Whether two places of one section can be cited as one. */
export const areOnePlace = (a: Place, b: Place): boolean =>
  a.passage === b.passage &&
  Math.max(a.start, b.start) - Math.min(a.end, b.end) <= maxGapChars &&
  Math.max(a.end, b.end) - Math.min(a.start, b.start) <= maxPlaceChars;

function placesOf(evidence: ReadonlySet<number>, { units }: PassageReading): Place[] {
  const places: (Place & Pick<PassageUnit, 'section'>)[] = [];
  for (const [position, { passage, section, start, end }] of units.entries()) {
    const last = places.at(-1);
    const own = { passage, section, start, end };
    if (!evidence.has(position)) continue;
    if (last?.section === section && areOnePlace(last, own))
      places[places.length - 1] = { ...last, end };
    else places.push(own);
  }
  return places.map(({ section: _, ...place }) => place);
}

/**
 * Finds the sentence verbatim as whole units of a passage, because a part of a unit could omit its
 * `not`.
 */
function verbatimIn(
  { text: sentence }: Statement,
  { text, edges }: PassageReading,
): Place | undefined {
  for (
    let start = text.indexOf(sentence);
    start >= 0 && sentence !== '';
    start = text.indexOf(sentence, start + 1)
  ) {
    const end = start + sentence.length;
    const passage = edges().starts.get(start);
    if (passage !== undefined && edges().ends.has(end)) return { passage, start, end };
  }
  return undefined;
}

/** Returns the share of a sentence's words in a passage, plus 1 if it is verbatim. */
export const matchRank = (statement: Statement, reading: PassageReading): number =>
  (verbatimIn(statement, reading) ? 1 : 0) + shareOf(statement.words, reading);

const condition =
  /^\W{0,3}(?:if|when|unless|once|wenn|falls|sofern|sobald|si|quand|lorsque|cuando)\s/i;
const subjectWords = 4;

/**
 * Whether passages may support a sentence together: each contains its subject, and no condition
 * limits it.
 */
export function shareSubject(
  { text, words }: Statement,
  readings: readonly PassageReading[],
): boolean {
  const subject = words.slice(0, subjectWords);
  return readings.every(({ stems, meets }) => {
    const held = subject.filter((word) => meets(word, stems) > 0);
    const holdsName = subject.slice(0, 2).every((word) => !word.isCapital || held.includes(word));
    return !condition.test(text) && held.length * 2 >= subject.length && holdsName;
  });
}

export const unsupported = (reason: Reason, score = 0): Verdict => ({
  reason,
  score,
  isVerbatim: false,
  places: [],
});

/** Returns the reason if words or score do not support the sentence. @param units the evidence */
function wordsAgainst(
  statement: Statement,
  units: readonly PassageUnit[],
  features: ScoreFeatures,
  threshold: number,
): Reason | undefined {
  const { length } = statement.words;
  if (length <= fewWords && features.missing * length >= tooManyMissing) return 'score';
  const isTurned =
    Math.max(features.turned, features.opposite) === 1 && features.missing <= fewMissing;
  if (isTurned || hasLostDenial(statement, units)) return 'polarity';
  if (scoreOf(features) >= threshold) return undefined;
  return features.turned + features.opposite > 0 ? 'polarity' : 'score';
}

/** @param threshold minimum score of a supported sentence */
export function judge(
  statement: Statement,
  reading: PassageReading,
  threshold = minScore,
): Verdict {
  const verbatim = verbatimIn(statement, reading);
  if (verbatim) return { reason: undefined, score: 1, isVerbatim: true, places: [verbatim] };
  if (statement.words.length === 0) return unsupported('empty');
  if (shareOf(statement.words, reading) < minPassageShare) return unsupported('score');
  const evidence = evidenceFor(statement, reading);
  const units = reading.units.filter((_, position) => evidence.has(position));
  const features = featuresOf(statement, reading, units);
  const score = scoreOf(features);
  const [veto] = vetoes.find(([, holds]) => !holds(statement, reading, evidence)) ?? [];
  const reason = veto ?? wordsAgainst(statement, units, features, threshold);
  // The judge model may still accept the sentence.
  const isOpen = reason === undefined || reason === 'polarity' || reason === 'score';
  return { reason, score, isVerbatim: false, places: isOpen ? placesOf(evidence, reading) : [] };
}
