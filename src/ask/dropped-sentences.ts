/**
 * Reports dropped sentences to the caller. Because they are unsupported, addresses that no passage
 * contains are removed, and text that recites the prompt becomes null.
 */

import {
  addressPatterns,
  type ExactText,
  exactTextOf,
  plain,
  trimmedEnd,
} from '../../packages/grounding/src/exact-parts.ts';
import type {
  DroppedReason,
  DroppedSentence,
} from '../../packages/grounding/src/sentence-check.ts';
import { plainLine } from '../../packages/shared/src/language/invisible.ts';
import type { Passage } from '../documents/document.ts';
import type { Answer } from './reply/answer.ts';

export const droppedReasons = {
  score: 'the passages support too few of its words',
  figure: 'a figure or its unit is not in the passage',
  exact: 'an address, identifier, code or quotation is not in the passage verbatim',
  markup: 'it has images, HTML, instructions to a model, or no readable text',
  model: 'the model that checks found no support',
  limit: 'the answer already had the maximum number of sentences; not counted in dropped',
} satisfies Record<DroppedReason, string>;

const maxTextChars = 500;
const maxReadChars = 4 * maxTextChars;

/** Removes tokens that may be encoded, such as base64: they could hide the prompt. */
const withoutCodes = (text: string) =>
  text.replace(/[\w+/=-]{20,}/g, (token) => (/\d|[a-z][A-Z]/.test(token) ? '…' : token));

/** Replaces each address (e-mail, URL, host or file name) that no passage contains by `…`. */
function withoutForeignAddresses(text: string, passages: readonly ExactText[]) {
  const shownAs = (address: string) =>
    passages.some(({ tokens }) => tokens.has(trimmedEnd(address.toLowerCase()))) ? address : '…';
  const withoutForeign = (piece: string) =>
    addressPatterns.reduce((rest, pattern) => rest.replace(pattern, shownAs), piece);
  // Checks the normalized form too, because browsers open addresses with look-alike characters.
  return text.replace(/\S+/g, (piece) =>
    withoutForeign(plain(piece)) === plain(piece) ? withoutForeign(piece) : '…',
  );
}

export function toUnshown(
  dropped: readonly DroppedSentence[],
  passages: readonly Passage[],
  recitesPrompt: (text: string) => boolean,
) {
  if (dropped.length === 0) return [];
  const exactTexts = passages.map(({ text }) => exactTextOf(text));
  return dropped.map(({ text, reason }) => {
    const line = plainLine(text, maxReadChars);
    return {
      text: recitesPrompt(line)
        ? null
        : plainLine(withoutCodes(withoutForeignAddresses(line, exactTexts)), maxTextChars),
      reason,
    };
  });
}

export function toSentenceCheck(
  { sentences, dropped, repaired, rewritten, checkedBy, droppedSentences }: Answer,
  passages: readonly Passage[],
  recitesPrompt: (text: string) => boolean,
) {
  const kept = sentences.map(({ rewritten: replaced, ...sentence }) => {
    const [unshown] = toUnshown(replaced ? [replaced] : [], passages, recitesPrompt);
    return unshown
      ? { ...sentence, rewritten: true as const, reason: unshown.reason, instead: unshown.text }
      : sentence;
  });
  return {
    kept,
    dropped,
    repaired,
    rewritten,
    checkedBy,
    droppedSentences: toUnshown(droppedSentences, passages, recitesPrompt),
  };
}
