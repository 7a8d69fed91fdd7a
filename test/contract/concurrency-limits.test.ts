/** Limits of concurrent model calls, event streams and jobs. One caller cannot use all slots. */

import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { openStream, serveOnLoopback } from '../support/event-stream.ts';
import { startFakeProvider } from '../support/fake-provider.ts';
import { bodiesFor, mcpCall } from '../support/operation-bodies.ts';
import { startService } from '../support/workspace.ts';

const files = { 'docs/refunds.md': '# Refunds\n\nRefunds are paid within 30 days of purchase.\n' };
const keys = { API_KEYS: 'hostile-key,honest-key' };
const hostile = { 'x-api-key': 'hostile-key' };
const honest = { 'x-api-key': 'honest-key' };
const question = {
  messages: '@agent how long do refunds take?',
  toolParams: { namespace: 'docs' },
};
const generatePath = '/api/agents/knowledge/generate';
const streamPath = '/api/agents/knowledge/stream';
const paid = 'Refunds are paid within 30 days of purchase. [1]';

describe('concurrent model calls', () => {
  /** A model that replies when the test releases it. */
  async function start(settings: Record<string, string>, modelWaitMs?: number) {
    const provider = await startFakeProvider();
    const released = Promise.withResolvers<void>();
    let maxOpen = 0;
    let open = 0;
    provider.reply(async (_, response) => {
      maxOpen = Math.max(maxOpen, ++open);
      const closed = once(response, 'close').then(() => open--);
      await Promise.race([released.promise, closed]);
      return paid;
    });
    const replacements = modelWaitMs === undefined ? {} : { modelWaitMs };
    const service = await startService(
      { LLM_BASE_URL: provider.baseUrl, ...keys, ...settings },
      files,
      replacements,
    );
    const base = await serveOnLoopback(service, { ...keys, ...settings });
    const ask = async (headers: Record<string, string>, signal?: AbortSignal) => {
      const response = await fetch(base + generatePath, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(question),
        ...(signal ? { signal } : {}),
      });
      return {
        status: response.status,
        retryAfter: response.headers.get('retry-after'),
        body: (await response.json()) as any,
      };
    };
    const untilRequests = (count: number) =>
      expect.poll(() => provider.requests.length).toBe(count);
    /** Also releases all later requests. */
    const answerAll = () => {
      provider.reply(paid);
      released.resolve();
    };
    return { service, base, ask, untilRequests, answerAll, provider, maxOpen: () => maxOpen };
  }

  it('are limited, with half the slots per caller; as many more wait, and the rest get 503', async () => {
    const { ask, untilRequests, answerAll, maxOpen } = await start({ LIMITS: 'models=4' });
    const refused: Awaited<ReturnType<typeof ask>>[] = [];
    const many = Array.from({ length: 20 }, async () => {
      const answer = await ask(hostile);
      if (answer.status === 503) refused.push(answer);
      return answer;
    });
    await untilRequests(2);
    await expect.poll(() => refused.length).toBe(16);
    const error = 'Too many questions are in progress. Retry in a few seconds.';
    expect(refused[0]).toMatchObject({ retryAfter: '5', body: { code: 'busy', error } });
    // Another caller's question starts at once.
    const other = ask(honest);
    await untilRequests(3);
    answerAll();
    expect((await other).body.text).toContain('30 days');
    const answered = (await Promise.all(many)).filter(({ status }) => status === 200);
    expect([answered.length, maxOpen()]).toEqual([4, 3]);
  });

  it('release their slot when they end: answered, failed, aborted while running, waiting or streaming', async () => {
    const { ask, untilRequests, provider, base, answerAll } = await start({ LIMITS: 'models=1' });
    const [running, waiting] = [new AbortController(), new AbortController()];
    const nameOf = (error: Error) => error.name;
    const first = ask(hostile, running.signal).catch(nameOf);
    await untilRequests(1);
    const second = ask(honest, waiting.signal).catch(nameOf);
    waiting.abort();
    expect(await second).toBe('AbortError');
    running.abort();
    expect(await first).toBe('AbortError');
    const live = provider.nextLive();
    const stream = await openStream(base + streamPath, question, hostile);
    const reply = await live;
    reply.say('Refunds are paid');
    await stream.next();
    await stream.leave();
    await reply.closed;
    provider.reply((_, response) => void response.writeHead(400).end('no'));
    expect((await ask(hostile)).status).toBe(502);
    answerAll();
    const answers = [await ask(hostile), await ask(honest)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  });

  it('count over all endpoints; questions without a model need no slot', async () => {
    const { ask, untilRequests, service, base, answerAll } = await start(
      { LIMITS: 'models=1' },
      20,
    );
    const first = ask(hostile);
    await untilRequests(1);
    const chunks = await (await openStream(base + streamPath, question, honest)).rest();
    expect(chunks.join('\n')).toContain('"code":"busy"');
    const args = { question: 'how long do refunds take?', namespace: 'docs' };
    const mcp = await service.post('/mcp', mcpCall('askKnowledge', args), honest);
    expect(mcp.body.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('(busy)') }],
    });
    for (const messages of ['@agent hello', 'hello', '@agent what is the capital of Peru?']) {
      const { status } = await service.post(generatePath, { ...question, messages }, honest);
      expect(status).toBe(200);
    }
    answerAll();
    expect((await first).status).toBe(200);
  });
});

describe('event streams', () => {
  const rpc = mcpCall('askKnowledge', { question: 'refunds?', namespace: 'docs' });
  const bodies = bodiesFor('docs');
  const accept = 'text/event-stream, application/json';

  async function start(settings: Record<string, string>) {
    const provider = await startFakeProvider();
    const service = await startService({ LLM_BASE_URL: provider.baseUrl, ...keys }, files);
    const base = await serveOnLoopback(service, { ...keys, ...settings });
    /** Opens a stream that stays open. */
    const open = async (headers: Record<string, string>) => {
      const live = provider.nextLive();
      const stream = await openStream(base + streamPath, question, headers);
      return { stream, reply: await live };
    };
    return { provider, service, base, open };
  }

  it('are limited, with half the slots per caller, and release their slot when the caller leaves', async () => {
    const { base, open, provider } = await start({ LIMITS: 'streams=2' });
    const first = await open(hostile);
    const refused = await openStream(base + streamPath, question, hostile);
    await refused.rest();
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(JSON.parse(refused.raw())).toMatchObject({
      code: 'busy',
      error: 'Too many streams are open. Close some or retry in a few seconds.',
    });
    // The rejected stream started no model call.
    expect(provider.requests).toHaveLength(1);
    const second = await open(honest);
    for (const [path, body] of [
      ['/mcp', rpc],
      ['/v1/chat/completions', { ...(bodies['createChatCompletion'] as object), stream: true }],
      ['/api/chat/knowledge', bodies['chat']],
      ['/api/agents/knowledge/ag-ui', bodies['runAgent']],
    ] as const) {
      const other = await openStream(base + path, body, { ...honest, accept });
      expect([path, other.status]).toEqual([path, 503]);
    }
    await first.stream.leave();
    await first.reply.closed;
    const third = await open(hostile);
    for (const { stream, reply } of [second, third]) {
      reply.say(paid);
      reply.finish();
      expect((await stream.rest()).at(-1)).toBe('[DONE]');
    }
    provider.reply(paid);
    const mcp = () => openStream(`${base}/mcp`, rpc, { ...honest, accept });
    for (let time = 0; time < 3; time++)
      await expect.poll(async () => (await mcp()).status).toBe(200);
  });

  it('include those of jobs; a HEAD request takes no slot', async () => {
    const service = await startService(keys, files);
    const base = await serveOnLoopback(service, { ...keys, LIMITS: 'streams=1' });
    const { body } = await service.ingest(bodiesFor('docs')['ingestSources'], honest);
    const events = (method: string) =>
      fetch(`${base}/api/jobs/${body.id}/events`, { method, headers: honest });
    for (let time = 0; time < 3; time++) expect((await events('HEAD')).status).toBe(200);
    for (let time = 0; time < 3; time++) {
      const response = await events('GET');
      expect([response.status, await response.text()]).toEqual([
        200,
        expect.stringContaining('event: end'),
      ]);
    }
  });
});

it('running and waiting jobs are limited by the settings', async () => {
  const { ingest } = await startService({ LIMITS: 'jobs=1,waiting=1', ...keys }, files);
  const body = bodiesFor('docs')['ingestSources'];
  const jobs = Array.from({ length: 12 }, () => ingest(body, hostile));
  const statuses = new Set((await Promise.all(jobs)).map(({ status }) => status));
  expect(statuses).toEqual(new Set([202, 429]));
});
