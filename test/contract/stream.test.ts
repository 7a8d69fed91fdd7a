import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type Chunk,
  openStream,
  readChunks,
  serveOnLoopback,
  textOf,
} from '../support/event-stream.ts';
import { startFakeEmbeddings } from '../support/fake-embeddings.ts';
import { listed } from '../support/listed.ts';
import { sharedModel, startService } from '../support/workspace.ts';

const files = {
  'docs/refunds.md':
    '---\ntitle: Refunds\nsource: https://example.com/refunds\nkind: url\n---\n\n# Refunds\n\n## Window\n\nFull refunds are granted within 30 days of purchase. Refunds are paid to the same card. Write to billing@example.com.\n',
  'docs/calls.md':
    '# Calls\n\nRecordings are kept for 90 days.\n\n- Video calls hold 50 people.\n- Audio calls hold 200 people.\n',
  'hr/pay.md': '# Pay\n\nSalaries are paid on the last day of the month.\n',
  'emoji/r.md': '# R\n\nFull refunds 🎉🎉 are granted within 30 days.\n',
};
const path = '/api/agents/knowledge/stream';
const sentence = 'Full refunds are granted within 30 days of purchase.';
const granted = `${sentence} [1]`;
const paid = 'Refunds are paid to the same card. [1]';
const sources = '\n\nSources:\n[1] Refunds › Window (https://example.com/refunds#window)';
const bodyOf = (content: string, more = {}) => ({
  messages: [{ role: 'user', content }],
  toolParams: { namespace: 'docs' },
  ...more,
});
const question = bodyOf('@agent refund window?');

async function withProvider() {
  const { provider, service } = await sharedModel({}, files);
  const url = await serveOnLoopback(service);
  return { provider, service, url, open: (body: unknown) => openStream(`${url}${path}`, body) };
}

/** Sends a question and waits for the model request, which the test then answers in pieces. */
async function startQuestion(body: unknown = question) {
  const { provider, open } = await withProvider();
  const coming = provider.nextLive();
  const stream = await open(body);
  return { provider, open, stream, reply: await coming };
}

const typesOf = (chunks: readonly Chunk[]) => chunks.map(({ type }) => type);
async function nextText(stream: Awaited<ReturnType<typeof openStream>>): Promise<string> {
  for (let chunk = await stream.nextChunk(); chunk; chunk = await stream.nextChunk())
    if (chunk.type === 'text-delta') return chunk.payload.text;
  throw new Error('no more text');
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

describe('while the model writes', () => {
  it('the first bytes and the search results arrive before its reply', async () => {
    const { stream, reply } = await startQuestion();
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(stream.headers.get('x-accel-buffering')).toBe('no');
    expect((await stream.nextChunk())?.type).toBe('start');
    expect(await stream.nextChunk()).toMatchObject({
      type: 'tool-call',
      payload: { toolName: 'docsRetriever' },
    });
    const found = await stream.nextChunk();
    expect(found).toMatchObject({ type: 'tool-result', payload: { toolName: 'docsRetriever' } });
    expect(found?.payload.result.results[0].file).toBe('refunds.md');
    reply.say(granted);
    reply.finish();
    expect(textOf(await readChunks(stream))).toBe(`${granted}${sources}`);
  });

  it('a sentence is sent as soon as the next one begins', async () => {
    const { stream, reply } = await startQuestion();
    for (const piece of ['Full refunds are granted ', 'within 30', ' days of purchase. [', '1]'])
      reply.say(piece);
    reply.say(` ${paid}`);
    expect(await nextText(stream)).toBe(sentence);
    reply.finish();
    // Both have the same number, which stands once.
    expect(textOf(await readChunks(stream))).toBe(` ${paid}${sources}`);
  });

  it('an unsupported sentence is never sent, not even in part', async () => {
    const { stream, reply } = await startQuestion();
    for (const piece of [
      'Refunds take ',
      '90 days. [1] ',
      'Mail evil@evil.example',
      '. [1] ',
      granted,
      ' ![x](https://evil.example/x)',
    ])
      reply.say(piece);
    reply.finish();
    const chunks = await readChunks(stream);
    expect(textOf(chunks)).toBe(`${granted}${sources}`);
    expect(chunks.at(-1)?.payload.dropped).toBeGreaterThan(0);
    expect(stream.raw()).not.toMatch(/evil|90 days of|take 90/);
  });
});

it('the first byte does not wait for a slow search', async () => {
  const embeddings = await startFakeEmbeddings();
  onTestFinished(() => embeddings.close());
  const service = await startService(
    { EMBEDDING_MODEL: 'fake', LLM_BASE_URL: embeddings.baseUrl },
    files,
    {
      model: 'extractive',
    },
  );
  const isHybrid = async () =>
    (await service.post('/api/tools/searchDocs', { query: 'refund', namespace: 'docs' })).body
      .mode === 'hybrid';
  await vi.waitUntil(isHybrid, { interval: 10, timeout: 60_000 });
  const url = await serveOnLoopback(service);
  // From this point the provider hangs; the search times out after 1.5 seconds.
  let isTimedOut = false;
  embeddings.script((_, response) => void response.on('close', () => (isTimedOut = true)));
  const stream = await openStream(`${url}${path}`, bodyOf('@agent how are bicycles insured?'));
  expect((await stream.nextChunk())?.type).toBe('start');
  expect(isTimedOut).toBe(false);
  await vi.waitUntil(
    () => embeddings.requests.some(({ input }) => input[0]?.includes('bicycles')),
    { timeout: 60_000 },
  );
  await stream.leave();
});

describe('a client that leaves', () => {
  it.each([['during a dropped sentence', 'Refunds cost $5. [1] ']])(
    'aborts the model call %s, and the next question is answered',
    async (_, replyText) => {
      const { provider, open, stream, reply } = await startQuestion();
      if (replyText) reply.say(replyText);
      await (replyText.startsWith(granted) ? nextText(stream) : stream.nextChunk());
      await stream.leave();
      await reply.closed;
      provider.reply(granted);
      expect(textOf(await readChunks(await open(question)))).toBe(`${granted}${sources}`);
    },
  );
});

describe('a failure during the stream', () => {
  /**
   * Checks that the stream ends with one error and contains nothing of the provider. Returns the
   * code and the text.
   */
  async function failureOf(stream: Awaited<ReturnType<typeof openStream>>) {
    const chunks = await readChunks(stream);
    expect(chunks.filter(({ type }) => type === 'error')).toHaveLength(1);
    expect(stream.raw()).not.toMatch(/upstream|sk-server|127\.0\.0\.1|at .*\.ts/);
    expect(chunks.at(-1)).toMatchObject({
      type: 'finish',
      payload: { stepResult: { reason: 'error' }, answered: false, citations: [] },
    });
    const last = chunks.at(-2);
    expect(last).toMatchObject({
      type: 'error',
      payload: {
        code: expect.any(String),
        error: expect.any(String),
        requestId: expect.any(String),
      },
    });
    return { code: last?.payload.code, text: textOf(chunks) };
  }

  it.each(['', `${granted} And`])(
    'is a timeout if the model does not finish after %j, and its call is aborted',
    async (replyText) => {
      const deadline = new AbortController();
      vi.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal);
      const { stream, reply } = await startQuestion();
      if (replyText) {
        reply.say(replyText);
        expect(await nextText(stream)).toBe(sentence);
      }
      deadline.abort(new DOMException('too late', 'TimeoutError'));
      expect(await failureOf(stream)).toEqual({ code: 'timeout', text: '' });
      await reply.closed;
    },
  );
});

describe('the chunks', () => {
  it('arrive in order and in one format, with one run id and one text id', async () => {
    const { provider, open } = await withProvider();
    provider.reply(`${granted} ${paid}`);
    const chunks = await readChunks(await open(question));
    expect(typesOf(chunks).filter((type, at, all) => type !== all[at - 1])).toEqual([
      ...listed(`
      start | tool-call | tool-result | text-start | text-delta | text-end | finish
    `),
    ]);
    for (const chunk of chunks)
      expect(Object.keys(chunk).sort()).toEqual(['from', 'payload', 'runId', 'type']);
    expect(new Set(chunks.map(({ runId }) => runId)).size).toBe(1);
    expect(new Set(chunks.map(({ from }) => from))).toEqual(new Set(['AGENT']));
    expect(
      new Set(
        chunks.filter(({ type }) => type.startsWith('text-')).map(({ payload }) => payload.id),
      ).size,
    ).toBe(1);
    const [call, result] = [chunks[1]?.payload, chunks[2]?.payload];
    expect(call.args).toEqual({ query: 'refund window?', namespace: 'docs' });
    expect(result.toolCallId).toBe(call.toolCallId);
    expect(chunks.at(-1)?.payload.stepResult.reason).toBe('stop');
  });

  it.each([
    ['an answer', '@agent refund window?', `${granted} Refunds cost $5. [1] ${paid}`],
    ['a false reply', '@agent refund window?', 'Refunds take a year. [1]'],
    [
      'a list',
      '@agent how many people do video calls and audio calls hold?',
      '- Video calls hold 50 people. [1]\n- Audio calls hold 200 people. [1]',
    ],
    ['no search result', '@agent zzz qqq', ''],
    [
      'wrong numbers',
      '@agent refund window, and recordings?',
      'Recordings are kept for 90 days. [1] Refunds are paid to the same card. [2][9]',
    ],
  ])('add up to the response of generate: %s', async (_, content, reply) => {
    const { provider, service, open } = await withProvider();
    provider.reply(reply);
    const chunks = await readChunks(await open(bodyOf(content)));
    const { body } = await service.post('/api/agents/knowledge/generate', bodyOf(content));
    const finish = chunks.at(-1)?.payload;
    expect(textOf(chunks)).toBe(body.text);
    expect(finish.output.text).toBe(body.text);
    for (const field of [
      'answered',
      'reason',
      'namespace',
      'model',
      'citations',
      'dropped',
      'repaired',
    ] as const)
      expect(finish[field], field).toEqual(body[field]);
    expect(finish.output.usage).toEqual(body.usage);
    expect(
      chunks.filter(({ type }) => type === 'tool-call').map(({ payload }) => payload.args),
    ).toEqual(body.toolCalls.map((call: { args: unknown }) => call.args));
  });

  it('include comments while the model is silent, which readers ignore', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { stream, reply } = await startQuestion();
    await stream.nextChunk();
    vi.advanceTimersByTime(60_000);
    reply.say(granted);
    reply.finish();
    expect(textOf(await readChunks(stream))).toBe(`${granted}${sources}`);
    expect(stream.raw().match(/^: .*\n\n/gm)?.length).toBeGreaterThanOrEqual(1);
  });
});
