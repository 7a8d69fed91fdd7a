/**
 * One namespace: which chunk has which vector, and the nearest ones to a query. Exact, over Float32Arrays in this process: every vector
 * is compared, so nothing is missed, and the time grows with their number. One comparison after another, without a pause for other
 * work, because what is compared may not change meanwhile; that is why there is a limit.
 */
import type { VectorCache } from './vector-cache.ts';

export interface VectorHit {
  readonly documentId: string;
  /** Position of the chunk in its document, from 0. */
  readonly chunk: number;
  /** Cosine, from −1 to 1; comparable within one query only. */
  readonly score: number;
}

export interface VectorIndex {
  /**
   * The cache has to keep the vectors of the document for as long as it is here.
   * @param keys one for each chunk, in their order; empty where a chunk has none
   * @returns false where there are too many chunks with it: its own are counted and never found
   */
  replaceDocument(documentId: string, keys: readonly string[]): boolean;
  /** Unknown ids are no error. */
  removeDocument(documentId: string): void;
  /** Whether there are more chunks than one search should compare. */
  isTooLarge(): boolean;
  /** How many of the chunks have a vector, from 0 to 1; 0 where there are none. */
  share(): number;
  /** Best first, at most `limit`; equal scores in the order of document id and chunk. @param query a vector of length 1 */
  search(query: Float32Array, limit: number): VectorHit[];
}

/**
 * Numbers that one search compares at most: 50,000 vectors of 1,536, or 200,000 of 384.
 * Measured (`npm run bench:vectors`; Node 24.21, two cores that others used too), vectors of 1,536, median and slowest of 30 searches:
 * 10,000: 16 and 26 ms; 50,000: 76 and 102 ms; 100,000: 154 and 240 ms. Of 384, 100,000: 40 and 60 ms.
 * Four or eight products a turn, four vectors a turn, or a query in doubles gain at most 7 %, so the loop is plain.
 */
const maxSearchedNumbers = 76_800_000;
/** Assumed as long as no vector is there; of the usual hosted models. */
const usualDimensions = 1_536;

interface IndexedDocument {
  readonly keys: readonly string[];
  /** Per chunk its place in the cache, `noPlace` where it has none yet. */
  readonly places: Int32Array;
}

const noPlace = -1;

const isBefore = (a: VectorHit, b: VectorHit): boolean => {
  if (a.score !== b.score) return a.score > b.score;
  return a.documentId === b.documentId ? a.chunk < b.chunk : a.documentId < b.documentId;
};

export function createVectorIndex(cache: VectorCache, maxNumbers: number = maxSearchedNumbers): VectorIndex {
  const documents = new Map<string, IndexedDocument>();
  /** Those with chunks that are still waiting for their vector. */
  const incomplete = new Map<string, IndexedDocument>();
  let chunks = 0;
  let placed = 0;

  function removeDocument(documentId: string): void {
    const document = documents.get(documentId);
    if (!document) return;
    documents.delete(documentId);
    incomplete.delete(documentId);
    for (const key of document.keys) if (key !== '') chunks--;
    for (const place of document.places) if (place !== noPlace) placed--;
  }

  /** Looks for the vectors that have come since. */
  function place(documentId: string, { keys, places }: IndexedDocument): void {
    let isComplete = true;
    for (let chunk = 0; chunk < keys.length; chunk++) {
      const key = keys[chunk] as string;
      if (key === '' || places[chunk] !== noPlace) continue;
      const found = cache.placeOf(key);
      if (found === undefined) isComplete = false;
      else {
        places[chunk] = found;
        placed++;
      }
    }
    if (isComplete) incomplete.delete(documentId);
  }

  function placeAll(): void {
    for (const [documentId, document] of incomplete) place(documentId, document);
  }

  const isTooLarge = () => chunks * (cache.dimensions || usualDimensions) > maxNumbers;

  return {
    replaceDocument(documentId, keys) {
      removeDocument(documentId);
      const document = { keys, places: new Int32Array(keys.length).fill(noPlace) };
      documents.set(documentId, document);
      for (const key of keys) if (key !== '') chunks++;
      if (isTooLarge()) return false;
      incomplete.set(documentId, document);
      return true;
    },
    removeDocument,
    isTooLarge,
    share() {
      placeAll();
      return chunks === 0 ? 0 : placed / chunks;
    },
    search(query, limit) {
      placeAll();
      const best: VectorHit[] = [];
      if (limit < 1) return best;
      // All in one run: with the choice of the best in the same loop, comparing takes twice as long.
      const compared = new Int32Array(placed);
      let count = 0;
      for (const { places } of documents.values()) for (const place of places) if (place !== noPlace) compared[count++] = place;
      const scores = cache.scoresOf(compared, query);
      let next = 0;
      for (const [documentId, { places }] of documents) {
        for (let chunk = 0; chunk < places.length; chunk++) {
          if (places[chunk] === noPlace) continue;
          const score = scores[next++] as number;
          if (best.length === limit && score < (best[limit - 1] as VectorHit).score) continue;
          const hit = { documentId, chunk, score };
          let rank = best.length;
          while (rank > 0 && isBefore(hit, best[rank - 1] as VectorHit)) rank--;
          best.splice(rank, 0, hit);
          if (best.length > limit) best.pop();
        }
      }
      return best;
    },
  };
}
