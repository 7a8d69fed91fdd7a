/**
 * The namespaces that there are. Those used last are in memory; of the others it is known how much they hold, and they are opened when
 * they are asked for. What they hold is also known after a restart, unless a folder of theirs has changed meanwhile.
 */
import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { createTimeSlicer } from '../concurrency/time-slicer.ts';
import { allParts, readSnapshotFile, writeSnapshotFile } from '../disk/snapshot-file.ts';
import type { Namespace } from './namespace.ts';

/** How much a namespace holds. `bytes` of the stored files. */
export interface Holding {
  readonly documents: number;
  readonly chunks: number;
  readonly bytes: number;
}

/** With its folders, and when something last came into each of them or left it. */
interface Recorded extends Holding {
  readonly folders: ReadonlyMap<string, number>;
}

interface Opened {
  readonly current: Promise<Namespace>;
  /** Once it is open. */
  namespace?: Namespace;
}

export interface OpenNamespacesOptions {
  /** Most that are kept in memory. One that is at work stays there for as long. */
  readonly maxOpen: number;
  readonly cataloguePath: string;
  readonly knowledgeDir: string;
  /** Reads what was put away of a namespace. */
  readonly load: (name: string) => Promise<Namespace>;
  /** Brings one in line with its folder, and follows that from then on. */
  readonly follow: (name: string, namespace: Namespace) => Promise<void>;
  /** Its folder need not be followed. */
  readonly onClosed: (name: string) => void;
  readonly onUnsaved: (error: unknown) => void;
}

/** A long ingest is put away now and then, not after every document: at most every three seconds, and for a tenth of the time. */
const saveDelayMs = 3_000;
const saveShare = 0.1;

const holdingOf = ({ size: documents, chunks, bytes }: Namespace): Holding => ({ documents, chunks, bytes });

export class OpenNamespaces {
  readonly #options: OpenNamespacesOptions;
  /** What is on record of each; undefined where nothing is that is still true. */
  readonly #known = new Map<string, Recorded | undefined>();
  /** Used last comes last. */
  readonly #open = new Map<string, Opened>();
  /** Whoever still works with one that was closed, and whoever opens it again, have the same. */
  readonly #closed = new Map<string, WeakRef<Namespace>>();
  #isRecorded = true;
  #saveTimer: NodeJS.Timeout | undefined;
  #lastSaveMs = 0;
  #isClosed = false;
  /** Whether it was told that the last save failed. */
  #isTold = false;

  constructor(options: OpenNamespacesOptions) {
    this.#options = options;
  }

  /** @param names of those that have a folder. If all stay in memory, nothing is taken from the catalogue, so that each is opened */
  async readCatalogue(names: ReadonlySet<string>): Promise<void> {
    const { maxOpen, cataloguePath } = this.#options;
    const read = Number.isFinite(maxOpen) ? await readSnapshotFile(cataloguePath, allParts) : [];
    const [recorded] = (read ?? []) as [ReadonlyMap<string, Recorded>?];
    const pause = createTimeSlicer();
    for (const name of new Set([...(recorded?.keys() ?? []), ...names])) {
      const known = recorded?.get(name);
      if (names.has(name)) this.#known.set(name, known && this.#isTrue(name, known) ? known : undefined);
      await pause();
    }
  }

  get size(): number {
    return this.#known.size;
  }

  /** Those used last before the start come first. */
  names(): string[] {
    return [...this.#known.keys()];
  }

  has(name: string): boolean {
    return this.#known.has(name);
  }

  /** One that is in memory. */
  current(name: string): Promise<Namespace> | undefined {
    return this.#open.get(name)?.current;
  }

  /** Of those in memory. */
  openNames(): string[] {
    return [...this.#open.keys()];
  }

  /** Opens a namespace if need be; a new one, too. */
  use(name: string): Promise<Namespace> {
    const opened = this.#enter(name);
    this.#open.delete(name);
    this.#open.set(name, opened);
    if (this.#open.size > this.#options.maxOpen) this.#closeOne(name);
    return opened.current;
  }

  /** How much a namespace holds; one is opened if that is not on record. */
  async stock(name: string): Promise<Holding> {
    const recorded = this.#open.get(name)?.namespace ? undefined : this.#known.get(name);
    return recorded ?? holdingOf(await this.use(name));
  }

  /** How much all hold, without those of which nothing is on record yet. */
  total(): Holding {
    const all = this.names().flatMap((name) => {
      const open = this.#open.get(name)?.namespace;
      return open ? holdingOf(open) : (this.#known.get(name) ?? []);
    });
    const sum = (of: keyof Holding) => all.reduce((total, one) => total + one[of], 0);
    return { documents: sum('documents'), chunks: sum('chunks'), bytes: sum('bytes') };
  }

  /** Opens those of which nothing is on record, as many as stay in memory. */
  async openUnrecorded(): Promise<void> {
    for (const name of this.names())
      if (this.#known.get(name) === undefined && this.#open.size < this.#options.maxOpen) await this.use(name);
  }

  /** Opens those used last, and each of which nothing is on record, while nobody waits for them. @param isOver asked between two */
  async prepare(isOver: () => boolean, onError: (error: unknown) => void): Promise<void> {
    for (const name of this.names()) {
      if (isOver()) return;
      const isFull = this.#open.size >= this.#options.maxOpen;
      if (this.#open.has(name) || !this.#known.has(name) || (isFull && this.#known.get(name) !== undefined)) continue;
      await this.#enter(name).current.catch(onError);
      if (isFull) this.#close(name);
    }
  }

  /** A namespace has changed. One that was closed meanwhile, by those who still work with it, is followed again. */
  changed(name: string): void {
    if (!this.#open.has(name) && this.#closed.has(name)) void this.use(name).catch(this.#options.onUnsaved);
    this.#saveLater();
  }

  /** Takes a namespace that is deleted out of the list. @returns it, so that what was put away of it can be removed */
  async forget(name: string): Promise<Namespace | undefined> {
    if (!this.#known.has(name)) return undefined;
    const held = this.current(name) ?? this.#closed.get(name)?.deref();
    this.#known.delete(name);
    this.#open.delete(name);
    this.#closed.delete(name);
    this.#isRecorded = false;
    return held ?? this.#options.load(name);
  }

  /** Puts away what has changed, for the last time. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#saveTimer);
    for (const [name, closed] of this.#closed) {
      const namespace = closed.deref();
      if (namespace) await this.#save(name, namespace);
    }
    await this.#saveAll();
  }

  #saveLater(): void {
    if (this.#isClosed) return;
    const save = async () => {
      this.#saveTimer = undefined;
      const started = performance.now();
      await this.#saveAll();
      this.#lastSaveMs = performance.now() - started;
    };
    this.#saveTimer ??= setTimeout(save, Math.max(saveDelayMs, this.#lastSaveMs / saveShare)).unref();
  }

  async #saveAll(): Promise<void> {
    for (const [name, { namespace }] of [...this.#open]) if (namespace) await this.#save(name, namespace);
    if (this.#isRecorded) return;
    this.#isRecorded = true;
    const names = new Set([...this.openNames().reverse(), ...this.names()]);
    const recorded = new Map([...names].map((name) => [name, this.#known.get(name)]));
    try {
      await writeSnapshotFile(this.#options.cataloguePath, [recorded]);
      this.#isTold = false;
    } catch (error) {
      this.#tell(error);
    }
  }

  #tell(error: unknown): void {
    if (!this.#isTold) this.#options.onUnsaved(error);
    this.#isTold = true;
  }

  async #save(name: string, namespace: Namespace): Promise<void> {
    try {
      await namespace.save();
    } catch (error) {
      return this.#tell(error);
    }
    if (!this.#known.has(name)) return;
    const stock = holdingOf(namespace);
    const before = this.#known.get(name);
    const folders = new Map(namespace.folders().map((folder) => [folder, this.#changedAt(name, folder)]));
    if (before && before.bytes === stock.bytes && before.chunks === stock.chunks && this.#isTrue(name, before)) return;
    this.#known.set(name, { ...stock, folders });
    this.#isRecorded = false;
  }

  #enter(name: string): Opened {
    const open = this.#open.get(name);
    if (open) return open;
    const { load, follow } = this.#options;
    const closed = this.#closed.get(name)?.deref();
    this.#closed.delete(name);
    const bring = async () => {
      const namespace = closed ?? (await load(name));
      await follow(name, namespace);
      opened.namespace = namespace;
      return namespace;
    };
    const opened: Opened = { current: bring() };
    opened.current.catch(() => this.#open.delete(name));
    this.#open.set(name, opened);
    if (!this.#known.has(name)) this.#known.set(name, undefined);
    return opened;
  }

  /** The one that was used longest ago. @param except is just being used */
  #closeOne(except: string): void {
    const [oldest] = this.#open.entries().filter(([name, { namespace }]) => namespace && name !== except);
    if (oldest) this.#close(oldest[0]);
  }

  #close(name: string): void {
    const namespace = this.#open.get(name)?.namespace;
    if (!namespace) return;
    this.#open.delete(name);
    this.#closed.set(name, new WeakRef(namespace));
    this.#options.onClosed(name);
    void this.#save(name, namespace).then(() => this.#saveLater());
  }

  #isTrue(name: string, { folders }: Recorded): boolean {
    return [...folders].every(([folder, at]) => this.#changedAt(name, folder) === at);
  }

  /** When something last came into a folder or left it, in milliseconds; 0 where there is none. */
  #changedAt(name: string, folder: string): number {
    return lstatSync(join(this.#options.knowledgeDir, name, folder), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  }
}
