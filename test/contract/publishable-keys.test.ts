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
import { sharedBy, startService, temporaryFolder } from '../support/workspace.ts';

type Headers = Readonly<Record<string, string>>;

const origin = 'https://shop.example';
const agUi = '/api/agents/knowledge/ag-ui';
const files = {
  'help/refunds.md': '# Refunds\n\nFull refunds are granted within 30 days of purchase.\n',
};
const question = 'what about refunds?';
const createdAt = new Date().toISOString();
const lineOf = (id: string, key: string, more: object = {}) =>
  JSON.stringify({
    ...{ id, name: id, sha256: hashKey(key), rights: ['ask'], namespaces: ['help'], createdAt },
    ...more,
  });

async function start(settings: Headers) {
  const file = join(await temporaryFolder(), 'keys.jsonl');
  const lines = [
    lineOf('shop', 'pk_shop', { origins: [origin] }),
    lineOf('old', 'pk_old', { origins: ['https://old.example'], expiresAt: createdAt }),
    lineOf('bot', 'ka_bot'),
  ];
  await writeFile(file, lines.join('\n'));
  const all = {
    ...{ API_KEYS_FILE: file, API_KEYS: 'operator', TRUSTED_PROXIES: '10.0.0.1' },
    ...settings,
  };
  const service = await startService(all, files);
  const config = parseConfig({ RATE_LIMIT_PER_MINUTE: '0', ...all });
  const app = createApp(config, service.api, service.logger);
  const connection = { incoming: { socket: { remoteAddress: '10.0.0.1' } } };

  /** @param more properties of the body */
  async function ask(headers: Headers = {}, content = question, more: object = {}) {
    const body = JSON.stringify({
      ...{ threadId: 't', runId: 'r', messages: [{ id: '1', role: 'user', content }] },
      forwardedProps: { namespace: 'help', ...more },
    });
    const sent = {
      ...{ authorization: 'Bearer pk_shop', origin, 'content-type': 'application/json' },
      ...{ 'x-forwarded-for': '203.0.113.9', ...headers },
    };
    const init = { method: 'POST', headers: sent, body };
    const response = await app.request(agUi, init, connection);
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
  /** The origin that a preflight allows. */
  async function allowed(path: string, from: string, method = 'POST') {
    const headers = {
      origin: from,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization,content-type',
    };
    const response = await app.request(path, { method: 'OPTIONS', headers });
    return response.headers.get('access-control-allow-origin');
  }
  return { ask, allowed };
}
const server = (settings: Headers = {}) =>
  sharedBy(JSON.stringify(settings), () => start(settings));

describe('a page of a listed origin', () => {
  it('asks without a mention, and reads the answer without cookies', async () => {
    const { ask } = await server();
    const { status, headers, text } = await ask();
    expect(status).toBe(200);
    expect(text).toContain('within 30 days of purchase. [1]');
    expect(headers.get('access-control-allow-origin')).toBe(origin);
    expect(headers.get('access-control-allow-credentials')).toBeNull();
    expect(headers.get('vary')).toMatch(/origin/i);
  });

  it('gets a preflight for ask paths only', async () => {
    const { allowed } = await server();
    for (const path of [agUi, '/api/chat/knowledge', '/v1/chat/completions'])
      expect(await allowed(path, origin), path).toBe(origin);
    for (const path of ['/api/tools/searchDocs', '/api/namespaces', '/mcp', '/v3/calls'])
      expect(await allowed(path, origin, 'GET'), path).toBeNull();
    // The key of the second origin has expired.
    for (const other of ['https://evil.example', 'https://old.example', 'null'])
      expect(await allowed(agUi, other), other).toBeNull();
  });

  it('changes no rule of CORS_ORIGINS for other origins', async () => {
    const { allowed } = await server({ CORS_ORIGINS: 'https://chat.example' });
    for (const path of ['/api/namespaces', agUi])
      expect(await allowed(path, 'https://chat.example')).toBe('https://chat.example');
    expect(await allowed(agUi, origin)).toBe(origin);
    expect(await allowed('/api/namespaces', origin)).toBeNull();
  });
});

const cross = { 'sec-fetch-site': 'cross-site' };
it.each<[number, Headers]>([
  [200, {}],
  [403, { authorization: '' }],
  [403, { authorization: 'Bearer ka_bot' }],
  [403, { origin: 'https://evil.example' }],
])('an open server answers a page of another site with %i: %j', async (code, sent) => {
  const open = { API_KEYS: '', ALLOW_ANONYMOUS: 'read', ANONYMOUS_NAMESPACES: 'help' };
  const { status, text } = await (await server(open)).ask({ ...cross, ...sent });
  expect(status).toBe(code);
  expect(text.includes('origin_not_allowed')).toBe(code === 403);
});

describe('visitors with the same key', () => {
  it('share no thread, even if they name the same one', async () => {
    const { ask } = await server();
    await ask();
    const { text } = await ask({ 'x-forwarded-for': '203.0.113.10' }, 'and what about that?');
    const finished = JSON.parse(/^data: (.*RUN_FINISHED.*)$/m.exec(text)?.[1] ?? '{}');
    expect(finished.result.citations).toEqual([]);
  });

  it('act for no user, and cannot say whether a message needs a mention', async () => {
    const { ask } = await server({ JWT_SECRET: jwtSecret });
    expect((await ask({ onBehalfOf: 'ann' })).status).toBe(403);
    expect((await ask({}, question, { user: 'ann', addressed: false })).text).toContain('30 days');
    expect((await ask({ addressed: 'false' })).text).toContain('30 days');
    // The token of a body is not read, so it cannot be tried out.
    const userToken = await signToken({ sub: 'ann' }, '5m', `${jwtSecret}-other`);
    expect((await ask({}, question, { userToken })).status).toBe(200);
  });
});
