/**
 * MiniSearch: words stemmed, stop words dropped, title ×3. Its tolerance for typing errors is an engine of its own, for it costs time: words at
 * edit distance 1 count a tenth (its default of .45 loses on clean questions).
 */
import { stemmer } from '@orama/stemmers/english';
import MiniSearch from 'minisearch';
import type { Passage } from './collections.ts';
import type { Engine } from './engines.ts';
import { isStopWord } from './stop-words.ts';

const tolerant = { fuzzy: (term: string) => (term.length > 3 ? 1 : false), weights: { fuzzy: 0.1, prefix: 0 } };

export const createTolerantMiniSearch = () => createMiniSearch(tolerant);

export function createMiniSearch(more: Partial<typeof tolerant> = {}): Engine {
  const index = new MiniSearch<Passage>({
    fields: ['title', 'text'],
    processTerm: (term) => (isStopWord(term) ? null : stemmer(term.toLowerCase())),
    searchOptions: { boost: { title: 3 }, ...more },
  });
  return {
    async add(passages) {
      index.addAll(passages);
    },
    async replace(passage) {
      index.replace(passage);
    },
    async search(query, limit) {
      return index
        .search(query)
        .slice(0, limit)
        .map((found) => found.id);
    },
  };
}
