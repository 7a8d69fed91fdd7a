/**
 * Chooses the unit of a passage (sentence, item, row, code) that replaces a dropped sentence: the
 * one that shares most content words with it.
 */
import type { Place } from '../../packages/grounding/src/judge.ts';
import type { ReplySentence } from '../../packages/grounding/src/reply-reader.ts';
import { isShowable, isShowableCode } from '../../packages/grounding/src/shown-sentence.ts';
import { pattern } from '../../packages/shared/src/language/pattern.ts';
import { segments, type TextSegment } from '../../packages/shared/src/language/segments.ts';
import { contentWords, terms } from '../../packages/shared/src/language/tokens.ts';
import { holdsTemplateTag } from '../../packages/shared/src/markdown/template-tags.ts';
import type { CheckedPassage } from './checked-passage.ts';

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
const maxChars = 450;
const maxCodeLines = 12;

const isQuotable = (text: string, kind: TextSegment['kind']): boolean =>
  text.replace(/ {2,}/g, ' ').length <= maxChars &&
  !unquotable.test(text) &&
  (kind === 'code'
    ? isShowableCode(text) && text.split('\n').length <= maxCodeLines && !text.includes('```')
    : isShowable(text) && !holdsTemplateTag(text));

export type RepairUnit = Readonly<{ text: string; place: Place; kind: TextSegment['kind'] }>;

/** Minimum share of the wanted words in a unit. */
const minShare = 0.3;
const address = /[^\s@]+@[^\s@]+|https?:\/\/\S+/gu;
const exact = /\p{N}+|@|:\/\//gu;
/** Figures, and marks of addresses. */
const exactsIn = (text: string) => new Set(text.match(exact) ?? []);

/**
 * Returns units that share words with a text, best first. @param positions passages @param isCode
 * whether code replaces code
 */
export function unitsLike(
  wanted: string,
  positions: readonly number[],
  passages: readonly CheckedPassage[],
  isCode: boolean | undefined,
): RepairUnit[] {
  const exacts = exactsIn(wanted);
  const inWords = wanted.replace(address, ' ').replace(/\p{N}+/gu, ' ');
  const ranked = positions.flatMap((passage) => {
    const checked = passages[passage];
    if (!checked) return [];
    const language = checked.passage.document.textLanguage;
    const words = contentWords(inWords, language).map(({ term }) => term);
    const { text } = checked.plain;
    return [...segments(text)].flatMap(({ start, end, kind, header }) => {
      const own = text.slice(start, end);
      const held = new Set(
        terms(`${header ? text.slice(header.start, header.end) : ''} ${own}`, language),
      );
      const share = words.filter((word) => held.has(word)).length / Math.max(1, words.length);
      if (
        share < minShare ||
        !isQuotable(own, kind) ||
        (isCode ?? kind === 'code') !== (kind === 'code')
      )
        return [];
      const same = exacts.intersection(exactsIn(own)).size / Math.max(1, exacts.size);
      return [{ unit: { text: own, kind, place: { passage, start, end } }, score: share + same }];
    });
  });
  return ranked.toSorted((a, b) => b.score - a.score).map(({ unit }) => unit);
}

/** Returns units of the cited passages that can replace a sentence, best first. */
export const repairsFor = (
  { text, kind }: ReplySentence,
  positions: readonly number[],
  passages: readonly CheckedPassage[],
): RepairUnit[] => unitsLike(text, positions, passages, kind === 'code');

export interface Remaining {
  readonly shown: readonly string[];
  /** Sentences of the model that were removed without replacement. */
  readonly dropped: readonly string[];
  /** Whether the first sentence was dropped, which usually answers directly. */
  readonly isFirstDropped: boolean;
}

const hasFigure = (text: string) => /\p{N}/u.test(text);

/** Whether the answer lost all its figures. */
export const isFigureMissing = ({ shown, dropped }: Remaining): boolean =>
  dropped.some(hasFigure) && !shown.some(hasFigure);

/** Whether the answer lacks the asked fact: its first sentence, or all its figures, were dropped. */
export const isAskedMissing = (remaining: Remaining): boolean =>
  (remaining.dropped.length > 0 && remaining.isFirstDropped) || isFigureMissing(remaining);
