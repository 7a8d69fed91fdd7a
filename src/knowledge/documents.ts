/** What a namespace holds: listed, read, deleted, and read again from its sources. A delete leaves nothing behind. */
import { KnowledgeError } from '../errors.ts';
import type { AnswerLog } from './answers/answer-log.ts';
import type { Jobs } from './jobs/jobs.ts';
import type { Library } from './library.ts';
import { fileSource, type IngestRequest, urlSource } from './requests.ts';
import { isSameUrl, type Schedules } from './schedules.ts';
import type { ShelfEntry } from './shelf.ts';
import { isRefreshable } from './store/document-file.ts';
import type { DocumentStore } from './store/document-store.ts';
import type { StoredPath } from './stored-path.ts';
import { readFrontMatter } from './text/front-matter.ts';
import type { WriteLocks } from './write-locks.ts';

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

export interface DocumentsParts {
  readonly library: Library;
  readonly store: DocumentStore;
  readonly locks: WriteLocks;
  readonly jobs: Jobs;
  readonly schedules: Schedules;
  readonly answers: Pick<AnswerLog, 'forgetDocument' | 'forgetNamespace'>;
  readonly storedPath: StoredPath;
  /** Absolute paths that the path of a request may stand for. */
  readonly pathCandidates: (path: string) => Promise<string[]>;
}

export function createDocuments({
  library,
  store,
  locks,
  jobs,
  schedules,
  answers,
  storedPath,
  pathCandidates,
}: DocumentsParts): Documents {
  async function refreshRequest(entry: ShelfEntry): Promise<IngestRequest[]> {
    const { kind, source, file } = entry.document;
    if (!isRefreshable(entry.document)) return [];
    return [kind === 'url' ? urlSource(source, source, file) : fileSource((await storedPath(entry)) ?? source, source, file)];
  }

  const requestsFor = async (entries: readonly ShelfEntry[]) => (await Promise.all(entries.map(refreshRequest))).flat();

  /** Whether a schedule is for this very document; a site or a folder that it came from stays. */
  async function isScheduleOf(request: IngestRequest, entry: ShelfEntry, path: string | undefined): Promise<boolean> {
    if (request.type === 'source' && request.source.kind === 'url') return isSameUrl(request.source.url, entry.document.source);
    if (request.type !== 'path' || request.glob !== undefined || path === undefined) return false;
    return (await pathCandidates(request.path)).includes(path);
  }

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
      const path = await storedPath(entry);
      const { file } = entry.document;
      await locks.change(namespace, locks.token(namespace), file, () => shelf.erase(file));
      await schedules.forget(namespace, (request) => isScheduleOf(request, entry, path));
      await jobs.forgetDocument(namespace, documentId);
      await answers.forgetDocument(documentId);
      return entry;
    },

    async removeNamespace(namespace) {
      const hadJobs = await jobs.forgetNamespace(namespace);
      const shelf = await (hadJobs ? library.findShelf(namespace) : library.shelf(namespace));
      const count = [...(shelf?.entries() ?? [])].length;
      await library.remove(namespace);
      await answers.forgetNamespace(namespace);
      return count;
    },

    async refreshRequests(namespace, documentIds) {
      const shelf = await library.shelf(namespace);
      if (!documentIds) return requestsFor([...shelf.entries()].sort(byFile));
      const entries = documentIds.map((id) => {
        const entry = shelf.entry(id);
        if (!entry) throw notFound();
        return entry;
      });
      return requestsFor(entries);
    },
  };
}
