/** A model's whole reply, checked at once. */
import type { Answer } from '../../src/knowledge/answer/answer.ts';
import { type AnswerWriterOptions, createAnswerWriter } from '../../src/knowledge/answer/answer-writer.ts';
import type { Snippet } from '../../src/knowledge/types.ts';

export function groundReply(
  reply: string,
  passages: readonly Snippet[],
  namespace: string,
  options: Partial<AnswerWriterOptions> = {},
): Answer {
  const writer = createAnswerWriter({ passages, namespace, ...options });
  writer.push(reply);
  return writer.end().answer;
}
