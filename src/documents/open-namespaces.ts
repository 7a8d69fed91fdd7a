/**
 * Registry of all namespaces. The most recently used ones are in memory; the others open on demand.
 * Their sizes are known from a catalogue on disk, unless their folders have changed.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { TimeSlicer } from '../../packages/shared/src/concurrency/time-slicer.ts';
import {
  allParts,
  readSnapshotFile,
  writeSnapshotFile,
} from '../../packages/shared/src/disk/snapshot-file.ts';
import type { Namespace } from './namespace.ts';

type NamespaceSize = Readonly<{
  documents: number;
  chunks: number;
  /** Total size of the stored files. */
  bytes: number;
}>;

/** Catalogue entry: `folders` maps each folder to its modification time in milliseconds. */
interface Recorded extends NamespaceSize {
  readonly folders: ReadonlyMap<string, number>;
}

interface Opened {
  readonly current: Promise<Namespace>;
  namespace?: Namespace;
}

type OpenNamespacesOptions = Readonly<{
  /** Maximum namespaces in memory. One that a caller uses stays longer. */
  maxOpen: number;
  cataloguePath: string;
  knowledgeDir: string;
  /** Opens a namespace from its snapshot. */
  load: (name: string) => Promise<Namespace>;
  /** Synchronizes a namespace with its folder and watches the folder. */
  follow: (name: string, namespace: Namespace) => Promise<void>;
  /** Called when the folder need not be watched. */
  onClosed: (name: string) => void;
  onUnsaved: (error: unknown) => void;
}>;

/**
 * Saves are delayed by three seconds and take at most a tenth of the time, so that a long ingest is
 * not saved after every document.
 */
const saveDelayMs = 3_000;
const saveShare = 0.1;
/** Longest wait for namespaces that are opening, when the server ends. */
const maxOpeningMs = 5_000;

const sizeOf = ({ size: documents, chunks, bytes }: Namespace) => ({
  documents,
  chunks,
  bytes,
});

export class OpenNamespaces {
  readonly #options;
  /** Catalogue entry by name; undefined if it is missing or outdated. */
  readonly #known = new Map<string, Recorded | undefined>();
  /** Least recently used first. */
  readonly #open = new Map<string, Opened>();
  /** Closed namespaces that callers may still use. Opening one again returns the same object. */
  readonly #closed = new Map<string, WeakRef<Namespace>>();
  #isRecorded = true;
  #saveTimer: NodeJS.Timeout | undefined;
  #lastSaveMs = 0;
  #isClosed = false;
  #isFailureReported = false;

  constructor(options: OpenNamespacesOptions) {
    this.#options = options;
  }

  /**
   * Reads the catalogue, unless all namespaces fit in memory: then each is opened. @param names
   * namespaces with a folder
   */
  async readCatalogue(names: ReadonlySet<string>) {
    const { maxOpen, cataloguePath } = this.#options;
    const read = Number.isFinite(maxOpen) ? await readSnapshotFile(cataloguePath, allParts) : [];
    const [recorded] = (read ?? []) as [ReadonlyMap<string, Recorded>?];
    const slicer = new TimeSlicer();
    for (const name of new Set([...(recorded?.keys() ?? []), ...names])) {
      const known = recorded?.get(name);
      if (names.has(name))
        this.#known.set(name, known && this.#isTrue(name, known) ? known : undefined);
      await slicer.pause();
    }
  }

  get size() {
    return this.#known.size;
  }

  /** Names, sorted by last use before the server started, most recent first. */
  names() {
    return [...this.#known.keys()];
  }

  has(name: string) {
    return this.#known.has(name);
  }

  current(name: string) {
    return this.#open.get(name)?.current;
  }

  /** Opens a namespace if it is not open; creates it if it is new. */
  use(name: string) {
    const opened = this.#enter(name);
    this.#open.delete(name);
    this.#open.set(name, opened);
    if (this.#open.size > this.#options.maxOpen) this.#closeLeastRecent(name);
    return opened.current;
  }

  /** Total size of all namespaces with a known size. */
  total(): NamespaceSize {
    const all = this.names().flatMap((name) => this.stock(name) ?? []);
    const sum = (of: keyof NamespaceSize) => all.reduce((total, one) => total + one[of], 0);
    return { documents: sum('documents'), chunks: sum('chunks'), bytes: sum('bytes') };
  }

  /** Opens namespaces of unknown size, as many as stay in memory. */
  async openUnrecorded() {
    for (const name of this.names())
      if (this.#known.get(name) === undefined && this.#open.size < this.#options.maxOpen)
        await this.use(name);
  }

  /**
   * Opens recently used namespaces and those of unknown size in the background. @param isOver
   * whether to stop
   */
  async prepare(isOver: () => boolean, onError: (error: unknown) => void) {
    for (const name of this.names()) {
      if (isOver()) return;
      const isFull = this.#open.size >= this.#options.maxOpen;
      if (
        this.#open.has(name) ||
        !this.#known.has(name) ||
        (isFull && this.#known.get(name) !== undefined)
      )
        continue;
      await this.#enter(name).current.catch(onError);
      if (isFull) this.#close(name);
    }
  }

  /** Schedules a save. If the namespace was closed but is still in use, opens it again. */
  changed(name: string) {
    if (!this.#open.has(name) && this.#closed.has(name))
      void this.use(name).catch(this.#options.onUnsaved);
    this.#scheduleSave();
  }

  /**
   * Removes a deleted namespace from the registry. @returns the namespace, whose saved data must be
   * removed
   */
  async forget(name: string) {
    if (!this.#known.has(name)) return undefined;
    const held = this.current(name) ?? this.#closed.get(name)?.deref();
    this.#known.delete(name);
    this.#open.delete(name);
    this.#closed.delete(name);
    this.#isRecorded = false;
    return held ?? this.#options.load(name);
  }

  async close() {
    this.#isClosed = true;
    clearTimeout(this.#saveTimer);
    // One that is still opening would write its index after the folders are given back.
    const opening = Promise.allSettled([...this.#open.values()].map(({ current }) => current));
    await Promise.race([opening, sleep(maxOpeningMs, undefined, { ref: false })]);
    for (const [name, closed] of this.#closed) {
      const namespace = closed.deref();
      if (namespace) await this.#save(name, namespace);
    }
    await this.#saveAll();
  }

  /** The catalogue entry of a closed namespace is outdated until its save ends. */
  stock(name: string): NamespaceSize | undefined {
    const held = this.#open.get(name)?.namespace ?? this.#closed.get(name)?.deref();
    return held ? sizeOf(held) : this.#known.get(name);
  }

  #scheduleSave() {
    if (this.#isClosed) return;
    const save = async () => {
      this.#saveTimer = undefined;
      const started = performance.now();
      await this.#saveAll();
      this.#lastSaveMs = performance.now() - started;
    };
    this.#saveTimer ??= setTimeout(
      save,
      Math.max(saveDelayMs, this.#lastSaveMs / saveShare),
    ).unref();
  }

  async #saveAll() {
    for (const [name, { namespace }] of [...this.#open])
      if (namespace) await this.#save(name, namespace);
    if (this.#isRecorded) return;
    this.#isRecorded = true;
    const names = new Set([...[...this.#open.keys()].reverse(), ...this.names()]);
    const recorded = new Map([...names].map((name) => [name, this.#known.get(name)]));
    try {
      await writeSnapshotFile(this.#options.cataloguePath, [recorded]);
      this.#isFailureReported = false;
    } catch (error) {
      this.#reportUnsaved(error);
    }
  }

  #reportUnsaved(error: unknown) {
    if (!this.#isFailureReported) this.#options.onUnsaved(error);
    this.#isFailureReported = true;
  }

  async #save(name: string, namespace: Namespace) {
    try {
      await namespace.save();
    } catch (error) {
      return this.#reportUnsaved(error);
    }
    if (!this.#known.has(name)) return;
    const stock = sizeOf(namespace);
    const before = this.#known.get(name);
    const folders = new Map(
      namespace.folders().map((folder) => [folder, this.#changedAt(name, folder)]),
    );
    if (
      before &&
      before.bytes === stock.bytes &&
      before.chunks === stock.chunks &&
      this.#isTrue(name, before)
    )
      return;
    this.#known.set(name, { ...stock, folders });
    this.#isRecorded = false;
  }

  #enter(name: string) {
    const open = this.#open.get(name);
    if (open) return open;
    const { load, follow } = this.#options;
    const closed = this.#closed.get(name)?.deref();
    this.#closed.delete(name);
    const loadAndFollow = async () => {
      const namespace = closed ?? (await load(name));
      await follow(name, namespace);
      opened.namespace = namespace;
      return namespace;
    };
    const opened: Opened = { current: loadAndFollow() };
    opened.current.catch(() => this.#open.delete(name));
    this.#open.set(name, opened);
    if (!this.#known.has(name)) this.#known.set(name, undefined);
    return opened;
  }

  #closeLeastRecent(except: string) {
    const [oldest] = this.#open
      .entries()
      .filter(([name, { namespace }]) => namespace && name !== except);
    if (oldest) this.#close(oldest[0]);
  }

  #close(name: string) {
    const namespace = this.#open.get(name)?.namespace;
    if (!namespace) return;
    this.#open.delete(name);
    this.#closed.set(name, new WeakRef(namespace));
    this.#options.onClosed(name);
    void this.#save(name, namespace).then(() => this.#scheduleSave());
  }

  #isTrue(name: string, { folders }: Recorded) {
    return [...folders].every(([folder, at]) => this.#changedAt(name, folder) === at);
  }

  /** Modification time of a folder in milliseconds; 0 if it is missing. */
  #changedAt(name: string, folder: string) {
    return (
      lstatSync(join(this.#options.knowledgeDir, name, folder), { throwIfNoEntry: false })
        ?.mtimeMs ?? 0
    );
  }
}
