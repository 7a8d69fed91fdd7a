/**
 * One namespace in memory: its documents, chunked and indexed, brought in line with its folder on demand. Work on a shelf happens one
 * piece after another, so that an ingest and a person's edit of the same file cannot overtake each other.
 */
import { join } from 'node:path';
import type { ChunkDocument } from './chunk/chunk.ts';
import type { KnownPage } from './crawl/crawl.ts';
import type { CreateIndex, RestorableIndex, SearchIndex } from './index/search-index.ts';
import { readSnapshotFile, removeSnapshotFile, snapshotName, writeSnapshotFile } from './index/snapshot-file.ts';
import { documentIdOf, readDocumentFile } from './store/document-file.ts';
import type { DocumentStore, FileStamp, StoredFile } from './store/document-store.ts';
import type { Chunk, Document, SourceVersion } from './types.ts';
import type { SemanticIndexes } from './vectors/semantic-index.ts';

/** The pages that a crawl found, so that the next one finds them without reading every page again. */
export type CrawlRecord = readonly KnownPage[];

/** A document as it is indexed. */
export interface ShelfEntry {
  readonly document: Document;
  readonly chunks: readonly Chunk[];
  readonly stamp: FileStamp;
  /** The version of the source that the stored file was made from; unknown once a person has edited the file. */
  readonly version?: SourceVersion;
  /** Of its chunks, the names of their vectors. */
  readonly vectorKeys?: readonly string[];
}

export interface Shelf {
  readonly index: SearchIndex;
  /** Number of documents. */
  readonly size: number;
  entry(documentId: string): ShelfEntry | undefined;
  /** All documents, in no order. */
  entries(): Iterable<ShelfEntry>;
  /** Folders that hold documents, below the namespace's own (`''`). */
  folders(): readonly string[];
  /**
   * Brings one file in line with the disk; undefined where there is none.
   * @param version of the source that the file was just made from, or compared with
   */
  refresh(file: string, version?: SourceVersion): Promise<ShelfEntry | undefined>;
  /** Removes a file, and every trace of it from the index, in memory and on disk. */
  erase(file: string): Promise<void>;
  /** What the last crawl of this key found. */
  crawl(key: string): CrawlRecord | undefined;
  recordCrawl(key: string, record: CrawlRecord): void;
  /** Brings everything in line with the disk. */
  reconcile(): Promise<void>;
  /** Writes the snapshot if anything has changed since the last. */
  save(): Promise<void>;
  /** Removes the snapshot of a namespace that is gone. */
  forget(): Promise<void>;
}

export interface ShelfOptions {
  readonly store: DocumentStore;
  readonly snapshotDir: string;
  readonly chunkDocument: ChunkDocument;
  readonly createIndex: CreateIndex;
  /** Finds by meaning, where that is set up. */
  readonly semantic?: SemanticIndexes | undefined;
  readonly onChange: () => void;
  readonly onWarning: (message: string, error: unknown) => void;
}

/** How many files are read at a time while others are indexed. */
const filesAhead = 8;
/** Of documents, what is written at a time: some milliseconds of work. */
const entriesPerPart = 100;

const contentOf = (document: Document, chunks: readonly Chunk[], text: string) => ({
  id: document.id,
  title: document.title,
  chunks: chunks.map(({ start, end, headingPath }) => ({ text: text.slice(start, end), headingPath })),
});

/** No text has it. */
const missingKey = 'missing';

/** A snapshot in parts that each take little time to write: the crawls, the documents, the index. */
async function* partsOf(crawls: ReadonlyMap<string, CrawlRecord>, entries: readonly ShelfEntry[], index: RestorableIndex) {
  yield { crawls, entries: entries.length };
  for (let from = 0; from < entries.length; from += entriesPerPart) yield entries.slice(from, from + entriesPerPart);
  yield* index.toSnapshot();
}

async function fromParts(next: () => Promise<unknown>, createIndex: CreateIndex) {
  const head = (await next()) as { readonly crawls: ReadonlyMap<string, CrawlRecord>; readonly entries: number };
  const entries: ShelfEntry[] = [];
  while (entries.length < head.entries) for (const entry of (await next()) as readonly ShelfEntry[]) entries.push(entry);
  return { crawls: head.crawls, entries, index: await createIndex(next) };
}

/** Opens a namespace from its snapshot, if there is one; `reconcile` makes it current. */
export async function openShelf(namespace: string, options: ShelfOptions): Promise<Shelf> {
  const { store, chunkDocument, onChange, onWarning } = options;
  const snapshotPath = join(options.snapshotDir, snapshotName(namespace));
  const snapshot = await readSnapshotFile(snapshotPath, (next) => fromParts(next, options.createIndex));
  const index = snapshot?.index ?? (await options.createIndex());
  const entries = new Map(snapshot?.entries.map((entry) => [entry.document.id, entry]));
  const semantic = options.semantic?.of(namespace);
  /** From the snapshot, with a vector missing: their texts are not known here. */
  const unembedded = new Set<string>();
  for (const [id, { vectorKeys, document }] of entries)
    if (semantic && !semantic.restoreDocument(id, vectorKeys ?? [missingKey])) unembedded.add(document.file);
  const crawls = new Map(snapshot?.crawls);
  let folders: readonly string[] = [''];
  let isSaved = snapshot !== undefined;
  let queue: Promise<unknown> = Promise.resolve();

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = queue.then(work);
    queue = turn.catch(() => undefined);
    return turn;
  }

  function changed(): void {
    isSaved = false;
    onChange();
  }

  async function drop(documentId: string): Promise<undefined> {
    if (!entries.delete(documentId)) return;
    await index.removeDocument(documentId);
    semantic?.removeDocument(documentId);
    changed();
  }

  async function take(file: string, version?: SourceVersion, reading?: Promise<StoredFile | undefined>): Promise<ShelfEntry | undefined> {
    const id = documentIdOf(namespace, file);
    const stored = await (reading ?? store.read(namespace, file));
    if (!stored) return drop(id);
    const known = entries.get(id);
    const { document, bodyStart } = readDocumentFile(namespace, file, stored.bytes, stored.text);
    const isSame = known?.document.revision === document.revision;
    let chunks = known?.chunks ?? [];
    if (!isSame) {
      chunks = await chunkDocument(stored.text, bodyStart);
      await index.replaceDocument({ ...contentOf(document, chunks, stored.text), language: document.textLanguage });
    }
    if (semantic && (!isSame || unembedded.delete(file))) {
      semantic.replaceDocument(contentOf(document, chunks, stored.text));
      changed();
    }
    const of = version ?? (isSame ? known?.version : undefined);
    const entry: ShelfEntry = { document, chunks, stamp: stored.stamp, ...(of ? { version: of } : {}) };
    entries.set(id, entry);
    if (known?.stamp !== entry.stamp) changed();
    return entry;
  }

  /** Files that are being read while the ones before them are indexed. */
  async function* readAhead(files: readonly string[]): AsyncGenerator<[file: string, reading: Promise<StoredFile | undefined>]> {
    const ahead: [file: string, reading: Promise<StoredFile | undefined>][] = [];
    for (const file of files) {
      const reading = store.read(namespace, file);
      // Told where it is waited for.
      reading.catch(() => undefined);
      ahead.push([file, reading]);
      if (ahead.length > filesAhead) yield ahead.shift() as (typeof ahead)[number];
    }
    yield* ahead;
  }

  async function reconcile(): Promise<void> {
    const scanned = await store.scan(namespace);
    folders = scanned.folders;
    const present = new Set<string>();
    const changedFiles: string[] = [];
    for (const [file, stamp] of scanned.files) {
      const id = documentIdOf(namespace, file);
      present.add(id);
      if (entries.get(id)?.stamp !== stamp || unembedded.has(file)) changedFiles.push(file);
    }
    for await (const [file, reading] of readAhead(changedFiles)) {
      try {
        await take(file, undefined, reading);
      } catch (error) {
        onWarning(`The document ${namespace}/${file} could not be read.`, error);
      }
    }
    for (const id of [...entries.keys()]) if (!present.has(id)) await drop(id);
    await index.settle();
  }

  const withVectorKeys = (entry: ShelfEntry): ShelfEntry => {
    const vectorKeys = semantic?.keysOf(entry.document.id);
    return vectorKeys ? { ...entry, vectorKeys } : entry;
  };

  async function save(): Promise<void> {
    if (isSaved) return;
    isSaved = true;
    try {
      await writeSnapshotFile(snapshotPath, partsOf(crawls, [...entries.values()].map(withVectorKeys), index));
    } catch (error) {
      isSaved = false;
      throw error;
    }
  }

  return {
    index,
    get size() {
      return entries.size;
    },
    entry: (documentId) => entries.get(documentId),
    entries: () => entries.values(),
    folders: () => folders,
    refresh: (file, version) =>
      inTurn(async () => {
        const stamp = await store.stamp(namespace, file);
        const known = entries.get(documentIdOf(namespace, file));
        if (known === undefined || known.stamp !== stamp) return take(file, version);
        if (version === undefined) return known;
        const entry = { ...known, version };
        entries.set(known.document.id, entry);
        changed();
        return entry;
      }),
    erase: (file) =>
      inTurn(async () => {
        const id = documentIdOf(namespace, file);
        const source = entries.get(id)?.document.source;
        // A crawl that remembered the page would never look for it again.
        for (const [key, record] of crawls) if (record.some(({ url }) => url === source)) crawls.delete(key);
        await store.remove(namespace, file);
        // The next save writes one without the document; until then there is none.
        await removeSnapshotFile(snapshotPath);
        await drop(id);
      }),
    crawl: (key) => crawls.get(key),
    recordCrawl(key, record) {
      crawls.set(key, record);
      changed();
    },
    reconcile: () => inTurn(reconcile),
    save: () => inTurn(save),
    forget: () =>
      inTurn(async () => {
        options.semantic?.remove(namespace);
        await removeSnapshotFile(snapshotPath);
      }),
  };
}
