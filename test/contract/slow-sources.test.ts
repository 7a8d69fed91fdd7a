import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { page, type Site, startSite } from '../support/site.ts';
import { startService } from '../support/workspace.ts';

/** Twice is longer than a source may take. */
const slowMs = 250;

async function ingest(site: Site, source: object, sourceTimeoutMs = 400) {
  const { post } = await startService({ ALLOWED_URL_HOSTS: site.host }, {}, { sourceTimeoutMs });
  const { body } = await post('/api/tools/ingestSources', { sources: [source] });
  return body.results as { source: string; status: string; error?: { code: string; message: string } }[];
}

const slowly =
  (answer: RequestListener): RequestListener =>
  (request, response) =>
    void setTimeout(() => answer(request, response), slowMs);
const broken: RequestListener = (request) => void request.socket.destroy();
const redirect =
  (location: string): RequestListener =>
  (_, response) =>
    void response.writeHead(302, { location }).end();
const notFound: RequestListener = (_, response) => void response.writeHead(404).end();

/** A byte now and then, without an end. */
const drip = (start: string, piece: string): RequestListener => {
  return ({ socket }) => {
    socket.write(start);
    const timer = setInterval(() => socket.write(piece), 50);
    socket.on('close', () => clearInterval(timer)).on('error', () => undefined);
  };
};
const drippingHeaders = drip('HTTP/1.1 200 OK\r\nx: ', 'y');
const drippingBody = drip('HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 100000\r\n\r\n', 'y');

describe('a source ends at one deadline', () => {
  it.each<[string, RequestListener]>([
    ['whose headers drip', drippingHeaders],
    ['whose body drips', drippingBody],
    ['that fails slowly each time it is asked again', slowly(broken)],
    ['that redirects slowly', slowly(redirect('/next'))],
    ['that asks slowly to come back', slowly((_, response) => void response.writeHead(503, { 'retry-after': '0' }).end())],
  ])('%s', async (_, listener) => {
    const site = await startSite({ '/': listener, '/next': listener });
    expect(await ingest(site, { url: `${site.url}/` })).toMatchObject([{ status: 'failed', error: { code: 'timeout' } }]);
    expect(site.requests.length).toBeLessThanOrEqual(2);
  });
});

describe('a site ends at the same deadline', () => {
  it.each<[string, Record<string, RequestListener>]>([
    ['where robots.txt drips', { '/robots.txt': drippingBody }],
    ['where the headers of robots.txt drip', { '/robots.txt': drippingHeaders }],
    ['where robots.txt fails slowly', { '/robots.txt': slowly(broken) }],
    ['where the first page drips', { '/': drippingBody }],
    ['where robots.txt and the first page take their time', { '/robots.txt': slowly(notFound), '/': slowly(redirect('/next')) }],
  ])('%s', async (_, listeners) => {
    const site = await startSite(listeners);
    const [row, ...others] = await ingest(site, { url: `${site.url}/`, crawl: {} });
    expect(others).toEqual([]);
    expect(row).toMatchObject({ source: `${site.url}/`, status: 'failed', error: { code: 'timeout' } });
    expect(row?.error?.message).not.toContain('does not allow');
  });

  it('lists that drip are left out, and the pages are read', async () => {
    const site = await startSite({
      '/': page('Home', 'Welcome.', ['/a']),
      '/a': page('A', 'Another page.'),
      '/sitemap.xml': drippingBody,
      '/llms.txt': drippingHeaders,
    });
    const rows = await ingest(site, { url: `${site.url}/`, crawl: {} }, 3_000);
    expect(rows.map(({ status }) => status)).toEqual(['added', 'added']);
  });
});
