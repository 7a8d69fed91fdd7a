/**
 * Whether passages support a sentence, judged without a model. First the units that bear it are chosen. Then come the vetoes: exact parts
 * letter by letter, names, figures with their units, denials, remarks. A learned score decides about all other words.
 */
import { type Figure, isSameFigure } from '../language/figures.ts';
import { termsOf } from '../language/tokens.ts';
import { holdsExactParts } from './checks/exact-parts.ts';
import { figuresHold } from './checks/figures.ts';
import { contraryOf, sidesNamed } from './checks/polarity.ts';
import { type Part, type Statement, type TellingWord, tellingWordsOf } from './clauses.ts';
import type { PassageReading, PassageUnit } from './reading.ts';
import weights from './score-weights.json' with { type: 'json' };

// How well a few units of a passage bear a sentence, as one score: a logistic curve over simple features whose weights are data
// (score-weights.json), fitted on sentences with labels (bench/grounding-weights.ts says on which, and what they were worth).

export const scoreFeatures = ['missing', 'unit', 'last', 'turned', 'opposite', 'widened', 'general'] as const;
type ScoreFeatures = Readonly<Record<(typeof scoreFeatures)[number], number>>;

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
function hasLostDenial({ parts, words }: Statement, evidence: readonly PassageUnit[]): boolean {
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

/** `Anna Schmidt`; a longer run is a list, or the name of an office. */
const pair = /(?<!\p{Lu}\p{Ll}{1,40} )(?<![\p{L}\p{N}])(\p{Lu}\p{Ll}+) (\p{Lu}\p{Ll}+)(?![\p{L}\p{N}])(?! \p{Lu})/gu;

/** Whether two names that the passage knows stand in one clause of it. */
const isPaired = (names: readonly string[], { clauses, stems, headings, language }: PassageReading): boolean => {
  const terms = names.map((name) => termsOf(name, language)[0] ?? '');
  const isKnown = terms.every((term) => stems.has(term) && !headings.has(term));
  return !isKnown || clauses().some((clause) => terms.every((term) => clause.stems.has(term)));
};

const namesHold = ({ text, words }: Statement, reading: PassageReading): boolean =>
  words.every(({ isName, term, parts }) => !isName || reading.stems.has(term) || parts.every((part) => reading.stems.has(part))) &&
  [...text.matchAll(pair)].every(([, first = '', second = '']) => isPaired([first, second], reading));

function denialsHold({ parts, words }: Statement, { units }: PassageReading, evidence: ReadonlySet<number>): boolean {
  const isTold = (stems: ReadonlySet<string>) => words.some(({ term }) => stems.has(term));
  const denied = parts.filter(({ stems, polarity: { denies, excepts } }) => denies && !excepts && isTold(stems));
  if (denied.length === 0) return true;
  const stated = units.flatMap((unit, position): readonly Part[] => (evidence.has(position) ? unit.parts() : []));
  // `Not open` is `closed`.
  const opposites = new Set(denied.flatMap(({ polarity }) => [...polarity.sides].map(contraryOf)));
  return stated.some(({ polarity: { denies, sides } }) => denies || !sides.isDisjointFrom(opposites));
}

const remark = /\s\([^()]{1,300}\)|[,;:–—]\s[^,;:–—()]{1,300}?(?=[\s.!?…。"”’'*_]*$)/gu;

const remarksHold = ({ text }: Statement, { stems, meets, language }: PassageReading): boolean =>
  [...text.matchAll(remark)].every(([said]) => {
    const words = tellingWordsOf(said, language);
    return words.length === 0 || words.some((word) => meets(word, stems) > 0);
  });

export type Place = Readonly<{ passage: number; start: number; end: number }>;

/** Why a sentence is not supported. `empty`: it tells nothing that could be. `markup`: it is no text that may be shown, whatever it says. */
export type Reason = 'empty' | 'markup' | 'exact' | 'name' | 'figure' | 'polarity' | 'score';

export interface Verdict {
  readonly reason: Reason | undefined;
  /** 0 to 1; 1 for whole units of the passage, word for word. */
  readonly score: number;
  readonly isVerbatim: boolean;
  /** What supports it; what comes closest to it if only its score is too low; else none. */
  readonly places: readonly Place[];
}

/** Score from which a sentence is supported (bench/README.md: what each threshold keeps and drops). */
export const minScore = 0.3;
/** Share of a sentence's words below which a passage is not read further. */
const minPassageShare = 0.2;
/** A sentence of at most three telling words is unsupported if so many of them are missing; a synonym is half a word. */
const fewWords = 3;
const tooManyMissing = 1.5;
/** A sentence with so few words missing is a copy; one with a whole part turned around, or an opposite, says the contrary. */
const fewMissing = 0.15;
/** What a word counts that stands in what a unit is said under. */
const contextShare = 0.9;

type Holds = (statement: Statement, reading: PassageReading, evidence: Set<number>) => boolean;

/** What a sentence has to pass whatever its score, in this order. */
export const vetoes: readonly (readonly [Reason, Holds])[] = [
  ['exact', ({ exact }, { exactText }, evidence) => holdsExactParts(exact, () => exactText(evidence))],
  ['name', namesHold],
  ['figure', figuresHold],
  ['polarity', denialsHold],
  ['score', remarksHold],
];

const shareOf = (words: Statement['words'], { meets, stems }: PassageReading): number =>
  words.reduce((sum, word) => sum + meets(word, stems), 0) / Math.max(1, words.length);

/** What the share of the whole sentence, and of the figures that a unit states, add to the share of one clause. */
const [wholeShare, figureShare] = [0.05, 0.3];

/** The unit that says most of each clause, and the one that says most of the whole. */
export function evidenceFor({ clauses, words }: Statement, { units, meets, clauses: stated }: PassageReading): Set<number> {
  const figuresIn = new Map<number, Figure[]>();
  if (clauses.some(({ figures }) => figures.length > 0))
    for (const { unit, figures } of stated()) figuresIn.set(unit, [...(figuresIn.get(unit) ?? []), ...figures]);
  const heldIn = (some: Statement['words'], unit: PassageUnit) =>
    some.reduce((sum, word) => sum + Math.max(meets(word, unit.context) * contextShare, meets(word, unit.stems)), 0) /
    Math.max(1, some.length);
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
      const held = clause.figures.filter((figure) => figuresIn.get(position)?.some((one) => isSameFigure(figure, one))).length;
      return heldIn(clause.words, unit) + wholeShare * (whole[position] ?? 0) + (figureShare * held) / Math.max(1, clause.figures.length);
    }),
  );
  return new Set([...chosen, bestFor((_, position) => whole[position] ?? 0)].filter((position) => position >= 0));
}

/** Units of a passage with no more between them, and no longer together, are one place. */
const maxGapChars = 40;
const maxPlaceChars = 400;

/** Whether two places of one section may be one: they overlap or are neighbours, and together are no longer than a quote. */
export const areOne = (a: Place, b: Place): boolean =>
  a.passage === b.passage &&
  Math.max(a.start, b.start) - Math.min(a.end, b.end) <= maxGapChars &&
  Math.max(a.end, b.end) - Math.min(a.start, b.start) <= maxPlaceChars;

function placesOf(evidence: ReadonlySet<number>, { units }: PassageReading): Place[] {
  const places: (Place & Pick<PassageUnit, 'section'>)[] = [];
  for (const [position, { passage, section, start, end }] of units.entries()) {
    const last = places.at(-1);
    const own = { passage, section, start, end };
    if (!evidence.has(position)) continue;
    if (last?.section === section && areOne(last, own)) places[places.length - 1] = { ...last, end };
    else places.push(own);
  }
  return places.map(({ section: _, ...place }) => place);
}

/** Where whole units of a passage are a sentence, word for word; a part of one may leave out its `not`. */
function verbatimIn({ text: sentence }: Statement, { text, edges }: PassageReading): Place | undefined {
  for (let start = text.indexOf(sentence); start >= 0 && sentence !== ''; start = text.indexOf(sentence, start + 1)) {
    const end = start + sentence.length;
    const passage = edges().starts.get(start);
    if (passage !== undefined && edges().ends.has(end)) return { passage, start, end };
  }
  return undefined;
}

/** Share of a sentence's words that a passage holds; above 1 for whole units of it, word for word. */
export const scoreIn = (statement: Statement, reading: PassageReading): number =>
  (verbatimIn(statement, reading) ? 1 : 0) + shareOf(statement.words, reading);

/** What holds under a condition is not said without it. */
const condition = /^\W{0,3}(?:if|when|unless|once|wenn|falls|sofern|sobald|si|quand|lorsque|cuando)\s/i;
const subjectWords = 4;

/** Whether passages may support a sentence together: each of them speaks of what it is about. */
export function areAbout({ text, words }: Statement, readings: readonly PassageReading[]): boolean {
  const subject = words.slice(0, subjectWords);
  return readings.every(({ stems, meets }) => {
    const held = subject.filter((word) => meets(word, stems) > 0);
    const holdsName = subject.slice(0, 2).every((word) => !word.isCapital || held.includes(word));
    return !condition.test(text) && held.length * 2 >= subject.length && holdsName;
  });
}

export const unsupported = (reason: Reason, score = 0): Verdict => ({ reason, score, isVerbatim: false, places: [] });

/** Why the words of a sentence do not support it; undefined if they do. @param units that bear it */
function wordsAgainst(statement: Statement, units: readonly PassageUnit[], features: ScoreFeatures, threshold: number): Reason | undefined {
  const { length } = statement.words;
  if (length <= fewWords && features.missing * length >= tooManyMissing) return 'score';
  const isTurned = Math.max(features.turned, features.opposite) === 1 && features.missing <= fewMissing;
  if (isTurned || hasLostDenial(statement, units)) return 'polarity';
  if (scoreOf(features) >= threshold) return undefined;
  return features.turned + features.opposite > 0 ? 'polarity' : 'score';
}

/** @param threshold score from which the vetoes alone decide */
export function judge(statement: Statement, reading: PassageReading, threshold = minScore): Verdict {
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
  // A model may still say that the units support it.
  const isOpen = reason === undefined || reason === 'polarity' || reason === 'score';
  return { reason, score, isVerbatim: false, places: isOpen ? placesOf(evidence, reading) : [] };
}
