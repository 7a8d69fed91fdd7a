/**
 * The port that retrieval uses, and what stands behind it for all namespaces together: one cache, one queue, one way to ask for the
 * vector of a question. Documents are found by meaning once their vectors are there; until then `share` says so.
 */
import { type EmbeddableDocument, type EmbeddableText, type Embedder, embeddableTexts } from './embedder.ts';
import { createEmbeddingQueue, type EmbeddingProgress, type EmbeddingQueueOptions } from './embedding-queue.ts';
import { createQueryVectors, type QueryVectorsOptions } from './query-vectors.ts';
import { createVectorCache } from './vector-cache.ts';
import { createVectorIndex, type VectorHit } from './vector-index.ts';

export interface SemanticResult {
  /** Best first; the nearest chunks, however far they are: a question that is about nothing here has hits as well. */
  readonly hits: readonly VectorHit[];
  /** How many of the chunks have vectors, from 0 to 1; 0 also where there are too many to search. With 0 there are no hits. */
  readonly share: number;
}

/** One namespace. Changes are seen by the next search; their vectors come in the background. */
export interface SemanticIndex {
  replaceDocument(document: EmbeddableDocument): void;
  /** Unknown ids are no error. */
  removeDocument(documentId: string): void;
  /** Of a document, one for each chunk: what `restoreDocument` takes after a restart. */
  keysOf(documentId: string): readonly string[] | undefined;
  /** Takes up a document without its text. @returns false, and nothing is changed, where a vector is missing: it has to be replaced */
  restoreDocument(documentId: string, keys: readonly string[]): boolean;
  /** @throws KnowledgeError `timeout`, `model_unavailable`, `model_failed`; the signal's reason where it was aborted */
  search(query: string, limit: number, signal?: AbortSignal): Promise<SemanticResult>;
}

export interface SemanticIndexes {
  /** Reads the vectors that are kept. Before any document. */
  open(): Promise<void>;
  /** The same one each time. */
  of(namespace: string): SemanticIndex;
  /** Forgets all documents of a namespace. */
  remove(namespace: string): void;
  /** All documents are here; vectors that none of them holds are forgotten from now on, also those of an earlier process. */
  settle(): void;
  progress(): EmbeddingProgress;
  close(): Promise<void>;
}

export interface SemanticIndexesOptions
  extends Pick<EmbeddingQueueOptions, 'firstPauseMs' | 'gatherMs' | 'forgetDelayMs'>,
    Pick<QueryVectorsOptions, 'timeoutMs' | 'pauseMs' | 'now'> {
  readonly embedder: Embedder;
  /** `INDEX_DIR/vectors`: of nothing else. */
  readonly folder: string;
  readonly onWarning: (message: string, error: unknown) => void;
  /** Numbers that one search compares at most; see `createVectorIndex`. */
  readonly maxSearchedNumbers?: number;
}

export function createSemanticIndexes(options: SemanticIndexesOptions): SemanticIndexes {
  const { embedder, folder, onWarning } = options;
  const cache = createVectorCache({ folder, model: embedder.model, onWarning });
  const queue = createEmbeddingQueue({ ...options, cache });
  const queries = createQueryVectors(options);
  const indexes = new Map<string, { readonly index: SemanticIndex; removeAll(): void }>();

  function create(namespace: string): { readonly index: SemanticIndex; removeAll(): void } {
    const vectors = createVectorIndex(cache, options.maxSearchedNumbers);
    /** What each document holds; nothing of what is above the limit. */
    const held = new Map<string, readonly string[]>();
    const keys = new Map<string, readonly string[]>();
    let isLimitTold = false;

    function tellLimit(): void {
      if (isLimitTold) return;
      isLimitTold = true;
      onWarning(`The namespace ${namespace} has more text than is searched by meaning; it is searched by words alone.`, undefined);
    }

    function take(documentId: string, texts: readonly EmbeddableText[]): void {
      const taken = texts.map(({ key }) => key);
      const before = held.get(documentId) ?? [];
      held.delete(documentId);
      keys.set(documentId, taken);
      if (vectors.replaceDocument(documentId, taken)) {
        queue.hold(texts);
        held.set(documentId, taken);
      } else tellLimit();
      // After the new ones, so that what both versions hold is not forgotten in between.
      queue.release(before);
    }

    function removeDocument(documentId: string): void {
      vectors.removeDocument(documentId);
      keys.delete(documentId);
      queue.release(held.get(documentId) ?? []);
      held.delete(documentId);
    }

    const index: SemanticIndex = {
      replaceDocument: (document) => take(document.id, embeddableTexts(document)),
      removeDocument,
      keysOf: (documentId) => keys.get(documentId),
      restoreDocument(documentId, stored) {
        if (!stored.every((key) => key === '' || cache.has(key))) return false;
        take(
          documentId,
          stored.map((key) => ({ key, text: '' })),
        );
        return true;
      },
      async search(query, limit, signal) {
        signal?.throwIfAborted();
        if (vectors.isTooLarge() || query.trim() === '' || vectors.share() === 0) return { hits: [], share: 0 };
        const vector = await queries.vectorOf(query, signal);
        cache.check(vector);
        return { hits: vectors.search(vector, limit), share: vectors.share() };
      },
    };
    return {
      index,
      removeAll() {
        for (const documentId of [...keys.keys()]) removeDocument(documentId);
      },
    };
  }

  return {
    open: cache.open,
    of(namespace) {
      const known = indexes.get(namespace) ?? create(namespace);
      indexes.set(namespace, known);
      return known.index;
    },
    remove: (namespace) => indexes.get(namespace)?.removeAll(),
    settle: queue.settle,
    progress: queue.progress,
    async close() {
      queries.close();
      await queue.close();
    },
  };
}
