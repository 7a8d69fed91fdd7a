/**
 * One sentence of a reply against the passages of its request: which of them support it, and as what it may be shown. Images, HTML,
 * addresses and links that the passages do not bear never pass.
 */
import type { Passage } from '../documents/document.ts';
import type { TextSegment } from '../language/segments.ts';
import type { Place, Reason } from './judge.ts';
import { type PlainPassage, toPlainPassage } from './plain-passage.ts';
import type { ReplySentence } from './reply-reader.ts';
import { placeNames } from './sources.ts';
import { createVerifier, type EvidenceText, type Verified, type Verify } from './verify-sentences.ts';

export interface SupportedSentence {
  readonly text: string;
  readonly score: number;
  /** Where it is supported, a place for each passage, in the plain text of the passages. */
  readonly places: readonly Place[];
  readonly kind: TextSegment['kind'];
  readonly marker: string | undefined;
  /** Whether the passages are those that it points to. */
  readonly isAsNumbered: boolean;
}

export interface CheckedPassage {
  readonly passage: Passage;
  readonly plain: PlainPassage;
  /** Whether this passage alone supports a sentence. */
  readonly verify: Verify;
}

const evidenceOf = (passage: Passage, { text }: PlainPassage): EvidenceText => ({
  text,
  context: placeNames(passage).join('\n'),
  language: passage.document.textLanguage,
});

export function toCheckedPassage(passage: Passage): CheckedPassage {
  const plain = toPlainPassage(passage.text);
  return { passage, plain, verify: createVerifier([evidenceOf(passage, plain)]) };
}

/** @returns why it is not supported where it is not */
export type CheckSentence = (sentence: ReplySentence) => SupportedSentence | Reason;

export const isSupportedSentence = (found: SupportedSentence | Reason): found is SupportedSentence => typeof found !== 'string';

const link = /\[([^[\]]{1,300})\]\(\s*<?([^()<>\s]{0,2000}(?:\([^()]{0,300}\)[^()<>\s]{0,300})?)>?(?:\s+["'][^"']{0,300}["'])?\s*\)/g;
const withoutHash = (address: string) => address.replace(/#.*$/s, '');

/** A link leads to a source or is none: its text stays. */
function sourceLinksOnly(passages: readonly CheckedPassage[]): (text: string) => string {
  const sources = new Set(passages.flatMap(({ passage: { document } }) => (document.kind === 'url' ? [withoutHash(document.source)] : [])));
  return (text) => text.replace(link, (whole, label: string, target: string) => (sources.has(withoutHash(target)) ? whole : label));
}

/** @param passages in the order in which the model saw them */
export function createSentenceCheck(passages: readonly CheckedPassage[]): CheckSentence {
  const verify = createVerifier(passages.map(({ passage, plain }) => evidenceOf(passage, plain)));
  const withSourceLinks = sourceLinksOnly(passages);
  const isShown = ({ reason, isVerbatim }: Verified, isCode: boolean) => reason === undefined && (isVerbatim || !isCode);

  return ({ text: written, parts, kind, marker }) => {
    const isCode = kind === 'code';
    const text = isCode ? written : withSourceLinks(written);
    const pointed = parts.flatMap(({ numbers }) => numbers.map((number) => number - 1));
    let found = verify(text, pointed);
    if (!isShown(found, isCode) && text.includes('](')) found = verify(text.replace(link, '$1'), pointed);
    // Code is right as a whole or not at all.
    if (!isShown(found, isCode)) return found.reason ?? 'exact';
    return { text, score: found.score, places: found.places, kind, marker, isAsNumbered: found.isAsPointed };
  };
}
