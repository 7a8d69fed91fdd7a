/** Checks a complete model reply. */
import type { Passage } from '../../src/documents/document.ts';
import type { Answer } from '../../src/reply/answer.ts';
import { AnswerWriter, type AnswerWriterOptions } from '../../src/reply/answer-writer.ts';

export function groundReply(
  reply: string,
  passages: readonly Passage[],
  options: Partial<AnswerWriterOptions> = {},
): Answer {
  const writer = new AnswerWriter({ passages, ...options });
  writer.push(reply);
  return writer.end().answer;
}
