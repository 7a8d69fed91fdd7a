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
import type { MirrorHealth } from '../../documents/document-writes.ts';
import type { Namespace } from '../../documents/namespace.ts';
import { auxiliaryFiles } from '../../documents/namespace-name.ts';
import type { Namespaces } from '../../documents/namespaces.ts';
import type { Forget } from '../../ingest/documents.ts';
import { lastingProblem } from './database.ts';
import {
  type DocumentRecord,
  type FileMirror,
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

export type Mirror = ReturnType<typeof createMirror>;

export function createMirror(
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
  const { record, onWarning, pollMs = defaultPollMs } = options;
  const folder = new MirrorFolder(options.store, options.knowledgeDir, onWarning);
  const inOrder = new Semaphore(1);
  const closing = new AbortController();
  let state: MirrorState = 'starting';
  let nextPoll: Promise<void> | undefined;
  let following: Promise<void> | undefined;
  let forget: Forget | undefined;
  let isPrepared = false;
  /** Id of the mirrored database; undefined before the first sync. */
  let mirroredId: string | undefined;
  /** Transaction id from which the next poll reads. */
  let nextMark = '';
  let lastConnections = 0;
  let lastCluster = '';
  /** Undefined before the first comparison. */
  let comparedAt: number | undefined;
  let lookedAt: number | undefined;
  let forgotAt = performance.now();

  async function openWith(local: ReadonlyMap<string, FolderFile>) {
    await prepare();
    const id = await record.id();
    if (mirroredId !== undefined && mirroredId !== id) throw otherDatabase();
    if (mirroredId === undefined && local.size > 0 && (await record.list()).length === 0)
      await importAll(local);
    nextMark = await record.mark();
    const files = await record.list();
    const surplus: FileName[] = [];
    for (const { kind, file } of reconcile(files, local)) {
      if (kind === 'know') folder.setKnown(file);
      if (kind === 'surplus') surplus.push(file);
    }
    await folder.writeMarker(id);
    mirroredId = id;
    await fetchNew(files, (one) => folder.write(one));
    await folder.moveSurplus(surplus);
    compared();
    state = 'following';
  }

  function waitForDatabase() {
    let isWaiting = false;
    const isRetryable = (error: unknown) => {
      if (!mayPass(error)) return false;
      if (!isWaiting)
        onWarning(
          'the database is unreachable and KNOWLEDGE_DIR is not a mirror of it yet: waiting',
          error,
        );
      isWaiting = true;
      return true;
    };
    return retry(prepare, { ...awayPauses, isRetryable, signal: closing.signal });
  }

  /** Migrates only once: a server of a later version may migrate further while this one runs. */
  async function prepare() {
    if (!isPrepared) await options.prepare();
    isPrepared = true;
    await record.adoptCluster();
  }

  /**
   * Imports the folder into a database that never had a document. Another server may do the same
   * concurrently.
   */
  async function importAll(local: ReadonlyMap<string, FolderFile>) {
    const writes = record.writesThrough(folder);
    const limited = new Semaphore(maxConcurrentWrites);
    const importOne = async ({ namespace, file }: FolderFile) => {
      const text = (await folder.read({ namespace, file }))?.text;
      if (text !== undefined) await importFile(writes, { namespace, file, text }, false);
    };
    await Promise.all([...local.values()].map((one) => limited.run(() => importOne(one))));
    onWarning(
      `the database was empty; ${local.size} documents were imported from the knowledge folder`,
    );
  }

  function syncNow(): Promise<void> {
    nextPoll ??= inOrder.run(() => {
      nextPoll = undefined;
      return poll();
    });
    return nextPoll;
  }

  /** Whether the folder has matched the database at least once since the start. */
  const isCurrent = () => comparedAt !== undefined;

  async function follow() {
    const { signal } = closing;
    const pause = (ms: number) => sleep(ms, undefined, { signal, ref: false });
    const isRetryable = (error: unknown) => {
      away(error);
      return true;
    };
    const whileAway = { ...awayPauses, isRetryable, signal, sleep: pause };
    while (!signal.aborted)
      await retry(syncNow, whileAway)
        .then(() => pause(pollMs))
        .catch(() => undefined);
  }

  async function poll() {
    const startedAt = performance.now();
    await checkCluster();
    if (state !== 'following' || startedAt - (comparedAt ?? 0) > compareEveryMs) await compare();
    const { mark, files } = await record.changedSince(nextMark);
    await takeAll(files.filter((one) => folder.isNewer(one)));
    nextMark = mark;
    for (const name of folder.takeEdited()) await record.inTurn(name, () => correct(name));
    for (const name of [...folder.refused.values()])
      await record.inTurn(name, () => retryWrite(name));
    if (startedAt - forgotAt > forgetEveryMs) {
      await record.forgetTombstones();
      forgotAt = startedAt;
    }
    lookedAt = startedAt;
    if (state === 'away') {
      onWarning('the knowledge folder follows the database again');
      state = 'comparing';
    }
  }

  /**
   * Detects another cluster after a restore or a changed address, because its transaction ids
   * differ.
   */
  async function checkCluster() {
    const connections = record.connections();
    if (connections === lastConnections) return;
    const cluster = await record.cluster();
    if (cluster !== lastCluster) compareSoon();
    lastConnections = connections;
    lastCluster = cluster;
  }

  function away(error: unknown) {
    if (closing.signal.aborted) return;
    if (state !== 'away')
      onWarning(
        'the knowledge folder cannot follow the database; answers use the last known documents',
        error,
      );
    state = 'away';
  }

  function compareSoon() {
    if (state === 'following') state = 'comparing';
  }

  /** Compares all files: after a start, after an outage, and at intervals. */
  async function compare() {
    // Resets the state before reading, so that a concurrent request for another comparison is kept.
    if (state === 'comparing') state = 'following';
    await prepare();
    if ((await record.id()) !== mirroredId) throw otherDatabase();
    const mark = await record.mark();
    const before = new Map(folder.known);
    const files = await record.list();
    const wanted: FileVersion[] = [];
    const slicer = new TimeSlicer();
    // Files written here after the list was requested are newer than the list.
    const isListed = (file: FileName) => folder.known.get(keyOf(file)) === before.get(keyOf(file));
    const actions = reconcile(files, await indexed(folder.known)).filter(({ file }) =>
      isListed(file),
    );
    for (const { kind, file } of actions) {
      if (kind === 'know') folder.setKnown(file);
      else if (kind === 'correct') folder.scheduleRestore(file);
      else {
        // A restored database wins even if its versions are older.
        folder.known.delete(keyOf(file));
        if (kind === 'fetch') wanted.push(file);
        else if (file.revision !== undefined) folder.scheduleRestore(file);
      }
      await slicer.pause();
    }
    await takeAll(wanted);
    nextMark = mark;
    compared();
  }

  function compared() {
    comparedAt = lookedAt = performance.now();
  }

  /** Fetches unknown versions and calls `use` for each inside `inTurn`. */
  async function fetchNew(
    files: readonly FileVersion[],
    use: (state: FileState) => Promise<unknown>,
  ) {
    const limited = new Semaphore(maxConcurrentWrites);
    for (const batch of inBatches(files.filter((one) => folder.isNewer(one)))) {
      const found = await record.contentsOf(batch);
      const inTurn = (one: FileState) =>
        record.inTurn(one, async () => folder.isNewer(one) && (await use(one)));
      await Promise.all(found.map((one) => limited.run(() => inTurn(one))));
    }
  }

  async function takeAll(files: readonly FileVersion[]) {
    if (files.length === 0) return;
    await fetchNew(files, async (one) => {
      await folder.write(one);
      await index(one);
    });
    const deleted = files.filter(({ revision }) => revision === undefined);
    if (deleted.length === 0) return;
    const names = [...new Set(deleted.map(({ namespace }) => namespace))];
    const present = await record.present(names);
    const dropped = await dropEmpty(names.filter((name) => !present.has(name)));
    // Another server may have just created the namespace again.
    if (dropped.length > 0) compareSoon();
    const others = deleted.filter(({ namespace }) => !dropped.includes(namespace));
    // Deletes answers that this server gave after another server deleted the document.
    await forget?.({
      namespaces: dropped,
      documentIds: others.map(({ namespace, file }) => documentIdOf(namespace, file)),
    });
  }

  async function correct(name: FileName) {
    const stored = await folder.read(name);
    const [held] = await record.contentsOf([name]);
    // An outdated mirrored file is not an edit; a command may have written the newest version.
    const isOurs =
      stored?.revision === folder.known.get(keyOf(name))?.revision ||
      stored?.revision === held?.revision;
    if (!isOurs) await folder.moveEdited(name, stored !== undefined);
    if (held && stored?.revision === held.revision) folder.setKnown(held);
    else if (held) await folder.write(held);
    else await folder.discard(name);
    await indexRestored(name, held?.content !== undefined);
  }

  async function retryWrite(name: FileName) {
    const [held] = await record.contentsOf([name]);
    if (!held) return void folder.refused.delete(keyOf(name));
    await folder.write(held);
    // The index has already dropped deleted files.
    if (held.content) await index(held);
  }

  /**
   * @param known key → last version written @returns key → indexed document; for auxiliary files
   * the last version written
   */
  async function indexed(known: ReadonlyMap<string, FolderFile>) {
    const namespaces = options.namespaces();
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
  async function index({ namespace: name, file, revision }: FileVersion) {
    const namespaces = options.namespaces();
    if (name === '') await namespaces.refreshMessages();
    // `MirrorFolder` removes the file.
    else if (revision === undefined)
      await (await namespaces.find(name))?.erase(file, { remove: async () => undefined });
    else await reread(await namespaces.getOrCreate(name), file);
  }

  /** @param isThere whether the database has the file */
  async function indexRestored({ namespace: name, file }: FileName, isThere: boolean) {
    const namespaces = options.namespaces();
    if (name === '') return namespaces.refreshMessages();
    const open = isThere ? await namespaces.getOrCreate(name) : await namespaces.find(name);
    if (open) await reread(open, file);
  }

  /** Deletes those namespaces that are empty. @returns their names */
  async function dropEmpty(names: readonly string[]) {
    const namespaces = options.namespaces();
    const dropped: string[] = [];
    for (const name of names) {
      if ((await namespaces.find(name))?.size !== 0) continue;
      await namespaces.drop(name);
      dropped.push(name);
    }
    return dropped;
  }

  return {
    /**
     * Synchronizes the folder with the database before the first read.
     * @param canWait if the folder was never a mirror and the database is unreachable, waits instead
     * of throwing `storage_unavailable`
     */
    async open(canWait = false): Promise<void> {
      mirroredId = await folder.readMarker();
      if (mirroredId === undefined && canWait) await waitForDatabase();
      try {
        await openWith(await folder.files());
      } catch (error) {
        if (!isStorageAway(error) || mirroredId === undefined) throw error;
        away(error);
      }
    },
    /** Starts polling the database. @param onForget called for documents deleted by other servers */
    follow(onForget: Forget): void {
      forget = onForget;
      following ??= follow();
    },
    async close(): Promise<void> {
      closing.abort();
      await Promise.race([following, sleep(maxCloseMs, undefined, { ref: false })]);
    },
    isCurrent,
    /** Applies all changes of other servers. @throws KnowledgeError `storage_unavailable` */
    syncNow,
    health: (): MirrorHealth => ({
      isWritten: folder.refused.size === 0,
      ageMs: lookedAt === undefined ? null : Math.round(performance.now() - lookedAt),
    }),
    /** Receives this server's own changes. */
    files: folder as FileMirror,
    /** Whether a file matches the database; otherwise it is restored. */
    accepts: (namespace: string, file: string, revision: string | undefined): boolean =>
      !isCurrent() || folder.accepts({ namespace, file }, revision),
  };
}
