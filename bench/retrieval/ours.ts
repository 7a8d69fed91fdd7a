/** Our index over passages: a document with one chunk for each, as the public collections have them; and the same as an engine to compare. */
import { createBm25Engine } from '../../src/search/bm25/bm25-engine.ts';
import type { EngineIndex } from '../../src/search/search-engine.ts';
import { createSearchIndex, type SearchIndex } from '../../src/search/search-index.ts';
import type { Passage } from './collections.ts';
import type { Engine } from './engines.ts';

const put = (index: EngineIndex, { id, title, text }: Passage) =>
  index.upsert({ id, version: '', title, language: 'en', chunks: [{ text, headingPath: [] }] });

/** The ids of documents are those of the passages. */
export async function indexPassages(passages: readonly Passage[]): Promise<SearchIndex> {
  const index = await createBm25Engine().open('bench');
  for (const passage of passages) await put(index, passage);
  return createSearchIndex(index);
}

export function createOurs(): Engine {
  const opening = createBm25Engine().open('bench');
  return {
    async add(passages) {
      const index = await opening;
      for (const passage of passages) await put(index, passage);
    },
    async replace(passage) {
      await put(await opening, passage);
    },
    async search(query, limit) {
      return (await createSearchIndex(await opening).search(query, limit)).hits.map((hit) => hit.documentId);
    },
  };
}
