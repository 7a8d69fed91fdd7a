/**
 * Sources → stored, searchable documents: load → parse → store → index, per source, with a row of the report each. What fails stays
 * in its row: one bad source never loses a good one, and a failed refresh leaves the old document as it was. A row that says
 * `added` or `updated` is on disk and searchable.
 */
import { KnowledgeError } from '../errors.ts';
import type { Library } from './library.ts';
import { classifySource, type SourceInput } from './load/classify-source.ts';
import type { LoadSource } from './load/load.ts';
import type { ParseSource } from './parse/parse.ts';
import type { ShelfEntry } from './shelf.ts';
import { fileNameFor, readDocumentFile, renderDocumentFile, type StoredSource } from './store/document-file.ts';
import type { DocumentStore } from './store/document-store.ts';
import type { Source, SourceKind } from './types.ts';

export type IngestStatus = 'added' | 'updated' | 'unchanged' | 'failed';

export interface IngestRow {
  /** As the caller wrote it, cut at 200 characters. */
  readonly source: string;
  readonly kind: SourceKind;
  readonly status: IngestStatus;
  readonly entry?: ShelfEntry;
  readonly error?: KnowledgeError;
}

export interface IngestReport {
  readonly namespace: string;
  /** In the order of the sources. */
  readonly rows: readonly IngestRow[];
}

export type Ingest = (namespace: string, sources: readonly SourceInput[], signal?: AbortSignal) => Promise<IngestReport>;

export interface IngestOptions {
  readonly library: Library;
  readonly store: DocumentStore;
  readonly load: LoadSource;
  readonly parse: ParseSource;
  readonly clock: () => Date;
  /** Told of failures whose cause a caller may not see. */
  readonly onUnexpected: (error: unknown) => void;
}

const maxConcurrentSources = 4;

export function createIngest({ library, store, load, parse, clock, onUnexpected }: IngestOptions): Ingest {
  /** Two requests for one file take turns. */
  const writing = new Map<string, Promise<unknown>>();

  function inTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = (writing.get(key) ?? Promise.resolve()).then(work, work);
    writing.set(key, turn);
    const done = () => {
      if (writing.get(key) === turn) writing.delete(key);
    };
    turn.then(done, done);
    return turn;
  }

  /** Whether the stored file already says the same; when it was fetched does not count. */
  async function compareWithStored(namespace: string, file: string, rendered: string): Promise<'same' | 'other' | 'none'> {
    const stored = await store.read(namespace, file);
    if (!stored) return 'none';
    const said = (bytes: Uint8Array, text: string) => {
      const { document, bodyStart } = readDocumentFile(namespace, file, bytes, text);
      return JSON.stringify([document.title, document.source, document.kind, text.slice(bodyStart)]);
    };
    return said(stored.bytes, stored.text) === said(Buffer.from(rendered), rendered) ? 'same' : 'other';
  }

  async function ingestOne(namespace: string, source: Source, signal: AbortSignal | undefined): Promise<IngestRow> {
    const row = { source: source.label, kind: source.kind };
    const loaded = await load(source, signal);
    const parsed = await parse(source, loaded, signal);
    const title = (source.kind === 'text' ? source.title : undefined) ?? parsed.title ?? loaded.fallbackTitle;
    const stored: StoredSource = { title, markdown: parsed.markdown, kind: source.kind, origin: loaded.origin };
    const readable = source.kind === 'text' ? title : loaded.fallbackTitle;
    const file = fileNameFor(source.kind, loaded.identity, readable);
    return inTurn(`${namespace}/${file}`, async () => {
      const rendered = renderDocumentFile(stored, clock());
      const before = await compareWithStored(namespace, file, rendered);
      if (before !== 'same') await store.write(namespace, file, rendered);
      const entry = await (await library.newShelf(namespace)).refresh(file);
      if (!entry) throw new KnowledgeError('ingest_failed', 'The document was removed while it was being stored.');
      return { ...row, status: before === 'same' ? 'unchanged' : before === 'other' ? 'updated' : 'added', entry };
    });
  }

  function failed(source: Source, error: unknown): IngestRow {
    if (!(error instanceof KnowledgeError)) onUnexpected(error);
    const known =
      error instanceof KnowledgeError ? error : new KnowledgeError('ingest_failed', 'The source could not be stored.', { cause: error });
    return { source: source.label, kind: source.kind, status: 'failed', error: known };
  }

  return async (namespace, inputs, signal) => {
    const sources = inputs.map(classifySource);
    const rows: IngestRow[] = [];
    let next = 0;
    const worker = async () => {
      for (let position = next++; position < sources.length; position = next++) {
        const source = sources[position];
        if (!source) continue;
        rows[position] = await ingestOne(namespace, source, signal).catch((error: unknown) => failed(source, error));
      }
    };
    await Promise.all(Array.from({ length: maxConcurrentSources }, worker));
    return { namespace, rows };
  };
}
