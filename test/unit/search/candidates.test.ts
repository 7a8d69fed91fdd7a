import { expect, it } from 'vitest';
import { terms } from '../../../packages/shared/src/language/tokens.ts';
import { Bm25Engine } from '../../../src/search/bm25/bm25-engine.ts';
import { type CandidateSource, searchCandidates } from '../../../src/search/candidates.ts';
import { document } from '../../support/indexed.ts';

const words = ['wombat', 'burrow', 'quokka', 'dig', 'smile', 'night'];
const documents = Array.from({ length: 40 }, (_, at) => {
  const text = Array.from(
    { length: 5 + (at % 30) },
    (_word, place) => words[(at * 7 + place * place * 3) % words.length],
  ).join(' ');
  return document(`d${at}`, text, { title: at % 3 === 0 ? 'Wombat' : '' });
});
const asked = ['wombat', 'quokka', 'zebra'].map((term, at) => ({
  idf: 3 - at,
  alternatives: [{ term, impact: 3 - at }],
}));

/** Proposes all documents in reverse order, with term numbers unlike those of a vocabulary. */
function sourceOf(): CandidateSource {
  const numberOf = (term: string) =>
    2 ** 32 - 1 - [...term].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7);
  const candidates = documents.toReversed().map(({ id, title, chunks: [chunk] }) => {
    const [above, text] = [title, chunk?.text ?? ''].map((field) =>
      Array.from(terms(field, 'en'), numberOf),
    );
    const [start, titleEnd] = [2, 2 + (above?.length ?? 0)];
    const held = Uint32Array.from([
      numberOf('wombat'),
      numberOf('quokka'),
      ...(above ?? []),
      ...(text ?? []),
      numberOf('wombat'),
    ]);
    return {
      documentId: id,
      chunk: 0,
      terms: held,
      start,
      titleEnd,
      textStart: titleEnd,
      end: held.length - 1,
    };
  });
  const averageLength =
    candidates.reduce((sum, { start, end }) => sum + end - start, 0) / candidates.length;
  return { numberOf, propose: async () => ({ candidates, averageLength }) };
}

it('ranks proposed candidates as the in-process index does', async () => {
  const index = await new Bm25Engine().open('n');
  for (const entry of documents) await index.upsert(entry);
  for (const limit of [3, 100]) {
    const hits = await searchCandidates(sourceOf(), { terms: asked, limit });
    expect(hits).toEqual(await index.search({ terms: asked, limit }));
    expect(hits.length).toBeGreaterThan(2);
  }
});

it('omits candidates without query terms', async () => {
  const zebra = [{ idf: 1, alternatives: [{ term: 'zebra', impact: 1 }] }];
  expect(await searchCandidates(sourceOf(), { terms: zebra, limit: 10 })).toEqual([]);
});
