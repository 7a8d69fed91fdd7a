/**
 * BM25 in process. Per chunk a forward list (its terms and their weighted frequencies), per term an inverted list of chunks, all in typed
 * arrays. Replacing or removing a document marks its chunks dead and takes them out of the document frequencies at once; both
 * kinds of lists are rebuilt from the forward lists of the living when a third of the chunks is dead.
 *
 * score(q, c) = Σ_{t∈q} idf(t) · f·(k1+1) / (f + k1·(1 − b + b·|c|/avg)),  idf(t) = ln(1 + (N − n + .5)/(n + .5))
 * f: frequency of t in the chunk, fields weighted and added before saturation (BM25F, Robertson, Zaragoza & Taylor 2004);
 * n: live chunks that hold t; N: live chunks; |c|, avg: length of the chunk and mean length, in terms.
 */
import { setImmediate } from 'node:timers/promises';
import { queryTerms, terms } from '../text/words.ts';
import { ForwardLists } from './forward-lists.ts';
import { GrowingArray } from './growing-array.ts';
import { PostingLists } from './posting-lists.ts';
import type { Hit, IndexedDocument, IndexSnapshot, RestorableIndex } from './search-index.ts';

const k1 = 1.2;
const b = 0.75;
/** A term in the document's title counts as this many in the text. Field measurement: +.030 to +.042 nDCG@10 on FAQ-like sets. */
const titleWeight = 3;
/** A term in a heading above the chunk. Field measurement, with heading-aware chunks: +.050 nDCG@10 on product documentation. */
const headingWeight = 2;
/** Share of dead chunks at which the lists are rebuilt. */
const maxDeadShare = 1 / 3;
/** A long document is counted in pieces of this many milliseconds, so that searches are answered meanwhile. */
const maxBusyMs = 20;
/** A longer query is searched by its first terms; far more than any question holds. */
const maxQueryTerms = 256;

interface CountedChunk {
  readonly terms: Uint32Array;
  readonly frequencies: Uint32Array;
  readonly length: number;
}

const compare = (a: Hit, c: Hit) =>
  c.score - a.score || (a.documentId < c.documentId ? -1 : a.documentId > c.documentId ? 1 : a.chunk - c.chunk);

/** The best hits, in their order; only those are ever compared by more than their score. */
class BestHits {
  readonly hits: Hit[] = [];
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Whether a score may be among the best. */
  admits(score: number): boolean {
    return this.hits.length < this.#limit || score >= (this.hits.at(-1)?.score ?? 0);
  }

  add(hit: Hit): void {
    let at = this.hits.length;
    while (at > 0 && compare(hit, this.hits[at - 1] as Hit) < 0) at--;
    this.hits.splice(at, 0, hit);
    if (this.hits.length > this.#limit) this.hits.pop();
  }
}

export function createBm25Index(snapshot?: IndexSnapshot): RestorableIndex {
  const termIds = new Map<string, number>();
  /** Per term: live chunks that hold it. */
  let liveCounts = new GrowingArray((length) => new Uint32Array(length));
  let postings = new PostingLists();
  let chunks = new ForwardLists();
  /** Number of a document → its id. */
  let documentIds: string[] = [];
  /** Document id → its chunks' numbers. */
  const documents = new Map<string, { readonly first: number; readonly count: number }>();
  let liveChunks = 0;
  let liveLength = 0;
  let scores = new Float32Array(0);

  function idOf(term: string): number {
    let id = termIds.get(term);
    if (id === undefined) {
      id = liveCounts.push(0);
      termIds.set(term, id);
    }
    return id;
  }

  /** Chunks of one document, in their order. */
  function register(documentId: string, counted: Iterable<CountedChunk>): void {
    const document = documentIds.push(documentId) - 1;
    const first = chunks.size;
    let ordinal = 0;
    for (const { terms: held, frequencies, length } of counted) {
      const chunk = chunks.add(document, ordinal++, length, held, frequencies);
      for (let index = 0; index < held.length; index++) {
        const id = held[index] as number;
        postings.add(id, chunk, Math.min(65_535, frequencies[index] as number));
        (liveCounts.values[id] as number)++;
      }
      liveChunks++;
      liveLength += length;
    }
    documents.set(documentId, { first, count: ordinal });
  }

  function remove(documentId: string): void {
    const place = documents.get(documentId);
    if (!place) return;
    for (let chunk = place.first; chunk < place.first + place.count; chunk++) {
      chunks.alive.values[chunk] = 0;
      liveChunks--;
      liveLength -= chunks.lengths.values[chunk] as number;
      for (const id of chunks.termsOf(chunk)) (liveCounts.values[id] as number)--;
    }
    documents.delete(documentId);
  }

  function restore({ terms: words, documents: stored, termCounts, termIds: flat, frequencies, lengths }: IndexSnapshot): void {
    for (const word of words) idOf(word);
    let chunk = 0;
    let from = 0;
    for (const { id, chunks: count } of stored) {
      const counted = Array.from({ length: count }, (): CountedChunk => {
        const to = from + (termCounts[chunk] as number);
        const held = { terms: flat.subarray(from, to), frequencies: frequencies.subarray(from, to), length: lengths[chunk] as number };
        from = to;
        chunk++;
        return held;
      });
      register(id, counted);
    }
  }

  /** Forward lists of the living, and the words that they hold: nothing of what was removed. */
  function toSnapshot(): IndexSnapshot {
    const liveTerms: string[] = [];
    const liveIds = new Uint32Array(termIds.size);
    for (const [term, id] of termIds) if ((liveCounts.values[id] as number) > 0) liveIds[id] = liveTerms.push(term) - 1;
    const termCounts = new Uint32Array(liveChunks);
    const lengths = new Float32Array(liveChunks);
    const flatTerms = new GrowingArray((length) => new Uint32Array(length));
    const flatFrequencies = new GrowingArray((length) => new Uint32Array(length));
    let chunk = 0;
    for (const { first, count } of documents.values()) {
      for (let number = first; number < first + count; number++, chunk++) {
        const held = chunks.termsOf(number);
        const start = flatTerms.extend(held.length);
        flatFrequencies.extend(held.length);
        for (let index = 0; index < held.length; index++) flatTerms.values[start + index] = liveIds[held[index] as number] as number;
        flatFrequencies.values.set(chunks.frequenciesOf(number), start);
        termCounts[chunk] = held.length;
        lengths[chunk] = chunks.lengths.values[number] as number;
      }
    }
    return {
      terms: liveTerms,
      documents: [...documents].map(([id, { count }]) => ({ id, chunks: count })),
      termCounts,
      termIds: flatTerms.values.slice(0, flatTerms.length),
      frequencies: flatFrequencies.values.slice(0, flatFrequencies.length),
      lengths,
    };
  }

  function compactIfNeeded(): void {
    if (chunks.size - liveChunks <= chunks.size * maxDeadShare) return;
    const living = toSnapshot();
    termIds.clear();
    documents.clear();
    liveCounts = new GrowingArray((length) => new Uint32Array(length));
    postings = new PostingLists();
    chunks = new ForwardLists();
    documentIds = [];
    liveChunks = 0;
    liveLength = 0;
    restore(living);
  }

  function count(fields: readonly (readonly [text: string, weight: number])[]): CountedChunk {
    const counted = new Map<number, number>();
    let length = 0;
    for (const [text, weight] of fields) {
      for (const term of terms(text)) {
        const id = idOf(term);
        counted.set(id, (counted.get(id) ?? 0) + weight);
        length++;
      }
    }
    return { terms: Uint32Array.from(counted.keys()), frequencies: Uint32Array.from(counted.values()), length };
  }

  if (snapshot) restore(snapshot);

  return {
    async replaceDocument(document: IndexedDocument) {
      const counted: CountedChunk[] = [];
      let pause = performance.now() + maxBusyMs;
      for (const chunk of document.chunks) {
        if (performance.now() > pause) {
          await setImmediate();
          pause = performance.now() + maxBusyMs;
        }
        counted.push(
          count([
            [document.title, titleWeight],
            [chunk.headingPath.join('\n'), headingWeight],
            [chunk.text, 1],
          ]),
        );
      }
      // From here to the end nothing waits: a search sees the old document or the new one.
      remove(document.id);
      register(document.id, counted);
      compactIfNeeded();
    },

    async removeDocument(documentId) {
      remove(documentId);
      compactIfNeeded();
    },

    async search(query, limit) {
      if (scores.length < chunks.size) scores = new Float32Array(Math.ceil(chunks.size * 1.5));
      const touched: number[] = [];
      const averageLength = liveLength / Math.max(1, liveChunks);
      const alive = chunks.alive.values;
      const lengths = chunks.lengths.values;
      for (const term of queryTerms(query).slice(0, maxQueryTerms)) {
        const id = termIds.get(term);
        const holders = id === undefined ? 0 : (liveCounts.values[id] as number);
        if (id === undefined || holders === 0) continue;
        const idf = Math.log(1 + (liveChunks - holders + 0.5) / (holders + 0.5));
        postings.forEachRun(id, (runChunks, runFrequencies, from, to) => {
          for (let index = from; index < to; index++) {
            const chunk = runChunks[index] as number;
            if (alive[chunk] === 0) continue;
            const frequency = runFrequencies[index] as number;
            const score = scores[chunk] as number;
            if (score === 0) touched.push(chunk);
            const norm = k1 * (1 - b + (b * (lengths[chunk] as number)) / averageLength);
            scores[chunk] = score + (idf * frequency * (k1 + 1)) / (frequency + norm);
          }
        });
      }
      const best = new BestHits(limit);
      for (const chunk of touched) {
        const score = scores[chunk] as number;
        scores[chunk] = 0;
        if (!best.admits(score)) continue;
        const documentId = documentIds[chunks.documents.values[chunk] as number] as string;
        best.add({ documentId, chunk: chunks.ordinals.values[chunk] as number, score });
      }
      return best.hits;
    },

    toSnapshot,
  };
}
