/**
 * All namespaces, searchable, and kept equal to the knowledge folder while people edit it. The folder is the truth; what is in memory
 * and in `INDEX_DIR` follows within two seconds: at once where the system tells of changes, by looking every second where not.
 */
import { mkdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { KnowledgeError } from '../errors.ts';
import { removeStrayFiles } from './index/snapshot-file.ts';
import { reclaimMemory } from './reclaim.ts';
import { openShelf, type Shelf, type ShelfOptions } from './shelf.ts';
import { isDocumentName } from './store/document-store.ts';
import { watchFolders } from './store/folder-watch.ts';
import type { WriteLocks } from './write-locks.ts';

export interface Library {
  /** Reads the folder; everything is searchable afterwards. Later calls return the same promise. */
  open(): Promise<void>;
  isOpen(): boolean;
  /** Waits until the library is open. @throws KnowledgeError `namespace_not_found` */
  shelf(namespace: string): Promise<Shelf>;
  /** The same, undefined where there is none. */
  findShelf(namespace: string): Promise<Shelf | undefined>;
  /** Names of the namespaces that there are, in alphabetical order. */
  namespaces(): Promise<string[]>;
  /** Like `shelf`, for a namespace that may have come into being this moment. */
  newShelf(namespace: string): Promise<Shelf>;
  /** Removes a namespace with its folder and all that is derived from it. */
  remove(namespace: string): Promise<void>;
  /** Stops following the folder and puts the snapshots away. */
  close(): Promise<void>;
}

export interface LibraryOptions extends Omit<ShelfOptions, 'onChange'> {
  /** Absolute. */
  readonly knowledgeDir: string;
  readonly locks: WriteLocks;
}

/** Always exists, so that a fresh server has somewhere to answer from. */
const defaultNamespace = 'default';
/** Several events come with one edit; what they are about is read once they have settled. */
const settleMs = 100;
/** A long ingest is put away now and then, not after every document: at most every three seconds, and for a tenth of the time. */
const saveDelayMs = 3_000;
const saveShare = 0.1;
/** In case an event was lost. */
const safetyScanMs = 60_000;
/** Reading so many leaves so much behind that the pause to clean up is worth it. */
const manyDocuments = 1_000;
const reclaimDelayMs = 500;
/** Where the system gives no events. */
const unwatchedScanMs = 1_000;

export function createLibrary(options: LibraryOptions): Library {
  const { store, knowledgeDir, locks, onWarning } = options;
  const shelves = new Map<string, Promise<Shelf>>();
  const settling = new Map<string, NodeJS.Timeout>();
  let opening: Promise<void> | undefined;
  let isOpen = false;
  let saveTimer: NodeJS.Timeout | undefined;
  let scanTimer: NodeJS.Timeout | undefined;
  let reclaimTimer: NodeJS.Timeout | undefined;
  let lastSaveMs = 0;

  function saveLater(): void {
    saveTimer ??= setTimeout(
      () => {
        saveTimer = undefined;
        void saveAll();
      },
      Math.max(saveDelayMs, lastSaveMs / saveShare),
    ).unref();
  }

  async function saveAll(): Promise<void> {
    const started = performance.now();
    for (const shelf of shelves.values()) {
      await (await shelf)
        .save()
        .catch((error: unknown) => onWarning('The index could not be saved; a restart will build it again.', error));
    }
    lastSaveMs = performance.now() - started;
  }

  function openOnce(namespace: string): Promise<Shelf> {
    let shelf = shelves.get(namespace);
    if (!shelf) {
      shelf = openShelf(namespace, { ...options, onChange: saveLater });
      shelves.set(namespace, shelf);
      shelf.catch(() => shelves.delete(namespace));
    }
    return shelf;
  }

  async function reconcileAll(): Promise<void> {
    const present = new Set([defaultNamespace, ...(await store.listNamespaces())]);
    for (const namespace of present) await (await openOnce(namespace)).reconcile();
    for (const [namespace, shelf] of shelves) {
      // An ingest may have made its folder since the first look.
      if (present.has(namespace) || (await store.listNamespaces()).includes(namespace)) continue;
      shelves.delete(namespace);
      await (await shelf).forget();
    }
    if (await watchAll()) await reconcileAll();
  }

  async function reconcileOne(namespace: string): Promise<void> {
    await (await shelves.get(namespace))?.reconcile();
    if (await watchAll()) await reconcileOne(namespace);
  }

  /** Whether a folder is watched now that was not before: what happened in it meanwhile has been seen by nobody. */
  async function watchAll(): Promise<boolean> {
    const folders = [knowledgeDir];
    for (const [namespace, shelf] of shelves) {
      for (const folder of (await shelf).folders()) folders.push(join(knowledgeDir, namespace, folder));
    }
    return opening !== undefined && (await watch.setFolders(folders));
  }

  /** Runs `work` once the events about `key` have settled. */
  function settle(key: string, work: () => Promise<unknown>): void {
    // Not put off by further events: a file that is written all the time is followed all the same.
    if (settling.has(key)) return;
    const run = () => {
      settling.delete(key);
      work().catch((error: unknown) => onWarning('A change in the knowledge folder could not be followed.', error));
    };
    settling.set(key, setTimeout(run, settleMs).unref());
  }

  const watch = watchFolders((folder, name) => {
    if (name?.startsWith('.')) return;
    const [namespace = '', ...below] = folder.slice(knowledgeDir.length + 1).split(sep);
    if (namespace === '') settle('', reconcileAll);
    else if (name !== undefined && isDocumentName(name)) {
      const file = [...below, name].join('/');
      settle(`${namespace}/${file}`, async () => (await shelves.get(namespace))?.refresh(file));
    } else settle(namespace, () => reconcileOne(namespace));
  });

  function scanLater(): void {
    const run = () => {
      reconcileAll()
        .catch((error: unknown) => onWarning('The knowledge folder could not be read.', error))
        .finally(() => opening && scanLater());
    };
    scanTimer = setTimeout(run, watch.isComplete() ? safetyScanMs : unwatchedScanMs).unref();
  }

  async function open(): Promise<void> {
    await mkdir(knowledgeDir, { recursive: true });
    const namespaces = await store.listNamespaces();
    for (const namespace of namespaces) await store.removeLeftovers(namespace);
    await removeStrayFiles(options.snapshotDir, new Set([defaultNamespace, ...namespaces]));
    await reconcileAll();
    let documents = 0;
    for (const shelf of shelves.values()) documents += (await shelf).size;
    // A moment later, so that who waits for the documents does not wait for it.
    if (documents >= manyDocuments) reclaimTimer = setTimeout(reclaimMemory, reclaimDelayMs).unref();
    isOpen = true;
    scanLater();
  }

  return {
    open() {
      opening ??= open();
      return opening;
    },
    isOpen: () => isOpen,

    async shelf(namespace) {
      const shelf = await this.findShelf(namespace);
      if (!shelf) throw new KnowledgeError('namespace_not_found', `There is no namespace "${namespace}".`);
      return shelf;
    },

    async findShelf(namespace) {
      await this.open();
      return shelves.get(namespace);
    },

    async namespaces() {
      await this.open();
      return [...shelves.keys()].sort();
    },

    async newShelf(namespace) {
      await this.open();
      const isNew = !shelves.has(namespace);
      const shelf = await openOnce(namespace);
      if (isNew) await watchAll();
      return shelf;
    },

    async remove(namespace) {
      await this.open();
      await locks.remove(namespace, async () => {
        await store.removeNamespace(namespace);
        const shelf = await shelves.get(namespace);
        shelves.delete(namespace);
        await shelf?.forget();
      });
      await reconcileAll();
    },

    async close() {
      await opening?.catch(() => undefined);
      opening = undefined;
      isOpen = false;
      watch.close();
      clearTimeout(saveTimer);
      clearTimeout(scanTimer);
      clearTimeout(reclaimTimer);
      for (const timer of settling.values()) clearTimeout(timer);
      await saveAll();
    },
  };
}
