/**
 * Scores units of passages (sentences, list items, table rows, code blocks) for a question. Uses
 * the question's words in the unit, headings and lead, the order of these words, the kind of
 * answer, and the score of the passage.
 */
import { isShowable, isShowableCode } from '../../packages/grounding/src/shown-sentence.ts';
import {
  fold,
  isPaired,
  isStopWord,
  type Language,
} from '../../packages/shared/src/language/languages.ts';
import { pattern } from '../../packages/shared/src/language/pattern.ts';
import { segments, type TextSegment } from '../../packages/shared/src/language/segments.ts';
import { terms } from '../../packages/shared/src/language/tokens.ts';
import { holdsTemplateTag } from '../../packages/shared/src/markdown/template-tags.ts';
import type { QueryTerm } from '../search/search-engine.ts';
import { holdsKind, isTopic, kindOf, type QuestionKind } from './question-kind.ts';

export interface RankedText {
  /** Plain text, see `toPlainPassage`. */
  readonly text: string;
  readonly language: Language;
  readonly score: number;
  labelAt(offset: number): string;
}

/** Per question word: the weight of its best form in a text, 0 to 1. */
export type WordWeights = readonly number[];

export interface Unit {
  readonly position: number;
  readonly order: number;
  readonly segment: TextSegment;
  readonly text: string;
  readonly label: string;
  /** Sentence above the unit that ends in a colon or question mark. */
  readonly lead: TextSegment | undefined;
  /** Question words in the unit itself. */
  readonly own: WordWeights;
  /** Question words of `own` and `above`. */
  readonly said: WordWeights;
  /** Question words in its headings and lead. */
  readonly above: WordWeights;
  /** Whether it is a row or definition of exactly the asked subject. */
  readonly isOfSubject: boolean;
  /** Whether it or its lead contains a word of the question. */
  readonly isAbout: boolean;
  readonly hasKind: boolean;
  /** Whether its headings contain every word of the question, as in an FAQ. */
  readonly isUnderQuestion: boolean;
  /** Whether its innermost heading has the words of the question and no others. */
  readonly isOfHeading: boolean;
  readonly score: number;
}

export interface AskedQuestion {
  readonly text: string;
  /** Words of the question that occur in the documents. */
  readonly asked: readonly QueryTerm[];
}

/** Weight of the passage's score, relative to the best passage. */
const passageWeight = 0.6;
/** Weight of the share of adjacent question words that are near each other in the unit. */
const orderWeight = 0.1;
const nearTerms = 5;
/**
 * Weight of the question's words as typed, including common ones: `take` in "how long do refunds
 * take".
 */
const typedWeight = 0.15;
const minTypedLetters = 4;
const kindPenalty = 0.3;
/**
 * Bonus for a table row or a definition of the asked subject, and for a section whose heading is
 * the question.
 */
const subjectBonus = 0.35;
const asksWhatItIs =
  /^\W*(?:what|who)(?:['’]s|\s+(?:is|are|was|were))\s+(?:(?:an?|the)\s+)?\S+(?:\s\S+){0,2}$/i;
const leadingTerms = 3;
const saysWhatItIs =
  /^\W*\S+(?:\s\S+){0,4}\s(?:is|are|was|were|means?|stands for|refers to|describes)\s/i;
const announces = /[?？:：][*_"”]*$/;
/** Matches units that are not quoted: questions, introductions and references to other places. */
const unquotable = new RegExp(
  pattern`
      ^\W{0,4}sources\b|[:：][*_]*$|[?？][*_"”]*$|<!--|-->|
      ^\W*(?:see|read|refer to|check out)\b.{0,200}\b(?:for (?:more|further|an? example|examples|
        details)|details|above|below)\b[^.]{0,40}\.?\W*$|
      ^\W*(?:see|refer to|check out)\b[^.]{0,80}\]\(
    `,
  'iu',
);
const maxUnitChars = 600;
const maxCodeLines = 12;

/** Ignores the padding of table cells. */
const lengthOf = (text: string, { kind }: TextSegment) =>
  (kind === 'row' ? text.replace(/\s+/g, ' ') : text).length;

export const isQuotable = (text: string, segment: TextSegment): boolean =>
  lengthOf(text, segment) <= maxUnitChars &&
  !unquotable.test(text) &&
  (segment.kind === 'code' ? isShowableCode(text) : isShowable(text)) &&
  (segment.kind === 'code'
    ? text.split('\n').length <= maxCodeLines && !text.includes('```')
    : !holdsTemplateTag(text));

export function wordWeightsIn(
  text: string,
  language: Language,
  asked: readonly QueryTerm[],
): WordWeights {
  const held = new Set(terms(text, language));
  return asked.map(({ forms }) =>
    forms.reduce((most, { term, weight }) => (weight > most && held.has(term) ? weight : most), 0),
  );
}

export const maxWeights = (...some: readonly WordWeights[]): WordWeights =>
  (some[0] ?? []).map((_, word) => Math.max(...some.map((said) => said[word] ?? 0)));

/** Returns the share of the question's words in a text, weighted by idf, 0 to 1. */
export function shareOf(said: WordWeights, asked: readonly QueryTerm[]): number {
  const whole = asked.reduce((sum, { idf }) => sum + idf, 0);
  return whole === 0
    ? 0
    : said.reduce((sum, share, word) => sum + share * (asked[word]?.idf ?? 0), 0) / whole;
}

/** Returns the share of adjacent question words that are near each other in a text. */
function orderIn(text: string, language: Language, asked: readonly QueryTerm[]): number {
  const places = new Map<string, number>();
  for (const [at, term] of [...terms(text, language)].entries())
    if (!places.has(term)) places.set(term, at);
  const first = asked.map(({ forms }) =>
    Math.min(...forms.map(({ term }) => places.get(term) ?? Number.POSITIVE_INFINITY)),
  );
  const near = first.filter(
    (at, word) => Math.abs(at - (first[word + 1] ?? Number.POSITIVE_INFINITY)) <= nearTerms,
  );
  return near.length / Math.max(1, asked.length - 1);
}

/** Whether the unit is a row whose first cell names the subject, or a sentence that defines it. */
function hasSubject(
  { text: question, asked }: AskedQuestion,
  text: string,
  { kind }: TextSegment,
  language: Language,
): boolean {
  const isAsked = (held: string) =>
    asked.some(({ forms }) => forms.some(({ term }) => term === held));
  if (kind !== 'row')
    return (
      kind === 'sentence' &&
      asksWhatItIs.test(question) &&
      saysWhatItIs.test(text) &&
      [...terms(text, language)].slice(0, leadingTerms).some(isAsked)
    );
  const first = [...terms(text.split('|').find((cell) => cell.trim() !== '') ?? '', language)];
  return first.length > 0 && first.every(isAsked);
}

/** Minimum share of a question in its heading, in languages without stop words. */
const minShareOfPairs = 0.5;

/**
 * Whether the question repeats the innermost heading of a label; a topic may repeat an outer one.
 */
function repeatsHeading(
  label: string,
  language: Language,
  { text, asked }: AskedQuestion,
): boolean {
  const headings = label.split(' › ');
  return headings.slice(isTopic(text) ? 0 : -1).some((heading) => {
    const words = [...terms(heading, language)].filter((word) => !isStopWord(word, language));
    const areAsked = words.every((word) =>
      asked.some(({ forms }) => forms.some(({ term }) => term === word)),
    );
    return (
      areAsked &&
      shareOf(wordWeightsIn(heading, language, asked), asked) >=
        (isPaired(language) ? minShareOfPairs : 1)
    );
  });
}

/** Returns the distinct first letters of words, because endings differ. */
const typedWords = (text: string): string[] => [
  ...new Set(
    (fold(text).match(/[\p{L}\p{N}]+/gu) ?? [])
      .filter((word) => word.length >= minTypedLetters)
      .map((word) => word.slice(0, minTypedLetters)),
  ),
];

function typedShare(text: string, typed: readonly string[]): number {
  if (typed.length === 0) return 0;
  const held = new Set(typedWords(text));
  return typed.filter((word) => held.has(word)).length / typed.length;
}

interface Scale extends AskedQuestion {
  readonly typed: readonly string[];
  readonly kind: QuestionKind | undefined;
  readonly bestScore: number;
}

/** Adds the header to a row, because the row is unclear without it. */
const withHeader = (text: string, { start, end, header }: TextSegment): string =>
  header
    ? `${text.slice(header.start, header.end)}\n${text.slice(start, end)}`
    : text.slice(start, end);

function unitsOf(
  { text, language, score, labelAt }: RankedText,
  position: number,
  scale: Scale,
): Unit[] {
  const { text: question, asked, kind, typed, bestScore } = scale;
  const labels = new Map<string, { readonly said: WordWeights; readonly isOfHeading: boolean }>();
  const matchLabel = (label: string) => {
    const match = labels.get(label) ?? {
      said: wordWeightsIn(label, language, asked),
      isOfHeading: repeatsHeading(label, language, scale),
    };
    labels.set(label, match);
    return match;
  };
  let announced:
    | { readonly segment: TextSegment; readonly said: WordWeights; readonly label: string }
    | undefined;
  return [...segments(text)].map((segment, order): Unit => {
    const { start, end } = segment;
    const [own, label] = [text.slice(start, end), labelAt(start)];
    const lead = announced?.label === label ? announced : undefined;
    const said = wordWeightsIn(withHeader(text, segment), language, asked);
    if (announces.test(own)) announced = { segment, said, label };
    else if (segment.kind === 'sentence') announced = undefined;
    const { said: ofLabel, isOfHeading } = matchLabel(label);
    const above = lead ? maxWeights(ofLabel, lead.said) : ofLabel;
    const all = maxWeights(said, above);
    const isOfSubject = hasSubject(scale, own, segment, language);
    const hasKind = isStepItem(kind, segment) || holdsKind(kind, question, own);
    const fit =
      (shareOf(said, asked) + shareOf(all, asked)) / 2 +
      orderWeight * orderIn(own, language, asked) +
      typedWeight * typedShare(`${label} ${own}`, typed) +
      subjectBonus * Math.max(Number(isOfSubject), Number(isOfHeading));
    return {
      position,
      order,
      segment,
      text: own,
      label,
      lead: lead?.segment,
      own: said,
      said: all,
      above,
      isOfSubject,
      isAbout: [...said, ...(lead?.said ?? [])].some((one) => one > 0),
      hasKind,
      isOfHeading,
      isUnderQuestion: typed.length > 1 && typedShare(label, typed) === 1,
      score: fit - (hasKind ? 0 : kindPenalty) + (passageWeight * score) / bestScore,
    };
  });
}

const isStepItem = (
  kind: QuestionKind | undefined,
  { kind: unit, marker = '' }: TextSegment,
): boolean => kind === 'steps' && (unit === 'code' || (unit === 'item' && /^\d/.test(marker)));

export function unitsFor(passages: readonly RankedText[], question: AskedQuestion): Unit[] {
  const bestScore = Math.max(...passages.map(({ score }) => score));
  const scale = {
    ...question,
    kind: kindOf(question.text),
    typed: typedWords(question.text),
    bestScore,
  };
  return passages.flatMap((passage, position) => unitsOf(passage, position, scale));
}
