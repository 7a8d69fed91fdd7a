import { describe, expect, it } from 'vitest';
import { sharedService, startService, useService } from '../support/workspace.ts';

const files = { 'default/refunds.md': '# Refunds\n\nRefunds are paid within 30 days.\n' };
/** One operation of each kind. */
const operations = [
  ['GET', '/api/namespaces'],
  ['GET', '/api/gaps'],
  ['GET', '/v3/calls'],
  ['POST', '/api/namespaces/default/refresh'],
  ['POST', '/api/tools/ingestSources'],
  ['POST', '/api/agents/knowledge/generate'],
  ['DELETE', '/api/namespaces/default'],
  ['POST', '/api/webhooks/chat'],
  ['OPTIONS', '/api/namespaces/default'],
  ['GET', '/no/such/path'],
] as const;

/** The error code, also in responses below /v3. */
async function codeOf(response: Response): Promise<string> {
  const { code, error } = (await response.json()) as { code?: string; error: { code: string } };
  return code ?? error.code.replace(/^ERR_/, '').toLowerCase();
}

describe('without authentication', () => {
  const open = useService({}, files);
  const listed = useService(
    { ALLOWED_HOSTS: 'Docs.Example.com, *.wild.example, ported.example:8443' },
    files,
  );

  it.each([
    'evil.example',
    'evil.example:4111',
    'localhost.evil.example',
    '10.0.0.1',
    '[2001:db8::1]:4111',
    'localhost@evil.example',
    'localhost/evil.example',
    '',
  ])('the host %j gets only 421', async (host) => {
    const { request } = open();
    for (const [method, path] of [
      ...operations,
      ['GET', '/health'],
      ['GET', '/swagger-ui'],
      ['GET', '/api/openapi.json'],
    ] as const) {
      const response = await request(path, { method, headers: { host } });
      expect([response.status, await codeOf(response)], `${method} ${path}`).toEqual([
        421,
        'host_not_allowed',
      ]);
    }
  });

  it.each([
    'localhost',
    'LOCALHOST:4111',
    'localhost.',
    'agent.localhost:4111',
    '127.0.0.1',
    '127.1.2.3:80',
    '[::1]:4111',
    'docs.example.com',
    'a.wild.example',
    'ported.example:8443',
  ])('the host %j is accepted', async (host) => {
    const { request } = listed();
    expect((await request('/api/namespaces', { headers: { host } })).status).toBe(200);
  });

  it('a listed host matches only exactly', async () => {
    const { request } = listed();
    for (const host of [
      'xdocs.example.com',
      'a.docs.example.com',
      'wild.example',
      'evilwild.example',
      'ported.example',
      'ported.example:80',
    ])
      expect((await request('/api/namespaces', { headers: { host } })).status, host).toBe(421);
  });

  it('the host in HOST is accepted, or every address if the server listens on all', async () => {
    const statusOf = async (HOST: string, host: string) => {
      const { get } = await sharedService({ HOST, ALLOW_ANONYMOUS: 'true' }, files);
      return (await get('/api/namespaces', { host })).status;
    };
    expect(await statusOf('agent.internal', 'agent.internal:4111')).toBe(200);
    for (const host of ['192.168.1.5:4111', '[2001:db8::1]:4111', 'localhost:4111'])
      expect(await statusOf('0.0.0.0', host), host).toBe(200);
    expect(await statusOf('0.0.0.0', 'evil.example')).toBe(421);
  });

  it.each([
    { origin: 'https://evil.example' },
    { origin: 'http://localhost:3000' },
    { origin: 'null' },
    { origin: '' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'cross-site', origin: 'http://localhost' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'content-type': 'text/plain' },
  ])('a browser request from a page of another origin gets 403: %j', async (headers) => {
    const { request, get } = open();
    for (const [method, path] of operations) {
      const response = await request(path, { method, headers: headers as Record<string, string> });
      expect([response.status, await codeOf(response)], `${method} ${path}`).toEqual([
        403,
        'origin_not_allowed',
      ]);
    }
    expect((await get('/api/namespaces')).body.namespaces[0].documents).toBe(1);
  });

  it.each([
    {},
    { 'sec-fetch-site': 'none' },
    { 'sec-fetch-site': 'same-origin' },
    { origin: 'http://localhost', 'sec-fetch-site': 'same-origin' },
    { origin: 'https://localhost:4111', host: 'localhost:4111' },
  ])('a request of its own page or a program is accepted: %j', async (headers) => {
    const { request } = open();
    const init = { method: 'POST', headers: headers as Record<string, string> };
    expect((await request('/api/namespaces/default/refresh', init)).status).toBe(200);
  });

  it('the origin of PUBLIC_URL is accepted below another host, which a proxy has set', async () => {
    const { request } = await startService({ PUBLIC_URL: 'https://kb.example.com/help' }, files);
    const headers = { host: '127.0.0.1:4111', 'sec-fetch-site': 'same-origin' };
    const statusOf = async (origin: string) =>
      (await request('/api/namespaces', { headers: { ...headers, origin } })).status;
    expect(await statusOf('https://kb.example.com')).toBe(200);
    expect(await statusOf('https://evil.example.com')).toBe(403);
  });

  it('a listed origin is accepted, with its preflight', async () => {
    const { request } = await startService({ CORS_ORIGINS: 'https://chat.example.com' }, files);
    const headers = { origin: 'https://chat.example.com', 'sec-fetch-site': 'cross-site' };
    const preflight = await request('/api/namespaces/default', {
      method: 'OPTIONS',
      headers: { ...headers, 'access-control-request-method': 'DELETE' },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('https://chat.example.com');
    const statusOf = async (own: Record<string, string>) =>
      (await request('/api/namespaces', { headers: own })).status;
    expect(await statusOf(headers)).toBe(200);
    expect(await statusOf({ ...headers, origin: 'https://other.example.com' })).toBe(403);
    expect(await statusOf({ 'sec-fetch-site': 'cross-site' })).toBe(403);
  });

  it('a link from another site may open the documentation', async () => {
    const { request } = open();
    for (const path of ['/swagger-ui', '/api/openapi.json', '/health'])
      expect((await request(path, { headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(
        200,
      );
  });
});
