/** Our index as an engine: a document with one chunk per passage. The only file of these benches that knows its module. */
import { createBm25Index } from '../../src/knowledge/index/bm25-index.ts';
import type { Passage } from './collections.ts';
import type { Engine } from './engines.ts';

type Found = readonly { readonly documentId: string }[];
const hitsOf = (found: Found | { readonly hits: Found }): Found => ('hits' in found ? found.hits : found);

export function createOurs(): Engine {
  const index = createBm25Index();
  const replace = ({ id, title, text }: Passage) => index.replaceDocument({ id, title, chunks: [{ text, headingPath: [] }] });
  return {
    async add(passages) {
      for (const passage of passages) await replace(passage);
    },
    replace,
    async search(query, limit) {
      return hitsOf(await index.search(query, limit)).map((hit) => hit.documentId);
    },
  };
}
