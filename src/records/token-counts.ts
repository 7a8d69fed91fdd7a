/**
 * Model tokens by day and caller. An unreachable or slow store does not delay questions: the server
 * uses the last known counts and saves its own when the store is back.
 */
import { CircuitBreaker } from '../../packages/shared/src/concurrency/circuit-breaker.ts';
import { withAbort } from '../../packages/shared/src/concurrency/deadline.ts';
import { Semaphore } from '../../packages/shared/src/concurrency/queue.ts';
import type { TokenCounts } from '../models/token-budget.ts';
import { type Query, type SqlDialect, type Store, sqliteDialect } from './store.ts';

const { keyText } = sqliteDialect;
export const tokenTables = `
  CREATE TABLE model_tokens (day ${keyText} NOT NULL, key ${keyText} NOT NULL,
    tokens integer NOT NULL, PRIMARY KEY (day, key)) STRICT;`;

const maxCountedDays = 8;
/** Callers per day in memory; beyond it those with the lowest counts are dropped. */
const maxKeys = 20_000;
/** Maximum statements per write; the rest waits for the next write. */
const maxStatements = 100;

/** In-memory counts of the newest days. Keeps the callers with the highest counts. */
class TokenTable {
  readonly #days = new Map<string, Map<string, number>>();

  get(day: string, key: string): number {
    return this.#days.get(day)?.get(key) ?? 0;
  }

  add(day: string, key: string, tokens: number): void {
    this.set(day, key, this.get(day, key) + tokens);
  }

  set(day: string, key: string, tokens: number): void {
    const counted = this.#days.get(day) ?? new Map<string, number>();
    this.#days.set(day, counted);
    counted.set(key, tokens);
    if (counted.size > maxKeys) this.#forgetLeast(counted);
    const [oldest] = [...this.#days.keys()].filter((one) => one !== day).sort();
    if (this.#days.size > maxCountedDays && oldest !== undefined) this.#days.delete(oldest);
  }

  entries() {
    return [...this.#days].flatMap(([day, counted]) =>
      [...counted].map(([key, tokens]) => ({ day, key, tokens })),
    );
  }

  /** Keeps the total of all callers, because it is the highest count. */
  #forgetLeast(counted: Map<string, number>) {
    const callers = [...counted].sort(([, a], [, b]) => a - b);
    for (const [key] of callers.slice(0, maxKeys / 2)) counted.delete(key);
  }
}

const statementsFor = ({ elementsOf }: SqlDialect) => ({
  add: `
    WITH counted (key) AS (${elementsOf('$2')})
    INSERT INTO model_tokens (day, key, tokens) SELECT CAST($1 AS text), key, CAST($3 AS bigint)
      FROM counted WHERE true
    ON CONFLICT (day, key) DO UPDATE SET tokens = model_tokens.tokens + excluded.tokens`,
  read: `SELECT key, CAST(tokens AS double precision) AS tokens FROM model_tokens WHERE day = $1
    AND key IN (${elementsOf('$2')})`,
});
const forgetOldDays = `
  DELETE FROM model_tokens WHERE day <> $1 AND day <
    (SELECT min(day) FROM (SELECT DISTINCT day FROM model_tokens ORDER BY day DESC LIMIT $2) AS newest)`;

/** The statement may still succeed. */
class LateError extends Error {
  readonly outcome: Promise<unknown>;

  constructor(timeoutMs: number, outcome: Promise<unknown>) {
    super(`the database did not answer within ${timeoutMs} ms`);
    this.outcome = outcome;
  }
}

/**
 * @param timeoutMs maximum time of a statement @param pauseMs after a failure, in which statements
 * fail immediately
 */
export function createTokenCounts(
  store: Pick<Store, 'query' | 'dialect'>,
  onWarning: (message: string, error: unknown) => void,
  { timeoutMs = 300, pauseMs = 5_000 } = {},
): TokenCounts {
  const statements = statementsFor(store.dialect);
  const inOrder = new Semaphore(1);
  /** Counts last read from the store. */
  const known = new TokenTable();
  /** Counts that are not saved yet. */
  let pending = new TokenTable();
  /** Day of the last cleanup. */
  let lastDay = '';
  const breaker = new CircuitBreaker({
    pauseMs,
    onOpen: (error) =>
      onWarning('model tokens are counted only in memory until the store is back', error),
  });
  const query: Query = (sql, values) =>
    breaker.run(() => {
      const outcome = store.query<never>(sql, values);
      const tooLate = () => new LateError(timeoutMs, outcome);
      return withAbort(AbortSignal.timeout(timeoutMs), tooLate, () => outcome);
    });

  /** Saves the counts, if the store is there. */
  const close = () => inOrder.run(write);

  async function write() {
    // Sorted to avoid deadlocks between servers.
    const rows = pending.entries().sort((a, b) => (a.day + a.key < b.day + b.key ? -1 : 1));
    if (rows.length === 0) return;
    pending = new TokenTable();
    let isOver = false;
    // The caller and the total usually add the same number, so they share a statement.
    const groups = [...Map.groupBy(rows, ({ day, tokens }) => `${day} ${tokens}`).values()];
    for (const [at, group] of groups.entries()) {
      const [{ day, tokens } = { day: '', tokens: 0 }] = group;
      const keys = JSON.stringify(group.map(({ key }) => key));
      const add = (table: TokenTable, count: number) => {
        for (const { key } of group) table.add(day, key, count);
      };
      let late: LateError | undefined;
      isOver ||=
        at === maxStatements ||
        (await query(statements.add, [day, keys, Math.round(tokens)]).then(
          () => false,
          (error: unknown) => {
            if (error instanceof LateError) late = error;
            return true;
          },
        ));
      add(isOver && !late ? pending : known, tokens);
      late?.outcome.catch(() => {
        add(known, -tokens);
        add(pending, tokens);
      });
    }
    if (!isOver) await forgetOld(rows.at(-1)?.day ?? '').catch(() => undefined);
  }

  async function forgetOld(day: string) {
    if (day === lastDay) return;
    await query(forgetOldDays, [day, maxCountedDays]);
    lastDay = day;
  }

  return {
    close,
    async read(day, keys) {
      await close();
      const rows = await query<{ key: string; tokens: number }>(statements.read, [
        day,
        JSON.stringify(keys),
      ]).catch(() => []);
      for (const { key, tokens } of rows) known.set(day, key, tokens);
      return keys.map((key) => known.get(day, key) + pending.get(day, key));
    },
    add(day, keys, tokens) {
      for (const key of keys) pending.add(day, key, tokens);
      void close();
    },
  };
}
