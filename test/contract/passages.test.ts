import { describe, expect, it } from 'vitest';
import { normalizeForComparison, toPassage, toPassages } from '../../src/ask/retriever.ts';
import type { IndexedDocument } from '../../src/documents/namespace-snapshot.ts';
import type { Hit } from '../../src/search/search-engine.ts';
import { passageOf } from '../support/passages.ts';
import { sharedModel, startService } from '../support/workspace.ts';

/** Consecutive chunks, each in the named section. */
const entryOf = (
  sections: readonly string[],
  { id = 'a', chars = 100, pages = [] as readonly number[] } = {},
) =>
  ({
    document: passageOf('', id).document,
    chunks: sections.map((section, index) => ({
      start: index * chars,
      end: (index + 1) * chars,
      headingPath: [section],
      anchor: section,
      page: pages[index] ?? null,
    })),
    titles: [],
  }) as unknown as IndexedDocument;

const hit = (documentId: string, chunk: number, score = 1): Hit => ({ documentId, chunk, score });
const passagesOf = (hits: readonly Hit[], ...entries: readonly IndexedDocument[]) =>
  toPassages(hits, (id) => entries.find(({ document }) => document.id === id)).map(
    ({ entry, first, last, score }) => [entry.document.id, first, last, score],
  );

describe('hits', () => {
  const neighbours = [hit('a', 0), hit('a', 1)];
  const same = ['s', 's'];

  it('become one passage with the best score if they are adjacent', () => {
    const hits = [hit('a', 2, 9), hit('a', 1, 5), hit('a', 3, 2)];
    expect(passagesOf(hits, entryOf([...same, ...same]))).toEqual([['a', 1, 3, 9]]);
    expect(passagesOf(neighbours, entryOf(same, { pages: [1, 1] }))).toHaveLength(1);
  });

  it.each<[string, Hit[], IndexedDocument[]]>([
    ['around another chunk', [hit('a', 0), hit('a', 2)], [entryOf([...same, 's'])]],
    ['in different sections', neighbours, [entryOf(['s', 't'])]],
    ['on different pages', neighbours, [entryOf(same, { pages: [1, 2] })]],
    ['in two documents', [hit('a', 0), hit('b', 1)], [entryOf(same), entryOf(same, { id: 'b' })]],
  ])('stay separate %s', (_, hits, entries) => {
    expect(passagesOf(hits, ...entries)).toHaveLength(2);
  });

  it('are joined up to 4,000 characters', () => {
    const hits = [hit('a', 0, 3), hit('a', 1, 2), hit('a', 2, 1)];
    const joined = (chars: number) => passagesOf(hits, entryOf([...same, 's'], { chars }));
    expect(joined(1_333)).toEqual([['a', 0, 2, 3]]);
    expect(joined(1_334)).toEqual([
      ['a', 0, 1, 3],
      ['a', 2, 2, 1],
    ]);
  });

  it('are dropped if their document was deleted', () => {
    expect(passagesOf([hit('gone', 0), hit('a', 0)], entryOf(['s']))).toEqual([['a', 0, 0, 1]]);
  });
});

describe('a snippet', () => {
  const text = Array.from({ length: 40 }, (_, number) => `${number}`.padStart(10, '.')).join('');
  const entry = entryOf(['s', 's', 't', 't']);

  it.each([
    [0, 0, 'a-0'],
    [2, 3, 'a-2-3'],
  ])('of the chunks %i to %i is exactly the text between its offsets', (first, last, chunkId) => {
    const start = first * 100;
    const end = (last + 1) * 100;
    expect(toPassage({ entry, first, last, score: 2 }, text)).toMatchObject({
      ...{ chunkId, start, end, score: 2, text: text.slice(start, end) },
      headingPath: entry.chunks[first]?.headingPath,
    });
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

const words = 'Refunds for the annual plan are paid to the card within 30 days, or $5 are added';
it.each([
  [true, `${words}.\n`],
  [true, words.replace('annual', '**annual**')],
  [true, words.toUpperCase()],
  [false, words.replace('30', '31')],
  [false, `${words} 7`],
  [false, words.replace('$', '€')],
  [false, words.replace('are paid', 'are not paid')],
])('two passages are equal (%s) unless a word, a figure or a sign differs: %j', (isSame, other) => {
  expect(normalizeForComparison(other) === normalizeForComparison(words)).toBe(isSame);
});

describe('the results of a search', () => {
  it('are cited with the section of the quote', async () => {
    const quote = 'Lost keys cost $15 at the desk.';
    const { provider, service } = await sharedModel(
      {},
      {
        'docs/burrow.md': `# Burrow\n\n## Doors\n\nThe zebra doors close at nine.\n\n## Keys\n\n${quote}\n\n## Pets\n\nCats may stay.\n`,
      },
    );
    provider.reply(`${quote} [1]`);
    const { body } = await service.generate({
      messages: '@agent when do the zebra doors close?',
      toolParams: { namespace: 'docs' },
    });
    expect(body).toMatchObject({
      text: `${quote} [1]\n\nSources:\n[1] Burrow › Keys`,
      citations: [{ headingPath: ['Burrow', 'Keys'], anchor: 'keys', quote }],
    });
    const verified = await service.post('/api/answers/verify', body);
    expect(verified.body).toMatchObject({ citations: [{ status: 'holds' }] });
  });

  it('contain no copies of better ones, but every version with another figure', async () => {
    const copy =
      '# Refunds\n\nRefunds of wombat tickets are paid to the card that was used for them, within thirty days.\n';
    const files = {
      'docs/a.md': copy,
      'docs/b.md': copy.replace('used for them', '**used** for them'),
      'docs/c.md': copy.replace('thirty', '14'),
    };
    const { find } = await startService({}, files);
    const { results } = (await find({ query: 'refunds of tickets', namespace: 'docs' })).body;
    expect(results.map(({ file }: { file: string }) => file).sort()).toEqual([
      expect.stringMatching(/[ab]\.md/),
      'c.md',
    ]);
  });
});
