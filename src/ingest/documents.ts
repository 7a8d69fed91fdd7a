/** Lists, reads, refreshes and deletes documents. A delete removes every trace. */
import { basename } from 'node:path';
import { TimeSlicer } from '../../packages/shared/src/concurrency/time-slicer.ts';
import { isStorageAway, KnowledgeError } from '../../packages/shared/src/errors.ts';
import { readFrontMatter } from '../../packages/shared/src/markdown/front-matter.ts';
import { isRefreshable } from '../documents/document-file.ts';
import type { DocumentWrites } from '../documents/document-writes.ts';
import type { IndexedDocument } from '../documents/namespace-snapshot.ts';
import type { Namespaces } from '../documents/namespaces.ts';
import type { Reserve } from '../documents/reserve.ts';
import {
  type CitationStatus,
  type QuotedSpan,
  verifyCitation,
} from '../documents/verify-citation.ts';
import type { FileRoots } from './fetch/load.ts';
import type { Folders } from './folder.ts';
import type { Jobs } from './jobs/jobs.ts';
import { labelOfTask } from './run.ts';
import { isSameUrl, type Schedule, type Schedules, scheduleIdOf } from './schedules.ts';
import { fileSource, formatInterval, type IngestRequest, urlSource } from './source.ts';

type CitedSpan = QuotedSpan & { readonly documentId: string };

/**
 * Deletes answers and messages of these namespaces and documents, in one transaction with `also`.
 * Works on a full disk.
 */
export type Forget = (
  gone: { readonly namespaces?: readonly string[]; readonly documentIds?: readonly string[] },
  also?: () => Promise<void>,
) => Promise<void>;

const notFound = () =>
  new KnowledgeError(
    'document_not_found',
    'Document not found. GET /api/namespaces/{namespace}/documents lists the documents.',
  );

/** Shows only the last name of a path, to hide folders of the server. */
const shownSchedule = (schedule: Schedule) => {
  const { request, everyMs, nextAt } = schedule;
  const source = request.type === 'path' ? basename(request.path) : labelOfTask(request);
  return { id: scheduleIdOf(schedule), source, refreshEvery: formatInterval(everyMs), nextAt };
};

export type StoredDocument = Readonly<{
  entry: IndexedDocument;
  /** The stored file with front matter; offsets of citations refer to it. */
  text: string;
  bodyStart: number;
}>;

export class Documents {
  readonly #parts;

  constructor(
    parts: Readonly<{
      namespaces: Namespaces;
      isAllowed: (namespace: string) => boolean;
      writes: DocumentWrites;
      /** Applies changes of other servers. @throws KnowledgeError `storage_unavailable` */
      syncNow: () => Promise<void>;
      jobs: Jobs;
      schedules: Schedules;
      folders: Pick<Folders, 'storedPath'>;
      roots: Pick<FileRoots, 'candidates'>;
      /** Frees reserved space, so that deletes work on a full disk. */
      withReserve: Reserve['run'];
      forget: Forget;
    }>,
  ) {
    this.#parts = parts;
  }

  async #find(name: string, documentId: string) {
    const namespace = await this.#parts.namespaces.get(name);
    const entry = namespace.document(documentId);
    if (!entry) throw notFound();
    return { namespace, entry };
  }

  /** Also finds documents that another server has just stored, so that a delete does not fail. */
  async #findNow(name: string, documentId: string) {
    if (!(await this.find(name, documentId))) await this.#parts.syncNow();
    return this.#find(name, documentId);
  }

  /** Without folders that `ALLOWED_NAMESPACES` leaves out. */
  async names(): Promise<string[]> {
    const { namespaces, isAllowed } = this.#parts;
    return (await namespaces.names()).filter(isAllowed);
  }

  /** Totals that are known without opening a namespace. */
  total() {
    return this.#parts.namespaces.total();
  }

  async namespaces(names?: readonly string[]) {
    const { namespaces } = this.#parts;
    return (names ?? (await this.names())).map((name) => {
      const size = namespaces.stock(name);
      const { documents = 0, chunks = 0, bytes = 0 } = size ?? {};
      return { name, documents, chunks, bytes, isIndexed: size !== undefined };
    });
  }

  async schedules() {
    const all = await this.#parts.schedules.listAll().catch((error: unknown) => {
      // Unreadable schedules cause a warning elsewhere; namespaces are still listed.
      if (isStorageAway(error)) return new Map<string, Schedule[]>();
      throw error;
    });
    return new Map(
      all.entries().map(([namespace, schedules]) => [namespace, schedules.map(shownSchedule)]),
    );
  }

  async removeSchedule(name: string, scheduleId: string) {
    const { namespaces, schedules, withReserve } = this.#parts;
    const removed = await withReserve(() => schedules.remove(name, scheduleId));
    if (removed) return shownSchedule(removed);
    await namespaces.get(name);
    throw new KnowledgeError(
      'schedule_not_found',
      'Schedule not found in this namespace. GET /api/namespaces lists the schedules.',
    );
  }

  /**
   * Sorted by file. @param query words that title, file or source must contain; ignores case and
   * accents
   */
  async list(
    namespace: string,
    offset: number,
    limit: number,
    query = '',
    isWanted: (entry: IndexedDocument) => boolean = () => true,
  ) {
    const entries = (await this.#parts.namespaces.get(namespace))
      .sortedDocuments(query)
      .filter(isWanted);
    return { total: entries.length, entries: entries.slice(offset, offset + limit) };
  }

  async areStored(namespace: string, documentIds: readonly string[]): Promise<boolean> {
    const found = await this.#parts.namespaces.find(namespace);
    return documentIds.every((id) => found?.document(id) !== undefined);
  }

  async find(name: string, documentId: string): Promise<IndexedDocument | undefined> {
    return (await this.#parts.namespaces.find(name))?.document(documentId);
  }

  async read(name: string, documentId: string): Promise<StoredDocument> {
    const { namespace, entry } = await this.#find(name, documentId);
    // Indexes a concurrent edit first, so that entry and text belong together.
    const current = await namespace.refresh(entry.document.file);
    const stored = await namespace.read(entry.document.file);
    if (!current || !stored) throw notFound();
    return { entry: current, text: stored.text, bodyStart: readFrontMatter(stored.text).bodyStart };
  }

  async readIfThere(name: string, documentId: string): Promise<StoredDocument | undefined> {
    return this.read(name, documentId).catch((error: unknown) => {
      const missing = ['namespace_not_found', 'document_not_found'];
      if (error instanceof KnowledgeError && missing.includes(error.code)) return undefined;
      throw error;
    });
  }

  /**
   * Compares citations with the files on disk: one status each, in order. Ignores their file names.
   * A missing document gives `gone`.
   */
  async verify(namespace: string, citations: readonly CitedSpan[]): Promise<CitationStatus[]> {
    const statuses = new Map<CitedSpan, CitationStatus>();
    const slicer = new TimeSlicer();
    for (const [documentId, cited] of Map.groupBy(citations, (citation) => citation.documentId)) {
      const stored = await this.readIfThere(namespace, documentId);
      const revision = stored?.entry.document.revision;
      for (const citation of cited) {
        statuses.set(citation, verifyCitation(stored?.text, revision, citation));
        await slicer.pause();
      }
    }
    return citations.map((citation) => statuses.get(citation) ?? { status: 'gone' });
  }

  /**
   * Deletes a document, its own schedule (not that of its site or folder) and everything that
   * quotes it. Deletes the file after the quotes, so an interrupted delete can be repeated. Then
   * deletes quotes that were added concurrently.
   */
  async remove(name: string, documentId: string): Promise<IndexedDocument> {
    const { writes, jobs, schedules, folders, roots, withReserve, forget } = this.#parts;
    const { namespace, entry } = await this.#findNow(name, documentId);
    const path = await folders.storedPath(entry);
    const { file } = entry.document;
    const forgetIt = () =>
      forget({ documentIds: [documentId] }, () => jobs.forgetDocument(name, documentId));
    const isForgotten = async (request: IngestRequest) => {
      if (request.type === 'source' && request.source.kind === 'url')
        return isSameUrl(request.source.url, entry.document.source);
      if (request.type !== 'path' || request.glob !== undefined || path === undefined) return false;
      return (await roots.candidates(request.path)).includes(path);
    };
    await withReserve(() => schedules.forget(name, isForgotten));
    await forgetIt();
    await writes.change(name, await writes.token(name), file, (held) =>
      namespace.erase(file, held),
    );
    await forgetIt();
    return entry;
  }

  async removeNamespace(name: string): Promise<number> {
    const { jobs, namespaces, schedules, syncNow, withReserve, forget } = this.#parts;
    const forgetAll = async () => {
      await withReserve(() => schedules.forget(name, async () => true));
      await forget({ namespaces: [name] });
    };
    if (!(await namespaces.find(name))) await syncNow();
    const hadJobs = await jobs.forgetNamespace(name);
    const count = (await (hadJobs ? namespaces.find(name) : namespaces.get(name)))?.size ?? 0;
    await forgetAll();
    await namespaces.remove(name);
    await forgetAll();
    return count;
  }

  /** Requests that read the sources again. Texts and files that users added have no source. */
  async refreshRequests(
    name: string,
    documentIds: readonly string[] | undefined,
  ): Promise<IngestRequest[]> {
    const { namespaces, folders } = this.#parts;
    const namespace = await namespaces.get(name);
    const ids = documentIds ?? namespace.sortedDocuments().map(({ document }) => document.id);
    const requests: IngestRequest[] = [];
    for (const id of ids) {
      const entry = namespace.document(id);
      if (!entry) throw notFound();
      const { kind, source, file } = entry.document;
      if (!isRefreshable(entry.document)) continue;
      requests.push(
        kind === 'url'
          ? urlSource(source, source, file)
          : fileSource((await folders.storedPath(entry)) ?? source, source, file),
      );
    }
    return requests;
  }
}
