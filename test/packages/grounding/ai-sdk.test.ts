import type { LanguageModelV4Content, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import {
  generateText,
  jsonSchema,
  Output,
  streamText,
  type ToolSet,
  tool,
  wrapLanguageModel,
} from 'ai';
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test';
import { describe, expect, it } from 'vitest';
import {
  type GroundingMiddlewareOptions,
  groundingMiddleware,
} from '../../../packages/grounding/src/ai-sdk.ts';

const passages = [
  {
    title: 'Refunds',
    text: 'Refunds take 5 to 10 business days.',
    url: 'https://example.com/refunds',
  },
  { text: 'Recordings of calls are kept for 90 days.' },
];
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const finishReason = { unified: 'stop', raw: 'stop' } as const;
const honest = 'Refunds take 5 to 10 business days.';
const lie = 'Refunds take 5 to 10 weeks.';
const call = { type: 'tool-call', toolCallId: 't', toolName: 'look', input: '{}' } as const;
const tools = { look: tool({ inputSchema: jsonSchema({ type: 'object' }) }) } as unknown as ToolSet;

const generated = (...content: LanguageModelV4Content[]) =>
  new MockLanguageModelV4({ doGenerate: { content, finishReason, usage, warnings: [] } });
const streaming = (...parts: LanguageModelV4StreamPart[]) =>
  new MockLanguageModelV4({
    doStream: {
      stream: simulateReadableStream({
        chunks: [
          { type: 'stream-start', warnings: [] },
          ...parts,
          { type: 'finish', finishReason, usage },
        ] as LanguageModelV4StreamPart[],
      }),
    },
  });
const checked = (model: MockLanguageModelV4, options: Partial<GroundingMiddlewareOptions> = {}) =>
  wrapLanguageModel({
    model,
    middleware: groundingMiddleware({ passages: () => passages, ...options }),
  });
const text = (written: string): LanguageModelV4Content => ({ type: 'text', text: written });
const textParts = (written: string, id = '0'): LanguageModelV4StreamPart[] => [
  { type: 'text-start', id },
  ...written.split(/(?<= )/).map((delta) => ({ type: 'text-delta' as const, id, delta })),
  { type: 'text-end', id },
];
const prompt = 'How long do refunds take?';

describe('generateText', () => {
  it('returns only supported sentences, and a source for each citation', async () => {
    const model = checked(
      generated(text(`${honest} ${lie}`), text('Recordings are kept for 90 days. They are sold.')),
    );
    const { text: shown, sources } = await generateText({ model, prompt });
    expect(shown).toBe(
      'Refunds take 5 to 10 business days. [1]\n\nRecordings are kept for 90 days. [2]',
    );
    expect(sources).toMatchObject([
      { sourceType: 'url', url: 'https://example.com/refunds', title: 'Refunds' },
      { sourceType: 'document', title: 'Passage 2', mediaType: 'text/markdown' },
    ]);
    expect(sources[0]?.providerMetadata?.['grounding']).toEqual({
      index: 1,
      passage: 0,
      quote: passages[0]?.text,
      start: 0,
      end: 35,
    });
  });

  it('returns the refusal if nothing is supported, but keeps silence and tool calls', async () => {
    expect((await generateText({ model: checked(generated(text(lie))), prompt })).text).toBe(
      'I found no answer to this in the documents.',
    );
    expect(
      (await generateText({ model: checked(generated(text(lie)), { refusal: 'Nichts.' }), prompt }))
        .text,
    ).toBe('Nichts.');
    expect((await generateText({ model: checked(generated()), prompt })).text).toBe('');
    const called = await generateText({
      model: checked(generated(text('Let me look that up.'), call)),
      prompt,
      tools,
    });
    expect(called.text).toBe('');
    expect(called.toolCalls).toHaveLength(1);
  });

  it('asks for the passages of the call', async () => {
    const model = checked(generated(text(honest)), {
      passages: async ({ prompt: messages }) =>
        JSON.stringify(messages).includes('refunds') ? passages : [],
    });
    expect((await generateText({ model, prompt })).text).toBe(`${honest} [1]`);
    expect((await generateText({ model, prompt: 'Hello' })).text).toBe(
      'I found no answer to this in the documents.',
    );
  });

  it('asks its judge', async () => {
    const model = checked(generated(text(`${honest} Recordings are kept for 90 days.`)), {
      judge: (sentences) => sentences.map(() => false),
    });
    expect((await generateText({ model, prompt })).text).toBe(`${honest} [1]`);
  });

  it('shows reasoning only if tools need it', async () => {
    const model = checked(generated({ type: 'reasoning', text: lie }, text(honest)));
    expect((await generateText({ model, prompt })).reasoningText).toBeUndefined();
    expect((await generateText({ model, prompt, tools })).reasoningText).toBe(lie);
  });

  it('refuses JSON output, which it cannot check', async () => {
    const output = Output.object({ schema: jsonSchema({ type: 'object' }) });
    await expect(
      generateText({ model: checked(generated(text('{}'))), prompt, output }),
    ).rejects.toThrow('cannot check JSON');
  });
});

describe('streamText', () => {
  it('streams only supported sentences as one block, then their sources', async () => {
    const parts = [
      ...textParts(`${honest} [1] ${lie} `),
      ...textParts('Recordings are kept for 90 days.', '1'),
    ];
    const result = streamText({
      model: checked(
        streaming(
          { type: 'reasoning-start', id: 'r' },
          { type: 'reasoning-end', id: 'r' },
          ...parts,
        ),
      ),
      prompt,
    });
    const types: string[] = [];
    const shown: string[] = [];
    for await (const part of result.stream) {
      types.push(part.type);
      if (part.type === 'text-delta') shown.push(part.text);
    }
    expect(shown).toEqual([`${honest} [1]`, '\n\nRecordings are kept for 90 days. [2]']);
    expect(types.filter((type) => /^(?:text-(?:start|end)|source|reasoning)/.test(type))).toEqual([
      'text-start',
      'text-end',
      'source',
      'source',
    ]);
    expect(await result.finishReason).toBe('stop');
  });

  it('streams the refusal if nothing is supported', async () => {
    expect(await streamText({ model: checked(streaming(...textParts(lie))), prompt }).text).toBe(
      'I found no answer to this in the documents.',
    );
  });

  it('passes tool calls', async () => {
    const { toolCalls, text: shown } = streamText({
      model: checked(streaming(...textParts('One moment.'), call)),
      prompt,
      tools,
    });
    expect(await toolCalls).toHaveLength(1);
    expect(await shown).toBe('');
  });

  it('drops raw parts, which have the unchecked text', async () => {
    const model = checked(streaming({ type: 'raw', rawValue: lie }, ...textParts(honest)));
    const { stream } = await model.doStream({ prompt: [], includeRawChunks: true });
    const parts: LanguageModelV4StreamPart[] = [];
    for await (const part of stream) parts.push(part);
    expect(JSON.stringify(parts)).not.toContain('weeks');
    expect(parts.map(({ type }) => type)).toEqual([
      'stream-start',
      'text-start',
      'text-delta',
      'text-end',
      'source',
      'finish',
    ]);
  });
});

it.each([
  [{ passages: 5 }, TypeError],
  [{ passages: () => [], language: 'xx' }, RangeError],
])('refuses the options %j at once', (options: any, error) =>
  expect(() => groundingMiddleware(options)).toThrow(error),
);
