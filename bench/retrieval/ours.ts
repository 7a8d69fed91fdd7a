/** Our index as an engine: a document with one chunk per passage. The only file of these benches that knows its module. */
import { createLexicalIndex } from '../../src/knowledge/index/lexical-index.ts';
import type { Passage } from './collections.ts';
import type { Engine } from './engines.ts';

export function createOurs(): Engine {
  const opening = createLexicalIndex();
  const replace = async ({ id, title, text }: Passage) =>
    (await opening).replaceDocument({ id, title, language: 'en', chunks: [{ text, headingPath: [] }] });
  return {
    async add(passages) {
      for (const passage of passages) await replace(passage);
    },
    replace,
    async search(query, limit) {
      return (await (await opening).search(query, limit)).hits.map((hit) => hit.documentId);
    },
  };
}
