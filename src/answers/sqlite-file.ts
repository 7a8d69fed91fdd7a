/**
 * A SQLite file of INDEX_DIR: made when something is first written, readable by the server's user only. What is
 * deleted is overwritten, in free pages and in the log. Several processes may use it at once; a statement takes well under a millisecond,
 * in which nothing else runs here. Each row has its sum, in the column `sum`: SQLite itself would give out what a disk has altered.
 */
import { closeSync, constants, existsSync, lstatSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { checksumOf } from '../disk/checksum.ts';
import { isDamage, putAside, removeUnfilled, requireFilled, requireTables, requireWhole, salvage } from '../disk/damaged-database.ts';
import { KnowledgeError } from '../errors.ts';

export interface SqliteFileOptions {
  /** Absolute. */
  readonly path: string;
  /** Statements that make its tables, version after version. */
  readonly versions: readonly string[];
  /** Table → its columns, of those that have sums. */
  readonly columns: Readonly<Record<string, string>>;
  /** Brings in what an earlier version kept elsewhere, when the tables are new. */
  readonly takeOver: (database: DatabaseSync) => void;
  readonly onWarning: (message: string, error?: unknown) => void;
  /** The file was deleted or replaced while it was open. */
  readonly onLost: (path: string) => void;
}

/** Another process has the file for some milliseconds. */
const busyMs = 1_000;
/** Statements that add the sums to tables; rows from before have none, and are believed. @param columns table → its columns */
export const withSums = (columns: SqliteFileOptions['columns']): string =>
  Object.entries(columns)
    .map(
      ([table, of]) => `
  ALTER TABLE ${table} ADD COLUMN sum INTEGER;
  CREATE TRIGGER ${table}_inserted AFTER INSERT ON ${table} WHEN new.sum IS NULL
    BEGIN UPDATE ${table} SET sum = checksum(${of}) WHERE rowid = new.rowid; END;
  CREATE TRIGGER ${table}_updated AFTER UPDATE OF ${of} ON ${table}
    BEGIN UPDATE ${table} SET sum = checksum(${of}) WHERE rowid = new.rowid; END`,
    )
    .join(';');
const isAltered = (columns: string) => `sum IS NOT NULL AND sum <> checksum(${columns})`;

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

const tooNew = (path: string, found: number, known: number) =>
  new KnowledgeError(
    'internal',
    `${path} was written by a later version of this program (${found}, known are ${known}): start that version, or restore a backup.`,
  );

/** Makes what each version adds. @throws KnowledgeError `internal` if a later version of the program wrote the file */
function migrate(database: DatabaseSync, { path, versions, takeOver }: SqliteFileOptions): void {
  const version = Number(database.prepare('PRAGMA user_version').get()?.['user_version']);
  if (version > versions.length) throw tooNew(path, version, versions.length);
  if (version === versions.length) return;
  database.exec(`${versions.slice(version).join(';')}; PRAGMA user_version = ${versions.length}`);
  if (version === 0) takeOver(database);
}

/** @throws where something of it is not as it was written */
function requireUnaltered(database: DatabaseSync, { columns }: SqliteFileOptions): void {
  requireWhole(database);
  for (const [table, of] of Object.entries(columns)) {
    const [found] = database.prepare(`SELECT count(*) AS rows FROM ${table} WHERE ${isAltered(of)}`).all();
    if (found?.['rows'] !== 0) throw Object.assign(new Error(`${found?.['rows']} rows of ${table} are altered`), { errcode: 11 });
  }
}

/** Takes over what can be read of a damaged file, and is as it was written. */
function recover(aside: string, database: DatabaseSync, { columns }: SqliteFileOptions): void {
  transact(database, () => {
    salvage(aside, database);
    for (const [table, of] of Object.entries(columns)) database.exec(`DELETE FROM ${table} WHERE ${isAltered(of)}`);
  });
}

function connect(options: SqliteFileOptions): DatabaseSync {
  const { path } = options;
  mkdirSync(dirname(dirname(path)), { recursive: true });
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  requireFilled(path);
  const isNew = !existsSync(path);
  // Made here, so that no link leads elsewhere and nobody else may read it; what SQLite puts beside it gets the same rights.
  closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, 0o600));
  const database = new DatabaseSync(path, { timeout: busyMs, allowUnknownNamedParameters: true });
  try {
    database.exec('PRAGMA secure_delete = ON');
    if (!isNew) requireTables(database);
    database.function('checksum', { varargs: true, deterministic: true }, (...values) => checksumOf(...values));
    // Before there is a log: the file itself then shows that it had tables.
    transact(database, () => migrate(database, options));
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    requireUnaltered(database, options);
    return database;
  } catch (error) {
    database.close();
    removeUnfilled(path);
    throw error;
  }
}

/** Replaces a damaged file. */
function open(options: SqliteFileOptions): DatabaseSync {
  try {
    return connect(options);
  } catch (error) {
    if (!isDamage(error)) throw error;
    const aside = putAside(options.path, new Date());
    options.onWarning('the file of kept answers was damaged; it is kept beside a new one, which has what could be read of it', error);
    const database = connect(options);
    recover(aside, database, options);
    return database;
  }
}

/** Empties the write-ahead log, in which deleted pages live on. @throws where a reader keeps it from that */
function emptyLog(database: DatabaseSync): void {
  const state = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  if (state?.['busy'] !== 0) throw new Error('the log of a database is being read and cannot be emptied');
}

const inodeOf = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.ino;

export function createSqliteFile(options: SqliteFileOptions) {
  const { path, onLost } = options;
  let opened: DatabaseSync | undefined;
  /** Inodes of the open file and its log. */
  let inodes: readonly (number | undefined)[] = [];

  function close(): void {
    opened?.close();
    opened = undefined;
  }

  /** Damage that shows itself later is as that at the start. */
  function orReopened<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (!isDamage(error)) throw error;
      close();
      return work();
    }
  }

  const inodesNow = () => [inodeOf(path), inodeOf(`${path}-wal`)];

  function reopened(): DatabaseSync {
    opened = open(options);
    inodes = inodesNow();
    return opened;
  }

  /** Undefined if there is no file. Rows that are written to a deleted file would be lost, so what is open is compared with the path. */
  function existing(): DatabaseSync | undefined {
    const [inode, logInode] = inodesNow();
    if (opened && (inode !== inodes[0] || logInode !== inodes[1])) {
      // If only the log was deleted, closing writes its content to the file.
      close();
      if (inode !== inodes[0]) onLost(path);
    }
    return opened ?? (inode === undefined ? undefined : reopened());
  }

  return {
    /** Rows of what there is; none where there is no file. */
    read: <Row>(sql: string, values: Readonly<Record<string, SQLInputValue>>): Row[] =>
      orReopened(() => (existing()?.prepare(sql).all(values) ?? []) as Row[]),

    /** Makes the file where there is none. */
    write<T>(work: (database: DatabaseSync) => T): T {
      return orReopened(() => {
        return transact(existing() ?? reopened(), work);
      });
    },

    /** Changes what there is, down to the bytes. */
    erase(values: Readonly<Record<string, SQLInputValue>>, ...statements: readonly string[]): void {
      orReopened(() => {
        const database = existing();
        if (!database) return;
        transact(database, () => statements.map((sql) => database.prepare(sql).run(values)));
        emptyLog(database);
      });
    },

    close,
  };
}
