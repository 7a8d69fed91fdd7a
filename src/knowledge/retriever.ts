/**
 * Query → snippets. What comes back is read from the stored file at that moment and checked against the revision that was indexed,
 * so a snippet is exactly `slice(start, end)` of a file with that hash, even while people edit it.
 */
import type { Hit } from './index/search-index.ts';
import type { Library } from './library.ts';
import type { ShelfEntry } from './shelf.ts';
import { revisionOf } from './store/document-file.ts';
import type { DocumentStore } from './store/document-store.ts';
import type { Snippet } from './types.ts';

export interface Retriever {
  /** Best first, at most `limit`. @throws KnowledgeError `namespace_not_found` */
  search(namespace: string, query: string, limit: number): Promise<Snippet[]>;
}

const maxCachedChars = 16_000_000;
/** A document that changes under the search is indexed anew and the search repeated; after this many times its hits are left out. */
const maxRepeats = 2;

export function createRetriever(library: Library, store: DocumentStore): Retriever {
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
    if (cached?.entry.stamp === entry.stamp && (await store.stamp(namespace, file)) === entry.stamp) return cached.text;
    const stored = await store.read(namespace, file);
    if (!stored || revisionOf(stored.bytes) !== revision) return undefined;
    if (stored.stamp === entry.stamp) remember(entry, stored.text);
    return stored.text;
  }

  return {
    async search(namespace, query, limit) {
      const shelf = await library.shelf(namespace);
      for (let repeat = 0; ; repeat++) {
        const hits = await shelf.index.search(query, limit);
        const ids = [...new Set(hits.map((hit) => hit.documentId))];
        const texts = new Map<string, { entry: ShelfEntry; text: string }>();
        let isStale = false;
        for (const id of ids) {
          const entry = shelf.entry(id);
          const text = entry && (await currentText(entry));
          if (entry && text !== undefined) texts.set(id, { entry, text });
          else if (entry) {
            isStale = true;
            await shelf.refresh(entry.document.file);
          }
        }
        if (!isStale || repeat === maxRepeats) return hits.flatMap((hit) => toSnippet(hit, texts.get(hit.documentId)));
      }
    },
  };
}

function toSnippet(hit: Hit, found: { entry: ShelfEntry; text: string } | undefined): Snippet[] {
  const chunk = found?.entry.chunks[hit.chunk];
  if (!found || !chunk) return [];
  const { document } = found.entry;
  return [{ ...chunk, chunkId: `${document.id}-${hit.chunk}`, document, text: found.text.slice(chunk.start, chunk.end), score: hit.score }];
}
