/** What a namespace holds: listed, read, deleted, and read again from its sources. A delete leaves nothing behind. */
import { KnowledgeError } from '../errors.ts';
import type { Jobs } from './jobs/jobs.ts';
import type { Library } from './library.ts';
import { fileSource, type IngestRequest, urlSource } from './requests.ts';
import type { Schedules } from './schedules.ts';
import type { ShelfEntry } from './shelf.ts';
import { isRefreshable } from './store/document-file.ts';
import type { DocumentStore } from './store/document-store.ts';
import { readFrontMatter } from './text/front-matter.ts';

export interface NamespaceSummary {
  readonly name: string;
  readonly documents: number;
  readonly chunks: number;
  /** Of the stored files. */
  readonly bytes: number;
}

export interface StoredDocument {
  readonly entry: ShelfEntry;
  /** The stored file, front matter included; offsets of citations point into it. */
  readonly text: string;
  /** Offset of the first character after the front matter. */
  readonly bodyStart: number;
}

export interface Documents {
  namespaces(): Promise<NamespaceSummary[]>;
  /** In the order of their files. @throws KnowledgeError `namespace_not_found` */
  list(namespace: string, offset: number, limit: number): Promise<{ total: number; entries: ShelfEntry[] }>;
  /** @throws KnowledgeError `namespace_not_found`, `document_not_found` */
  read(namespace: string, documentId: string): Promise<StoredDocument>;
  /** @throws KnowledgeError `namespace_not_found`, `document_not_found` */
  remove(namespace: string, documentId: string): Promise<ShelfEntry>;
  /** @returns how many documents it held. @throws KnowledgeError `namespace_not_found` */
  removeNamespace(namespace: string): Promise<number>;
  /**
   * Requests that read the sources of a namespace's documents again; texts and files that people put there have none.
   * @throws KnowledgeError `namespace_not_found`, `document_not_found`
   */
  refreshRequests(namespace: string, documentIds: readonly string[] | undefined): Promise<IngestRequest[]>;
}

const notFound = () => new KnowledgeError('document_not_found', 'There is no such document in this namespace.');

function refreshRequest({ document, version }: ShelfEntry): IngestRequest[] {
  if (!isRefreshable(document)) return [];
  const { kind, source, file } = document;
  return [kind === 'url' ? urlSource(source, source, file) : fileSource(version?.location ?? source, source, file)];
}

export function createDocuments(library: Library, store: DocumentStore, jobs: Jobs, schedules: Schedules): Documents {
  async function find(namespace: string, documentId: string) {
    const shelf = await library.shelf(namespace);
    const entry = shelf.entry(documentId);
    if (!entry) throw notFound();
    return { shelf, entry };
  }

  const byFile = (a: ShelfEntry, b: ShelfEntry) => (a.document.file < b.document.file ? -1 : 1);

  return {
    async namespaces() {
      const summaries: NamespaceSummary[] = [];
      for (const name of await library.namespaces()) {
        const summary = { name, documents: 0, chunks: 0, bytes: 0 };
        for (const { document, chunks } of (await library.findShelf(name))?.entries() ?? []) {
          summary.documents++;
          summary.chunks += chunks.length;
          summary.bytes += document.bytes;
        }
        summaries.push(summary);
      }
      return summaries;
    },

    async list(namespace, offset, limit) {
      const entries = [...(await library.shelf(namespace)).entries()].sort(byFile);
      return { total: entries.length, entries: entries.slice(offset, offset + limit) };
    },

    async read(namespace, documentId) {
      const { shelf, entry } = await find(namespace, documentId);
      // A person may have edited it this moment: what is said of it and what is in it belong together.
      const current = await shelf.refresh(entry.document.file);
      const stored = await store.read(namespace, entry.document.file);
      if (!current || !stored) throw notFound();
      return { entry: current, text: stored.text, bodyStart: readFrontMatter(stored.text).bodyStart };
    },

    async remove(namespace, documentId) {
      const { shelf, entry } = await find(namespace, documentId);
      await shelf.erase([entry.document.file]);
      await schedules.forget(entry.document);
      await jobs.forgetDocument(namespace, documentId);
      return entry;
    },

    async removeNamespace(namespace) {
      const entries = [...(await library.shelf(namespace)).entries()];
      await jobs.forgetNamespace(namespace);
      await library.remove(namespace);
      return entries.length;
    },

    async refreshRequests(namespace, documentIds) {
      const shelf = await library.shelf(namespace);
      if (!documentIds) return [...shelf.entries()].sort(byFile).flatMap(refreshRequest);
      return documentIds.flatMap((id) => {
        const entry = shelf.entry(id);
        if (!entry) throw notFound();
        return refreshRequest(entry);
      });
    },
  };
}
