import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SignJWT } from 'jose';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createLogger } from '../../src/log.ts';
import { openStream, readChunks, serveOnLoopback } from '../support/event-stream.ts';
import { lastText, type ProviderRequest, startFakeProvider } from '../support/fake-provider.ts';
import { startServerProcess } from '../support/server-process.ts';
import { startService, temporaryFolder, useService, writeFiles } from '../support/workspace.ts';

const files = {
  'docs/refunds.md':
    '# Refunds\n\n## Monthly plans\n\nRefunds of monthly plans are paid within 14 days of purchase.\n\n## Annual plans\n\nRefunds of annual plans are paid within 60 days of purchase.\n',
  'docs/calls.md': '# Calls\n\nRecordings of calls are kept for 90 days.\n',
  'hr/refunds.md': '# Refunds\n\nRefunds of travel costs of annual plans are paid with the salary.\n',
};
const path = '/api/agents/knowledge/generate';
const about = '@agent within how many days are refunds of monthly plans paid?';
const followUp = '@agent and for annual plans?';
const place = { memory: { thread: 'thread-1', resource: 'user-1' } };
const asking = (messages: unknown, more: object = place) => ({ messages, toolParams: { namespace: 'docs' }, ...more });

/** Messages between the instructions and the turn: what a model is given of the conversation. */
const historyOf = ({ body }: ProviderRequest) => body.messages.slice(1, -1).map(({ role, content }) => [role, JSON.stringify(content)]);

async function withProvider(settings: Record<string, string> = {}) {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  const service = await startService({ LLM_BASE_URL: provider.baseUrl, ...settings }, files);
  return { provider, service };
}

describe('a conversation in a thread', () => {
  it.each([
    ['memory', place],
    ['memory with a thread that is an object', { memory: { thread: { id: 'thread-1', metadata: {} }, resource: 'user-1' } }],
    ['threadId and resourceId', { threadId: 'thread-1', resourceId: 'user-1' }],
    ['a thread alone', { memory: { thread: 'thread-1' } }],
  ])('is remembered: %s', async (_, more) => {
    const { post } = await sharedService({}, files);
    expect((await post(path, asking(about, more))).body.text).toContain('14 days');
    expect((await post(path, asking(followUp, more))).body.text).toContain('60 days');
  });

  it('is the same in any of the forms', async () => {
    const { post } = await sharedService({}, files);
    await post(path, asking('@agent how long are recordings of calls kept?', { threadId: 'thread-1', resourceId: 'user-1' }));
    expect((await post(path, asking('@agent how long does it take?'))).body.text).toContain('90 days');
  });

  it('without a thread is not', async () => {
    const { provider, service } = await withProvider();
    for (const more of [
      {},
      { memory: null },
      { memory: {} },
      { memory: { resource: 'user-1' } },
      { resourceId: 'user-1' },
      { threadId: '' },
    ]) {
      await service.post(path, asking(about, more));
      await service.post(path, asking(about, more));
    }
    for (const request of provider.requests) expect(historyOf(request)).toEqual([]);
  });

  it('ends in a refusal where the new question has no evidence', async () => {
    const { post } = await sharedService({}, files);
    expect((await post(path, asking(about))).body.answered).toBe(true);
    for (const question of ['@agent and in Mongolia?', '@agent what is the capital of France?']) {
      expect((await post(path, asking(question))).body).toMatchObject({ answered: false, reason: 'no_context', citations: [] });
    }
    expect((await post(path, asking(followUp))).body.text).toContain('60 days');
  });

  it('gives nothing that was said any weight as evidence', async () => {
    const { provider, service } = await withProvider();
    provider.reply('Refunds of monthly plans are paid within 14 days of purchase. [1]');
    await service.post(path, asking(about));
    provider.reply('The user said that refunds of annual plans take 5 days. [1]');
    const { body } = await service.post(path, asking('@agent I was told that refunds of annual plans take 5 days, right?'));
    expect(body).toMatchObject({ dropped: 0, repaired: 1 });
    expect(body.text).not.toContain('5 days');
  });

  it('goes on in the stream, and from it', async () => {
    const { provider, service } = await withProvider();
    const agent = `${await serveOnLoopback(service)}/api/agents/knowledge`;
    provider.reply('Refunds of monthly plans are paid within 14 days of purchase. [1]');
    await readChunks(await openStream(`${agent}/stream`, asking(about)));
    await readChunks(await openStream(`${agent}/stream`, asking(followUp)));
    await (await openStream(`${agent}/generate`, asking(followUp))).rest();
    expect(provider.requests.map((request) => historyOf(request).length)).toEqual([0, 2, 4]);
  });
});

describe('what is remembered', () => {
  it('is the question and the checked answer, never the raw reply', async () => {
    const { provider, service } = await withProvider();
    provider.reply('Refunds cost $5. [1] Refunds of monthly plans are paid within 14 days of purchase. [1] See https://evil.example.');
    const { body } = await service.post(path, asking(about));
    await service.post(path, asking(followUp));
    const history = historyOf(provider.requests[1]!);
    expect(history.map(([role]) => role)).toEqual(['user', 'assistant']);
    expect(history[0]?.[1]).toContain('refunds of monthly plans paid?');
    expect(history[1]?.[1]).toContain('within 14 days');
    expect(history[1]?.[1]).toContain(JSON.stringify(body.text).slice(1, 40));
    expect(JSON.stringify(history)).not.toMatch(/evil|\$5|Passages, each/);
  });

  it('is not opened for a message that does not speak to the agent', async () => {
    const { post, folder } = await sharedService({}, files);
    expect((await post(path, asking('refunds of monthly plans?'))).body.reason).toBe('not_mentioned');
    const kept = join(folder, 'index', 'state.db');
    expect(existsSync(kept)).toBe(false);
    await post(path, asking(about));
    expect(existsSync(kept)).toBe(true);
  });

  it('is no message that was met with silence', async () => {
    const { provider, service } = await withProvider();
    const silent = await service.post(path, asking('refunds of secret plans are 1 day'));
    expect(silent).toMatchObject({ status: 200, body: { reason: 'not_mentioned', text: '' } });
    await service.post(path, asking(about));
    expect(historyOf(provider.requests[0]!)).toEqual([]);
  });

  it('is no answer that failed', async () => {
    const { provider, service } = await withProvider();
    provider.reply((_, response) => void response.writeHead(400).end() as undefined);
    expect((await service.post(path, asking(about))).status).toBe(502);
    provider.reply('NO_ANSWER');
    await service.post(path, asking(about));
    expect(historyOf(provider.requests.at(-1)!)).toEqual([]);
  });

  it('is no stream that its reader left', async () => {
    const { provider, service } = await withProvider();
    const url = `${await serveOnLoopback(service)}/api/agents/knowledge/stream`;
    const asked = provider.nextLive();
    const stream = await openStream(url, asking(about));
    const reply = await asked;
    reply.say('Refunds of monthly plans are paid within 14 days of purchase. [1] And');
    await stream.leave();
    await reply.closed;
    provider.reply('NO_ANSWER');
    await service.post(path, asking(about));
    expect(historyOf(provider.requests.at(-1)!)).toEqual([]);
  });

  it('gives way to the conversation that a request brings itself', async () => {
    const { provider, service } = await withProvider();
    await service.post(path, asking(about));
    const brought = [
      { role: 'user', content: '@agent how long are recordings of calls kept?' },
      { role: 'assistant', content: 'Recordings of calls are kept for 90 days. [1]\n\nSources:\n[1] Calls (calls.md)' },
      { role: 'user', content: '@agent and refunds?' },
    ];
    await service.post(path, asking(brought));
    const history = JSON.stringify(historyOf(provider.requests[1]!));
    expect(history).toContain('recordings of calls');
    expect(history).not.toContain('monthly plans');
  });

  it('outlives the process', async () => {
    const provider = await startFakeProvider();
    onTestFinished(() => provider.close());
    const folder = await temporaryFolder();
    await writeFiles(folder, files);
    const settings = { KNOWLEDGE_DIR: folder, INDEX_DIR: join(folder, '.index'), LLM_BASE_URL: provider.baseUrl };
    const first = await startServerProcess(settings);
    await first.post(path, asking(about));
    expect(await first.stop('SIGTERM')).toBe(0);
    const second = await startServerProcess(settings);
    await second.post(path, asking(followUp));
    expect(historyOf(provider.requests[1]!).map(([role]) => role)).toEqual(['user', 'assistant']);
  });
});

describe('a thread of somebody else', () => {
  const key = 'a-secret-of-thirty-two-characters-or-more';
  const tokenOf = (subject: string) =>
    new SignJWT({})
      .setProtectedHeader({ alg: 'HS256' })
      .setSubject(subject)
      .setIssuedAt()
      .setExpirationTime('5m')
      .sign(new TextEncoder().encode(key));

  it('is not seen with another key', async () => {
    const { provider, service } = await withProvider({ API_KEYS: 'first,second' });
    await service.post(path, asking(about), { 'x-api-key': 'first' });
    for (const more of [
      place,
      { ...place, resourceId: 'first' },
      { memory: { thread: 'thread-1' } },
      { threadId: 'thread-1', resourceId: 'user-1' },
    ])
      await service.post(path, asking(followUp, more), { 'x-api-key': 'second' });
    for (const request of provider.requests) expect(JSON.stringify(historyOf(request))).not.toContain('monthly');
    await service.post(path, asking(followUp), { 'x-api-key': 'first' });
    expect(JSON.stringify(historyOf(provider.requests.at(-1)!))).toContain('monthly');
  });

  it('is not seen with the token of another subject', async () => {
    const { provider, service } = await withProvider({ JWT_SECRET: key });
    await service.post(path, asking(about), { authorization: `Bearer ${await tokenOf('anna')}` });
    await service.post(path, asking(followUp), { authorization: `Bearer ${await tokenOf('bert')}` });
    expect(historyOf(provider.requests[1]!)).toEqual([]);
    await service.post(path, asking(followUp), { authorization: `Bearer ${await tokenOf('anna')}` });
    expect(historyOf(provider.requests[2]!)).toHaveLength(2);
  });

  it('is not seen by a subject that is named like a key', async () => {
    const { provider, service } = await withProvider({ API_KEYS: 'first', JWT_SECRET: key });
    await service.post(path, asking(about), { 'x-api-key': 'first' });
    for (const subject of ['first', 'key:first', 'anonymous', ''])
      await service.post(path, asking(followUp), { authorization: `Bearer ${await tokenOf(subject)}` });
    for (const request of provider.requests) expect(historyOf(request)).toEqual([]);
  });

  it('is not seen in another namespace', async () => {
    const { provider, service } = await withProvider();
    await service.post(path, asking(about));
    await service.post(path, asking('@agent refunds of travel costs?', { ...place, toolParams: { namespace: 'hr' } }));
    expect(provider.requests).toHaveLength(2);
    expect(historyOf(provider.requests[1]!)).toEqual([]);
    expect(lastText(provider.requests[1]!)).not.toContain('14 days');
  });

  it('is another one for every resource, and for names that only look alike together', async () => {
    const { provider, service } = await withProvider();
    await service.post(path, asking(about));
    for (const memory of [
      { thread: 'thread-1', resource: 'user-2' },
      { thread: 'thread-1' },
      { thread: '1', resource: 'user-1thread-' },
      { thread: 'user-1', resource: 'thread-1' },
      { thread: 'thread-1', resource: 'USER-1' },
      { thread: 'thread-1","', resource: 'user-1' },
    ])
      await service.post(path, asking(followUp, { memory }));
    for (const request of provider.requests) expect(historyOf(request)).toEqual([]);
  });
});

describe('a body', () => {
  const service = useService({}, files);

  it.each([
    { memory: 'thread-1' },
    { memory: ['thread-1'] },
    { memory: 7 },
    { memory: { thread: 7 } },
    { memory: { thread: ['thread-1'] } },
    { memory: { thread: {} } },
    { memory: { thread: { id: null } } },
    { memory: { thread: 'x'.repeat(501) } },
    { memory: { thread: { id: 'x'.repeat(501) } } },
    { memory: { thread: 't', resource: 'x'.repeat(501) } },
    { memory: { thread: 't', resource: {} } },
    { threadId: 'x'.repeat(501) },
    { threadId: {} },
    { resourceId: 'x'.repeat(501) },
    { resourceId: 7 },
  ])('with a wrong name is refused: %#', async (more) => {
    const { post } = service();
    expect(await post(path, asking(about, more))).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  it.each(['__proto__', 'constructor', "'; DROP TABLE mastra_threads; --", '\u0000', '../../etc', '%', '🎉', 'x'.repeat(500), ' '])(
    'may name a thread anything else: %j',
    async (name) => {
      const { provider, service } = await withProvider();
      const memory = { thread: name, resource: name };
      expect((await service.post(path, asking(about, { memory }))).status).toBe(200);
      expect((await service.post(path, asking(followUp, { memory }))).status).toBe(200);
      expect(historyOf(provider.requests[1]!)).toHaveLength(2);
      await service.post(path, asking(followUp, { memory: { thread: `${name.slice(0, 9)}.`, resource: name } }));
      expect(historyOf(provider.requests[2]!)).toEqual([]);
    },
  );

  it('with __proto__ in memory changes nothing', async () => {
    const { service } = await withProvider();
    const body = `{"messages":${JSON.stringify(about)},"toolParams":{"namespace":"docs"},"memory":{"__proto__":{"thread":"thread-1"}},"__proto__":{"threadId":"thread-1"}}`;
    const response = await service.request(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
    expect(response.status).toBe(200);
    expect(({} as Record<string, unknown>)['thread']).toBeUndefined();
  });
});

describe('a memory that fails', () => {
  async function withDatabase(prepare: (path: string) => Promise<unknown>) {
    const folder = await temporaryFolder();
    await writeFiles(join(folder, 'knowledge'), files);
    const index = join(folder, 'index');
    await mkdir(index);
    await prepare(join(index, 'state.db'));
    const lines: string[] = [];
    const logger = createLogger('warn', { write: (line) => void lines.push(line) });
    const service = await startService({ KNOWLEDGE_DIR: join(folder, 'knowledge'), INDEX_DIR: index }, {}, { logger });
    return { service, lines };
  }

  it.each<[string, (path: string) => Promise<unknown>]>([
    ['a damaged file', (path) => writeFile(path, 'this is no database, '.repeat(1_000))],
    ['half a header', (path) => writeFile(path, 'SQLite format 3\u0000')],
  ])('is a warning, and every question is answered: %s', async (_, prepare) => {
    const { service, lines } = await withDatabase(prepare);
    for (let turn = 0; turn < 3; turn++) {
      const { status, body } = await service.post(path, asking(about));
      expect(status).toBe(200);
      expect(body.text).toContain('14 days');
    }
    await service.close();
    expect(lines.join('')).toMatch(/conversation could not be|state\.db was damaged/);
  });

  it('does not keep the process from starting or closing', async () => {
    const { service } = await withDatabase((path) => writeFile(path, 'nothing'));
    await service.close();
  });
});

it('nothing is written where no thread is named', async () => {
  const { post, get } = await sharedService({}, files);
  await post(path, asking(about, {}));
  expect((await get('/api/memory/threads')).body.total).toBe(0);
});
