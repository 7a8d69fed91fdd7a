/**
 * Reference search engine: applies the formulas of `scoring.ts` to every chunk. The real engine
 * must rank the same.
 */
import { terms } from '../../packages/shared/src/language/tokens.ts';
import type { EngineDocument, EngineIndex, EngineQuery } from '../../src/search/search-engine.ts';

type ReadChunk = Readonly<{
  documentId: string;
  chunk: number;
  /** Terms of title and headings; `body`: terms of the text. */
  above: readonly string[];
  body: readonly string[];
  /** Term → frequency; title terms count five times, heading terms twice. */
  frequency: ReadonlyMap<string, number>;
}>;

function readChunks({ id, title, language, chunks }: EngineDocument): ReadChunk[] {
  return chunks.map(({ headingPath, text }, chunk) => {
    const fields = [title, headingPath.join('\n'), text].map((field) => [
      ...terms(field, language),
    ]);
    const [titleTerms = [], headingTerms = [], body = []] = fields;
    const frequency = new Map<string, number>();
    for (const [field, weight] of [
      [titleTerms, 5] as const,
      [headingTerms, 2] as const,
      [body, 1] as const,
    ])
      for (const term of field)
        frequency.set(term, Math.min(255, (frequency.get(term) ?? 0) + weight));
    return { documentId: id, chunk, above: [...titleTerms, ...headingTerms], body, frequency };
  });
}

const best = (values: readonly number[]) => Math.max(0, ...values);

function rank(chunks: readonly ReadChunk[], { terms: asked, limit }: EngineQuery) {
  const lengthOf = ({ above, body }: ReadChunk) => above.length + body.length;
  const average =
    chunks.reduce((sum, chunk) => sum + lengthOf(chunk), 0) / Math.max(1, chunks.length);
  const whole = asked.reduce((sum, { idf }) => sum + idf, 0);
  const scored = chunks.map((chunk) => {
    const saturated = (term: string) => {
      const f = chunk.frequency.get(term) ?? 0;
      return (f * 2.4) / (f + 1.4 * (0.4 + (0.6 * lengthOf(chunk)) / average));
    };
    const words = asked.map(({ alternatives }) =>
      best(alternatives.map(({ term, impact }) => impact * saturated(term))),
    );
    const score = words.reduce((sum, one) => sum + one, 0);
    const worth = (held: readonly string[]) =>
      asked.reduce(
        (sum, { alternatives }) =>
          sum + best(alternatives.map(({ term, impact }) => (held.includes(term) ? impact : 0))),
        0,
      );
    const windows = [
      chunk.above,
      ...chunk.body.map((_, last) => [
        ...chunk.above,
        ...chunk.body.slice(Math.max(0, last - 20), last + 1),
      ]),
    ];
    const share = score === 0 ? 0 : best(windows.map(worth)) / whole;
    return { chunk, score: score + 0.6 * whole * share ** 3 };
  });
  return scored
    .filter(({ score }) => score > 0)
    .sort(
      (a, c) =>
        c.score - a.score ||
        (a.chunk.documentId < c.chunk.documentId
          ? -1
          : a.chunk.documentId > c.chunk.documentId
            ? 1
            : a.chunk.chunk - c.chunk.chunk),
    )
    .slice(0, limit)
    .map(({ chunk: { documentId, chunk, frequency }, score }) => {
      const held = asked
        .flatMap(({ alternatives }) => alternatives.map(({ term }) => term))
        .filter((term) => frequency.has(term));
      return { documentId, chunk, score, matched: new Set(held) };
    });
}

export function createNaiveIndex(): EngineIndex {
  const documents = new Map<string, EngineDocument>();
  const chunks = () => [...documents.values()].flatMap(readChunks);
  return {
    versions: async () => new Map([...documents].map(([id, { version }]) => [id, version])),
    async upsert(document) {
      documents.set(document.id, document);
    },
    async remove(...documentIds) {
      for (const id of documentIds) documents.delete(id);
    },
    statistics: async () => ({
      chunks: chunks().length,
      languages: [...new Set([...documents.values()].map(({ language }) => language))],
    }),
    async documentFrequencies(asked) {
      const counts = [...asked].map(
        (term) => [term, chunks().filter(({ frequency }) => frequency.has(term)).length] as const,
      );
      return new Map(counts.filter(([, count]) => count > 0));
    },
    async search(query) {
      return rank(chunks(), query);
    },
    flush: async () => undefined,
    async drop() {
      documents.clear();
    },
  };
}
