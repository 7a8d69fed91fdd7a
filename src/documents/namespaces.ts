/**
 * Keeps all namespaces searchable and synchronized with the knowledge folder while people edit it.
 * Changes are indexed within two seconds: by file system events, otherwise by polling every second.
 */

import { mkdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withTightHeap } from '../../packages/shared/src/concurrency/tight-heap.ts';
import { LoopScheduler } from '../../packages/shared/src/concurrency/time-slicer.ts';
import { removeStrays } from '../../packages/shared/src/disk/snapshot-file.ts';
import { isDocumentName } from './document-store.ts';
import type { DocumentWrites } from './document-writes.ts';
import { FolderWatch } from './folder-watch.ts';
import { MessagesFile } from './messages-file.ts';
import { Namespace, type NamespaceOptions } from './namespace.ts';
import {
  auxiliaryFiles,
  isNamespaceName,
  messagesFileName,
  noSuchNamespace,
} from './namespace-name.ts';
import { createOpenNamespaces } from './open-namespaces.ts';

interface NamespacesOptions
  extends Omit<NamespaceOptions, 'onChange' | 'onTextChange' | 'scheduler'> {
  /** Absolute path. */
  readonly knowledgeDir: string;
  /** Maximum number of namespaces in memory. */
  readonly maxOpen: number;
  readonly writes: DocumentWrites;
}

/** Always exists, so that a new server can answer. */
const defaultNamespace = 'default';
/** Delay after an event, because one edit causes several events. */
const settleMs = 100;
/** If more files of a namespace changed than this, its whole folder is scanned. */
const maxEdits = 16;
/** Scan interval with events, because some may be lost. */
const safetyScanMs = 60_000;
/** Scan interval without events. */
const unwatchedScanMs = 1_000;
/** Maximum share of time that scans take, 0 to 1. */
const scanShare = 0.1;
/** Maximum time between a change and its event. */
const lateEventMs = 1_000;

/**
 * @param isWatched whether the system reports changes @param lastScanMs duration of the last scan
 * @returns milliseconds until the next scan
 */
export const scanDelay = (isWatched: boolean, lastScanMs: number): number =>
  Math.max(isWatched ? safetyScanMs : unwatchedScanMs, lastScanMs / scanShare);

export type Namespaces = ReturnType<typeof createNamespaces>;

export function createNamespaces(options: NamespacesOptions) {
  const { knowledgeDir, store, snapshotDir, writes, accepts, onWarning, warnings } = options;
  const scheduler = new LoopScheduler();
  const settling = new Map<string, NodeJS.Timeout>();
  /** The operator's messages for all namespaces. */
  const messages = new MessagesFile(store, '', warnings);
  let opening: Promise<void> | undefined;
  let scanTimer: NodeJS.Timeout | undefined;
  let lastScanMs = 0;
  /** Namespaces with an event since the last scan; `''`: the knowledge folder itself. */
  const reported = new Set<string>();
  /** Files with an event that has not settled yet. */
  const edited = new Map<string, Set<string>>();
  /** Namespaces with a changed text since the last scan began. */
  const changed = new Set<string>();
  /** Whether a scan found a change without an event. Network file systems may send none. */
  let losesEvents = false;
  /** Whether files of deleted namespaces may be left; unknown at the start. */
  let hasLeftovers = true;
  const followers: ((namespace: string) => void)[] = [];
  const textChanged = (name: string) => followers.forEach((follow) => void follow(name));
  const watch = new FolderWatch(onEvent);
  const all = createOpenNamespaces({
    maxOpen: options.maxOpen,
    cataloguePath: `${snapshotDir}.catalogue`,
    knowledgeDir,
    load,
    follow: syncAndWatch,
    onClosed: (name) => void watch.setFolders(name, []),
    onUnsaved: (error) =>
      onWarning('The index could not be saved. A restart will rebuild it.', error),
  });

  /**
   * Reads the folder. Afterwards each namespace is searchable or opens on demand. Later calls
   * return the same promise.
   */
  function open(): Promise<void> {
    opening ??= openAll();
    return opening;
  }

  /** Like `get`, but returns undefined if the namespace is missing. */
  async function find(name: string) {
    await open();
    // The event for a new folder may not have arrived yet.
    const exists = all.has(name) || (isNamespaceName(name) && (await store.hasNamespace(name)));
    return exists ? all.use(name) : undefined;
  }

  /** Removes this server's data of a deleted namespace. */
  async function drop(name: string) {
    // Stops watching first, because each removed file would cause an event.
    await watch.setFolders(name, []);
    try {
      await store.removeNamespace(name, reportLeftovers);
    } finally {
      // Runs also after a failed removal, because the folder may already be renamed.
      if (await store.hasNamespace(name)) await reconcile(name);
      else await forget(name);
    }
    if (name === defaultNamespace) await reconcile(name);
  }

  async function openAll() {
    await mkdir(knowledgeDir, { recursive: true });
    await removeLeftovers();
    const kept = new Set([defaultNamespace, ...(await store.listNamespaces())]);
    await removeStrays(snapshotDir, kept);
    await options.engine.retain(kept);
    await all.readCatalogue(kept);
    await watch.setFolders('', [knowledgeDir]);
    await messages.refresh();
    await all.openUnrecorded();
    reportWatching();
    scheduleScan();
    // Runs in the background; callers do not wait for it.
    setImmediate(() => void prepare());
  }

  async function prepare() {
    const onError = (error: unknown) =>
      onWarning('A namespace could not be opened. The next request for it tries again.', error);
    await withTightHeap(() => all.prepare(() => opening === undefined, onError));
  }

  function reportLeftovers(error: unknown) {
    hasLeftovers = true;
    warnings.begin('removal_unfinished', '', error);
  }

  async function removeLeftovers() {
    if (!hasLeftovers) return;
    hasLeftovers = false;
    await store.removeLeftoverNamespaces(reportLeftovers);
    if (!hasLeftovers) warnings.end('removal_unfinished');
  }

  async function load(name: string): Promise<Namespace> {
    const onTextChange = () => {
      changed.add(name);
      textChanged(name);
    };
    const onChange = () => all.changed(name);
    return Namespace.open(name, { ...options, scheduler, onChange, onTextChange });
  }

  async function forget(name: string) {
    const namespace = await all.forget(name);
    await watch.setFolders(name, []);
    await namespace?.forget();
    textChanged(name);
  }

  /** Synchronizes a namespace with its folder, which may be new or deleted. */
  async function reconcile(name: string) {
    if (name !== defaultNamespace && !(await store.hasNamespace(name))) return forgetMissing(name);
    const current = all.current(name);
    if (current) await syncAndWatch(name, await current);
    else await all.use(name);
  }

  /** Scans again after each new watch, because earlier changes in that folder caused no events. */
  async function syncAndWatch(name: string, namespace: Namespace) {
    const watchFolders = async () => {
      const folders = namespace.folders().map((folder) => join(knowledgeDir, name, folder));
      return opening !== undefined && (await watch.setFolders(name, folders));
    };
    // Watches before the first scan, so that one scan is enough if there are no subfolders.
    await watchFolders();
    do await namespace.reconcile();
    while (await watchFolders());
  }

  async function forgetMissing(name: string) {
    if (!all.has(name) || !(await mayForget(name))) return;
    // An ingest may have created the folder since the first check.
    if (!(await store.hasNamespace(name))) await forget(name);
  }

  /**
   * Whether the database contains no document of the namespace; if it does, their deleted files
   * must be restored.
   */
  async function mayForget(name: string) {
    if (!accepts) return true;
    const documents = [...(await all.use(name)).documents()];
    return documents.every(({ document }) => accepts(name, document.file, undefined));
  }

  async function reconcileAll() {
    if (opening !== undefined) await watch.setFolders('', [knowledgeDir]);
    const present = new Set([defaultNamespace, ...(await store.listNamespaces())]);
    await messages.refresh();
    // Closed namespaces are synchronized when they are opened.
    for (const name of present) if (all.current(name) || !all.has(name)) await reconcile(name);
    for (const name of all.names()) if (!present.has(name)) await forgetMissing(name);
  }

  /** Handles an event in the knowledge folder itself. @param name of the changed entry */
  async function followEntry(name: string) {
    if (name === messagesFileName) await messages.refresh();
    else if (isNamespaceName(name)) await reconcile(name);
    // `listNamespaces` reports folders with invalid names.
    else await store.listNamespaces();
  }

  function onEvent(folder: string, name: string | undefined) {
    if (name?.startsWith('.') && !auxiliaryFiles.includes(name)) return;
    const [namespace = '', ...below] = folder.slice(knowledgeDir.length + 1).split(sep);
    reported.add(namespace === '' ? (name ?? '') : namespace);
    if (namespace === '' && name === undefined) settle('', reconcileAll);
    else if (namespace === '' && name !== undefined) settle(`/${name}`, () => followEntry(name));
    else if (name !== undefined && isDocumentName(name)) {
      const files = edited.get(namespace) ?? new Set();
      edited.set(namespace, files.add([...below, name].join('/')));
      settle(`${namespace}/`, () => followEdits(namespace));
    } else settle(namespace, () => reconcile(namespace));
  }

  async function followEdits(name: string) {
    const files = edited.get(name) ?? new Set();
    edited.delete(name);
    const namespace = await all.current(name);
    if (!namespace) return;
    // For many files a scan is cheaper: it writes each file of the index once.
    if (files.size > maxEdits) await reconcile(name);
    else for (const file of files) await namespace.refresh(file).catch(reportUnindexed);
  }

  const reportUnindexed = (error: unknown): void =>
    onWarning('A change in the knowledge folder could not be indexed.', error);

  /** Runs `work` once, shortly after the first event about `key`. */
  function settle(key: string, work: () => Promise<unknown>) {
    // Later events do not extend the delay, because a file may be written constantly.
    if (settling.has(key)) return;
    const run = () => {
      settling.delete(key);
      work().catch(reportUnindexed);
    };
    settling.set(key, setTimeout(run, settleMs).unref());
  }

  const isWatched = () => watch.isComplete && !losesEvents;

  async function scan() {
    const started = performance.now();
    await removeLeftovers();
    await reconcileAll();
    lastScanMs = performance.now() - started;
    reportWatching();
  }

  function reportWatching() {
    if (isWatched()) warnings.end('watching_degraded');
    else warnings.begin('watching_degraded');
  }

  /** Checks that all changes found by the last scan also caused events. */
  function checkEvents() {
    const isReported = (name: string) => reported.has(name) || reported.has('');
    if (![...changed].every(isReported)) losesEvents = true;
    reported.clear();
    reportWatching();
  }

  function scheduleScan(): void {
    const scanAndCheck = async () => {
      changed.clear();
      await scan();
      if (!isWatched() || changed.size === 0) return reported.clear();
      await sleep(lateEventMs, undefined, { ref: false });
      checkEvents();
    };
    const run = () => {
      scanAndCheck()
        .catch((error: unknown) => onWarning('The knowledge folder could not be read.', error))
        .finally(() => opening && scheduleScan());
    };
    scanTimer = setTimeout(run, scanDelay(isWatched(), lastScanMs)).unref();
  }

  return {
    open,
    find,
    drop,
    /** Size of a namespace, if known. Opens nothing, because callers list thousands. */
    stock: all.stock,
    /** Total size of all namespaces with a known size. */
    total: all.total,
    /** Reads the messages for all namespaces if their file has changed. */
    refreshMessages: () => messages.refresh(),

    /** Waits until the namespaces are open. @throws KnowledgeError `namespace_not_found` */
    async get(name: string) {
      const namespace = await find(name);
      if (!namespace) throw noSuchNamespace(name);
      return namespace;
    },

    /** The operator's messages: for the namespace, then for all namespaces. */
    async messagesOf(name: string) {
      const namespace = await find(name);
      return [namespace?.messages, messages.current].filter((own) => own !== undefined);
    },

    async names() {
      await open();
      return all.names().sort();
    },

    /** Number of namespaces after these were added. Requires `open`. */
    countWith: (names: readonly string[]) => new Set([...all.names(), ...names]).size,

    /** Like `get`, but creates a missing namespace. */
    async getOrCreate(name: string) {
      await open();
      return all.use(name);
    },

    /** Duration of the last scan of the knowledge folder, in milliseconds; 0 before the first. */
    get lastScanMs() {
      return lastScanMs;
    },

    /**
     * @param onTextChange called after a text of the namespace changed, and after the namespace was
     * deleted
     */
    follow(onTextChange: (namespace: string) => void) {
      followers.push(onTextChange);
    },

    /** Removes a namespace with its folder and all derived data. */
    async remove(name: string) {
      await open();
      await writes.remove(name, () => drop(name));
    },

    /** Stops watching the folder and saves the snapshots. */
    async close() {
      await opening?.catch(() => undefined);
      opening = undefined;
      watch.close();
      for (const timer of [scanTimer, ...settling.values()]) clearTimeout(timer);
      await all.close();
    },
  };
}
