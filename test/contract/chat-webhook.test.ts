import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { createMentionGate } from '../../packages/mastra/src/mention.ts';
import { ChatWebhooks } from '../../src/chat/chat-webhooks.ts';
import type { Replacements } from '../../src/context.ts';
import { createLogger } from '../../src/log.ts';
import {
  chatMessage,
  dataOf,
  secondsNow,
  signed,
  webhookSecret,
} from '../support/chat-platform.ts';
import { startFakeProvider } from '../support/fake-provider.ts';
import { startReceiver, startSite } from '../support/site.ts';
import { storeIn } from '../support/state.ts';
import { sharedService, startService, temporaryFolder } from '../support/workspace.ts';

const path = '/api/webhooks/chat';
const basic = (credentials: string) => ({ authorization: `Basic ${btoa(credentials)}` });
const files = {
  'default/refunds.md': '# Refunds\n\nRefunds are paid within 30 days of purchase.\n',
  'hr/pay.md': '# Pay\n\nSalaries are paid on the last working day of the month.\n',
};
const question = '@agent when are refunds paid?';
const polling = { timeout: 30_000, interval: 10 };

interface MessageOptions {
  readonly id?: string | number;
  readonly text?: string;
  readonly from?: string;
  readonly to?: string;
  readonly group?: string;
}

let count = 0;
/** A message in the format of the platform's documentation. */
const message = ({
  id,
  text = question,
  from = 'ann',
  to = 'knowledge',
  group,
}: MessageOptions = {}) =>
  chatMessage(dataOf(text, from), {
    id: id ?? String(++count),
    sender: from,
    ...(group === undefined
      ? { conversationId: `${from}_user_${to}`, receiverType: 'user', receiver: to }
      : { conversationId: `group_${group}`, receiver: group }),
    sentAt: 1_787_475_742,
  });
const event = (options: MessageOptions = {}) => ({
  trigger: 'message_sent',
  appId: 'app',
  webhook: 'chat',
  data: { message: message(options) },
});
const foreign = Buffer.from('another secret of some length');

interface Setup {
  readonly settings?: Record<string, string>;
  readonly statusOf?: (attempt: number) => number;
  readonly headers?: Record<string, string>;
  readonly replacements?: Replacements;
}

async function setUp({ settings = {}, statusOf, headers, replacements = {} }: Setup = {}) {
  const { url, host, delivered } = await startReceiver(statusOf, headers);
  const warnings: string[] = [];
  const keep = (line: string) => void (line.includes('"audit"') || warnings.push(line));
  const all = {
    CHAT_WEBHOOK_SECRET: webhookSecret,
    CHAT_CALLBACK_URL: `${url}/messages`,
    CHAT_CALLBACK_KEY: 'callback-key',
    ALLOWED_URL_HOSTS: host,
    ...settings,
  };
  const service = await startService(all, files, {
    chatWebhooks: { firstPauseMs: 1 },
    logger: createLogger('warn', { write: keep }),
    ...replacements,
  });
  const push = async (body: unknown, ownHeaders?: Record<string, string>) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const response = await service.request(path, {
      method: 'POST',
      headers: ownHeaders ?? signed(text),
      body: text,
    });
    return {
      status: response.status,
      headers: response.headers,
      body: (await response.json()) as any,
    };
  };
  const untilSent = (times = 1) => vi.waitFor(() => expect(delivered).toHaveLength(times), polling);
  return { ...service, delivered, push, untilSent, warnings };
}

/** A server whose model replies when the test calls `answer`. */
async function setUpSlow(setup: Setup = {}) {
  const provider = await startFakeProvider();
  const opened = Promise.withResolvers<string>();
  provider.reply(() => opened.promise);
  const settings = { LLM_BASE_URL: provider.baseUrl, ...setup.settings };
  const answer = () => opened.resolve('Refunds are paid within 30 days of purchase. [1]');
  return { ...(await setUp({ ...setup, settings })), provider, answer };
}

const accepted = { status: 200, body: { status: 'accepted' } };
const ignored = { status: 200, body: { status: 'ignored' } };
const duplicate = { status: 200, body: { status: 'duplicate' } };
const unauthorized = { status: 401, body: { code: 'unauthorized' } };

describe('a message', () => {
  it("in a private chat with the agent needs no mention and is answered in the platform's format", async () => {
    const { push, untilSent, delivered } = await setUp();
    expect(await push(event({ id: 7, text: 'What about refunds?' }))).toMatchObject(accepted);
    await untilSent();
    const [{ headers, body }] = delivered as [(typeof delivered)[0]];
    const quote = 'Refunds are paid within 30 days of purchase.';
    expect(body).toEqual({
      ...{ category: 'message', type: 'text', receiver: 'ann', receiverType: 'user' },
      data: {
        text: expect.stringContaining(`**Refunds**\n\n${quote} [1]\n\nSources:\n[1] `),
        metadata: {
          knowledge: {
            ...{ runId: expect.any(String), reason: 'answered' },
            citations: [expect.objectContaining({ index: 1, quote })],
            ...{ message: '7', conversation: 'ann_user_knowledge' },
          },
        },
      },
    });
    expect(headers).toMatchObject({
      ...{ 'content-type': 'application/json', apikey: 'callback-key', onbehalfof: 'knowledge' },
      'idempotency-key': body.data.metadata.knowledge.runId,
    });
  });

  it('may be addressed to the uid of the agent in any case', async () => {
    const { push, untilSent } = await setUp({ settings: { CHAT_AGENT_UID: 'Helper' } });
    const text = 'When are refunds paid?';
    expect(await push(event({ to: 'helper', text }))).toMatchObject(accepted);
    expect(await push(event({ group: 'g', text: `<@uid:helper> ${text}` }))).toMatchObject(
      accepted,
    );
    await untilSent(2);
  });

  it('is answered with the context of the same conversation and user', async () => {
    const { push, untilSent, delivered } = await setUp();
    await push(event({ text: 'When are refunds paid?' }));
    await untilSent();
    await push(event({ text: 'And how many days is that?' }));
    await untilSent(2);
    expect(delivered[1]?.body.data.text).toContain('30 days');
  });

  it('is answered with any characters, length and metadata', async () => {
    const { push, untilSent, delivered } = await setUp();
    await push(event({ from: 'änn 👩‍🚀', text: 'When are refunds paid? 返金 \ud83d' }));
    await untilSent();
    expect(delivered[0]?.body.receiver).toBe('änn 👩‍🚀');
    await push(event({ text: `When are refunds paid? ${'and so on '.repeat(20_000)}` }));
    for (const metadata of ['{"a":1}', '{"a"']) {
      const sent = message();
      const data = { message: { ...sent, data: { ...sent.data, metadata } } };
      expect(await push({ ...event(), data })).toMatchObject(accepted);
    }
    await untilSent(4);
  });
});

describe('the plain format', () => {
  const plain = { id: 'p1', text: question, conversation: 'c1', user: 'bob' };

  it('needs a mention unless it sets addressed', async () => {
    const { push, untilSent } = await setUp();
    const text = 'When are refunds paid?';
    expect(await push({ ...plain, text })).toMatchObject(ignored);
    expect(await push({ ...plain, text, addressed: true })).toMatchObject(accepted);
    await untilSent();
  });

  it('may name an allowed namespace; a message of the platform may not', async () => {
    const { push, untilSent, delivered } = await setUp({
      settings: { ALLOWED_NAMESPACES: 'default,hr' },
    });
    await push({ ...plain, text: '@agent when are salaries paid?', namespace: 'hr' });
    await untilSent();
    expect(delivered[0]?.body).toMatchObject({
      ...{ receiver: 'bob', receiverType: 'user' },
      data: {
        text: expect.stringContaining('last working day'),
        metadata: { knowledge: { message: 'p1', conversation: 'c1' } },
      },
    });
    const namespace = 'hr';
    const named = message({ text: 'When are salaries paid?' });
    const data = { message: { ...named, namespace }, namespace };
    await push({ ...event(), namespace, data });
    await untilSent(2);
    expect(delivered[1]?.body.data.text).not.toContain('last working day');
    expect(await push({ ...plain, id: 'p2', namespace: 'secret' })).toMatchObject({
      status: 403,
      body: { code: 'namespace_not_allowed' },
    });
  });

  it('uses CHAT_NAMESPACE if it names no namespace', async () => {
    const { push, untilSent, delivered } = await setUp({ settings: { CHAT_NAMESPACE: 'HR' } });
    await push(event({ text: 'When are salaries paid?' }));
    await untilSent();
    expect(delivered[0]?.body.data.text).toContain('last working day');
  });
});

describe('an event that is not a message to the agent', () => {
  const sent = message();
  const withMessage = (more: object) => ({ ...event(), data: { message: { ...sent, ...more } } });
  const returned = (metadata: unknown) => withMessage({ data: { text: question, metadata } });
  const bodies: readonly (readonly [string, unknown])[] = [
    ['a returned answer with another sender', returned({ knowledge: { runId: 'x' } })],
    ['a returned answer with metadata as text', returned('{"knowledge":{"runId":"x"}}')],
    ['a message of the agent, in another case', event({ from: 'KNOWLEDGE', to: 'ann' })],
    [
      'a message of the agent through a bridge',
      { id: 'p', text: question, conversation: 'c', user: 'Knowledge' },
    ],
    ['a message between two people', event({ to: 'bob' })],
    ['another event', { ...event(), trigger: 'message_edited' }],
    ['a picture', withMessage({ type: 'image' })],
    ['a call', withMessage({ category: 'call' })],
    ['a message without a sender', withMessage({ sender: undefined })],
    ['blanks', event({ text: ' \n ' })],
    ['an overlong uid', event({ from: 'x'.repeat(101) })],
    ['null', null],
    ['no JSON', '{"trigger"'],
  ];

  it('is acknowledged and not answered', async () => {
    const { push, delivered, endChat } = await setUp();
    for (const [what, body] of bodies)
      expect([what, await push(body)]).toMatchObject([what, ignored]);
    await endChat(30_000);
    expect(delivered).toEqual([]);
  });
});

describe('a request is refused', () => {
  const body = JSON.stringify(event());
  const password = { CHAT_WEBHOOK_SECRET: '', CHAT_WEBHOOK_PASSWORD: 'correct:horse' };
  const right = basic('hook:correct:horse');
  it.each<[string, Record<string, string>, Record<string, string>[]]>([
    [
      'with a wrong signature',
      {},
      [
        {},
        signed(body, { by: foreign }),
        signed(body, { timestamp: secondsNow() - 301 }),
        { 'x-api-key': 'service-key' },
        // Basic auth that is not configured.
        { ...signed(body), ...basic('hook:password') },
      ],
    ],
    [
      'with a wrong password',
      password,
      [{}, basic('hook:wrong'), basic('hook:correct:'), { authorization: 'Bearer service-key' }],
    ],
    [
      'with one wrong credential of two',
      { ...password, CHAT_WEBHOOK_SECRET: webhookSecret },
      [
        { ...right, ...signed(body, { by: foreign }) },
        { ...signed(body), ...basic('hook:wrong') },
      ],
    ],
  ])('%s', async (_, settings, credentials) => {
    const { push, delivered } = await setUp({ settings: { ...settings, API_KEYS: 'service-key' } });
    for (const headers of credentials) {
      const answer = await push(body, headers);
      expect([headers, answer]).toMatchObject([headers, unauthorized]);
      expect(answer.headers.get('www-authenticate')?.startsWith('Basic ') ?? false).toBe(
        'CHAT_WEBHOOK_PASSWORD' in settings,
      );
    }
    expect(delivered).toEqual([]);
  });

  it('but not if every given credential is right', async () => {
    const { push } = await setUp({ settings: { ...password, CHAT_WEBHOOK_SECRET: webhookSecret } });
    expect(await push(body, { ...right, ...signed(body) })).toMatchObject(accepted);
    expect(await push(event(), right)).toMatchObject(accepted);
  });
});

describe('a repeated message', () => {
  it('is acknowledged but not answered again, by the id of its delivery or its own', async () => {
    const { push, untilSent, delivered, folder } = await setUp();
    const body = JSON.stringify(event({ id: 'm1' }));
    const headers = signed(body);
    expect(await push(body, headers)).toMatchObject(accepted);
    expect(await push(body, headers)).toMatchObject(duplicate);
    expect(await push(body)).toMatchObject(duplicate);
    expect(await push(event({ id: 'm1', from: 'bob' }))).toMatchObject(accepted);
    await untilSent(2);
    expect(delivered.map(({ body: { receiver } }) => receiver).sort()).toEqual(['ann', 'bob']);
    const saved = await storeIn(join(folder, 'index')).query('SELECT * FROM chat_deliveries');
    expect(saved).not.toEqual([]);
    expect(JSON.stringify(saved)).not.toMatch(/ann|refunds/);
  });

  it('without an id is recognized by its body', async () => {
    const { push } = await setUp({
      settings: { CHAT_WEBHOOK_SECRET: '', CHAT_WEBHOOK_PASSWORD: 'p' },
    });
    const plain = { text: question, conversation: 'c', user: 'bob' };
    expect(await push(plain, basic('hook:p'))).toMatchObject(accepted);
    expect(await push(plain, basic('hook:p'))).toMatchObject(duplicate);
  });
});

it('an accepted message without an answer is answered if it is delivered again after a stop', async () => {
  const settings = { INDEX_DIR: await temporaryFolder() };
  const { push, endChat, close } = await setUpSlow({ settings });
  const body = event();
  expect(await push(body)).toMatchObject(accepted);
  const ended = endChat(50);
  expect(await push(body)).toMatchObject({ status: 503, body: { code: 'stopping' } });
  await ended;
  await close();
  const next = await setUp({ settings });
  expect(await next.push(body)).toMatchObject(accepted);
  await next.untilSent();
  expect(await next.push(body)).toMatchObject(duplicate);
});

describe('the callback', () => {
  it('receives no key if CHAT_CALLBACK_KEY is unset', async () => {
    const { push, untilSent, delivered } = await setUp({ settings: { CHAT_CALLBACK_KEY: '' } });
    await push(event());
    await untilSent();
    for (const name of ['apikey', 'onbehalfof'])
      expect(delivered[0]?.headers).not.toHaveProperty(name);
  });

  it('at a private address is called only if the address is allowed, and the log says so at startup', async () => {
    const { push, delivered, warnings } = await setUp({ settings: { ALLOWED_URL_HOSTS: '' } });
    expect(warnings.join()).toContain('CHAT_CALLBACK_URL');
    const before = warnings.length;
    expect(await push(event())).toMatchObject(accepted);
    await vi.waitFor(() => expect(warnings.length).toBeGreaterThan(before), polling);
    expect(delivered).toEqual([]);
    expect(warnings.at(-1)).toContain("The chat platform's callback is blocked. Add its host");
  });

  it('is not called at the target of a redirect', async () => {
    const other = await startSite({ '/': { body: '' } });
    const { push, delivered, warnings } = await setUp({
      statusOf: () => 307,
      headers: { location: other.url },
    });
    await push(event());
    await vi.waitFor(() => expect(warnings.join()).toContain('status 307'), polling);
    expect([delivered.length, other.requests]).toEqual([1, []]);
  });

  it('is retried after 503, 429 and 500 with the same idempotency key', async () => {
    const { push, untilSent, delivered, warnings } = await setUp({
      statusOf: (attempt) => [503, 429, 500][attempt - 1] ?? 200,
    });
    await push(event());
    await untilSent(4);
    expect(new Set(delivered.map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
    expect(warnings).toEqual([]);
  });

  it.each([
    [503, 4, accepted],
    [401, 1, accepted],
    [400, 1, duplicate],
  ])(
    'with status %d gets %d requests, the log contains no text and no key, and a repetition gets %j',
    async (status, times, repeated) => {
      const { push, delivered, warnings } = await setUp({ statusOf: () => status });
      const body = event();
      await push(body);
      await vi.waitFor(() => expect(warnings).toHaveLength(1), polling);
      expect(delivered).toHaveLength(times);
      expect(warnings[0]).toContain(`status ${status}`);
      expect(warnings[0]).not.toMatch(/refunds|callback-key|\bann\b/i);
      await vi.waitFor(async () => expect(await push(body)).toMatchObject(repeated), polling);
    },
  );
});

it("a failed answer is reported in one sentence without the provider's message", async () => {
  const { provider, push, untilSent, delivered, warnings } = await setUpSlow();
  provider.reply((_, response) => {
    const error = { message: 'secret prompt sk-12345678' };
    response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
    return undefined;
  });
  await push(event());
  await untilSent();
  expect(delivered[0]?.body).toMatchObject({
    receiver: 'ann',
    data: {
      text: 'The model did not give an answer.',
      metadata: { knowledge: { reason: 'failed', code: 'model_failed', citations: [] } },
    },
  });
  expect(warnings).toHaveLength(1);
  expect(JSON.stringify(delivered)).not.toContain('secret');
});

describe('the queue of messages', () => {
  it('is limited: a further message gets 503 with Retry-After and counts as new', async () => {
    const chatWebhooks = { firstPauseMs: 1, maxConcurrent: 1, maxTaken: 2 };
    const { push, untilSent, answer } = await setUpSlow({ replacements: { chatWebhooks } });
    for (const from of ['a', 'b']) expect(await push(event({ from }))).toMatchObject(accepted);
    const third = JSON.stringify(event({ from: 'c' }));
    const refused = await push(third);
    expect(refused).toMatchObject({ status: 503, body: { code: 'busy' } });
    expect(refused.headers.get('retry-after')).toBe('5');
    answer();
    await untilSent(2);
    await vi.waitFor(async () => expect(await push(third)).toMatchObject(accepted), polling);
    await untilSent(3);
  });

  it('is answered a few messages at a time', async () => {
    const chatWebhooks = { firstPauseMs: 1, maxConcurrent: 2 };
    const slow = await setUpSlow({ replacements: { chatWebhooks } });
    const { provider, push, untilSent, answer } = slow;
    for (const from of ['a', 'b', 'c', 'd']) await push(event({ from }));
    await vi.waitFor(() => expect(provider.requests).toHaveLength(2), polling);
    await new Promise((resolve) => setImmediate(resolve));
    expect(provider.requests).toHaveLength(2);
    answer();
    await untilSent(4);
  });

  it('is dropped when the server stops, and the log shows its length', async () => {
    const { push, delivered, warnings, endChat } = await setUpSlow();
    for (const from of ['a', 'b', 'c', 'd', 'e']) await push(event({ from }));
    await endChat(50);
    expect(warnings.join()).toContain('"5 chat messages were not answered');
    expect(delivered).toEqual([]);
  });

  it('is answered before the server stops if there is time', async () => {
    const { push, delivered, warnings, endChat } = await setUp();
    await push(event());
    await endChat(30_000);
    expect([delivered.length, warnings]).toEqual([1, []]);
  });
});

it('an answer gives back its right to be sent even if saving its state fails', async () => {
  const claimed = new Set<string>();
  const delivered: string[] = [];
  const mentions = ['@agent'];
  const chat = new ChatWebhooks({
    ask: () => Promise.reject(new Error('no model')),
    gate: createMentionGate({ mentions }),
    parseNamespace: String,
    deliveries: {
      stateOf: async () => undefined,
      begin: async (keys) => {
        for (const one of keys) claimed.add(one);
        return true;
      },
      end: async (keys, isSettled) => {
        if (isSettled) throw new Error('full');
        for (const one of keys) claimed.delete(one);
      },
      close: async () => undefined,
    },
    deliver: async ({ text }) => void delivered.push(text),
    agentUid: 'knowledge',
    mentions,
    namespace: 'default',
    onWarning: () => undefined,
  });
  await chat.take(event({ id: 'a' }), { delivery: 'first', body: '' });
  await chat.close();
  expect(delivered).toHaveLength(1);
  expect([...claimed].filter((one) => one.includes(' '))).toEqual([]);
});

describe('the endpoint', () => {
  it('is disabled without settings, and names the setting that enables it', async () => {
    const { request } = await sharedService({}, files);
    for (const headers of [basic('undefined:undefined'), signed('{}', { by: Buffer.alloc(0) })]) {
      const response = await request(path, { method: 'POST', headers, body: '{}' });
      expect([response.status, await response.json()]).toMatchObject([
        403,
        { code: 'webhooks_off', error: expect.stringContaining('CHAT_WEBHOOK_SECRET') },
      ]);
    }
  });

  it('accepts bodies up to one mebibyte, whatever MAX_BODY_BYTES is', async () => {
    const { push } = await setUp({ settings: { MAX_BODY_BYTES: '10000000' } });
    expect(await push('x'.repeat(1_100_000))).toMatchObject({
      status: 413,
      body: { code: 'payload_too_large' },
    });
  });
});

it('callers with a key cannot see conversations of the webhook', async () => {
  const { push, untilSent, get } = await setUp({ settings: { API_KEYS: 'k' } });
  await push(event());
  await untilSent();
  expect((await get('/api/memory/threads', { 'x-api-key': 'k' })).body.threads).toEqual([]);
});
