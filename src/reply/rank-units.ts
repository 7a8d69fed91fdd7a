/**
 * The sentences, list items, table rows and short code blocks of passages, each with how well it fits what is asked: by the asked words that it
 * says itself or under its headings and lead, their order, the kind that is asked for, and the rank of its passage.
 */
import { isAddressedToModel } from '../language/addressed-to-model.ts';
import { fold, type Language } from '../language/languages.ts';
import { segments, type TextSegment } from '../language/segments.ts';
import { terms } from '../language/tokens.ts';
import { holdsActiveMarkup } from '../markdown/active-markup.ts';
import { holdsTemplateTag } from '../markdown/template-tags.ts';
import type { QueryTerm } from '../search/search-engine.ts';
import { holdsKind, kindOf, type QuestionKind } from './question-kind.ts';

export interface RankedText {
  /** As a model reads it. */
  readonly text: string;
  readonly language: Language;
  readonly score: number;
  labelAt(offset: number): string;
}

/** Per asked word how surely some text says it, 0 to 1. */
export type Said = readonly number[];

export interface Unit {
  readonly position: number;
  readonly order: number;
  readonly segment: TextSegment;
  readonly text: string;
  readonly label: string;
  /** What ends in a colon or asks, above it. */
  readonly lead: TextSegment | undefined;
  /** By itself, with its headings and lead, and by these alone. */
  readonly own: Said;
  readonly said: Said;
  readonly above: Said;
  /** It is about what is asked as a whole, and not only says words of it. */
  readonly isOfSubject: boolean;
  /** Says something of the question without its headings. */
  readonly isAbout: boolean;
  readonly hasKind: boolean;
  /** Its headings hold every word of the question, as in a list of questions. */
  readonly isUnderQuestion: boolean;
  readonly score: number;
}

export interface AskedQuestion {
  readonly text: string;
  /** Its words that the documents know. */
  readonly asked: readonly QueryTerm[];
}

/** What the rank of a passage adds to each of its units: this much for the best passage, less by its share of the best score. */
const passageWeight = 0.6;
/** What words of the question add that stand as near to each other in the unit as in the question. */
const orderWeight = 0.1;
const nearTerms = 5;
/** What the question's words add as they were typed, words that tell little among them: `take` in "how long do refunds take". */
const typedWeight = 0.15;
const minTypedLetters = 4;
/** What a unit loses that lacks the kind that is asked for. */
const kindWeight = 0.3;
/** What a table row adds that is about what is asked, and a sentence that begins with the thing of which it is asked what it is. */
const subjectWeight = 0.35;
const asksWhatItIs = /^\W*(?:what|who)(?:['’]s|\s+(?:is|are|was|were))\s+(?:(?:an?|the)\s+)?\S+(?:\s\S+){0,2}$/i;
const leadingTerms = 3;
const saysWhatItIs = /^\W*\S+(?:\s\S+){0,4}\s(?:is|are|was|were|means?|stands for|refers to|describes)\s/i;
const announces = /[?？:：][*_"”]*$/;
/** A sentence that asks or only announces something, or points elsewhere, is not quoted. */
const unquotable =
  /^\W{0,4}sources\b|[:：][*_]*$|[?？][*_"”]*$|<!--|-->|^\W*(?:see|read|refer to|check out)\b.{0,200}\b(?:for (?:more|further|an? example|examples|details)|details|above|below)\b[^.]{0,40}\.?\W*$|^\W*(?:see|refer to|check out)\b[^.]{0,80}\]\(/iu;
const maxUnitChars = 600;
const maxCodeLines = 12;

/** What looks like our own list of sources, prompt or word for no answer. */
const forged = /\bNO_ANSWER\b|\uFFFD|<<<|>>>|^\W{0,4}(?:sources|references|quellen|fuentes|出典)\s*[:：]/i;

/** Nothing in it acts in a reader's client, speaks to a model or looks like a part of our own. */
export const isShowable = (text: string): boolean => !holdsActiveMarkup(text) && !isAddressedToModel(text) && !forged.test(text);

/** What a reader puts something in place of: `<resource-name>`. A tag without attributes does nothing, but for these elements. */
const placeholder =
  /<(?!(?:script|style|iframe|frame|frameset|object|embed|template|noscript|textarea|title|plaintext|xmp|svg|math|base|form)\b)[a-z][\w|.-]{0,60}>/gi;

export const isShowableCode = (code: string): boolean => isShowable(code.replace(placeholder, ''));

/** Cells are padded to the width of their column. */
const lengthOf = (text: string, { kind }: TextSegment) => (kind === 'row' ? text.replace(/\s+/g, ' ') : text).length;

export const isQuotable = (text: string, segment: TextSegment): boolean =>
  lengthOf(text, segment) <= maxUnitChars &&
  !unquotable.test(text) &&
  (segment.kind === 'code' ? isShowableCode(text) : isShowable(text)) &&
  (segment.kind === 'code' ? text.split('\n').length <= maxCodeLines && !text.includes('```') : !holdsTemplateTag(text));

export function saidIn(text: string, language: Language, asked: readonly QueryTerm[]): Said {
  const held = new Set(terms(text, language));
  return asked.map(({ forms }) => forms.reduce((most, { term, weight }) => (weight > most && held.has(term) ? weight : most), 0));
}

export const mostOf = (...some: readonly Said[]): Said =>
  (some[0] ?? []).map((_, word) => Math.max(...some.map((said) => said[word] ?? 0)));

/** Of the question, by what its words tell, 0 to 1. */
export function shareOf(said: Said, asked: readonly QueryTerm[]): number {
  const whole = asked.reduce((sum, { idf }) => sum + idf, 0);
  return whole === 0 ? 0 : said.reduce((sum, share, word) => sum + share * (asked[word]?.idf ?? 0), 0) / whole;
}

/** Share of neighbouring words of the question that stand near each other in a text. */
function orderIn(text: string, language: Language, asked: readonly QueryTerm[]): number {
  const places = new Map<string, number>();
  for (const [at, term] of [...terms(text, language)].entries()) if (!places.has(term)) places.set(term, at);
  const first = asked.map(({ forms }) => Math.min(...forms.map(({ term }) => places.get(term) ?? Number.POSITIVE_INFINITY)));
  const near = first.filter((at, word) => Math.abs(at - (first[word + 1] ?? Number.POSITIVE_INFINITY)) <= nearTerms);
  return near.length / Math.max(1, asked.length - 1);
}

/** Whether a unit is about what is asked: its row, by the first cell, or the sentence that says what it is. */
function hasSubject({ text: question, asked }: AskedQuestion, text: string, { kind }: TextSegment, language: Language): boolean {
  const isAsked = (held: string) => asked.some(({ forms }) => forms.some(({ term }) => term === held));
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

/** Words as they were typed, by their first letters: endings differ. */
const typedWords = (text: string): string[] => [
  ...new Set(
    (fold(text).match(/[\p{L}\p{N}]+/gu) ?? [])
      .filter((word) => word.length >= minTypedLetters)
      .map((word) => word.slice(0, minTypedLetters)),
  ),
];

function typedIn(text: string, typed: readonly string[]): number {
  if (typed.length === 0) return 0;
  const held = new Set(typedWords(text));
  return typed.filter((word) => held.has(word)).length / typed.length;
}

interface Scale extends AskedQuestion {
  readonly typed: readonly string[];
  readonly kind: QuestionKind | undefined;
  /** Score of the best passage. */
  readonly bestPassage: number;
}

/** A row says nothing without what stands over its columns. */
const withHeader = (text: string, { start, end, header }: TextSegment): string =>
  header ? `${text.slice(header.start, header.end)}\n${text.slice(start, end)}` : text.slice(start, end);

function unitsOf({ text, language, score, labelAt }: RankedText, position: number, scale: Scale): Unit[] {
  const { text: question, asked, kind, typed, bestPassage } = scale;
  const labels = new Map<string, Said>();
  const normalizeForComparison = (label: string): Said => {
    const said = labels.get(label) ?? saidIn(label, language, asked);
    labels.set(label, said);
    return said;
  };
  let announced: { readonly segment: TextSegment; readonly said: Said; readonly label: string } | undefined;
  return [...segments(text)].map((segment, order): Unit => {
    const { start, end } = segment;
    const [own, label] = [text.slice(start, end), labelAt(start)];
    const lead = announced?.label === label ? announced : undefined;
    const said = saidIn(withHeader(text, segment), language, asked);
    if (announces.test(own)) announced = { segment, said, label };
    else if (segment.kind === 'sentence') announced = undefined;
    const above = lead ? mostOf(normalizeForComparison(label), lead.said) : normalizeForComparison(label);
    const all = mostOf(said, above);
    const isOfSubject = hasSubject(scale, own, segment, language);
    const hasKind = isStepItem(kind, segment) || holdsKind(kind, question, own);
    const fit =
      (shareOf(said, asked) + shareOf(all, asked)) / 2 +
      orderWeight * orderIn(own, language, asked) +
      typedWeight * typedIn(`${label} ${own}`, typed) +
      (isOfSubject ? subjectWeight : 0);
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
      isUnderQuestion: typed.length > 1 && typedIn(label, typed) === 1,
      score: fit - (hasKind ? 0 : kindWeight) + (passageWeight * score) / bestPassage,
    };
  });
}

/** A numbered item and code show how something is done, however they begin. */
const isStepItem = (kind: QuestionKind | undefined, { kind: unit, marker = '' }: TextSegment): boolean =>
  kind === 'steps' && (unit === 'code' || (unit === 'item' && /^\d/.test(marker)));

export function unitsFor(passages: readonly RankedText[], question: AskedQuestion): Unit[] {
  const bestPassage = Math.max(...passages.map(({ score }) => score));
  const scale = { ...question, kind: kindOf(question.text), typed: typedWords(question.text), bestPassage };
  return passages.flatMap((passage, position) => unitsOf(passage, position, scale));
}
