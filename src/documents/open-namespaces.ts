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

export type NamespaceSize = Readonly<{
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

export function createOpenNamespaces({
  maxOpen,
  cataloguePath,
  knowledgeDir,
  load,
  follow,
  onClosed,
  onUnsaved,
}: OpenNamespacesOptions) {
  /** Catalogue entry by name; undefined if it is missing or outdated. */
  const catalogue = new Map<string, Recorded | undefined>();
  /** Least recently used first. */
  const openByName = new Map<string, Opened>();
  /** Closed namespaces that callers may still use. Opening one again returns the same object. */
  const closedByName = new Map<string, WeakRef<Namespace>>();
  let isRecorded = true;
  let saveTimer: NodeJS.Timeout | undefined;
  let lastSaveMs = 0;
  let isClosed = false;
  let isFailureReported = false;

  /** Names, sorted by last use before the server started, most recent first. */
  const names = () => [...catalogue.keys()];

  const current = (name: string) => openByName.get(name)?.current;

  /** Opens a namespace if it is not open; creates it if it is new. */
  function use(name: string) {
    const opened = enter(name);
    openByName.delete(name);
    openByName.set(name, opened);
    if (openByName.size > maxOpen) closeLeastRecent(name);
    return opened.current;
  }

  /** The catalogue entry of a closed namespace is outdated until its save ends. */
  function stock(name: string): NamespaceSize | undefined {
    const held = openByName.get(name)?.namespace ?? closedByName.get(name)?.deref();
    return held ? sizeOf(held) : catalogue.get(name);
  }

  function scheduleSave() {
    if (isClosed) return;
    const saveNow = async () => {
      saveTimer = undefined;
      const started = performance.now();
      await saveAll();
      lastSaveMs = performance.now() - started;
    };
    saveTimer ??= setTimeout(saveNow, Math.max(saveDelayMs, lastSaveMs / saveShare)).unref();
  }

  async function saveAll() {
    for (const [name, { namespace }] of [...openByName]) if (namespace) await save(name, namespace);
    if (isRecorded) return;
    isRecorded = true;
    const all = new Set([...[...openByName.keys()].reverse(), ...names()]);
    const recorded = new Map([...all].map((name) => [name, catalogue.get(name)]));
    try {
      await writeSnapshotFile(cataloguePath, [recorded]);
      isFailureReported = false;
    } catch (error) {
      reportUnsaved(error);
    }
  }

  function reportUnsaved(error: unknown) {
    if (!isFailureReported) onUnsaved(error);
    isFailureReported = true;
  }

  async function save(name: string, namespace: Namespace) {
    try {
      await namespace.save();
    } catch (error) {
      return reportUnsaved(error);
    }
    if (!catalogue.has(name)) return;
    const size = sizeOf(namespace);
    const before = catalogue.get(name);
    const folders = new Map(namespace.folders().map((folder) => [folder, changedAt(name, folder)]));
    if (
      before &&
      before.bytes === size.bytes &&
      before.chunks === size.chunks &&
      isTrue(name, before)
    )
      return;
    catalogue.set(name, { ...size, folders });
    isRecorded = false;
  }

  function enter(name: string): Opened {
    const known = openByName.get(name);
    if (known) return known;
    const closed = closedByName.get(name)?.deref();
    closedByName.delete(name);
    const loadAndFollow = async () => {
      const namespace = closed ?? (await load(name));
      await follow(name, namespace);
      opened.namespace = namespace;
      return namespace;
    };
    const opened: Opened = { current: loadAndFollow() };
    opened.current.catch(() => openByName.delete(name));
    openByName.set(name, opened);
    if (!catalogue.has(name)) catalogue.set(name, undefined);
    return opened;
  }

  function closeLeastRecent(except: string) {
    const [oldest] = openByName
      .entries()
      .filter(([name, { namespace }]) => namespace && name !== except);
    if (oldest) close(oldest[0]);
  }

  function close(name: string) {
    const namespace = openByName.get(name)?.namespace;
    if (!namespace) return;
    openByName.delete(name);
    closedByName.set(name, new WeakRef(namespace));
    onClosed(name);
    void save(name, namespace).then(scheduleSave);
  }

  const isTrue = (name: string, { folders }: Recorded) =>
    [...folders].every(([folder, at]) => changedAt(name, folder) === at);

  /** Modification time of a folder in milliseconds; 0 if it is missing. */
  const changedAt = (name: string, folder: string) =>
    lstatSync(join(knowledgeDir, name, folder), { throwIfNoEntry: false })?.mtimeMs ?? 0;

  return {
    names,
    current,
    use,
    stock,
    has: (name: string) => catalogue.has(name),

    /**
     * Reads the catalogue, unless all namespaces fit in memory: then each is opened. @param present
     * namespaces with a folder
     */
    async readCatalogue(present: ReadonlySet<string>) {
      const read = Number.isFinite(maxOpen) ? await readSnapshotFile(cataloguePath, allParts) : [];
      const [recorded] = (read ?? []) as [ReadonlyMap<string, Recorded>?];
      const slicer = new TimeSlicer();
      for (const name of new Set([...(recorded?.keys() ?? []), ...present])) {
        const known = recorded?.get(name);
        if (present.has(name))
          catalogue.set(name, known && isTrue(name, known) ? known : undefined);
        await slicer.pause();
      }
    },

    /** Total size of all namespaces with a known size. */
    total(): NamespaceSize {
      const all = names().flatMap((name) => stock(name) ?? []);
      const sum = (of: keyof NamespaceSize) => all.reduce((total, one) => total + one[of], 0);
      return { documents: sum('documents'), chunks: sum('chunks'), bytes: sum('bytes') };
    },

    /** Opens namespaces of unknown size, as many as stay in memory. */
    async openUnrecorded() {
      for (const name of names())
        if (catalogue.get(name) === undefined && openByName.size < maxOpen) await use(name);
    },

    /**
     * Opens recently used namespaces and those of unknown size in the background. @param isOver
     * whether to stop
     */
    async prepare(isOver: () => boolean, onError: (error: unknown) => void) {
      for (const name of names()) {
        if (isOver()) return;
        const isFull = openByName.size >= maxOpen;
        if (
          openByName.has(name) ||
          !catalogue.has(name) ||
          (isFull && catalogue.get(name) !== undefined)
        )
          continue;
        await enter(name).current.catch(onError);
        if (isFull) close(name);
      }
    },

    /** Schedules a save. If the namespace was closed but is still in use, opens it again. */
    changed(name: string) {
      if (!openByName.has(name) && closedByName.has(name)) void use(name).catch(onUnsaved);
      scheduleSave();
    },

    /**
     * Removes a deleted namespace from the registry. @returns the namespace, whose saved data must
     * be removed
     */
    async forget(name: string) {
      if (!catalogue.has(name)) return undefined;
      const held = current(name) ?? closedByName.get(name)?.deref();
      catalogue.delete(name);
      openByName.delete(name);
      closedByName.delete(name);
      isRecorded = false;
      return held ?? load(name);
    },

    async close() {
      isClosed = true;
      clearTimeout(saveTimer);
      // One that is still opening would write its index after the folders are given back.
      const opening = Promise.allSettled([...openByName.values()].map((one) => one.current));
      await Promise.race([opening, sleep(maxOpeningMs, undefined, { ref: false })]);
      for (const [name, closed] of closedByName) {
        const namespace = closed.deref();
        if (namespace) await save(name, namespace);
      }
      await saveAll();
    },
  };
}
