/**
 * Our index over passages, with one single-chunk document per passage, and the same as an engine to
 * compare.
 */
import { Bm25Engine } from '../../src/search/bm25/bm25-engine.ts';
import type { EngineIndex } from '../../src/search/search-engine.ts';
import { SearchIndex } from '../../src/search/search-index.ts';
import type { Passage } from './collections.ts';
import type { Engine } from './engines.ts';

const put = (index: EngineIndex, { id, title, text }: Passage) =>
  index.upsert({ id, version: '', title, language: 'en', chunks: [{ text, headingPath: [] }] });

const openIndex = () => new Bm25Engine().open('bench');

/** Document ids are the passage ids. */
export async function indexPassages(passages: readonly Passage[]): Promise<SearchIndex> {
  const index = await openIndex();
  for (const passage of passages) await put(index, passage);
  return new SearchIndex(index);
}

export function createOurs(): Engine {
  const opening = openIndex();
  return {
    async add(passages) {
      const index = await opening;
      for (const passage of passages) await put(index, passage);
    },
    async replace(passage) {
      await put(await opening, passage);
    },
    async search(query, limit) {
      return (await new SearchIndex(await opening).search(query, limit)).hits.map(
        (hit) => hit.documentId,
      );
    },
  };
}
