/**
 * Semantic search. All namespaces share one vector store, one embedding queue and one source of
 * query vectors. Only chunks with vectors are found; `share` reports how many have one. The search
 * is exact: it compares every vector of the namespace, in linear time.
 */
import { lazy } from '../../../packages/shared/src/concurrency/lazy.ts';
import { inStage } from '../../trace.ts';
import { compareHits, type EngineDocument, type Hit } from '../search-engine.ts';
import { TopItems } from '../top-items.ts';
import { type EmbeddableText, embeddableTexts } from './embedder.ts';
import { EmbeddingQueue, type EmbeddingQueueOptions } from './embedding-queue.ts';
import { QueryVectors } from './query-vectors.ts';
import { VectorStore } from './vector-store.ts';

type SemanticIndexesOptions = Omit<EmbeddingQueueOptions, 'store'> &
  Readonly<{
    /** `INDEX_DIR/vectors`; must contain nothing else. */
    folder: string;
    maxSearchedNumbers?: number;
    /** Timeout of a question in milliseconds; default 1,500. */
    timeoutMs?: number;
    /** Pause of questions after a failure in milliseconds; default 30,000. */
    pauseMs?: number;
  }>;

/**
 * A search blocks the event loop, so this limits it to 50,000 vectors of 1,536 numbers, or 200,000
 * of 384. Median and slowest of 30 searches (earlier release, Node 24.21, two shared cores). 1,536
 * numbers: 10,000 vectors take 16 and 26 ms, 50,000 take 76 and 102 ms, 100,000 take 154 and 240
 * ms. 384 numbers: 100,000 vectors take 40 and 60 ms.
 */
const maxSearchedNumbers = 76_800_000;
/** Assumed until the first vector arrives; common for hosted models. */
const assumedDimensions = 1_536;

type IndexedDocument = Readonly<{
  /** One per chunk; empty for a blank chunk. */
  keys: readonly string[];
  /** Per chunk, once available. */
  vectors: (Float32Array | undefined)[];
  /**
   * False if the namespace is too large: the chunks are counted, but neither embedded nor found.
   */
  isQueued: boolean;
}>;

/** Cosines of unit vectors. Selecting the best in the same loop would be far slower. */
function cosinesOf(vectors: readonly Float32Array[], query: Float32Array) {
  const cosines = new Float64Array(vectors.length);
  for (let index = 0; index < vectors.length; index++) {
    const vector = vectors[index] as Float32Array;
    let sum = 0;
    for (let at = 0; at < query.length; at++) sum += (query[at] as number) * (vector[at] as number);
    cosines[index] = sum;
  }
  return cosines;
}

const countOf = (keys: readonly string[]) => keys.filter((key) => key !== '').length;

/** Index of one namespace. Changed chunks are embedded in the background. */
class SemanticIndex {
  readonly #namespace;
  readonly #shared;
  readonly #documents = new Map<string, IndexedDocument>();
  /** Chunks that are not blank. */
  #chunks = 0;
  readonly #warnOfLimit = lazy(() =>
    this.#shared.options.onWarning(
      `The namespace "${this.#namespace}" is too large for semantic search. Only keyword search is used.`,
      undefined,
    ),
  );

  constructor(namespace: string, shared: SemanticIndexes) {
    this.#namespace = namespace;
    this.#shared = shared;
  }

  upsert(document: Pick<EngineDocument, 'id' | 'title' | 'chunks'>) {
    this.#replace(document.id, embeddableTexts(document));
  }

  /** Ignores unknown ids. */
  remove(documentId: string) {
    const document = this.#documents.get(documentId);
    if (!document) return;
    this.#documents.delete(documentId);
    this.#chunks -= countOf(document.keys);
    if (document.isQueued) this.#shared.queue.release(document.keys);
  }

  removeAll() {
    for (const documentId of [...this.#documents.keys()]) this.remove(documentId);
  }

  /** One key per chunk, for `restore` after a restart. */
  keysOf(documentId: string): readonly string[] | undefined {
    return this.#documents.get(documentId)?.keys;
  }

  /**
   * Adds a document without its text. @returns false if a vector is missing: nothing was added, so
   * call `upsert`
   */
  restore(documentId: string, keys: readonly string[]) {
    const hasVectors = keys.every((key) => key === '' || this.#shared.store.has(key));
    if (hasVectors)
      this.#replace(
        documentId,
        Array.from(keys, (key) => ({ key, text: '' })),
      );
    return hasVectors;
  }

  /**
   * Returns hits, best first, by cosine from −1 to 1; equal scores by document id and chunk. Even
   * unrelated questions have hits. `share`: of chunks with vectors, 0 to 1; also 0, without hits, if
   * there are too many chunks to search.
   * @throws KnowledgeError `timeout`, `model_unavailable`, `model_failed`
   */
  async search(
    query: string,
    limit: number,
  ): Promise<Readonly<{ hits: readonly Hit[]; share: number }>> {
    const { queries, store } = this.#shared;
    if (this.#isTooLarge() || query.trim() === '' || this.#vectors().length === 0)
      return { hits: [], share: 0 };
    const vector = await inStage('embed', () => queries.vectorOf(query));
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
  #vectors() {
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

  #isTooLarge() {
    const { store, options } = this.#shared;
    return (
      this.#chunks * (store.dimensions || assumedDimensions) >
      (options.maxSearchedNumbers ?? maxSearchedNumbers)
    );
  }

  #replace(documentId: string, texts: readonly EmbeddableText[]) {
    const { queue } = this.#shared;
    const keys = texts.map(({ key }) => key);
    const before = this.#documents.get(documentId);
    this.#chunks += countOf(keys) - countOf(before?.keys ?? []);
    const isQueued = !this.#isTooLarge();
    this.#documents.set(documentId, { keys, vectors: [], isQueued });
    if (isQueued) queue.hold(texts);
    else this.#warnOfLimit();
    // Released last, so that texts in both versions keep their vectors.
    if (before?.isQueued) queue.release(before.keys);
  }
}

/** The semantic indexes of all namespaces, and the parts that they share. */
export class SemanticIndexes {
  readonly options;
  /** Must be opened before documents are added. */
  readonly store;
  readonly queue;
  readonly queries;
  readonly #indexes = new Map<string, SemanticIndex>();

  constructor(options: SemanticIndexesOptions) {
    const { embedder, folder, onWarning } = options;
    this.options = options;
    this.store = new VectorStore(folder, embedder.model, onWarning);
    this.queue = new EmbeddingQueue({ ...options, store: this.store });
    this.queries = new QueryVectors(embedder, options.timeoutMs, options.pauseMs);
  }

  /** Returns the index of a namespace; creates it at the first call. */
  of(namespace: string) {
    const index = this.#indexes.get(namespace) ?? new SemanticIndex(namespace, this);
    this.#indexes.set(namespace, index);
    return index;
  }

  async close() {
    this.queries.close();
    await this.queue.close();
  }
}
