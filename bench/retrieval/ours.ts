/** Our index over passages: a document with one chunk for each, as the public collections have them; and the same as an engine to compare. */
import { createLexicalIndex } from '../../src/knowledge/index/lexical-index.ts';
import type { SearchIndex } from '../../src/knowledge/index/search-index.ts';
import type { Passage } from './collections.ts';
import type { Engine } from './engines.ts';

const put = (index: SearchIndex, { id, title, text }: Passage) =>
  index.replaceDocument({ id, title, language: 'en', chunks: [{ text, headingPath: [] }] });

/** The ids of documents are those of the passages. */
export async function indexPassages(passages: readonly Passage[]): Promise<SearchIndex> {
  const index = await createLexicalIndex();
  for (const passage of passages) await put(index, passage);
  return index;
}

export function createOurs(): Engine {
  const opening = createLexicalIndex();
  return {
    async add(passages) {
      const index = await opening;
      for (const passage of passages) await put(index, passage);
    },
    async replace(passage) {
      await put(await opening, passage);
    },
    async search(query, limit) {
      return (await (await opening).search(query, limit)).hits.map((hit) => hit.documentId);
    },
  };
}
