/**
 * One source → one stored, searchable document: identify → load → parse → store → index, with a row of the report at the end. What
 * has not changed is told as early as it can be. A row that says `added` or `updated` is on disk and searchable; a source that
 * fails leaves the document of its last time as it was.
 */
import { KnowledgeError } from '../errors.ts';
import { within } from './deadline.ts';
import type { Library } from './library.ts';
import type { SourceLoader } from './load/load.ts';
import type { ParseSource } from './parse/parse.ts';
import type { Shelf, ShelfEntry } from './shelf.ts';
import { documentIdOf, fileNameFor, readDocumentFile, renderDocumentFile, type StoredSource, toStored } from './store/document-file.ts';
import type { DocumentStore } from './store/document-store.ts';
import { storedNameOf } from './stored-path.ts';
import type { IdentifiedSource, LoadedSource, ParsedSource, Source, SourceKind } from './types.ts';
import type { WriteLocks } from './write-locks.ts';

export type IngestStatus = 'added' | 'updated' | 'unchanged' | 'removed' | 'skipped' | 'failed';
export type IngestStage = 'loading' | 'parsing' | 'storing' | 'indexing';

export interface IngestRow {
  /** As the caller wrote it, cut at 200 characters; of a page or file that was found, its URL or path. */
  readonly source: string;
  readonly kind: SourceKind;
  readonly status: IngestStatus;
  readonly entry?: ShelfEntry;
  /** Why it failed or was skipped. */
  readonly error?: KnowledgeError;
}

export interface LoadedPage {
  readonly loaded: LoadedSource;
  readonly parsed: ParsedSource;
}

export interface IngestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Remove the document of a source that is gone. */
  readonly prune?: boolean;
  /** The stored file that the source has to belong to, as in a refresh. */
  readonly expectedFile?: string | undefined;
  /** Read and parsed even where nothing has changed, because its links are wanted. */
  readonly readAgain?: boolean;
  readonly onStage?: (stage: IngestStage) => void;
  /** Told before a document is written or removed, so that a run that was killed knows what it was doing. */
  readonly onWriting?: (status: 'added' | 'updated' | 'removed') => Promise<void>;
  /** The namespace as it was when the run began. */
  readonly token: number;
  /** Another identity for a page, once it is known what it holds, or why it is left out. */
  readonly place?: (page: LoadedPage) => IdentifiedSource | KnowledgeError;
}

export interface Ingested {
  readonly row: IngestRow;
  /** Undefined where the source was unchanged or could not be parsed. */
  readonly page?: LoadedPage;
}

export type IngestSource = (namespace: string, source: Source, options: IngestOptions) => Promise<Ingested>;

export interface IngestParts {
  readonly library: Library;
  readonly store: DocumentStore;
  readonly locks: WriteLocks;
  readonly loader: SourceLoader;
  readonly parse: ParseSource;
  readonly clock: () => Date;
  /** Told of failures whose cause a caller may not see. */
  readonly onUnexpected: (error: unknown) => void;
}

/** Longest time of each stage, in milliseconds. Loading holds retries, parsing the wait for a free process. */
const stageLimits: Readonly<Record<IngestStage, number>> = { loading: 60_000, parsing: 120_000, storing: 30_000, indexing: 60_000 };

const deleted = () => new KnowledgeError('document_not_found', 'The document was deleted before its source was read again.');

export function createIngestSource({ library, store, locks, loader, parse, clock, onUnexpected }: IngestParts): IngestSource {
  /** Whether the stored file already says the same; when it was fetched does not count. */
  async function compareWithStored(namespace: string, file: string, { title, origin, kind, markdown }: StoredSource) {
    const stored = await store.read(namespace, file);
    if (!stored) return 'none';
    const { document, bodyStart } = readDocumentFile(namespace, file, stored.bytes, stored.text);
    const isSame =
      document.source === origin && document.kind === kind && document.title === title && stored.text.slice(bodyStart).trim() === markdown;
    return isSame ? 'same' : 'other';
  }

  /** The stored document of a source that says it has not changed, if the file still is what was made of it. */
  async function currentEntry(shelf: Shelf | undefined, file: string, entry: ShelfEntry | undefined): Promise<ShelfEntry | undefined> {
    if (!shelf || !entry) return undefined;
    const current = await shelf.refresh(file);
    return current?.document.revision === entry.document.revision ? current : undefined;
  }

  async function ingest(namespace: string, source: Source, options: IngestOptions): Promise<Ingested> {
    const row = { source: source.label, kind: source.kind };
    const at = async <T>(stage: IngestStage, work: (signal: AbortSignal) => Promise<T>): Promise<T> => {
      options.signal?.throwIfAborted();
      options.onStage?.(stage);
      return within(stageLimits[stage], options.signal, work);
    };

    const asked = await loader.identify(source);
    const askedFile = fileNameFor(source.kind, asked.identity, asked.fallbackTitle);
    if (options.expectedFile !== undefined && askedFile !== options.expectedFile)
      throw new KnowledgeError('ingest_failed', 'The source leads to another document than before; ingest it again by its path.');
    const shelf = await library.findShelf(namespace);
    const known = shelf?.entry(documentIdOf(namespace, askedFile));
    if (options.expectedFile !== undefined && !known) throw deleted();
    const version = options.readAgain || known?.document.source !== asked.origin ? undefined : known.version;

    let loaded = await at('loading', (signal) => loader.load(source, asked, version, signal));
    if (loaded === 'unchanged') {
      const entry = await currentEntry(shelf, askedFile, known);
      if (entry) return { row: { ...row, status: 'unchanged', entry } };
      loaded = await at('loading', (signal) => loader.load(source, asked, undefined, signal));
    }
    if (loaded === 'unchanged') throw new KnowledgeError('fetch_failed', 'The source says that nothing has changed, but was never read.');
    const fresh = loaded;
    if (version?.hash === fresh.version.hash) {
      const entry = await currentEntry(shelf, askedFile, known);
      if (shelf && entry) return { row: { ...row, status: 'unchanged', entry: (await shelf.refresh(askedFile, fresh.version)) ?? entry } };
    }

    const parsed = await at('parsing', (signal) => parse(source, fresh, signal));
    const page: LoadedPage = { loaded: fresh, parsed };
    const placed = options.place?.(page) ?? asked;
    if (placed instanceof KnowledgeError) return { row: { ...row, status: 'skipped', error: placed }, page };

    const title = (source.kind === 'text' ? source.title : undefined) ?? parsed.title ?? placed.fallbackTitle;
    const file = fileNameFor(source.kind, placed.identity, placed.fallbackTitle);
    const stored = toStored({ ...parsed, title, kind: source.kind, origin: placed.origin });
    options.signal?.throwIfAborted();
    // From here on the source is done whatever happens to the run: what is on disk has a row.
    return locks.change(namespace, options.token, file, async () => {
      options.onStage?.('storing');
      const before = await within(stageLimits.storing, undefined, async () => {
        const found = await compareWithStored(namespace, file, stored);
        if (found === 'same') return found;
        if (found === 'none' && options.expectedFile !== undefined) throw deleted();
        await options.onWriting?.(found === 'other' ? 'updated' : 'added');
        await store.write(namespace, file, renderDocumentFile(stored, clock()));
        return found;
      });
      options.onStage?.('indexing');
      const entry = await within(stageLimits.indexing, undefined, async () =>
        (await library.newShelf(namespace)).refresh(file, fresh.version),
      );
      if (!entry) throw new KnowledgeError('ingest_failed', 'The document was removed while it was being stored.');
      return { row: { ...row, status: before === 'same' ? 'unchanged' : before === 'other' ? 'updated' : 'added', entry }, page };
    });
  }

  /** The document that an earlier ingest made of a source that is gone: removed where that was asked for, kept and named where not. */
  async function gone(namespace: string, source: Source, options: IngestOptions, error: KnowledgeError): Promise<IngestRow> {
    const row = { source: source.label, kind: source.kind };
    const file = options.expectedFile ?? (await fileOfGone(source));
    const shelf = file === undefined ? undefined : await library.findShelf(namespace);
    const entry = file === undefined ? undefined : shelf?.entry(documentIdOf(namespace, file));
    // Of a file it has to be known which one is missing: a path may lead elsewhere than it did.
    const isKnown = source.kind !== 'file' || file === storedNameOf(source.path);
    if (!shelf || !entry || !isKnown) return { ...row, status: 'failed', error };
    if (options.prune) {
      await options.onWriting?.('removed');
      await locks.change(namespace, options.token, entry.document.file, () => shelf.erase(entry.document.file));
      return { ...row, status: 'removed', entry };
    }
    const message = `${error.message} Its document is kept; send "prune": true to remove it.`;
    return { ...row, status: 'failed', entry, error: new KnowledgeError('source_gone', message, { cause: error }) };
  }

  const fileOfGone = async (source: Source): Promise<string | undefined> => {
    const identified = await loader.identify(source).catch(() => undefined);
    return identified && fileNameFor(source.kind, identified.identity, identified.fallbackTitle);
  };

  return async (namespace, source, options) => {
    try {
      return await ingest(namespace, source, options);
    } catch (error) {
      options.signal?.throwIfAborted();
      if (error instanceof KnowledgeError && error.code === 'source_not_found')
        return { row: await gone(namespace, source, options, error) };
      if (!(error instanceof KnowledgeError)) onUnexpected(error);
      const known =
        error instanceof KnowledgeError ? error : new KnowledgeError('ingest_failed', 'The source could not be stored.', { cause: error });
      return { row: { source: source.label, kind: source.kind, status: 'failed', error: known } };
    }
  };
}
