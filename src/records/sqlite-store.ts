/**
 * `STATE_DIR/state.db`: the state of one server, readable only by the server's user, created by the
 * first write. Deleted data is overwritten in free pages and in the log. Commands may use the file
 * while a server runs. Statements are synchronous, well under a millisecond; waiting for another
 * process does not block the event loop.
 */
import {
  closeSync,
  constants,
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  openSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { TimeSlicer } from '../../packages/shared/src/concurrency/time-slicer.ts';
import {
  busy,
  hasTable,
  isBusy,
  isDamage,
  isDatabaseThere,
  removeUnfilled,
  renameDamaged,
  requireFilled,
  requireIntact,
  requireTables,
  salvage,
} from '../../packages/shared/src/disk/damaged-database.ts';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { sqliteAnswerTables } from './answer-tables.ts';
import { chatDeliveryTables } from './chat-delivery-table.ts';
import { conversationTables } from './conversations.ts';
import { handOffTables } from './hand-off-table.ts';
import { jobTables } from './job-tables.ts';
import { loopTables, reviewTables, threadColumns } from './loop-tables.ts';
import { scheduleTables } from './schedule-table.ts';
import {
  type Query,
  type Store,
  type StoreStatement,
  sqliteDialect,
  type Transaction,
  tooNewError,
  type Value,
} from './store.ts';
import { tokenTables } from './token-counts.ts';

/**
 * Migrations of `state.db`; published ones never change. Add a new version also to
 * `postgres/migrations.ts`.
 */
const sqliteVersions: readonly string[] = [
  [
    sqliteAnswerTables,
    conversationTables(sqliteDialect),
    tokenTables,
    chatDeliveryTables,
    scheduleTables(sqliteDialect),
    jobTables,
    handOffTables(sqliteDialect),
  ].join('\n'),
  loopTables(sqliteDialect),
  reviewTables,
  threadColumns(sqliteDialect),
];

type SqliteStoreOptions = Readonly<{
  /** Absolute path. */
  path: string;
  onWarning: (message: string, error?: unknown) => void;
  /** Called if the open file was deleted or replaced. */
  onLost?: (path: string) => void;
  /** Replaced in tests. */
  versions?: readonly string[];
}>;

const busyPauseMs = 10;
/** Time after the last write until the log is written to the main file. */
const idleMs = 5_000;
const isRead = (sql: string) => /^\s*SELECT\b/i.test(sql);
const maxBusyMs = 5_000;

/** State files before `state.db`. */
const unreleasedFiles = [
  'answers/answers.db',
  'conversations/conversations.db',
  'model-tokens.json',
  'chat-webhooks.jsonl*',
  'calls-events.jsonl',
  'jobs/*.jsonl',
];

const unreleasedError = (path: string) =>
  new KnowledgeError(
    'internal',
    `${path} was written by an unreleased version. Move it away, or start with another STATE_DIR.`,
  );

/** @throws KnowledgeError `internal` that names the first such file */
export function refuseUnreleasedFiles(folders: readonly string[]) {
  for (const folder of folders) {
    const [found] = globSync(unreleasedFiles, { cwd: folder });
    if (found !== undefined) throw unreleasedError(join(folder, found));
  }
}

/**
 * Returns 0 if there are no tables yet. @throws KnowledgeError `internal` if an unreleased version
 * wrote the file
 */
function versionOf(database: DatabaseSync, path: string) {
  if (hasTable(database, 'table_version'))
    return Number(database.prepare('SELECT version FROM table_version').get()?.['version']);
  // Unreleased versions counted in this table.
  if (hasTable(database, 'schema_version')) throw unreleasedError(path);
  return 0;
}

/**
 * Writes nothing if the file is current, so that reads work on a full disk. @throws KnowledgeError
 * `internal` if a later or an unreleased version wrote the file
 */
function migrate(database: DatabaseSync, path: string, versions: readonly string[]) {
  if (versionOf(database, path) === versions.length) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have migrated it concurrently.
    const version = versionOf(database, path);
    if (version > versions.length)
      throw tooNewError(`${path} was written by`, version, versions.length);
    if (version === 0)
      database.exec(
        'CREATE TABLE table_version (version integer NOT NULL) STRICT; INSERT INTO table_version VALUES (0)',
      );
    for (const statements of versions.slice(version)) database.exec(statements);
    database.exec(`UPDATE table_version SET version = ${versions.length}; COMMIT`);
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function connect(path: string, versions: readonly string[]) {
  mkdirSync(dirname(path), { recursive: true });
  requireFilled(path);
  const isNew = !existsSync(path);
  // Created here to reject links and to set permissions; SQLite copies the permissions to its other
  // files.
  closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600));
  const database = new DatabaseSync(path, { allowUnknownNamedParameters: true });
  try {
    database.exec('PRAGMA secure_delete = ON; PRAGMA foreign_keys = ON');
    if (!isNew) requireTables(database);
    // Migrates before WAL mode, so that the main file itself contains the tables.
    migrate(database, path, versions);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    requireIntact(database);
    return database;
  } catch (error) {
    database.close();
    removeUnfilled(path);
    throw error;
  }
}

/** Renames a damaged file and copies its readable rows into a new one. */
function open({ path, onWarning, versions = sqliteVersions }: SqliteStoreOptions) {
  try {
    return connect(path, versions);
  } catch (error) {
    if (!isDamage(error)) throw error;
    const aside = renameDamaged(path, new Date());
    onWarning(
      `${path} was damaged and is kept as ${aside}. A new file has its readable rows; restore a backup to recover the rest.`,
      error,
    );
    const database = connect(path, versions);
    database.exec('BEGIN IMMEDIATE');
    salvage(aside, database);
    database.exec('COMMIT');
    return database;
  }
}

/**
 * Empties the write-ahead log, which still contains deleted pages. @throws if a reader prevents it
 */
function emptyLog(database: DatabaseSync) {
  const state = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  if (state?.['busy'] !== 0)
    throw Object.assign(new Error('the write-ahead log is in use and cannot be emptied'), {
      errcode: busy,
    });
}

/** Returns undefined if the path is inaccessible: opening the file reports why. */
function inodeOf(path: string) {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.ino;
  } catch {
    return undefined;
  }
}

/** Copies a consistent snapshot of the file, even while a server writes to it. */
export function copyStateFile(from: string, to: string) {
  const source = new DatabaseSync(from, { timeout: maxBusyMs });
  try {
    source.prepare('VACUUM INTO ?').run(to);
  } finally {
    source.close();
  }
}

/** @throws if the file is damaged; KnowledgeError `internal` if another version wrote it */
export function requireUsableFile(path: string) {
  const database = new DatabaseSync(path);
  try {
    requireIntact(database);
    requireTables(database);
    migrate(database, path, sqliteVersions);
  } finally {
    database.close();
  }
}

/** SQLite treats `$1`, `$2` … as names. */
const named = (values: readonly Value[]) =>
  Object.fromEntries(values.map((value, at) => [`$${at + 1}`, value]));

async function retryWhileBusy<T>(work: () => T | Promise<T>) {
  let deadline: number | undefined;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      deadline ??= performance.now() + maxBusyMs;
      if (!isBusy(error) || performance.now() > deadline) throw error;
      await sleep(busyPauseMs);
    }
  }
}

export class SqliteStore implements Store {
  readonly dialect = sqliteDialect;
  readonly isShared = false;
  readonly #options;
  #opened: DatabaseSync | undefined;
  #wasOpened = false;
  #statements = new Map<string, StatementSync>();
  #inodes: readonly (number | undefined)[] = [];
  /** Set during a transaction; all other work waits for its end. */
  #transaction: Promise<void> | undefined;
  readonly #idle = setTimeout(() => this.#checkpoint(), idleMs).unref();

  constructor(options: SqliteStoreOptions) {
    this.#options = options;
  }

  /** Opens the file if it exists. @throws if it cannot be opened or a later version wrote it */
  async open() {
    if (isDatabaseThere(this.#options.path))
      await retryWhileBusy(() => this.#withReopen(() => this.#database()));
  }

  readonly query: Query = <Row extends object>(sql: string, values: readonly Value[] = []) =>
    this.#betweenTransactions(() => {
      // Reads do not create the file.
      if (!this.#wasOpened && isRead(sql) && !isDatabaseThere(this.#options.path)) return [];
      return this.#withReopen(() => this.#run<Row>(this.#database(), sql, values));
    });

  /** Blocks other queries until `work` ends, because all share one connection. */
  async transact<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    while (this.#transaction) await this.#transaction;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#transaction = promise;
    try {
      const begun = await retryWhileBusy(() =>
        this.#withReopen(() => {
          const database = this.#database();
          database.exec('BEGIN IMMEDIATE');
          return database;
        }),
      );
      return await this.#transactOn(begun, work);
    } finally {
      this.#transaction = undefined;
      resolve();
    }
  }

  async erase<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const result = await this.transact(work);
    await this.#betweenTransactions(() => this.#opened && emptyLog(this.#opened));
    return result;
  }

  /**
   * Afterwards the main file is complete without its log, unless another process has the file open.
   */
  async close() {
    while (this.#transaction) await this.#transaction;
    this.#close();
  }

  #close() {
    this.#statements = new Map();
    this.#opened?.close();
    this.#opened = undefined;
  }

  /** Writes the log to the main file. The log stays as a second copy. */
  #checkpoint() {
    if (this.#transaction) return;
    try {
      this.#opened?.exec('PRAGMA wal_checkpoint(PASSIVE)');
    } catch {
      // The log keeps the rows until the next one.
    }
  }

  #inodesNow() {
    const { path } = this.#options;
    return [inodeOf(path), inodeOf(`${path}-wal`)];
  }

  /**
   * Checks that the open file still exists at its path: rows written to a deleted file would be
   * lost.
   */
  #database() {
    const [inode, logInode] = this.#inodesNow();
    if (this.#opened && (inode !== this.#inodes[0] || logInode !== this.#inodes[1])) {
      // If only the log was deleted, closing writes its content to the file.
      this.#close();
      if (inode !== this.#inodes[0]) this.#options.onLost?.(this.#options.path);
    }
    if (!this.#opened) {
      this.#opened = open(this.#options);
      this.#wasOpened = true;
      this.#inodes = this.#inodesNow();
    }
    return this.#opened;
  }

  /** On damage, reopens the file, which repairs it, and runs the work again. */
  #withReopen<T>(work: () => T) {
    try {
      return work();
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#close();
      return work();
    }
  }

  #run<Row>(database: DatabaseSync, sql: string, values: readonly Value[]) {
    const statement = this.#statements.get(sql) ?? database.prepare(sql);
    this.#statements.set(sql, statement);
    if (!isRead(sql)) this.#idle.refresh();
    return statement.all(named(values)) as Row[];
  }

  /** Waits for the end of a transaction before each attempt: a transaction may begin in between. */
  #betweenTransactions<T>(work: () => T) {
    return retryWhileBusy(async () => {
      while (this.#transaction) await this.#transaction;
      return work();
    });
  }

  async #transactOn<T>(database: DatabaseSync, work: (transaction: Transaction) => Promise<T>) {
    // Yields to the event loop: a transaction may have thousands of statements.
    const slicer = new TimeSlicer();
    const query: Query = async <Row extends object>(sql: string, values: readonly Value[] = []) => {
      await slicer.pause();
      return this.#run<Row>(database, sql, values);
    };
    const batch: Transaction['batch'] = async <Row extends object>(
      statements: readonly StoreStatement[],
    ) => {
      const rows: Row[][] = [];
      for (const [sql, values] of statements) rows.push(await query<Row>(sql, values));
      return rows;
    };
    try {
      const result = await work({
        query,
        batch,
        // `#transactOn` commits after `work`.
        commit: batch,
        // No other transaction runs.
        lock: async () => undefined,
        tryLock: async () => true,
      });
      database.exec('COMMIT');
      this.#idle.refresh();
      return result;
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  }
}
