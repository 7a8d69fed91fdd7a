/** What a namespace holds: listed, read, deleted, and read again from its sources. A delete leaves nothing behind. */
import { basename } from 'node:path';
import { type CitationStatus, type QuotedSpan, verifyCitation } from '../answers/verify.ts';
import { createTimeSlicer } from '../concurrency/time-slicer.ts';
import { isRefreshable } from '../documents/document-file.ts';
import type { DocumentWrites } from '../documents/document-writes.ts';
import type { IndexedDocument } from '../documents/namespace-snapshot.ts';
import type { Namespaces } from '../documents/namespaces.ts';
import type { WithReserve } from '../documents/reserve.ts';
import { isStorageAway, KnowledgeError } from '../errors.ts';
import type { StoredPath } from '../ingest/folder.ts';
import type { Jobs } from '../ingest/jobs/jobs.ts';
import { labelOfTask } from '../ingest/run.ts';
import { isSameUrl, type Schedule, type Schedules, scheduleIdOf } from '../ingest/schedules.ts';
import { fileSource, formatInterval, type IngestRequest, urlSource } from '../ingest/source.ts';
import { readFrontMatter } from '../markdown/front-matter.ts';

type CitedSpan = QuotedSpan & { readonly documentId: string };

/** What answers and conversations have of these is forgotten, in one transaction with `also`; also on a full disk. */
export type Forget = (
  gone: { readonly namespaces?: readonly string[]; readonly documentIds?: readonly string[] },
  also?: () => Promise<void>,
) => Promise<void>;

const notFound = () =>
  new KnowledgeError(
    'document_not_found',
    'There is no such document; GET /api/namespaces/{namespace}/documents lists those of a namespace.',
  );

export interface DocumentsParts {
  readonly namespaces: Namespaces;
  readonly writes: DocumentWrites;
  /** Brings in what other servers have changed, where there are any. @throws KnowledgeError `storage_unavailable` */
  readonly syncNow: () => Promise<void>;
  readonly jobs: Jobs;
  readonly schedules: Schedules;
  readonly storedPath: StoredPath;
  /** Deletes run in it, so that they also work on a full disk. */
  readonly withReserve: WithReserve;
  readonly forget: Forget;
  readonly pathCandidates: (path: string) => Promise<string[]>;
}

/** As it is shown: where a path stands on the server is nobody's business. */
const shownSchedule = (schedule: Schedule) => {
  const { request, everyMs, nextAt } = schedule;
  const source = request.type === 'path' ? basename(request.path) : labelOfTask(request);
  return { id: scheduleIdOf(schedule), source, refreshEvery: formatInterval(everyMs), nextAt };
};

export class Documents {
  readonly #parts: DocumentsParts;

  constructor(parts: DocumentsParts) {
    this.#parts = parts;
  }

  async #find(name: string, documentId: string) {
    const namespace = await this.#parts.namespaces.get(name);
    const entry = namespace.document(documentId);
    if (!entry) throw notFound();
    return { namespace, entry };
  }

  /** Also what another server has acknowledged this moment: who deletes it must not be told that it is not there. */
  async #findNow(name: string, documentId: string) {
    if (!(await this.#parts.namespaces.find(name))?.document(documentId)) await this.#parts.syncNow();
    return this.#find(name, documentId);
  }

  names(): Promise<string[]> {
    return this.#parts.namespaces.names();
  }

  /** How much all namespaces hold, as far as that is known without opening one. */
  total() {
    return this.#parts.namespaces.total();
  }

  /** @param names default: of all */
  async namespaces(names?: readonly string[]) {
    const { namespaces } = this.#parts;
    const summaries = [];
    for (const name of names ?? (await namespaces.names())) {
      const { documents = 0, chunks = 0, bytes = 0 } = (await namespaces.stock(name)) ?? {};
      summaries.push({ name, documents, chunks, bytes });
    }
    return summaries;
  }

  /** By namespace; those without any have none. */
  async schedules() {
    const all = await this.#parts.schedules.listAll().catch((error: unknown) => {
      // What cannot be read is a warning: the namespaces are listed all the same.
      if (isStorageAway(error)) return new Map<string, Schedule[]>();
      throw error;
    });
    return new Map(all.entries().map(([namespace, schedules]) => [namespace, schedules.map(shownSchedule)]));
  }

  async removeSchedule(name: string, scheduleId: string) {
    const { namespaces, schedules, withReserve } = this.#parts;
    const removed = await withReserve(() => schedules.remove(name, scheduleId));
    if (removed) return shownSchedule(removed);
    await namespaces.get(name);
    throw new KnowledgeError('schedule_not_found', 'There is no such schedule in this namespace; GET /api/namespaces lists them.');
  }

  /** In the order of their files. @param query words that title, file or source have to hold; case and accents do not count */
  async list(namespace: string, offset: number, limit: number, query = '') {
    const entries = (await this.#parts.namespaces.get(namespace)).sortedDocuments(query);
    return { total: entries.length, entries: entries.slice(offset, offset + limit) };
  }

  async areStored(namespace: string, documentIds: readonly string[]): Promise<boolean> {
    const found = await this.#parts.namespaces.find(namespace);
    return documentIds.every((id) => found?.document(id) !== undefined);
  }

  async find(name: string, documentId: string): Promise<IndexedDocument | undefined> {
    return (await this.#parts.namespaces.find(name))?.document(documentId);
  }

  /** The stored file, front matter included; offsets of citations point into it. */
  async read(name: string, documentId: string) {
    const { namespace, entry } = await this.#find(name, documentId);
    // A person may have edited it this moment: what is said of it and what is in it belong together.
    const current = await namespace.refresh(entry.document.file);
    const stored = await namespace.read(entry.document.file);
    if (!current || !stored) throw notFound();
    return { entry: current, text: stored.text, bodyStart: readFrontMatter(stored.text).bodyStart };
  }

  async readIfThere(name: string, documentId: string) {
    return this.read(name, documentId).catch((error: unknown) => {
      if (error instanceof KnowledgeError && ['namespace_not_found', 'document_not_found'].includes(error.code)) return undefined;
      throw error;
    });
  }

  /**
   * Citations of an answer against the documents as they are on disk now: one status for each, in their order. Where a citation says its
   * file is, is not believed; a namespace or a document that there is not has nothing, which is no error.
   */
  async verify(namespace: string, citations: readonly CitedSpan[]): Promise<CitationStatus[]> {
    const statuses = new Map<CitedSpan, CitationStatus>();
    const pause = createTimeSlicer();
    for (const [documentId, cited] of Map.groupBy(citations, (citation) => citation.documentId)) {
      const stored = await this.readIfThere(namespace, documentId);
      for (const citation of cited) {
        statuses.set(citation, verifyCitation(stored?.text, stored?.entry.document.revision, citation));
        await pause();
      }
    }
    return citations.map((citation) => statuses.get(citation) ?? { status: 'gone' });
  }

  /**
   * Removes a document, the schedule that is for it alone (a site or a folder that it came from stays), and all that quotes it. The document
   * goes last, so that what was cut off can be asked for again; then what quoted it meanwhile.
   */
  async remove(name: string, documentId: string): Promise<IndexedDocument> {
    const { writes, jobs, schedules, storedPath, pathCandidates, withReserve, forget } = this.#parts;
    const { namespace, entry } = await this.#findNow(name, documentId);
    const path = await storedPath(entry);
    const { file } = entry.document;
    const forgetIt = () => forget({ documentIds: [documentId] }, () => jobs.forgetDocument(name, documentId));
    const isForgotten = async (request: IngestRequest) => {
      if (request.type === 'source' && request.source.kind === 'url') return isSameUrl(request.source.url, entry.document.source);
      if (request.type !== 'path' || request.glob !== undefined || path === undefined) return false;
      return (await pathCandidates(request.path)).includes(path);
    };
    await withReserve(() => schedules.forget(name, isForgotten));
    await forgetIt();
    await writes.change(name, await writes.token(name), file, (held) => namespace.erase(file, held));
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

  /** Requests that read the sources of a namespace's documents again; texts and files that people put there have none. */
  async refreshRequests(name: string, documentIds: readonly string[] | undefined): Promise<IngestRequest[]> {
    const { namespaces, storedPath } = this.#parts;
    const namespace = await namespaces.get(name);
    const ids = documentIds ?? namespace.sortedDocuments().map(({ document }) => document.id);
    const requests: IngestRequest[] = [];
    for (const id of ids) {
      const entry = namespace.document(id);
      if (!entry) throw notFound();
      const { kind, source, file } = entry.document;
      if (!isRefreshable(entry.document)) continue;
      requests.push(kind === 'url' ? urlSource(source, source, file) : fileSource((await storedPath(entry)) ?? source, source, file));
    }
    return requests;
  }
}
