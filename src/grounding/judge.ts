/**
 * Whether passages say what a sentence says, judged without a model by a few checks in a fixed order: what has to be exact is there letter
 * by letter; its names and its figures with their units are there and said of the same thing; nothing is turned around where the passage
 * speaks of nearly the same; and of its telling words so many are there that the learned score calls it supported.
 */
import { spelledOut } from './checks/acronyms.ts';
import { polarityHolds } from './checks/contrary.ts';
import { holdsExactParts } from './checks/exact-parts.ts';
import { figuresHold } from './checks/figures.ts';
import { endsInvented, type TrimmedSentence, trimRemarks } from './checks/invented-end.ts';
import { namesHold } from './checks/names.ts';
import { type PassageReading, type Statement, tellingWordsOf } from './reading.ts';
import { featuresOf, scoreOf } from './score.ts';

/** A part of a passage, as UTF-16 offsets into its text. */
export interface Place {
  /** Of the passage. */
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
  /** What supports it, a place for each passage; none where nothing does. */
  readonly places: readonly Place[];
  /** If the passage does not hold its remarks: the sentence without them, to be judged again. */
  readonly trimmed?: TrimmedSentence;
}

/** Score from which a sentence is supported (bench/README.md: what each threshold keeps and drops). */
export const minScore = 0.58;
/** Of so few words one may be the invented one: this share of them has to be there. */
const fewWords = 3;
const minShareOfFew = 0.6;
/** Share of a sentence's words that the passage itself has to hold: a heading alone proves nothing, and is no place in the passage. */
const minOwnShare = 0.35;
/** Evidence is at most this many units besides those that state figures and clauses. */
const maxEvidenceUnits = 3;

/** Whether a sentence passes; the evidence may grow by what makes it pass. */
type Holds = (statement: Statement, reading: PassageReading, evidence: Set<number>) => boolean;

/** What a sentence has to pass whatever its score, in this order. */
const vetoes: readonly (readonly [Reason, Holds])[] = [
  ['exact', ({ exact }, { exactText }) => holdsExactParts(exact, exactText)],
  ['name', namesHold],
  ['polarity', polarityHolds],
  ['figure', figuresHold],
];

/** What a passage writes as initials, or names by them, it says. */
function withoutShortForms(statement: Statement, reading: PassageReading): Statement {
  if (!statement.words.some(({ isName }) => isName)) return statement;
  const spelled = spelledOut(statement.words, reading.shortForms());
  const rest = (some: Statement['words']) => some.filter(({ term }) => !spelled.has(term));
  const clauses = statement.clauses.map((clause) => ({ ...clause, words: rest(clause.words) }));
  return { ...statement, words: rest(statement.words), clauses };
}

/** The few units that together have most of a sentence's words, and the share of the words that they have. */
function evidenceFor(words: Statement['words'], { units, stems, meets }: PassageReading): { units: Set<number>; share: number } {
  const known = words.filter((word) => meets(word, stems) > 0);
  const byUnit = units.map((unit) => known.map((word) => meets(word, unit.stems)));
  const chosen = new Set<number>();
  let met = known.map(() => 0);
  while (chosen.size < maxEvidenceUnits) {
    const gains = byUnit.map((shares) => shares.reduce((sum, share, order) => sum + Math.max(0, share - (met[order] ?? 0)), 0));
    const most = gains.reduce((best, gain) => Math.max(best, gain), 0);
    if (most === 0) break;
    const next = gains.indexOf(most);
    chosen.add(next);
    met = met.map((share, order) => Math.max(share, byUnit[next]?.[order] ?? 0));
  }
  return { units: chosen, share: met.reduce((sum, share) => sum + share, 0) / Math.max(1, words.length) };
}

/** From the first to the last of some units, for each passage that they are of. */
function placesOf(evidence: ReadonlySet<number>, { units }: PassageReading): Place[] {
  const chosen = units.filter((_, position) => evidence.has(position));
  const passages = [...new Set(chosen.map(({ passage }) => passage))].sort((a, b) => a - b);
  return passages.map((passage) => {
    const own = chosen.filter((unit) => unit.passage === passage);
    return { passage, start: Math.min(...own.map(({ start }) => start)), end: Math.max(...own.map(({ end }) => end)) };
  });
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

/** How much of a sentence a passage says, without looking at what vetoes; above 1 for whole units of it, word for word. */
export const scoreIn = (statement: Statement, reading: PassageReading): number =>
  (verbatimIn(statement, reading) ? 1 : 0) + scoreOf(featuresOf(withoutShortForms(statement, reading), reading));

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

/** @param threshold score from which the vetoes alone decide */
export function judge(whole: Statement, reading: PassageReading, threshold = minScore): Verdict {
  const verbatim = verbatimIn(whole, reading);
  if (verbatim) return { reason: undefined, score: 1, isVerbatim: true, places: [verbatim] };
  if (whole.words.length === 0) return unsupported('empty');
  const statement = withoutShortForms(whole, reading);
  const features = featuresOf(statement, reading);
  const score = scoreOf(features);
  const told = statement.clauses.reduce((sum, { words, figures, measures }) => sum + words.length + figures.length + measures.size, 0);
  const isGuess = told <= fewWords && features.share < minShareOfFew;
  if (score < threshold || isGuess) return unsupported('score', isGuess ? score * features.share : score);
  const { units, share } = evidenceFor(statement.words, reading);
  if (share < minOwnShare) return unsupported('score', score * share);
  for (const [reason, holds] of vetoes) if (!holds(statement, reading, units)) return unsupported(reason, score);
  const trimmed = trimRemarks(statement.text, reading, tellingWordsOf);
  if (trimmed.removed.length > 0) return { ...unsupported('score', score), trimmed };
  if (endsInvented(statement, reading)) return unsupported('score', score);
  return { reason: undefined, score, isVerbatim: false, places: placesOf(units, reading) };
}
