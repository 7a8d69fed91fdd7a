/**
 * Search by meaning, and what stands behind it for all namespaces together: one store, one queue, one way to ask for the vector of a
 * question. Documents are found by meaning once their vectors are there; until then `share` says so. The search is exact:
 * every vector of the namespace is compared, so nothing is missed, and the time grows with their number.
 */
import { lazy } from '../../concurrency/lazy.ts';
import { inStage } from '../../trace.ts';
import { Best } from '../best.ts';
import { byPlace, type Hit } from '../search-engine.ts';
import { type EmbeddableDocument, type EmbeddableText, type Embedder, embeddableTexts } from './embedder.ts';
import { EmbeddingQueue, type EmbeddingQueueOptions } from './embedding-queue.ts';
import { createQueryVectors, type QueryVectors, type QueryVectorsOptions } from './query-vectors.ts';
import { VectorStore } from './vector-store.ts';

export interface SemanticResult {
  /**
   * Best first, by their cosine from −1 to 1; the nearest chunks, however far they are: a question that is about nothing here has hits as
   * well. Equal scores in the order of document id and chunk.
   */
  readonly hits: readonly Hit[];
  /** How many of the chunks have vectors, from 0 to 1; 0 also where there are too many to search. With 0 there are no hits. */
  readonly share: number;
}

export interface SemanticIndexesOptions
  extends Pick<EmbeddingQueueOptions, 'firstPauseMs' | 'gatherMs' | 'forgetDelayMs' | 'lookAgainMs' | 'shared'>,
    Pick<QueryVectorsOptions, 'timeoutMs' | 'pauseMs'> {
  readonly embedder: Embedder;
  /** `INDEX_DIR/vectors`: of nothing else. */
  readonly folder: string;
  readonly onWarning: (message: string, error: unknown) => void;
  readonly maxSearchedNumbers?: number;
}

/**
 * Numbers that one search compares at most, because nothing else happens meanwhile: 50,000 vectors of 1,536, or 200,000 of 384.
 * Measured with an earlier release (Node 24.21, two cores that others used too), vectors of 1,536, median and slowest of 30 searches:
 * 10,000: 16 and 26 ms; 50,000: 76 and 102 ms; 100,000: 154 and 240 ms. Of 384, 100,000: 40 and 60 ms.
 */
const maxSearchedNumbers = 76_800_000;
/** Assumed as long as no vector is there; of the usual hosted models. */
const usualDimensions = 1_536;

/** What the indexes of all namespaces share. */
interface Shared {
  readonly store: VectorStore;
  readonly queue: EmbeddingQueue;
  readonly queries: QueryVectors;
  readonly options: SemanticIndexesOptions;
}

interface IndexedDocument {
  /** One for each chunk; empty where a chunk says nothing. */
  readonly keys: readonly string[];
  /** Per chunk, once it has come. */
  readonly vectors: (Float32Array | undefined)[];
  /** Whether the queue holds its texts: those of what is above the limit are counted and never found. */
  readonly isHeld: boolean;
}

/** Of vectors of length 1 and a query their cosines. All in one run: with the choice of the best in the same loop it takes far longer. */
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

/** One namespace. Changes are seen by the next search; their vectors come in the background. */
export class SemanticIndex {
  readonly #namespace: string;
  readonly #shared: Shared;
  readonly #documents = new Map<string, IndexedDocument>();
  /** That say something. */
  #chunks = 0;
  readonly #warnOfLimit = lazy(() =>
    this.#shared.options.onWarning(
      `The namespace ${this.#namespace} has more text than is searched by meaning; it is searched by words alone.`,
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

  /** Unknown ids are no error. */
  remove(documentId: string): void {
    const document = this.#documents.get(documentId);
    if (!document) return;
    this.#documents.delete(documentId);
    this.#chunks -= countOf(document.keys);
    if (document.isHeld) this.#shared.queue.release(document.keys);
  }

  removeAll(): void {
    for (const documentId of [...this.#documents.keys()]) this.remove(documentId);
  }

  /** Of a document, one for each chunk: what `restore` takes after a restart. */
  keysOf(documentId: string): readonly string[] | undefined {
    return this.#documents.get(documentId)?.keys;
  }

  /** Takes up a document without its text. @returns false, and nothing is changed, where a vector is missing: it has to be replaced */
  restore(documentId: string, keys: readonly string[]): boolean {
    const isKept = keys.every((key) => key === '' || this.#shared.store.has(key));
    if (isKept)
      this.#take(
        documentId,
        Array.from(keys, (key) => ({ key, text: '' })),
      );
    return isKept;
  }

  /** @throws KnowledgeError `timeout`, `model_unavailable`, `model_failed`; the signal's reason where it was aborted */
  async search(query: string, limit: number, signal?: AbortSignal): Promise<SemanticResult> {
    signal?.throwIfAborted();
    const { queries, store } = this.#shared;
    if (this.#isTooLarge() || query.trim() === '' || this.#vectors().length === 0) return { hits: [], share: 0 };
    const vector = await inStage('embed', () => queries.vectorOf(query, signal));
    store.check(vector);
    const cosines = cosinesOf(this.#vectors(), vector);
    const best = new Best<Hit>(limit, byPlace);
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

  /** Of all chunks that have one by now, in the order of the documents. */
  #vectors(): Float32Array[] {
    const all: Float32Array[] = [];
    for (const { keys, vectors, isHeld } of this.#documents.values()) {
      if (!isHeld) continue;
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
    const isHeld = !this.#isTooLarge();
    this.#documents.set(documentId, { keys, vectors: [], isHeld });
    if (isHeld) queue.hold(texts);
    else this.#warnOfLimit();
    // After the new ones, so that what both versions hold is not forgotten in between.
    if (before?.isHeld) queue.release(before.keys);
  }
}

export type SemanticIndexes = ReturnType<typeof createSemanticIndexes>;

export function createSemanticIndexes(options: SemanticIndexesOptions) {
  const { embedder, folder, onWarning } = options;
  const store = new VectorStore({ folder, model: embedder.model, onWarning });
  const queue = new EmbeddingQueue({ ...options, store });
  const queries = createQueryVectors(options);
  const indexes = new Map<string, SemanticIndex>();

  return {
    /** Reads the vectors that are kept. Before any document. */
    open: () => store.open(),
    /** The same one each time. */
    of(namespace: string): SemanticIndex {
      const index = indexes.get(namespace) ?? new SemanticIndex(namespace, { store, queue, queries, options });
      indexes.set(namespace, index);
      return index;
    },
    /** Forgets all documents of a namespace. */
    remove: (namespace: string) => indexes.get(namespace)?.removeAll(),
    /** All documents are here; vectors that none of them holds are forgotten from now on, also those of an earlier process. */
    settle: () => queue.settle(),
    progress: () => queue.progress(),
    async close(): Promise<void> {
      queries.close();
      await queue.close();
    },
  };
}
