import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { embeddableTexts, maxTextChars, toUnitVector } from '../../src/knowledge/vectors/embedder.ts';
import { createVectorCache } from '../../src/knowledge/vectors/vector-cache.ts';
import { createVectorIndex } from '../../src/knowledge/vectors/vector-index.ts';
import { temporaryFolder } from '../support/workspace.ts';

const dimensions = 5;
const component = fc.integer({ min: -3, max: 3 });
const vector = fc
  .array(component, { minLength: dimensions, maxLength: dimensions })
  .filter((values) => values.some((value) => value !== 0));
/** A key of 32 bytes names its vector, so equal vectors share a key now and then. */
const keyOf = (values: readonly number[]) => Buffer.alloc(32, values.join()).toString('base64url');
const change = fc.oneof(
  { weight: 4, arbitrary: fc.record({ id: fc.constantFrom('a', 'b', 'c', 'd'), chunks: fc.array(fc.option(vector), { maxLength: 4 }) }) },
  { weight: 1, arbitrary: fc.constantFrom('a', 'b').map((id) => ({ id, chunks: undefined })) },
  { weight: 1, arbitrary: fc.constant({ id: undefined, chunks: undefined }) },
);

function naiveCosine(a: readonly number[], b: readonly number[]): number {
  const dot = (x: readonly number[], y: readonly number[]) => x.reduce((sum, value, at) => sum + value * y[at]!, 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

describe('the vector index', () => {
  it('finds what a naive scan by cosine finds, after any changes', async () => {
    const folder = await temporaryFolder();
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 20 }), vector, fc.integer({ min: 1, max: 8 }), async (changes, query, limit) => {
        const cache = createVectorCache({ folder, model: 'm', onWarning: (message, error) => expect.fail(`${message} ${error}`) });
        const index = createVectorIndex(cache);
        const documents = new Map<string, readonly (readonly number[] | null)[]>();
        for (const { id, chunks } of changes) {
          if (id === undefined) {
            const held = new Set([...documents.values()].flat().map((values) => (values ? keyOf(values) : '')));
            await cache.retain((key) => held.has(key));
          } else if (!chunks) {
            documents.delete(id);
            index.removeDocument(id);
          } else {
            documents.set(id, chunks);
            // The vectors of this document are there before it, or come later.
            const add = () =>
              cache.add(new Map(chunks.flatMap((values) => (values ? [[keyOf(values), toUnitVector(values)] as const] : []))));
            if (id < 'c') await add();
            index.replaceDocument(
              id,
              chunks.map((values) => (values ? keyOf(values) : '')),
            );
            if (id >= 'c') await add();
          }
        }
        const naive = [...documents].flatMap(([documentId, chunks]) =>
          chunks.flatMap((values, chunk) => (values ? [{ documentId, chunk, score: naiveCosine(values, query) }] : [])),
        );
        expect(index.share()).toBe(naive.length > 0 ? 1 : 0);
        const hits = index.search(toUnitVector(query), limit);
        expect(hits).toEqual(index.search(toUnitVector(query), 1_000).slice(0, limit));
        const scores = naive.map((hit) => hit.score).sort((x, y) => y - x);
        expect(hits).toHaveLength(Math.min(limit, naive.length));
        hits.forEach((hit, rank) => {
          expect(hit.score).toBeCloseTo(scores[rank]!, 5);
          const same = naive.find(({ documentId, chunk }) => documentId === hit.documentId && chunk === hit.chunk);
          expect(hit.score).toBeCloseTo(same!.score, 5);
        });
      }),
      { numRuns: 150 },
    );
  });

  it('orders equal scores by document and chunk, and knows how much it lacks', async () => {
    const cache = createVectorCache({ folder: await temporaryFolder(), model: 'm', onWarning: () => undefined });
    const index = createVectorIndex(cache);
    expect(index.share()).toBe(0);
    await cache.add(new Map([['k'.repeat(43), toUnitVector([1, 1])]]));
    index.replaceDocument('b', ['k'.repeat(43), '', 'k'.repeat(43), 'missing']);
    index.replaceDocument('a', ['k'.repeat(43)]);
    expect(index.share()).toBe(3 / 4);
    const places = index.search(toUnitVector([1, 0]), 10).map(({ documentId, chunk }) => `${documentId}${chunk}`);
    expect(places).toEqual(['a0', 'b0', 'b2']);
    expect(index.search(toUnitVector([1, 0]), 0)).toEqual([]);
  });

  it('says when there is too much to compare', async () => {
    const cache = createVectorCache({ folder: await temporaryFolder(), model: 'm', onWarning: () => undefined });
    const index = createVectorIndex(cache, 4);
    await cache.add(new Map([['k'.repeat(43), toUnitVector([1, 1])]]));
    expect(index.replaceDocument('a', ['k'.repeat(43), 'x'])).toBe(true);
    expect(index.isTooLarge()).toBe(false);
    expect(index.replaceDocument('b', ['k'.repeat(43)])).toBe(false);
    expect(index.isTooLarge()).toBe(true);
    index.removeDocument('a');
    expect(index.isTooLarge()).toBe(false);
    // Nobody kept the vector for it.
    expect([index.share(), index.search(toUnitVector([1, 1]), 5)]).toEqual([0, []]);
    expect(index.replaceDocument('b', ['k'.repeat(43)])).toBe(true);
    expect(index.share()).toBe(1);
  });
});

describe('what is embedded', () => {
  const textOf = (title: string, headingPath: string[], text: string) => embeddableTexts({ title, chunks: [{ headingPath, text }] })[0]!;

  it('stands below its title and headings, each once', () => {
    expect(textOf('Refunds', ['Cards', 'Limits'], 'Ten days.').text).toBe('Refunds > Cards > Limits\n\nTen days.');
    expect(textOf('Refunds', ['Refunds', 'Limits'], 'Ten days.').text).toBe('Refunds > Limits\n\nTen days.');
  });

  it('has the same key for the same text alone', () => {
    expect(textOf('a', [], 'b').key).toBe(textOf('a', [], 'b').key);
    expect(textOf('a', [], 'b').key).not.toBe(textOf('a', ['b'], 'b').key);
    expect(Buffer.from(textOf('a', [], 'b').key, 'base64url')).toHaveLength(32);
  });

  it('is cut, and never in the middle of a character', () => {
    for (const start of ['', 'x']) {
      const { text } = textOf('', [], start + '😀'.repeat(maxTextChars));
      expect(text.length).toBeLessThanOrEqual(maxTextChars);
      expect(text.isWellFormed()).toBe(true);
    }
  });

  it('is nothing for a chunk that says nothing', () => expect(textOf('a', [], ' \n')).toEqual({ key: '', text: '' }));
});
