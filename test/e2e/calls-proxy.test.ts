/** What only a real HTTP connection can send to the proxy of calls: raw paths, and hanging up. */
import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { serveOnLoopback } from '../support/event-stream.ts';
import { callRecord, send, startUpstream } from '../support/upstream.ts';
import { startService } from '../support/workspace.ts';

function sendRaw(url: string, target: string, header = ''): Promise<string> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    let text = '';
    connect(Number(port), hostname)
      .on('data', (part) => (text += part))
      .on('close', () => resolve(text))
      .on('error', reject)
      .end(
        `GET ${target} HTTP/1.1\r\nHost: localhost\r\napikey: k\r\n${header}Connection: close\r\n\r\n`,
      );
  });
}

it('cancels upstream requests of disconnected callers, and confines raw paths and headers', async () => {
  const upstream = await startUpstream(({ url }, response) => {
    if (!url?.endsWith('/slow')) send(response, 200, { data: callRecord(1) });
  });
  const settings = { CALLS_BASE_URL: upstream.baseUrl, CALLS_API_KEY: 'operators-own-k3y' };
  const server = await serveOnLoopback(await startService(settings), settings);
  const hangUp = new AbortController();
  const headers = { apikey: 'callers-own-k3y' };
  const aborted = fetch(`${server}/v3/calls/slow`, { headers, signal: hangUp.signal }).catch(
    (error: Error) => error.name,
  );
  await upstream.until(() => upstream.requests.length > 0);
  hangUp.abort();
  expect(await aborted).toBe('AbortError');
  await upstream.until(() => upstream.abandoned() > 0);

  for (const target of [
    '/v3/calls/../../admin',
    '/v3/calls/%2e%2e/%2e%2e/admin',
    '/v3/calls//evil.example/',
    'http://evil.example/v3/calls/x',
    '//evil.example/v3/calls/x',
  ])
    await sendRaw(server, target);
  expect(await sendRaw(server, '/v3/calls/x', 'onBehalfOf: alice\u0000\r\n')).toMatch(
    /^HTTP\/1\.1 400/,
  );
  for (const { url, headers: sent } of upstream.requests) {
    expect(url).toMatch(/^\/v3\/calls\/[^/]+$/);
    expect(sent['host']).toBe(new URL(upstream.baseUrl).host);
  }
});
