import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SourceVersion } from '../../src/documents/document.ts';
import { createAddressGuard } from '../../src/ingest/fetch/address-guard.ts';
import { createUrlLoader, identifyUrl } from '../../src/ingest/fetch/load.ts';
import { createOutbound, type OutboundOptions } from '../../src/ingest/fetch/outbound.ts';
import type { LoadedSource } from '../../src/ingest/source.ts';

/** A web server on loopback that counts its requests. */
async function serve(listener: RequestListener): Promise<{ port: number; url: string; requests: string[] }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.url} ${JSON.stringify(request.headers)}`);
    listener(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { port, url: `http://127.0.0.1:${port}`, requests };
}

const maxBytes = 100_000;
const loader = (hosts: string[] | undefined, more: Partial<OutboundOptions> = {}) => {
  const load = createUrlLoader(createOutbound({ guard: createAddressGuard(hosts), maxBytes, timeoutMs: 2_000, ...more }), maxBytes);
  return async (url: string, known?: SourceVersion) => (await load(identifyUrl(url), known, undefined)) as LoadedSource;
};
const page: RequestListener = (_, response) => response.writeHead(200, { 'content-type': 'Text/HTML; charset="utf-8"' }).end('<p>hi</p>');

describe('a URL', () => {
  it('is read with its type, and identified without its fragment', async () => {
    const { port, url } = await serve(page);
    const loaded = await loader([`127.0.0.1:${port}`])(`${url}/a?b=1#c`);
    expect(loaded).toMatchObject({ identity: `${url}/a?b=1`, origin: `${url}/a?b=1`, mediaType: 'text/html', charset: 'utf-8' });
    expect(Buffer.from(loaded.bytes).toString()).toBe('<p>hi</p>');
  });

  it('has a name that does not change with where it redirects to', async () => {
    let target = '/one';
    const { port, url } = await serve((request, response) =>
      request.url === '/start' ? response.writeHead(302, { location: target }).end() : page(request, response),
    );
    const load = loader([`127.0.0.1:${port}`]);
    const first = await load(`${url}/start`);
    target = '/two';
    const second = await load(`${url}/start`);
    expect([second.identity, second.fallbackTitle, second.origin]).toEqual([first.identity, first.fallbackTitle, first.origin]);
    expect([first.location, second.location]).toEqual([`${url}/one`, `${url}/two`]);
  });

  it('is asked for with no cookie and no authorization', async () => {
    const { port, url, requests } = await serve(page);
    await loader([`127.0.0.1:${port}`])(url);
    expect(requests[0]).not.toMatch(/cookie|authorization/i);
  });
});

describe('is refused with source_not_allowed', () => {
  const refused = (promise: Promise<unknown>) => expect(promise).rejects.toMatchObject({ code: 'source_not_allowed' });

  it('a private address, and nothing is sent to it', async () => {
    const { url, requests } = await serve(page);
    await refused(loader(undefined)(url));
    expect(requests).toEqual([]);
  });

  it('a name that resolves to a private address', async () => {
    const { requests } = await serve(page);
    for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1']) {
      await refused(loader(undefined, { resolve: async () => [address] })('http://inside.example.com/'));
    }
    expect(requests).toEqual([]);
  });

  it('a redirect to a private address', async () => {
    const target = await serve(page);
    const { port, url } = await serve((_, response) => response.writeHead(302, { location: `${target.url}/secret` }).end());
    await refused(loader([`127.0.0.1:${port}`])(url));
    expect(target.requests).toEqual([]);
  });

  it('a redirect to another scheme', async () => {
    const { port, url } = await serve((_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end());
    await refused(loader([`127.0.0.1:${port}`])(url));
  });

  it('a name that is public when asked first and private when asked again', async () => {
    const { requests } = await serve(page);
    const answers = [['8.8.8.8'], ['127.0.0.1']];
    let asked = 0;
    // The name is resolved once for each connection, and the address that was judged is the one that is dialled.
    const load = loader(undefined, { timeoutMs: 400, resolve: async () => answers[Math.min(asked++, 1)] ?? [] });
    await expect(load('http://rebind.example.com/')).rejects.toThrow();
    expect(requests).toEqual([]);
    expect(asked).toBe(1);
    await refused(load('http://rebind.example.com/'));
  });
});

describe('fails clearly', () => {
  const failing = async (listener: RequestListener, more: Parameters<typeof loader>[1] = {}) => {
    const { port, url } = await serve(listener);
    return loader(
      [`127.0.0.1:${port}`],
      more,
    )(url).then(
      () => 'loaded',
      (error) => error.code,
    );
  };

  it.each([404, 410])('on %d', async (status) =>
    expect(await failing((_, response) => response.writeHead(status).end())).toBe('source_not_found'),
  );
  it.each([401, 403, 500, 503])('on %d', async (status) =>
    expect(await failing((_, response) => response.writeHead(status).end())).toBe('fetch_failed'),
  );
  it('on a redirect that never ends, after a handful of hops', async () => {
    const { port, url, requests } = await serve((_, response) => response.writeHead(302, { location: '/' }).end());
    await expect(loader([`127.0.0.1:${port}`])(url)).rejects.toMatchObject({ code: 'fetch_failed' });
    expect(requests).toHaveLength(6);
  });
  it('on a declared size over the limit', async () =>
    expect(await failing((_, response) => response.writeHead(200, { 'content-length': '100001' }).end('x'.repeat(100_001)))).toBe(
      'payload_too_large',
    ));
  it('on a gzip bomb, counted after decompression', async () =>
    expect(
      await failing((_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50_000_000)))),
    ).toBe('payload_too_large'));
  it('on a body that never ends', async () =>
    expect(await failing((_, response) => void response.writeHead(200).write('x'), { timeoutMs: 300 })).toBe('timeout'));
  it('on an answer that never comes', async () => expect(await failing(() => undefined, { timeoutMs: 300 })).toBe('timeout'));
  it('on headers beyond reason', async () =>
    expect(await failing((_, response) => response.writeHead(200, { x: 'y'.repeat(20_000) }).end())).toBe('fetch_failed'));
  it('on a reset connection', async () => expect(await failing((request) => request.socket.destroy())).toBe('fetch_failed'));
  it('on what is no URL', async () => expect(loader(undefined)('http://')).rejects.toMatchObject({ code: 'source_not_allowed' }));
});
