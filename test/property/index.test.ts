import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createBm25Index } from '../../src/knowledge/index/bm25-index.ts';
import type { IndexedDocument } from '../../src/knowledge/index/search-index.ts';
import { queryTerms, terms } from '../../src/knowledge/text/words.ts';

const word = fc.constantFrom('refund', 'plan', 'card', 'days', 'invoice', 'window', 'call', '返金', 'v1.2', 'API');
const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(' '));
const document = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  title: text,
  chunks: fc.array(fc.record({ text, headingPath: fc.array(text, { maxLength: 2 }) }), { maxLength: 4 }),
});
const change = fc.oneof(
  { weight: 4, arbitrary: document.map((value) => ({ replace: value })) },
  { weight: 1, arbitrary: fc.constantFrom('a', 'b', 'c').map((id) => ({ remove: id })) },
);

/** BM25 straight from the formula, over plain objects. */
function naiveSearch(documents: ReadonlyMap<string, IndexedDocument>, query: string) {
  const chunks = [...documents.values()].flatMap((entry) =>
    entry.chunks.map((chunk, ordinal) => {
      const frequency = new Map<string, number>();
      let length = 0;
      for (const [field, weight] of [
        [entry.title, 3],
        [chunk.headingPath.join('\n'), 2],
        [chunk.text, 1],
      ] as const) {
        for (const term of terms(field)) {
          frequency.set(term, (frequency.get(term) ?? 0) + weight);
          length++;
        }
      }
      return { documentId: entry.id, chunk: ordinal, frequency, length };
    }),
  );
  const average = chunks.reduce((sum, chunk) => sum + chunk.length, 0) / Math.max(1, chunks.length);
  return chunks
    .map(({ documentId, chunk, frequency, length }) => {
      let score = 0;
      for (const term of queryTerms(query)) {
        const f = frequency.get(term) ?? 0;
        const n = chunks.filter((other) => other.frequency.has(term)).length;
        if (f > 0)
          score += (Math.log(1 + (chunks.length - n + 0.5) / (n + 0.5)) * f * 2.2) / (f + 1.2 * (0.25 + (0.75 * length) / average));
      }
      return { documentId, chunk, score };
    })
    .filter((hit) => hit.score > 0);
}

it('scores like the formula after any changes, before and after a restart', () =>
  fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 25 }), text, async (changes, query) => {
      const index = createBm25Index();
      const documents = new Map<string, IndexedDocument>();
      for (const step of changes) {
        if ('replace' in step) {
          await index.replaceDocument(step.replace);
          documents.delete(step.replace.id);
          documents.set(step.replace.id, step.replace);
        } else {
          await index.removeDocument(step.remove);
          documents.delete(step.remove);
        }
      }
      const naive = new Map(naiveSearch(documents, query).map((hit) => [`${hit.documentId}/${hit.chunk}`, hit.score]));
      const restarted = createBm25Index(structuredClone(index.toSnapshot()));
      for (const hits of [await index.search(query, 100), await restarted.search(query, 100)]) {
        expect(hits).toHaveLength(naive.size);
        for (const hit of hits) expect(hit.score).toBeCloseTo(naive.get(`${hit.documentId}/${hit.chunk}`) ?? -1, 3);
        expect(hits.map((hit) => hit.score)).toEqual(hits.map((hit) => hit.score).sort((a, b) => b - a));
      }
      expect(await restarted.search(query, 100)).toEqual(await index.search(query, 100));
    }),
    { numRuns: 150 },
  ));

it('returns the first of all hits, whatever the limit', () =>
  fc.assert(
    fc.asyncProperty(fc.array(document, { maxLength: 10 }), text, fc.nat({ max: 10 }), async (documents, query, limit) => {
      const index = createBm25Index();
      for (const entry of documents) await index.replaceDocument(entry);
      expect(await index.search(query, limit)).toEqual((await index.search(query, 1000)).slice(0, limit));
    }),
  ));

it('keeps nothing of a document that was replaced again and again', async () => {
  const index = createBm25Index();
  for (let turn = 0; turn < 50; turn++) {
    const text = Array.from({ length: 200 }, (_, number) => `word${turn}x${number}`).join(' ');
    await index.replaceDocument({ id: 'a', title: 't', chunks: [{ text, headingPath: [] }] });
  }
  expect(index.toSnapshot().terms.length).toBeLessThan(500);
  expect(await index.search('word49x7', 5)).toHaveLength(1);
  expect(await index.search('word48x7', 5)).toEqual([]);
});
