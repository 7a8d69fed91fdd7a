import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { startServerProcess } from '../support/server-process.ts';
import { callRecord, send, startUpstream } from '../support/upstream.ts';
import { temporaryFolder } from '../support/workspace.ts';

const key = 'operators-own-k3y';

function sendRaw(url: string, request: string): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let text = '';
    connect(Number(port), hostname)
      .on('data', (part) => (text += part))
      .on('close', () => resolve(text))
      .on('error', reject)
      .end(request);
  });
}

it('cancels upstream requests of disconnected callers, confines raw paths and headers, and never logs the key', async () => {
  const upstream = await startUpstream(({ url }, response) => {
    if (url?.endsWith('/slow')) return;
    if (url?.endsWith('/refused') || url?.endsWith('/broken'))
      send(
        response,
        url.endsWith('/refused') ? 401 : 500,
        `{"error":{"code":"ERR_X","message":"${key}"}}`,
      );
    else send(response, 200, { data: callRecord(1, { status: 'ongoing' }) });
  });
  const folder = await temporaryFolder();
  const server = await startServerProcess({
    KNOWLEDGE_DIR: join(folder, 'knowledge'),
    INDEX_DIR: join(folder, 'index'),
    CALLS_BASE_URL: upstream.baseUrl,
    CALLS_API_KEY: key,
    LOG_LEVEL: 'trace',
  });
  const headers = { apikey: 'callers-own-k3y' };
  const hangUp = new AbortController();
  const aborted = fetch(`${server.url}/v3/calls/slow`, { headers, signal: hangUp.signal }).catch(
    (error: Error) => error.name,
  );
  await upstream.until(() => upstream.requests.length > 0);
  hangUp.abort();
  expect(await aborted).toBe('AbortError');
  await upstream.until(() => upstream.abandoned() > 0);

  for (const [path, status] of [
    ['refused', 502],
    ['broken', 502],
  ] as const) {
    const response = await fetch(`${server.url}/v3/calls/${path}`, { headers });
    expect(response.status).toBe(status);
    expect((await response.text()) + JSON.stringify([...response.headers])).not.toMatch(/own-k3y/);
  }
  for (const target of [
    '/v3/calls/../../admin',
    '/v3/calls/%2e%2e/%2e%2e/admin',
    '/v3/calls//evil.example/',
    'http://evil.example/v3/calls/x',
    '//evil.example/v3/calls/x',
  ]) {
    await sendRaw(
      server.url,
      `GET ${target} HTTP/1.1\r\nHost: localhost\r\napikey: k\r\nConnection: close\r\n\r\n`,
    );
  }
  const split = await sendRaw(
    server.url,
    'GET /v3/calls/x HTTP/1.1\r\nHost: localhost\r\napikey: k\r\nonBehalfOf: alice\u0000\r\nConnection: close\r\n\r\n',
  );
  expect(split).toMatch(/^HTTP\/1\.1 400/);
  for (const { url, headers } of upstream.requests) {
    expect(url).toMatch(/^\/v3\/calls\/[^/]+$/);
    expect(headers['host']).toBe(new URL(upstream.baseUrl).host);
  }
  expect(await server.stop('SIGTERM')).toBe(0);
  expect(server.output()).toContain('ERR_UPSTREAM_KEY_REFUSED');
  expect(server.output()).not.toMatch(/own-k3y/);
});
