/**
 * Whether a passage says what a sentence says, judged without a model: what has to be exact is exact, most of its content words stand
 * close together in the passage, and neither denies what the other states. Words are compared by their stems.
 */
import type { Language } from '../text/languages.ts';
import { type Unit, units } from '../text/units.ts';
import { contentWords, terms } from '../text/words.ts';
import { holdsFigures, holdsTokens } from './exact-parts.ts';

/** The part of a passage that supports a sentence, as UTF-16 offsets into the passage's text. */
export interface Support {
  readonly start: number;
  readonly end: number;
  /** Share of the sentence's content words found there, 0 to 1; 1 for whole units of the passage, verbatim. */
  readonly score: number;
  /** Whole units of the passage, word for word. */
  readonly isVerbatim: boolean;
}

/** The best support that the passage gives a sentence, or undefined. */
export type FindSupport = (sentence: string) => Support | undefined;

/** Least share of a sentence's content words that its evidence, with the headings above it, has to hold. */
const minWordShare = 0.65;
/** Least share that the evidence has to hold by itself: a heading alone proves nothing. */
const minOwnShare = 0.5;
/** Least share of the words beside a figure that the very unit which states it has to hold. */
const minFigureShare = 0.75;
/** Evidence is at most this many neighbouring units: a fact may take a sentence and its next, or a list's lead and its item. */
const maxEvidenceUnits = 3;

const negation =
  /\b(?:not|no|never|none|nor|neither|nobody|nothing|without|cannot|(?:ca|wo|do|does|is|are|was|were|did|should|must|could|would|has|have)n['’]t|unless|except|excluded?|hardly|rarely|seldom|barely|unable|fails?|failed|refuses?|nicht|nie|ohne|kein\w*|non|pas|jamais|sans|nunca|sin)\b|ません|ない|なし|不可|不能|没有|없|않/i;
const clauseEnd = /[;()、，；]|[,:]\s|\s(?:and|but|or|while|whereas|und|aber|oder|et|mais|ou|y|pero|o)\s/i;

interface Piece {
  readonly unit: Unit;
  readonly text: string;
  readonly words: ReadonlySet<string>;
}

const held = (wanted: readonly string[], words: ReadonlySet<string>) => wanted.filter((word) => words.has(word)).length;

/** Of neighbouring units the one that speaks most of the same. */
const closestTo = (wanted: readonly string[], pieces: readonly Piece[]): string =>
  pieces.reduce((best, piece) => (held(wanted, piece.words) > held(wanted, best.words) ? piece : best)).text;

/** Whether a clause with a negation speaks of what is wanted: `plans cost $28 and are not refunded` denies nothing of the price. */
const deniesAnyOf = (wanted: readonly string[], text: string, language: Language): boolean =>
  text.split(clauseEnd).some((clause) => negation.test(clause) && held(wanted, new Set(terms(clause, language))) > 0);

/** @param context title and headings of the passage: what they say counts as said, but alone it is no evidence */
export function createSupportFinder(passage: string, context: string, language: Language): FindSupport {
  const given = new Set(terms(context, language));
  const pieces = [...units(passage)].map((unit): Piece => {
    const text = passage.slice(unit.start, unit.end);
    return { unit, text, words: new Set(terms(text, language)) };
  });
  const starts = new Set(pieces.map(({ unit }) => unit.start));
  const ends = new Set(pieces.map(({ unit }) => unit.end));

  /** Whole units of the passage, word for word; a part of one may leave out its `not`. */
  function verbatim(sentence: string): Support | undefined {
    for (let start = passage.indexOf(sentence); start >= 0 && sentence !== ''; start = passage.indexOf(sentence, start + 1)) {
      if (starts.has(start) && ends.has(start + sentence.length))
        return { start, end: start + sentence.length, score: 1, isVerbatim: true };
    }
    return undefined;
  }

  function paraphrased(sentence: string): Support | undefined {
    const wanted = contentWords(sentence, language).map((word) => word.term);
    if (wanted.length === 0 || !holdsTokens(sentence, passage)) return undefined;
    const denies = negation.test(sentence);
    const figured = sentence.split(clauseEnd).filter((clause) => /\p{N}/u.test(clause));
    let best: Support | undefined;
    for (const [from, first] of pieces.entries()) {
      const words = new Set<string>();
      for (const [offset, last] of pieces.slice(from, from + maxEvidenceUnits).entries()) {
        for (const word of last.words) words.add(word);
        const score = wanted.filter((word) => words.has(word) || given.has(word)).length / wanted.length;
        if (score < minWordShare || score <= (best?.score ?? 0) || held(wanted, words) / wanted.length < minOwnShare) continue;
        if (!holdsFigures(sentence, `${passage.slice(first.unit.start, last.unit.end)}\n${context}`)) continue;
        if (!figured.every((clause) => isStatedInOne(clause, pieces.slice(from, from + offset + 1)))) continue;
        if (denies !== deniesAnyOf(wanted, closestTo(wanted, pieces.slice(from, from + offset + 1)), language)) continue;
        best = { start: first.unit.start, end: last.unit.end, score, isVerbatim: false };
      }
    }
    return best;
  }

  /** A figure belongs to what is said of it: one unit has to state it and most of the words beside it. */
  function isStatedInOne(clause: string, window: readonly Piece[]): boolean {
    const wanted = contentWords(clause, language).map((word) => word.term);
    return window.some(
      ({ text, words }) =>
        wanted.filter((word) => words.has(word) || given.has(word)).length >= wanted.length * minFigureShare &&
        holdsFigures(clause, `${text}\n${context}`),
    );
  }

  return (sentence) => verbatim(sentence) ?? paraphrased(sentence);
}
