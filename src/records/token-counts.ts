/**
 * Model tokens by day and caller. An unreachable or slow store does not delay questions: the server
 * uses the last known counts and saves its own when the store is back.
 */
import { CircuitBreaker } from '../../packages/shared/src/concurrency/circuit-breaker.ts';
import { withAbort } from '../../packages/shared/src/concurrency/deadline.ts';
import { Semaphore } from '../../packages/shared/src/concurrency/queue.ts';
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

  get(day: string, key: string) {
    return this.#days.get(day)?.get(key) ?? 0;
  }

  add(day: string, key: string, tokens: number) {
    this.set(day, key, this.get(day, key) + tokens);
  }

  set(day: string, key: string, tokens: number) {
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
  readonly outcome;

  constructor(timeoutMs: number, outcome: Promise<unknown>) {
    super(`the database did not answer within ${timeoutMs} ms`);
    this.outcome = outcome;
  }
}

/** Implements the port `TokenCounts` of the token budget. */
export class TokenCountRows {
  readonly #query: Query;
  readonly #statements;
  readonly #inOrder = new Semaphore(1);
  /** Counts last read from the store. */
  readonly #known = new TokenTable();
  /** Counts that are not saved yet. */
  #pending = new TokenTable();
  /** Day of the last cleanup. */
  #lastDay = '';

  /**
   * @param timeoutMs maximum time of a statement @param pauseMs after a failure, in which statements
   * fail immediately
   */
  constructor(
    store: Pick<Store, 'query' | 'dialect'>,
    onWarning: (message: string, error: unknown) => void,
    { timeoutMs = 300, pauseMs = 5_000 } = {},
  ) {
    const breaker = new CircuitBreaker({
      pauseMs,
      onOpen: (error) =>
        onWarning('model tokens are counted only in memory until the store is back', error),
    });
    this.#query = (sql, values) =>
      breaker.run(() => {
        const outcome = store.query<never>(sql, values);
        const tooLate = () => new LateError(timeoutMs, outcome);
        return withAbort(AbortSignal.timeout(timeoutMs), tooLate, () => outcome);
      });
    this.#statements = statementsFor(store.dialect);
  }

  async read(day: string, keys: readonly string[]) {
    await this.close();
    const values = [day, JSON.stringify(keys)];
    const rows = await this.#query<{ key: string; tokens: number }>(
      this.#statements.read,
      values,
    ).catch(() => []);
    for (const { key, tokens } of rows) this.#known.set(day, key, tokens);
    return keys.map((key) => this.#known.get(day, key) + this.#pending.get(day, key));
  }

  add(day: string, keys: readonly string[], tokens: number) {
    for (const key of keys) this.#pending.add(day, key, tokens);
    void this.close();
  }

  /** Saves the counts, if the store is there. */
  close() {
    return this.#inOrder.run(() => this.#write());
  }

  async #write() {
    // Sorted to avoid deadlocks between servers.
    const rows = this.#pending.entries().sort((a, b) => (a.day + a.key < b.day + b.key ? -1 : 1));
    if (rows.length === 0) return;
    this.#pending = new TokenTable();
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
        (await this.#query(this.#statements.add, [day, keys, Math.round(tokens)]).then(
          () => false,
          (error: unknown) => {
            if (error instanceof LateError) late = error;
            return true;
          },
        ));
      add(isOver && !late ? this.#pending : this.#known, tokens);
      late?.outcome.catch(() => {
        add(this.#known, -tokens);
        add(this.#pending, tokens);
      });
    }
    if (!isOver) await this.#forgetOld(rows.at(-1)?.day ?? '').catch(() => undefined);
  }

  async #forgetOld(day: string) {
    if (day === this.#lastDay) return;
    await this.#query(forgetOldDays, [day, maxCountedDays]);
    this.#lastDay = day;
  }
}
