import { describe, expect, it } from 'vitest';
import { sharedService } from '../support/workspace.ts';

type Headers = Record<string, string>;

const start = (settings: Record<string, string> = {}) =>
  sharedService(settings, { 'default/refunds.md': '# Refunds\n\nRefunds are paid in 30 days.\n' });
const listed = () =>
  start({
    ALLOWED_HOSTS: 'Docs.Example.com, *.wild.example, ported.example:8443',
    PUBLIC_URL: 'https://kb.example.com/help',
    CORS_ORIGINS: 'https://chat.example.com',
  });

/** One operation of each kind. */
const operations = [
  'GET /api/namespaces',
  'GET /api/gaps',
  'GET /v3/calls',
  'POST /api/namespaces/default/refresh',
  'POST /api/tools/ingestSources',
  'POST /api/agents/knowledge/generate',
  'DELETE /api/namespaces/default',
  'POST /api/webhooks/chat',
  'OPTIONS /api/namespaces/default',
  'GET /no/such/path',
];

/** Status and error code of each operation, also in responses below /v3. */
async function refusalsOf(named: readonly string[], headers: Headers) {
  const { request } = await start();
  const refusals = new Set<string>();
  for (const [method = '', path = ''] of named.map((one) => one.split(' '))) {
    const response = await request(path, { method, headers });
    const { code, error } = (await response.json()) as { code?: string; error: { code: string } };
    refusals.add(`${response.status} ${code ?? error.code.replace(/^ERR_/, '').toLowerCase()}`);
  }
  return [...refusals];
}

const statusOf = async ({ get }: Awaited<ReturnType<typeof start>>, headers: Headers) =>
  (await get('/api/namespaces', headers)).status;

describe('without authentication', () => {
  it('another host gets only 421', async () => {
    const all = [...operations, 'GET /health', 'GET /swagger-ui', 'GET /api/openapi.json'];
    expect(await refusalsOf(all, { host: 'evil.example' })).toEqual(['421 host_not_allowed']);
  });

  it.each([
    ...['localhost', 'LOCALHOST:4111', 'localhost.', 'agent.localhost:4111'],
    ...['127.0.0.1', '127.1.2.3:80', '[::1]:4111'],
    ...['docs.example.com', 'a.wild.example', 'ported.example:8443', 'kb.example.com'],
  ])('the host %j is accepted', async (host) => {
    expect(await statusOf(await listed(), { host })).toBe(200);
  });

  it.each([
    ...['localhost.evil.example', 'localhost@evil.example', 'localhost/evil.example', ''],
    ...['10.0.0.1', '[2001:db8::1]:4111', 'xdocs.example.com', 'a.docs.example.com'],
    ...['wild.example', 'evilwild.example', 'ported.example', 'ported.example:80'],
  ])('the host %j is rejected', async (host) => {
    expect(await statusOf(await listed(), { host })).toBe(421);
  });

  it.each([
    ['agent.internal', 'agent.internal:4111', 200],
    ['0.0.0.0', '192.168.1.5:4111', 200],
    ['0.0.0.0', '[2001:db8::1]:4111', 200],
    ['0.0.0.0', 'localhost:4111', 200],
    ['0.0.0.0', 'evil.example', 421],
  ])('a server that listens on %s answers to the host %s with %i', async (HOST, host, status) => {
    expect(await statusOf(await start({ HOST, ALLOW_ANONYMOUS: 'true' }), { host })).toBe(status);
  });

  it.each<Headers>([
    { origin: 'https://evil.example' },
    { origin: 'http://localhost:3000' },
    { origin: 'null' },
    { origin: '' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'cross-site', origin: 'http://localhost' },
  ])('a browser request from a page of another origin gets 403: %j', async (headers) => {
    expect(await refusalsOf(operations, headers)).toEqual(['403 origin_not_allowed']);
  });

  it.each<Headers>([
    {},
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'same-origin' },
    { origin: 'http://localhost', 'sec-fetch-site': 'same-origin' },
    { origin: 'https://localhost:4111', host: 'localhost:4111' },
  ])('a request of its own page or a program is accepted: %j', async (headers) => {
    const { request } = await start();
    const init = { method: 'POST', headers };
    expect((await request('/api/namespaces/default/refresh', init)).status).toBe(200);
  });

  it.each<[Headers, number]>([
    [{ origin: 'https://kb.example.com', 'sec-fetch-site': 'same-origin' }, 200],
    [{ origin: 'https://evil.example.com', 'sec-fetch-site': 'same-origin' }, 403],
    [{ origin: 'https://chat.example.com', 'sec-fetch-site': 'cross-site' }, 200],
    [{ origin: 'https://other.example.com', 'sec-fetch-site': 'cross-site' }, 403],
  ])('only origins of PUBLIC_URL and CORS_ORIGINS are accepted: %j', async (headers, status) => {
    expect(await statusOf(await listed(), { host: '127.0.0.1:4111', ...headers })).toBe(status);
  });

  it('a listed origin gets its preflight', async () => {
    const { request } = await listed();
    const origin = 'https://chat.example.com';
    const { status, headers } = await request('/api/namespaces/default', {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'DELETE' },
    });
    expect([status, headers.get('access-control-allow-origin')]).toEqual([204, origin]);
  });

  it('a link from another site may open the documentation', async () => {
    const { get } = await start();
    for (const path of ['/swagger-ui', '/api/openapi.json', '/health'])
      expect((await get(path, { 'sec-fetch-site': 'cross-site' })).status).toBe(200);
  });
});
