/**
 * Query → snippets. What comes back is read from the stored file at that moment and checked against the revision that was indexed,
 * so a snippet is exactly `slice(start, end)` of a file with that hash, even while people edit it.
 */
import { type ErrorCode, KnowledgeError } from '../errors.ts';
import type { Hit } from './index/search-index.ts';
import type { Library } from './library.ts';
import { saysTheSame, toPassages, toSnippet } from './passages.ts';
import type { Shelf, ShelfEntry } from './shelf.ts';
import { revisionOf } from './store/document-file.ts';
import type { DocumentStore } from './store/document-store.ts';
import type { AskedWord, Snippet } from './types.ts';
import { fuse } from './vectors/fuse.ts';
import type { SemanticIndexes } from './vectors/semantic-index.ts';

export interface Retrieved {
  /** Best first. */
  readonly snippets: readonly Snippet[];
  /** How surely the documents speak of what is asked, 0 to 1. */
  readonly coverage: number;
  /** The query's words, as the search understood them. */
  readonly asked: readonly AskedWord[];
  /** By words, or by words and meaning. */
  readonly mode: 'lexical' | 'hybrid';
  /** Why meaning was not searched though it is set up. */
  readonly degraded: ErrorCode | undefined;
}

export interface Retriever {
  /**
   * At most `limit` snippets.
   * @param background what the conversation was about, where the query leans on it
   * @throws KnowledgeError `namespace_not_found`
   */
  search(namespace: string, query: string, limit: number, background?: string): Promise<Retrieved>;
}

/** Hits for each snippet, and at least: many say the same as others, or are one passage together. Texts are read as they are needed. */
const hitsPerSnippet = 3;
const minHits = 60;
const maxCachedChars = 16_000_000;
/** A document that changes under the search is indexed anew and the search repeated; after this many times its hits are left out. */
const maxRepeats = 2;

type Found = Omit<Retrieved, 'snippets'> & { readonly hits: readonly Hit[] };

/** @param semantic what finds by meaning, where that is set up */
export function createRetriever(library: Library, store: DocumentStore, semantic?: Pick<SemanticIndexes, 'of'>): Retriever {
  /** Texts read last, oldest first. */
  const cache = new Map<string, { readonly entry: ShelfEntry; readonly text: string }>();
  let cachedChars = 0;

  function remember(entry: ShelfEntry, text: string): void {
    forget(entry.document.id);
    cache.set(entry.document.id, { entry, text });
    cachedChars += text.length;
    for (const oldest of cache.keys()) {
      if (cachedChars <= maxCachedChars) return;
      forget(oldest);
    }
  }

  function forget(documentId: string): void {
    cachedChars -= cache.get(documentId)?.text.length ?? 0;
    cache.delete(documentId);
  }

  /** The stored text, if the file still is what was indexed. */
  async function currentText(entry: ShelfEntry): Promise<string | undefined> {
    const { namespace, file, id, revision } = entry.document;
    const cached = cache.get(id);
    if (cached?.entry.stamp === entry.stamp && store.stampNow(namespace, file) === entry.stamp) return cached.text;
    const stored = store.readSmall(namespace, file) ?? (await store.read(namespace, file));
    if (!stored || revisionOf(stored.bytes) !== revision) return undefined;
    if (stored.stamp === entry.stamp) remember(entry, stored.text);
    return stored.text;
  }

  /** The lists of both searches as one; the words' alone where meaning is not searched, or cannot be at this moment. */
  async function find(namespace: string, shelf: Shelf, query: string, limit: number, background: string | undefined): Promise<Found> {
    const depth = Math.max(minHits, limit * hitsPerSnippet);
    const asking = semantic
      ?.of(namespace)
      .search(query, depth)
      .then(
        ({ hits, share }) => ({ hits, share, degraded: undefined }),
        (error: unknown) => ({ hits: [], share: 0, degraded: error instanceof KnowledgeError ? error.code : ('model_failed' as const) }),
      );
    const outcome = await shelf.index.search(query, depth, background);
    const near = await asking;
    if (!near || near.share === 0) return { ...outcome, mode: 'lexical', degraded: near?.degraded };
    return { ...outcome, hits: fuse(outcome.hits, near.hits, depth), mode: 'hybrid', degraded: undefined };
  }

  return {
    async search(namespace, query, limit, background) {
      const shelf = await library.shelf(namespace);
      for (let repeat = 0; ; repeat++) {
        const { hits, coverage, ...found } = await find(namespace, shelf, query, limit, background);
        const snippets: Snippet[] = [];
        let isStale = false;
        for (const passage of toPassages(hits, shelf.entry)) {
          if (snippets.length === limit) break;
          const text = await currentText(passage.entry);
          if (text === undefined) {
            isStale = true;
            await shelf.refresh(passage.entry.document.file);
            continue;
          }
          const snippet = toSnippet(passage, text);
          if (snippet && !snippets.some((better) => saysTheSame(better, snippet))) snippets.push(snippet);
        }
        if (isStale && repeat < maxRepeats) continue;
        return { snippets, coverage: snippets.length === 0 ? 0 : coverage, ...found };
      }
    },
  };
}
