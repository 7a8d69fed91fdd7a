/**
 * Tokens of models, counted over all servers of a database. One that is away, or slow, keeps no question waiting: then each server goes on
 * from what it read last, and writes down what it counted when the database is back.
 */
import { maxCountedDays, type TokenCounts, TokenTable } from '../app/ask/token-budget.ts';
import { createQueue } from '../concurrency/queue.ts';
import { createImpatientQuery, type ImpatientQueryOptions } from './impatient-query.ts';

export const tokenTables = `
  CREATE TABLE model_tokens (
    day text COLLATE "C", key text COLLATE "C", tokens bigint NOT NULL, PRIMARY KEY (day, key));`;

/** @param options a question waits no longer for the database */
export function createPostgresTokens(options: ImpatientQueryOptions): TokenCounts {
  const query = createImpatientQuery(options, 'tokens of models are not counted over all servers for now');
  const inOrder = createQueue();
  /** As all servers together counted it, when it was read last. */
  const known = new TokenTable();
  /** What the database does not have yet. */
  let pending = new TokenTable();
  /** Of which those before it were forgotten. */
  let lastDay = '';

  async function forgetOld(day: string): Promise<void> {
    if (day === lastDay) return;
    await query(
      `DELETE FROM model_tokens WHERE day <> $1 AND day <
         (SELECT min(day) FROM (SELECT DISTINCT day FROM model_tokens ORDER BY day DESC LIMIT $2) AS newest)`,
      [day, maxCountedDays],
    );
    lastDay = day;
  }

  async function write(): Promise<void> {
    const waiting = pending;
    pending = new TokenTable();
    // In one order everywhere: two servers never wait for each other's rows.
    const rows = waiting.entries().flatMap(([day, counted]) => counted.map(([key, tokens]) => ({ day, key, tokens })));
    if (rows.length === 0) return;
    rows.sort((a, b) => (a.day + a.key < b.day + b.key ? -1 : 1));
    try {
      await query(
        `INSERT INTO model_tokens (day, key, tokens) SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[])
         ON CONFLICT (day, key) DO UPDATE SET tokens = model_tokens.tokens + excluded.tokens`,
        [rows.map(({ day }) => day), rows.map(({ key }) => key), rows.map(({ tokens }) => Math.round(tokens))],
      );
      for (const { day, key, tokens } of rows) known.set(day, key, known.get(day, key) + tokens);
    } catch {
      for (const { day, key, tokens } of rows) pending.set(day, key, pending.get(day, key) + tokens);
      return;
    }
    await forgetOld(rows.at(-1)?.day ?? '').catch(() => undefined);
  }

  return {
    open: async () => undefined,
    async read(day, keys) {
      await inOrder(write);
      const sql = 'SELECT key, tokens::float8 AS tokens FROM model_tokens WHERE day = $1 AND key = ANY($2)';
      const rows = await query<{ key: string; tokens: number }>(sql, [day, keys]).catch(() => []);
      for (const { key, tokens } of rows) known.set(day, key, tokens);
      return keys.map((key) => known.get(day, key) + pending.get(day, key));
    },
    add(day, keys, tokens) {
      for (const key of keys) pending.set(day, key, pending.get(day, key) + tokens);
      void inOrder(write);
    },
    close: () => inOrder(write),
  };
}
