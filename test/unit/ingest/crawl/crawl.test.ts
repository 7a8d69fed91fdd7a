import { describe, expect, it } from 'vitest';
import { Crawl } from '../../../../src/ingest/crawl/crawl.ts';
import { crawlDefaults } from '../../../../src/ingest/source.ts';

const site = 'https://docs.example.com';
const started = () => {
  const crawl = new Crawl(`${site}/`, crawlDefaults, []);
  const place = (path: string, markdown: string, canonical?: string, isLast = false) => {
    const parsed = {
      markdown,
      title: undefined,
      ...(canonical ? { canonicalUrl: `${site}${canonical}` } : {}),
    };
    return crawl.place(
      { url: `${site}${path}`, depth: 1, location: undefined, parsed, isLast },
      () => true,
    );
  };
  return { crawl, place };
};

describe('a crawl of pages with equal text', () => {
  it('stores the canonical page of an earlier page, even if another was found before it', async () => {
    const { place } = started();
    expect(await place('/a?session=1', 'Once.', '/a')).toEqual({ after: `${site}/a` });
    expect(await place('/copy', 'Once.')).toEqual({ after: `${site}/a` });
    expect(await place('/a', 'Once.', '/a')).toEqual({ address: `${site}/a` });
    for (const path of ['/a?session=1', '/copy'])
      expect(await place(path, 'Once.', undefined, true)).toHaveProperty('skipped');
  });

  it('stores the first page if its canonical page cannot be read', async () => {
    const { place } = started();
    expect(await place('/b', 'Once.', '/missing')).toHaveProperty('after');
    expect(await place('/c', 'Once.')).toHaveProperty('after');
    expect(await place('/b', 'Once.', '/missing', true)).toEqual({ address: `${site}/b` });
    expect(await place('/c', 'Once.', undefined, true)).toHaveProperty('skipped');
  });
});
