/**
 * The answer without a model: the few sentences of the passages that say most of what the question asks, verbatim, in reading order,
 * or nothing where the passages miss what the question is about. Deterministic.
 */

import { holdsActiveMarkup } from '../text/active-markup.ts';
import { type Unit, units } from '../text/units.ts';
import { contentWords, terms } from '../text/words.ts';
import type { PromptPassage, TurnPrompt } from './turn-prompt.ts';

export interface Extract {
  /** Number of the passage. */
  readonly number: number;
  readonly text: string;
}

const maxSentences = 3;
/** A further sentence has to score at least this share of the best: beside it, and in another passage, where it may be about something else. */
const minShareOfBest = 0.8;
const minShareElsewhere = 0.95;
/** Share of the question's words that one passage, with its headings, has to hold. */
const minCoverage = 0.5;
/** A name or figure of the question that a passage lacks counts as this many words: it speaks of something else then. */
const missingNameWeight = 4;
/** A word in the heading says what the sentence is about without being in it. */
const headingShare = 0.5;
/** Taken off a sentence's score for every passage that ranks before its own. */
const rankPrior = 0.04;
/** A question for a figure is better answered by a sentence that has one. */
const figureBonus = 0.35;

const asksForFigure =
  /\bhow (?:long|many|much|often|soon|fast|quickly|big|large|far|old)\b|\bwhen\b|\bwhat (?:time|date|price|cost|percentage|rate|limit|deadline)\b|\bprice\b|\bcosts?\b/i;
const hasFigure =
  /\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|daily|weekly|monthly|yearly|hourly|immediately|instantly)\b/i;
/** Marks that could be taken for a citation, and a sentence that only announces one, are not quoted. */
const unquotable = /\[\s*\d{1,3}(?:\s*,\s*\d{1,3})*\s*\]|\bNO_ANSWER\b|^\W{0,4}sources\b|:$/i;
const maxUnitChars = 600;

interface Candidate extends Extract {
  readonly score: number;
  readonly order: number;
}

/** Of a message of several sentences those that ask, so that a greeting or a story does not count as asked for. */
function focusOf(question: string): string {
  const sentences = [...units(question)].map((unit) => question.slice(unit.start, unit.end));
  const asking = sentences.filter((sentence) => /[?？]/.test(sentence) && contentWords(sentence).length > 0);
  return asking.length > 0 ? asking.join(' ') : question;
}

export function extractAnswer({ question, passages }: TurnPrompt): Extract[] {
  const words = contentWords(focusOf(question));
  if (words.length === 0 || passages.length === 0) return [];
  const prepared = passages.map((passage) => ({ passage, text: new Set(terms(passage.text)), label: new Set(terms(passage.label)) }));

  const holders = (term: string) => prepared.filter(({ text, label }) => text.has(term) || label.has(term)).length;
  /** Does a passage speak of what is asked? A plain word that is missing may only be said differently. */
  const coverage = (has: (term: string) => boolean) => {
    const held = words.filter(({ term }) => has(term)).length;
    const missing = words.reduce((sum, { term, isName }) => sum + (has(term) ? 0 : isName ? missingNameWeight : 1), 0);
    return held / (held + missing);
  };
  const covering = prepared.filter(({ text, label }) => coverage((term) => text.has(term) || label.has(term)) >= minCoverage);

  /** Which sentence says it? Of the words that the passages have, the rarer is the more telling: ln(1 + N / n). */
  const telling = words.flatMap(({ term }) => (holders(term) > 0 ? [[term, Math.log(1 + prepared.length / holders(term))] as const] : []));
  const total = telling.reduce((sum, [, weight]) => sum + weight, 0);
  const share = (has: (term: string) => boolean) => telling.reduce((sum, [term, weight]) => sum + (has(term) ? weight : 0), 0) / total;

  const wantsFigure = asksForFigure.test(focusOf(question));
  const candidates = covering.flatMap(({ passage, label }) =>
    [...units(passage.text)].flatMap((unit, position): Candidate[] => {
      const text = passage.text.slice(unit.start, unit.end);
      if (unit.kind === 'code' || unquotable.test(text) || holdsActiveMarkup(text) || text.length > maxUnitChars) return [];
      const score = scoreOf(text, unit, passage, label);
      return score > 0 ? [{ number: passage.number, text, score, order: passage.number * 10_000 + position }] : [];
    }),
  );

  function scoreOf(text: string, unit: Unit, passage: PromptPassage, label: ReadonlySet<string>): number {
    const own = new Set(terms(text));
    const inSentence = share((term) => own.has(term));
    const withHeadings = share((term) => own.has(term) || label.has(term));
    const said = inSentence + (withHeadings - inSentence) * headingShare;
    const figure = wantsFigure && hasFigure.test(text) ? 1 + figureBonus : 1;
    const asks = text.endsWith('?') ? 0.4 : 1;
    const row = unit.kind === 'row' ? 0.8 : 1;
    return said * figure * asks * row - rankPrior * (passage.number - 1);
  }

  const ranked = candidates.sort((a, b) => b.score - a.score || a.order - b.order);
  const best = ranked[0];
  if (!best) return [];
  const seen = new Set<string>();
  return ranked
    .filter(({ score, number }) => score >= best.score * (number === best.number ? minShareOfBest : minShareElsewhere))
    .filter(({ text }) => !seen.has(text) && seen.add(text))
    .slice(0, maxSentences)
    .sort((a, b) => a.order - b.order)
    .map(({ number, text }) => ({ number, text }));
}
