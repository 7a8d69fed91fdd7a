/**
 * Whether passages support a sentence, judged without a model. First the units that bear it are chosen. Then come the vetoes: exact parts
 * letter by letter, names, figures with their units, denials, remarks. A learned score decides about all other words.
 */

import { type Figure, isSameFigure } from '../language/figures.ts';
import { denialsHold } from './checks/denials.ts';
import { holdsExactParts } from './checks/exact-parts.ts';
import { figuresHold } from './checks/figures.ts';
import { namesHold } from './checks/names.ts';
import { remarksHold } from './checks/remarks.ts';
import type { PassageReading, PassageUnit, Statement } from './reading.ts';
import { featuresOf, hasLostDenial, type ScoreFeatures, scoreOf } from './score.ts';

/** A part of a passage, as UTF-16 offsets into its text. */
export interface Place {
  readonly passage: number;
  readonly start: number;
  readonly end: number;
}

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

/** Whether a sentence passes; the evidence may grow by what makes it pass. */
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
/** Telling words in which a sentence says what it is about. */
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
