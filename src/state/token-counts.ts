/**
 * Tokens that models used, by day and caller. A store that is away, or slow, delays no question: the server then continues from what it
 * read last, and saves what it counted when the store is back.
 */
import { createCircuitBreaker } from '../concurrency/circuit-breaker.ts';
import { withAbort } from '../concurrency/deadline.ts';
import { createSerialQueue } from '../concurrency/queue.ts';
import { type Query, type SqlDialect, type Store, sqliteDialect, type Value } from './store.ts';

const { keyText } = sqliteDialect;
export const tokenTables = `
  CREATE TABLE model_tokens (day ${keyText} NOT NULL, key ${keyText} NOT NULL, tokens integer NOT NULL, PRIMARY KEY (day, key)) STRICT;`;

export interface ImpatientQueryOptions {
  readonly store: Pick<Store, 'query' | 'dialect'>;
  readonly onWarning: (message: string, error: unknown) => void;
  /** Of one statement; milliseconds. */
  readonly timeoutMs?: number;
  /** Between a failure and the next try; milliseconds. */
  readonly pauseMs?: number;
}

const usualTimeoutMs = 300;
const usualPauseMs = 5_000;

/**
 * Statements that nobody waits long for: what they are for goes on without the database, which is told once of each time that it is away,
 * and left alone between two tries.
 * @param warning what does not work for now @returns what throws at once while the database is left alone
 */
function createBestEffortQuery(
  { store, onWarning, timeoutMs = usualTimeoutMs, pauseMs = usualPauseMs }: ImpatientQueryOptions,
  warning: string,
) {
  // Whatever it is, the rest goes on.
  const attempt = createCircuitBreaker(pauseMs, () => true, { onOpen: (error) => onWarning(warning, error) });
  const tooLate = () => new Error(`the database did not answer within ${timeoutMs} ms`);
  return <Row extends object>(sql: string, values: readonly Value[] = []): Promise<Row[]> =>
    attempt(() => withAbort(AbortSignal.timeout(timeoutMs), tooLate, () => store.query<Row>(sql, values)));
}

/** Days that are kept. */
const maxCountedDays = 8;
/** Callers per day in memory; beyond it those who used least are dropped. */
const maxKeys = 20_000;
/** Statements of one write. The rest waits for the next one. */
const maxStatements = 100;

/** Counts in memory: the newest days, and of each the callers who used most. */
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
    return [...this.#days].flatMap(([day, counted]) => [...counted].map(([key, tokens]) => ({ day, key, tokens })));
  }

  /** The count of all callers has the most. */
  #forgetLeast(counted: Map<string, number>): void {
    const callers = [...counted].sort(([, a], [, b]) => a - b);
    for (const [key] of callers.slice(0, maxKeys / 2)) counted.delete(key);
  }
}

const statementsFor = ({ elementsOf }: SqlDialect) => ({
  add: `
    WITH counted (key) AS (${elementsOf('$2')})
    INSERT INTO model_tokens (day, key, tokens) SELECT CAST($1 AS text), key, CAST($3 AS bigint) FROM counted WHERE true
    ON CONFLICT (day, key) DO UPDATE SET tokens = model_tokens.tokens + excluded.tokens`,
  read: `SELECT key, CAST(tokens AS double precision) AS tokens FROM model_tokens WHERE day = $1 AND key IN (${elementsOf('$2')})`,
});
const forgetOldDays = `
  DELETE FROM model_tokens WHERE day <> $1 AND day <
    (SELECT min(day) FROM (SELECT DISTINCT day FROM model_tokens ORDER BY day DESC LIMIT $2) AS newest)`;

/** Takes counts over from an earlier version. */
export const importTokens = (query: Query, day: string, key: string, tokens: number) =>
  query(statementsFor(sqliteDialect).add, [day, JSON.stringify([key]), Math.round(tokens)]);

/** The port `TokenCounts` of the token budget. */
export function createTokenCounts(options: ImpatientQueryOptions) {
  const query = createBestEffortQuery(options, 'tokens of models are counted in memory for now, because the store cannot be used');
  const statements = statementsFor(options.store.dialect);
  const inOrder = createSerialQueue();
  /** As the store had it, when it was read last. */
  const known = new TokenTable();
  /** What the store does not have yet. */
  let pending = new TokenTable();
  /** Days before it were removed. */
  let lastDay = '';

  async function forgetOld(day: string): Promise<void> {
    if (day === lastDay) return;
    await query(forgetOldDays, [day, maxCountedDays]);
    lastDay = day;
  }

  async function write(): Promise<void> {
    // In the same order everywhere: two servers never wait for each other's rows.
    const rows = pending.entries().sort((a, b) => (a.day + a.key < b.day + b.key ? -1 : 1));
    if (rows.length === 0) return;
    pending = new TokenTable();
    let isOver = false;
    // All callers and the caller usually have the same number: one statement.
    const groups = [...Map.groupBy(rows, ({ day, tokens }) => `${day} ${tokens}`).values()];
    for (const [at, group] of groups.entries()) {
      const [{ day, tokens } = { day: '', tokens: 0 }] = group;
      const keys = JSON.stringify(group.map(({ key }) => key));
      isOver ||=
        at === maxStatements ||
        (await query(statements.add, [day, keys, Math.round(tokens)]).then(
          () => false,
          () => true,
        ));
      for (const { key } of group) (isOver ? pending : known).add(day, key, tokens);
    }
    if (!isOver) await forgetOld(rows.at(-1)?.day ?? '').catch(() => undefined);
  }

  return {
    open: async () => undefined,
    async read(day: string, keys: readonly string[]): Promise<readonly number[]> {
      await inOrder(write);
      const rows = await query<{ key: string; tokens: number }>(statements.read, [day, JSON.stringify(keys)]).catch(() => []);
      for (const { key, tokens } of rows) known.set(day, key, tokens);
      return keys.map((key) => known.get(day, key) + pending.get(day, key));
    },
    add(day: string, keys: readonly string[], tokens: number): void {
      for (const key of keys) pending.add(day, key, tokens);
      void inOrder(write);
    },
    close: () => inOrder(write),
  };
}
