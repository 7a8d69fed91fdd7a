/** The check of sentences close to the end of a question. */
import { expect, it } from 'vitest';
import { ModelRequests } from '../../../src/ask/model-requests.ts';
import { Question } from '../../../src/ask/question.ts';
import type { ModelChain } from '../../../src/models/model-chain.ts';

const parts = [
  { type: 'text-delta', id: '0', delta: '1: yes [1]' },
  { type: 'finish', finishReason: { unified: 'stop', raw: 'stop' }, usage: {} },
];

it.each([
  [0.25, [{ holds: true, passages: [1] }]],
  [52_000.25, [{ holds: true, passages: [1] }]],
  [58_000.25, [undefined]],
])('a question of %d ms gets verdicts only in time, and never fails', async (age, verdicts) => {
  const judge = {
    modelId: 'judge',
    for: () => ({ doStream: async () => ({ stream: ReadableStream.from(parts) }) }),
  } as unknown as ModelChain;
  const requests = new ModelRequests({
    model: judge,
    judge,
    isThorough: true,
    isProbed: false,
    contextTokens: 8_192,
    maxReplyChars: 32_000,
    onWarning: () => undefined,
    onProbed: () => undefined,
  });
  const question = Question.of('How long do refunds take?', 'docs');
  Object.assign(question, { startedAt: performance.now() - age });
  const claim = { text: 'Refunds take 30 days.', passages: [1] };
  expect(await requests.check(question, [claim], 'Refunds take 30 days.')).toEqual(verdicts);
});
