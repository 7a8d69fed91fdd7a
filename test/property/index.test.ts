import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createLexicalIndex } from '../../src/knowledge/index/lexical-index.ts';
import type { IndexedDocument } from '../../src/knowledge/index/search-index.ts';
import { createTermNumbers } from '../../src/knowledge/index/term-numbers.ts';
import { Vocabulary } from '../../src/knowledge/index/vocabulary.ts';
import { terms } from '../../src/knowledge/text/words.ts';

/** No two are one slip apart, and none means the same as another. */
const word = fc.constantFrom('zorpex', 'blintar', 'quuxil', 'wembley', 'korvat', 'drimsol', '返金', 'v1.2', 'API');
const text = fc.array(word, { maxLength: 30 }).map((words) => words.join(' '));
const query = fc.uniqueArray(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '));
const document = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  title: fc.array(word, { maxLength: 3 }).map((words) => words.join(' ')),
  language: fc.constant('en' as const),
  chunks: fc.array(fc.record({ text, headingPath: fc.array(word, { maxLength: 2 }) }), { maxLength: 4 }),
});
const change = fc.oneof(
  { weight: 4, arbitrary: document.map((value) => ({ replace: value })) },
  { weight: 1, arbitrary: fc.constantFrom('a', 'b', 'c').map((id) => ({ remove: id })) },
);

/** The two looks straight from their formulas, over plain objects. */
function naiveSearch(documents: ReadonlyMap<string, IndexedDocument>, asked: string) {
  const chunks = [...documents.values()].flatMap((entry) =>
    entry.chunks.map((chunk, ordinal) => {
      const [title, headings, body] = [entry.title, chunk.headingPath.join('\n'), chunk.text].map((field) => [...terms(field)]);
      const above = [...(title ?? []), ...(headings ?? [])];
      const frequency = new Map<string, number>();
      const count = (held: readonly string[] = [], weight: number) => {
        for (const term of held) frequency.set(term, (frequency.get(term) ?? 0) + weight);
      };
      count(title, 5);
      count(headings, 2);
      count(body, 1);
      return { documentId: entry.id, chunk: ordinal, frequency, above, body: body ?? [], length: above.length + (body ?? []).length };
    }),
  );
  const average = chunks.reduce((sum, chunk) => sum + chunk.length, 0) / Math.max(1, chunks.length);
  const holders = (term: string) => chunks.filter((chunk) => chunk.frequency.has(term)).length;
  const idf = (term: string) => Math.log(1 + (chunks.length - holders(term) + 0.5) / (holders(term) + 0.5));
  const slots = [...new Set(terms(asked))];
  const whole = slots.reduce((sum, term) => sum + idf(term), 0);
  return chunks
    .map(({ documentId, chunk, frequency, above, body, length }) => {
      let score = 0;
      for (const term of slots) {
        const f = frequency.get(term) ?? 0;
        score += (idf(term) * f * 2.4) / (f + 1.4 * (0.4 + (0.6 * length) / average));
      }
      const worth = (held: readonly string[]) => slots.filter((term) => held.includes(term)).reduce((sum, term) => sum + idf(term), 0);
      const windows = [above, ...body.map((_, last) => [...above, ...body.slice(Math.max(0, last - 20), last + 1)])];
      const share = Math.max(...windows.map(worth)) / whole;
      return { documentId, chunk, score: score === 0 ? 0 : score + 0.6 * whole * share ** 3 };
    })
    .filter((hit) => hit.score > 0);
}

async function restarted(index: Awaited<ReturnType<typeof createLexicalIndex>>) {
  const parts: unknown[] = [];
  for await (const part of index.toSnapshot()) parts.push(structuredClone(part));
  return { parts, index: await createLexicalIndex(async () => parts.shift()) };
}

it('scores like the formula after any changes, before and after a restart', () =>
  fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 25 }), query, async (changes, asked) => {
      const index = await createLexicalIndex();
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
      const naive = new Map(naiveSearch(documents, asked).map((hit) => [`${hit.documentId}/${hit.chunk}`, hit.score]));
      const { index: again } = await restarted(index);
      for (const { hits, coverage } of [await index.search(asked, 100), await again.search(asked, 100)]) {
        expect(hits).toHaveLength(naive.size);
        for (const hit of hits) expect(hit.score).toBeCloseTo(naive.get(`${hit.documentId}/${hit.chunk}`) ?? -1, 3);
        expect(hits.map((hit) => hit.score)).toEqual(hits.map((hit) => hit.score).sort((a, b) => b - a));
        expect(coverage).toBeGreaterThanOrEqual(0);
        expect(coverage).toBeLessThanOrEqual(1);
      }
      expect(await again.search(asked, 100)).toEqual(await index.search(asked, 100));
    }),
    { numRuns: 150 },
  ));

it('returns at most as many hits as wanted, the best of all first, in order', () =>
  fc.assert(
    fc.asyncProperty(fc.array(document, { maxLength: 10 }), query, fc.nat({ max: 10 }), async (documents, asked, limit) => {
      const index = await createLexicalIndex();
      for (const entry of documents) await index.replaceDocument(entry);
      const all = (await index.search(asked, 1000)).hits;
      const { hits } = await index.search(asked, limit);
      expect(hits).toHaveLength(Math.min(limit, all.length));
      if (limit > 0) expect(hits[0]).toEqual(all[0]);
      for (const hit of hits) expect(all).toContainEqual(hit);
      expect(hits.map(({ score }) => score)).toEqual(hits.map(({ score }) => score).sort((a, b) => b - a));
    }),
  ));

it('keeps nothing of a document that was replaced again and again', async () => {
  const index = await createLexicalIndex();
  for (let turn = 0; turn < 50; turn++) {
    const made = Array.from({ length: 200 }, (_, number) => `word${turn}x${number}`).join(' ');
    await index.replaceDocument({ id: 'a', title: 't', language: 'en', chunks: [{ text: made, headingPath: [] }] });
  }
  const { parts, index: again } = await restarted(index);
  const held = parts.flat().filter((part) => typeof part === 'string' && part.startsWith('word'));
  expect(held.every((part) => String(part).startsWith('word49'))).toBe(true);
  for (const one of [index, again]) {
    expect((await one.search('word49x7', 5)).hits).toHaveLength(1);
    expect((await one.search('word31x7', 5)).hits).toEqual([]);
  }
});

it('finds the same among many chunks as one by one: common words pass over nothing', async () => {
  const index = await createLexicalIndex();
  const documents = new Map<string, IndexedDocument>();
  const random = (seed: number) => ((Math.imul(seed, 1_103_515_245) + 12_345) >>> 8) % 97;
  for (let number = 0; number < 4_000; number++) {
    const words = [
      'zorpex',
      random(number) < 70 ? 'blintar' : 'x',
      random(number * 7) < 30 ? 'quuxil' : 'y',
      random(number * 13) < 3 ? 'korvat' : 'z',
    ];
    const entry = { id: String(number), title: '', language: 'en' as const, chunks: [{ text: words.join(' '), headingPath: [] }] };
    documents.set(entry.id, entry);
    await index.replaceDocument(entry);
  }
  const { hits } = await index.search('zorpex blintar quuxil korvat', 50);
  const best = naiveSearch(documents, 'zorpex blintar quuxil korvat').sort((a, b) => b.score - a.score);
  expect(hits.map(({ score }) => score.toFixed(3))).toEqual(best.slice(0, 50).map(({ score }) => score.toFixed(3)));
});

it('numbers the terms of a text by its bytes as it does by its words', () =>
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constantFrom("don't", 'getUserById', 'a.b-c', "x'", '-y', 'A_b/c@d')),
      ),
      (pieces) => {
        const vocabulary = new Vocabulary();
        const numbersOf = createTermNumbers(vocabulary);
        const made = pieces.join(' ');
        const names = [...vocabulary].map(([term]) => term);
        expect(names).toEqual([]);
        const numbers = [...numbersOf(made, 'en')];
        const held = [...vocabulary].map(([term]) => term);
        expect(numbers.map((number) => held[number])).toEqual([...terms(made, 'en')]);
        expect([...numbersOf(made, 'en')]).toEqual(numbers);
      },
    ),
  ));
