/** Indexes of a few documents, and what tests ask of them. */
import { createLexicalIndex } from '../../src/knowledge/index/lexical-index.ts';
import type { IndexedDocument } from '../../src/knowledge/index/search-index.ts';

export const document = (id: string, texts: string | readonly string[], more: Partial<IndexedDocument> = {}): IndexedDocument => ({
  id,
  title: '',
  language: 'en',
  chunks: [texts].flat().map((text) => ({ text, headingPath: [] })),
  ...more,
});

export async function indexOf(...documents: readonly IndexedDocument[]) {
  const index = await createLexicalIndex();
  for (const entry of documents) await index.replaceDocument(entry);
  const found = async (query: string, limit = 10, background?: string) =>
    (await index.search(query, limit, background)).hits.map(({ documentId }) => documentId);
  const coverage = async (query: string, background?: string) => (await index.search(query, 10, background)).coverage;
  /** Per word of the query the terms that stand for it, with their weights. */
  const asked = async (query: string) =>
    (await index.search(query, 10)).asked.map(({ word, forms }) => [
      word,
      Object.fromEntries(forms.map(({ term, weight }) => [term, weight])),
    ]);
  return { index, found, coverage, asked };
}

/** Five documents that share no word worth searching for. */
export const office = [
  document('refunds', 'Refunds are paid within thirty days of purchase to the same card.'),
  document('taxes', 'Taxes are added to each invoice by country.'),
  document('calls', 'Recordings of calls are kept for ninety days in the archive.'),
  document('access', 'Log in with the company account and a second factor.'),
  document('office', 'The office opens at eight and has a bicycle cellar.'),
];
