/**
 * A SQLite file of INDEX_DIR that may be deleted at any time: made when something is first written, for the server's user alone. What is
 * deleted is overwritten, in free pages and in the log. Several processes may use it at once; a statement takes well under a millisecond,
 * in which nothing else runs here.
 */
import { closeSync, constants, lstatSync, mkdirSync, openSync, renameSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

export interface SqliteFileOptions {
  /** Absolute. */
  readonly path: string;
  /** Statements that make its tables, version after version. */
  readonly versions: readonly string[];
  /** Brings in what an earlier version kept elsewhere, when the tables are new. */
  readonly takeOver: (database: DatabaseSync) => void;
  readonly onWarning: (message: string, error?: unknown) => void;
}

/** Another process has the file for some milliseconds. */
const busyMs = 1_000;
/** SQLITE_CORRUPT and SQLITE_NOTADB: no later try would fare better. */
const damaged = new Set<unknown>([11, 26]);

const isDamaged = (error: unknown) => error instanceof Error && 'errcode' in error && damaged.has(error.errcode);

/** All of it, or nothing. */
function transact<T>(database: DatabaseSync, work: (database: DatabaseSync) => T): T {
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work(database);
    database.exec('COMMIT');
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function connect({ path, versions, takeOver }: SqliteFileOptions): DatabaseSync {
  mkdirSync(dirname(dirname(path)), { recursive: true });
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Made here, so that no link leads elsewhere and nobody else may read it; what SQLite puts beside it gets the same rights.
  closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600));
  const database = new DatabaseSync(path, { timeout: busyMs, allowUnknownNamedParameters: true });
  try {
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON');
    transact(database, () => {
      const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
      if (version >= versions.length) return;
      database.exec(`${versions.slice(version).join(';')}; PRAGMA user_version = ${versions.length}`);
      if (version === 0) takeOver(database);
    });
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Empties the write-ahead log, in which deleted pages live on. @throws where a reader keeps it from that */
function emptyLog(database: DatabaseSync): void {
  const state = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  if (state?.['busy'] !== 0) throw new Error('the log of a database is being read and cannot be emptied');
}

export function createSqliteFile(options: SqliteFileOptions) {
  const { path, onWarning } = options;
  let opened: DatabaseSync | undefined;

  function close(): void {
    opened?.close();
    opened = undefined;
  }

  function open(): DatabaseSync {
    try {
      return connect(options);
    } catch (error) {
      if (!isDamaged(error)) throw error;
      renameSync(path, `${path}.damaged-${Date.now()}`);
      onWarning('the file of kept answers was no database and is kept beside a new one', error);
      return connect(options);
    }
  }

  /** Undefined where there is no file, or none any more. */
  function existing(): DatabaseSync | undefined {
    if (!lstatSync(path, { throwIfNoEntry: false })) close();
    else opened ??= open();
    return opened;
  }

  return {
    /** Rows of what there is; none where there is no file. */
    read: <Row>(sql: string, values: Readonly<Record<string, SQLInputValue>>): Row[] =>
      (existing()?.prepare(sql).all(values) ?? []) as Row[],

    /** Makes the file where there is none. */
    write<T>(work: (database: DatabaseSync) => T): T {
      opened = existing() ?? open();
      return transact(opened, work);
    },

    /** Changes what there is, down to the bytes. */
    erase(values: Readonly<Record<string, SQLInputValue>>, ...statements: readonly string[]): void {
      const database = existing();
      if (!database) return;
      transact(database, () => statements.map((sql) => database.prepare(sql).run(values)));
      emptyLog(database);
    },

    close,
  };
}
