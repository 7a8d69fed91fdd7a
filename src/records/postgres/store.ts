/** PostgreSQL adapter for the port of `../store.ts`. */
import { type LockName, postgresDialect, type Store, type Transaction } from '../store.ts';
import type { Database, PostgresTransaction } from './database.ts';
import { advisoryLocks } from './locks.ts';

const withLocks = ({ query, batch, commit }: PostgresTransaction): Transaction => ({
  query: query as Transaction['query'],
  batch: batch as Transaction['batch'],
  commit: commit as Transaction['commit'],
  async lock(name: LockName, key?: string) {
    if (key === undefined) await query('SELECT pg_advisory_xact_lock($1)', [advisoryLocks[name]]);
    else await query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [advisoryLocks[name], key]);
  },
  async tryLock(name) {
    const [lock] = await query<{ isFree: boolean }>(
      'SELECT pg_try_advisory_xact_lock($1) AS "isFree"',
      [advisoryLocks[name]],
    );
    return lock?.isFree === true;
  },
});

export function createPostgresStore(database: Pick<Database, 'query' | 'transact'>): Store {
  const transact: Store['transact'] = (work) =>
    database.transact((transaction) => work(withLocks(transaction)));
  return {
    dialect: postgresDialect,
    isShared: true,
    query: database.query as Store['query'],
    transact,
    // Deleted rows are no longer readable; PostgreSQL decides when it overwrites their pages.
    erase: transact,
    // The caller who opened the database closes it.
    close: async () => undefined,
  };
}
