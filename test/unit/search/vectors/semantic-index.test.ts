import fc from 'fast-check';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type Embedder,
  embeddableTexts,
  maxTextChars,
  toUnitVector,
} from '../../../../src/search/vectors/embedder.ts';
import { SemanticIndexes } from '../../../../src/search/vectors/semantic-index.ts';
import { temporaryFolder } from '../../../support/workspace.ts';

const dimensions = 5;
const component = fc.integer({ min: -3, max: 3 });
const vector = fc
  .array(component, { minLength: dimensions, maxLength: dimensions })
  .filter((values) => values.some((value) => value !== 0));
const change = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      id: fc.constantFrom('a', 'b', 'c', 'd'),
      chunks: fc.array(fc.option(vector), { maxLength: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom('a', 'b').map((id) => ({ id, chunks: undefined })) },
  { weight: 1, arbitrary: fc.constant({ id: undefined, chunks: undefined }) },
);

function naiveCosine(a: readonly number[], b: readonly number[]): number {
  const dot = (x: readonly number[], y: readonly number[]) =>
    x.reduce((sum, value, at) => sum + value * y[at]!, 0);
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b));
}

/** A provider whose vectors are the numbers in the last line of each text. */
const embedderOf = (): Embedder => ({
  model: 'm',
  maxBatch: 8,
  embed: async (texts) =>
    texts.map((text) =>
      toUnitVector(
        text
          .slice(text.lastIndexOf('\n') + 1)
          .split(',')
          .map(Number),
      ),
    ),
});

async function start(options: Partial<ConstructorParameters<typeof SemanticIndexes>[0]> = {}) {
  const folder = await temporaryFolder();
  const onWarning = (message: string, error: unknown) => expect.fail(`${message} ${error}`);
  const indexes = new SemanticIndexes({
    embedder: embedderOf(),
    folder,
    onWarning,
    gatherMs: 0,
    forgetDelayMs: 0,
    ...options,
  });
  onTestFinished(() => indexes.close());
  await indexes.store.open();
  indexes.queue.settle();
  const embedded = () =>
    vi.waitUntil(() => indexes.queue.progress().done === indexes.queue.progress().wanted, {
      interval: 1,
      timeout: 60_000,
    });
  const index = indexes.of('docs');
  const upsert = (id: string, ...texts: string[]) =>
    index.upsert({ id, title: '', chunks: texts.map((text) => ({ headingPath: [], text })) });
  return { indexes, index, embedded, upsert };
}

describe('the semantic index', () => {
  it('finds the same as a naive scan by cosine, after any changes', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(change, { maxLength: 20 }),
        vector,
        fc.integer({ min: 1, max: 8 }),
        async (changes, query, limit) => {
          const { indexes, index, embedded, upsert } = await start();
          const documents = new Map<string, readonly (readonly number[] | null)[]>();
          for (const { id, chunks } of changes) {
            // Embedding may end before or after later changes.
            if (id === undefined) await embedded();
            else if (!chunks) {
              documents.delete(id);
              index.remove(id);
            } else {
              documents.set(id, chunks);
              upsert(id, ...chunks.map((values) => values?.join() ?? ' '));
            }
          }
          await embedded();
          const naive = [...documents].flatMap(([documentId, chunks]) =>
            chunks.flatMap((values, chunk) =>
              values ? [{ documentId, chunk, score: naiveCosine(values, query) }] : [],
            ),
          );
          const { hits, share } = await index.search(query.join(), limit);
          expect(share).toBe(naive.length > 0 ? 1 : 0);
          expect(hits).toEqual((await index.search(query.join(), 1_000)).hits.slice(0, limit));
          const scores = naive.map((hit) => hit.score).sort((x, y) => y - x);
          expect(hits).toHaveLength(Math.min(limit, naive.length));
          hits.forEach((hit, rank) => {
            expect(hit.score).toBeCloseTo(scores[rank]!, 5);
            const same = naive.find(
              ({ documentId, chunk }) => documentId === hit.documentId && chunk === hit.chunk,
            );
            expect(hit.score).toBeCloseTo(same!.score, 5);
          });
          await indexes.close();
        },
      ),
    ));

  it('neither searches nor embeds documents above its limit, until other documents are removed', async () => {
    const folder = await temporaryFolder();
    const before = await start({ folder });
    before.upsert('a', '1,1');
    await before.embedded();
    await before.indexes.close();
    const warnings: string[] = [];
    const onWarning = (message: string) => warnings.push(message);
    const { indexes, index, embedded, upsert } = await start({
      folder,
      forgetDelayMs: 60_000,
      maxSearchedNumbers: 4,
      onWarning,
    });
    upsert('a', '1,1', '1,2');
    await embedded();
    expect((await index.search('1,1', 5)).share).toBe(1);
    upsert('b', '1,1');
    expect(await index.search('1,1', 5)).toEqual({ hits: [], share: 0 });
    expect([warnings.length, indexes.queue.progress().wanted]).toEqual([1, 2]);
    index.remove('a');
    // It has no vector yet.
    expect(await index.search('1,1', 5)).toEqual({ hits: [], share: 0 });
    upsert('b', '1,1');
    await embedded();
    expect(await index.search('1,1', 5)).toMatchObject({
      hits: [{ documentId: 'b', chunk: 0 }],
      share: 1,
    });
  });
});

describe('the text embedded for a chunk', () => {
  const textOf = (title: string, headingPath: string[], text: string) =>
    embeddableTexts({ title, chunks: [{ headingPath, text }] })[0]!;

  it('begins with the title and headings, without repetition', () => {
    expect(textOf('Refunds', ['Cards', 'Limits'], 'Ten days.').text).toBe(
      'Refunds > Cards > Limits\n\nTen days.',
    );
    expect(textOf('Refunds', ['Refunds', 'Limits'], 'Ten days.').text).toBe(
      'Refunds > Limits\n\nTen days.',
    );
  });

  it('has the same key only for the same text', () => {
    expect(textOf('a', [], 'b').key).toBe(textOf('a', [], 'b').key);
    expect(textOf('a', [], 'b').key).not.toBe(textOf('a', ['b'], 'b').key);
    expect(Buffer.from(textOf('a', [], 'b').key, 'base64url')).toHaveLength(32);
  });

  it('is cut to the limit, but not in the middle of a character', () => {
    for (const start of ['', 'x']) {
      const { text } = textOf('', [], start + '😀'.repeat(maxTextChars));
      expect(text.length).toBeLessThanOrEqual(maxTextChars);
      expect(text.isWellFormed()).toBe(true);
    }
  });
});
