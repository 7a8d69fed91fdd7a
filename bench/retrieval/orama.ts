/** Orama: its own English tokenizer (its stemmer loses as much as it wins), stop words dropped from the query, title ×3. */
import { create, insertMultiple, search, update } from '@orama/orama';
import type { Engine } from './engines.ts';
import { meaningfulWords } from './stop-words.ts';

export function createOrama(): Engine {
  const database = create({ schema: { title: 'string', text: 'string' } as const });
  return {
    async add(passages) {
      await insertMultiple(database, [...passages], 1_000);
    },
    async replace(passage) {
      await update(database, passage.id, { ...passage });
    },
    async search(query, limit) {
      const { hits } = await search(database, { term: meaningfulWords(query).join(' '), boost: { title: 3 }, limit });
      return hits.map((hit) => hit.id);
    },
  };
}
