/**
 * Detects damaged SQLite files, renames them and copies readable rows into a new file. SQLite
 * detects little damage itself, and late.
 */
import { copyFileSync, existsSync, lstatSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { endianness } from 'node:os';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

/** SQLITE_CORRUPT and SQLITE_NOTADB: retrying does not help. */
const damaged = new Set<unknown>([11, 26]);
/**
 * Checking this many bytes blocks the event loop for some tenths of a second. Larger files are not
 * checked.
 */
const maxCheckedBytes = 200_000_000;
/**
 * Suffixes of the files of a database. All move together, because SQLite would apply an old log to
 * the new file.
 */
const suffixes = ['', '-wal', '-shm'];

export const isDamage = (error: unknown) => damaged.has(Object(error).errcode);

/** SQLITE_BUSY: another process has locked the file, usually for milliseconds. */
export const busy = 5;
export const isBusy = (error: unknown) => (Object(error).errcode & 0xff) === busy;

/** @throws if the file is not a valid database */
export function requireIntact(database: DatabaseSync) {
  const path = database.location();
  if (path === null || (sizeOf(path) ?? 0) > maxCheckedBytes) return;
  const [found] = database.prepare('PRAGMA integrity_check(1)').all();
  if (found?.['integrity_check'] !== 'ok') throw damage(String(found?.['integrity_check']));
}

const sizeOf = (path: string) => lstatSync(path, { throwIfNoEntry: false })?.size;

/** Whether the file or its log exists. */
export const isDatabaseThere = (path: string) =>
  existsSync(path) || (sizeOf(`${path}-wal`) ?? 0) > 0;

const damage = (message: string) => Object.assign(new Error(message), { errcode: 11 });

// Write-ahead log: "WAL-mode File Format" of SQLite's documentation. All numbers are big-endian.
const logHeaderBytes = 32;
const frameHeaderBytes = 24;
const logMagic = 0x377f0682;

/**
 * Continues SQLite's cumulative checksum of a log. The lowest bit of the magic number gives the
 * byte order.
 */
function addToSum(
  [first, second]: readonly [number, number],
  bytes: Buffer,
  isBigEndian: boolean,
): readonly [number, number] {
  const isSwapped = isBigEndian !== (endianness() === 'BE');
  const copy = isSwapped ? Buffer.from(bytes).swap32() : Buffer.from(bytes);
  const words = new Uint32Array(copy.buffer, copy.byteOffset, copy.length / 4);
  for (let at = 0; at < words.length; at += 2) {
    first = (first + (words[at] ?? 0) + second) >>> 0;
    second = (second + (words[at + 1] ?? 0) + first) >>> 0;
  }
  return [first, second];
}

/**
 * SQLite silently ignores a log from its first damaged frame. A kill may also leave invalid frames:
 * those of an uncommitted transaction or of an earlier use of the log. So only a commit after the
 * first invalid frame, or zeros instead of a header, proves damage.
 */
function isLogDamaged(log: Buffer) {
  if (log.length < logHeaderBytes) return log.length > 0;
  const magic = log.readUInt32BE(0);
  if ((magic & ~1) >>> 0 !== logMagic) return true;
  const isBigEndian = (magic & 1) === 1;
  const frameBytes = frameHeaderBytes + log.readUInt32BE(8);
  const hasLogSalt = (at: number) => log.compare(log, 16, 24, at + 8, at + 16) === 0;
  let sum = addToSum([0, 0], log.subarray(0, 24), isBigEndian);
  if (sum[0] !== log.readUInt32BE(24) || sum[1] !== log.readUInt32BE(28)) return true;
  let isOver = false;
  for (let at = logHeaderBytes; at + frameBytes <= log.length; at += frameBytes) {
    // No page has the number 0.
    if (log.readUInt32BE(at) === 0) return true;
    const isCommit = log.readUInt32BE(at + 4) > 0;
    if (isOver && isCommit && hasLogSalt(at)) return true;
    isOver ||= !hasLogSalt(at);
    if (isOver) continue;
    sum = addToSum(
      addToSum(sum, log.subarray(at, at + 8), isBigEndian),
      log.subarray(at + frameHeaderBytes, at + frameBytes),
      isBigEndian,
    );
    isOver = sum[0] !== log.readUInt32BE(at + 16) || sum[1] !== log.readUInt32BE(at + 20);
  }
  return false;
}

/**
 * Must run before SQLite opens the file: SQLite treats an empty file as a new database and removes
 * its log.
 * @throws if the file is empty, if its log is damaged, or if only the log exists
 */
export function requireFilled(path: string) {
  const size = sizeOf(path);
  const log = `${path}-wal`;
  const logSize = sizeOf(log) ?? 0;
  if (size === 0) throw damage('the file is empty');
  if (logSize === 0) return;
  if (size === undefined) throw damage('the file is missing, but its write-ahead log exists');
  if (logSize <= maxCheckedBytes && isLogDamaged(readFileSync(log)))
    throw damage('its write-ahead log is damaged');
}

/**
 * Removes an empty file, left by a failed creation (for example on a full disk): later it would
 * look like lost data.
 */
export function removeUnfilled(path: string) {
  if (sizeOf(path) === 0) rmSync(path);
}

/** @throws if an existing file has no tables */
export function requireTables(database: DatabaseSync) {
  if (!database.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' LIMIT 1").get())
    throw damage('the database has no tables');
}

export const hasTable = (database: DatabaseSync, name: string) =>
  database.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(name) !== undefined;

const copyOf = (aside: string) => `${aside}.copy`;

function removeCopy(aside: string) {
  for (const suffix of suffixes) rmSync(`${copyOf(aside)}${suffix}`, { force: true });
}

/** Renames a damaged database, and copies it for `salvage`. @returns its new path */
export function renameDamaged(path: string, at: Date) {
  const aside = `${path}.damaged-${at.getTime()}`;
  const found = suffixes.filter((suffix) => existsSync(`${path}${suffix}`));
  try {
    for (const suffix of found) copyFileSync(`${path}${suffix}`, `${copyOf(aside)}${suffix}`);
  } catch (error) {
    removeCopy(aside);
    throw error;
  }
  for (const suffix of found) renameSync(`${path}${suffix}`, `${aside}${suffix}`);
  return aside;
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** Reads from both ends: rows after a damaged page are reachable only from the end. */
function copyRows(from: DatabaseSync, to: DatabaseSync, table: string) {
  for (const order of ['ASC', 'DESC']) {
    try {
      for (const row of from
        .prepare(`SELECT rowid AS "rowid", * FROM ${quoted(table)} ORDER BY rowid ${order}`)
        .iterate()) {
        const names = Object.keys(row);
        const into = `INSERT OR IGNORE INTO ${quoted(table)} (${names.map(quoted)}) VALUES (${names.map(() => '?')})`;
        try {
          to.prepare(into).run(...(Object.values(row) as SQLInputValue[]));
        } catch {
          // The row violates a constraint.
        }
      }
    } catch {
      // The rest is unreadable in this direction.
    }
  }
}

/**
 * Copies readable rows of a renamed file; creates missing tables. Opens a copy, because SQLite
 * changes a file and deletes its log. @param database new, with its tables
 */
export function salvage(aside: string, database: DatabaseSync) {
  const copy = copyOf(aside);
  let from: DatabaseSync | undefined;
  try {
    // SQLite deletes the log of an empty file. Pages that are not in the log never changed, or are
    // lost: those of the new file stand for them.
    if (!sizeOf(copy)) copyFileSync(database.location() ?? '', copy);
    from = new DatabaseSync(copy);
    const tables = from
      .prepare(
        "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
      )
      .all();
    for (const { name, sql } of tables) {
      if (!hasTable(database, String(name))) database.exec(String(sql));
      copyRows(from, database, String(name));
    }
  } catch {
    // The rest is unreadable.
  } finally {
    from?.close();
    removeCopy(aside);
  }
}
