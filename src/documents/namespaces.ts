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
import { OpenNamespaces } from './open-namespaces.ts';

type NamespacesOptions = Omit<NamespaceOptions, 'onChange' | 'onTextChange' | 'scheduler'> &
  Readonly<{
    /** Absolute path. */
    knowledgeDir: string;
    /** Maximum number of namespaces in memory. */
    maxOpen: number;
    writes: DocumentWrites;
  }>;

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
export const scanDelay = (isWatched: boolean, lastScanMs: number) =>
  Math.max(isWatched ? safetyScanMs : unwatchedScanMs, lastScanMs / scanShare);

export class Namespaces {
  readonly #options;
  readonly #scheduler = new LoopScheduler();
  readonly #all: OpenNamespaces;
  readonly #settling = new Map<string, NodeJS.Timeout>();
  readonly #watch: FolderWatch;
  /** The operator's messages for all namespaces. */
  readonly #messages;
  #opening: Promise<void> | undefined;
  #scanTimer: NodeJS.Timeout | undefined;
  #lastScanMs = 0;
  /** Namespaces with an event since the last scan; `''`: the knowledge folder itself. */
  readonly #reported = new Set<string>();
  /** Files with an event that has not settled yet. */
  readonly #edited = new Map<string, Set<string>>();
  /** Namespaces with a changed text since the last scan began. */
  readonly #changed = new Set<string>();
  /** Whether a scan found a change without an event. Network file systems may send none. */
  #losesEvents = false;
  /** Whether files of deleted namespaces may be left; unknown at the start. */
  #hasLeftovers = true;
  readonly #followers: ((namespace: string) => void)[] = [];
  readonly #textChanged = (name: string) => this.#followers.forEach((follow) => void follow(name));

  constructor(options: NamespacesOptions) {
    this.#options = options;
    this.#messages = new MessagesFile(options.store, '', options.warnings);
    this.#watch = new FolderWatch((folder, name) => this.#onEvent(folder, name));
    this.#all = new OpenNamespaces({
      maxOpen: options.maxOpen,
      cataloguePath: `${options.snapshotDir}.catalogue`,
      knowledgeDir: options.knowledgeDir,
      load: (name) => this.#load(name),
      follow: (name, namespace) => this.#syncAndWatch(name, namespace),
      onClosed: (name) => void this.#watch.setFolders(name, []),
      onUnsaved: (error) =>
        options.onWarning('The index could not be saved. A restart will rebuild it.', error),
    });
  }

  /**
   * Reads the folder. Afterwards each namespace is searchable or opens on demand. Later calls
   * return the same promise.
   */
  open() {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  /** Waits until the namespaces are open. @throws KnowledgeError `namespace_not_found` */
  async get(name: string) {
    const namespace = await this.find(name);
    if (!namespace) throw noSuchNamespace(name);
    return namespace;
  }

  /** Like `get`, but returns undefined if the namespace is missing. */
  async find(name: string) {
    await this.open();
    // The event for a new folder may not have arrived yet.
    const exists =
      this.#all.has(name) ||
      (isNamespaceName(name) && (await this.#options.store.hasNamespace(name)));
    return exists ? this.#all.use(name) : undefined;
  }

  /** The operator's messages: for the namespace, then for all namespaces. */
  async messagesOf(name: string) {
    const namespace = await this.find(name);
    return [namespace?.messages, this.#messages.current].filter(
      (messages) => messages !== undefined,
    );
  }

  /** Reads the messages for all namespaces if their file has changed. */
  refreshMessages() {
    return this.#messages.refresh();
  }

  async names() {
    await this.open();
    return this.#all.names().sort();
  }

  /** Size of a namespace, if known. Opens nothing, because callers list thousands. */
  stock(name: string) {
    return this.#all.stock(name);
  }

  /** Total size of all namespaces with a known size. */
  readonly total = () => this.#all.total();

  /** Number of namespaces after these were added. Requires `open`. */
  countWith(names: readonly string[]) {
    return this.#all.size + new Set(names.filter((name) => !this.#all.has(name))).size;
  }

  /** Like `get`, but creates a missing namespace. */
  async getOrCreate(name: string) {
    await this.open();
    return this.#all.use(name);
  }

  /** Duration of the last scan of the knowledge folder, in milliseconds; 0 before the first. */
  get lastScanMs() {
    return this.#lastScanMs;
  }

  /**
   * @param onTextChange called after a text of the namespace changed, and after the namespace was
   * deleted
   */
  follow(onTextChange: (namespace: string) => void) {
    this.#followers.push(onTextChange);
  }

  /** Removes a namespace with its folder and all derived data. */
  async remove(name: string) {
    await this.open();
    await this.#options.writes.remove(name, () => this.drop(name));
  }

  /** Removes this server's data of a deleted namespace. */
  async drop(name: string) {
    // Stops watching first, because each removed file would cause an event.
    await this.#watch.setFolders(name, []);
    try {
      await this.#options.store.removeNamespace(name, this.#reportLeftovers);
    } finally {
      // Runs also after a failed removal, because the folder may already be renamed.
      if (await this.#options.store.hasNamespace(name)) await this.#reconcile(name);
      else await this.#forget(name);
    }
    if (name === defaultNamespace) await this.#reconcile(name);
  }

  /** Stops watching the folder and saves the snapshots. */
  async close() {
    await this.#opening?.catch(() => undefined);
    this.#opening = undefined;
    this.#watch.close();
    for (const timer of [this.#scanTimer, ...this.#settling.values()]) clearTimeout(timer);
    await this.#all.close();
  }

  async #open() {
    const { knowledgeDir, store, snapshotDir, engine } = this.#options;
    await mkdir(knowledgeDir, { recursive: true });
    await this.#removeLeftovers();
    const names = await store.listNamespaces();
    const kept = new Set([defaultNamespace, ...names]);
    await removeStrays(snapshotDir, kept);
    await engine.retain(kept);
    await this.#all.readCatalogue(kept);
    await this.#watch.setFolders('', [knowledgeDir]);
    await this.refreshMessages();
    await this.#all.openUnrecorded();
    this.#reportWatching();
    this.#scheduleScan();
    // Runs in the background; callers do not wait for it.
    setImmediate(() => void this.#prepare());
  }

  async #prepare() {
    const onError = (error: unknown) =>
      this.#options.onWarning(
        'A namespace could not be opened. The next request for it tries again.',
        error,
      );
    await withTightHeap(() => this.#all.prepare(() => this.#opening === undefined, onError));
  }

  readonly #reportLeftovers = (error: unknown) => {
    this.#hasLeftovers = true;
    this.#options.warnings.begin('removal_unfinished', '', error);
  };

  async #removeLeftovers() {
    if (!this.#hasLeftovers) return;
    this.#hasLeftovers = false;
    await this.#options.store.removeLeftoverNamespaces(this.#reportLeftovers);
    if (!this.#hasLeftovers) this.#options.warnings.end('removal_unfinished');
  }

  async #load(name: string) {
    const onTextChange = () => {
      this.#changed.add(name);
      this.#textChanged(name);
    };
    const onChange = () => this.#all.changed(name);
    return Namespace.open(name, {
      ...this.#options,
      scheduler: this.#scheduler,
      onChange,
      onTextChange,
    });
  }

  async #forget(name: string) {
    const namespace = await this.#all.forget(name);
    await this.#watch.setFolders(name, []);
    await namespace?.forget();
    this.#textChanged(name);
  }

  /** Synchronizes a namespace with its folder, which may be new or deleted. */
  async #reconcile(name: string) {
    if (name !== defaultNamespace && !(await this.#options.store.hasNamespace(name)))
      return this.#forgetMissing(name);
    const current = this.#all.current(name);
    if (current) await this.#syncAndWatch(name, await current);
    else await this.#all.use(name);
  }

  /** Scans again after each new watch, because earlier changes in that folder caused no events. */
  async #syncAndWatch(name: string, namespace: Namespace) {
    const watchFolders = async () => {
      const folders = namespace
        .folders()
        .map((folder) => join(this.#options.knowledgeDir, name, folder));
      return this.#opening !== undefined && (await this.#watch.setFolders(name, folders));
    };
    // Watches before the first scan, so that one scan is enough if there are no subfolders.
    await watchFolders();
    do await namespace.reconcile();
    while (await watchFolders());
  }

  async #forgetMissing(name: string) {
    if (!this.#all.has(name) || !(await this.#mayForget(name))) return;
    // An ingest may have created the folder since the first check.
    if (!(await this.#options.store.hasNamespace(name))) await this.#forget(name);
  }

  /**
   * Whether the database contains no document of the namespace; if it does, their deleted files
   * must be restored.
   */
  async #mayForget(name: string) {
    const { accepts } = this.#options;
    if (!accepts) return true;
    const documents = [...(await this.#all.use(name)).documents()];
    return documents.every(({ document }) => accepts(name, document.file, undefined));
  }

  async #reconcileAll() {
    const { store, knowledgeDir } = this.#options;
    if (this.#opening !== undefined) await this.#watch.setFolders('', [knowledgeDir]);
    const present = new Set([defaultNamespace, ...(await store.listNamespaces())]);
    await this.refreshMessages();
    // Closed namespaces are synchronized when they are opened.
    for (const name of present)
      if (this.#all.current(name) || !this.#all.has(name)) await this.#reconcile(name);
    for (const name of this.#all.names()) if (!present.has(name)) await this.#forgetMissing(name);
  }

  /** Handles an event in the knowledge folder itself. @param name of the changed entry */
  async #followEntry(name: string) {
    if (name === messagesFileName) await this.refreshMessages();
    else if (isNamespaceName(name)) await this.#reconcile(name);
    // `listNamespaces` reports folders with invalid names.
    else await this.#options.store.listNamespaces();
  }

  #onEvent(folder: string, name: string | undefined) {
    if (name?.startsWith('.') && !auxiliaryFiles.includes(name)) return;
    const [namespace = '', ...below] = folder
      .slice(this.#options.knowledgeDir.length + 1)
      .split(sep);
    this.#reported.add(namespace === '' ? (name ?? '') : namespace);
    if (namespace === '' && name === undefined) this.#settle('', () => this.#reconcileAll());
    else if (namespace === '' && name !== undefined)
      this.#settle(`/${name}`, () => this.#followEntry(name));
    else if (name !== undefined && isDocumentName(name)) {
      const files = this.#edited.get(namespace) ?? new Set();
      this.#edited.set(namespace, files.add([...below, name].join('/')));
      this.#settle(`${namespace}/`, () => this.#followEdits(namespace));
    } else this.#settle(namespace, () => this.#reconcile(namespace));
  }

  async #followEdits(name: string) {
    const files = this.#edited.get(name) ?? new Set();
    this.#edited.delete(name);
    const namespace = await this.#all.current(name);
    if (!namespace) return;
    // For many files a scan is cheaper: it writes each file of the index once.
    if (files.size > maxEdits) await this.#reconcile(name);
    else for (const file of files) await namespace.refresh(file).catch(this.#reportUnindexed);
  }

  readonly #reportUnindexed = (error: unknown) =>
    this.#options.onWarning('A change in the knowledge folder could not be indexed.', error);

  /** Runs `work` once, shortly after the first event about `key`. */
  #settle(key: string, work: () => Promise<unknown>) {
    // Later events do not extend the delay, because a file may be written constantly.
    if (this.#settling.has(key)) return;
    const run = () => {
      this.#settling.delete(key);
      work().catch(this.#reportUnindexed);
    };
    this.#settling.set(key, setTimeout(run, settleMs).unref());
  }

  get #isWatched() {
    return this.#watch.isComplete && !this.#losesEvents;
  }

  async #scan() {
    const started = performance.now();
    await this.#removeLeftovers();
    await this.#reconcileAll();
    this.#lastScanMs = performance.now() - started;
    this.#reportWatching();
  }

  #reportWatching() {
    if (this.#isWatched) this.#options.warnings.end('watching_degraded');
    else this.#options.warnings.begin('watching_degraded');
  }

  /** Checks that all changes found by the last scan also caused events. */
  #checkEvents() {
    const isReported = (name: string) => this.#reported.has(name) || this.#reported.has('');
    if (![...this.#changed].every(isReported)) this.#losesEvents = true;
    this.#reported.clear();
    this.#reportWatching();
  }

  #scheduleScan() {
    const scan = async () => {
      this.#changed.clear();
      await this.#scan();
      if (!this.#isWatched || this.#changed.size === 0) return this.#reported.clear();
      await sleep(lateEventMs, undefined, { ref: false });
      this.#checkEvents();
    };
    const run = () => {
      scan()
        .catch((error: unknown) =>
          this.#options.onWarning('The knowledge folder could not be read.', error),
        )
        .finally(() => this.#opening && this.#scheduleScan());
    };
    this.#scanTimer = setTimeout(run, scanDelay(this.#isWatched, this.#lastScanMs)).unref();
  }
}
