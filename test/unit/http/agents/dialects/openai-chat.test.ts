import { describe, expect, it } from 'vitest';
import type { AskResult } from '../../../../../src/ask/ask-result.ts';
import { openCompletionStream } from '../../../../../src/http/agents/dialects/openai-chat.ts';

const textOf = (events: readonly string[]) =>
  events
    .filter((data) => data !== '[DONE]')
    .flatMap((data) => JSON.parse(data).choices ?? [])
    .map(({ delta: { content = '' } }) => content)
    .join('');

describe('the sources of a streamed answer', () => {
  const file = 'v3/calls/x';
  const citations = [
    { documentId: 'd1', source: 'pay.md' },
    { documentId: 'd1', source: 'https://example.com/pay' },
    { documentId: `calls:${file}`, file, source: file },
  ].map((citation, at) => ({ ...citation, index: at + 1, start: 1, end: 5, revision: 'r' }));
  const lines = [
    '[1] Pay › A [b], page 2 (2024)',
    '[2] Pay (https://example.com/pay#a%28b%29)',
    '[3] A call',
  ].join('\n');
  const streamed = (text: string, baseUrl: string) => {
    const run = { agentId: 'knowledge', runId: 'run-1', baseUrl };
    const writer = openCompletionStream(run, { model: 'knowledge' });
    const result = { text, citations, namespace: 'hr', usage: {} } as unknown as AskResult;
    const events = [
      ...[...text].flatMap((character) => writer.text(character)),
      ...writer.finish(result),
    ];
    return textOf(events.map(({ data }) => data));
  };

  it.each(['Paid monthly. [1]\n\nSources:\n', '```\npay\n```\n[1]\n\nSources:\n'])(
    'are Markdown links after %j',
    (before) =>
      expect(streamed(before + lines, 'https://kb.example.com')).toBe(
        `${before}${[
          '[1] [Pay › A \\[b\\], page 2 (2024)](https://kb.example.com/#/documents/hr/d1?start=1&end=5&revision=r)',
          '[2] [Pay](https://example.com/pay#a%28b%29)',
          '[3] [A call](https://kb.example.com/#/calls/hr/x)',
        ].join('\n')}`,
      ),
  );

  it('contain only web links if the public URL is unknown', () =>
    expect(streamed(`Paid. [1]\n\nSources:\n${lines}`, '')).toBe(
      `Paid. [1]\n\nSources:\n${lines.replace('[2] Pay (', '[2] [Pay](')}`,
    ));
});
