/** Checks a complete model reply. */

import type { Answer } from '../../src/ask/reply/answer.ts';
import { AnswerWriter, type AnswerWriterOptions } from '../../src/ask/reply/answer-writer.ts';
import type { Passage } from '../../src/documents/document.ts';

export function groundReply(
  reply: string,
  passages: readonly Passage[],
  options: Partial<AnswerWriterOptions> = {},
): Answer {
  const writer = new AnswerWriter({ passages, ...options });
  writer.push(reply);
  return writer.end().answer;
}
