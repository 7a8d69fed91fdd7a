/**
 * One sentence of a reply against the passages of its request: which passage supports it, and as what it may be shown. Images, HTML,
 * addresses and links that the passages do not bear never pass.
 */

import type { Passage } from '../documents/document.ts';
import type { Language } from '../language/languages.ts';
import type { TextSegment } from '../language/segments.ts';
import { contentWords, rawWords, terms } from '../language/tokens.ts';
import { holdsActiveMarkup } from '../markdown/active-markup.ts';
import { isAddressedToModel } from './addressed-to-model.ts';
import { noAnswer } from './answer.ts';
import { createSupportFinder, type FindSupportingPassage, type Judgement } from './judge.ts';
import { type PlainPassage, toPlainPassage } from './plain-passage.ts';
import type { ReplySentence } from './reply-reader.ts';
import { placeNames } from './sources.ts';

/** A piece of a sentence and the passage that supports it. */
export interface SupportedPart {
  readonly text: string;
  /** Of the passage, from 0. */
  readonly position: number;
  readonly support: Judgement;
}

export interface SupportedSentence {
  /** More than one where different passages support different parts, each with its number behind it. */
  readonly parts: readonly SupportedPart[];
  readonly kind: TextSegment['kind'];
  readonly marker: string | undefined;
  /** Whether the passages are those that it points to. */
  readonly isAsNumbered: boolean;
}

export interface CheckedPassage {
  readonly passage: Passage;
  readonly plain: PlainPassage;
  readonly findSupport: FindSupportingPassage;
}

export const toCheckedPassage = (passage: Passage): CheckedPassage => {
  const plain = toPlainPassage(passage.text);
  let find: FindSupportingPassage | undefined;
  // Most passages of a request are cited by no sentence.
  const findSupport: FindSupportingPassage = (sentence) => {
    find ??= createSupportFinder(plain.text, placeNames(passage).join('\n'), passage.document.textLanguage);
    return find(sentence);
  };
  return { passage, plain, findSupport };
};

export type CheckSentence = (sentence: ReplySentence) => SupportedSentence | undefined;

/** No sentence that a person reads is longer. */
const maxSentenceChars = 1_200;
const link = /\[([^[\]]{1,300})\]\(\s*<?([^()<>\s]{0,2000}(?:\([^()]{0,300}\)[^()<>\s]{0,300})?)>?(?:\s+["'][^"']{0,300}["'])?\s*\)/g;
/**
 * Least share of what a sentence tells that a passage has to hold which it does not point to: among several, one that holds less may be
 * met by chance (bench/grounding.ts, chosen on the dev half).
 */
const minShareElsewhere = 0.6;
/** What a broken character is read as. */
const damaged = '\uFFFD';

interface ClaimHalves {
  readonly first: string;
  readonly second: string;
}

const joint = /(?:[,;]\s+|(?<!\s)\s+)(?=(?:and|but|while|whereas|which|und|aber|während|et|mais|tandis que|y|pero|mientras)\s)|;\s+/giu;
/** What holds under a condition is not said without it. */
const condition = /^\W{0,3}(?:if|when|unless|once|wenn|falls|sofern|sobald|si|quand|lorsque|cuando)\s/i;
/** A shorter half is an item of a list. */
const minHalfWords = 4;
const maxHalves = 8;
/** Words in which a sentence says what it is about, and those of them in which it names it. */
const leadingWords = 6;
const namingWords = 4;

/**
 * Every way to cut a sentence in two at a joint where a statement begins, in reading order: where no passage supports it as a whole, each
 * half may have one. What is said second has to be said of the same thing.
 */
export function splitClaim(text: string): ClaimHalves[] {
  if (condition.test(text)) return [];
  return [...text.matchAll(joint)]
    .slice(0, maxHalves)
    .map(({ 0: cut, index }) => {
      const end = index + (/^[,;]/.test(cut) ? 1 : 0);
      return { first: text.slice(0, end).trim(), second: text.slice(index + cut.length).trim() };
    })
    .filter(({ first, second }) => rawWords(first).length >= minHalfWords && rawWords(second).length >= minHalfWords);
}

/** Where a sentence may have ended that was not told from the next: `red . Its`, `red.Its`, `of the U.S. Its`, a new line. */
const stop = /(?<=[.!?]["”’)]?)\s+(?=["“(]?\p{Lu})|(?<=\p{Ll}{2}[.!?])(?=\p{Lu}\p{Ll})|(?<!\s)\s*\n\s*/gu;

/** The sentences of what was taken for one; nothing where it is one. */
export function statementsOf(text: string): string[] {
  const parts = text.split(stop).filter((part) => /\p{L}/u.test(part));
  return parts.length > 1 && parts.length <= maxHalves ? parts : [];
}

/** Whether a passage speaks of what a sentence begins with. @param passage with its title and headings */
function speaksOfSame(first: string, passage: string, language: Language): boolean {
  const begins = (count: number) => contentWords(rawWords(first).slice(0, count).join(' '), language);
  const there = new Set(terms(passage, language));
  const lead = begins(leadingWords);
  const isNamed = begins(namingWords).every(({ term, isName }) => !isName || there.has(term));
  return isNamed && lead.filter(({ term }) => there.has(term)).length * 2 >= lead.length;
}

const rankOf = ({ support }: SupportedPart) => support.score + Number(support.isVerbatim);
const withoutHash = (address: string) => address.replace(/#.*$/s, '');

const mayBeShown = (text: string): boolean =>
  text !== '' &&
  text.length <= maxSentenceChars &&
  !text.includes(noAnswer) &&
  !holdsActiveMarkup(text) &&
  !text.includes(damaged) &&
  !isAddressedToModel(text);

/** Passages, by their numbers, that speak of what a statement begins with. */
const numbersAbout = (statement: string, passages: readonly CheckedPassage[], except: number): number[] =>
  passages.flatMap(({ passage, plain }, position) => {
    const whole = `${placeNames(passage).join(' ')} ${plain.text}`;
    return position !== except && speaksOfSame(statement, whole, passage.document.textLanguage) ? [position + 1] : [];
  });

/** A link leads to a source or is none: its text stays. */
function sourceLinksOnly(passages: readonly CheckedPassage[]): (text: string) => string {
  const sources = new Set(passages.flatMap(({ passage: { document } }) => (document.kind === 'url' ? [withoutHash(document.source)] : [])));
  return (text) => text.replace(link, (whole, label: string, target: string) => (sources.has(withoutHash(target)) ? whole : label));
}

/** @param passages in the order in which the model saw them */
export function createSentenceCheck(passages: readonly CheckedPassage[]): CheckSentence {
  const withSourceLinks = sourceLinksOnly(passages);

  function supportOf(text: string, position: number, isCode: boolean): SupportedPart | undefined {
    const passage = passages[position];
    if (!passage) return undefined;
    const support = passage.findSupport(text) ?? (text.includes('](') ? passage.findSupport(text.replace(link, '$1')) : undefined);
    // Code is right as a whole or not at all.
    return support && (!isCode || support.isVerbatim) ? { text, position, support } : undefined;
  }

  /** Of the passages that a text points to the first that supports it. */
  function findPointed(text: string, numbers: readonly number[], isCode: boolean): SupportedPart | undefined {
    for (const number of numbers) {
      const found = supportOf(text, number - 1, isCode);
      if (found) return found;
    }
    return undefined;
  }

  /** Of all passages the one that supports it best, word for word where one does. */
  function findBest(text: string, isCode: boolean, minShare = 0): SupportedPart | undefined {
    let best: SupportedPart | undefined;
    for (const position of passages.keys()) {
      const found = supportOf(text, position, isCode);
      if (found && found.support.score >= minShare && (!best || rankOf(found) > rankOf(best))) best = found;
    }
    return best;
  }

  /** A passage for each statement of what was taken for one sentence, or for both halves of one that no passage supports as a whole. */
  function findEach(text: string, minShare: number): readonly SupportedPart[] | undefined {
    const each = statementsOf(text).map((statement) => findBest(statement, false, minShare));
    if (each.length > 0 && each.every((part) => part !== undefined)) return each;
    for (const { first, second } of splitClaim(text)) {
      const begun = findBest(first, false, minShare);
      const ended = begun && findPointed(second, numbersAbout(first, passages, begun.position), false);
      if (ended && ended.support.score >= minShare) return [begun, ended];
    }
    return undefined;
  }

  /** The passages that a sentence points to: one for the whole, or one for each numbered part. */
  function findAsNumbered(text: string, parts: ReplySentence['parts'], isCode: boolean): readonly SupportedPart[] | undefined {
    const numbers = parts.flatMap((part) => part.numbers);
    const pointed = findPointed(text, numbers, isCode);
    if (pointed) return [pointed];
    if (parts.length < 2 || parts.some((part) => part.numbers.length === 0)) return undefined;
    const each = parts.map((part) => findPointed(withSourceLinks(part.text).trim(), part.numbers, false));
    return each.every((part) => part !== undefined) ? each : undefined;
  }

  /** A passage that the sentence does not point to. One number says that one passage holds the whole. */
  function findElsewhere(text: string, { parts, kind }: ReplySentence): readonly SupportedPart[] | undefined {
    const cited = parts.filter(({ numbers }) => numbers.length > 0).length;
    const minShare = cited > 0 ? minShareElsewhere : 0;
    const best = findBest(text, kind === 'code', minShare);
    if (best) return [best];
    return cited === 1 || (kind !== 'sentence' && kind !== 'item') ? undefined : findEach(text, minShare);
  }

  return (sentence) => {
    const { parts, kind, marker } = sentence;
    const isCode = kind === 'code';
    const text = isCode ? sentence.text : withSourceLinks(sentence.text);
    if (!mayBeShown(text)) return undefined;
    const asNumbered = findAsNumbered(text, parts, isCode);
    const found = asNumbered ?? findElsewhere(text, sentence);
    return found && { parts: found, kind, marker, isAsNumbered: asNumbered !== undefined };
  };
}
