/**
 * In-process database with pg_textsearch: PostgreSQL in WASM with one connection. Opening it takes
 * seconds.
 */
import { PGlite, type Transaction } from '@electric-sql/pglite';
import { pg_textsearch } from '@electric-sql/pglite-pg_textsearch';
import { type Database, withLocks } from '../../src/records/postgres/database.ts';
import type { SearchDatabase } from '../../src/records/postgres/search-tables.ts';
import type * as records from '../../src/records/store.ts';

/** Runs one statement with values, or several without. */
const toQuery =
  (client: PGlite | Transaction): Database['query'] =>
  async <Row>(sql: string, values: readonly unknown[] = []) =>
    values.length > 0
      ? (await client.query<Row>(sql, [...values])).rows
      : (((await client.exec(sql)).at(-1)?.rows ?? []) as Row[]);

export async function openSearchDatabase(): Promise<SearchDatabase & { close(): Promise<void> }> {
  const client = await PGlite.create({ extensions: { pg_textsearch } });
  return {
    query: toQuery(client),
    /** Commits only at the end; `commit` does not commit early. */
    transact: (work) =>
      client.transaction((transaction) => {
        const query = toQuery(transaction);
        const batch: records.Transaction<unknown>['batch'] = async (statements) => {
          const rows = [];
          for (const [sql, values] of statements) rows.push(await query<never>(sql, values));
          return rows;
        };
        return work(withLocks({ query, batch, commit: batch }));
      }),
    close: () => client.close(),
  };
}
