import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type Chunk, openStream, readChunks, serveOnLoopback, textOf } from '../support/event-stream.ts';
import { startFakeEmbeddings } from '../support/fake-embeddings.ts';
import { listed } from '../support/listed.ts';
import { sharedModel, startService } from '../support/workspace.ts';

const files = {
  'docs/refunds.md':
    '---\ntitle: Refunds\nsource: https://example.com/refunds\nkind: url\n---\n\n# Refunds\n\n## Window\n\nFull refunds are granted within 30 days of purchase. Refunds are paid to the same card. Write to billing@example.com.\n',
  'docs/calls.md': '# Calls\n\nRecordings are kept for 90 days.\n\n- Video calls hold 50 people.\n- Audio calls hold 200 people.\n',
  'hr/pay.md': '# Pay\n\nSalaries are paid on the last day of the month.\n',
  'emoji/r.md': '# R\n\nFull refunds 🎉🎉 are granted within 30 days.\n',
};
const path = '/api/agents/knowledge/stream';
const granted = 'Full refunds are granted within 30 days of purchase. [1]';
const paid = 'Refunds are paid to the same card. [1]';
const sources = '\n\nSources:\n[1] Refunds › Window (https://example.com/refunds#window)';
const asking = (content: string, more = {}) => ({ messages: [{ role: 'user', content }], toolParams: { namespace: 'docs' }, ...more });
const question = asking('@agent refund window?');

async function withProvider() {
  const { provider, service } = await sharedModel({}, files);
  const url = await serveOnLoopback(service);
  return { provider, service, url, open: (body: unknown) => openStream(`${url}${path}`, body) };
}

/** Asks, and waits for the request to the model, which the test then answers piece by piece. */
async function asked(body: unknown = question) {
  const { provider, open } = await withProvider();
  const coming = provider.nextLive();
  const stream = await open(body);
  return { provider, open, stream, reply: await coming };
}

const typesOf = (chunks: readonly Chunk[]) => chunks.map(({ type }) => type);
/** Reads up to the next text. */
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
  it('the first bytes, and what was found, are there before it has answered', async () => {
    const { stream, reply } = await asked();
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
    expect(stream.headers.get('x-accel-buffering')).toBe('no');
    expect((await stream.nextChunk())?.type).toBe('start');
    expect(await stream.nextChunk()).toMatchObject({ type: 'tool-call', payload: { toolName: 'docsRetriever' } });
    const found = await stream.nextChunk();
    expect(found).toMatchObject({ type: 'tool-result', payload: { toolName: 'docsRetriever' } });
    expect(found?.payload.result.results[0].file).toBe('refunds.md');
    reply.say(granted);
    reply.finish();
    expect(textOf(await readChunks(stream))).toBe(`${granted}${sources}`);
  });

  it('a sentence with its number is sent as soon as the number is there', async () => {
    const { stream, reply } = await asked();
    for (const piece of ['Full refunds are granted ', 'within 30', ' days of purchase. [', '1]']) reply.say(piece);
    expect(await nextText(stream)).toBe(granted);
    reply.say(` ${paid}`);
    expect(await nextText(stream)).toBe(` ${paid}`);
    reply.finish();
    expect(textOf(await readChunks(stream))).toBe(sources);
  });

  it('what no passage supports is never sent, not even in part', async () => {
    const { stream, reply } = await asked();
    for (const piece of ['Refunds take ', '90 days. [1] ', 'Mail evil@evil.example', '. [1] ', granted, ' ![x](https://evil.example/x)'])
      reply.say(piece);
    reply.finish();
    const chunks = await readChunks(stream);
    expect(textOf(chunks)).toBe(`${granted}${sources}`);
    expect(chunks.at(-1)?.payload.dropped).toBeGreaterThan(0);
    expect(stream.raw()).not.toMatch(/evil|90 days of|take 90/);
  });
});

it('the first byte does not wait for a search that takes long', async () => {
  const embeddings = await startFakeEmbeddings();
  onTestFinished(() => embeddings.close());
  const service = await startService({ EMBEDDING_MODEL: 'fake', LLM_BASE_URL: embeddings.baseUrl }, files, {
    model: 'extractive',
  });
  const isHybrid = async () => (await service.post('/api/tools/searchDocs', { query: 'refund', namespace: 'docs' })).body.mode === 'hybrid';
  await vi.waitUntil(isHybrid, { interval: 10, timeout: 60_000 });
  const url = await serveOnLoopback(service);
  // From now on it says nothing, and is given up after 1.5 seconds.
  let isGivenUp = false;
  embeddings.script((_, response) => void response.on('close', () => (isGivenUp = true)));
  const stream = await openStream(`${url}${path}`, asking('@agent how are bicycles insured?'));
  expect((await stream.nextChunk())?.type).toBe('start');
  expect(isGivenUp).toBe(false);
  await vi.waitUntil(() => embeddings.requests.some(({ input }) => input[0]?.includes('bicycles')), { timeout: 60_000 });
  await stream.leave();
});

describe('a client that leaves', () => {
  it.each([
    ['before its first word', ''],
    ['in the middle of the text', `${granted} And `],
    ['while it writes what is dropped', 'Refunds cost $5. [1] '],
  ])('ends the call of the model %s, and the next one is answered', async (_, said) => {
    const { provider, open, stream, reply } = await asked();
    if (said) reply.say(said);
    await (said.startsWith(granted) ? nextText(stream) : stream.nextChunk());
    await stream.leave();
    await reply.closed;
    provider.reply(granted);
    expect(textOf(await readChunks(await open(question)))).toBe(`${granted}${sources}`);
  });
});

describe('a failure on the way', () => {
  /** The error, behind which the run is finished, and nothing of the provider in any chunk. */
  async function failureOf(stream: Awaited<ReturnType<typeof openStream>>) {
    const chunks = await readChunks(stream);
    expect(chunks.filter(({ type }) => type === 'error')).toHaveLength(1);
    expect(stream.raw()).not.toMatch(/upstream|sk-server|127\.0\.0\.1|at .*\.ts/);
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', payload: { stepResult: { reason: 'error' }, answered: false, citations: [] } });
    const last = chunks.at(-2);
    expect(last).toMatchObject({
      type: 'error',
      payload: { code: expect.any(String), error: expect.any(String), requestId: expect.any(String) },
    });
    return { code: last?.payload.code, text: textOf(chunks) };
  }

  it('a connection that breaks in the middle is an error, never a whole answer', async () => {
    const { stream, reply } = await asked();
    reply.say(`${granted} Refunds are paid to`);
    expect(await nextText(stream)).toBe(granted);
    reply.reset();
    const { code, text } = await failureOf(stream);
    expect(['model_failed', 'model_unavailable']).toContain(code);
    expect(text).toBe('');
  });

  it.each(['', `${granted} And`])('a model that does not end after %j is cut off: timeout, and its call is over', async (said) => {
    const deadline = new AbortController();
    vi.spyOn(AbortSignal, 'timeout').mockReturnValue(deadline.signal);
    const { stream, reply } = await asked();
    if (said) {
      reply.say(said);
      expect(await nextText(stream)).toBe(granted);
    }
    deadline.abort(new DOMException('too late', 'TimeoutError'));
    expect(await failureOf(stream)).toEqual({ code: 'timeout', text: '' });
    await reply.closed;
  });
});

describe('without asking the model', () => {
  it('a message without a mention is a tripwire and the end', async () => {
    const { provider, open } = await withProvider();
    const chunks = await readChunks(await open(asking('refund window?')));
    expect(typesOf(chunks)).toEqual(['start', 'tripwire', 'finish']);
    expect(chunks.at(-1)?.payload).toMatchObject({ answered: false, reason: 'not_mentioned', output: { text: '' } });
    expect(chunks.at(-2)?.payload).toEqual({ reason: 'not_mentioned' });
    expect(provider.requests).toHaveLength(0);
  });
});

describe('the chunks', () => {
  it('come in order, each in the same form, with one run id and one text id', async () => {
    const { provider, open } = await withProvider();
    provider.reply(`${granted} ${paid}`);
    const chunks = await readChunks(await open(question));
    expect(typesOf(chunks).filter((type, at, all) => type !== all[at - 1])).toEqual([
      ...listed(`
      start | tool-call | tool-result | text-start | text-delta | text-end | finish
    `),
    ]);
    for (const chunk of chunks) expect(Object.keys(chunk).sort()).toEqual(['from', 'payload', 'runId', 'type']);
    expect(new Set(chunks.map(({ runId }) => runId)).size).toBe(1);
    expect(new Set(chunks.map(({ from }) => from))).toEqual(new Set(['AGENT']));
    expect(new Set(chunks.filter(({ type }) => type.startsWith('text-')).map(({ payload }) => payload.id)).size).toBe(1);
    const [call, result] = [chunks[1]?.payload, chunks[2]?.payload];
    expect(call.args).toEqual({ query: 'refund window?', namespace: 'docs' });
    expect(result.toolCallId).toBe(call.toolCallId);
    expect(chunks.at(-1)?.payload.stepResult.reason).toBe('stop');
  });

  it.each([
    ['an answer', '@agent refund window?', `${granted} Refunds cost $5. [1] ${paid}`],
    ['a refusal of the model', '@agent refund window?', 'NO_ANSWER'],
    ['a reply of lies', '@agent refund window?', 'Refunds take a year. [1]'],
    [
      'a list',
      '@agent how many people do video calls and audio calls hold?',
      '- Video calls hold 50 people. [1]\n- Audio calls hold 200 people. [1]',
    ],
    ['no search result', '@agent zzz qqq', ''],
    ['silence', 'refund window?', ''],
    [
      'wrong numbers',
      '@agent refund window, and recordings?',
      'Recordings are kept for 90 days. [1] Refunds are paid to the same card. [2][9]',
    ],
  ])('give together what generate answers: %s', async (_, content, reply) => {
    const { provider, service, open } = await withProvider();
    provider.reply(reply);
    const chunks = await readChunks(await open(asking(content)));
    const { body } = await service.post('/api/agents/knowledge/generate', asking(content));
    const finish = chunks.at(-1)?.payload;
    expect(textOf(chunks)).toBe(body.text);
    expect(finish.output.text).toBe(body.text);
    for (const field of ['answered', 'reason', 'namespace', 'model', 'citations', 'dropped', 'repaired'] as const)
      expect(finish[field], field).toEqual(body[field]);
    expect(finish.output.usage).toEqual(body.usage);
    expect(chunks.filter(({ type }) => type === 'tool-call').map(({ payload }) => payload.args)).toEqual(
      body.toolCalls.map((call: { args: unknown }) => call.args),
    );
  });

  it('hold nothing of prompt, key, provider, headers or paths', async () => {
    const { provider, service, open } = await withProvider();
    provider.reply(`You answer questions about a company's documents in a chat. [1] ${granted}`);
    const stream = await open(question);
    await stream.rest();
    for (const secret of [
      'You answer questions',
      'numbered passages',
      'passage-',
      'sk-server-secret',
      provider.baseUrl,
      service.folder,
      'chatcmpl',
      'authorization',
      'user-agent',
    ])
      expect(stream.raw()).not.toContain(secret);
  });

  it('are kept apart by comments while a model is silent, which no reader trips over', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const { stream, reply } = await asked();
    await stream.nextChunk();
    vi.advanceTimersByTime(60_000);
    reply.say(granted);
    reply.finish();
    expect(textOf(await readChunks(stream))).toBe(`${granted}${sources}`);
    expect(stream.raw().match(/^: .*\n\n/gm)?.length).toBeGreaterThanOrEqual(1);
  });
});
