/**
 * Ingests one source: identify → load → parse → store → index → report row. Skips the remaining
 * steps if nothing changed. `added` and `updated` documents are on disk and searchable; a failed
 * source does not change its document.
 */
import { z } from 'zod';
import type { ParseSource } from '../../packages/converters/src/parse.ts';
import type { ParsedSource } from '../../packages/converters/src/source.ts';
import { withAbort } from '../../packages/shared/src/concurrency/deadline.ts';
import type { FairQueue } from '../../packages/shared/src/concurrency/fair-queue.ts';
import { KnowledgeError, storageError } from '../../packages/shared/src/errors.ts';
import type { SourceVersion } from '../documents/document.ts';
import type { StoredSource } from '../documents/document-file.ts';
import {
  documentIdOf,
  fileNameFor,
  readDocumentFile,
  renderDocumentFile,
  toStored,
} from '../documents/document-file.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import type { DocumentWrites, LockedFile, WriteMark } from '../documents/document-writes.ts';
import type { Namespace } from '../documents/namespace.ts';
import type { IndexedDocument } from '../documents/namespace-snapshot.ts';
import type { Namespaces } from '../documents/namespaces.ts';
import type { StorageQuota } from '../documents/storage-quota.ts';
import { inStage } from '../trace.ts';
import type { Throttle } from './crawl/robots.ts';
import type { SourceLoader } from './fetch/load.ts';
import { storedNameOf } from './folder.ts';
import type { IdentifiedSource, LoadedSource, Source, TextSource } from './source.ts';

export const reportRow = z.object({
  source: z
    .string()
    .describe(
      'as sent, cut at 200 characters; URL or path for a page of a site or a file of a folder',
    ),
  kind: z.enum(['url', 'file', 'text']),
  status: z.enum(['added', 'updated', 'unchanged', 'removed', 'skipped', 'failed']),
  document: z
    .object({
      id: z.string(),
      file: z.string(),
      title: z.string(),
      bytes: z.int(),
      chunks: z.int(),
      revision: z.string(),
    })
    .optional(),
  error: z
    .object({ code: z.string(), message: z.string() })
    .optional()
    .describe('why the source failed or was skipped'),
});
export type ReportRow = z.infer<typeof reportRow>;

const count = z.int();
export const rowCounts = {
  added: count,
  updated: count,
  unchanged: count,
  removed: count,
  skipped: count,
  failed: count,
};

export function countReportRows(
  rows: Iterable<Pick<ReportRow, 'status'>>,
): Record<ReportRow['status'], number> {
  const counts = { added: 0, updated: 0, unchanged: 0, removed: 0, skipped: 0, failed: 0 };
  for (const { status } of rows) counts[status]++;
  return counts;
}

type RowSource = Pick<ReportRow, 'source' | 'kind'>;

export const failedRow = (
  { source, kind }: RowSource,
  { code, message }: KnowledgeError,
): ReportRow => ({
  source,
  kind,
  status: 'failed',
  error: { code, message },
});

const documentRow = (
  source: RowSource,
  status: ReportRow['status'],
  { document, chunks }: IndexedDocument,
): ReportRow => {
  const { id, file, title, bytes, revision } = document;
  return {
    ...source,
    status,
    document: { id, file, title, bytes, chunks: chunks.length, revision },
  };
};

export type IngestStage = 'loading' | 'parsing' | 'storing' | 'indexing';
export const writingStatus = z.enum(['added', 'updated', 'removed']);
export type WritingStatus = z.infer<typeof writingStatus>;

type LoadedPage = Readonly<{ loaded: LoadedSource; parsed: ParsedSource }>;

export type SourceTask = Readonly<{
  namespace: string;
  source: Source;
  signal?: AbortSignal | undefined;
  prune?: boolean;
  /** In a refresh, the stored file that the source must lead to. */
  expectedFile?: string | undefined;
  /** Reads and parses the source even if it is unchanged, for its links. */
  readAgain?: boolean;
  onStage?: (stage: IngestStage) => void;
  onWriting?: (status: WritingStatus) => WriteMark | undefined;
  token: number;
  throttle?: Throttle | undefined;
  /**
   * Returns the identity under which a page is stored, given its content, or the reason to skip it.
   */
  place?: (page: LoadedPage) => Promise<IdentifiedSource | KnowledgeError>;
}>;

type Ingested = Readonly<{ row: ReportRow; page?: LoadedPage }>;

export type IngestParts = Readonly<{
  namespaces: Namespaces;
  store: DocumentStore;
  writes: DocumentWrites;
  loader: SourceLoader;
  parse: ParseSource;
  clock: () => Date;
  sourceTimeoutMs?: number | undefined;
  onRemoved: (documentId: string) => Promise<void>;
  quota: Pick<StorageQuota, 'reserve'>;
  onUnexpected: (error: unknown) => void;
}>;

/**
 * Timeout to load a source or discover a site, with redirects, retries, robots.txt and sitemaps.
 * Leaves 2 s to report within 30 s.
 */
export const defaultSourceTimeoutMs = 28_000;
const parsingMs = 120_000;

/**
 * Runs work with a timeout. @throws KnowledgeError `timeout`; the reason of `outer` if it is
 * aborted
 */
export function withTimeout<T>(
  ms: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const signal = AbortSignal.any([AbortSignal.timeout(ms), outer ?? []].flat());
  const tooLate = () =>
    new KnowledgeError('timeout', `The source took longer than ${ms / 1000} seconds.`);
  return withAbort(
    signal,
    () => (outer?.aborted ? outer.reason : tooLate()),
    () => work(signal),
  );
}

/** Fields that make a document `updated` if they change, in addition to its text and origin. */
const comparedFields = ['kind', 'title', 'author', 'reviewBy'] as const;

const deleted = () =>
  new KnowledgeError(
    'document_not_found',
    'The document was deleted before its source was refreshed.',
  );

type IdentifiedTask = IdentifiedSource &
  Readonly<{
    file: string;
    namespace: Namespace | undefined;
    known: IndexedDocument | undefined;
    /** Undefined if the source must be read in any case. */
    version: SourceVersion | undefined;
  }>;

/**
 * Maximum documents stored concurrently; one namespace gets at most half. Questions need the four
 * disk threads too.
 */
export const maxStoring = 6;

export class SourceIngest {
  readonly #parts;
  readonly #task;
  readonly #row: RowSource;

  constructor(parts: IngestParts & { readonly storing: FairQueue }, task: SourceTask) {
    this.#parts = parts;
    this.#task = task;
    this.#row = { source: task.source.label, kind: task.source.kind };
  }

  async report(): Promise<Ingested> {
    try {
      return await this.#ingest();
    } catch (error) {
      this.#task.signal?.throwIfAborted();
      if (error instanceof KnowledgeError && error.code === 'source_not_found')
        return { row: await this.#missing(error) };
      if (error instanceof KnowledgeError) return { row: failedRow(this.#row, error) };
      this.#parts.onUnexpected(error);
      const failure = new KnowledgeError('ingest_failed', 'The source could not be stored.');
      return { row: failedRow(this.#row, storageError(error) ?? failure) };
    }
  }

  async #ingest(): Promise<Ingested> {
    const { namespace, source, place, signal } = this.#task;
    const asked = await this.#identify();
    const loaded = await this.#load(asked);
    if ('document' in loaded) return { row: documentRow(this.#row, 'unchanged', loaded) };
    const parsed = await this.#at('parsing', parsingMs, (ending) =>
      this.#parts.parse({ kind: source.kind, namespace }, loaded, ending),
    );
    const page: LoadedPage = { loaded, parsed };
    const placed = (await place?.(page)) ?? asked;
    if (placed instanceof KnowledgeError)
      return { row: { ...failedRow(this.#row, placed), status: 'skipped' }, page };
    signal?.throwIfAborted();
    return { row: await this.#store(placed, page), page };
  }

  #at<T>(stage: 'loading' | 'parsing', ms: number, work: (signal: AbortSignal) => Promise<T>) {
    this.#task.signal?.throwIfAborted();
    this.#task.onStage?.(stage);
    return inStage(stage === 'loading' ? 'fetch' : 'convert', () =>
      withTimeout(ms, this.#task.signal, work),
    );
  }

  #fileOf({ identity, fallbackTitle }: IdentifiedSource) {
    const name = fileNameFor(this.#row.kind, identity, fallbackTitle);
    const { source } = this.#task;
    return 'answer' in source && source.answer ? `answers/${name}` : name;
  }

  async #identify(): Promise<IdentifiedTask> {
    const { namespace: name, source, expectedFile, readAgain } = this.#task;
    const identified = await this.#parts.loader.identify(source);
    const file = this.#fileOf(identified);
    if (expectedFile !== undefined && file !== expectedFile)
      throw new KnowledgeError(
        'ingest_failed',
        'The source now leads to another document. Ingest it again by its path.',
      );
    const namespace = await this.#parts.namespaces.find(name);
    const known = namespace?.document(documentIdOf(name, file));
    if (expectedFile !== undefined && !known) throw deleted();
    const version =
      readAgain || known?.document.source !== identified.origin ? undefined : known.version;
    return { ...identified, file, namespace, known, version };
  }

  #load(asked: IdentifiedTask): Promise<LoadedSource | IndexedDocument> {
    const { source, throttle, signal: outer } = this.#task;
    const { loader, sourceTimeoutMs = defaultSourceTimeoutMs } = this.#parts;
    const { namespace, file, known } = asked;
    const load = () =>
      this.#at('loading', sourceTimeoutMs, async (signal) => {
        const isCurrent = async () =>
          known !== undefined &&
          (await namespace?.refresh(file))?.document.revision === known.document.revision;
        // If the stored file was edited or removed, the source is read even if it is unchanged.
        const version = (await isCurrent()) ? asked.version : undefined;
        const loaded = await loader.load(source, asked, version, signal);
        const next = loaded === 'unchanged' ? undefined : loaded;
        if (next && (next.version.hash !== version?.hash || !(await isCurrent()))) return next;
        const entry = await namespace?.refresh(file, next?.version);
        if (!entry) throw deleted();
        return entry;
      });
    return throttle ? throttle.run(outer, load) : load();
  }

  /** Not cancellable, so that every document on disk has a row. */
  #store(placed: IdentifiedSource, { loaded, parsed }: LoadedPage): Promise<ReportRow> {
    const { namespace, source, token, expectedFile, onStage } = this.#task;
    const {
      title: given,
      author,
      reviewBy,
      answer,
    } = source.kind === 'text' ? source : ({} as Partial<TextSource>);
    const title = given ?? parsed.title ?? placed.fallbackTitle;
    const file = this.#fileOf(placed);
    const stored = toStored({
      ...parsed,
      title,
      kind: source.kind,
      origin: placed.origin,
      author,
      reviewBy,
      ...answer,
    });
    const index = () => {
      onStage?.('indexing');
      return inStage('index', async () =>
        (await this.#parts.namespaces.getOrCreate(namespace)).refresh(file, loaded.version),
      );
    };
    const store = async (locked: LockedFile) => {
      onStage?.('storing');
      const status = await this.#compareWithStored(locked, file, stored);
      if (status === 'added' && expectedFile !== undefined) throw deleted();
      const entry =
        status === 'unchanged'
          ? await index()
          : await this.#write(locked, file, status, stored, index);
      if (!entry)
        throw new KnowledgeError(
          'ingest_failed',
          'The document was removed while it was being stored.',
        );
      return documentRow(this.#row, status, entry);
    };
    const { storing, writes } = this.#parts;
    return storing.run(namespace, () => writes.change(namespace, token, file, store, true));
  }

  /** Compares without the fetch time. */
  async #compareWithStored(
    locked: LockedFile,
    file: string,
    { origin, markdown, ...source }: StoredSource,
  ) {
    const { namespace } = this.#task;
    const stored = await locked.read();
    if (!stored) return 'added';
    const { document, bodyStart } = readDocumentFile(namespace, file, stored);
    const isSame =
      document.source === origin &&
      comparedFields.every((field) => document[field] === source[field]) &&
      stored.text.slice(bodyStart).trim() === markdown.trim();
    return isSame ? 'unchanged' : 'updated';
  }

  async #write<T>(
    locked: LockedFile,
    file: string,
    status: WritingStatus,
    stored: StoredSource,
    index: () => Promise<T>,
  ) {
    const { clock, quota } = this.#parts;
    const { namespace, onWriting } = this.#task;
    const content = await renderDocumentFile(stored, clock());
    return quota.reserve({ namespace, file, bytes: Buffer.byteLength(content) }, async () => {
      await locked.write(content, onWriting?.(status));
      return index();
    });
  }

  async #missing(error: KnowledgeError): Promise<ReportRow> {
    const { namespaces, writes, loader, onRemoved } = this.#parts;
    const { namespace: name, source, expectedFile, prune, token, onWriting } = this.#task;
    const identified =
      expectedFile === undefined ? await loader.identify(source).catch(() => undefined) : undefined;
    const file = expectedFile ?? (identified && this.#fileOf(identified));
    const namespace = await namespaces.find(name);
    const entry = file === undefined ? undefined : namespace?.document(documentIdOf(name, file));
    // The path may now resolve to another file.
    const isKnown = !('path' in source) || file === storedNameOf(source.path);
    if (!namespace || !entry || !isKnown) return failedRow(this.#row, error);
    if (prune) {
      await onWriting?.('removed')?.save();
      // Notifies before the removal too, because after a crash in between no call would update the
      // answers that quote it.
      await onRemoved(entry.document.id);
      await writes.change(name, token, entry.document.file, (locked) =>
        namespace.erase(entry.document.file, locked),
      );
      await onRemoved(entry.document.id);
      return documentRow(this.#row, 'removed', entry);
    }
    const message = `${error.message} Its document is kept. Send "prune": true to remove it.`;
    return { ...documentRow(this.#row, 'failed', entry), error: { code: 'source_gone', message } };
  }
}
