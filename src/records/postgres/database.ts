/**
 * Bounded connection pool to the PostgreSQL database that several servers share. All statements are
 * parameterized. If the database is unreachable, queries fail with `storage_unavailable` within
 * seconds. The `pg` package is loaded with the first connection.
 */
import type { Pool, PoolClient, Query as PostgresQuery, QueryResultRow } from 'pg';
import { Semaphore } from '../../../packages/shared/src/concurrency/queue.ts';
import { retry } from '../../../packages/shared/src/concurrency/retry.ts';
import {
  causesOf,
  isStorageAway,
  KnowledgeError,
  systemErrorCode,
} from '../../../packages/shared/src/errors.ts';
import {
  advisoryLocks,
  postgresDialect,
  type Query,
  type Store,
  type StoreStatement,
  type Transaction,
} from '../store.ts';
import { Batch } from './batch.ts';

const retryAfterSeconds = 5;
/**
 * Number of timeouts to wait while all connections are in use, because this state ends sooner than
 * an outage.
 */
const busyTimeouts = 3;
const busyPauseMs = 200;
/** too_many_connections */
const isBusy = (error: unknown) => systemErrorCode(error) === '53300';

/**
 * PostgreSQL error codes and classes ("Appendix A. Error Codes") that are temporary or that an
 * operator can fix: connections, resources, startup and shutdown, standby servers, lock timeouts,
 * permissions and passwords, a database or table that is being restored.
 */
const temporary = /^(?:08|28|53|57|58|25006|25P0|3D000|3F000|40001|40P01|42501|42P01|55P03)/;

/** Error of `pg` without a code. */
const noTls = /^The server does not support SSL connections/;

/** Error code → why waiting does not help. */
const lastingProblems: readonly (readonly [RegExp, string])[] = [
  [/^28/, 'The database refuses the user or the password of DATABASE_URL.'],
  [/^3D/, 'The database that DATABASE_URL names does not exist.'],
  [/^(?:3F|42)/, 'The user of DATABASE_URL lacks a schema, a table or a right.'],
  [
    /CERT|^UNABLE_TO_|^ERR_TLS_/,
    'The certificate of the database is not trusted. Add sslrootcert=FILE with its CA to DATABASE_URL.',
  ],
];

/** @returns a sentence; undefined if the database may come back without a change by an operator */
export function lastingProblem(cause: unknown) {
  for (const { message } of causesOf(cause))
    if (noTls.test(message))
      return 'The database does not offer the TLS of DATABASE_URL. Enable it there, or remove sslmode.';
  const code = systemErrorCode(cause) ?? '';
  return lastingProblems.find(([pattern]) => pattern.test(code))?.[1];
}

class UnavailableError extends KnowledgeError {
  constructor(cause: unknown) {
    const message =
      lastingProblem(cause) ?? 'The database is unreachable. Writes fail until it is back.';
    super('storage_unavailable', message, { cause, retryAfterSeconds });
  }
}

/** The connection had ended before anything was sent. */
class NotSentError extends UnavailableError {}

/** Keeps errors of statements; maps all others to `storage_unavailable`. */
function toFailure(error: unknown) {
  if (error instanceof KnowledgeError) return error;
  const code = systemErrorCode(error) ?? '';
  const isStatement = /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code);
  return isStatement && !temporary.test(code) ? error : new UnavailableError(error);
}

type Statements = readonly StoreStatement<unknown>[];

export class Database implements Store {
  readonly dialect = postgresDialect;
  readonly isShared = true;
  readonly #options;
  #opened: Promise<{ pool: Pool; Query: typeof PostgresQuery }> | undefined;
  #connections = 0;

  /**
   * @param options `url`: `postgres://user:password@host:port/database`, `sslmode` selects TLS;
   * `timeoutMs`: maximum time to open a connection. While all connections are in use, statements
   * wait three times as long; `statementTimeoutMs`: maximum duration of a statement, default
   * `timeoutMs`
   */
  constructor(
    options: Readonly<{
      url: string;
      maxConnections?: number;
      timeoutMs?: number;
      statementTimeoutMs?: number;
    }>,
  ) {
    const { timeoutMs = 5_000, statementTimeoutMs = timeoutMs } = options;
    this.#options = { maxConnections: 10, ...options, timeoutMs, statementTimeoutMs };
  }

  readonly query: Query<unknown> = async (sql, values = []) => {
    const { client, rows } = await this.#begin([[sql, values]]);
    client.release();
    return rows[0] as never[];
  };

  /** A transaction occupies a connection from its first statement until `commit` or its end. */
  async transact<T>(work: (transaction: Transaction<unknown>) => Promise<T>): Promise<T> {
    const inOrder = new Semaphore(1);
    let client: PoolClient | undefined;
    let isEnded = false;
    let failure: unknown;
    const send = async (statements: Statements) => {
      if (client) return this.#send(client, statements);
      // BEGIN shares a batch with the first statements, so that none takes effect without it.
      const begun = await this.#begin([['BEGIN'], ...statements]);
      client = begun.client;
      return begun.rows.slice(1);
    };
    const batch = <Row extends object>(statements: Statements) =>
      inOrder.run(async () => {
        if (failure) throw failure;
        if (isEnded) throw new Error('The transaction has ended.');
        return send(statements).catch((error: unknown) => {
          failure = error;
          throw error;
        }) as Promise<Row[][]>;
      });
    const release = (error?: unknown) => {
      client?.release(error instanceof Error);
      client = undefined;
    };
    const commit = async <Row extends object>(statements: Statements) => {
      // PostgreSQL silently rolls back when a failed transaction commits.
      if (failure) throw failure;
      if (isEnded || (!client && statements.length === 0)) return [];
      const rows = await batch<Row>([...statements, ['COMMIT']]);
      isEnded = true;
      release();
      return rows.slice(0, -1);
    };
    const query: Query<unknown> = async (sql, values = []) =>
      (await batch<never>([[sql, values]]))[0] ?? [];
    const lock: Transaction['lock'] = async (name) =>
      void (await query('SELECT pg_advisory_xact_lock($1)', [advisoryLocks[name]]));
    const tryLock: Transaction['tryLock'] = async (name) => {
      const [tried] = await query<{ isFree: boolean }>(
        'SELECT pg_try_advisory_xact_lock($1) AS "isFree"',
        [advisoryLocks[name]],
      );
      return tried?.isFree === true;
    };
    try {
      const result = await work({ query, batch, commit, lock, tryLock });
      await commit([]);
      return result;
    } catch (error) {
      // The work may wrap the error of a statement, but an outage must stay recognizable.
      const isAway = isStorageAway(failure);
      // A rollback over a broken connection would only time out.
      if (isAway) release(failure);
      if (client) await this.#send(client, [['ROLLBACK']]).then(() => release(), release);
      throw isAway ? failure : error;
    }
  }

  /** Deleted rows are no longer readable; PostgreSQL decides when it overwrites their pages. */
  erase<T>(work: (transaction: Transaction<unknown>) => Promise<T>) {
    return this.transact(work);
  }

  /** Number of connections opened so far. A new connection may lead to another server. */
  connections() {
    return this.#connections;
  }

  async close() {
    await (await this.#opened?.catch(() => undefined))?.pool.end();
    this.#opened = undefined;
  }

  async #open() {
    const { url, maxConnections: max, timeoutMs, statementTimeoutMs } = this.#options;
    const { Pool, Client: PostgresClient, Query } = (await import('pg')).default;
    const config = {
      connectionString: url,
      max,
      connectionTimeoutMillis: timeoutMs * busyTimeouts,
      query_timeout: statementTimeoutMs,
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: statementTimeoutMs * 2,
      keepAlive: true,
      application_name: 'knowledge-agent',
    };
    // The pool's own timeout includes the wait for a free connection, so clients need a shorter
    // one.
    class Client extends PostgresClient {
      constructor() {
        super({ ...config, connectionTimeoutMillis: timeoutMs });
      }
    }
    const pool = new Pool({ ...config, Client });
    // If a connection ends, the next statement reports it.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => {
      client.on('error', () => undefined);
      this.#connections++;
    });
    return { pool, Query };
  }

  async #send(client: PoolClient, statements: Statements) {
    const { Query } = await this.#pool();
    const { promise, resolve, reject } = Promise.withResolvers<QueryResultRow[][]>();
    const { statementTimeoutMs } = this.#options;
    const batch = new Batch(Query, statements, statementTimeoutMs, (error, rows) =>
      error ? reject(error) : resolve(rows),
    );
    client.query(batch);
    return promise.catch((error: unknown) => {
      throw batch.wasSent ? toFailure(error) : new NotSentError(error);
    });
  }

  /**
   * Sends statements over a free connection. If the connection had ended before, sends them once
   * more over another.
   */
  #begin(statements: Statements) {
    return retry(() => this.#sendFirst(statements), {
      firstPauseMs: 0,
      maxAttempts: 2,
      isRetryable: (error) => error instanceof NotSentError,
    });
  }

  async #sendFirst(statements: Statements) {
    const client = await retry(async () => (await this.#pool()).pool.connect(), {
      firstPauseMs: busyPauseMs,
      maxPauseMs: busyPauseMs,
      totalMs: this.#options.timeoutMs * busyTimeouts,
      isRetryable: isBusy,
    }).catch((error: unknown) => {
      throw toFailure(error);
    });
    try {
      return { client, rows: await this.#send(client, statements) };
    } catch (error) {
      // Failed connections are not reused.
      client.release(true);
      throw error;
    }
  }

  #pool() {
    this.#opened ??= this.#open();
    return this.#opened;
  }
}
