import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { terms } from '../../../../packages/shared/src/language/tokens.ts';
import { Bm25Engine } from '../../../../src/search/bm25/bm25-engine.ts';
import type { EngineDocument, EngineIndex } from '../../../../src/search/search-engine.ts';
import { SearchIndex } from '../../../../src/search/search-index.ts';
import { createNaiveIndex } from '../../../support/naive-engine.ts';

/** Without typing-error neighbours and synonyms among them. */
const word = fc.constantFrom(
  'zorpex',
  'blintar',
  'quuxil',
  'wembley',
  'korvat',
  'drimsol',
  '返金',
  'v1.2',
  'API',
);
const text = fc.array(word, { maxLength: 30 }).map((words) => words.join(' '));
const query = fc.uniqueArray(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '));
const document = fc.record({
  id: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
  version: fc.constant(''),
  title: fc.array(word, { maxLength: 3 }).map((words) => words.join(' ')),
  language: fc.constant('en' as const),
  chunks: fc.array(fc.record({ text, headingPath: fc.array(word, { maxLength: 2 }) }), {
    maxLength: 4,
  }),
});
const change = fc.oneof(
  { weight: 4, arbitrary: document.map((value) => ({ replace: value })) },
  { weight: 1, arbitrary: fc.constantFrom('a', 'b', 'c').map((id) => ({ remove: id })) },
  { weight: 1, arbitrary: fc.constant({ flush: true }) },
);

const engineOf = async (documents: Iterable<EngineDocument>, folder?: string) => {
  const engine = await new Bm25Engine(folder).open('test');
  for (const entry of documents) await engine.upsert(entry);
  return engine;
};

/** Saves an index and opens it again. */
async function restarted(engine: EngineIndex, folder: string) {
  await engine.flush();
  return new Bm25Engine(folder).open('test');
}

const folder = mkdtempSync(join(tmpdir(), 'knowledge-index-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('finds the same as a naive engine after any changes, before and after a restart', () =>
  fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 25 }), query, async (changes, asked) => {
      const own = await new Bm25Engine(folder).open('test');
      const naive = createNaiveIndex();
      await own.drop();
      for (const engine of [own, naive]) {
        for (const step of changes) {
          if ('flush' in step) await engine.flush();
          else if ('replace' in step) await engine.upsert(step.replace);
          else await engine.remove(step.remove);
        }
      }
      const expected = await new SearchIndex(naive).search(asked, 100);
      const scores = new Map(
        expected.hits.map((hit) => [`${hit.documentId}/${hit.chunk}`, hit.score]),
      );
      const { chunks } = await naive.statistics();
      for (const { word, idf } of expected.asked) {
        const [term] = terms(word);
        const holders = (await naive.documentFrequencies([term ?? ''])).get(term ?? '') ?? 0;
        expect(idf).toBeCloseTo(Math.log(1 + (chunks - holders + 0.5) / (holders + 0.5)), 6);
      }
      for (const engine of [own, await restarted(own, folder)]) {
        const {
          hits,
          coverage,
          asked: understood,
        } = await new SearchIndex(engine).search(asked, 100);
        expect(hits).toHaveLength(scores.size);
        for (const hit of hits)
          expect(hit.score).toBeCloseTo(scores.get(`${hit.documentId}/${hit.chunk}`) ?? -1, 3);
        expect(hits.map((hit) => hit.score)).toEqual(
          hits.map((hit) => hit.score).sort((a, b) => b - a),
        );
        expect(understood).toEqual(expected.asked);
        expect(coverage).toBeGreaterThanOrEqual(0);
        expect(coverage).toBeLessThanOrEqual(1);
      }
    }),
  ));

it('keeps nothing of replaced versions of a document', async () => {
  const engine = await engineOf([], folder);
  await engine.drop();
  for (let version = 0; version < 50; version++) {
    const made = Array.from({ length: 200 }, (_, number) => `word${version}x${number}`).join(' ');
    await engine.upsert({
      id: 'a',
      version: `${version}`,
      title: 't',
      language: 'en',
      chunks: [{ text: made, headingPath: [] }],
    });
  }
  const again = await restarted(engine, folder);
  const stored = readdirSync(join(folder, 'test')).map((name) =>
    readFileSync(join(folder, 'test', name), 'latin1'),
  );
  expect(new Set(stored.flatMap((content) => content.match(/word\d+/g) ?? []))).toEqual(
    new Set(['word49']),
  );
  for (const one of [engine, again]) {
    expect(await one.documentFrequencies(['word49x7', 'word31x7'])).toEqual(
      new Map([['word49x7', 1]]),
    );
    expect((await new SearchIndex(one).search('word49x7', 5)).hits).toHaveLength(1);
    expect((await new SearchIndex(one).search('word31x7', 5)).hits).toEqual([]);
  }
});

it('finds the same as a naive engine among many chunks, although it skips new chunks for common words', async () => {
  const random = (seed: number) => ((Math.imul(seed, 1_103_515_245) + 12_345) >>> 8) % 97;
  const documents = Array.from({ length: 4_000 }, (_, number): EngineDocument => {
    const words = [
      'zorpex',
      random(number) < 70 ? 'blintar' : 'x',
      random(number * 7) < 30 ? 'quuxil' : 'y',
      random(number * 13) < 3 ? 'korvat' : 'z',
    ];
    return {
      id: String(number),
      version: '',
      title: '',
      language: 'en',
      chunks: [{ text: words.join(' '), headingPath: [] }],
    };
  });
  const naive = createNaiveIndex();
  for (const entry of documents) await naive.upsert(entry);
  const asked = 'zorpex blintar quuxil korvat';
  const { hits } = await new SearchIndex(await engineOf(documents)).search(asked, 50);
  const expected = await new SearchIndex(naive).search(asked, 50);
  expect(hits.map(({ score }) => score.toFixed(3))).toEqual(
    expected.hits.map(({ score }) => score.toFixed(3)),
  );
});
