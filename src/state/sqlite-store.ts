/**
 * `STATE_DIR/state.db`: the state of one server, readable by the server's user only. The first write makes the file. SQLite overwrites what is
 * deleted, in free pages and in the log. Commands may use the file beside a running server. A statement takes well under a millisecond,
 * in which nothing else runs here; who waits for another process lets others run.
 */
import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTimeSlicer } from '../concurrency/time-slicer.ts';
import { isDamage, putAside, removeUnfilled, requireFilled, requireTables, requireWhole, salvage } from '../disk/damaged-database.ts';
import { KnowledgeError } from '../errors.ts';
import { sqliteAnswerTables } from './answers.ts';
import { callEventTables } from './call-events.ts';
import { chatDeliveryTables } from './chat-deliveries.ts';
import { conversationTables } from './conversations.ts';
import { jobTables } from './jobs.ts';
import { scheduleTables } from './schedules.ts';
import { type Query, type Store, type StoreStatement, sqliteDialect, type Transaction, type Value } from './store.ts';
import { tokenTables } from './token-counts.ts';

/**
 * The tables of `state.db`: version n is the n-th, made once and never changed afterwards. PostgreSQL has the same tables with a longer
 * history (`postgres/migrations.ts`). A new version is added to both.
 */
const sqliteVersions: readonly string[] = [
  [sqliteAnswerTables, conversationTables(sqliteDialect), tokenTables, chatDeliveryTables, callEventTables, scheduleTables, jobTables].join(
    '\n',
  ),
];

export interface SqliteStoreOptions {
  /** Absolute. */
  readonly path: string;
  readonly onWarning: (message: string, error?: unknown) => void;
  /** The file was deleted or replaced while it was open. */
  readonly onLost?: (path: string) => void;
  /** Those of another version of the program, in a test. */
  readonly versions?: readonly string[];
}

/** SQLITE_BUSY: another process has the file for some milliseconds. */
const busy = 5;
const busyPauseMs = 10;
const maxBusyMs = 5_000;
const isBusy = (error: unknown) => error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === busy;

const tooNew = (path: string, found: number, known: number) =>
  new KnowledgeError(
    'internal',
    `${path} was written by a later version of this program (${found}, known are ${known}): start that version, or restore a backup.`,
  );

/** @returns 0 if there are no tables yet */
function versionOf(database: DatabaseSync): number {
  const isThere = database.prepare("SELECT 1 FROM sqlite_master WHERE name = 'schema_version'").get() !== undefined;
  return isThere ? Number(database.prepare('SELECT version FROM schema_version').get()?.['version']) : 0;
}

/** Writes nothing if the file is up to date: a full disk keeps nobody from reading. @throws KnowledgeError `internal` if a later version of the program wrote the file */
function migrate(database: DatabaseSync, path: string, versions: readonly string[]): void {
  if (versionOf(database) === versions.length) return;
  database.exec('BEGIN IMMEDIATE');
  try {
    // Another process may have done it meanwhile.
    const version = versionOf(database);
    if (version > versions.length) throw tooNew(path, version, versions.length);
    if (version === 0)
      database.exec('CREATE TABLE schema_version (version integer NOT NULL) STRICT; INSERT INTO schema_version VALUES (0)');
    for (const statements of versions.slice(version)) database.exec(statements);
    database.exec(`UPDATE schema_version SET version = ${versions.length}; COMMIT`);
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function connect(path: string, versions: readonly string[]): DatabaseSync {
  mkdirSync(dirname(path), { recursive: true });
  requireFilled(path);
  const isNew = !existsSync(path);
  // Made here, so that no link leads elsewhere and nobody else may read it; what SQLite puts beside it gets the same rights.
  closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600));
  const database = new DatabaseSync(path, { allowUnknownNamedParameters: true });
  try {
    database.exec('PRAGMA secure_delete = ON; PRAGMA foreign_keys = ON');
    if (!isNew) requireTables(database);
    // Before there is a log: the file itself then shows that it had tables.
    migrate(database, path, versions);
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    requireWhole(database);
    return database;
  } catch (error) {
    database.close();
    removeUnfilled(path);
    throw error;
  }
}

/** A damaged file is kept beside a new one, which has what can be read of it. */
function open({ path, onWarning, versions = sqliteVersions }: SqliteStoreOptions): DatabaseSync {
  try {
    return connect(path, versions);
  } catch (error) {
    if (!isDamage(error)) throw error;
    const aside = putAside(path, new Date());
    onWarning(
      `${path} was damaged. It is kept as ${aside}; what could be read of it is in a new file. To have all of it, restore a backup.`,
      error,
    );
    const database = connect(path, versions);
    database.exec('BEGIN IMMEDIATE');
    salvage(aside, database);
    database.exec('COMMIT');
    return database;
  }
}

/** Empties the write-ahead log, in which deleted pages live on. @throws if a reader prevents it */
function emptyLog(database: DatabaseSync): void {
  const state = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  if (state?.['busy'] !== 0) throw new Error('the log of a database is being read and cannot be emptied');
}

/** @returns undefined if nothing can be there: to open it says why */
function inodeOf(path: string): number | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.ino;
  } catch {
    return undefined;
  }
}

/** A copy of the file as it is at one moment, also while a server writes to it. */
export function copyStateFile(from: string, to: string): void {
  const source = new DatabaseSync(from, { timeout: maxBusyMs });
  try {
    source.prepare('VACUUM INTO ?').run(to);
  } finally {
    source.close();
  }
}

/** @throws if the file is damaged, or KnowledgeError `internal` if a later version of the program wrote it */
export function requireUsableFile(path: string): void {
  const database = new DatabaseSync(path);
  try {
    requireWhole(database);
    requireTables(database);
    migrate(database, path, sqliteVersions);
  } finally {
    database.close();
  }
}

/** `$1`, `$2` … are names to SQLite. */
const named = (values: readonly Value[]) => Object.fromEntries(values.map((value, at) => [`$${at + 1}`, value]));

async function patiently<T>(work: () => T): Promise<T> {
  const deadline = performance.now() + maxBusyMs;
  for (;;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      await sleep(busyPauseMs);
    }
  }
}

export class SqliteStore implements Store {
  readonly dialect = sqliteDialect;
  readonly isShared = false;
  readonly #options: SqliteStoreOptions;
  #opened: DatabaseSync | undefined;
  #wasOpened = false;
  #statements = new Map<string, StatementSync>();
  /** Inodes of the open file and its log. */
  #inodes: readonly (number | undefined)[] = [];
  /** Set while a transaction is open: all others wait for its end. */
  #transaction: Promise<void> | undefined;

  constructor(options: SqliteStoreOptions) {
    this.#options = options;
  }

  /** Opens the file if there is one. @throws if it cannot be opened, or a later version of the program wrote it */
  async open(): Promise<void> {
    if (existsSync(this.#options.path)) await patiently(() => this.#orReopened(() => this.#database()));
  }

  readonly query: Query = async <Row extends object>(sql: string, values: readonly Value[] = []): Promise<Row[]> => {
    while (this.#transaction) await this.#transaction;
    // Who only looks makes no file, where there was none.
    if (!this.#wasOpened && !existsSync(this.#options.path) && /^\s*SELECT\b/i.test(sql)) return [];
    return patiently(() => this.#orReopened(() => this.#run<Row>(this.#database(), sql, values)));
  };

  transact<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#alone((database) => this.#transactOn(database, work));
  }

  erase<T>(work: (transaction: Transaction) => Promise<T>): Promise<T> {
    return this.#alone(async (database) => {
      const result = await this.#transactOn(database, work);
      emptyLog(database);
      return result;
    });
  }

  /** The file alone is then a complete copy, unless another process still has it open. */
  async close(): Promise<void> {
    while (this.#transaction) await this.#transaction;
    this.#close();
  }

  #close(): void {
    this.#statements = new Map();
    this.#opened?.close();
    this.#opened = undefined;
  }

  #inodesNow() {
    const { path } = this.#options;
    return [inodeOf(path), inodeOf(`${path}-wal`)];
  }

  /** Rows that are written to a deleted file would be lost, so what is open is compared with the path. */
  #database(): DatabaseSync {
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

  /** Damage that shows itself later is treated as at the start. */
  #orReopened<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!isDamage(error)) throw error;
      this.#close();
      return work();
    }
  }

  #run<Row>(database: DatabaseSync, sql: string, values: readonly Value[]): Row[] {
    const statement = this.#statements.get(sql) ?? database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement.all(named(values)) as Row[];
  }

  /** Nobody else queries meanwhile, because all use one connection. */
  async #alone<T>(work: (database: DatabaseSync) => Promise<T>): Promise<T> {
    while (this.#transaction) await this.#transaction;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#transaction = promise;
    try {
      const begun = await patiently(() =>
        this.#orReopened(() => {
          const database = this.#database();
          database.exec('BEGIN IMMEDIATE');
          return database;
        }),
      );
      return await work(begun);
    } finally {
      this.#transaction = undefined;
      resolve();
    }
  }

  async #transactOn<T>(database: DatabaseSync, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    // Others have their turn of the loop: a transaction may have thousands of statements.
    const pause = createTimeSlicer();
    const query: Query = async <Row extends object>(sql: string, values: readonly Value[] = []) => {
      await pause();
      return this.#run<Row>(database, sql, values);
    };
    const batch: Transaction['batch'] = async <Row extends object>(statements: readonly StoreStatement[]) => {
      const rows: Row[][] = [];
      for (const [sql, values] of statements) rows.push(await query<Row>(sql, values));
      return rows;
    };
    try {
      const result = await work({
        query,
        batch,
        // The end of the work commits.
        commit: batch,
        // No other transaction runs.
        lock: async () => undefined,
        tryLock: async () => true,
      });
      database.exec('COMMIT');
      return result;
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    }
  }
}
