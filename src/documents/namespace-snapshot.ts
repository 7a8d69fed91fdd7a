/** What a namespace saves of itself to start quickly: its documents as they are indexed, and the pages that crawls found. */
import { join } from 'node:path';
import { PartFiles } from '../disk/part-files.ts';
import { allParts, readSnapshotFile, removeSnapshotFile, writeSnapshotFile } from '../disk/snapshot-file.ts';
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

/** Chunks that are written at a time, some milliseconds of work, and those of a file. A document counts as so many. */
const chunksPerPart = 4_000;
const chunksPerFile = 10_000;
const chunksPerDocument = 40;
const crawlsName = 'crawls.index';

const weightOf = (entry: IndexedDocument | undefined) => chunksPerDocument + (entry?.chunks.length ?? 0);

function* partsOf(entries: Iterable<IndexedDocument>): Generator<readonly IndexedDocument[]> {
  let part: IndexedDocument[] = [];
  let weight = 0;
  for (const entry of entries) {
    part.push(entry);
    weight += weightOf(entry);
    if (weight < chunksPerPart) continue;
    yield part;
    part = [];
    weight = 0;
  }
  yield part;
}

export class NamespaceSnapshot {
  readonly #crawlsPath: string;
  readonly #files: PartFiles;
  #crawls = new Map<string, CrawlRecord>();
  #areCrawlsSaved = true;

  /** @param entryOf what is to be saved of a document */
  constructor(folder: string, entryOf: (documentId: string) => IndexedDocument | undefined) {
    this.#crawlsPath = join(folder, crawlsName);
    this.#files = new PartFiles({
      folder,
      maxWeight: chunksPerFile,
      weightOf: (id) => weightOf(entryOf(id)),
      contentOf: (ids) => partsOf(ids.flatMap((id) => entryOf(id) ?? [])),
    });
  }

  /** @param onEntry told of every document that was saved */
  async read(onEntry: (entry: IndexedDocument) => void, onDamaged: (error: unknown) => void): Promise<void> {
    const take = async (parts: AsyncIterable<unknown>) => {
      const entries = (await allParts(parts)).flat() as IndexedDocument[];
      entries.forEach(onEntry);
      return entries.map(({ document }) => document.id);
    };
    await this.#files.read(take, onDamaged);
    const [crawls] = (await readSnapshotFile(this.#crawlsPath, allParts, { onDamaged })) ?? [];
    this.#crawls = new Map(crawls as Map<string, CrawlRecord> | undefined);
  }

  change(documentId: string): void {
    this.#files.change(documentId);
  }

  /** When it resolves nothing of these documents is on disk. */
  erase(...documentIds: string[]): Promise<void> {
    return this.#files.erase(...documentIds);
  }

  crawl(key: string): CrawlRecord | undefined {
    return this.#crawls.get(key);
  }

  recordCrawl(key: string, record: CrawlRecord): void {
    this.#crawls.set(key, record);
    this.#areCrawlsSaved = false;
  }

  /** Forgets the crawls that found a page, on disk too: one that remembered it would never look for it again. */
  async eraseCrawlsOf(source: string | undefined): Promise<void> {
    const stale = [...this.#crawls].filter(([, record]) => record.some(({ url }) => url === source));
    if (stale.length === 0) return;
    for (const [key] of stale) this.#crawls.delete(key);
    this.#areCrawlsSaved = false;
    await removeSnapshotFile(this.#crawlsPath);
  }

  async save(): Promise<void> {
    await this.#files.save();
    if (this.#areCrawlsSaved) return;
    await writeSnapshotFile(this.#crawlsPath, [this.#crawls]);
    this.#areCrawlsSaved = true;
  }

  drop(): Promise<void> {
    return this.#files.drop();
  }
}
