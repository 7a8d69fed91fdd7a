import { describe, expect, it } from 'vitest';
import type { SourceVersion } from '../../src/documents/document.ts';
import { AddressGuard } from '../../src/ingest/fetch/address-guard.ts';
import { identifyUrl, loadUrl } from '../../src/ingest/fetch/load.ts';
import { Outbound } from '../../src/ingest/fetch/outbound.ts';
import type { LoadedSource } from '../../src/ingest/source.ts';
import { startSite } from '../support/site.ts';

const maxBytes = 100_000;
type Options = Partial<ConstructorParameters<typeof Outbound>[0]>;
const loader = (hosts: string[] | undefined, more: Options = {}) => {
  const guard = new AddressGuard(hosts);
  const { get } = new Outbound({ guard, maxBytes, timeoutMs: 2_000, ...more });
  return async (url: string, known?: SourceVersion) =>
    (await loadUrl(get, maxBytes, identifyUrl(url), known)) as LoadedSource;
};
const page = { headers: { 'content-type': 'Text/HTML; charset="utf-8"' }, body: '<p>hi</p>' };

describe('a URL', () => {
  it('is loaded with its type, and identified without its fragment', async () => {
    const { host, url } = await startSite({ '/a?b=1': page });
    const loaded = await loader([host])(`${url}/a?b=1#c`);
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
    const { host, url } = await startSite({}, (path) =>
      path === '/start' ? { status: 302, headers: { location: target } } : page,
    );
    const load = loader([host]);
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
    const { url, requests } = await startSite({ '/': page });
    await expectRejected(loader(undefined)(url));
    expect(requests).toEqual([]);
  });

  it('a name that resolves to a private address', async () => {
    for (const address of ['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1', '::ffff:127.0.0.1']) {
      await expectRejected(
        loader(undefined, { resolve: async () => [address] })('http://inside.example.com/'),
      );
    }
  });
});
