import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { AnswerRows } from '../../src/records/answer-tables.ts';
import { Database } from '../../src/records/postgres/database.ts';
import { SqliteStore } from '../../src/records/sqlite-store.ts';
import type { Store } from '../../src/records/store.ts';
import { postgres } from './postgres.ts';
import { temporaryFolder } from './workspace.ts';

/** Opens the store of a server whose `STATE_DIR` is `folder`. */
export const storeIn = (
  folder: string,
  onWarning: (message: string, error?: unknown) => void = () => undefined,
) => new SqliteStore({ path: join(folder, 'state.db'), onWarning });

export const answersIn = (folder: string) => new AnswerRows(storeIn(folder));

/** Opens the same state again, like the next process or another server. */
export type Place = () => Store;

export async function placeInFile(): Promise<Place> {
  const folder = join(await temporaryFolder(), 'state');
  return () => {
    const store = storeIn(folder);
    onTestFinished(() => store.close());
    return store;
  };
}

export async function placeInDatabase(): Promise<Place> {
  const url = await postgres.newMigrated();
  const open = () => {
    const database = new Database({ url, timeoutMs: 2_000 });
    onTestFinished(() => database.close());
    return database;
  };
  return () => open();
}

/** A document as a finished source of a job names it. */
export const documentWith = (id: string) => ({
  id,
  file: 'a.md',
  title: 'A',
  bytes: 1,
  chunks: 1,
  revision: 'sha256-0',
});

export const engines = [
  ['SQLite', placeInFile],
  ['PostgreSQL', placeInDatabase],
] as const;
