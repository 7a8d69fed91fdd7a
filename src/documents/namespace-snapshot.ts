/** What a namespace saves of itself to start quickly: its documents as they are indexed, and the pages that crawls found. */
import { allParts, readSnapshotFile, writeSnapshotFile } from '../disk/snapshot-file.ts';
import type { Chunk, Document, KnownPage, SourceVersion } from './document.ts';
import type { FileStamp } from './document-store.ts';

/** The pages that a crawl found, so that the next one finds them without reading every page again. */
export type CrawlRecord = readonly KnownPage[];

/** A document as it is indexed. */
export interface IndexedDocument {
  readonly document: Document;
  readonly chunks: readonly Chunk[];
  readonly stamp: FileStamp;
  /** What it may be called, best first. */
  readonly titles: readonly string[];
  /** The version of the source that the stored file was made from; unknown once a person has edited the file. */
  readonly version?: SourceVersion | undefined;
  /** Of its chunks, the names of their vectors. */
  readonly vectorKeys?: readonly string[] | undefined;
}

/** Chunks that are written at a time: some milliseconds of work. A document counts as so many. */
const chunksPerPart = 4_000;
const chunksPerDocument = 40;

export interface NamespaceSnapshot {
  readonly crawls: ReadonlyMap<string, CrawlRecord>;
  readonly entries: readonly IndexedDocument[];
}

/** A snapshot in parts that each take little time to write: what there is, then the documents. */
async function* partsOf({ crawls, entries }: NamespaceSnapshot): AsyncGenerator<unknown> {
  yield crawls;
  let part: IndexedDocument[] = [];
  let chunks = 0;
  for (const entry of entries) {
    part.push(entry);
    chunks += chunksPerDocument + entry.chunks.length;
    if (chunks < chunksPerPart) continue;
    yield part;
    part = [];
    chunks = 0;
  }
  yield part;
}

async function fromParts(parts: AsyncIterable<unknown>): Promise<NamespaceSnapshot> {
  const [crawls, ...entries] = (await allParts(parts)) as [NamespaceSnapshot['crawls'], ...IndexedDocument[][]];
  return { crawls, entries: entries.flat() };
}

/** @returns undefined if there is none, or it was damaged */
export const readNamespaceSnapshot = (path: string, onDamaged: (error: unknown) => void): Promise<NamespaceSnapshot | undefined> =>
  readSnapshotFile(path, fromParts, { onDamaged });

export const writeNamespaceSnapshot = (path: string, snapshot: NamespaceSnapshot): Promise<void> =>
  writeSnapshotFile(path, partsOf(snapshot));
