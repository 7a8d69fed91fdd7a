/**
 * Keeps the knowledge folder identical to the documents in the database. Polls for changes of other
 * servers every 250 ms; this server's changes are written before they are acknowledged. Answers
 * read only the folder, so they work without the database. Local edits are reverted and saved in
 * `.put-back`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Semaphore } from '../../../packages/shared/src/concurrency/queue.ts';
import { retry } from '../../../packages/shared/src/concurrency/retry.ts';
import { TimeSlicer } from '../../../packages/shared/src/concurrency/time-slicer.ts';
import { isStorageAway, KnowledgeError } from '../../../packages/shared/src/errors.ts';
import { documentIdOf } from '../../documents/document-file.ts';
import type { DocumentStore } from '../../documents/document-store.ts';
import type { Namespace } from '../../documents/namespace.ts';
import { auxiliaryFiles } from '../../documents/namespace-name.ts';
import type { Namespaces } from '../../documents/namespaces.ts';
import type { Forget } from '../../ingest/documents.ts';
import { lastingProblem } from './database.ts';
import {
  type DocumentRecord,
  type FileName,
  type FileState,
  type FileVersion,
  importFile,
} from './document-tables.ts';
import { MirrorFolder } from './mirror-folder.ts';
import { type FolderFile, inBatches, keyOf, reconcile } from './reconcile.ts';

/**
 * - `starting`: not yet compared with the database; next: `following` or `away`
 * - `following`: the folder matches the last poll
 * - `comparing`: a change may have been missed; the next poll compares every file
 * - `away`: the last poll failed. Each poll compares every file; after a success the state is
 *   `comparing`
 */
type MirrorState = 'starting' | 'following' | 'comparing' | 'away';

const defaultPollMs = 250;
/** Interval of full comparisons, in case a change was missed. */
const compareEveryMs = 60_000;
const forgetEveryMs = 3_600_000;
const awayPauses = { firstPauseMs: 500, maxPauseMs: 500 };
const maxConcurrentWrites = 4;
/** A hanging poll must not delay shutdown. */
const maxCloseMs = 500;

const otherDatabase = () =>
  new KnowledgeError(
    'internal',
    'KNOWLEDGE_DIR mirrors another database than DATABASE_URL. Correct DATABASE_URL, restore the database, or start with an empty folder.',
  );

const reread = (namespace: Namespace, file: string) =>
  auxiliaryFiles.includes(file) ? namespace.reconcile() : namespace.refresh(file);

/** Whether waiting may help. */
const mayPass = (error: unknown) =>
  isStorageAway(error) &&
  error.retryAfterSeconds !== undefined &&
  lastingProblem(error.cause) === undefined;

export class Mirror {
  readonly #options;
  readonly #folder;
  readonly #inOrder = new Semaphore(1);
  readonly #closing = new AbortController();
  #state: MirrorState = 'starting';
  #nextPoll: Promise<void> | undefined;
  #following: Promise<void> | undefined;
  #forget: Forget | undefined;
  #isPrepared = false;
  /** Id of the mirrored database; undefined before the first sync. */
  #id: string | undefined;
  /** Transaction id from which the next poll reads. */
  #mark = '';
  #connections = 0;
  #cluster = '';
  /** Undefined before the first comparison. */
  #comparedAt: number | undefined;
  #lookedAt: number | undefined;
  #forgotAt = performance.now();

  constructor(
    options: Readonly<{
      record: DocumentRecord;
      store: DocumentStore;
      /** Absolute path. */
      knowledgeDir: string;
      /** A function, because namespaces open after the mirror. */
      namespaces: () => Pick<
        Namespaces,
        'find' | 'getOrCreate' | 'drop' | 'names' | 'refreshMessages'
      >;
      /** Creates the tables before the first query. */
      prepare: () => Promise<unknown>;
      onWarning: (message: string, error?: unknown) => void;
      pollMs?: number;
    }>,
  ) {
    this.#options = options;
    this.#folder = new MirrorFolder(options.store, options.knowledgeDir, options.onWarning);
  }

  /**
   * Synchronizes the folder with the database before the first read.
   * @param canWait if the folder was never a mirror and the database is unreachable, waits instead
   * of throwing `storage_unavailable`
   */
  async open(canWait = false) {
    this.#id = await this.#folder.readMarker();
    if (this.#id === undefined && canWait) await this.#waitForDatabase();
    try {
      await this.#openWith(await this.#folder.files());
    } catch (error) {
      if (!isStorageAway(error) || this.#id === undefined) throw error;
      this.#away(error);
    }
  }

  async #openWith(local: ReadonlyMap<string, FolderFile>) {
    const { record } = this.#options;
    await this.#prepare();
    const id = await record.id();
    if (this.#id !== undefined && this.#id !== id) throw otherDatabase();
    if (this.#id === undefined && local.size > 0 && (await record.list()).length === 0)
      await this.#import(local);
    this.#mark = await record.mark();
    const files = await record.list();
    const surplus: FileName[] = [];
    for (const { kind, file } of reconcile(files, local)) {
      if (kind === 'know') this.#folder.setKnown(file);
      if (kind === 'surplus') surplus.push(file);
    }
    await this.#folder.writeMarker(id);
    this.#id = id;
    await this.#fetch(files, (state) => this.#folder.write(state));
    await this.#folder.moveSurplus(surplus);
    this.#compared();
    this.#state = 'following';
  }

  #waitForDatabase() {
    let isWaiting = false;
    const isRetryable = (error: unknown) => {
      if (!mayPass(error)) return false;
      if (!isWaiting)
        this.#options.onWarning(
          'the database is unreachable and KNOWLEDGE_DIR is not a mirror of it yet: waiting',
          error,
        );
      isWaiting = true;
      return true;
    };
    const { signal } = this.#closing;
    return retry(() => this.#prepare(), { ...awayPauses, isRetryable, signal });
  }

  /** Migrates only once: a server of a later version may migrate further while this one runs. */
  async #prepare() {
    if (!this.#isPrepared) await this.#options.prepare();
    this.#isPrepared = true;
    await this.#options.record.adoptCluster();
  }

  /**
   * Imports the folder into a database that never had a document. Another server may do the same
   * concurrently.
   */
  async #import(local: ReadonlyMap<string, FolderFile>) {
    const { record, onWarning } = this.#options;
    const writes = record.writesThrough(this.#folder);
    const limited = new Semaphore(maxConcurrentWrites);
    const importOne = async ({ namespace, file }: FolderFile) => {
      const text = (await this.#folder.read({ namespace, file }))?.text;
      if (text !== undefined) await importFile(writes, { namespace, file, text }, false);
    };
    await Promise.all([...local.values()].map((one) => limited.run(() => importOne(one))));
    onWarning(
      `the database was empty; ${local.size} documents were imported from the knowledge folder`,
    );
  }

  /** Starts polling the database. @param forget called for documents deleted by other servers */
  follow(forget: Forget) {
    this.#forget = forget;
    this.#following ??= this.#follow();
  }

  async close() {
    this.#closing.abort();
    await Promise.race([this.#following, sleep(maxCloseMs, undefined, { ref: false })]);
  }

  /** Whether the folder has matched the database at least once since the start. */
  isCurrent() {
    return this.#comparedAt !== undefined;
  }

  /** Applies all changes of other servers. @throws KnowledgeError `storage_unavailable` */
  syncNow() {
    this.#nextPoll ??= this.#inOrder.run(() => {
      this.#nextPoll = undefined;
      return this.#poll();
    });
    return this.#nextPoll;
  }

  health() {
    const ageMs =
      this.#lookedAt === undefined ? null : Math.round(performance.now() - this.#lookedAt);
    return { isWritten: this.#folder.refused.size === 0, ageMs };
  }

  /** Receives this server's own changes. */
  get files() {
    return this.#folder;
  }

  /** Whether a file matches the database; otherwise it is restored. */
  accepts(namespace: string, file: string, revision: string | undefined) {
    return !this.isCurrent() || this.#folder.accepts({ namespace, file }, revision);
  }

  async #follow() {
    const { pollMs = defaultPollMs } = this.#options;
    const { signal } = this.#closing;
    const pause = (ms: number) => sleep(ms, undefined, { signal, ref: false });
    const isRetryable = (error: unknown) => {
      this.#away(error);
      return true;
    };
    const whileAway = { ...awayPauses, isRetryable, signal, sleep: pause };
    while (!signal.aborted)
      await retry(() => this.syncNow(), whileAway)
        .then(() => pause(pollMs))
        .catch(() => undefined);
  }

  async #poll() {
    const { record } = this.#options;
    const startedAt = performance.now();
    await this.#checkCluster();
    if (this.#state !== 'following' || startedAt - (this.#comparedAt ?? 0) > compareEveryMs)
      await this.#compare();
    const { mark, files } = await record.changedSince(this.#mark);
    await this.#takeAll(files.filter((one) => this.#folder.isNewer(one)));
    this.#mark = mark;
    for (const name of this.#folder.takeEdited())
      await record.inTurn(name, () => this.#correct(name));
    for (const name of [...this.#folder.refused.values()])
      await record.inTurn(name, () => this.#retryWrite(name));
    if (startedAt - this.#forgotAt > forgetEveryMs) {
      await record.forgetTombstones();
      this.#forgotAt = startedAt;
    }
    this.#lookedAt = startedAt;
    if (this.#state === 'away') {
      this.#options.onWarning('the knowledge folder follows the database again');
      this.#state = 'comparing';
    }
  }

  /**
   * Detects another cluster after a restore or a changed address, because its transaction ids
   * differ.
   */
  async #checkCluster() {
    const { record } = this.#options;
    const connections = record.connections();
    if (connections === this.#connections) return;
    const cluster = await record.cluster();
    if (cluster !== this.#cluster) this.#compareSoon();
    this.#connections = connections;
    this.#cluster = cluster;
  }

  #away(error: unknown) {
    if (this.#closing.signal.aborted) return;
    if (this.#state !== 'away')
      this.#options.onWarning(
        'the knowledge folder cannot follow the database; answers use the last known documents',
        error,
      );
    this.#state = 'away';
  }

  #compareSoon() {
    if (this.#state === 'following') this.#state = 'comparing';
  }

  /** Compares all files: after a start, after an outage, and at intervals. */
  async #compare() {
    const { record } = this.#options;
    // Resets the state before reading, so that a concurrent request for another comparison is kept.
    if (this.#state === 'comparing') this.#state = 'following';
    await this.#prepare();
    if ((await record.id()) !== this.#id) throw otherDatabase();
    const mark = await record.mark();
    const before = new Map(this.#folder.known);
    const files = await record.list();
    const wanted: FileVersion[] = [];
    const slicer = new TimeSlicer();
    // Files written here after the list was requested are newer than the list.
    const isListed = (file: FileName) =>
      this.#folder.known.get(keyOf(file)) === before.get(keyOf(file));
    const actions = reconcile(files, await this.#indexed(this.#folder.known)).filter(({ file }) =>
      isListed(file),
    );
    for (const { kind, file } of actions) {
      if (kind === 'know') this.#folder.setKnown(file);
      else if (kind === 'correct') this.#folder.scheduleRestore(file);
      else {
        // A restored database wins even if its versions are older.
        this.#folder.known.delete(keyOf(file));
        if (kind === 'fetch') wanted.push(file);
        else if (file.revision !== undefined) this.#folder.scheduleRestore(file);
      }
      await slicer.pause();
    }
    await this.#takeAll(wanted);
    this.#mark = mark;
    this.#compared();
  }

  #compared() {
    this.#comparedAt = this.#lookedAt = performance.now();
  }

  /** Fetches unknown versions and calls `use` for each inside `inTurn`. */
  async #fetch(files: readonly FileVersion[], use: (state: FileState) => Promise<unknown>) {
    const { record } = this.#options;
    const limited = new Semaphore(maxConcurrentWrites);
    for (const batch of inBatches(files.filter((one) => this.#folder.isNewer(one)))) {
      const states = await record.contentsOf(batch);
      const inTurn = (state: FileState) =>
        record.inTurn(state, async () => this.#folder.isNewer(state) && (await use(state)));
      await Promise.all(states.map((state) => limited.run(() => inTurn(state))));
    }
  }

  async #takeAll(files: readonly FileVersion[]) {
    if (files.length === 0) return;
    await this.#fetch(files, async (state) => {
      await this.#folder.write(state);
      await this.#index(state);
    });
    const deleted = files.filter(({ revision }) => revision === undefined);
    if (deleted.length === 0) return;
    const names = [...new Set(deleted.map(({ namespace }) => namespace))];
    const present = await this.#options.record.present(names);
    const dropped = await this.#dropEmpty(names.filter((name) => !present.has(name)));
    // Another server may have just created the namespace again.
    if (dropped.length > 0) this.#compareSoon();
    const others = deleted.filter(({ namespace }) => !dropped.includes(namespace));
    // Deletes answers that this server gave after another server deleted the document.
    await this.#forget?.({
      namespaces: dropped,
      documentIds: others.map(({ namespace, file }) => documentIdOf(namespace, file)),
    });
  }

  async #correct(name: FileName) {
    const folder = this.#folder;
    const stored = await folder.read(name);
    const [state] = await this.#options.record.contentsOf([name]);
    // An outdated mirrored file is not an edit; a command may have written the newest version.
    const isOurs =
      stored?.revision === folder.known.get(keyOf(name))?.revision ||
      stored?.revision === state?.revision;
    if (!isOurs) await folder.moveEdited(name, stored !== undefined);
    if (state && stored?.revision === state.revision) folder.setKnown(state);
    else if (state) await folder.write(state);
    else await folder.discard(name);
    await this.#indexRestored(name, state?.content !== undefined);
  }

  async #retryWrite(name: FileName) {
    const [state] = await this.#options.record.contentsOf([name]);
    if (!state) return void this.#folder.refused.delete(keyOf(name));
    await this.#folder.write(state);
    // The index has already dropped deleted files.
    if (state.content) await this.#index(state);
  }

  /**
   * @param known key → last version written @returns key → indexed document; for auxiliary files
   * the last version written
   */
  async #indexed(known: ReadonlyMap<string, FolderFile>) {
    const namespaces = this.#options.namespaces();
    const local = new Map<string, FolderFile>();
    const slicer = new TimeSlicer();
    for (const [key, one] of known) {
      const isAuxiliary = one.namespace === '' || auxiliaryFiles.includes(one.file);
      local.set(key, isAuxiliary ? one : { ...one, revision: undefined });
      await slicer.pause();
    }
    for (const namespace of await namespaces.names()) {
      for (const { document } of (await namespaces.find(namespace))?.documents() ?? []) {
        const { file, revision } = document;
        const key = keyOf(document);
        local.set(key, { namespace, file, version: known.get(key)?.version, revision });
        await slicer.pause();
      }
    }
    return local;
  }

  /** Indexes a change from the database. */
  async #index({ namespace: name, file, revision }: FileVersion) {
    const namespaces = this.#options.namespaces();
    if (name === '') await namespaces.refreshMessages();
    // `MirrorFolder` removes the file.
    else if (revision === undefined)
      await (await namespaces.find(name))?.erase(file, { remove: async () => undefined });
    else await reread(await namespaces.getOrCreate(name), file);
  }

  /** @param isThere whether the database has the file */
  async #indexRestored({ namespace: name, file }: FileName, isThere: boolean) {
    const namespaces = this.#options.namespaces();
    if (name === '') return namespaces.refreshMessages();
    const open = isThere ? await namespaces.getOrCreate(name) : await namespaces.find(name);
    if (open) await reread(open, file);
  }

  /** Deletes those namespaces that are empty. @returns their names */
  async #dropEmpty(names: readonly string[]) {
    const namespaces = this.#options.namespaces();
    const dropped: string[] = [];
    for (const name of names) {
      if ((await namespaces.find(name))?.size !== 0) continue;
      await namespaces.drop(name);
      dropped.push(name);
    }
    return dropped;
  }
}
