/**
 * One sentence of a reply against the passages of its request: which passage supports it, and as what it may be shown. Images, HTML,
 * addresses and links that the passages do not bear never pass.
 */
import { holdsActiveMarkup } from '../text/active-markup.ts';
import type { Unit } from '../text/units.ts';
import type { Snippet } from '../types.ts';
import { isAddressedToModel } from './addressed-to-model.ts';
import { halvesOf, speaksOfSame, statementsOf } from './halves.ts';
import { type PlainPassage, toPlainPassage } from './plain-passage.ts';
import type { ReplySentence } from './reply-reader.ts';
import { placeNames } from './sources.ts';
import { createSupportFinder, type FindSupport, type Support } from './support.ts';
import { noAnswer } from './turn-prompt.ts';

/** A piece of a sentence and the passage that supports it. */
export interface SupportedPart {
  readonly text: string;
  /** Of the passage, from 0. */
  readonly position: number;
  readonly support: Support;
}

export interface SupportedSentence {
  /** More than one where different passages support different parts, each with its number behind it. */
  readonly parts: readonly SupportedPart[];
  readonly kind: Unit['kind'];
  readonly marker: string | undefined;
}

export interface CheckedPassage {
  readonly snippet: Snippet;
  readonly plain: PlainPassage;
  readonly findSupport: FindSupport;
}

export const toCheckedPassage = (snippet: Snippet): CheckedPassage => {
  const plain = toPlainPassage(snippet.text);
  let find: FindSupport | undefined;
  // Most passages of a request are cited by no sentence.
  const findSupport: FindSupport = (sentence) => {
    find ??= createSupportFinder(plain.text, placeNames(snippet).join('\n'), snippet.document.textLanguage);
    return find(sentence);
  };
  return { snippet, plain, findSupport };
};

export type CheckSentence = (sentence: ReplySentence) => SupportedSentence | undefined;

/** No sentence that a person reads is longer. */
const maxSentenceChars = 1_200;
const link = /\[([^[\]]{1,300})\]\(\s*<?([^()<>\s]{0,2000}(?:\([^()]{0,300}\))?[^()<>\s]{0,300})>?(?:\s+["'][^"']{0,300}["'])?\s*\)/g;
/** What a broken character is read as. */
const damaged = '\uFFFD';

const withoutHash = (address: string) => address.replace(/#.*$/s, '');

/** @param passages in the order in which the model saw them */
export function createSentenceCheck(passages: readonly CheckedPassage[]): CheckSentence {
  const sources = new Set(passages.flatMap(({ snippet: { document } }) => (document.kind === 'url' ? [withoutHash(document.source)] : [])));

  /** A link leads to a source or is none: its text stays. */
  const withSourceLinks = (text: string) =>
    text.replace(link, (whole, label: string, target: string) => (sources.has(withoutHash(target)) ? whole : label));

  function supportOf(text: string, position: number, isCode: boolean): SupportedPart | undefined {
    const passage = passages[position];
    if (!passage) return undefined;
    const support = passage.findSupport(text) ?? (text.includes('](') ? passage.findSupport(text.replace(link, '$1')) : undefined);
    // Code is right as a whole or not at all.
    return support && (!isCode || support.isVerbatim) ? { text, position, support } : undefined;
  }

  /** Of the passages that a sentence points to the first that supports it; where it points to none, the best. */
  function find(text: string, numbers: readonly number[], isCode: boolean): SupportedPart | undefined {
    const pointed = numbers.map((number) => number - 1).filter((position) => passages[position] !== undefined);
    if (pointed.length > 0) {
      for (const position of pointed) {
        const found = supportOf(text, position, isCode);
        if (found) return found;
      }
      return undefined;
    }
    let best: SupportedPart | undefined;
    for (const position of passages.keys()) {
      const found = supportOf(text, position, isCode);
      if (found && found.support.score > (best?.support.score ?? 0)) best = found;
    }
    return best;
  }

  /** Both halves of a sentence, each with a passage, where no passage supports the whole. */
  function findHalves(text: string): readonly SupportedPart[] | undefined {
    const each = statementsOf(text).map((statement) => find(statement, [], false));
    if (each.length > 0 && each.every((part) => part !== undefined)) return each;
    for (const { first, second } of halvesOf(text)) {
      const begun = find(first, [], false);
      if (!begun) continue;
      const about = passages.flatMap(({ snippet, plain }, position) =>
        position !== begun.position && speaksOfSame(first, `${placeNames(snippet).join(' ')} ${plain.text}`, snippet.document.textLanguage)
          ? [position + 1]
          : [],
      );
      const ended = about.length > 0 ? find(second, about, false) : undefined;
      if (ended) return [begun, ended];
    }
    return undefined;
  }

  return ({ text: whole, parts, kind, marker }) => {
    const isCode = kind === 'code';
    const text = isCode ? whole : withSourceLinks(whole);
    if (text === '' || text.length > maxSentenceChars || text.includes(noAnswer)) return undefined;
    if (holdsActiveMarkup(text) || text.includes(damaged) || isAddressedToModel(text)) return undefined;
    const found = find(
      text,
      parts.flatMap(({ numbers }) => numbers),
      isCode,
    );
    if (found) return { parts: [found], kind, marker };
    const cited = parts.filter(({ numbers }) => numbers.length > 0);
    if (cited.length === 0 && (kind === 'sentence' || kind === 'item')) {
      const halves = findHalves(text);
      return halves && { parts: halves, kind, marker };
    }
    if (cited.length < 2 || cited.length < parts.length) return undefined;
    const each = parts.map((part) => find(withSourceLinks(part.text).trim(), part.numbers, false));
    return each.every((part) => part !== undefined) ? { parts: each, kind, marker } : undefined;
  };
}
