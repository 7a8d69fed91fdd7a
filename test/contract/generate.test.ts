import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { MockLanguageModelV4 } from 'ai/test';
import { HttpResponse, http } from 'msw';
import { setupServer } from 'msw/node';
import { describe, expect, it, onTestFinished } from 'vitest';
import { contextFor } from '../../src/ask/request-context.ts';
import { expectProof } from '../support/citations.ts';
import { lastText } from '../support/fake-provider.ts';
import { event, lastEvents } from '../support/provider-wire.ts';
import { sharedModel, sharedService, startService } from '../support/workspace.ts';

const granted = 'Full refunds are granted within 30 days of purchase.';
const quote = `${granted} Write to billing@example.com.`;
const files = {
  'docs/refunds.md': `---\ntitle: Refunds\nsource: https://example.com/refunds\nkind: url\n---\n\n# Refunds\n\n## Window\n\n${quote}\n`,
  'docs/calls.md':
    '# Calls\n\nRecordings are kept for 90 days.\n\n- Video calls hold 50 people.\n- Audio calls hold 200 people.\n',
  'hr/pay.md': '# Pay\n\nRefunds of travel costs are paid with the salary.\n',
};
const path = '/api/agents/knowledge/generate';
const sources = 'Sources:\n[1] Refunds › Window (https://example.com/refunds#window)';
const shown = `${granted} [1]\n\n${sources}`;
const bodyOf = (content: unknown, more = {}) => ({
  messages: [{ role: 'user', content }],
  toolParams: { namespace: 'docs' },
  ...more,
});

async function withProvider() {
  const { provider, service } = await sharedModel({}, files);
  return { provider, ...service };
}

describe('without a key', () => {
  it('a mentioned question is answered with a quote and its source', async () => {
    const service = await sharedService({}, files);
    const { status, body } = await service.post(path, bodyOf('@agent what is the refund window?'));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      text: `**Refunds › Window**\n\n${quote} [1]\n\n${sources}`,
      ...{ answered: true, reason: 'answered', namespace: 'docs' },
      ...{ finishReason: 'stop', model: 'extractive' },
      citations: [
        {
          ...{ index: 1, file: 'refunds.md', title: 'Refunds', page: null, quote },
          source: 'https://example.com/refunds',
          headingPath: ['Refunds', 'Window'],
          anchor: 'window',
        },
      ],
      toolCalls: [
        {
          toolName: 'docsRetriever',
          args: { query: 'what is the refund window?', namespace: 'docs' },
        },
      ],
      usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 },
    });
    expect(body.toolResults[0].toolCallId).toBe(body.toolCalls[0].toolCallId);
    await expectProof(service, body, true);
  });

  it('small talk is not searched; help names the topics of the namespace', async () => {
    const service = await sharedService({}, files);
    for (const [message, topics] of [
      ['', /^/],
      ['thanks!', /^/],
      ['Was kannst du?', /\bRefunds\b/],
    ] as const) {
      const { body } = await service.post(path, bodyOf(`@agent ${message}`));
      expect(body).toMatchObject({
        ...{ answered: false, reason: 'small_talk', text: expect.stringMatching(topics) },
        ...{ citations: [], toolCalls: [], toolResults: [] },
      });
      expect(body.text).not.toContain('Sources');
    }
  });

  it('only the last user message counts for the mention, in any format', async () => {
    const { post } = await sharedService({}, files);
    const reason = async (messages: unknown) =>
      (await post(path, { messages, toolParams: { namespace: 'docs' } })).body.reason;
    const user = (content: unknown) => ({ role: 'user', content });
    const question = user('@agent refund window?');
    const parts = ['@agent refund', 'window?'].map((text) => ({ type: 'text', text }));
    for (const messages of [
      question.content,
      [user(parts)],
      [question, { role: 'assistant', content: 'hm' }],
      [{ role: 'assistant', content: null }, question],
    ])
      expect(await reason(messages)).toBe('answered');
    for (const messages of [
      [question, user('thanks')],
      [user('refund window?'), { role: 'system', content: '@agent' }],
      [user([{ type: 'image', image: '@agent' }])],
    ])
      expect(await reason(messages)).toBe('not_mentioned');
  });
});

describe('with a model', () => {
  it('NO_ANSWER is a refusal after one request', async () => {
    const { provider, post } = await withProvider();
    provider.reply('NO_ANSWER');
    const { body } = await post(path, bodyOf('@agent refund window?'));
    expect(body).toMatchObject({ reason: 'no_context', answered: false, citations: [] });
    expect(body.text).toBe('I could not find that in the documents.\n\nSources: none');
    expect(provider.requests).toHaveLength(1);
  });

  it('a question with only close sections shows them without a key and is no gap', async () => {
    const { post, get } = await sharedService({}, files);
    const { body } = await post(path, bodyOf('@agent who grants full refunds?'));
    expect(body).toMatchObject({ answered: false, reason: 'closest', model: 'extractive' });
    const { body: gaps } = await get('/api/gaps?namespace=docs');
    expect(JSON.stringify(gaps)).not.toContain('grants');
  });

  it('a request cannot change instructions, model, tools or namespace', async () => {
    const { provider, post } = await withProvider();
    provider.reply(`${granted} [1]`);
    const body = {
      messages: [
        { role: 'system', content: 'PIRATE' },
        { role: 'user', content: 'earlier question' },
        { role: 'tool', content: 'PIRATE' },
        { role: 'assistant', content: 'earlier answer' },
        { role: 'user', content: '@agent refund window?' },
      ],
      toolParams: { namespace: 'docs' },
      instructions: 'PIRATE',
      system: 'PIRATE',
      model: 'PIRATE',
      toolsets: { a: { PIRATE: {} } },
      clientTools: { PIRATE: {} },
      context: [{ role: 'system', content: 'PIRATE' }],
      namespace: 'hr',
      requestContext: { instructions: 'PIRATE', resource: 'hr' },
      runtimeContext: 'PIRATE',
      ...{ maxSteps: 9, runId: 'r', temperature: 2, output: {} },
      memory: { thread: 't', resource: 'r' },
      ...{ threadId: 't', resourceId: 'r' },
    };
    const answer = (await post(path, body)).body;
    expect(answer).toMatchObject({ answered: true, namespace: 'docs', model: 'small' });
    const sent = provider.requests[0]!.body;
    expect(JSON.stringify(sent)).not.toMatch(/PIRATE|salary/);
    expect([sent.model, sent.tools]).toEqual(['small', undefined]);
    const roles = sent.messages.map(({ role }) => role);
    expect(roles).toEqual(['system', 'user', 'assistant', 'user']);
  });

  it.each(['requestContext', 'runtimeContext'])(
    '%s.namespace selects the namespace like toolParams.namespace',
    async (field) => {
      const keys = { API_KEYS: 'a-docs-key=docs,an-other-key=other' };
      const { post } = await sharedService(keys, files);
      const body = { messages: '@agent refund window?', [field]: { namespace: 'docs' } };
      const key = { 'x-api-key': 'a-docs-key' };
      expect((await post(path, body, key)).body).toMatchObject({
        answered: true,
        namespace: 'docs',
      });
      expect((await post(path, { ...body, toolParams: { namespace: 'Docs' } }, key)).status).toBe(
        200,
      );
      expect((await post(path, body, { 'x-api-key': 'an-other-key' })).status).not.toBe(200);
      for (const wrong of [{ toolParams: { namespace: 'other' } }, { [field]: { namespace: 7 } }]) {
        const { status, body: error } = await post(path, { ...body, ...wrong }, key);
        expect([status, error.code, error.details[0].path]).toEqual([
          400,
          'invalid_request',
          `${field}.namespace`,
        ]);
      }
    },
  );

  it('a prompt has no URL of a source, and an answer no prompt, provider request, header, key or path', async () => {
    const { provider, post, folder } = await withProvider();
    provider.reply(`${granted} [1]`);
    const { body } = await post(path, bodyOf('@agent refund window?'));
    expect(lastText(provider.requests[0]!)).toContain('[1] Refunds › Window');
    expect(lastText(provider.requests[0]!)).not.toContain('https://example.com/refunds');
    expect(Object.keys(body).sort().join(' | ')).toBe(
      'answered | checkedBy | citations | dropped | finishReason | model | namespace | reason | repaired | rewritten | runId | text | toolCalls | toolResults | usage',
    );
    const shown = JSON.stringify(body);
    expect(shown).not.toMatch(/You answer questions|sk-server-secret|authorization|chatcmpl/);
    for (const secret of [provider.baseUrl, folder]) expect(shown).not.toContain(secret);
  });

  it('the same checks apply in JavaScript, with generate and stream', async () => {
    const { provider, loadMastra } = await withProvider();
    const agent = (await loadMastra()).getAgent('knowledge');
    const context = contextFor({ namespace: 'docs' });
    provider.reply(`${granted} [1] Refunds cost $5. [1]`);
    const options = { requestContext: context, instructions: 'PIRATE' };
    expect((await agent.generate('@agent refund window?', options)).text).toBe(shown);
    const stream = await agent.stream('@agent refund window?', options);
    let streamed = '';
    for await (const chunk of stream.fullStream)
      if (chunk.type === 'text-delta') streamed += chunk.payload.text;
    expect(streamed).toBe(shown);
    expect(provider.requests).toHaveLength(2);
    expect(JSON.stringify(provider.requests.map(({ body }) => body))).not.toContain('PIRATE');
    expect((await agent.generate('refund window?', options)).tripwire?.reason).toBe(
      'not_mentioned',
    );
    expect(provider.requests).toHaveLength(2);
  });

  it('a message to a thread, as Studio sends it, counts as a user message; other signals do not', async () => {
    const { provider, loadMastra } = await withProvider();
    const agent = (await loadMastra()).getAgent('knowledge');
    provider.reply(`${granted} [1]`);
    const ifIdle = { streamOptions: { requestContext: contextFor({ namespace: 'docs' }) } };
    const inThread = (threadId: string) => ({ resourceId: 'u', threadId, ifIdle });
    const resultOf = async ({ accepted }: ReturnType<typeof agent.sendMessage>) => {
      const run = await accepted;
      if (run.action !== 'wake') throw new Error(run.action);
      return (await run.output.text) || (await run.output.tripwire)?.reason;
    };
    expect(await resultOf(agent.sendMessage('@agent refund window?', inThread('a')))).toContain(
      '30 days of purchase. [1]',
    );
    expect(await resultOf(agent.sendMessage('refund window?', inThread('b')))).toBe(
      'not_mentioned',
    );
    const reminder = { type: 'system-reminder', contents: '@agent refund window?' } as const;
    expect(await resultOf(agent.sendSignal(reminder, inThread('c')))).toBe('not_mentioned');
    expect(provider.requests).toHaveLength(1);
  });
});

it('unchecked text, reasoning and tool calls of a model never reach the caller', async () => {
  const model = new MockLanguageModelV4({
    doStream: async () => ({
      stream: ReadableStream.from<LanguageModelV4StreamPart>([
        { type: 'stream-start', warnings: [] },
        { type: 'reasoning-start', id: 'r' },
        { type: 'reasoning-delta', id: 'r', delta: 'Refunds cost $5.' },
        { type: 'reasoning-end', id: 'r' },
        ...[`${granted} [1]`, 'Refunds cost $5.'].flatMap(
          (delta, id): LanguageModelV4StreamPart[] => [
            { type: 'text-start', id: `${id}` },
            { type: 'text-delta', id: `${id}`, delta },
            { type: 'text-end', id: `${id}` },
          ],
        ),
        {
          type: 'tool-call',
          toolCallId: 'c',
          toolName: 'docsRetriever',
          input: '{"query":"x","namespace":"hr"}',
        },
        {
          type: 'finish',
          finishReason: { unified: 'tool-calls', raw: undefined },
          usage: {
            inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
            outputTokens: { total: 1, text: 1, reasoning: 0 },
          },
        },
      ]),
    }),
  });
  const { loadMastra, post } = await startService({}, files, { model });
  expect((await post(path, bodyOf('@agent refund window?'))).body.text).toBe(shown);
  const agent = (await loadMastra()).getAgent('knowledge');
  const result = await agent.generate('@agent refund window?', {
    requestContext: contextFor({ namespace: 'docs' }),
  });
  expect(result.text).toBe(shown);
  expect(JSON.stringify([result.reasoning, result.toolCalls, result.toolResults])).not.toContain(
    '$5',
  );
  expect(result.toolResults).toEqual([]);
});

it('a key without a base URL is sent only to the default endpoint', async () => {
  const seen: string[] = [];
  const openai = setupServer(
    http.post('https://api.openai.com/v1/chat/completions', async ({ request }) => {
      seen.push(request.headers.get('authorization') ?? '');
      const asked = { headers: {}, body: { model: 'm', messages: [] } };
      const events = `${event(asked, { content: 'Recordings are kept for 90 days. [1]' })}${lastEvents(asked)}`;
      return new HttpResponse(events, { headers: { 'content-type': 'text/event-stream' } });
    }),
  );
  openai.listen({ onUnhandledFrame: 'error' });
  onTestFinished(() => openai.close());
  const { post } = await startService({ LLM_API_KEY: 'sk-server-secret' }, files);
  expect((await post(path, bodyOf('@agent how long are recordings kept?'))).body.answered).toBe(
    true,
  );
  expect(seen).toEqual(['Bearer sk-server-secret']);
});
