/** The state of a server, for a command that runs with or without it. */
import { join, resolve } from 'node:path';
import type { Config } from '../config.ts';
import { createDatabase } from '../postgres/database.ts';
import { createPostgresStore } from '../postgres/store.ts';
import { importEarlierState } from '../state/earlier.ts';
import { SqliteStore } from '../state/sqlite-store.ts';
import type { Store } from '../state/store.ts';
import { warn } from './terminal.ts';

/** The store of `DATABASE_URL` or `STATE_DIR`, for as long as `use` takes. */
export async function withStore<T>(
  { databaseUrl: url, stateDir, knowledgeDir }: Pick<Config, 'databaseUrl' | 'stateDir' | 'knowledgeDir'>,
  use: (store: Store) => Promise<T>,
): Promise<T> {
  const database = url === undefined ? undefined : createDatabase({ url });
  const store = database ? createPostgresStore(database) : new SqliteStore({ path: join(resolve(stateDir), 'state.db'), onWarning: warn });
  try {
    if (!store.isShared)
      await importEarlierState({ store, folder: resolve(stateDir), knowledgeDir: resolve(knowledgeDir), onWarning: warn });
    return await use(store);
  } finally {
    await store.close();
    await database?.close();
  }
}
