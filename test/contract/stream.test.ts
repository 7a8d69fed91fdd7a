import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openStream, readChunks, serveOnLoopback, textOf } from '../support/event-stream.ts';
import { startFakeEmbeddings } from '../support/fake-embeddings.ts';
import { sharedModel, startService } from '../support/workspace.ts';

const files = {
  'docs/refunds.md':
    '# Refunds\n\n## Window\n\nFull refunds are granted within 30 days of purchase. Refunds are paid to the same card.\n',
  'docs/calls.md': '# Calls\n\nRecordings are kept for 90 days.\n',
};
const path = '/api/agents/knowledge/stream';
const granted = 'Full refunds are granted within 30 days of purchase. [1]';
const paid = 'Refunds are paid to the same card. [1]';
const bodyOf = (messages: string) => ({ messages, toolParams: { namespace: 'docs' } });
const question = bodyOf('@agent refund window?');

async function withProvider() {
  const { provider, service } = await sharedModel({}, files);
  const url = await serveOnLoopback(service);
  return { provider, service, open: (body: unknown) => openStream(`${url}${path}`, body) };
}

it('the first bytes, the search results and comments arrive before the reply of the model', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const { provider, open } = await withProvider();
  const live = provider.nextLive();
  const stream = await open(question);
  const reply = await live;
  expect(stream.status).toBe(200);
  expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
  expect(stream.headers.get('x-accel-buffering')).toBe('no');
  for (const type of ['start', 'tool-call']) expect((await stream.nextChunk())?.type).toBe(type);
  const found = await stream.nextChunk();
  expect(found).toMatchObject({ type: 'tool-result', payload: { toolName: 'docsRetriever' } });
  expect(found?.payload.result.results[0].file).toBe('refunds.md');
  vi.advanceTimersByTime(60_000);
  reply.say(granted);
  reply.finish();
  expect(textOf(await readChunks(stream))).toContain(granted);
  expect(stream.raw()).toMatch(/^: .*\n\n/m);
});

it('the first byte does not wait for a slow search', async () => {
  const embeddings = await startFakeEmbeddings();
  const service = await startService(
    { EMBEDDING_MODEL: 'fake', LLM_BASE_URL: embeddings.baseUrl },
    files,
    { model: 'extractive' },
  );
  const isHybrid = async () =>
    (await service.find({ query: 'refund', namespace: 'docs' })).body.mode === 'hybrid';
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

describe('the chunks', () => {
  it('arrive in order and in one format, with one run id and one text id', async () => {
    const { provider, open } = await withProvider();
    provider.reply(`${granted} ${paid}`);
    const chunks = await readChunks(await open(question));
    expect(chunks.map(({ type }) => type).filter((type, at, all) => type !== all[at - 1])).toEqual([
      ...['start', 'tool-call', 'tool-result', 'text-start', 'text-delta', 'text-end', 'finish'],
    ]);
    const runId = chunks[0]?.runId;
    for (const chunk of chunks)
      expect(chunk).toEqual({ type: chunk.type, from: 'AGENT', runId, payload: expect.anything() });
    const texts = chunks.filter(({ type }) => type.startsWith('text-'));
    expect(new Set(texts.map(({ payload }) => payload.id)).size).toBe(1);
    const [call, result] = [chunks[1]?.payload, chunks[2]?.payload];
    expect(call.args).toEqual({ query: 'refund window?', namespace: 'docs' });
    expect(result.toolCallId).toBe(call.toolCallId);
    expect(chunks.at(-1)?.payload.stepResult.reason).toBe('stop');
  });

  it.each([
    ['an answer', '@agent refund window?', `${granted} Refunds cost $5. [1] ${paid}`],
    [
      'wrong numbers',
      '@agent refund window, and recordings?',
      'Recordings are kept for 90 days. [1] Refunds are paid to the same card. [2][9]',
    ],
  ])('add up to the response of generate: %s', async (_, content, reply) => {
    const { provider, service, open } = await withProvider();
    provider.reply(reply);
    const chunks = await readChunks(await open(bodyOf(content)));
    const { text, usage, toolCalls, ...body } = (await service.generate(bodyOf(content))).body;
    const finish = chunks.at(-1)?.payload;
    expect([textOf(chunks), finish.output]).toEqual([
      text,
      expect.objectContaining({ text, usage }),
    ]);
    const { answered, reason, namespace, model, citations, dropped, repaired } = body;
    const same = { answered, reason, namespace, model, citations, dropped, repaired };
    expect(finish).toMatchObject(same);
    const calls = chunks.filter(({ type }) => type === 'tool-call');
    expect(calls.map(({ payload }) => payload.args)).toEqual(
      toolCalls.map(({ args }: { args: unknown }) => args),
    );
  });
});
