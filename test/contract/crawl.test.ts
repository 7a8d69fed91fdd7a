import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { page, revalidated, type Site, startSite } from '../support/site.ts';
import { startService } from '../support/workspace.ts';

interface Row {
  source: string;
  status: string;
  error?: { code: string };
}

async function crawlOf(site: Site, crawl: object = {}, settings: Record<string, string> = {}) {
  const service = await startService({ ALLOWED_URL_HOSTS: site.host, ...settings });
  const crawlAgain = async (more: object = {}) => {
    const source = { url: `${site.url}/`, crawl };
    const { body } = await service.ingest({
      namespace: 'site',
      sources: [source],
      ...more,
    });
    const rows = body.results as Row[];
    const paths = (status: string) =>
      rows.filter((row) => row.status === status).map((row) => row.source.slice(site.url.length));
    return { body, rows, added: paths('added').sort(), paths };
  };
  return { ...service, crawlAgain, ...(await crawlAgain()) };
}

const notFoundLists = ['/robots.txt', '/sitemap.xml', '/llms.txt'];
const requestedPages = (site: Site) =>
  site.requests.filter((path) => !notFoundLists.includes(path));

describe('a crawl', () => {
  it('follows a page that only sends its reader on, also behind a link', async () => {
    const moved = (target: string) => ({
      body: `<html><head><noscript><meta http-equiv="refresh" content="0;url=/plain"></noscript><meta content='0; URL=${target}' http-equiv=refresh></head></html>`,
    });
    const site = await startSite({
      '/': moved('manual/'),
      '/manual/': page('Manual', 'Boats are rented by the hour.', ['/old', '/late']),
      '/old': moved('/new'),
      '/new': page('New', 'Sails are repaired in winter.'),
      '/late': {
        body: '<html><head><meta http-equiv="refresh" content="60;url=/never"></head><body><main><p>Harbour news of today.</p></main></body></html>',
      },
    });
    const { rows, find } = await crawlOf(site);
    expect(rows.filter(({ status }) => status === 'added')).toHaveLength(3);
    const { body } = await find({
      namespace: 'site',
      query: 'repaired sails',
    });
    expect(body.results[0].text).toContain('Sails are repaired');
    expect(site.requests).not.toContain('/plain');
    expect(site.requests).not.toContain('/never');
  });

  it('stores the first of two equal pages, even if another source reads that page first', async () => {
    const { body = '' } = page('Boats', 'Boats are rented by the hour, sails by the day.');
    const reached = Promise.withResolvers<void>();
    const site = await startSite({
      '/': page('Home', 'Welcome.', ['/a', '/b']),
      '/a': async (_, response) => {
        await reached.promise;
        response.setHeader('content-type', 'text/html').end(body);
      },
      '/b': (_, response) => {
        response.setHeader('content-type', 'text/html').end(body);
        reached.resolve();
      },
    });
    const service = await startService({ ALLOWED_URL_HOSTS: site.host });
    const sources = [`${site.url}/a`, { url: `${site.url}/`, crawl: true }];
    const { results } = (await service.ingest({ namespace: 'site', sources })).body;
    expect(results.map(({ status }: Row) => status)).toEqual([
      'added',
      'added',
      'unchanged',
      'skipped',
    ]);
  });

  it('tries /sitemap.xml if robots.txt names only sitemaps of other hosts', async () => {
    const site = await startSite();
    site.set('/robots.txt', {
      body: 'Sitemap: https://elsewhere.example/map.xml\nSitemap: http://[\n',
    });
    site.set('/sitemap.xml', { body: '<urlset><url><loc>/q</loc></url></urlset>' });
    site.set('/', page('Home', 'Welcome.'));
    site.set('/q', page('Q', 'Text of q.'));
    expect((await crawlOf(site)).added).toEqual(['/', '/q']);
  });

  it('follows links within the host, breadth first, and indexes each page under its own address', async () => {
    const site = await startSite({
      '/': page('Home', 'Welcome.', [
        '/a',
        '/b',
        'https://elsewhere.example/x',
        'mailto:me@example.com',
        '/logo.png',
      ]),
      '/a': page('A', 'The refund window is 30 days.', ['/c', '/a#section', '/?utm_source=x']),
      '/b': page('B', 'Something else entirely.', ['/a']),
      '/c': page('C', 'The deepest page speaks of zebras.'),
    });
    const { added, find } = await crawlOf(site);
    expect(added).toEqual(['/', '/a', '/b', '/c']);
    expect(requestedPages(site)).toEqual(['/', '/', '/a', '/b', '/c']);
    const { body } = await find({
      namespace: 'site',
      query: 'refund window',
    });
    expect(body.results[0].source).toBe(`${site.url}/a`);
  });

  it('reads sitemaps in each form that robots.txt, an index or llms.txt leads to', async () => {
    const urlset = (...paths: string[]) =>
      `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${paths.map((path) => `<url><loc>${path}</loc></url>`).join('')}</urlset>`;
    const site = await startSite({
      // With a prefix, relative to their own address, compressed, and as plain text.
      '/robots.txt': { body: 'User-agent: *\nDisallow:\nSitemap: lists/all.xml\n' },
      '/lists/all.xml': {
        body: '<s:sitemapindex xmlns:s="x" xmlns:image="y"><s:sitemap><image:loc>/none</image:loc><s:loc>one.xml</s:loc></s:sitemap><s:sitemap><s:loc>/two.txt</s:loc></s:sitemap><s:sitemap><s:loc>/three.xml.gz</s:loc></s:sitemap></s:sitemapindex>',
      },
      '/lists/one.xml': { body: urlset('p1') },
      '/three.xml.gz': {
        body: gzipSync(urlset('/p4', 'x')),
        headers: { 'content-type': 'application/gzip' },
      },
      '/llms.txt': {
        body: '# Site\n\n- [Guide](/guide.md): how to\n- [Elsewhere](https://elsewhere.example/)\n',
      },
      '/': page('Home', 'Welcome.'),
      '/guide.md': {
        body: '# Guide\n\nHow to.',
        headers: { 'content-type': 'text/markdown' },
      },
    });
    site.set('/two.txt', { body: `${site.url}/p2\n/p3\nnot a page\n` });
    const pages = ['/lists/p1', '/p2', '/p3', '/p4'];
    for (const path of pages) site.set(path, page(path, `Text of ${path}.`));
    expect((await crawlOf(site)).added).toEqual(['/', '/guide.md', ...pages]);
  });

  it('waits between requests as long as the site demands', async () => {
    const times: number[] = [];
    const timed = (text: string) => (_: unknown, response: { end(text: string): void }) => {
      times.push(performance.now());
      response.end(`<html><body><main>${text}</main></body></html>`);
    };
    const site = await startSite({
      '/robots.txt': { body: 'User-agent: *\nCrawl-delay: 0.2\n' },
      '/': page('Home', 'Welcome.', ['/a', '/b', '/c']),
    });
    for (const name of ['a', 'b', 'c']) site.set(`/${name}`, timed(`Page ${name}`));
    await crawlOf(site);
    expect((times[2] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(300);
  });

  it('stays within maxPages, maxDepth, include and exclude', async () => {
    const chain = (path: string) =>
      page(`Page ${path}`, `Text of ${path}.`, [`${path}1`, `${path}2`]);
    const site = await startSite({}, (path) =>
      notFoundLists.includes(path) ? undefined : chain(path),
    );
    expect((await crawlOf(site, { maxPages: 7 })).added).toHaveLength(7);
    expect((await crawlOf(site, { maxDepth: 1 })).added).toEqual(['/', '/1', '/2']);
    expect((await crawlOf(site, { maxDepth: 0 })).added).toEqual(['/']);
    expect((await crawlOf(site, { include: ['/1*'], exclude: ['/12*'] })).added).toEqual([
      '/1',
      '/11',
      '/111',
      '/112',
    ]);
  });

  it('continues at the host to which the first page redirects, and stores no page of another host', async () => {
    const target = await startSite({
      '/': page('Home', 'Welcome.', ['/a', '/out']),
      '/a': page('A', 'Here.'),
    });
    const other = await startSite({ '/x': page('X', 'Elsewhere.') });
    target.set('/out', { status: 302, headers: { location: `${other.url}/x` } });
    const site = await startSite({ '/': { status: 301, headers: { location: `${target.url}/` } } });
    const hosts = [site, target, other].map(({ host }) => host).join(',');
    const { body, get } = await crawlOf(site, {}, { ALLOWED_URL_HOSTS: hosts });
    expect(body).toMatchObject({ added: 2, skipped: 1 });
    const documents = (await get('/api/namespaces/site/documents')).body.documents;
    expect(documents.map((document: { source: string }) => document.source).sort()).toEqual([
      `${target.url}/`,
      `${target.url}/a`,
    ]);
  });

  it('reports an unsupported file as skipped, a dead link as failed, and a failed first page as the only row', async () => {
    const site = await startSite({
      '/': page('Home', 'Welcome.', ['/image', '/dead', '/empty']),
      '/image': { headers: { 'content-type': 'image/png' }, body: '\x89PNG' },
      '/empty': { body: '<html><body></body></html>' },
    });
    const { rows } = await crawlOf(site);
    expect(
      Object.fromEntries(
        rows.map(({ source, status, error }) => [
          source.slice(site.url.length),
          error?.code ?? status,
        ]),
      ),
    ).toEqual({
      '/': 'added',
      '/image': 'unsupported_media_type',
      '/dead': 'source_not_found',
      '/empty': 'empty_source',
    });
    expect(rows.find(({ source }) => source.endsWith('/image'))?.status).toBe('skipped');
    site.set('/', { status: 500 });
    expect((await crawlOf(site)).rows).toMatchObject([
      { status: 'failed', error: { code: 'fetch_failed' } },
    ]);
  });
});

describe('a repeated crawl', () => {
  it('revalidates every page, reads only changed ones, and finds their new links', async () => {
    let sent = 0;
    let version = 1;
    const once = (body: ReturnType<typeof page>) =>
      revalidated(
        body,
        () => '"1"',
        () => sent++,
      );
    const site = await startSite({
      '/': once(page('Home', 'Welcome.', ['/a', '/b'])),
      '/a': revalidated(
        page('A', 'First.', ['/c']),
        () => `"${version}"`,
        () => sent++,
      ),
      '/b': once(page('B', 'Second.')),
      '/c': once(page('C', 'Third.')),
      '/new': once(page('New', 'Fourth.')),
    });
    const { crawlAgain } = await crawlOf(site);
    sent = 0;
    expect((await crawlAgain()).body).toMatchObject({ unchanged: 4, added: 0 });
    // Only the first page is sent again, to find its canonical address.
    expect(sent).toBe(1);
    version = 2;
    site.set(
      '/a',
      revalidated(
        page('A', 'First, changed.', ['/c', '/new']),
        () => '"2"',
        () => sent++,
      ),
    );
    expect((await crawlAgain()).body).toMatchObject({ unchanged: 3, updated: 1, added: 1 });
  });

  it('reports a removed page and keeps its text until prune is set', async () => {
    const site = await startSite({
      '/': page('Home', 'Welcome.', ['/a']),
      '/a': page('A', 'Zebra text.'),
    });
    const { crawlAgain, find } = await crawlOf(site);
    site.set('/', page('Home', 'Welcome.'));
    site.set('/a', { status: 410 });
    const found = async () =>
      (await find({ namespace: 'site', query: 'zebra' })).body.results.length;
    expect((await crawlAgain()).rows.find((row) => row.status === 'failed')?.error?.code).toBe(
      'source_gone',
    );
    expect(await found()).toBe(1);
    expect((await crawlAgain({ prune: true })).body).toMatchObject({ removed: 1, failed: 0 });
    expect(await found()).toBe(0);
  });

  it('does not request pruned pages again, and uses their places for new pages', async () => {
    const old = ['/o1', '/o2', '/o3'];
    const site = await startSite({
      '/': page('Home', 'Welcome.', old),
      ...Object.fromEntries(old.map((path) => [path, page(path, `Text ${path}.`)])),
    });
    const { crawlAgain } = await crawlOf(site, { maxPages: 4 });
    site.set('/', page('Home', 'Welcome again.', ['/n1', '/n2', '/n3']));
    for (const path of old) site.set(path, undefined);
    for (const path of ['/n1', '/n2', '/n3']) site.set(path, page(path, `Text ${path}.`));
    expect((await crawlAgain({ prune: true })).body).toMatchObject({ removed: 3, updated: 1 });
    expect((await crawlAgain()).added).toEqual(['/n1', '/n2', '/n3']);
    site.requests.length = 0;
    await crawlAgain();
    expect(site.requests.filter((path) => old.includes(path))).toEqual([]);
  });
});

it('a canonical address does not store a page under the address of another or a missing page', async () => {
  const canonical = (path: string) => `<link rel="canonical" href="${path}">`;
  const words = (seed: string) =>
    Array.from({ length: 40 }, (_, index) => `${seed}${index}`).join(' ');
  const site = await startSite({
    '/': page('Home', 'Welcome.', ['/a', '/b', '/c', '/d'], canonical('/')),
    '/a': page('A', words('a'), [], canonical('/b')),
    '/b': page('B', words('b')),
    '/c': page('C', words('c'), [], canonical('/nowhere')),
    '/d': page('D', words('d'), [], canonical('/')),
  });
  const { get, added } = await crawlOf(site);
  expect(added).toEqual(['/', '/a', '/b', '/c', '/d']);
  const { documents } = (await get('/api/namespaces/site/documents')).body;
  const titles = documents.map(({ source, title }: { source: string; title: string }) => [
    source.slice(site.url.length),
    title,
  ]);
  expect(Object.fromEntries(titles)).toEqual({
    ...{ '/': 'Home', '/a': 'A', '/b': 'B', '/c': 'C', '/d': 'D' },
  });
});

describe('robots.txt', () => {
  it('is read before the first page and applies to the targets of redirects', async () => {
    const site = await startSite({
      '/robots.txt': { body: 'User-agent: *\nDisallow: /\n' },
      '/': page('Home', 'Welcome.'),
    });
    expect((await crawlOf(site)).rows).toMatchObject([{ error: { code: 'robots_disallowed' } }]);
    expect(site.requests).toEqual(['/robots.txt']);
    site.set('/robots.txt', { body: 'User-agent: *\nDisallow: /private\n' });
    site.set('/', page('Home', 'Welcome.', ['/go']));
    site.set('/go', { status: 302, headers: { location: '/private/secret' } });
    site.set('/private/secret', page('Secret', 'Not for crawlers.'));
    expect((await crawlOf(site)).added).toEqual(['/']);
  });

  it('is reported with the cause if it cannot be read', async () => {
    const site = await startSite({ '/': page('Home', 'Welcome.') });
    const closed = await startSite();
    await closed.close();
    const errorOf = async (from: Site) => (await crawlOf(from)).rows[0]?.error;
    const unread = 'Its pages are not read without robots.txt.';
    expect(await errorOf(closed)).toEqual({
      code: 'fetch_failed',
      message: `The source could not be fetched: the connection was refused. ${unread}`,
    });
    site.set('/robots.txt', (request) => void request.socket.destroy());
    expect(await errorOf(site)).toEqual({
      code: 'fetch_failed',
      message: `The source could not be fetched: the connection was closed. ${unread}`,
    });
    site.set('/robots.txt', { status: 502 });
    expect(await errorOf(site)).toEqual({
      code: 'robots_disallowed',
      message: `The site's robots.txt answered with status 502. ${unread}`,
    });
    expect(site.requests).not.toContain('/');
    site.set('/robots.txt', { status: 404 });
    site.set('/', { status: 403 });
    expect(await errorOf(site)).toEqual({
      code: 'fetch_failed',
      message: 'The first page answered with status 403.',
    });
  });
});
