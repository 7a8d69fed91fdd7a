/**
 * The knowledge folder as a mirror of the documents in the database. What other servers change is here a quarter of a second later; what this
 * server changes is here before it is acknowledged. Everything that answers reads the folder, so it goes on while the database is away.
 * The folder belongs to the mirror: a file that a person edits, adds or removes there is put back, and theirs is kept in `.put-back`.
 */
import { lstat, mkdir, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Forget } from '../app/documents.ts';
import { createPauses } from '../concurrency/pauses.ts';
import { createLimit, createQueue } from '../concurrency/queue.ts';
import { retry } from '../concurrency/retry.ts';
import { replaceFile } from '../disk/replace-file.ts';
import { documentIdOf } from '../documents/document-file.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import type { Namespace } from '../documents/namespace.ts';
import { besideDocuments, messagesFileName } from '../documents/namespace-name.ts';
import type { Namespaces } from '../documents/namespaces.ts';
import { KnowledgeError, systemErrorCode } from '../errors.ts';
import { type DocumentRecord, type FileState, type FileVersion, type FollowsFiles, importFile, type PreparedFile } from './documents.ts';

export interface MirrorOptions {
  readonly record: DocumentRecord;
  readonly store: DocumentStore;
  /** Absolute. */
  readonly knowledgeDir: string;
  readonly namespaces: () => Pick<Namespaces, 'find' | 'getOrCreate' | 'drop' | 'names' | 'refreshMessages'>;
  /** Makes the tables, before anything is asked of them. */
  readonly prepare: () => Promise<unknown>;
  readonly onWarning: (message: string, error?: unknown) => void;
  readonly pollMs?: number;
}

interface LocalFile {
  readonly namespace: string;
  readonly file: string;
  readonly revision: string;
}

interface MirrorHealth {
  /** Whether the folder takes what the database says. */
  readonly isWritten: boolean;
  /** Since the last look at the database that succeeded, in milliseconds; null: there was none. */
  readonly ageMs: number | null;
}

/** Beside the namespaces: which database the folder mirrors. */
const markerName = '.mirror.json';
const asideFolder = '.put-back';
const usualPollMs = 250;
/** Everything is compared as often, in case a change was not heard of. */
const compareEveryMs = 60_000;
const forgetEveryMs = 3_600_000;
const awayPauseMs = 500;
/** Of contents that are fetched at a time. */
const maxBatchFiles = 200;
const maxBatchBytes = 8_000_000;
const maxTakenAtOnce = 4;
/** A look that hangs keeps nobody from ending. */
const maxCloseMs = 500;

const maxListed = 5;

const otherDatabase = () =>
  new KnowledgeError(
    'internal',
    'KNOWLEDGE_DIR is the mirror of another database than DATABASE_URL names. Correct DATABASE_URL, restore the database, or start with an empty folder.',
  );

/** Whether to wait may help: not with a wrong password, a missing database or a missing extension. */
const mayPass = (error: unknown): boolean =>
  error instanceof KnowledgeError &&
  error.code === 'storage_unavailable' &&
  error.retryAfterSeconds !== undefined &&
  !/^(?:28|3D|3F|42)/.test(systemErrorCode(error.cause) ?? '');

const foreignFiles = (keys: readonly string[]): string => {
  const listed = keys.slice(0, maxListed).join(', ');
  const more = keys.length > maxListed ? ` and ${keys.length - maxListed} more` : '';
  return `files that the database does not have were moved to ${asideFolder} in KNOWLEDGE_DIR: ${listed}${more}; \`npm run import\` brings a folder in`;
};

const refreshed = (namespace: Namespace, file: string): Promise<unknown> =>
  besideDocuments.includes(file) ? namespace.reconcile() : namespace.refresh(file);

type FileName = Pick<FileVersion, 'namespace' | 'file'>;

const keyOf = ({ namespace, file }: FileName) => (namespace === '' ? file : `${namespace}/${file}`);

function* inBatches(files: readonly FileVersion[]): Generator<FileVersion[]> {
  let batch: FileVersion[] = [];
  let bytes = 0;
  for (const one of files) {
    if (batch.length >= maxBatchFiles || (batch.length > 0 && bytes + one.bytes > maxBatchBytes)) {
      yield batch;
      [batch, bytes] = [[], 0];
    }
    batch.push(one);
    bytes += one.bytes;
  }
  if (batch.length > 0) yield batch;
}

export class Mirror implements FollowsFiles {
  readonly #options: MirrorOptions;
  /** File → what of it is in the folder. */
  readonly #known = new Map<string, Pick<FileVersion, 'version' | 'revision'>>();
  /** Files that are not what they should be. */
  readonly #wrong = new Map<string, FileName>();
  /** Files that are deleted and that the folder did not let go. */
  readonly #left = new Map<string, FileName>();
  readonly #inOrder = createQueue();
  #nextLook: Promise<void> | undefined;
  /** Whether the folder did not take a change; what the database says is then not what is answered from. */
  #isStuck = false;
  readonly #closing = new AbortController();
  #mark = '';
  #id: string | undefined;
  #isPrepared = false;
  #forget: Forget | undefined;
  #connections = 0;
  #cluster = '';
  /** Whether the folder is known to hold what the database held at some time since the start. */
  #isCompared = false;
  #mustCompare = true;
  #comparedAt = 0;
  #forgotAt = performance.now();
  #lookedAt: number | undefined;
  #isAway = false;
  #following: Promise<void> | undefined;

  constructor(options: MirrorOptions) {
    this.#options = options;
  }

  /**
   * Brings the folder in line with the database; before anything reads it.
   * @param canWait whether to wait for the database if the folder was never a mirror and the database cannot be reached
   * @throws KnowledgeError `storage_unavailable` if the folder was never a mirror, unless it can wait
   */
  async open(canWait = false): Promise<void> {
    this.#id = await this.#readMarker();
    if (this.#id === undefined && canWait) await this.#waitForDatabase();
    try {
      await this.#openWith(await this.#localFiles());
    } catch (error) {
      const isAway = error instanceof KnowledgeError && error.code === 'storage_unavailable';
      if (!isAway || this.#id === undefined) throw error;
      this.#away(error);
    }
  }

  async #openWith(local: ReadonlyMap<string, LocalFile>): Promise<void> {
    const { record } = this.#options;
    await this.#prepare();
    const id = await record.id();
    if (this.#id !== undefined && this.#id !== id) throw otherDatabase();
    if (this.#id === undefined && local.size > 0 && (await record.list()).length === 0) await this.#import(local);
    this.#mark = await record.mark();
    const files = await record.list();
    for (const one of files) this.#recognize(one, local.get(keyOf(one))?.revision);
    await this.#writeMarker(id);
    await this.#fetch(files, (state) => this.#write(state));
    const recorded = new Set(files.map(keyOf));
    const foreign = [...local].filter(([key]) => !recorded.has(key));
    for (const [key] of foreign) await this.#setAside(key);
    if (foreign.length > 0) this.#options.onWarning(foreignFiles(foreign.map(([key]) => key)));
    this.#compared();
  }

  #waitForDatabase(): Promise<void> {
    const isRetryable = (error: unknown) => {
      if (!mayPass(error)) return false;
      if (!this.#isAway)
        this.#options.onWarning('the database cannot be reached, and KNOWLEDGE_DIR is no mirror of it yet: waiting', error);
      this.#isAway = true;
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
  async #import(local: ReadonlyMap<string, LocalFile>): Promise<void> {
    const { record, store, onWarning } = this.#options;
    const writes = record.writesThrough(this);
    const takeOne = createLimit(maxTakenAtOnce);
    const bringIn = async ({ namespace, file }: LocalFile) => {
      const text = (await store.read(namespace, file))?.text;
      if (text !== undefined) await importFile(writes, { namespace, file, text }, false);
    };
    await Promise.all([...local.values()].map((one) => takeOne(() => bringIn(one))));
    onWarning(`the database held no document and has those of the knowledge folder now: ${local.size}`);
  }

  /** What is in the folder already need not be fetched. */
  #recognize(one: FileVersion, found: string | undefined): void {
    if (found === one.revision) this.#know(one);
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
    return this.#isCompared;
  }

  /** Brings in what other servers have changed until now. @throws KnowledgeError `storage_unavailable` */
  catchUp(): Promise<void> {
    this.#nextLook ??= this.#inOrder(() => {
      this.#nextLook = undefined;
      return this.#look();
    });
    return this.#nextLook;
  }

  health(): MirrorHealth {
    return { isWritten: !this.#isStuck, ageMs: this.#lookedAt === undefined ? null : Math.round(performance.now() - this.#lookedAt) };
  }

  /** Whether a file of the folder is what the database says; what is not is put back. */
  accepts(namespace: string, file: string, revision: string | undefined): boolean {
    const key = keyOf({ namespace, file });
    if (!this.#isCompared || this.#known.get(key)?.revision === revision) return true;
    if (!this.#left.has(key)) this.#wrong.set(key, { namespace, file });
    return false;
  }

  async take(state: FileState): Promise<void> {
    if (this.#isNews(state)) await this.#write(state);
  }

  async prepare(namespace: string, file: string, content: Buffer): Promise<PreparedFile> {
    const { put, discard } = await this.#stage(namespace, file, content);
    return { put: (state) => (this.#isNews(state) ? put(state) : discard()), discard };
  }

  async #stage(namespace: string, file: string, content: Buffer): Promise<PreparedFile> {
    await this.#clearWay(namespace, file);
    const staged = await this.#options.store.stage(namespace, file, content, true);
    return {
      discard: staged.discard,
      put: async (state) => {
        // Before the file, so that whoever reads it then knows it.
        this.#know(state);
        await staged.put().catch((error: unknown) => this.#fail(state, error));
      },
    };
  }

  #isNews(one: FileVersion): boolean {
    return (this.#known.get(keyOf(one))?.version ?? 0) < one.version;
  }

  #know(one: FileVersion): void {
    this.#known.set(keyOf(one), { version: one.version, revision: one.revision });
  }

  /** The folder does not take a file: everything is compared until it does. */
  #fail(one: FileName, error: unknown): never {
    this.#known.delete(keyOf(one));
    this.#mustCompare = true;
    this.#isStuck = true;
    throw error;
  }

  async #write(state: FileState): Promise<void> {
    const { namespace, file, content } = state;
    try {
      if (content) await (await this.#stage(namespace, file, content)).put(state);
      else await this.#remove(state);
    } catch (error) {
      this.#fail(state, error);
    }
  }

  /** What is deleted is answered from no more, also where the folder does not let the file go: then it is removed later. */
  async #remove(state: FileVersion): Promise<void> {
    const { namespace, file } = state;
    this.#know(state);
    try {
      await this.#clearWay(namespace, file);
      await this.#options.store.remove(namespace, file);
      this.#left.delete(keyOf(state));
    } catch {
      this.#left.set(keyOf(state), { namespace, file });
      this.#isStuck = true;
    }
  }

  async #follow(): Promise<void> {
    const { pollMs = usualPollMs } = this.#options;
    while (!this.#closing.signal.aborted) {
      await this.catchUp().catch((error: unknown) => this.#away(error));
      await sleep(this.#isAway ? Math.max(pollMs, awayPauseMs) : pollMs, undefined, { signal: this.#closing.signal, ref: false }).catch(
        () => undefined,
      );
    }
  }

  async #look(): Promise<void> {
    const { record } = this.#options;
    const startedAt = performance.now();
    await this.#checkCluster();
    if (this.#mustCompare || startedAt - this.#comparedAt > compareEveryMs) await this.#compare();
    const { mark, files } = await record.changedSince(this.#mark);
    await this.#takeAll(files.filter((one) => this.#isNews(one)));
    this.#mark = mark;
    await this.#putBack();
    for (const { namespace, file } of [...this.#left.values()])
      await record.inTurn(namespace, file, () => this.#removeLeft(namespace, file));
    this.#isStuck = this.#left.size > 0;
    if (startedAt - this.#forgotAt > forgetEveryMs) {
      await record.forgetTombstones();
      this.#forgotAt = startedAt;
    }
    this.#lookedAt = startedAt;
    if (this.#isAway) this.#options.onWarning('the documents follow the database again');
    this.#isAway = false;
  }

  /** Another cluster counts its transactions from elsewhere: a restore, or an address that leads to another server. */
  async #checkCluster(): Promise<void> {
    const { record } = this.#options;
    const connections = record.connections();
    if (connections === this.#connections) return;
    const cluster = await record.cluster();
    if (cluster !== this.#cluster) this.#mustCompare = true;
    [this.#connections, this.#cluster] = [connections, cluster];
  }

  #away(error: unknown): void {
    this.#mustCompare = true;
    if (this.#closing.signal.aborted) return;
    if (!this.#isAway) this.#options.onWarning('the documents cannot follow the database, and are answered as they were', error);
    this.#isAway = true;
  }

  /** With everything that there is: after a start, when the database was away, and now and then. */
  async #compare(): Promise<void> {
    const { record } = this.#options;
    await this.#prepare();
    if ((await record.id()) !== this.#id) throw otherDatabase();
    const mark = await record.mark();
    const files = await record.list();
    const indexed = await this.#indexed();
    const recorded = new Set(files.map(keyOf));
    const pause = createPauses();
    for (const one of files) {
      this.#review(one, indexed.get(keyOf(one))?.revision);
      await pause();
    }
    // Deleted long ago, or not there before a restore.
    for (const key of this.#known.keys()) if (!recorded.has(key)) this.#known.delete(key);
    for (const [key, one] of indexed) if (!recorded.has(key)) this.#wrong.set(key, one);
    await this.#takeAll(files.filter((one) => !this.#known.has(keyOf(one))));
    this.#mark = mark;
    this.#compared();
  }

  /**
   * Lets go of what is known and not so: a database that was restored says what is true, also where it is older.
   * @param indexed the revision that is answered from
   */
  #review(one: FileVersion, indexed: string | undefined): void {
    const isDocument = !besideDocuments.includes(one.file);
    const isHere = isDocument && indexed === one.revision;
    if (this.#known.get(keyOf(one))?.version !== one.version) {
      this.#known.delete(keyOf(one));
      if (isHere) this.#recognize(one, one.revision);
    } else if (isDocument && !isHere) this.#wrong.set(keyOf(one), one);
  }

  #compared(): void {
    this.#isCompared = true;
    this.#mustCompare = false;
    this.#comparedAt = this.#lookedAt = performance.now();
  }

  /** Every document that is answered from. */
  async #indexed(): Promise<ReadonlyMap<string, LocalFile>> {
    const namespaces = this.#options.namespaces();
    const all = new Map<string, LocalFile>();
    const pause = createPauses();
    for (const namespace of await namespaces.names()) {
      for (const { document } of (await namespaces.find(namespace))?.documents() ?? []) {
        const { file, revision } = document;
        all.set(keyOf(document), { namespace, file, revision });
        await pause();
      }
    }
    return all;
  }

  /** Contents of files that are not known, each given to `use` in its turn. */
  async #fetch(files: readonly FileVersion[], use: (state: FileState) => Promise<unknown>): Promise<void> {
    const { record } = this.#options;
    const takeOne = createLimit(maxTakenAtOnce);
    for (const batch of inBatches(files.filter((one) => this.#isNews(one)))) {
      const states = await record.contentsOf(batch);
      const inTurn = (state: FileState) =>
        record.inTurn(state.namespace, state.file, async () => this.#isNews(state) && (await use(state)));
      await Promise.all(states.map((state) => takeOne(() => inTurn(state))));
    }
  }

  async #takeAll(files: readonly FileVersion[]): Promise<void> {
    if (files.length === 0) return;
    await this.#fetch(files, async (state) => {
      await this.#write(state);
      await this.#index(state);
    });
    const deleted = files.filter(({ revision }) => revision === undefined);
    if (deleted.length === 0) return;
    const dropped = await this.#dropDeleted([...new Set(deleted.map(({ namespace }) => namespace))]);
    const alone = deleted.filter(({ namespace }) => !dropped.includes(namespace));
    // What was given here since it was deleted at another server.
    await this.#forget?.({ namespaces: dropped, documentIds: alone.map(({ namespace, file }) => documentIdOf(namespace, file)) });
  }

  async #index({ namespace: name, file, revision }: FileVersion): Promise<void> {
    const { namespaces } = this.#options;
    if (name === '') await namespaces().refreshMessages();
    // Its file is removed already, or as soon as the folder lets it go.
    else if (revision === undefined) await (await namespaces().find(name))?.erase(file, { remove: async () => undefined });
    else await refreshed(await namespaces().getOrCreate(name), file);
  }

  /** Namespaces of which nothing is left because they were deleted. @returns those of them that were here */
  async #dropDeleted(names: readonly string[]): Promise<string[]> {
    const { record, namespaces } = this.#options;
    const present = await record.present(names);
    const dropped: string[] = [];
    for (const name of names.filter((one) => !present.has(one))) {
      if ((await namespaces().find(name))?.size !== 0) continue;
      await namespaces().drop(name);
      dropped.push(name);
      // Somebody may have begun it anew this moment.
      this.#mustCompare = true;
    }
    return dropped;
  }

  async #putBack(): Promise<void> {
    for (const [key, { namespace, file }] of [...this.#wrong]) {
      this.#wrong.delete(key);
      await this.#options.record.inTurn(namespace, file, () => this.#correct(namespace, file));
    }
  }

  async #correct(namespace: string, file: string): Promise<void> {
    const { record, store, namespaces, onWarning } = this.#options;
    const key = keyOf({ namespace, file });
    await this.#clearWay(namespace, file);
    const [stored, state] = [await store.read(namespace, file), await record.stateOf(namespace, file)];
    // What was put here and is behind is no edit; a command beside the server may have written the newest.
    const isOurs = stored?.revision === this.#known.get(key)?.revision || stored?.revision === state?.revision;
    const kept = stored && !isOurs ? await this.#setAside(key) : undefined;
    if (!isOurs)
      onWarning(`the file ${key} is put back as the database has it${kept === undefined ? '' : `; what stood there is kept as ${kept}`}`);
    if (state && stored?.revision === state.revision) this.#know(state);
    else if (state) await this.#write(state);
    else await store.remove(namespace, file);
    if (namespace === '') return namespaces().refreshMessages();
    const open = state?.content ? await namespaces().getOrCreate(namespace) : await namespaces().find(namespace);
    if (open) await refreshed(open, file);
  }

  async #removeLeft(namespace: string, file: string): Promise<void> {
    const known = this.#known.get(keyOf({ namespace, file }));
    if (known && known.revision === undefined)
      await this.#remove({ namespace, file, version: known.version, revision: undefined, bytes: 0 });
    else this.#left.delete(keyOf({ namespace, file }));
  }

  /** A link, or whatever else stands where a folder or the file belongs, leads elsewhere: nothing is read or removed behind it. */
  async #clearWay(namespace: string, file: string): Promise<void> {
    const parts = [namespace, ...file.split('/')].filter((part) => part !== '');
    for (let depth = 1; depth <= parts.length; depth++) {
      const path = parts.slice(0, depth).join('/');
      const found = await lstat(join(this.#options.knowledgeDir, path)).catch(() => undefined);
      if (!found) return;
      if (depth < parts.length ? found.isDirectory() : found.isFile()) continue;
      const kept = await this.#setAside(path);
      return this.#options.onWarning(`what stood in place of ${path} is kept as ${kept}`);
    }
  }

  /** @param path below the knowledge folder @returns where it is now */
  async #setAside(path: string): Promise<string> {
    const { knowledgeDir } = this.#options;
    const kept = join(asideFolder, `${path}.${new Date().toISOString().replace(/\D/g, '')}`);
    await mkdir(dirname(join(knowledgeDir, kept)), { recursive: true });
    await rename(join(knowledgeDir, path), join(knowledgeDir, kept));
    return kept;
  }

  async #localFiles(): Promise<Map<string, LocalFile>> {
    const { store } = this.#options;
    const local = new Map<string, LocalFile>();
    const take = async (namespace: string, file: string) => {
      // An unreadable file is replaced by the one of the database.
      const revision = (await store.read(namespace, file).catch(() => undefined))?.revision;
      if (revision !== undefined) local.set(keyOf({ namespace, file }), { namespace, file, revision });
    };
    await take('', messagesFileName);
    for (const namespace of await store.listNamespaces()) {
      const { files } = await store.scan(namespace);
      for (const file of [...files.keys(), ...besideDocuments]) await take(namespace, file);
    }
    return local;
  }

  async #readMarker(): Promise<string | undefined> {
    try {
      const { id } = JSON.parse(await readFile(join(this.#options.knowledgeDir, markerName), 'utf8'));
      return typeof id === 'string' ? id : undefined;
    } catch {
      return undefined;
    }
  }

  async #writeMarker(id: string): Promise<void> {
    this.#id = id;
    const { knowledgeDir } = this.#options;
    await mkdir(knowledgeDir, { recursive: true });
    await replaceFile(join(knowledgeDir, markerName), (file) => file.writeFile(`${JSON.stringify({ id })}\n`));
  }
}
