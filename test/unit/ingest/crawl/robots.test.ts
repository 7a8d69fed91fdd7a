import fc from 'fast-check';
import robotsParser from 'robots-parser';
import { describe, expect, it } from 'vitest';
import { pageKey, Scope } from '../../../../src/ingest/crawl/crawl.ts';
import { type Get, readRobots } from '../../../../src/ingest/crawl/robots.ts';
import { readLlmsTxt, readSitemaps } from '../../../../src/ingest/crawl/sitemap.ts';
import { crawlDefaults } from '../../../../src/ingest/source.ts';

/** A site of static files. */
const getter =
  (files: Readonly<Record<string, string>>, asked: string[] = []) =>
  async (url: string) => {
    asked.push(url);
    const body = files[new URL(url).pathname];
    return {
      status: body === undefined ? 404 : 200,
      url: new URL(url),
      bytes: Buffer.from(body ?? ''),
    };
  };

describe('Scope', () => {
  const scope = new Scope('https://docs.example.com/start', {
    ...crawlDefaults,
    include: ['/docs/*', '/start'],
    exclude: ['/docs/old/*'],
  });

  it.each([
    ['https://docs.example.com/docs/a#b', 'https://docs.example.com/docs/a'],
    ['http://docs.example.com/docs/a', 'https://docs.example.com/docs/a'],
    ['https://docs.example.com/a?utm_source=x&b=1', 'https://docs.example.com/a?b=1'],
    ['https://docs.example.com/manual.pdf', 'https://docs.example.com/manual.pdf'],
  ])('normalises %s to %s', (url, normal) => expect(scope.normalise(url)).toBe(normal));

  it.each([
    'https://docs.example.com:8443/docs/a',
    'https://user@docs.example.com/docs/a',
    'ftp://docs.example.com/a',
    'https://docs.example.com/logo.png',
    'https://docs.example.com/logout',
    `https://docs.example.com/${'x'.repeat(3_000)}`,
    'not a url',
  ])('excludes %s', (url) => expect(scope.normalise(url)).toBeUndefined());

  it('includes and excludes pages by its patterns', () => {
    const included = ['/docs/a', '/docs/a/b', '/docs/old/a', '/blog/docs/a', '/start'].filter(
      (path) => scope.includes(`https://docs.example.com${path}`),
    );
    expect(included).toEqual(['/docs/a', '/docs/a/b', '/start']);
  });

  it('treats the usual URLs of a page as one page', () => {
    const keys = ['/a', '/a/', '/a.html', '/a/index.html', '/a.md', '/a/index.md'].map((path) =>
      pageKey(`https://x.example${path}`),
    );
    expect(new Set(keys).size).toBe(1);
    expect(pageKey('https://x.example/a?page=2')).not.toBe(keys[0]);
  });
});

describe('robots.txt', () => {
  const rules = (content: string) =>
    readRobots(getter({ '/robots.txt': content }), 'https://x.example/', undefined);

  it('sets the sitemaps and a limited crawl delay', async () => {
    const robots = await rules('User-agent: *\nCrawl-delay: 2\nSitemap: https://x.example/s.xml\n');
    expect([robots.crawlDelayMs, robots.sitemaps]).toEqual([2_000, ['https://x.example/s.xml']]);
    expect((await rules('User-agent: *\nCrawl-delay: 99999999\n')).crawlDelayMs).toBe(60_000);
    expect((await rules('User-agent: *\nCrawl-delay: soon\n')).crawlDelayMs).toBe(0);
  });

  const allowed = async (content: string, paths: readonly string[]) => {
    const { isAllowed } = await rules(content);
    return paths.filter((path) => isAllowed(`https://x.example${path}`));
  };

  it.each<[string, string, string[]]>([
    [
      'applies a rule to all agents that are listed before it',
      'User-agent: a\nUser-agent: Knowledge-Agent/1.0\nDisallow: /a\n',
      ['/b'],
    ],
    [
      'ends the list of agents at a rule',
      'User-agent: knowledge-agent\nDisallow: /a\nUser-agent: other\nDisallow: /b\n',
      ['/b'],
    ],
    [
      'merges groups of one agent',
      'User-agent: *\nDisallow: /a\n\nUser-agent: o\nDisallow: /\n\nUser-agent: *\nDisallow: /b\n',
      [],
    ],
    [
      'continues the list of agents after a sitemap',
      'User-agent: *\nSitemap: https://x.example/s\nUser-agent: o\nDisallow: /a\n',
      ['/b'],
    ],
    [
      'prefers the group of this agent, even if it is empty',
      'User-agent: *\nDisallow: /\nUser-agent: knowledge-agent\n',
      ['/a', '/b'],
    ],
    ['ignores rules before the first agent', 'Disallow: /a\nUser-agent: *\nDisallow: /b\n', ['/a']],
    [
      'applies the longest rule, and Allow if two are equally long',
      'User-agent: *\nDisallow: /a\nAllow: /a\nDisallow: /\n',
      ['/a'],
    ],
    [
      'ignores a byte order mark, comments, case, blanks, NULs and lines without a rule',
      '\ufeff USER-AGENT : * # all\r\n#Disallow: /b\rDISALLOW:/a#b\n\0Disallow: /b\nDisallow /b\n',
      ['/b'],
    ],
  ])('%s', async (_, content, expected) =>
    expect(await allowed(content, ['/a', '/b'])).toEqual(expected),
  );

  it.each<[string, string[]]>([
    ['/%61%2Epdf', ['/a', '/a?b', '/%C3%A9']],
    ['/%c3%a9', ['/a', '/a.pdf', '/a?b']],
  ])('forbids the matches of the pattern %s', async (pattern, expected) =>
    expect(
      await allowed(`User-agent: *\nDisallow: ${pattern}\n`, ['/a', '/a.pdf', '/a?b', '/%C3%A9']),
    ).toEqual(expected),
  );

  it('agrees with robots-parser on generated rules', async () => {
    const part = fc.constantFrom('/', 'a', 'b', '*', '$', '.', '?', '%2f', 'é');
    const text = fc.array(part, { maxLength: 7 }).map((parts) => parts.join(''));
    const rule = fc.record({ name: fc.constantFrom('Allow', 'Disallow'), pattern: text });
    const parse = robotsParser as unknown as typeof robotsParser.default;
    await fc.assert(
      fc.asyncProperty(fc.array(rule, { maxLength: 5 }), text, async (drawn, path) => {
        const content = `User-agent: *\n${drawn.map(({ name, pattern }) => `${name}: /${pattern}\n`).join('')}`;
        const { isAllowed } = await rules(content);
        const url = `https://x.example/${path}`;
        expect(isAllowed(url)).toBe(
          parse('https://x.example/robots.txt', content).isAllowed(url, 'knowledge-agent') !==
            false,
        );
      }),
    );
  });

  it('is read up to 512 KiB, without an incomplete last line', async () => {
    const comments = (bytes: number) => `${'#'.repeat(1_023)}\n`.repeat(bytes / 1_024);
    const head = 'User-agent: *\n';
    const before = `${head}${comments(511 * 1_024)}${'#'.repeat(1_024 - head.length - '\nDisallow: /'.length)}\n`;
    expect(await allowed(`${before}Disallow: /a\nDisallow: /b\n`, ['/a', '/b', '/c'])).toEqual([
      '/a',
      '/b',
      '/c',
    ]);
    expect(await allowed(`${head}Disallow: /a\n${comments(600 * 1_024)}`, ['/a', '/b'])).toEqual([
      '/b',
    ]);
  });
});

describe('a sitemap', () => {
  const read = (files: Readonly<Record<string, string>>, asked: string[] = [], max = 100) =>
    readSitemaps(
      getter(files, asked),
      ['https://x.example/s.xml'],
      (url) => new URL(url).host === 'x.example',
      max,
      new AbortController().signal,
    );

  it('lists its pages without images, with decoded entities', async () => {
    const xml =
      '<urlset xmlns:image="i"><url><loc> https://x.example/a?b=1&amp;c=2 </loc><image:image><image:loc>https://x.example/i.png</image:loc></image:image></url></urlset>';
    expect(await read({ '/s.xml': xml })).toEqual(['https://x.example/a?b=1&c=2']);
  });

  it('stops at loops, other hosts and its limits', async () => {
    const asked: string[] = [];
    const index = (...urls: string[]) =>
      `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`;
    const many = Array.from({ length: 200 }, (_, number) => `https://x.example/m${number}.xml`);
    await read(
      { '/s.xml': index('https://x.example/s.xml', 'https://elsewhere.example/s.xml', ...many) },
      asked,
    );
    expect(asked).toHaveLength(50);
    expect(asked.some((url) => url.includes('elsewhere'))).toBe(false);
    const urls = Array.from(
      { length: 1_000 },
      (_, number) => `<url><loc>https://x.example/${number}</loc></url>`,
    ).join('');
    expect(await read({ '/s.xml': `<urlset>${urls}</urlset>` }, [], 10)).toHaveLength(10);
  });

  it('stops at a too deeply nested element and keeps the pages before it', async () => {
    const nested = (depth: number) =>
      `<urlset><url><loc>https://x.example/a</loc></url>${'<a>'.repeat(depth)}${'</a>'.repeat(depth)}`;
    const last = '<url><loc>https://x.example/b</loc></url></urlset>';
    expect(await read({ '/s.xml': `${nested(9)}${last}` })).toEqual([
      'https://x.example/a',
      'https://x.example/b',
    ]);
    expect(await read({ '/s.xml': `${nested(10)}${last}` })).toEqual(['https://x.example/a']);
  });
});

describe('a list of pages', () => {
  const page = 'https://x.example/';
  const count = 200_000;
  const lines = (line: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => line(at)).join('');
  const xml = () => `<urlset>${lines((at) => `<url><loc>${page}${at}</loc></url>`)}</urlset>`;

  it.each<[string, () => string, (get: Get, signal: AbortSignal) => Promise<string[]>]>([
    ['a sitemap', xml, (get, signal) => readSitemaps(get, [page], () => true, count, signal)],
    [
      'an llms.txt',
      () => lines((at) => `[](/${at})`),
      (get, signal) => readLlmsTxt(get, page, count, signal),
    ],
  ])(
    'stops reading %s when it is aborted, and keeps the pages so far',
    async (_, content, read) => {
      const controller = new AbortController();
      const get: Get = async (url) => {
        setImmediate(() => controller.abort());
        return { status: 200, url: new URL(url), bytes: Buffer.from(content()) };
      };
      const found = await read(get, controller.signal);
      expect(found[0]).toBe(`${page}0`);
      expect(found.length).toBeLessThan(count);
    },
  );
});

describe('llms.txt', () => {
  const read = (content: string) =>
    readLlmsTxt(
      getter({ '/llms.txt': content }),
      'https://x.example/docs',
      10,
      new AbortController().signal,
    );

  it('lists the links of its Markdown, absolute and without duplicates', async () => {
    expect(
      await read(
        '# X\n\n- [A](/a.md): first\n- [B](b.md)\n- [A again](/a.md)\nSee https://x.example/c.\n',
      ),
    ).toEqual(['https://x.example/a.md', 'https://x.example/b.md', 'https://x.example/c.']);
  });

  it('is ignored if it is HTML', async () =>
    expect(await read('<!doctype html><a href="/x">(https://x.example/y)</a>')).toEqual([]));
});
