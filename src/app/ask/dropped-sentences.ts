/**
 * What became of the sentences of a reply, as the caller of the answer may read it. Nothing supports what a model's unshown sentences say,
 * so they may recite the instructions or lead somewhere: the first are left out, addresses that no passage holds too.
 */
import type { SentenceCheck, UnshownSentence } from '../../answers/answer-log.ts';
import type { Passage } from '../../documents/document.ts';
import { exactTextOf, withoutForeignAddresses } from '../../grounding/checks/exact-parts.ts';
import { plainLine } from '../../language/invisible.ts';
import type { Answer, DroppedReason, DroppedSentence } from '../../reply/answer.ts';

export const droppedReasons = {
  score: 'the passages hold too little of what it says',
  figure: 'a figure or its unit is another one there, or of something else',
  name: 'a name is not there',
  exact: 'an address, identifier, piece of code or quotation is not there letter by letter',
  polarity: 'the passage says the opposite',
  markup: 'images, HTML, what speaks to a model, or no readable text',
  model: 'JUDGE_MODEL, asked about it, said no',
  limit: 'the answer had as many sentences as it may have; dropped does not count it',
} satisfies Record<DroppedReason, string>;

const maxTextChars = 500;
const maxReadChars = 4 * maxTextChars;

/** What is written in a code, such as base64, may say anything. */
const withoutCodes = (text: string): string => text.replace(/[\w+/=-]{20,}/g, (token) => (/\d|[a-z][A-Z]/.test(token) ? '…' : token));

export function toUnshown(
  dropped: readonly DroppedSentence[],
  passages: readonly Passage[],
  recitesPrompt: (text: string) => boolean,
): UnshownSentence[] {
  if (dropped.length === 0) return [];
  const held = passages.map(({ text }) => exactTextOf(text));
  return dropped.map(({ text, reason }) => {
    const line = plainLine(text, maxReadChars);
    return { text: recitesPrompt(line) ? null : plainLine(withoutCodes(withoutForeignAddresses(line, held)), maxTextChars), reason };
  });
}

/** @param passages of the request @param recitesPrompt whether a text repeats the instructions */
export function toSentenceCheck(
  { sentences, dropped, repaired, droppedSentences }: Answer,
  passages: readonly Passage[],
  recitesPrompt: (text: string) => boolean,
): SentenceCheck {
  const kept = sentences.map(({ repaired: own, ...sentence }) => {
    const [unshown] = own ? toUnshown([own], passages, recitesPrompt) : [];
    return unshown ? { ...sentence, repaired: true as const, reason: unshown.reason, instead: unshown.text } : sentence;
  });
  return { kept, dropped, repaired, droppedSentences: toUnshown(droppedSentences, passages, recitesPrompt) };
}
