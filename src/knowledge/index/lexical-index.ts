/**
 * The search engine in process, over lists in typed arrays. The lists are packed (rebuilt from the forward lists of the living, aside,
 * while searches go on) when a third of the chunks is dead, and when much was added before a snapshot.
 */
import { setImmediate } from 'node:timers/promises';
import { ChunkLists } from './chunk-lists.ts';
import type { ChunkTerms } from './forward-lists.ts';
import { fromParts, toParts } from './index-snapshot.ts';
import { planConversation } from './query-plan.ts';
import { createRanking } from './ranking.ts';
import type { CreateIndex, IndexedDocument } from './search-index.ts';
import { createTermNumbers } from './term-numbers.ts';

/** Share of dead chunks at which the lists are packed. */
const maxDeadShare = 1 / 3;
/** Added entries of the inverted lists, for each chunk, above which the lists are packed when there is time. */
const maxAddedPerChunk = 8;
/** A long document is counted in pieces of this many milliseconds, so that searches are answered meanwhile. */
const maxBusyMs = 20;

export const createLexicalIndex: CreateIndex = async (next) => {
  let lists = next ? await ChunkLists.of(await fromParts(next)) : ChunkLists.empty();
  let numbersOf = createTermNumbers(lists.vocabulary);
  const rank = createRanking();

  async function pack(): Promise<void> {
    lists = await ChunkLists.of(await lists.packed());
    numbersOf = createTermNumbers(lists.vocabulary);
  }

  async function settle(): Promise<void> {
    if (lists.addedPostings > maxAddedPerChunk * lists.liveChunks) await pack();
  }

  const packIfMostlyDead = async () => {
    const dead = lists.chunks.size - lists.liveChunks;
    if (dead > lists.chunks.size * maxDeadShare) await pack();
  };

  return {
    async replaceDocument({ id, title, language, chunks }: IndexedDocument) {
      const counted: ChunkTerms[] = [];
      let pauseAt = performance.now() + maxBusyMs;
      for (const { headingPath, text } of chunks) {
        if (performance.now() > pauseAt) {
          await setImmediate();
          pauseAt = performance.now() + maxBusyMs;
        }
        counted.push({
          title: numbersOf(title, language),
          headings: numbersOf(headingPath.join('\n'), language),
          text: numbersOf(text, language),
        });
      }
      // From here to the next wait a search sees the old document or the new one, whole.
      lists.remove(id);
      lists.add(id, language, counted);
      await packIfMostlyDead();
    },

    async removeDocument(documentId) {
      lists.remove(documentId);
      await packIfMostlyDead();
    },

    async search(query, limit, background = '') {
      const { vocabulary, liveChunks, liveLength, languages, postings, chunks, documentIds } = lists;
      const indexed = { vocabulary, chunks: liveChunks, languages: [...languages.keys()] };
      const slots = planConversation(query, background, indexed);
      const averageLength = liveLength / Math.max(1, liveChunks);
      return rank(slots, limit, { postings, chunks, documentIds, averageLength, terms: vocabulary.size });
    },

    settle,

    async *toSnapshot() {
      await settle();
      yield* toParts(lists.whole ?? (await lists.packed()));
    },
  };
};
