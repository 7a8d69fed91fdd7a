/**
 * Semantic search. All namespaces share one vector store, one embedding queue and one source of query vectors. Chunks are found once they
 * have vectors; `share` reports how many do. The search is exact: it compares every vector of the namespace, in linear time.
 */
import { lazy } from '../../concurrency/lazy.ts';
import { inStage } from '../../trace.ts';
import { compareHits, type Hit } from '../search-engine.ts';
import { TopItems } from '../top-items.ts';
import { type EmbeddableDocument, type EmbeddableText, type Embedder, embeddableTexts } from './embedder.ts';
import { type EmbeddingProgress, EmbeddingQueue, type EmbeddingQueueOptions } from './embedding-queue.ts';
import { createQueryVectors, type QueryVectors, type QueryVectorsOptions } from './query-vectors.ts';
import { VectorStore } from './vector-store.ts';

export interface SemanticResult {
  /** Best first, by cosine from −1 to 1; equal scores by document id and chunk. Even unrelated questions have hits. */
  readonly hits: readonly Hit[];
  /** Share of chunks with vectors, 0 to 1; 0 also if there are too many to search. With 0 there are no hits. */
  readonly share: number;
}

export interface SemanticIndexesOptions
  extends Pick<EmbeddingQueueOptions, 'firstPauseMs' | 'gatherMs' | 'forgetDelayMs' | 'lookAgainMs' | 'shared'>,
    Pick<QueryVectorsOptions, 'timeoutMs' | 'pauseMs'> {
  readonly embedder: Embedder;
  /** `INDEX_DIR/vectors`; must contain nothing else. */
  readonly folder: string;
  readonly onWarning: (message: string, error: unknown) => void;
  readonly maxSearchedNumbers?: number;
}

/**
 * Limit per search, because it blocks the event loop: 50,000 vectors of 1,536 numbers, or 200,000 of 384.
 * Measured with an earlier release (Node 24.21, two cores that others used too), vectors of 1,536, median and slowest of 30 searches:
 * 10,000: 16 and 26 ms; 50,000: 76 and 102 ms; 100,000: 154 and 240 ms. Of 384, 100,000: 40 and 60 ms.
 */
const maxSearchedNumbers = 76_800_000;
/** Assumed until the first vector arrives; usual for hosted models. */
const usualDimensions = 1_536;

interface Shared {
  readonly store: VectorStore;
  readonly queue: EmbeddingQueue;
  readonly queries: QueryVectors;
  readonly options: SemanticIndexesOptions;
}

interface IndexedDocument {
  /** One per chunk; empty for a blank chunk. */
  readonly keys: readonly string[];
  /** Per chunk, once available. */
  readonly vectors: (Float32Array | undefined)[];
  /** False above the limit: its chunks count, but are not embedded or found. */
  readonly isQueued: boolean;
}

/** Cosines of unit vectors. Selecting the best in the same loop would be far slower. */
function cosinesOf(vectors: readonly Float32Array[], query: Float32Array): Float64Array {
  const cosines = new Float64Array(vectors.length);
  for (let index = 0; index < vectors.length; index++) {
    const vector = vectors[index] as Float32Array;
    let sum = 0;
    for (let at = 0; at < query.length; at++) sum += (query[at] as number) * (vector[at] as number);
    cosines[index] = sum;
  }
  return cosines;
}

const countOf = (keys: readonly string[]): number => keys.filter((key) => key !== '').length;

/** Index of one namespace. Vectors of changes are embedded in the background. */
export class SemanticIndex {
  readonly #namespace: string;
  readonly #shared: Shared;
  readonly #documents = new Map<string, IndexedDocument>();
  /** Chunks that are not blank. */
  #chunks = 0;
  readonly #warnOfLimit = lazy(() =>
    this.#shared.options.onWarning(
      `The namespace "${this.#namespace}" is too large for semantic search. It is searched by words only.`,
      undefined,
    ),
  );

  constructor(namespace: string, shared: Shared) {
    this.#namespace = namespace;
    this.#shared = shared;
  }

  upsert(document: EmbeddableDocument): void {
    this.#take(document.id, embeddableTexts(document));
  }

  /** Ignores unknown ids. */
  remove(documentId: string): void {
    const document = this.#documents.get(documentId);
    if (!document) return;
    this.#documents.delete(documentId);
    this.#chunks -= countOf(document.keys);
    if (document.isQueued) this.#shared.queue.release(document.keys);
  }

  removeAll(): void {
    for (const documentId of [...this.#documents.keys()]) this.remove(documentId);
  }

  /** One key per chunk, for `restore` after a restart. */
  keysOf(documentId: string): readonly string[] | undefined {
    return this.#documents.get(documentId)?.keys;
  }

  /** Adds a document without its text. @returns false, without a change, if a vector is missing: then call `upsert` */
  restore(documentId: string, keys: readonly string[]): boolean {
    const isKept = keys.every((key) => key === '' || this.#shared.store.has(key));
    if (isKept)
      this.#take(
        documentId,
        Array.from(keys, (key) => ({ key, text: '' })),
      );
    return isKept;
  }

  /** @throws KnowledgeError `timeout`, `model_unavailable`, `model_failed`; the signal's reason */
  async search(query: string, limit: number, signal?: AbortSignal): Promise<SemanticResult> {
    signal?.throwIfAborted();
    const { queries, store } = this.#shared;
    if (this.#isTooLarge() || query.trim() === '' || this.#vectors().length === 0) return { hits: [], share: 0 };
    const vector = await inStage('embed', () => queries.vectorOf(query, signal));
    store.check(vector);
    const cosines = cosinesOf(this.#vectors(), vector);
    const best = new TopItems<Hit>(limit, compareHits);
    let next = 0;
    for (const [documentId, { vectors }] of this.#documents) {
      for (let chunk = 0; chunk < vectors.length; chunk++) {
        if (vectors[chunk] === undefined) continue;
        const score = cosines[next++] as number;
        if (score >= best.floor) best.add({ documentId, chunk, score });
      }
    }
    return { hits: best.items, share: cosines.length / Math.max(1, this.#chunks) };
  }

  /** Available vectors, in the order of the documents. */
  #vectors(): Float32Array[] {
    const all: Float32Array[] = [];
    for (const { keys, vectors, isQueued } of this.#documents.values()) {
      if (!isQueued) continue;
      for (let chunk = 0; chunk < keys.length; chunk++) {
        vectors[chunk] ??= this.#shared.store.vectorOf(keys[chunk] as string);
        const vector = vectors[chunk];
        if (vector) all.push(vector);
      }
    }
    return all;
  }

  #isTooLarge(): boolean {
    const { store, options } = this.#shared;
    return this.#chunks * (store.dimensions || usualDimensions) > (options.maxSearchedNumbers ?? maxSearchedNumbers);
  }

  #take(documentId: string, texts: readonly EmbeddableText[]): void {
    const { queue } = this.#shared;
    const keys = texts.map(({ key }) => key);
    const before = this.#documents.get(documentId);
    this.#chunks += countOf(keys) - countOf(before?.keys ?? []);
    const isQueued = !this.#isTooLarge();
    this.#documents.set(documentId, { keys, vectors: [], isQueued });
    if (isQueued) queue.hold(texts);
    else this.#warnOfLimit();
    // Last, so that texts of both versions keep their vectors.
    if (before?.isQueued) queue.release(before.keys);
  }
}

export interface SemanticIndexes {
  /** Reads saved vectors. Must be called before documents are added. */
  open(): Promise<void>;
  /** Returns the index of a namespace; creates it at the first call. */
  of(namespace: string): SemanticIndex;
  /** Removes all documents of a namespace. */
  remove(namespace: string): void;
  /** Call when all documents are loaded: starts deleting vectors that no document uses. */
  settle(): void;
  progress(): EmbeddingProgress;
  close(): Promise<void>;
}

export function createSemanticIndexes(options: SemanticIndexesOptions): SemanticIndexes {
  const { embedder, folder, onWarning } = options;
  const store = new VectorStore({ folder, model: embedder.model, onWarning });
  const queue = new EmbeddingQueue({ ...options, store });
  const queries = createQueryVectors(options);
  const indexes = new Map<string, SemanticIndex>();

  return {
    open: () => store.open(),
    of(namespace) {
      const index = indexes.get(namespace) ?? new SemanticIndex(namespace, { store, queue, queries, options });
      indexes.set(namespace, index);
      return index;
    },
    remove: (namespace) => indexes.get(namespace)?.removeAll(),
    settle: () => queue.settle(),
    progress: () => queue.progress(),
    async close() {
      queries.close();
      await queue.close();
    },
  };
}
