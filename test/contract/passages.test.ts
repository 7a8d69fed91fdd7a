import { describe, expect, it } from 'vitest';
import { normalizeForComparison, toPassage, toPassages } from '../../src/ask/retriever.ts';
import type { Chunk, Document } from '../../src/documents/document.ts';
import type { IndexedDocument } from '../../src/documents/namespace-snapshot.ts';
import type { Hit } from '../../src/search/search-engine.ts';
import { startFakeProvider } from '../support/fake-provider.ts';
import { startService } from '../support/workspace.ts';

const documentOf = (id: string): Document => ({
  id,
  namespace: 'docs',
  file: `${id}.md`,
  title: id,
  source: `${id}.md`,
  kind: 'file',
  revision: 'sha256-0',
  bytes: 1,
  textLanguage: 'en',
});

/** Consecutive chunks, each in the named section. */
function entryOf(
  id: string,
  sections: readonly string[],
  chars = 100,
  pages: readonly (number | null)[] = [],
): IndexedDocument {
  const chunks = sections.map(
    (section, index): Chunk => ({
      start: index * chars,
      end: (index + 1) * chars,
      headingPath: [section],
      anchor: section,
      page: pages[index] ?? null,
    }),
  );
  return {
    document: documentOf(id),
    chunks,
    stamp: '' as unknown as IndexedDocument['stamp'],
    titles: [],
  } as IndexedDocument;
}

const hit = (documentId: string, chunk: number, score = 1): Hit => ({ documentId, chunk, score });
const passagesOf = (hits: readonly Hit[], ...entries: readonly IndexedDocument[]) =>
  toPassages(hits, (id) => entries.find(({ document }) => document.id === id)).map(
    ({ entry, first, last, score }) => [entry.document.id, first, last, score],
  );

describe('hits', () => {
  it('become one passage with the best score if they are adjacent', () => {
    const entry = entryOf('a', ['s', 's', 's', 's']);
    expect(passagesOf([hit('a', 2, 9), hit('a', 1, 5), hit('a', 3, 2)], entry)).toEqual([
      ['a', 1, 3, 9],
    ]);
  });
  it('stay separate if another chunk is between them', () => {
    expect(passagesOf([hit('a', 0), hit('a', 2)], entryOf('a', ['s', 's', 's']))).toHaveLength(2);
  });
  it('stay separate in different sections and pages', () => {
    expect(passagesOf([hit('a', 0), hit('a', 1)], entryOf('a', ['s', 't']))).toHaveLength(2);
    expect(
      passagesOf([hit('a', 0), hit('a', 1)], entryOf('a', ['s', 's'], 100, [1, 2])),
    ).toHaveLength(2);
    expect(
      passagesOf([hit('a', 0), hit('a', 1)], entryOf('a', ['s', 's'], 100, [1, 1])),
    ).toHaveLength(1);
  });
  it('stay separate in different documents', () => {
    expect(
      passagesOf([hit('a', 0), hit('b', 1)], entryOf('a', ['s', 's']), entryOf('b', ['s', 's'])),
    ).toHaveLength(2);
  });
  it('are joined up to 4,000 characters', () => {
    const hits = [hit('a', 0, 3), hit('a', 1, 2), hit('a', 2, 1)];
    expect(passagesOf(hits, entryOf('a', ['s', 's', 's'], 1_333))).toEqual([['a', 0, 2, 3]]);
    expect(passagesOf(hits, entryOf('a', ['s', 's', 's'], 1_334))).toEqual([
      ['a', 0, 1, 3],
      ['a', 2, 2, 1],
    ]);
  });
  it('are dropped if their document was deleted', () => {
    expect(passagesOf([hit('gone', 0), hit('a', 0)], entryOf('a', ['s']))).toEqual([
      ['a', 0, 0, 1],
    ]);
  });
});

describe('a snippet', () => {
  const text = Array.from({ length: 40 }, (_, number) => `${number}`.padStart(10, '.')).join('');
  const entry = entryOf('a', ['s', 's', 't', 't']);

  it('is exactly the text between its offsets', () => {
    for (const [first, last, chunkId] of [
      [0, 0, 'a-0'],
      [2, 3, 'a-2-3'],
    ] as const) {
      const snippet = toPassage({ entry, first, last, score: 2 }, text);
      expect(snippet).toMatchObject({
        chunkId,
        start: first * 100,
        end: (last + 1) * 100,
        score: 2,
        headingPath: entry.chunks[first]?.headingPath,
      });
      expect(snippet?.text).toBe(text.slice(first * 100, (last + 1) * 100));
    }
  });
  it('has the header of the table in whose middle it begins', () => {
    const table = `Prices.\n\n| Plan | Price |\n| --- | --- |\n`.padEnd(99, '|').concat('\n');
    const rows = `${table}${'| Basic | $5 |\n'.repeat(20)}`;
    const headerOf = (first: number) =>
      toPassage({ entry, first, last: first, score: 1 }, rows)?.tableHeader;
    expect([headerOf(0), headerOf(1)]).toEqual([undefined, '| Plan | Price |\n| --- | --- |\n']);
  });
  it('is undefined if the document has no such chunk', () => {
    expect(toPassage({ entry, first: 0, last: 9, score: 1 }, text)).toBeUndefined();
  });
});

describe('two passages', () => {
  const words = 'Refunds for the annual plan are paid to the card within 30 days, or $5 are added';
  const isSame = (a: string, b: string) => normalizeForComparison(a) === normalizeForComparison(b);

  it('are equal if they differ only in case, white space and markup', () => {
    for (const other of [
      words,
      `${words}.\n`,
      words.replace('annual', '**annual**'),
      words.toUpperCase(),
    ])
      expect(isSame(words, other), other).toBe(true);
  });
  it('are different if a word, a figure or a sign differs', () => {
    for (const other of [
      words.replace('30', '31'),
      `${words} 7`,
      words.replace('$', '€'),
      words.replace('are paid', 'are not paid'),
    ])
      expect(isSame(words, other), other).toBe(false);
  });
});

describe('the results of a search', () => {
  const copy =
    '# Refunds\n\nRefunds of wombat tickets are paid to the card that was used for them, within thirty days.\n';
  const burrow =
    '# Burrow\n\n## Doors\n\nThe zebra doors close at nine.\n\n## Keys\n\nLost keys cost $15 at the desk.\n\n## Pets\n\nCats may stay.\n';
  it('are cited with the section of the quote', async () => {
    const provider = await startFakeProvider();
    provider.reply('Lost keys cost $15 at the desk. [1]');
    const { post, generate } = await startService(
      { LLM_BASE_URL: provider.baseUrl },
      { 'docs/burrow.md': burrow },
    );
    const questionBody = {
      messages: '@agent when do the zebra doors close?',
      toolParams: { namespace: 'docs' },
    };
    const { body } = await generate(questionBody);
    expect(body.text).toBe('Lost keys cost $15 at the desk. [1]\n\nSources:\n[1] Burrow › Keys');
    expect(body.citations).toMatchObject([
      { headingPath: ['Burrow', 'Keys'], anchor: 'keys', quote: 'Lost keys cost $15 at the desk.' },
    ]);
    expect((await post('/api/answers/verify', body)).body).toMatchObject({
      citations: [{ status: 'holds' }],
    });
  });
  it('contain no copies of better ones, but every version with another figure', async () => {
    const { find } = await startService(
      {},
      {
        'docs/a.md': copy,
        'docs/b.md': copy.replace('used for them', '**used** for them'),
        'docs/c.md': copy.replace('thirty', '14'),
      },
    );
    const { results } = (await find({ query: 'refunds of tickets', namespace: 'docs' })).body;
    expect(results.map(({ file }: { file: string }) => file).sort()).toEqual([
      expect.stringMatching(/[ab]\.md/),
      'c.md',
    ]);
  });
});
