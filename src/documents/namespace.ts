/**
 * One namespace in memory: its documents, chunked, indexed and synchronized with its folder on
 * demand. Work is serial, so an ingest and a manual edit of the same file cannot overtake each
 * other.
 */
import { join } from 'node:path';
import { Semaphore } from '../../packages/shared/src/concurrency/queue.ts';
import {
  type LoopScheduler,
  TimeSlicer,
} from '../../packages/shared/src/concurrency/time-slicer.ts';
import type { EngineIndex, SearchEngine } from '../search/search-engine.ts';
import { SearchIndex } from '../search/search-index.ts';
import type { SemanticIndexes } from '../search/vectors/semantic-index.ts';
import type { Warnings } from '../warnings.ts';
import type { SourceVersion } from './document.ts';
import { documentIdOf } from './document-file.ts';
import {
  type DocumentStore,
  type FileStamp,
  isWithin,
  sizeIn,
  writtenAt,
} from './document-store.ts';
import type { LockedFile } from './document-writes.ts';
import { MessagesFile } from './messages-file.ts';
import { type CrawlRecord, type IndexedDocument, NamespaceSnapshot } from './namespace-snapshot.ts';
import { withAbout } from './read-document.ts';
import type { ReadInBackground } from './reading-threads.ts';
import { SynonymsFile } from './synonyms-file.ts';
import { TitledEntries } from './titles.ts';

/**
 * Whether a file may be indexed. Files that were edited in a mirrored folder may not. @param
 * revision undefined: the file is missing
 */
type AcceptsFile = (namespace: string, file: string, revision: string | undefined) => boolean;

export type NamespaceOptions = Readonly<{
  store: DocumentStore;
  snapshotDir: string;
  readDocument: ReadInBackground;
  engine: SearchEngine;
  /** Schedules searches, because they block the event loop. */
  scheduler: LoopScheduler;
  semantic?: SemanticIndexes | undefined;
  accepts?: AcceptsFile | undefined;
  onChange: () => void;
  /** Called after the text of a document was added, changed or removed. */
  onTextChange: () => void;
  onWarning: (message: string, error: unknown) => void;
  warnings: Pick<Warnings, 'begin' | 'end'>;
}>;

/** Files read concurrently; large, because another thread reads most of them in batches. */
const maxConcurrentReads = 128;

/** Documents removed at once: each file of the index is rewritten once per batch. */
const batchSize = 1_000;
const batchesOf = <Item>(items: readonly Item[]) =>
  Array.from({ length: Math.ceil(items.length / batchSize) }, (_, at) =>
    items.slice(at * batchSize, (at + 1) * batchSize),
  );

const ageOf = ({ addedAt, document, stamp }: IndexedDocument) =>
  addedAt ?? document.fetchedAt ?? writtenAt(stamp);

export class Namespace {
  readonly index: Pick<SearchIndex, 'search'>;
  readonly #engine;
  readonly #synonyms;
  readonly #messages;
  readonly #name;
  readonly #options;
  readonly #snapshot: NamespaceSnapshot;
  readonly #entries;
  readonly #semantic;
  /**
   * Files to index again, because the engine lacks their current version or a vector is missing.
   */
  readonly #incomplete = new Set<string>();
  readonly #unreadable = new Set<string>();
  readonly #inOrder = new Semaphore(1);
  readonly #slicer = new TimeSlicer();
  readonly #indexed = new Semaphore(1);
  #folders: readonly string[] = [''];
  #bytes = 0;
  #chunks = 0;
  #isSaved = true;
  /** Whether the namespace was deleted: a later save would restore its text. */
  #isForgotten = false;

  private constructor(name: string, options: NamespaceOptions, engine: EngineIndex) {
    this.#name = name;
    this.#options = options;
    this.#engine = engine;
    this.#synonyms = new SynonymsFile(options.store, name, options.onWarning);
    this.#messages = new MessagesFile(options.store, name, options.warnings);
    const index = new SearchIndex(engine, () => this.#synonyms.current);
    this.index = {
      search: (...asked) => options.scheduler.run(name, () => index.search(...asked)),
    };
    this.#entries = new TitledEntries<IndexedDocument>(ageOf);
    this.#semantic = options.semantic?.of(name);
    this.#snapshot = new NamespaceSnapshot(join(options.snapshotDir, name), (id) =>
      this.#savedEntry(id),
    );
  }

  /** Opens a namespace from its snapshot; `reconcile` makes it current. */
  static async open(name: string, options: NamespaceOptions) {
    const namespace = new Namespace(name, options, await options.engine.open(name));
    await namespace.#restore();
    return namespace;
  }

  async #restore() {
    // After a kill, the engine's own files may differ from the snapshot.
    const indexed = await this.#engine.versions();
    const strays = new Set(indexed.keys());
    const take = (entry: IndexedDocument) => {
      const { vectorKeys, document } = entry;
      strays.delete(document.id);
      this.#count(this.#entries.get(document.id), -1);
      this.#entries.put(entry);
      this.#count(entry, 1);
      const hasVectors =
        !this.#semantic || (vectorKeys && this.#semantic.restore(document.id, vectorKeys));
      if (!hasVectors || indexed.get(document.id) !== document.revision)
        this.#incomplete.add(document.file);
    };
    await this.#snapshot.read(take, (error) =>
      this.#options.onWarning(
        `The index of the namespace "${this.#name}" was damaged on disk. It is rebuilt from the documents.`,
        error,
      ),
    );
    for (const some of batchesOf([...strays])) await this.#engine.remove(...some);
  }

  /** Number of documents. */
  get size() {
    return this.#entries.size;
  }

  /** Total size of the stored files. */
  get bytes() {
    return this.#bytes;
  }

  get chunks() {
    return this.#chunks;
  }

  get messages() {
    return this.#messages.current;
  }

  /** Returns a document with its displayed title (titles.ts). */
  document(documentId: string) {
    return this.#entries.get(documentId);
  }

  /** In no particular order. */
  documents(): Iterable<IndexedDocument> {
    return this.#entries.values();
  }

  /** Documents that match the query, sorted by file (titles.ts). */
  sortedDocuments(query = '') {
    return this.#entries.sorted(query);
  }

  /**
   * Reads a file from disk; undefined if it is missing. @throws KnowledgeError
   * `storage_unavailable` if it cannot be read
   */
  read(file: string) {
    return this.#reading(file, () => this.#options.store.read(this.#name, file));
  }

  async #reading<T>(file: string, read: () => Promise<T>) {
    try {
      const stored = await read();
      this.#endUnreadable((one) => one === file);
      return stored;
    } catch (error) {
      this.#unreadable.add(file);
      this.#options.warnings.begin('document_unreadable', this.#name, error);
      throw error;
    }
  }

  /** Folders with documents, relative to the namespace's folder (`''`). */
  folders() {
    return this.#folders;
  }

  crawl(key: string) {
    return this.#snapshot.crawl(key);
  }

  recordCrawl(key: string, record: CrawlRecord) {
    this.#snapshot.recordCrawl(key, record);
    this.#changed();
  }

  /**
   * Synchronizes one file with the disk; undefined if it is missing. @param version version of its
   * source, if the caller just read it
   */
  refresh(file: string, version?: SourceVersion) {
    return this.#inOrder.run(async () => {
      await this.#slicer.pause();
      const stamp = this.#options.store.stampNow(this.#name, file);
      const known = this.#entries.get(documentIdOf(this.#name, file));
      if (known === undefined || this.#isOld(file, stamp)) return this.#take(file, version);
      if (version === undefined) return known;
      this.#entries.put({ ...known, version });
      this.#snapshot.files.change(known.document.id);
      this.#changed();
      return this.#entries.get(known.document.id);
    });
  }

  /**
   * Removes a file and all its traces from the index, in memory and on disk. @param held the locked
   * file
   */
  erase(file: string, held: Pick<LockedFile, 'remove'>) {
    return this.#inOrder.run(async () => {
      const id = documentIdOf(this.#name, file);
      const source = this.#entries.get(id)?.document.source;
      await held.remove();
      await this.#snapshot.eraseCrawlsOf(source);
      await this.#drop(id);
    });
  }

  /** Synchronizes all files with the disk. */
  reconcile() {
    return this.#inOrder.run(async () => {
      const { files, folders, unreadable } = await this.#options.store.scan(this.#name);
      this.#folders = folders;
      await this.#options.store.removeLeftovers(this.#name, folders);
      const { warnings } = this.#options;
      const [failure] = unreadable.values();
      if (unreadable.size > 0) warnings.begin('namespace_unreadable', this.#name, failure);
      else warnings.end('namespace_unreadable', this.#name);
      if (!unreadable.has('')) {
        await this.#synonyms.refresh();
        await this.#messages.refresh();
      }
      const changed: string[] = [];
      let bytes = 0;
      for (const [file, stamp] of files) {
        await this.#slicer.pause();
        if (!this.#isOld(file, stamp)) continue;
        changed.push(file);
        bytes += sizeIn(stamp);
      }
      this.#engine.reserve?.(bytes);
      const next = changed.values();
      const takeNext = async () => {
        for (const file of next)
          await this.#take(file).catch((error: unknown) => {
            if (!this.#unreadable.has(file))
              this.#options.onWarning(
                `The document ${this.#name}/${file} could not be indexed.`,
                error,
              );
          });
      };
      await Promise.all(Array.from({ length: maxConcurrentReads }, takeNext));
      const isDeleted = (file: string) => !files.has(file) && !isWithin(unreadable, file);
      this.#endUnreadable(isDeleted);
      const deleted: string[] = [];
      for (const { document } of this.#entries.values()) {
        await this.#slicer.pause();
        const { id, file } = document;
        if (isDeleted(file) && this.#isAccepted(file, undefined)) deleted.push(id);
      }
      for (const some of batchesOf(deleted)) await this.#drop(...some);
    });
  }

  save() {
    return this.#inOrder.run(async () => {
      if (this.#isSaved || this.#isForgotten) return;
      this.#isSaved = true;
      try {
        await this.#engine.flush();
        await this.#snapshot.save();
      } catch (error) {
        this.#isSaved = false;
        throw error;
      }
    });
  }

  /** Removes the saved data of a deleted namespace. */
  forget() {
    return this.#inOrder.run(async () => {
      this.#isForgotten = true;
      this.#endUnreadable(() => true);
      this.#options.warnings.end('namespace_unreadable', this.#name);
      this.#options.warnings.end('messages_invalid', this.#name);
      this.#semantic?.removeAll();
      await this.#engine.drop();
      await this.#snapshot.files.drop();
    });
  }

  #savedEntry(documentId: string) {
    const entry = this.#entries.get(documentId);
    return entry && { ...entry, vectorKeys: this.#semantic?.keysOf(documentId) };
  }

  /** Updates the totals, because summing over all documents is slow. */
  #count(entry: Pick<IndexedDocument, 'document' | 'chunks'> | undefined, change: 1 | -1) {
    this.#bytes += change * (entry?.document.bytes ?? 0);
    this.#chunks += change * (entry?.chunks.length ?? 0);
  }

  #changed() {
    this.#isSaved = false;
    this.#options.onChange();
  }

  #isOld(file: string, stamp: FileStamp | undefined) {
    const known = this.#entries.get(documentIdOf(this.#name, file));
    return known?.stamp !== stamp || this.#incomplete.has(file) || this.#unreadable.has(file);
  }

  /** Ends warnings about files that are readable again or no longer exist. */
  #endUnreadable(isReadable: (file: string) => boolean) {
    for (const file of this.#unreadable) if (isReadable(file)) this.#unreadable.delete(file);
    if (this.#unreadable.size === 0) this.#options.warnings.end('document_unreadable', this.#name);
  }

  #isAccepted(file: string, revision: string | undefined) {
    return this.#options.accepts?.(this.#name, file, revision) ?? true;
  }

  async #take(file: string, version?: SourceVersion) {
    const id = documentIdOf(this.#name, file);
    const held = this.#incomplete.has(file) ? undefined : this.#entries.get(id)?.document.revision;
    const read = await this.#reading(file, () =>
      this.#options.readDocument(this.#name, file, held),
    );
    const known = this.#entries.get(id);
    if (!this.#isAccepted(file, read?.document.revision)) return known;
    if (!read) return this.#indexed.run(() => this.#drop(id));
    return this.#indexed.run(async () => {
      await this.#slicer.pause();
      const { document, titles, stamp, content } = read;
      const isSame = known?.document.revision === document.revision;
      if (content) {
        const { texts, about, terms, isDamaged } = content;
        if (isDamaged)
          this.#options.onWarning(
            `The document ${this.#name}/${file} has characters that cannot be read. Save it as UTF-8.`,
            undefined,
          );
        const { title, revision, textLanguage: language } = document;
        const indexed = { id, title, version: revision, language, terms };
        await this.#engine.upsert({ ...indexed, chunks: withAbout(about, texts) });
        this.#semantic?.upsert({ id, title, chunks: texts });
        this.#incomplete.delete(file);
      }
      const chunks = content?.chunks ?? known?.chunks ?? [];
      const entry = {
        document,
        chunks,
        stamp,
        titles,
        about: content?.about ?? known?.about,
        addedAt: known && ageOf(known),
        version: version ?? (isSame ? known.version : undefined),
      };
      this.#count(known, -1);
      this.#count(entry, 1);
      this.#entries.put(entry);
      this.#snapshot.files.change(id);
      this.#changed();
      if (!isSame) this.#options.onTextChange();
      return this.#entries.get(id);
    });
  }

  async #drop(...documentIds: string[]): Promise<undefined> {
    const held = documentIds.filter((id) => this.#entries.get(id));
    if (held.length === 0) return;
    for (const id of held) {
      this.#count(this.#entries.get(id), -1);
      this.#entries.remove(id);
      this.#semantic?.remove(id);
    }
    try {
      await this.#snapshot.files.erase(...held);
    } finally {
      // Otherwise searches would find documents that no longer exist.
      await this.#engine.remove(...held);
      this.#changed();
      this.#options.onTextChange();
    }
  }
}
