/**
 * The knowledge folder as a mirror of the documents in the database. What other servers change is here a quarter of a second later; what this
 * server changes is here before it is acknowledged. Everything that answers reads the folder, so it goes on while the database is away.
 * The folder belongs to the mirror: a file that a person edits, adds or removes there is put back, and theirs is kept in `.put-back`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Forget } from '../app/documents.ts';
import { createSemaphore, createSerialQueue } from '../concurrency/queue.ts';
import { retry } from '../concurrency/retry.ts';
import { createTimeSlicer } from '../concurrency/time-slicer.ts';
import { documentIdOf } from '../documents/document-file.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import { isStorageAway, KnowledgeError, systemErrorCode } from '../errors.ts';
import { type DocumentRecord, type FileMirror, type FileState, type FileVersion, importFile } from './documents.ts';
import { MirrorFolder } from './mirror-folder.ts';
import { type MirroredNamespaces, MirrorIndex } from './mirror-index.ts';
import { type FileName, type FolderFile, inBatches, keyOf, reconcile } from './reconcile.ts';

export interface MirrorOptions {
  readonly record: DocumentRecord;
  readonly store: DocumentStore;
  /** Absolute. */
  readonly knowledgeDir: string;
  readonly namespaces: () => MirroredNamespaces;
  /** Makes the tables, before anything is asked of them. */
  readonly prepare: () => Promise<unknown>;
  readonly onWarning: (message: string, error?: unknown) => void;
  readonly pollMs?: number;
}

interface MirrorHealth {
  /** Whether the folder takes what the database says. */
  readonly isWritten: boolean;
  /** Since the last look at the database that succeeded, in milliseconds; null: there was none. */
  readonly ageMs: number | null;
}

/**
 * - `starting`: the folder was not yet compared with the database; it goes to `following`, or to `away`
 * - `following`: the folder holds what the database held at the last look
 * - `comparing`: a change may have been missed; the next look compares every file
 * - `away`: the last look failed; the folder stays as it is. Each look compares every file; one that succeeds leads to `comparing`
 */
type MirrorState = 'starting' | 'following' | 'comparing' | 'away';

const usualPollMs = 250;
/** Everything is compared as often, in case a change was not heard of. */
const compareEveryMs = 60_000;
const forgetEveryMs = 3_600_000;
const awayPauseMs = 500;
const maxTakenAtOnce = 4;
/** A look that hangs keeps nobody from ending. */
const maxCloseMs = 500;

const otherDatabase = () =>
  new KnowledgeError(
    'internal',
    'KNOWLEDGE_DIR is the mirror of another database than DATABASE_URL names. Correct DATABASE_URL, restore the database, or start with an empty folder.',
  );

/** Whether to wait may help: not with a wrong password, a missing database or a missing extension. */
const mayPass = (error: unknown): boolean =>
  isStorageAway(error) && error.retryAfterSeconds !== undefined && !/^(?:28|3D|3F|42)/.test(systemErrorCode(error.cause) ?? '');

export class Mirror {
  readonly #options: MirrorOptions;
  readonly #folder: MirrorFolder;
  readonly #index: MirrorIndex;
  readonly #inOrder = createSerialQueue();
  readonly #closing = new AbortController();
  #state: MirrorState = 'starting';
  #nextLook: Promise<void> | undefined;
  #following: Promise<void> | undefined;
  #forget: Forget | undefined;
  #isPrepared = false;
  /** Of the database that the folder mirrors; undefined: of none yet. */
  #id: string | undefined;
  /** Changes from here on are news. */
  #mark = '';
  #connections = 0;
  #cluster = '';
  /** Undefined: not since the start. */
  #comparedAt: number | undefined;
  #lookedAt: number | undefined;
  #forgotAt = performance.now();

  constructor(options: MirrorOptions) {
    this.#options = options;
    this.#folder = new MirrorFolder(options.store, options.knowledgeDir, options.onWarning);
    this.#index = new MirrorIndex(options.namespaces);
  }

  /**
   * Brings the folder in line with the database; before anything reads it.
   * @param canWait whether to wait for the database if the folder was never a mirror and the database cannot be reached
   * @throws KnowledgeError `storage_unavailable` if the folder was never a mirror, unless it can wait
   */
  async open(canWait = false): Promise<void> {
    this.#id = await this.#folder.readMarker();
    if (this.#id === undefined && canWait) await this.#waitForDatabase();
    try {
      await this.#openWith(await this.#folder.files());
    } catch (error) {
      if (!isStorageAway(error) || this.#id === undefined) throw error;
      this.#away(error);
    }
  }

  async #openWith(local: ReadonlyMap<string, FolderFile>): Promise<void> {
    const { record } = this.#options;
    await this.#prepare();
    const id = await record.id();
    if (this.#id !== undefined && this.#id !== id) throw otherDatabase();
    if (this.#id === undefined && local.size > 0 && (await record.list()).length === 0) await this.#import(local);
    this.#mark = await record.mark();
    const files = await record.list();
    const surplus: FileName[] = [];
    for (const { kind, file } of reconcile(files, local)) {
      if (kind === 'know') this.#folder.know(file);
      if (kind === 'surplus') surplus.push(file);
    }
    await this.#folder.writeMarker(id);
    this.#id = id;
    await this.#fetch(files, (state) => this.#folder.write(state));
    await this.#folder.setAllAside(surplus);
    this.#compared();
    this.#state = 'following';
  }

  #waitForDatabase(): Promise<void> {
    let isWaiting = false;
    const isRetryable = (error: unknown) => {
      if (!mayPass(error)) return false;
      if (!isWaiting) this.#options.onWarning('the database cannot be reached, and KNOWLEDGE_DIR is no mirror of it yet: waiting', error);
      isWaiting = true;
      return true;
    };
    const { signal } = this.#closing;
    return retry(() => this.#prepare(), { firstPauseMs: awayPauseMs, maxPauseMs: awayPauseMs, isRetryable, signal });
  }

  /** The tables once: servers of this version go on with those that a later one has updated. */
  async #prepare(): Promise<void> {
    if (!this.#isPrepared) await this.#options.prepare();
    this.#isPrepared = true;
    await this.#options.record.adoptCluster();
  }

  /** A database that never held a document takes over those of the folder, as another server may at the same time. */
  async #import(local: ReadonlyMap<string, FolderFile>): Promise<void> {
    const { record, onWarning } = this.#options;
    const writes = record.writesThrough(this.#folder);
    const takeOne = createSemaphore(maxTakenAtOnce);
    const bringIn = async ({ namespace, file }: FolderFile) => {
      const text = (await this.#folder.read({ namespace, file }))?.text;
      if (text !== undefined) await importFile(writes, { namespace, file, text }, false);
    };
    await Promise.all([...local.values()].map((one) => takeOne(() => bringIn(one))));
    onWarning(`the database held no document and has those of the knowledge folder now: ${local.size}`);
  }

  /** From now on the folder follows the database. @param forget is told of documents that are deleted elsewhere */
  follow(forget: Forget): void {
    this.#forget = forget;
    this.#following ??= this.#follow();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await Promise.race([this.#following, sleep(maxCloseMs, undefined, { ref: false })]);
  }

  /** Whether the folder holds what the database held at some time since the start. */
  isCurrent(): boolean {
    return this.#comparedAt !== undefined;
  }

  /** Brings in what other servers have changed until now. @throws KnowledgeError `storage_unavailable` */
  syncNow(): Promise<void> {
    this.#nextLook ??= this.#inOrder(() => {
      this.#nextLook = undefined;
      return this.#look();
    });
    return this.#nextLook;
  }

  health(): MirrorHealth {
    const ageMs = this.#lookedAt === undefined ? null : Math.round(performance.now() - this.#lookedAt);
    return { isWritten: this.#folder.refused.size === 0, ageMs };
  }

  /** Takes this server's own changes. */
  get files(): FileMirror {
    return this.#folder;
  }

  /** Whether a file of the folder is what the database says; what is not is put back. */
  accepts(namespace: string, file: string, revision: string | undefined): boolean {
    return !this.isCurrent() || this.#folder.accepts({ namespace, file }, revision);
  }

  async #follow(): Promise<void> {
    const { pollMs = usualPollMs } = this.#options;
    const { signal } = this.#closing;
    const pause = (ms: number) => sleep(ms, undefined, { signal, ref: false });
    const isRetryable = (error: unknown) => {
      this.#away(error);
      return true;
    };
    const whileAway = { firstPauseMs: awayPauseMs, maxPauseMs: awayPauseMs, isRetryable, signal, sleep: pause };
    while (!signal.aborted)
      await retry(() => this.syncNow(), whileAway)
        .then(() => pause(pollMs))
        .catch(() => undefined);
  }

  async #look(): Promise<void> {
    const { record } = this.#options;
    const startedAt = performance.now();
    await this.#checkCluster();
    if (this.#state !== 'following' || startedAt - (this.#comparedAt ?? 0) > compareEveryMs) await this.#compare();
    const { mark, files } = await record.changedSince(this.#mark);
    await this.#takeAll(files.filter((one) => this.#folder.isNews(one)));
    this.#mark = mark;
    for (const name of this.#folder.takeEdited()) await record.inTurn(name.namespace, name.file, () => this.#correct(name));
    for (const name of [...this.#folder.refused.values()]) await record.inTurn(name.namespace, name.file, () => this.#tryAgain(name));
    if (startedAt - this.#forgotAt > forgetEveryMs) {
      await record.forgetTombstones();
      this.#forgotAt = startedAt;
    }
    this.#lookedAt = startedAt;
    if (this.#state === 'away') {
      this.#options.onWarning('the documents follow the database again');
      this.#state = 'comparing';
    }
  }

  /** Another cluster counts its transactions from elsewhere: a restore, or an address that leads to another server. */
  async #checkCluster(): Promise<void> {
    const { record } = this.#options;
    const connections = record.connections();
    if (connections === this.#connections) return;
    const cluster = await record.cluster();
    if (cluster !== this.#cluster) this.#compareSoon();
    [this.#connections, this.#cluster] = [connections, cluster];
  }

  #away(error: unknown): void {
    if (this.#closing.signal.aborted) return;
    if (this.#state !== 'away') this.#options.onWarning('the documents cannot follow the database, and are answered as they were', error);
    this.#state = 'away';
  }

  #compareSoon(): void {
    if (this.#state === 'following') this.#state = 'comparing';
  }

  /** With everything that there is: after a start, when the database was away, and now and then. */
  async #compare(): Promise<void> {
    const { record } = this.#options;
    // Before anything is read: what needs another comparison meanwhile sets it again.
    if (this.#state === 'comparing') this.#state = 'following';
    await this.#prepare();
    if ((await record.id()) !== this.#id) throw otherDatabase();
    const mark = await record.mark();
    const before = new Map(this.#folder.known);
    const files = await record.list();
    const wanted: FileVersion[] = [];
    const pause = createTimeSlicer();
    // A file that was written here since the list was asked for is newer than the list.
    const isListed = (file: FileName) => this.#folder.known.get(keyOf(file)) === before.get(keyOf(file));
    const actions = reconcile(files, await this.#index.local(this.#folder.known)).filter(({ file }) => isListed(file));
    for (const { kind, file } of actions) {
      if (kind === 'know') this.#folder.know(file);
      else if (kind === 'correct') this.#folder.putBackLater(file);
      else {
        // A database that was restored says what is true, also where it is older.
        this.#folder.forget(file);
        if (kind === 'fetch') wanted.push(file);
        else if (file.revision !== undefined) this.#folder.putBackLater(file);
      }
      await pause();
    }
    await this.#takeAll(wanted);
    this.#mark = mark;
    this.#compared();
  }

  #compared(): void {
    this.#comparedAt = this.#lookedAt = performance.now();
  }

  /** Contents of files that are not known, each given to `use` in its turn. */
  async #fetch(files: readonly FileVersion[], use: (state: FileState) => Promise<unknown>): Promise<void> {
    const { record } = this.#options;
    const takeOne = createSemaphore(maxTakenAtOnce);
    for (const batch of inBatches(files.filter((one) => this.#folder.isNews(one)))) {
      const states = await record.contentsOf(batch);
      const inTurn = (state: FileState) =>
        record.inTurn(state.namespace, state.file, async () => this.#folder.isNews(state) && (await use(state)));
      await Promise.all(states.map((state) => takeOne(() => inTurn(state))));
    }
  }

  async #takeAll(files: readonly FileVersion[]): Promise<void> {
    if (files.length === 0) return;
    await this.#fetch(files, async (state) => {
      await this.#folder.write(state);
      await this.#index.take(state);
    });
    const deleted = files.filter(({ revision }) => revision === undefined);
    if (deleted.length === 0) return;
    const names = [...new Set(deleted.map(({ namespace }) => namespace))];
    const present = await this.#options.record.present(names);
    const dropped = await this.#index.dropEmpty(names.filter((name) => !present.has(name)));
    // Somebody may have begun one anew this moment.
    if (dropped.length > 0) this.#compareSoon();
    const alone = deleted.filter(({ namespace }) => !dropped.includes(namespace));
    // What was given here since it was deleted at another server.
    await this.#forget?.({ namespaces: dropped, documentIds: alone.map(({ namespace, file }) => documentIdOf(namespace, file)) });
  }

  async #correct(name: FileName): Promise<void> {
    const folder = this.#folder;
    const [stored, state] = [await folder.read(name), await this.#options.record.stateOf(name.namespace, name.file)];
    // What was put here and is behind is no edit; a command beside the server may have written the newest.
    const isOurs = stored?.revision === folder.known.get(keyOf(name))?.revision || stored?.revision === state?.revision;
    if (!isOurs) await folder.setEditAside(name, stored !== undefined);
    if (state && stored?.revision === state.revision) folder.know(state);
    else if (state) await folder.write(state);
    else await folder.discard(name);
    await this.#index.putBack(name, state?.content !== undefined);
  }

  /** Whatever the database says by now of a file that the folder did not take. */
  async #tryAgain(name: FileName): Promise<void> {
    const state = await this.#options.record.stateOf(name.namespace, name.file);
    if (!state) return this.#folder.giveUp(name);
    await this.#folder.write(state);
    // A deleted file is answered from no more already.
    if (state.content) await this.#index.take(state);
  }
}
