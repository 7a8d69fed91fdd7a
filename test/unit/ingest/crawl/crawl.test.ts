import { describe, expect, it } from 'vitest';
import { Crawl } from '../../../../src/ingest/crawl/crawl.ts';
import { crawlDefaults } from '../../../../src/ingest/source.ts';

const site = 'https://docs.example.com';
const started = () => {
  const crawl = new Crawl(`${site}/`, crawlDefaults, []);
  const place = (path: string, markdown: string, canonical?: string, isLast = false) => {
    const parsed = { markdown, title: undefined, ...(canonical ? { canonicalUrl: `${site}${canonical}` } : {}) };
    return crawl.place({ url: `${site}${path}`, depth: 1, location: undefined, parsed, isLast }, () => true);
  };
  return { crawl, place };
};

describe('of two pages with one text', () => {
  it('the one that was found first is stored', () => {
    const { place } = started();
    expect(place('/b', 'Once.')).toEqual({ address: `${site}/b` });
    expect(place('/a', 'Once.')).toMatchObject({ skipped: { code: 'duplicate_source' } });
  });

  it('the one that an earlier page names as its own address is stored, though another was found before it', () => {
    const { place } = started();
    expect(place('/a?session=1', 'Once.', '/a')).toEqual({ after: `${site}/a` });
    expect(place('/copy', 'Once.')).toEqual({ after: `${site}/a` });
    expect(place('/a', 'Once.', '/a')).toEqual({ address: `${site}/a` });
    for (const path of ['/a?session=1', '/copy']) expect(place(path, 'Once.', undefined, true)).toHaveProperty('skipped');
  });

  it('the first is stored where the address that it names cannot be read', () => {
    const { place } = started();
    expect(place('/b', 'Once.', '/missing')).toHaveProperty('after');
    expect(place('/c', 'Once.')).toHaveProperty('after');
    expect(place('/b', 'Once.', '/missing', true)).toEqual({ address: `${site}/b` });
    expect(place('/c', 'Once.', undefined, true)).toHaveProperty('skipped');
  });
});
