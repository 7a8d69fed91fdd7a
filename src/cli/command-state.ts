/** The state of a server, for a command that runs with or without it. */
import { join, resolve } from 'node:path';
import type { Config } from '../config.ts';
import { createDatabase } from '../postgres/database.ts';
import { createPostgresStore } from '../postgres/store.ts';
import { SqliteStore } from '../state/sqlite-store.ts';
import type { Store } from '../state/store.ts';
import { warn } from './terminal.ts';

export async function withStore<T>(
  { databaseUrl: url, stateDir }: Pick<Config, 'databaseUrl' | 'stateDir'>,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const database = url === undefined ? undefined : createDatabase({ url });
  const store = database ? createPostgresStore(database) : new SqliteStore({ path: join(resolve(stateDir), 'state.db'), onWarning: warn });
  try {
    return await use(store);
  } finally {
    await store.close();
    await database?.close();
  }
}
