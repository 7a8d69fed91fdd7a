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

const honest = 'Refunds take 5 to 10 business days.';
const url = 'https://example.com/refunds';
const passages = [
  { title: 'Refunds', text: honest, url },
  { text: 'Recordings of calls are kept for 90 days.' },
];
const refusal = 'I found no answer to this in the documents.';
const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
};
const finishReason = { unified: 'stop', raw: 'stop' } as const;
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
    expect(shown).toBe(`${honest} [1]\n\nRecordings are kept for 90 days. [2]`);
    const grounding = { index: 1, passage: 0, quote: honest, start: 0, end: 35 };
    expect(sources).toMatchObject([
      { sourceType: 'url', url, title: 'Refunds', providerMetadata: { grounding } },
      { sourceType: 'document', title: 'Passage 2', mediaType: 'text/markdown' },
    ]);
  });

  it('returns the refusal if nothing is supported, but keeps silence and tool calls', async () => {
    const lying = generated(text(lie));
    for (const [model, shown] of [
      [checked(lying), refusal],
      [checked(lying, { refusal: 'Nichts.' }), 'Nichts.'],
      [checked(generated()), ''],
    ] as const)
      expect((await generateText({ model, prompt })).text).toBe(shown);
    const model = checked(generated(text('Let me look that up.'), call));
    const called = await generateText({ model, prompt, tools });
    expect(called.text).toBe('');
    expect(called.toolCalls).toHaveLength(1);
  });

  it('asks for the passages of the call', async () => {
    const model = checked(generated(text(honest)), {
      passages: async ({ prompt: messages }) =>
        JSON.stringify(messages).includes('refunds') ? passages : [],
    });
    expect((await generateText({ model, prompt })).text).toBe(`${honest} [1]`);
    expect((await generateText({ model, prompt: 'Hello' })).text).toBe(refusal);
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
    const asked = generateText({ model: checked(generated(text('{}'))), prompt, output });
    await expect(asked).rejects.toThrow('cannot check JSON');
  });
});

describe('streamText', () => {
  it('streams only supported sentences as one block, then their sources', async () => {
    const parts = [
      ...textParts(`${honest} [1] ${lie} `),
      ...textParts('Recordings are kept for 90 days.', '1'),
    ];
    const reasoning = (['reasoning-start', 'reasoning-end'] as const).map((type) => ({
      type,
      id: 'r',
    }));
    const result = streamText({ model: checked(streaming(...reasoning, ...parts)), prompt });
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
    const model = checked(streaming(...textParts(lie)));
    expect(await streamText({ model, prompt }).text).toBe(refusal);
  });

  it('passes tool calls', async () => {
    const model = checked(streaming(...textParts('One moment.'), call));
    const { toolCalls, text: shown } = streamText({ model, prompt, tools });
    expect(await toolCalls).toHaveLength(1);
    expect(await shown).toBe('');
  });

  it('drops raw parts, which have the unchecked text', async () => {
    const model = checked(streaming({ type: 'raw', rawValue: lie }, ...textParts(honest)));
    const { stream } = await model.doStream({ prompt: [], includeRawChunks: true });
    const parts: LanguageModelV4StreamPart[] = [];
    for await (const part of stream) parts.push(part);
    expect(JSON.stringify(parts)).not.toContain('weeks');
    expect(parts.map(({ type }) => type).join(' ')).toBe(
      'stream-start text-start text-delta text-end source finish',
    );
  });
});

it.each([
  [{ passages: 5 }, TypeError],
  [{ passages: () => [], language: 'xx' }, RangeError],
])('refuses the options %j at once', (options: any, error) =>
  expect(() => groundingMiddleware(options)).toThrow(error),
);
