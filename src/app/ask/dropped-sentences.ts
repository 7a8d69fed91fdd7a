/**
 * Sentences of a model that are not shown in an answer → as whoever may read the answer is told of them. Nothing supports what they say, so
 * they may recite the instructions or lead somewhere: the first are left out, addresses that no passage holds too.
 */
import type { DroppedSentence as KeptSentence } from '../../answers/answer-log.ts';
import type { Passage } from '../../documents/document.ts';
import { exactTextOf, withoutForeignAddresses } from '../../grounding/checks/exact-parts.ts';
import { plainLine } from '../../language/invisible.ts';
import type { DroppedSentence } from '../../reply/answer.ts';
import { recitesPrompt } from './prompt.ts';

const maxTextChars = 500;
/** As much is read of one. */
const maxReadChars = 4 * maxTextChars;

/** @param passages of the request */
export function toKeptSentences(dropped: readonly DroppedSentence[], passages: readonly Passage[]): KeptSentence[] {
  if (dropped.length === 0) return [];
  const held = passages.map(({ text }) => exactTextOf(text));
  return dropped.map(({ text, reason }) => {
    const line = plainLine(text, maxReadChars);
    return { text: recitesPrompt(line) ? null : plainLine(withoutForeignAddresses(line, held), maxTextChars), reason };
  });
}
