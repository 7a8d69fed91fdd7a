/**
 * What becomes of a SQLite file that a disk or a hand has altered: it is put aside, and what can be read of it goes into a new one. SQLite
 * by itself notices little of that, late, and in any statement.
 */
import { existsSync, lstatSync, renameSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';

/** SQLITE_CORRUPT and SQLITE_NOTADB: no later try would fare better. */
const damaged = new Set<unknown>([11, 26]);
/** To look through so many takes some tenths of a second, in which nothing else runs. A larger file is used as it is. */
const maxCheckedBytes = 200_000_000;
/** What SQLite keeps beside a file: of another file it would be taken for a part of the new one. */
const companions = ['', '-wal', '-shm'];

export const isDamage = (error: unknown): boolean => error instanceof Error && 'errcode' in error && damaged.has(error.errcode);

/** @throws where it is no database, or not as SQLite left it */
export function requireWhole(database: DatabaseSync): void {
  const path = database.location();
  if (path === null || (lstatSync(path, { throwIfNoEntry: false })?.size ?? 0) > maxCheckedBytes) return;
  const [found] = database.prepare('PRAGMA integrity_check(1)').all();
  if (found?.['integrity_check'] !== 'ok') throw Object.assign(new Error(String(found?.['integrity_check'])), { errcode: 11 });
}

/** @returns where it is now */
export function putAside(path: string, at: Date): string {
  const aside = `${path}.damaged-${at.getTime()}`;
  for (const more of companions) if (existsSync(`${path}${more}`)) renameSync(`${path}${more}`, `${aside}${more}`);
  return aside;
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;

/** From both ends, because what stands behind a damaged page is not found from before it. */
function copyRows(from: DatabaseSync, to: DatabaseSync, table: string): void {
  for (const order of ['ASC', 'DESC']) {
    try {
      for (const row of from.prepare(`SELECT rowid AS "rowid", * FROM ${quoted(table)} ORDER BY rowid ${order}`).iterate()) {
        const names = Object.keys(row);
        const into = `INSERT OR IGNORE INTO ${quoted(table)} (${names.map(quoted)}) VALUES (${names.map(() => '?')})`;
        try {
          to.prepare(into).run(...(Object.values(row) as SQLInputValue[]));
        } catch {
          // A row that the table does not take.
        }
      }
    } catch {
      // From here on it cannot be read.
    }
  }
}

/** Copies what can be read of a file that was put aside: rows as they are, into tables that are made where there are none. */
export function salvage(aside: string, database: DatabaseSync): void {
  let from: DatabaseSync | undefined;
  try {
    from = new DatabaseSync(aside);
    const tables = from.prepare("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").all();
    for (const { name, sql } of tables) {
      const isThere = database.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(name as string);
      if (!isThere) database.exec(String(sql));
      copyRows(from, database, String(name));
    }
  } catch {
    // Nothing more can be read.
  } finally {
    from?.close();
  }
}

/** Puts a file aside that is damaged, for one with what can be read of it. @returns what was found; undefined where it is whole, or not there */
export function repairDatabase(path: string, at: Date): Error | undefined {
  if (!existsSync(path)) return undefined;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path);
    requireWhole(database);
    return undefined;
  } catch (error) {
    if (!isDamage(error)) return undefined;
    database?.close();
    const aside = putAside(path, at);
    const made = new DatabaseSync(path);
    try {
      salvage(aside, made);
    } finally {
      made.close();
    }
    return error as Error;
  } finally {
    if (database?.isOpen) database.close();
  }
}
