import type { IncomingHttpHeaders } from 'node:http';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { AddressGuard } from '../../src/ingest/fetch/address-guard.ts';
import { identifyUrl, loadUrl } from '../../src/ingest/fetch/load.ts';
import { Outbound, withRetries } from '../../src/ingest/fetch/outbound.ts';
import type { LoadedSource } from '../../src/ingest/source.ts';
import { startNameServer } from '../support/dns-server.ts';
import { type Page, type Site, startSite } from '../support/site.ts';

type Options = Partial<ConstructorParameters<typeof Outbound>[0]>;
const outbound = (hosts?: string[], more: Options = {}) =>
  new Outbound({ guard: new AddressGuard(hosts), maxBytes: 100_000, timeoutMs: 2_000, ...more })
    .get;
const load = ({ host, url }: Site, path = '') =>
  loadUrl(outbound([host]), 100_000, identifyUrl(url + path), undefined) as Promise<LoadedSource>;
/** A site whose first page is this one. */
const serving = (page: Page) => startSite({ '/': page });
const read = ({ host, url }: Site) => outbound([host])(url);
/** Far above the limit of bytes. */
const bomb = Buffer.alloc(4_000_000);
const codeOf = (promise: Promise<unknown>) =>
  promise.then(
    () => 'loaded',
    (error) => error.code,
  );

describe('a name server that changes its answers (DNS rebinding)', () => {
  it('is queried once per connection, and exactly that address is checked and dialled', async () => {
    const { host } = await serving({ body: 'secret' });
    const allowed = host.replace('127.0.0.1', 'rebind.example');
    const names = await startNameServer([['127.0.0.1'], ['8.8.8.8']]);
    const get = outbound([allowed], { resolve: names.resolve });
    // The operator allowed this host, so its private address is reached.
    expect((await get(`http://${allowed}/`)).status).toBe(200);
    expect(names.asked()).toBe(1);
  });

  it('cannot bypass the check with a public address first and a private one later', async () => {
    const names = await startNameServer([['203.0.113.1', '127.0.0.1'], ['127.0.0.1']]);
    const get = outbound(undefined, { resolve: names.resolve, timeoutMs: 500 });
    for (let time = 0; time < 2; time++)
      expect(await codeOf(get('http://rebind.example/'))).toBe('source_not_allowed');
    expect(names.asked()).toBe(2);
  });
});

it('a host is read at its next address if the first refuses the connection', async () => {
  const site = await serving({ body: 'ok' });
  const host = site.host.replace('127.0.0.1', 'both.example');
  const get = outbound([host], { resolve: async () => ['::1', '127.0.0.1'] });
  expect((await get(`http://${host}/`)).status).toBe(200);
});

describe('a URL', () => {
  const page = { headers: { 'content-type': 'Text/HTML; charset="utf-8"' }, body: '<p>hi</p>' };

  it('is loaded with its type, and identified without its fragment', async () => {
    const site = await startSite({ '/a?b=1': page });
    const identity = `${site.url}/a?b=1`;
    expect(await load(site, '/a?b=1#c')).toMatchObject({
      ...{ identity, origin: identity, mediaType: 'text/html', charset: 'utf-8' },
      bytes: Buffer.from(page.body),
    });
  });

  it('keeps its identity if the target of its redirect changes', async () => {
    let location = '/one';
    const site = await startSite({}, (path) =>
      path === '/start' ? { status: 302, headers: { location } } : page,
    );
    const first = await load(site, '/start');
    location = '/two';
    const { identity, fallbackTitle, origin } = first;
    expect(first.location).toBe(`${site.url}/one`);
    const moved = { identity, fallbackTitle, origin, location: `${site.url}/two` };
    expect(await load(site, '/start')).toMatchObject(moved);
  });

  it.each([
    ['0;url=/x', '/x'],
    ['0, url=/x', '/x'],
    ['0 /x', '/x'],
    ['1.5; "/x"', '/x'],
    ['30;url=/x', '/'],
    ['1.5', '/'],
    ['3;', '/'],
  ])('that refreshes with %j is read from %s', async (refresh, path) => {
    const site = await startSite({ '/': { headers: { refresh } } }, () => page);
    expect((await load(site)).location).toBe(site.url + path);
  });
});

describe('a hostile server', () => {
  const long = 'A long text. '.repeat(2_000);
  it.each([
    ['a gzip bomb', 'gzip', gzipSync(bomb), 'payload_too_large'],
    ['a br bomb', 'br', brotliCompressSync(bomb), 'payload_too_large'],
    ['a deflate bomb', 'deflate', deflateSync(bomb), 'payload_too_large'],
    ['truncated gzip', 'gzip', gzipSync(long).subarray(0, -8), 'fetch_failed'],
    ['an unknown encoding', 'rot13', 'text', 'fetch_failed'],
    ['a repeated encoding', 'gzip, gzip, gzip, gzip', 'text', 'fetch_failed'],
  ])('cannot send %s', async (_, encoding, body, code) => {
    const site = await serving({ headers: { 'content-encoding': encoding }, body });
    expect(await codeOf(read(site))).toBe(code);
  });

  it('cannot return an unrequested part of a page', async () => {
    expect(await codeOf(load(await serving({ status: 206, body: 'part' })))).toBe('fetch_failed');
  });

  it('is abandoned at the same limit if a compressed file is too large, and a damaged file is reported', async () => {
    const packed = (body: Buffer) => ({ headers: { 'content-type': 'application/gzip' }, body });
    const site = await startSite({
      '/bomb.md.gz': packed(gzipSync(bomb)),
      '/cut.md.gz': packed(gzipSync('# Text').subarray(0, 15)),
      '/good.md.gz': packed(gzipSync('# Text')),
    });
    expect(await codeOf(load(site, '/bomb.md.gz'))).toBe('payload_too_large');
    expect(await codeOf(load(site, '/cut.md.gz'))).toBe('ingest_failed');
    expect(await load(site, '/good.md.gz')).toMatchObject({
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
    const get = outbound(['name.example'], { resolve });
    const message = expect.stringContaining(words);
    await expect(get('http://name.example/')).rejects.toMatchObject({ code, message });
  });

  it('explains oversized headers', async () => {
    const site = await serving({ headers: { x: 'y'.repeat(20_000) } });
    await expect(read(site)).rejects.toThrow('its response is not valid HTTP');
  });
});

describe('a redirect', () => {
  it.each(['http://user:secret@example.com/', 'http://127.0.0.1:22/', 'http://169.254.169.254/'])(
    'to %s is rejected',
    async (location) => {
      const site = await serving({ status: 302, headers: { location } });
      expect(await codeOf(read(site))).toBe('source_not_allowed');
    },
  );

  it.each([
    ['utf8', '/caf%C3%A9'],
    ['latin1', '/caf%E9'],
  ] as const)('in raw %s is followed to %s', async (encoding, path) => {
    const location = Buffer.from('/café', encoding).toString('latin1');
    const site = await serving({ status: 302, headers: { location } });
    expect((await read(site)).url.pathname).toBe(path);
  });

  it('sends no cookie and no validator to its target', async () => {
    let headers: IncomingHttpHeaders = {};
    const target = await startSite({}, () => (request, response) => {
      headers = request.headers;
      response.end('ok');
    });
    const location = { location: target.url, 'set-cookie': 'id=1' };
    const { host, url } = await serving({ status: 302, headers: location });
    const validators = { location: `${url}/`, headers: { 'if-none-match': '"tag"' } };
    await outbound([host, target.host])(url, { validators });
    expect(Object.keys(headers).join()).not.toMatch(/cookie|if-none-match|authorization/);
    expect(headers['accept-encoding']).toBe('gzip, br');
  });
});

describe('a request is retried', () => {
  const retrying = (host: string) => withRetries(outbound([host]), { firstPauseMs: 1 });
  /** @returns the status of the last attempt, and the number of attempts */
  const tried = async ({ host, url, requests }: Site) => [
    (await retrying(host)(url)).status,
    requests.length,
  ];
  /** @param status undefined: the connection breaks */
  const failing = (times: number, status?: number, headers: Record<string, string> = {}) => {
    let left = times;
    return startSite({}, () => (request, response) => {
      if (left-- <= 0) response.end('ok');
      else if (status === undefined) request.socket.destroy();
      else response.writeHead(status, headers).end();
    });
  };

  it('at the date in Retry-After', async () => {
    const date = new Date(Date.now() + 1_500).toUTCString();
    expect(await tried(await failing(1, 503, { 'retry-after': date }))).toEqual([200, 2]);
  });

  it.each<[string, number, number | undefined, Record<string, string>, number[]]>([
    ['after a broken connection', 2, undefined, {}, [200, 3]],
    ['twice and no more', 9, 503, { 'retry-after': '0' }, [503, 3]],
    ['never without a Retry-After', 1, 503, {}, [503, 1]],
    ['never after a Retry-After that is too long', 1, 429, { 'retry-after': '3600' }, [429, 1]],
    ['never after a permanent failure', 1, 500, { 'retry-after': '0' }, [500, 1]],
  ])('%s', async (_, times, status, headers, outcome) => {
    expect(await tried(await failing(times, status, headers))).toEqual(outcome);
  });

  it('never for a forbidden address', async () => {
    let judged = 0;
    const guard = { checkUrl: () => undefined, isAllowedAddress: () => judged++ < 0 };
    const get = withRetries(outbound(undefined, { guard }));
    expect(await codeOf(get('http://127.0.0.1/'))).toBe('source_not_allowed');
    expect(judged).toBe(1);
  });

  it('with the delay in the error if it is too long', async () => {
    const { host, url } = await failing(9, 429, { 'retry-after': '3600' });
    const loading = loadUrl(retrying(host), 100_000, identifyUrl(url), undefined);
    await expect(loading).rejects.toThrow('status 429, and asks to retry after 3600 seconds.');
  });
});

it('errors of a post name its target', async () => {
  const { host, url } = await startSite({ '/': () => undefined });
  const guard = new AddressGuard([host]);
  const { post } = new Outbound({ guard, name: 'The callback', timeoutMs: 50 });
  const { signal } = new AbortController();
  for (const [to, message] of [
    [url, 'The callback did not answer in time.'],
    ['http://other.example', 'The callback is blocked. '],
  ] as const)
    await expect(post(to, { body: '{}', headers: {}, signal })).rejects.toThrow(message);
});
