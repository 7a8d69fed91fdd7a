import type { RequestListener } from 'node:http';
import { expect, it } from 'vitest';
import { serveOnLoopback } from '../support/event-stream.ts';
import { page, startSite } from '../support/site.ts';
import { startService } from '../support/workspace.ts';

/** Units: ms. Two such delays exceed the time limit of a source. */
const slowMs = 250;

/** Ingests the site's first page, or crawls it. */
async function ingest(
  pages: Parameters<typeof startSite>[0],
  more: object = {},
  sourceTimeoutMs = 400,
) {
  const site = await startSite(pages);
  const service = await startService({ ALLOWED_URL_HOSTS: site.host }, {}, { sourceTimeoutMs });
  const { body } = await service.ingest({ sources: [{ url: `${site.url}/`, ...more }] });
  return { ...site, rows: body.results as any[] };
}

const slowly =
  (answer: RequestListener): RequestListener =>
  (request, response) =>
    void setTimeout(() => answer(request, response), slowMs);
const redirect: RequestListener = (_, response) =>
  void response.writeHead(302, { location: '/next' }).end();
const retryAtOnce: RequestListener = (_, response) =>
  void response.writeHead(503, { 'retry-after': '0' }).end();
const notFound: RequestListener = (_, response) => void response.writeHead(404).end();

/** Sends single bytes without an end. */
const drip =
  (start: string): RequestListener =>
  ({ socket }) => {
    socket.write(start);
    const timer = setInterval(() => socket.write('y'), 50);
    socket.on('close', () => clearInterval(timer)).on('error', () => undefined);
  };
const drippingHeaders = drip('HTTP/1.1 200 OK\r\nx: ');
const drippingBody = drip(
  'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 100000\r\n\r\n',
);

it('a request waits for its sources longer than the server keeps other silent sockets', async () => {
  const site = await startSite({ '/': slowly((_, response) => void response.end('Text.')) });
  const service = await startService({ ALLOWED_URL_HOSTS: site.host });
  const url = await serveOnLoopback(service, {}, slowMs * 0.8);
  const body = JSON.stringify({ sources: [`${site.url}/`] });
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(`${url}/api/tools/ingestSources`, { method: 'POST', headers, body });
  expect(answer.status).toBe(200);
});

it.each<[string, RequestListener]>([
  ['headers', drippingHeaders],
  ['body', drippingBody],
  ['redirects', slowly(redirect)],
  ['responses with Retry-After', slowly(retryAtOnce)],
])('a source with a slow %s times out', async (_, listener) => {
  const { rows, requests } = await ingest({ '/': listener, '/next': listener });
  expect(rows).toMatchObject([{ status: 'failed', error: { code: 'timeout' } }]);
  expect(requests.length).toBeLessThanOrEqual(2);
});

it.each<[string, Record<string, RequestListener>]>([
  ['robots.txt', { '/robots.txt': drippingBody }],
  ['first page', { '/': drippingBody }],
  ['robots.txt and first page', { '/robots.txt': slowly(notFound), '/': slowly(redirect) }],
])('a site with a slow %s times out', async (_, listeners) => {
  const { rows, url } = await ingest(listeners, { crawl: {} });
  const message = expect.not.stringContaining('does not allow');
  expect(rows).toMatchObject([
    { source: `${url}/`, status: 'failed', error: { code: 'timeout', message } },
  ]);
});

it('a site is read without its slow sitemaps and llms.txt', async () => {
  const pages = {
    '/': page('Home', 'Welcome.', ['/a']),
    '/a': page('A', 'Another page.'),
    '/sitemap.xml': drippingBody,
    '/llms.txt': drippingHeaders,
  };
  const { rows } = await ingest(pages, { crawl: {} }, 3_000);
  expect(rows.map(({ status }) => status)).toEqual(['added', 'added']);
});
