/**
 * One namespace in memory: its documents, chunked and indexed, brought in line with its folder on demand. Work on a shelf happens one
 * piece after another, so that an ingest and a person's edit of the same file cannot overtake each other.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChunkDocument } from './chunk/chunk.ts';
import type { IndexSnapshot, RestorableIndex, SearchIndex } from './index/search-index.ts';
import { readSnapshotFile, writeSnapshotFile } from './index/snapshot-file.ts';
import { documentIdOf, readDocumentFile } from './store/document-file.ts';
import type { DocumentStore, FileStamp } from './store/document-store.ts';
import type { Chunk, Document } from './types.ts';

/** A document as it is indexed. */
export interface ShelfEntry {
  readonly document: Document;
  readonly chunks: readonly Chunk[];
  readonly stamp: FileStamp;
}

export interface Shelf {
  readonly index: SearchIndex;
  entry(documentId: string): ShelfEntry | undefined;
  /** Folders that hold documents, below the namespace's own (`''`). */
  folders(): readonly string[];
  /** Brings one file in line with the disk; undefined where there is none. */
  refresh(file: string): Promise<ShelfEntry | undefined>;
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
  readonly createIndex: (snapshot?: IndexSnapshot) => RestorableIndex;
  readonly onChange: () => void;
  readonly onWarning: (message: string, error: unknown) => void;
}

interface ShelfSnapshot {
  readonly entries: readonly ShelfEntry[];
  readonly index: IndexSnapshot;
}

/** Opens a namespace from its snapshot, if there is one; `reconcile` makes it current. */
export async function openShelf(namespace: string, options: ShelfOptions): Promise<Shelf> {
  const { store, chunkDocument, onChange, onWarning } = options;
  const snapshotPath = join(options.snapshotDir, `${namespace}.index`);
  const snapshot = (await readSnapshotFile(snapshotPath)) as ShelfSnapshot | undefined;
  const index = options.createIndex(snapshot?.index);
  const entries = new Map(snapshot?.entries.map((entry) => [entry.document.id, entry]));
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
    changed();
  }

  async function take(file: string): Promise<ShelfEntry | undefined> {
    const id = documentIdOf(namespace, file);
    const stored = await store.read(namespace, file);
    if (!stored) return drop(id);
    const known = entries.get(id);
    const { document, bodyStart } = readDocumentFile(namespace, file, stored.bytes, stored.text);
    let chunks = known?.chunks ?? [];
    if (known?.document.revision !== document.revision) {
      chunks = await chunkDocument(stored.text, bodyStart);
      const indexed = chunks.map((chunk) => ({ text: stored.text.slice(chunk.start, chunk.end), headingPath: chunk.headingPath }));
      await index.replaceDocument({ id, title: document.title, chunks: indexed });
    }
    const entry: ShelfEntry = { document, chunks, stamp: stored.stamp };
    entries.set(id, entry);
    if (known?.stamp !== entry.stamp) changed();
    return entry;
  }

  async function reconcile(): Promise<void> {
    const scanned = await store.scan(namespace);
    folders = scanned.folders;
    const present = new Set<string>();
    for (const [file, stamp] of scanned.files) {
      const id = documentIdOf(namespace, file);
      present.add(id);
      if (entries.get(id)?.stamp === stamp) continue;
      try {
        await take(file);
      } catch (error) {
        onWarning(`The document ${namespace}/${file} could not be read.`, error);
      }
    }
    for (const id of [...entries.keys()]) if (!present.has(id)) await drop(id);
  }

  return {
    index,
    entry: (documentId) => entries.get(documentId),
    folders: () => folders,
    refresh: (file) =>
      inTurn(async () => {
        const stamp = await store.stamp(namespace, file);
        const known = entries.get(documentIdOf(namespace, file));
        return known !== undefined && known.stamp === stamp ? known : take(file);
      }),
    reconcile: () => inTurn(reconcile),
    save: () =>
      inTurn(async () => {
        if (isSaved) return;
        await writeSnapshotFile(snapshotPath, { entries: [...entries.values()], index: index.toSnapshot() } satisfies ShelfSnapshot);
        isSaved = true;
      }),
    forget: () => inTurn(() => rm(snapshotPath, { force: true })),
  };
}
