import type { IncomingHttpHeaders } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { AddressGuard } from '../../src/ingest/fetch/address-guard.ts';
import { identifyUrl, loadUrl } from '../../src/ingest/fetch/load.ts';
import { Outbound, withRetries } from '../../src/ingest/fetch/outbound.ts';
import type { LoadedSource } from '../../src/ingest/source.ts';
import { startNameServer } from '../support/dns-server.ts';
import { startSite } from '../support/site.ts';

type Options = Partial<ConstructorParameters<typeof Outbound>[0]>;
const outbound = (hosts: string[] | undefined, more: Options = {}) =>
  new Outbound({ guard: new AddressGuard(hosts), maxBytes: 100_000, timeoutMs: 2_000, ...more })
    .get;
/** Far above the limit of bytes. */
const bomb = Buffer.alloc(4_000_000);
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'loaded',
    (error) => error.code,
  );

describe('a name server that changes its answers (DNS rebinding)', () => {
  it('is queried once per connection, and exactly that address is checked and dialled', async () => {
    const site = await startSite({ '/': { body: 'secret' } });
    const port = Number(site.host.split(':')[1]);
    const names = await startNameServer([['127.0.0.1'], ['8.8.8.8']]);
    const guard = new AddressGuard([`rebind.example:${port}`]);
    const get = outbound(undefined, { guard, resolve: names.resolve });
    // The operator allowed this host, so its private address is reached.
    expect((await get(`http://rebind.example:${port}/`)).status).toBe(200);
    expect(names.asked()).toBe(1);
  });

  it('cannot bypass the check with a public address first and a private one later', async () => {
    const names = await startNameServer([['203.0.113.1', '127.0.0.1'], ['127.0.0.1']]);
    const get = outbound(undefined, { resolve: names.resolve, timeoutMs: 500 });
    expect(await codeOf(get('http://rebind.example/'))).toBe('source_not_allowed');
    expect(await codeOf(get('http://rebind.example/'))).toBe('source_not_allowed');
    expect(names.asked()).toBe(2);
  });
});

it('a host is read at its next address if the first refuses the connection', async () => {
  const site = await startSite({ '/': { body: 'ok' } });
  const host = `both.example:${site.host.split(':')[1]}`;
  const get = outbound([host], { resolve: async () => ['::1', '127.0.0.1'] });
  expect((await get(`http://${host}/`)).status).toBe(200);
});

const load = (url: string, get: Outbound['get']) =>
  loadUrl(get, 100_000, identifyUrl(url), undefined) as Promise<LoadedSource>;

describe('a URL', () => {
  const page = { headers: { 'content-type': 'Text/HTML; charset="utf-8"' }, body: '<p>hi</p>' };

  it('is loaded with its type, and identified without its fragment', async () => {
    const { host, url } = await startSite({ '/a?b=1': page });
    expect(await load(`${url}/a?b=1#c`, outbound([host]))).toMatchObject({
      identity: `${url}/a?b=1`,
      origin: `${url}/a?b=1`,
      mediaType: 'text/html',
      charset: 'utf-8',
      bytes: Buffer.from(page.body),
    });
  });

  it('keeps its identity if the target of its redirect changes', async () => {
    let location = '/one';
    const { host, url } = await startSite({}, (path) =>
      path === '/start' ? { status: 302, headers: { location } } : page,
    );
    const first = await load(`${url}/start`, outbound([host]));
    location = '/two';
    const { identity, fallbackTitle, origin } = first;
    expect(first.location).toBe(`${url}/one`);
    expect(await load(`${url}/start`, outbound([host]))).toMatchObject({
      ...{ identity, fallbackTitle, origin, location: `${url}/two` },
    });
  });

  it.each([
    ['0;url=/x', '/x'],
    ['0, url=/x', '/x'],
    ['0 /x', '/x'],
    ['1.5; "/x"', '/x'],
    ['30;url=/x', '/'],
    ['30', '/'],
    ['1.5', '/'],
    ['3;', '/'],
  ])('that refreshes with %j is read from %s', async (refresh, path) => {
    const { host, url } = await startSite({ '/': { headers: { refresh } } }, () => page);
    expect((await load(url, outbound([host]))).location).toBe(url + path);
  });
});

describe('a hostile server', () => {
  const long = 'A long text. '.repeat(2_000);
  it.each([
    ['a gzip bomb', 'gzip', gzipSync(bomb), 'payload_too_large'],
    ['a br bomb', 'br', brotliCompressSync(bomb), 'payload_too_large'],
    ['a deflate bomb', 'deflate', deflateSync(bomb), 'payload_too_large'],
    ['truncated gzip', 'gzip', gzipSync(long).subarray(0, -8), 'fetch_failed'],
    ['truncated br', 'br', brotliCompressSync(long).subarray(0, -8), 'fetch_failed'],
    ['truncated deflate', 'deflate', deflateSync(long).subarray(0, -8), 'fetch_failed'],
    ['an unknown encoding', 'rot13', 'text', 'fetch_failed'],
    ['a repeated encoding', 'gzip, gzip, gzip, gzip', 'text', 'fetch_failed'],
  ])('cannot send %s', async (_, encoding, body, code) => {
    const site = await startSite({ '/': { headers: { 'content-encoding': encoding }, body } });
    expect(await codeOf(outbound([site.host])(site.url))).toBe(code);
  });

  it('cannot return an unrequested part of a page', async () => {
    const site = await startSite({ '/': { status: 206, body: 'part' } });
    expect(await codeOf(load(site.url, outbound([site.host])))).toBe('fetch_failed');
  });

  it('is abandoned at the same limit if a compressed file is too large, and a damaged file is reported', async () => {
    const headers = { 'content-type': 'application/gzip' };
    const site = await startSite({
      '/bomb.md.gz': { headers, body: gzipSync(bomb) },
      '/cut.md.gz': { headers, body: gzipSync('# Text').subarray(0, 15) },
      '/good.md.gz': { headers, body: gzipSync('# Text') },
    });
    const at = (path: string) => load(site.url + path, outbound([site.host]));
    expect(await codeOf(at('/bomb.md.gz'))).toBe('payload_too_large');
    expect(await codeOf(at('/cut.md.gz'))).toBe('ingest_failed');
    expect(await at('/good.md.gz')).toMatchObject({
      fileName: '/good.md',
      mediaType: undefined,
      bytes: Buffer.from('# Text'),
    });
  });
});

describe('the error message of a failed fetch', () => {
  it.each([
    ['ENOTFOUND', 'fetch_failed', 'its host name does not resolve'],
    ['ECONNREFUSED', 'fetch_failed', 'the connection was refused'],
    ['CERT_HAS_EXPIRED', 'fetch_failed', 'its certificate is not valid'],
    ['EWHATEVER', 'fetch_failed', 'the connection failed'],
    ['ETIMEDOUT', 'timeout', 'did not answer in time'],
  ])('explains %s', async (systemCode, code, words) => {
    const resolve = () =>
      Promise.reject(Object.assign(new Error('from the system'), { code: systemCode }));
    await expect(
      outbound(['name.example'], { resolve })('http://name.example/'),
    ).rejects.toMatchObject({
      code,
      message: expect.stringContaining(words),
    });
  });

  it('explains oversized headers', async () => {
    const site = await startSite({ '/': { headers: { x: 'y'.repeat(20_000) } } });
    await expect(outbound([site.host])(site.url)).rejects.toThrow('its response is not valid HTTP');
  });
});

describe('a redirect', () => {
  it.each(['http://user:secret@example.com/', 'http://127.0.0.1:22/', 'http://169.254.169.254/'])(
    'to %s is rejected',
    async (location) => {
      const site = await startSite({ '/': { status: 302, headers: { location } } });
      expect(await codeOf(outbound([site.host])(site.url))).toBe('source_not_allowed');
    },
  );

  it.each([
    ['utf8', '/caf%C3%A9'],
    ['latin1', '/caf%E9'],
  ] as const)('in raw %s is followed to %s', async (encoding, path) => {
    const location = Buffer.from('/café', encoding).toString('latin1');
    const { host, url } = await startSite({ '/': { status: 302, headers: { location } } });
    expect((await outbound([host])(url)).url.pathname).toBe(path);
  });

  it('sends no cookie and no validator to its target', async () => {
    let headers: IncomingHttpHeaders = {};
    const target = await startSite({
      '/': (request, response) => {
        headers = request.headers;
        response.end('ok');
      },
    });
    const site = await startSite({
      '/': { status: 302, headers: { location: target.url, 'set-cookie': 'id=1' } },
    });
    const validators = { location: `${site.url}/`, headers: { 'if-none-match': '"tag"' } };
    await outbound([site.host, target.host])(site.url, { validators });
    expect(Object.keys(headers).join()).not.toMatch(/cookie|if-none-match|authorization/);
    expect(headers['accept-encoding']).toBe('gzip, br');
  });
});

describe('a request is retried', () => {
  const retrying = (host: string) => withRetries(outbound([host]), { firstPauseMs: 1 });
  const failing = (times: number, status: number, headers: Record<string, string>) => {
    let left = times;
    return startSite({
      '/': (_, response) => {
        if (left-- > 0) response.writeHead(status, headers).end();
        else response.end('ok');
      },
    });
  };

  it('at the date in Retry-After', async () => {
    const site = await failing(1, 503, {
      'retry-after': new Date(Date.now() + 1_500).toUTCString(),
    });
    expect((await retrying(site.host)(site.url)).status).toBe(200);
  });

  it('after a broken connection', async () => {
    let left = 2;
    const site = await startSite({
      '/': (request, response) => (left-- > 0 ? request.socket.destroy() : response.end('ok')),
    });
    expect((await retrying(site.host)(site.url)).status).toBe(200);
    expect(site.requests).toHaveLength(3);
  });

  it('twice and no more', async () => {
    const site = await failing(9, 503, { 'retry-after': '0' });
    expect((await retrying(site.host)(site.url)).status).toBe(503);
    expect(site.requests).toHaveLength(3);
  });

  it.each([
    ['without a Retry-After', 503, {}],
    ['after a Retry-After that is too long', 429, { 'retry-after': '3600' }],
    ['after a permanent failure', 500, { 'retry-after': '0' }],
  ] as const)('never %s', async (_, status, headers) => {
    const site = await failing(1, status, headers);
    expect((await retrying(site.host)(site.url)).status).toBe(status);
    expect(site.requests).toHaveLength(1);
  });

  it('never for a forbidden address', async () => {
    let judged = 0;
    const guard = { checkUrl: () => undefined, isAllowedAddress: () => judged++ < 0 };
    expect(await codeOf(withRetries(outbound(undefined, { guard }))('http://127.0.0.1/'))).toBe(
      'source_not_allowed',
    );
    expect(judged).toBe(1);
  });

  it('with the delay in the error if it is too long', async () => {
    const site = await failing(9, 429, { 'retry-after': '3600' });
    await expect(load(site.url, retrying(site.host))).rejects.toThrow(
      'The source answered with status 429, and asks to retry after 3600 seconds.',
    );
  });
});

it('errors of a post name its target', async () => {
  const site = await startSite({ '/': () => undefined });
  const guard = new AddressGuard([site.host]);
  const { post } = new Outbound({ guard, name: 'The callback', timeoutMs: 50 });
  const sent = (url: string) =>
    post(url, { body: '{}', headers: {}, signal: new AbortController().signal });
  await expect(sent(site.url)).rejects.toMatchObject({
    code: 'timeout',
    message: 'The callback did not answer in time.',
  });
  await expect(sent('http://other.example')).rejects.toMatchObject({
    code: 'source_not_allowed',
    message: expect.stringMatching(/^The callback is blocked\. /),
  });
});
