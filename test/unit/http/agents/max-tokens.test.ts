import { expect, it } from 'vitest';
import type { AskEvent, AskResult } from '../../../../src/ask/ask-result.ts';
import { limitEvents, limitResult } from '../../../../src/http/agents/max-tokens.ts';

const body = 'Refunds take 30 days. [1] They go to the card. [2][3]\n\nFees stay. [1]';
const lines = ['[1] Refunds', '[2] Cards', '[3] Fees'];
const text = `${body}\n\nSources:\n${lines.join('\n')}`;
const answered = {
  text,
  reason: 'answered',
  finishReason: 'stop',
  citations: ['Refunds', 'Cards', 'Fees'].map((title, at) => ({
    index: at + 1,
    documentId: title,
    title,
    source: `${title}.md`,
    headingPath: [],
    page: null,
  })),
} as unknown as AskResult;

async function streamed(maxTokens: number) {
  async function* events(): AsyncGenerator<AskEvent, void> {
    for (const character of text) yield { type: 'text', text: character };
    yield { type: 'finished', result: answered };
  }
  let said = '';
  for await (const event of limitEvents(events(), maxTokens))
    if (event.type === 'text') said += event.text;
  return said;
}

it.each([
  [1, '', 'length'],
  [7, `Refunds take 30 days. [1]\n\nSources:\n${lines[0]}`, 'length'],
  [
    14,
    `Refunds take 30 days. [1] They go to the card. [2][3]\n\nSources:\n${lines.join('\n')}`,
    'length',
  ],
  [18, text, 'stop'],
])(
  'limitResult and limitEvents end an answer of at most %i tokens after a whole sentence',
  async (maxTokens, left, finishReason) => {
    const result = limitResult(answered, maxTokens);
    expect(result).toMatchObject({ text: left, finishReason });
    for (const { index } of result.citations) expect(left).toContain(`[${index}] `);
    expect(await streamed(maxTokens)).toBe(left);
  },
);

it('limitResult ends between sentences that share a number', () => {
  const run = {
    ...answered,
    text: text.replace('days. [1]', 'days. Cards take three days more than that. [1]'),
  };
  expect(limitResult(run, 7).text).toBe(`Refunds take 30 days. [1]\n\nSources:\n${lines[0]}`);
});

it('limitResult does not cut a refusal', () => {
  const refused = { ...answered, reason: 'no_context' } as AskResult;
  expect(limitResult(refused, 1)).toBe(refused);
});
