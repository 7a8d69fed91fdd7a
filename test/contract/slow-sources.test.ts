import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { serveOnLoopback } from '../support/event-stream.ts';
import { page, type Site, startSite } from '../support/site.ts';
import { startService } from '../support/workspace.ts';

/** Units: ms. Two such delays exceed the time limit of a source. */
const slowMs = 250;

async function ingest(site: Site, source: object, sourceTimeoutMs = 400) {
  const { post } = await startService({ ALLOWED_URL_HOSTS: site.host }, {}, { sourceTimeoutMs });
  const { body } = await post('/api/tools/ingestSources', { sources: [source] });
  return body.results as {
    source: string;
    status: string;
    error?: { code: string; message: string };
  }[];
}

const slowly =
  (answer: RequestListener): RequestListener =>
  (request, response) =>
    void setTimeout(() => answer(request, response), slowMs);
const redirect =
  (location: string): RequestListener =>
  (_, response) =>
    void response.writeHead(302, { location }).end();
const notFound: RequestListener = (_, response) => void response.writeHead(404).end();

/** Sends single bytes without an end. */
const drip = (start: string, piece: string): RequestListener => {
  return ({ socket }) => {
    socket.write(start);
    const timer = setInterval(() => socket.write(piece), 50);
    socket.on('close', () => clearInterval(timer)).on('error', () => undefined);
  };
};
const drippingHeaders = drip('HTTP/1.1 200 OK\r\nx: ', 'y');
const drippingBody = drip(
  'HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: 100000\r\n\r\n',
  'y',
);

it('a request waits for its sources longer than the server keeps other silent sockets', async () => {
  const site = await startSite({ '/': slowly((_, response) => void response.end('Text.')) });
  const service = await startService({ ALLOWED_URL_HOSTS: site.host });
  const url = await serveOnLoopback(service, {}, slowMs / 5);
  const body = JSON.stringify({ sources: [`${site.url}/`] });
  const headers = { 'content-type': 'application/json' };
  const init = { method: 'POST', headers, body };
  expect((await fetch(`${url}/api/tools/ingestSources`, init)).status).toBe(200);
});

describe('a slow source times out', () => {
  it.each<[string, RequestListener]>([
    ['slow headers', drippingHeaders],
    ['a slow body', drippingBody],
    ['slow redirects', slowly(redirect('/next'))],
    [
      'slow responses with Retry-After',
      slowly((_, response) => void response.writeHead(503, { 'retry-after': '0' }).end()),
    ],
  ])('after %s', async (_, listener) => {
    const site = await startSite({ '/': listener, '/next': listener });
    expect(await ingest(site, { url: `${site.url}/` })).toMatchObject([
      { status: 'failed', error: { code: 'timeout' } },
    ]);
    expect(site.requests.length).toBeLessThanOrEqual(2);
  });
});

describe('a slow site times out', () => {
  it.each<[string, Record<string, RequestListener>]>([
    ['a slow robots.txt', { '/robots.txt': drippingBody }],
    ['a slow first page', { '/': drippingBody }],
    [
      'a slow robots.txt and first page together',
      { '/robots.txt': slowly(notFound), '/': slowly(redirect('/next')) },
    ],
  ])('after %s', async (_, listeners) => {
    const site = await startSite(listeners);
    const [row, ...others] = await ingest(site, { url: `${site.url}/`, crawl: {} });
    expect(others).toEqual([]);
    expect(row).toMatchObject({
      source: `${site.url}/`,
      status: 'failed',
      error: { code: 'timeout' },
    });
    expect(row?.error?.message).not.toContain('does not allow');
  });

  it('but skips slow sitemaps and llms.txt', async () => {
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
