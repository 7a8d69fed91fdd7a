/** Saves the indexed documents of a namespace and the pages found by crawls, for a fast start. */
import { join } from 'node:path';
import { PartFiles } from '../../packages/shared/src/disk/part-files.ts';
import {
  allParts,
  readSnapshotFile,
  removeSnapshotFile,
  writeSnapshotFile,
} from '../../packages/shared/src/disk/snapshot-file.ts';
import type { Chunk, Document, KnownPage, SourceVersion } from './document.ts';
import type { FileStamp } from './document-store.ts';

/** Pages found by a crawl, so that the next one need not read every page. */
export type CrawlRecord = readonly KnownPage[];

export type IndexedDocument = Readonly<{
  document: Document;
  chunks: readonly Chunk[];
  stamp: FileStamp;
  /** Alternative titles, best first. */
  titles: readonly string[];
  /** Front matter that is indexed with the document. */
  about?: string | undefined;
  /** When a document was added that has changed since. */
  addedAt?: string | undefined;
  /** Version of the source; unknown after the file was edited by hand. */
  version?: SourceVersion | undefined;
  /** Keys of the vectors of its chunks. */
  vectorKeys?: readonly string[] | undefined;
}>;

/** Chunks per write, which takes some milliseconds. */
const chunksPerPart = 4_000;
const chunksPerFile = 10_000;
/** Weight of a document's metadata, in chunks. */
const chunksPerDocument = 40;
const crawlsName = 'crawls.index';

const weightOf = (entry: IndexedDocument | undefined) =>
  chunksPerDocument + (entry?.chunks.length ?? 0);

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
  readonly #crawlsPath;
  readonly files: PartFiles;
  #crawls = new Map<string, CrawlRecord>();
  #areCrawlsSaved = true;

  constructor(folder: string, entryOf: (documentId: string) => IndexedDocument | undefined) {
    this.#crawlsPath = join(folder, crawlsName);
    this.files = new PartFiles({
      folder,
      maxWeight: chunksPerFile,
      weightOf: (id) => weightOf(entryOf(id)),
      contentOf: (ids) => partsOf(ids.flatMap((id) => entryOf(id) ?? [])),
    });
  }

  async read(onEntry: (entry: IndexedDocument) => void, onDamaged: (error: unknown) => void) {
    const take = async (parts: AsyncIterable<unknown>) => {
      const entries = (await allParts(parts)).flat() as IndexedDocument[];
      entries.forEach(onEntry);
      return entries.map(({ document }) => document.id);
    };
    await this.files.read(take, onDamaged);
    const [crawls] = (await readSnapshotFile(this.#crawlsPath, allParts, { onDamaged })) ?? [];
    this.#crawls = new Map(crawls as Map<string, CrawlRecord> | undefined);
  }

  crawl(key: string) {
    return this.#crawls.get(key);
  }

  recordCrawl(key: string, record: CrawlRecord) {
    this.#crawls.set(key, record);
    this.#areCrawlsSaved = false;
  }

  /** Erases the crawls that found a page, so that the next crawl fetches it again. */
  async eraseCrawlsOf(source: string | undefined) {
    const stale = [...this.#crawls].filter(([, record]) =>
      record.some(({ url }) => url === source),
    );
    if (stale.length === 0) return;
    for (const [key] of stale) this.#crawls.delete(key);
    this.#areCrawlsSaved = false;
    await removeSnapshotFile(this.#crawlsPath);
  }

  async save() {
    await this.files.save();
    if (this.#areCrawlsSaved) return;
    await writeSnapshotFile(this.#crawlsPath, [this.#crawls]);
    this.#areCrawlsSaved = true;
  }
}
