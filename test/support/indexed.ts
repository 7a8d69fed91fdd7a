/** Small search indexes and query helpers. */
import { Bm25Engine } from '../../src/search/bm25/bm25-engine.ts';
import type { EngineDocument, EngineIndex } from '../../src/search/search-engine.ts';
import { SearchIndex } from '../../src/search/search-index.ts';

export const document = (
  id: string,
  texts: string | readonly string[],
  more: Partial<EngineDocument> = {},
): EngineDocument => ({
  id,
  version: '1',
  title: '',
  language: 'en',
  chunks: [texts].flat().map((text) => ({ text, headingPath: [] })),
  ...more,
});

export async function indexOf(...documents: readonly EngineDocument[]) {
  return indexOn(await new Bm25Engine().open('test'), ...documents);
}

export async function indexOn(engine: EngineIndex, ...documents: readonly EngineDocument[]) {
  for (const entry of documents) await engine.upsert(entry);
  const index = new SearchIndex(engine);
  const found = async (query: string, limit = 10, background?: string) =>
    (await index.search(query, limit, background)).hits.map(({ documentId }) => documentId);
  const coverage = async (query: string, background?: string) =>
    (await index.search(query, 10, background)).coverage;
  /** Terms and weights that match each query word. */
  const asked = async (query: string) =>
    (await index.search(query, 10)).asked.map(({ word, forms }) => [
      word,
      Object.fromEntries(forms.map(({ term, weight }) => [term, weight])),
    ]);
  return { engine, index, found, coverage, asked };
}

/** Five documents without common content words. */
export const office = [
  document('refunds', 'Refunds are paid within thirty days of purchase to the same card.'),
  document('taxes', 'Taxes are added to each invoice by country.'),
  document('calls', 'Recordings of calls are kept for ninety days in the archive.'),
  document('access', 'Log in with the company account and a second factor.'),
  document('office', 'The office opens at eight and has a bicycle cellar.'),
];
