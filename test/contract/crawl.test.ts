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
    const { added, find } = await crawlOf(site);
    expect(added).toHaveLength(3);
    const { body } = await find({ namespace: 'site', query: 'repaired sails' });
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
    const site = await startSite({
      '/robots.txt': { body: 'Sitemap: https://elsewhere.example/map.xml\nSitemap: http://[\n' },
      '/sitemap.xml': { body: '<urlset><url><loc>/q</loc></url></urlset>' },
      '/': page('Home', 'Welcome.'),
      '/q': page('Q', 'Text of q.'),
    });
    expect((await crawlOf(site)).added).toEqual(['/', '/q']);
  });

  it('follows links within the host, breadth first, and indexes each page under its own address', async () => {
    const site = await startSite({
      '/': page('Home', 'Welcome.', ['/a', '/b', 'https://elsewhere.example/x']),
      '/a': page('A', 'The refund window is 30 days.', ['/c', '/a#section', '/?utm_source=x']),
      '/b': page('B', 'Something else entirely.', ['/a']),
      '/c': page('C', 'The deepest page speaks of zebras.'),
    });
    const { added, find } = await crawlOf(site);
    expect(added).toEqual(['/', '/a', '/b', '/c']);
    const pages = site.requests.filter((path) => !notFoundLists.includes(path));
    expect(pages).toEqual(['/', '/', '/a', '/b', '/c']);
    const { body } = await find({ namespace: 'site', query: 'refund window' });
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
      '/llms.txt': { body: '# Site\n\n- [Guide](/guide.md): how to\n' },
      '/': page('Home', 'Welcome.'),
      '/guide.md': { body: '# Guide\n\nHow to.', headers: { 'content-type': 'text/markdown' } },
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
    const some = { include: ['/1*'], exclude: ['/12*'] };
    expect((await crawlOf(site, some)).added).toEqual(['/1', '/11', '/111', '/112']);
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
    const shown = rows.map(({ source, status, error }) =>
      [source.slice(site.url.length), status, error?.code].join(' '),
    );
    expect(shown.sort()).toEqual([
      '/ added ',
      '/dead failed source_not_found',
      '/empty failed empty_source',
      '/image skipped unsupported_media_type',
    ]);
    site.set('/', { status: 500 });
    expect((await crawlOf(site)).rows).toMatchObject([
      { status: 'failed', error: { code: 'fetch_failed' } },
    ]);
  });
});

describe('a repeated crawl', () => {
  it('revalidates every page, reads only changed ones, and finds their new links', async () => {
    let sent = 0;
    const tagged = (etag: string, body: ReturnType<typeof page>) =>
      revalidated(
        body,
        () => etag,
        () => sent++,
      );
    const site = await startSite({
      '/': tagged('"1"', page('Home', 'Welcome.', ['/a', '/b'])),
      '/a': tagged('"1"', page('A', 'First.', ['/c'])),
      '/b': tagged('"1"', page('B', 'Second.')),
      '/c': tagged('"1"', page('C', 'Third.')),
      '/new': tagged('"1"', page('New', 'Fourth.')),
    });
    const { crawlAgain } = await crawlOf(site);
    sent = 0;
    expect((await crawlAgain()).body).toMatchObject({ unchanged: 4, added: 0 });
    // Only the first page is sent again, to find its canonical address.
    expect(sent).toBe(1);
    site.set('/a', tagged('"2"', page('A', 'First, changed.', ['/c', '/new'])));
    expect((await crawlAgain()).body).toMatchObject({ unchanged: 3, updated: 1, added: 1 });
  });

  it('reports removed pages, keeps them until prune is set, then requests new pages in their places', async () => {
    const old = ['/o1', '/o2', '/o3'];
    const added = ['/n1', '/n2', '/n3'];
    const site = await startSite({ '/': page('Home', 'Welcome.', old) });
    for (const path of [...old, ...added]) site.set(path, page(path, `Text ${path}.`));
    const { crawlAgain, get } = await crawlOf(site, { maxPages: 4 });
    site.set('/', page('Home', 'Welcome again.', added));
    for (const path of old) site.set(path, { status: 410 });
    const { rows } = await crawlAgain();
    expect(rows.map(({ error }) => error?.code)).toEqual([
      undefined,
      ...old.map(() => 'source_gone'),
    ]);
    expect((await get('/api/namespaces/site/documents')).body.total).toBe(4);
    expect((await crawlAgain({ prune: true })).body).toMatchObject({ removed: 3, unchanged: 1 });
    expect((await crawlAgain()).added).toEqual(added);
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
  const { get } = await crawlOf(site);
  const { documents } = (await get('/api/namespaces/site/documents')).body;
  const titles = documents.map(({ source, title }: { source: string; title: string }) => [
    source.slice(site.url.length),
    title,
  ]);
  const wanted = { '/': 'Home', '/a': 'A', '/b': 'B', '/c': 'C', '/d': 'D' };
  expect(Object.fromEntries(titles)).toEqual(wanted);
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
    const expectError = async (from: Site, code: string, message: string) =>
      expect((await crawlOf(from)).rows[0]?.error).toEqual({ code, message });
    const failed = 'The source could not be fetched: the connection was refused.';
    const unread = 'Its pages are not read without robots.txt.';
    await expectError(closed, 'fetch_failed', `${failed} ${unread}`);
    site.set('/robots.txt', { status: 502 });
    const problem = `The site's robots.txt answered with status 502. ${unread}`;
    await expectError(site, 'robots_disallowed', problem);
    expect(site.requests).not.toContain('/');
    site.set('/robots.txt', { status: 404 });
    site.set('/', { status: 403 });
    await expectError(site, 'fetch_failed', 'The first page answered with status 403.');
  });
});
