import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SourceVersion } from '../../src/documents/document.ts';
import { AddressGuard } from '../../src/ingest/fetch/address-guard.ts';
import { identifyUrl, loadUrl } from '../../src/ingest/fetch/load.ts';
import { Outbound } from '../../src/ingest/fetch/outbound.ts';
import type { LoadedSource } from '../../src/ingest/source.ts';

/** A web server on loopback that records its requests. */
async function serve(
  listener: RequestListener,
): Promise<{ port: number; url: string; requests: string[] }> {
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
type Options = Partial<ConstructorParameters<typeof Outbound>[0]>;
const loader = (hosts: string[] | undefined, more: Options = {}) => {
  const guard = new AddressGuard(hosts);
  const { get } = new Outbound({ guard, maxBytes, timeoutMs: 2_000, ...more });
  return async (url: string, known?: SourceVersion) =>
    (await loadUrl(get, maxBytes, identifyUrl(url), known)) as LoadedSource;
};
const page: RequestListener = (_, response) =>
  response.writeHead(200, { 'content-type': 'Text/HTML; charset="utf-8"' }).end('<p>hi</p>');

describe('a URL', () => {
  it('is loaded with its type, and identified without its fragment', async () => {
    const { port, url } = await serve(page);
    const loaded = await loader([`127.0.0.1:${port}`])(`${url}/a?b=1#c`);
    expect(loaded).toMatchObject({
      identity: `${url}/a?b=1`,
      origin: `${url}/a?b=1`,
      mediaType: 'text/html',
      charset: 'utf-8',
    });
    expect(Buffer.from(loaded.bytes).toString()).toBe('<p>hi</p>');
  });

  it('keeps its identity if the target of its redirect changes', async () => {
    let target = '/one';
    const { port, url } = await serve((request, response) =>
      request.url === '/start'
        ? response.writeHead(302, { location: target }).end()
        : page(request, response),
    );
    const load = loader([`127.0.0.1:${port}`]);
    const first = await load(`${url}/start`);
    target = '/two';
    const second = await load(`${url}/start`);
    expect([second.identity, second.fallbackTitle, second.origin]).toEqual([
      first.identity,
      first.fallbackTitle,
      first.origin,
    ]);
    expect([first.location, second.location]).toEqual([`${url}/one`, `${url}/two`]);
  });
});

describe('the loader rejects with source_not_allowed', () => {
  const expectRejected = (promise: Promise<unknown>) =>
    expect(promise).rejects.toMatchObject({ code: 'source_not_allowed' });

  it('a private address, without a request to it', async () => {
    const { url, requests } = await serve(page);
    await expectRejected(loader(undefined)(url));
    expect(requests).toEqual([]);
  });

  it('a name that resolves to a private address', async () => {
    const { requests } = await serve(page);
    for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1']) {
      await expectRejected(
        loader(undefined, { resolve: async () => [address] })('http://inside.example.com/'),
      );
    }
    expect(requests).toEqual([]);
  });
});
