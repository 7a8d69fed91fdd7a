/**
 * All namespaces, searchable, and kept equal to the knowledge folder while people edit it. The folder is the truth; what is in memory
 * and in `INDEX_DIR` follows within two seconds: at once where the system tells of changes, by looking every second where not.
 */

import { mkdir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { withTightHeap } from '../concurrency/tight-heap.ts';
import { createLoopScheduler } from '../concurrency/time-slicer.ts';
import { removeStrays } from '../disk/snapshot-file.ts';
import type { Warnings } from '../warnings.ts';
import { isDocumentName } from './document-store.ts';
import type { DocumentWrites } from './document-writes.ts';
import { FolderWatch } from './folder-watch.ts';
import { createMessagesFile, type OwnMessages } from './messages-file.ts';
import { Namespace, type NamespaceOptions } from './namespace.ts';
import { besideDocuments, isNamespaceName, messagesFileName, noSuchNamespace } from './namespace-name.ts';
import { type Holding, OpenNamespaces } from './open-namespaces.ts';

export interface NamespacesOptions extends Omit<NamespaceOptions, 'onChange' | 'onTextChange' | 'takeTurn'> {
  /** Absolute. */
  readonly knowledgeDir: string;
  /** Most namespaces that are kept in memory. */
  readonly maxOpen: number;
  readonly writes: DocumentWrites;
  readonly warnings: Pick<Warnings, 'begin' | 'end'>;
}

/** Always exists, so that a fresh server has somewhere to answer from. */
const defaultNamespace = 'default';
/** Several events come with one edit; what they are about is read once they have settled. */
const settleMs = 100;
/** Of one namespace, files that are looked at one by one. */
const maxEdits = 16;
/** In case an event was lost. */
const safetyScanMs = 60_000;
/** If the system gives no events. */
const unwatchedScanMs = 1_000;
/** A full look takes at most a tenth of the time. */
const scanShare = 0.1;
/** An event may come so much later than the change. */
const lateEventMs = 1_000;

/** @param isWatched whether the system reports changes @param lastScanMs duration of the last full look @returns milliseconds until the next */
export const scanDelay = (isWatched: boolean, lastScanMs: number): number =>
  Math.max(isWatched ? safetyScanMs : unwatchedScanMs, lastScanMs / scanShare);

export class Namespaces {
  readonly #options: NamespacesOptions;
  readonly #takeTurn = createLoopScheduler();
  readonly #all: OpenNamespaces;
  readonly #settling = new Map<string, NodeJS.Timeout>();
  readonly #watch: FolderWatch;
  /** For all namespaces. */
  readonly #messages: ReturnType<typeof createMessagesFile>;
  #opening: Promise<void> | undefined;
  #scanTimer: NodeJS.Timeout | undefined;
  #lastScanMs = 0;
  /** Namespaces with an event since the last full look; empty text: the knowledge folder itself. */
  readonly #reported = new Set<string>();
  /** Files with an event that has not settled yet. */
  readonly #edited = new Map<string, Set<string>>();
  /** Namespaces in which a text changed since the last full look began. */
  readonly #changed = new Set<string>();
  /** Whether a full look found a change that no event reported, as on network file systems. */
  #isSilent = false;
  #onTextChange: (namespace: string) => void = () => undefined;

  constructor(options: NamespacesOptions) {
    this.#options = options;
    this.#messages = createMessagesFile(options.store, '', options.warnings);
    this.#watch = new FolderWatch((folder, name) => this.#onEvent(folder, name));
    this.#all = new OpenNamespaces({
      maxOpen: options.maxOpen,
      cataloguePath: `${options.snapshotDir}.catalogue`,
      knowledgeDir: options.knowledgeDir,
      load: (name) => this.#load(name),
      follow: (name, namespace) => this.#bringInLine(name, namespace),
      onClosed: (name) => void this.#watch.setFolders(name, []),
      onUnsaved: (error) => options.onWarning('The index could not be saved; a restart will build it again.', error),
    });
  }

  /** Reads the folder. Afterwards each namespace can be asked: it is searchable, or is opened for it. Later calls return the same promise. */
  open(): Promise<void> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  /** Waits until the namespaces are open. @throws KnowledgeError `namespace_not_found` */
  async get(name: string): Promise<Namespace> {
    const namespace = await this.find(name);
    if (!namespace) throw noSuchNamespace(name);
    return namespace;
  }

  /** The same, undefined where there is none. */
  async find(name: string): Promise<Namespace | undefined> {
    await this.open();
    // No event may have told of its folder yet.
    const isThere = this.#all.has(name) || (isNamespaceName(name) && (await this.#options.store.hasNamespace(name)));
    return isThere ? this.#all.use(name) : undefined;
  }

  /** The operator's own messages: those of a namespace, then those for all. */
  async messagesOf(name: string): Promise<readonly OwnMessages[]> {
    const namespace = await this.find(name);
    return [namespace?.messages, this.#messages.current()].filter((messages) => messages !== undefined);
  }

  /** Reads the messages for all namespaces again if their file has changed. */
  refreshMessages(): Promise<void> {
    return this.#messages.refresh();
  }

  /** Names of the namespaces that there are, in alphabetical order. */
  async names(): Promise<string[]> {
    await this.open();
    return this.#all.names().sort();
  }

  /** How much a namespace holds: without opening it, where that is known. */
  async stock(name: string): Promise<Holding | undefined> {
    await this.open();
    return this.#all.has(name) ? this.#all.stock(name) : undefined;
  }

  /** How much all hold, as far as that is known without opening one. */
  readonly total = (): Holding => this.#all.total();

  /** How many there are, were these made as well; once they are open. */
  countWith(names: readonly string[]): number {
    return this.#all.size + new Set(names.filter((name) => !this.#all.has(name))).size;
  }

  /** Like `get`, for a namespace that may have come into being this moment. */
  async getOrCreate(name: string): Promise<Namespace> {
    await this.open();
    return this.#all.use(name);
  }

  /** Duration of the last full look through the knowledge folder, in milliseconds; 0 before the first. */
  get lastScanMs(): number {
    return this.#lastScanMs;
  }

  /** @param onTextChange told of every namespace in which a text changes, whoever changed it, or that is gone */
  follow(onTextChange: (namespace: string) => void): void {
    this.#onTextChange = onTextChange;
  }

  /** Removes a namespace with its folder and all that is derived from it. */
  async remove(name: string): Promise<void> {
    await this.open();
    await this.#options.writes.remove(name, () => this.drop(name));
  }

  /** Removes what is here of a namespace that is deleted. */
  async drop(name: string): Promise<void> {
    // Else each of its files would be looked at when it goes.
    await this.#watch.setFolders(name, []);
    try {
      await this.#options.store.removeNamespace(name);
    } finally {
      // What could not be removed has another name now, and is answered from no more.
      if (await this.#options.store.hasNamespace(name)) await this.#reconcile(name);
      else await this.#forget(name);
    }
    if (name === defaultNamespace) await this.#reconcile(name);
  }

  /** Stops following the folder and puts the snapshots away. */
  async close(): Promise<void> {
    await this.#opening?.catch(() => undefined);
    this.#opening = undefined;
    this.#watch.close();
    for (const timer of [this.#scanTimer, ...this.#settling.values()]) clearTimeout(timer);
    await this.#all.close();
  }

  async #open(): Promise<void> {
    const { knowledgeDir, store, snapshotDir, engine, onWarning } = this.#options;
    await mkdir(knowledgeDir, { recursive: true });
    await store.removeLeftoverNamespaces((error) =>
      onWarning('What is left of a deleted namespace could not be removed from KNOWLEDGE_DIR; the next start tries again.', error),
    );
    const names = await store.listNamespaces();
    const kept = new Set([defaultNamespace, ...names]);
    await removeStrays(snapshotDir, kept);
    if (!engine.isShared) await engine.retain(kept);
    await this.#all.readCatalogue(kept);
    await this.#watch.setFolders('', [knowledgeDir]);
    await this.refreshMessages();
    await this.#all.openUnrecorded();
    this.#tellWatching();
    this.#scanLater();
    // Who waits for the documents does not wait for these.
    setImmediate(() => void this.#prepare());
  }

  async #prepare(): Promise<void> {
    const onError = (error: unknown) =>
      this.#options.onWarning('A namespace could not be opened; it is tried again when it is asked for.', error);
    await withTightHeap(() => this.#all.prepare(() => this.#opening === undefined, onError));
  }

  async #load(name: string): Promise<Namespace> {
    const onTextChange = () => {
      this.#changed.add(name);
      this.#onTextChange(name);
    };
    const onChange = () => this.#all.changed(name);
    await this.#options.store.removeLeftovers(name);
    return Namespace.open(name, { ...this.#options, takeTurn: this.#takeTurn, onChange, onTextChange });
  }

  async #forget(name: string): Promise<void> {
    const namespace = await this.#all.forget(name);
    await this.#watch.setFolders(name, []);
    await namespace?.forget();
    this.#onTextChange(name);
  }

  /** Brings a namespace in line with its folder, which may have come or gone. */
  async #reconcile(name: string): Promise<void> {
    if (name !== defaultNamespace && !(await this.#options.store.hasNamespace(name))) return this.#forgetMissing(name);
    const current = this.#all.current(name);
    if (current) await this.#bringInLine(name, await current);
    else await this.#all.use(name);
  }

  /** Again if a folder was not watched meanwhile: nobody has seen what happened in it. */
  async #bringInLine(name: string, namespace: Namespace): Promise<void> {
    const watchFolders = async () => {
      const folders = namespace.folders().map((folder) => join(this.#options.knowledgeDir, name, folder));
      return this.#opening !== undefined && (await this.#watch.setFolders(name, folders));
    };
    // First, so that one look is enough where there are no folders below.
    await watchFolders();
    do await namespace.reconcile();
    while (await watchFolders());
  }

  async #forgetMissing(name: string): Promise<void> {
    if (!this.#all.has(name) || !(await this.#mayForget(name))) return;
    // An ingest may have made its folder since the first look.
    if (!(await this.#options.store.hasNamespace(name))) await this.#forget(name);
  }

  /** Whether nothing of it has to be put back. */
  async #mayForget(name: string): Promise<boolean> {
    const { accepts } = this.#options;
    if (!accepts) return true;
    const documents = [...(await this.#all.use(name)).documents()];
    return documents.every(({ document }) => accepts(name, document.file, undefined));
  }

  async #reconcileAll(): Promise<void> {
    const { store, knowledgeDir } = this.#options;
    if (this.#opening !== undefined) await this.#watch.setFolders('', [knowledgeDir]);
    const present = new Set([defaultNamespace, ...(await store.listNamespaces())]);
    await this.refreshMessages();
    // Those that are put away are brought in line when they are opened.
    for (const name of present) if (this.#all.current(name) || !this.#all.has(name)) await this.#reconcile(name);
    for (const name of this.#all.names()) if (!present.has(name)) await this.#forgetMissing(name);
  }

  /** After an event in the knowledge folder itself. @param name of what came, went or was replaced */
  async #followEntry(name: string): Promise<void> {
    if (name === messagesFileName) await this.refreshMessages();
    else if (isNamespaceName(name)) await this.#reconcile(name);
    // Tells of a folder whose name is none of a namespace.
    else await this.#options.store.listNamespaces();
  }

  #onEvent(folder: string, name: string | undefined): void {
    if (name?.startsWith('.') && !besideDocuments.includes(name)) return;
    const [namespace = '', ...below] = folder.slice(this.#options.knowledgeDir.length + 1).split(sep);
    this.#reported.add(namespace === '' ? (name ?? '') : namespace);
    if (namespace === '' && name === undefined) this.#settle('', () => this.#reconcileAll());
    else if (namespace === '' && name !== undefined) this.#settle(`/${name}`, () => this.#followEntry(name));
    else if (name !== undefined && isDocumentName(name)) {
      const files = this.#edited.get(namespace) ?? new Set();
      this.#edited.set(namespace, files.add([...below, name].join('/')));
      this.#settle(`${namespace}/`, () => this.#followEdits(namespace));
    } else this.#settle(namespace, () => this.#reconcile(namespace));
  }

  async #followEdits(name: string): Promise<void> {
    const files = this.#edited.get(name) ?? new Set();
    this.#edited.delete(name);
    const namespace = await this.#all.current(name);
    if (!namespace) return;
    // Of many files a look at the folder costs less, and each file of the index is written once.
    if (files.size > maxEdits) await this.#reconcile(name);
    else for (const file of files) await namespace.refresh(file);
  }

  /** Runs `work` once the events about `key` have settled. */
  #settle(key: string, work: () => Promise<unknown>): void {
    // Not put off by further events: a file that is written all the time is followed all the same.
    if (this.#settling.has(key)) return;
    const run = () => {
      this.#settling.delete(key);
      work().catch((error: unknown) => this.#options.onWarning('A change in the knowledge folder could not be followed.', error));
    };
    this.#settling.set(key, setTimeout(run, settleMs).unref());
  }

  get #isWatched(): boolean {
    return this.#watch.isComplete && !this.#isSilent;
  }

  async #scan(): Promise<void> {
    const started = performance.now();
    await this.#reconcileAll();
    this.#lastScanMs = performance.now() - started;
    this.#tellWatching();
  }

  #tellWatching(): void {
    if (this.#isWatched) this.#options.warnings.end('watching_degraded');
    else this.#options.warnings.begin('watching_degraded');
  }

  /** Whether every change that the last full look found was reported, at the latest a moment afterwards. */
  #checkEvents(): void {
    const isReported = (name: string) => this.#reported.has(name) || this.#reported.has('');
    if (![...this.#changed].every(isReported)) this.#isSilent = true;
    this.#reported.clear();
    this.#tellWatching();
  }

  #scanLater(): void {
    const look = async () => {
      this.#changed.clear();
      await this.#scan();
      if (!this.#isWatched || this.#changed.size === 0) return this.#reported.clear();
      await sleep(lateEventMs, undefined, { ref: false });
      this.#checkEvents();
    };
    const run = () => {
      look()
        .catch((error: unknown) => this.#options.onWarning('The knowledge folder could not be read.', error))
        .finally(() => this.#opening && this.#scanLater());
    };
    this.#scanTimer = setTimeout(run, scanDelay(this.#isWatched, this.#lastScanMs)).unref();
  }
}
