/**
 * Publishable keys of the chat widget: origins, limits and threads. `authorization.test.ts` tests
 * which operations they may call.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config.ts';
import { createApp } from '../../src/http/app.ts';
import { hashKey } from '../../src/keys.ts';
import { jwtSecret, signToken } from '../support/tokens.ts';
import { startService, temporaryFolder } from '../support/workspace.ts';

const origin = 'https://shop.example';
const agUi = '/api/agents/knowledge/ag-ui';
const files = {
  'help/refunds.md':
    '# Refunds\n\nFull refunds are granted within 30 days of purchase. Shipping costs are never refunded.\n',
};
const question = 'what about refunds?';

async function start(settings: Readonly<Record<string, string>> = {}) {
  const file = join(await temporaryFolder(), 'keys.jsonl');
  const createdAt = new Date().toISOString();
  const common = { namespaces: ['help'], createdAt };
  const shop = {
    id: 'shop',
    name: 'shop',
    sha256: hashKey('pk_shop'),
    rights: ['ask'],
    origins: [origin],
    ...common,
  };
  const old = {
    id: 'old',
    name: 'old',
    sha256: hashKey('pk_old'),
    rights: ['ask'],
    origins: ['https://old.example'],
    expiresAt: createdAt,
  };
  const bot = { id: 'bot', name: 'bot', sha256: hashKey('ka_bot'), rights: ['ask'], ...common };
  await writeFile(
    file,
    [shop, { ...old, ...common }, bot].map((key) => JSON.stringify(key)).join('\n'),
  );
  const all = {
    API_KEYS_FILE: file,
    API_KEYS: 'operator',
    TRUSTED_PROXIES: '10.0.0.1',
    ...settings,
  };
  const service = await startService(all, files);
  const app = createApp(
    parseConfig({ RATE_LIMIT_PER_MINUTE: '0', ...all }),
    service.api,
    service.logger,
  );
  const connection = { incoming: { socket: { remoteAddress: '10.0.0.1' } } };

  async function ask(
    headers: Readonly<Record<string, string>> = {},
    content = question,
    more: object = {},
  ) {
    const body = {
      threadId: 't',
      runId: 'r',
      messages: [{ id: '1', role: 'user', content }],
      forwardedProps: { namespace: 'help', ...more },
    };
    const sent = {
      authorization: 'Bearer pk_shop',
      origin,
      'content-type': 'application/json',
      'x-forwarded-for': '203.0.113.9',
      ...headers,
    };
    const response = await app.request(
      agUi,
      { method: 'POST', headers: sent, body: JSON.stringify(body) },
      connection,
    );
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
  const preflight = (path: string, from: string, method = 'POST') =>
    app.request(path, {
      method: 'OPTIONS',
      headers: {
        origin: from,
        'access-control-request-method': method,
        'access-control-request-headers': 'authorization,content-type',
      },
    });
  return { ...service, app, ask, preflight };
}

describe('a page of a listed origin', () => {
  it('asks without a mention, and reads the answer without cookies', async () => {
    const { ask } = await start();
    const { status, headers, text } = await ask();
    expect([status, text]).toEqual([
      200,
      expect.stringContaining('30 days of purchase. Shipping costs are never refunded. [1]'),
    ]);
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('vary')).toMatch(/origin/i);
  });

  it('gets a preflight for ask paths only', async () => {
    const { preflight } = await start();
    const allowed = async (...given: Parameters<typeof preflight>) => {
      const { headers } = await preflight(...given);
      return headers.get('access-control-allow-origin');
    };
    for (const path of [
      agUi,
      '/api/agents/knowledge/stream',
      '/api/chat/knowledge',
      '/v1/chat/completions',
    ])
      expect([path, await allowed(path, origin)]).toEqual([path, origin]);
    for (const path of [
      '/api/tools/searchDocs',
      '/api/namespaces',
      '/api/state',
      '/mcp',
      '/v3/calls',
      '/api/namespaces/help/documents',
    ])
      expect([path, await allowed(path, origin, 'GET')]).toEqual([path, null]);
    // The key of the second origin has expired.
    for (const other of ['https://evil.example', 'https://old.example', 'null'])
      expect([other, await allowed(agUi, other)]).toEqual([other, null]);
  });

  it('keeps the rules of CORS_ORIGINS for other origins', async () => {
    const { preflight } = await start({ CORS_ORIGINS: 'https://chat.example' });
    const allowed = async (path: string, from: string) =>
      (await preflight(path, from)).headers.get('access-control-allow-origin');
    expect(await allowed('/api/namespaces', 'https://chat.example')).toBe('https://chat.example');
    expect(await allowed(agUi, 'https://chat.example')).toBe('https://chat.example');
    expect(await allowed(agUi, origin)).toBe(origin);
    expect(await allowed('/api/namespaces', origin)).toBeNull();
  });
});

describe('on a server that is open to all', () => {
  const open = { API_KEYS: '', ALLOW_ANONYMOUS: 'read', ANONYMOUS_NAMESPACES: 'help' };

  it('pages of other sites pass only with a publishable key of their origin', async () => {
    const { ask } = await start(open);
    const cross = { 'sec-fetch-site': 'cross-site' };
    expect((await ask(cross)).status).toBe(200);
    expect((await ask({ ...cross, authorization: 'Bearer pk_wrong' })).status).toBe(401);
    for (const authorization of ['', 'Bearer ka_bot']) {
      const { status, text } = await ask({ ...cross, authorization });
      expect([authorization, status, text]).toEqual([
        authorization,
        403,
        expect.stringContaining('origin_not_allowed'),
      ]);
    }
    expect((await ask({ ...cross, origin: 'https://evil.example' })).status).toBe(403);
  });
});

describe('visitors with the same key', () => {
  it('share no thread, even if they name the same one', async () => {
    const { ask, get } = await start();
    await ask();
    const followUp = 'and what about that?';
    const other = await ask({ 'x-forwarded-for': '203.0.113.10' }, followUp);
    const fresh = await (await start()).ask({}, followUp);
    const answerIn = (text: string) =>
      JSON.parse(/^data: (.*RUN_FINISHED.*)$/m.exec(text)?.[1] ?? '{}').result?.reason;
    expect(answerIn(other.text)).toBe(answerIn(fresh.text));
    expect(answerIn(fresh.text)).not.toBe('answered');
    expect((await get('/api/memory/threads', { 'x-api-key': 'operator' })).body.threads).toEqual(
      [],
    );
  });

  it('act for no user, and cannot say whether a message needs a mention', async () => {
    const { ask } = await start({ JWT_SECRET: jwtSecret });
    expect((await ask({ onBehalfOf: 'ann' })).status).toBe(403);
    expect((await ask({}, question, { user: 'ann', addressed: false })).text).toContain('30 days');
    // The token of a body is not read, so it cannot be tried out.
    expect(
      (
        await ask({}, question, {
          userToken: await signToken({ sub: 'ann' }, '5m', `${jwtSecret}-other`),
        })
      ).status,
    ).toBe(200);
    expect((await ask({ addressed: 'false' })).text).toContain('30 days');
  });
});
