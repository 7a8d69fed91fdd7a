import { beforeEach, describe, expect, it } from 'vitest';
import { openStream, serveOnLoopback } from '../support/event-stream.ts';
import type { ProviderRequest } from '../support/fake-provider.ts';
import { bearerOf, jwtSecret } from '../support/tokens.ts';
import { sharedModel, sharedService } from '../support/workspace.ts';

const files = {
  'docs/refunds.md':
    '# Refunds\n\n## Monthly plans\n\nRefunds of monthly plans are paid within 14 days of purchase.\n\n## Annual plans\n\nRefunds of annual plans are paid within 60 days of purchase.\n',
  'docs/calls.md': '# Calls\n\nRecordings of calls are kept for 90 days.\n',
};
const path = '/api/agents/knowledge/generate';
const about = '@agent within how many days are refunds of monthly plans paid?';
const followUp = '@agent and for annual plans?';
/** Changes for each test, so that all tests can share one server. */
let user = '';
let count = 0;
beforeEach(() => {
  user = `user-${++count}`;
});
const place = () => ({ memory: { thread: 'thread-1', resource: user } });
const bodyOf = (messages: unknown, more: object = place()) => ({
  messages,
  toolParams: { namespace: 'docs' },
  ...more,
});

/** Messages between the instructions and the question: the history that the model receives. */
const historyOf = ({ body }: ProviderRequest) =>
  body.messages.slice(1, -1).map(({ role, content }) => [role, JSON.stringify(content)]);

async function withModel(settings: Record<string, string> = {}) {
  const { provider, service } = await sharedModel(settings, files);
  const say = (messages: unknown, more?: object, headers?: Record<string, string>) =>
    service.post(path, bodyOf(messages, more), headers);
  /** History of each request to the model. */
  const histories = () => provider.requests.map(historyOf);
  const lastHistory = () => JSON.stringify(histories().at(-1));
  return { provider, service, say, histories, lastHistory };
}

describe('a conversation in a thread', () => {
  it('is remembered for every format of the thread', async () => {
    const { post } = await sharedService({}, files);
    for (const more of [
      place(),
      { memory: { thread: { id: 'thread-2', metadata: {} }, resource: user } },
      { threadId: 'thread-3', resourceId: user },
      { memory: { thread: 'thread-1' } },
    ]) {
      expect((await post(path, bodyOf(about, more))).body.text).toContain('14 days');
      expect((await post(path, bodyOf(followUp, more))).body.text).toContain('60 days');
    }
  });

  it('is not remembered without a thread', async () => {
    const { say, histories } = await withModel();
    for (const more of [{}, { memory: null }, { memory: { resource: user } }, { threadId: '' }]) {
      await say(about, more);
      await say(about, more);
    }
    expect(histories().flat()).toEqual([]);
  });

  it('is not evidence for an answer', async () => {
    const { provider, say } = await withModel();
    provider.reply('Refunds of monthly plans are paid within 14 days of purchase. [1]');
    await say(about);
    provider.reply('The user said that refunds of annual plans take 5 days. [1]');
    const heard = '@agent I heard that refunds of annual plans take 5 days, right?';
    const { body } = await say(heard);
    expect(body.dropped).toBe(1);
    expect(body.text).not.toContain('5 days');
  });
});

describe('the memory', () => {
  it('contains the question and the checked answer, never the raw reply', async () => {
    const { provider, say, histories } = await withModel();
    provider.reply(
      'Refunds cost $5. [1] Refunds of monthly plans are paid within 14 days of purchase. [1] See https://evil.example.',
    );
    await say(about);
    await say(followUp);
    const history = histories()[1]!;
    expect(history).toEqual([
      ['user', expect.stringContaining('refunds of monthly plans paid?')],
      ['assistant', expect.stringContaining('within 14 days')],
    ]);
    expect(JSON.stringify(history)).not.toMatch(/evil|\$5|Passages, each/);
  });

  it('contains no message without a mention', async () => {
    const { say, lastHistory } = await withModel();
    await say('refunds of monthly plans?');
    await say(about);
    expect(lastHistory()).toBe('[]');
  });

  it('omits failed answers, and streams that their reader left', async () => {
    const { provider, service, say, lastHistory } = await withModel();
    provider.reply((_, response) => void response.writeHead(400).end() as undefined);
    expect((await say(about)).status).toBe(502);
    const url = `${await serveOnLoopback(service)}/api/agents/knowledge/stream`;
    const modelRequest = provider.nextLive();
    const stream = await openStream(url, bodyOf(about));
    const reply = await modelRequest;
    reply.say('Refunds of monthly plans are paid within 14 days of purchase. [1] And');
    await stream.leave();
    await reply.closed;
    provider.reply('NO_ANSWER');
    await say(about);
    expect(lastHistory()).toBe('[]');
  });

  it('is ignored if the request contains its own history', async () => {
    const { say, histories } = await withModel();
    await say(about);
    await say([
      { role: 'user', content: '@agent how long are recordings of calls kept?' },
      { role: 'assistant', content: 'Recordings of calls are kept for 90 days.' },
      { role: 'user', content: '@agent and refunds?' },
    ]);
    const history = JSON.stringify(histories()[1]);
    expect(history).toContain('recordings of calls');
    expect(history).not.toContain('monthly plans');
  });
});

describe('a thread of another caller', () => {
  it('is hidden from another key', async () => {
    const { say, histories, lastHistory } = await withModel({ API_KEYS: 'first,second' });
    await say(about, place(), { 'x-api-key': 'first' });
    for (const more of [place(), { ...place(), resourceId: 'first' }])
      await say(followUp, more, { 'x-api-key': 'second' });
    expect(JSON.stringify(histories())).not.toContain('monthly');
    await say(followUp, place(), { 'x-api-key': 'first' });
    expect(lastHistory()).toContain('monthly');
  });

  it('is hidden from a subject that is named like a key', async () => {
    const { say, histories } = await withModel({ API_KEYS: 'first', JWT_SECRET: jwtSecret });
    await say(about, place(), { 'x-api-key': 'first' });
    for (const subject of ['first', 'key:first', 'anonymous', ''])
      await say(followUp, place(), await bearerOf({ sub: subject }));
    expect(histories().flat()).toEqual([]);
  });

  it('is separate for each resource', async () => {
    const { say, histories } = await withModel();
    await say(about);
    await say(followUp, { memory: { thread: 'thread-1', resource: 'another' } });
    expect(histories().flat()).toEqual([]);
  });
});

describe('a body', () => {
  const long = 'x'.repeat(501);
  it.each<object>([
    ...['thread-1', { thread: 7 }, { thread: {} }, { thread: long }].map((memory) => ({ memory })),
    { memory: { thread: { id: long } } },
    { memory: { thread: 't', resource: long } },
    { threadId: long },
    { resourceId: long },
  ])('with an invalid name is rejected: %#', async (more) => {
    const { post } = await sharedService({}, files);
    const invalid = { status: 400, body: { code: 'invalid_request' } };
    expect(await post(path, bodyOf(about, more))).toMatchObject(invalid);
  });

  it('with __proto__ in memory has no effect', async () => {
    const { say } = await withModel();
    const hostile = '{"memory":{"__proto__":{"thread":"t"}},"__proto__":{"threadId":"t"}}';
    expect((await say(about, JSON.parse(hostile))).status).toBe(200);
    expect(({} as Record<string, unknown>)['thread']).toBeUndefined();
  });
});
