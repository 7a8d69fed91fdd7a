import { describe, expect, it } from 'vitest';
import { createScope, pageKey } from '../../src/ingest/crawl/crawl.ts';
import { readRobots } from '../../src/ingest/crawl/robots.ts';
import { readLlmsTxt, readSitemaps } from '../../src/ingest/crawl/sitemap.ts';
import { crawlDefaults } from '../../src/ingest/source.ts';
import { expectLinearIn } from '../support/growth.ts';

/** A site of plain files. */
const getter =
  (files: Readonly<Record<string, string>>, asked: string[] = []) =>
  async (url: string) => {
    asked.push(url);
    const body = files[new URL(url).pathname];
    return { status: body === undefined ? 404 : 200, url: new URL(url), bytes: Buffer.from(body ?? '') };
  };

describe('a scope', () => {
  const scope = createScope('https://docs.example.com/start', {
    ...crawlDefaults,
    include: ['/docs/*', '/start'],
    exclude: ['/docs/old/*'],
  });

  it.each([
    ['https://docs.example.com/docs/a#b', 'https://docs.example.com/docs/a'],
    ['http://docs.example.com/docs/a', 'https://docs.example.com/docs/a'],
    ['https://docs.example.com/a?utm_source=x&b=1', 'https://docs.example.com/a?b=1'],
    ['https://docs.example.com/manual.pdf', 'https://docs.example.com/manual.pdf'],
  ])('takes %s as %s', (url, normal) => expect(scope.normalise(url)).toBe(normal));

  it.each([
    'https://example.com/docs/a',
    'https://docs.example.com:8443/docs/a',
    'https://user@docs.example.com/docs/a',
    'ftp://docs.example.com/a',
    'https://docs.example.com/logo.png',
    'https://docs.example.com/logout',
    `https://docs.example.com/${'x'.repeat(3_000)}`,
    'not a url',
  ])('leaves out %s', (url) => expect(scope.normalise(url)).toBeUndefined());

  it('holds what its patterns name', () => {
    const included = ['/docs/a', '/docs/a/b', '/docs/old/a', '/blog/docs/a', '/start'].filter((path) =>
      scope.includes(`https://docs.example.com${path}`),
    );
    expect(included).toEqual(['/docs/a', '/docs/a/b', '/start']);
  });

  it('tells a page under its usual addresses as one', () => {
    const keys = ['/a', '/a/', '/a.html', '/a/index.html', '/a.md', '/a/index.md'].map((path) => pageKey(`https://x.example${path}`));
    expect(new Set(keys).size).toBe(1);
    expect(pageKey('https://x.example/a?page=2')).not.toBe(keys[0]);
  });
});

describe('robots.txt', () => {
  const rules = (content: string) => readRobots(getter({ '/robots.txt': content }), 'https://x.example/', undefined);

  it('is believed for its sitemaps and its delay, within reason', async () => {
    const robots = await rules('User-agent: *\nCrawl-delay: 2\nSitemap: https://x.example/s.xml\n');
    expect([robots.crawlDelayMs, robots.sitemaps]).toEqual([2_000, ['https://x.example/s.xml']]);
    expect((await rules('User-agent: *\nCrawl-delay: 99999999\n')).crawlDelayMs).toBe(60_000);
    expect((await rules('User-agent: *\nCrawl-delay: soon\n')).crawlDelayMs).toBe(0);
  });

  it('made to hurt is judged in time linear in the path', async () => {
    const { isAllowed } = await rules(`User-agent: *\n${`Disallow: /${'*a'.repeat(100)}b\n`.repeat(50)}`);
    await expectLinearIn(['a'], (path) => isAllowed(`https://x.example/${path}`), 8_000);
  });
});

describe('a sitemap', () => {
  const read = (files: Readonly<Record<string, string>>, asked: string[] = [], max = 100) =>
    readSitemaps(getter(files, asked), ['https://x.example/s.xml'], (url) => new URL(url).host === 'x.example', max, undefined);

  it('gives its pages, not their pictures, with entities decoded', async () => {
    const xml =
      '<urlset xmlns:image="i"><url><loc> https://x.example/a?b=1&amp;c=2 </loc><image:image><image:loc>https://x.example/i.png</image:loc></image:image></url></urlset>';
    expect(await read({ '/s.xml': xml })).toEqual(['https://x.example/a?b=1&c=2']);
  });

  it('that names itself, another host, or more than anybody reads ends', async () => {
    const asked: string[] = [];
    const index = (...urls: string[]) =>
      `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`;
    const many = Array.from({ length: 200 }, (_, number) => `https://x.example/m${number}.xml`);
    await read({ '/s.xml': index('https://x.example/s.xml', 'https://elsewhere.example/s.xml', ...many) }, asked);
    expect(asked).toHaveLength(50);
    expect(asked.some((url) => url.includes('elsewhere'))).toBe(false);
    const urls = Array.from({ length: 1_000 }, (_, number) => `<url><loc>https://x.example/${number}</loc></url>`).join('');
    expect(await read({ '/s.xml': `<urlset>${urls}</urlset>` }, [], 10)).toHaveLength(10);
  });

  it('that is not one gives nothing', async () => {
    expect(await read({})).toEqual([]);
    expect(await read({ '/s.xml': '<!doctype html><p>not found' })).toEqual([]);
  });
});

describe('llms.txt', () => {
  const read = (content: string) => readLlmsTxt(getter({ '/llms.txt': content }), 'https://x.example/docs', 10, undefined);

  it('gives the links of its Markdown, absolute and once', async () => {
    expect(await read('# X\n\n- [A](/a.md): first\n- [B](b.md)\n- [A again](/a.md)\nSee https://x.example/c.\n')).toEqual([
      'https://x.example/a.md',
      'https://x.example/b.md',
      'https://x.example/c.',
    ]);
  });

  it('that is a page is no list', async () => expect(await read('<!doctype html><a href="/x">(https://x.example/y)</a>')).toEqual([]));
});
