/**
 * Bounded connection pool to the PostgreSQL database that several servers share. All statements are
 * parameterized. If the database is unreachable, queries fail with `storage_unavailable` within
 * seconds. The `pg` package is loaded with the first connection.
 */
import type { PoolClient, PoolConfig, QueryResultRow } from 'pg';
import { lazy } from '../../../packages/shared/src/concurrency/lazy.ts';
import { Semaphore } from '../../../packages/shared/src/concurrency/queue.ts';
import { retry } from '../../../packages/shared/src/concurrency/retry.ts';
import {
  causesOf,
  isStorageAway,
  KnowledgeError,
  systemErrorCode,
} from '../../../packages/shared/src/errors.ts';
import { Batch, type PostgresStatement } from './batch.ts';

/** Runs a statement with values for `$1`, `$2` … @throws KnowledgeError `storage_unavailable` */
export type PostgresQuery = <Row extends QueryResultRow>(
  sql: string,
  values?: readonly unknown[],
) => Promise<Row[]>;

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database`; `sslmode` selects TLS. */
  readonly url: string;
  /** Default 10. */
  readonly maxConnections?: number;
  /**
   * Maximum time to open a connection, default 5,000 milliseconds. While all connections are in
   * use, statements wait three times as long.
   */
  readonly timeoutMs?: number;
  /** Maximum duration of a statement. Milliseconds; default `timeoutMs`. */
  readonly statementTimeoutMs?: number;
}

const defaultConnections = 10;
const defaultTimeoutMs = 5_000;
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
export function lastingProblem(cause: unknown): string | undefined {
  for (const { message } of causesOf(cause))
    if (noTls.test(message))
      return 'The database does not offer the TLS of DATABASE_URL. Enable it there, or remove sslmode.';
  const code = systemErrorCode(cause) ?? '';
  return lastingProblems.find(([pattern]) => pattern.test(code))?.[1];
}

const unavailable = (cause: unknown) =>
  new KnowledgeError(
    'storage_unavailable',
    lastingProblem(cause) ?? 'The database is unreachable. Writes fail until it is back.',
    {
      cause,
      retryAfterSeconds,
    },
  );

/** Keeps errors of statements; maps all others to `storage_unavailable`. */
function toFailure(error: unknown): unknown {
  if (error instanceof KnowledgeError) return error;
  const code = systemErrorCode(error) ?? '';
  const isStatement = /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code);
  return isStatement && !temporary.test(code) ? error : unavailable(error);
}

/** The connection had ended before anything was sent. */
class NotSentError extends KnowledgeError {
  constructor(cause: unknown) {
    super('storage_unavailable', unavailable(cause).message, { cause, retryAfterSeconds });
  }
}

/** Transaction. Occupies a connection from its first statement until `commit` or its end. */
export interface PostgresTransaction {
  readonly query: PostgresQuery;
  /** Runs statements in one round trip. @returns the rows of each */
  batch<Row extends QueryResultRow>(statements: readonly PostgresStatement[]): Promise<Row[][]>;
  /**
   * Runs the last statements and commits in one round trip. May be called before the end of the
   * work.
   */
  commit<Row extends QueryResultRow>(statements?: readonly PostgresStatement[]): Promise<Row[][]>;
}

interface Begun {
  readonly client: PoolClient;
  readonly rows: QueryResultRow[][];
}

interface Connections {
  send(client: PoolClient, statements: readonly PostgresStatement[]): Promise<QueryResultRow[][]>;
  /**
   * Sends statements over a free connection. If the connection had ended before, sends them once
   * more over another.
   */
  begin(statements: readonly PostgresStatement[]): Promise<Begun>;
  /** Number of connections opened so far. */
  count(): number;
  close(): Promise<void>;
}

function createConnections(options: DatabaseOptions): Connections {
  const {
    url,
    maxConnections = defaultConnections,
    timeoutMs = defaultTimeoutMs,
    statementTimeoutMs = timeoutMs,
  } = options;
  const config: PoolConfig = {
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: timeoutMs * busyTimeouts,
    query_timeout: statementTimeoutMs,
    statement_timeout: statementTimeoutMs,
    idle_in_transaction_session_timeout: statementTimeoutMs * 2,
    keepAlive: true,
    application_name: 'knowledge-agent',
  };
  const polls = {
    firstPauseMs: busyPauseMs,
    maxPauseMs: busyPauseMs,
    totalMs: timeoutMs * busyTimeouts,
    isRetryable: isBusy,
  };
  let count = 0;

  const opened = lazy(async () => {
    const {
      Pool: PostgresPool,
      Client: PostgresClient,
      Query,
    } = await import('pg').then((module) => module.default);
    // The pool's own timeout includes the wait for a free connection, so clients need a shorter
    // one.
    class Client extends PostgresClient {
      constructor() {
        super({ ...config, connectionTimeoutMillis: timeoutMs });
      }
    }
    const pool = new PostgresPool({ ...config, Client });
    // If a connection ends, the next statement reports it.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => {
      client.on('error', () => undefined);
      count++;
    });
    return { pool, Query };
  });

  async function send(
    client: PoolClient,
    statements: readonly PostgresStatement[],
  ): Promise<QueryResultRow[][]> {
    const { Query } = await opened();
    const { promise, resolve, reject } = Promise.withResolvers<QueryResultRow[][]>();
    const batch = new Batch(Query, statements, statementTimeoutMs, (error, rows) =>
      error ? reject(error) : resolve(rows),
    );
    client.query(batch);
    return promise.catch((error: unknown) => {
      throw batch.wasSent ? toFailure(error) : new NotSentError(error);
    });
  }

  async function sendFirst(statements: readonly PostgresStatement[]): Promise<Begun> {
    const client = await retry(async () => (await opened()).pool.connect(), polls).catch(
      (error: unknown) => {
        throw toFailure(error);
      },
    );
    try {
      return { client, rows: await send(client, statements) };
    } catch (error) {
      // Failed connections are not reused.
      client.release(true);
      throw error;
    }
  }

  return {
    send,
    begin: (statements) =>
      retry(() => sendFirst(statements), {
        firstPauseMs: 0,
        maxAttempts: 2,
        isRetryable: (error) => error instanceof NotSentError,
      }),
    count: () => count,
    close: async () => (await opened().catch(() => undefined))?.pool.end(),
  };
}

async function transactOn<T>(
  connections: Connections,
  work: (transaction: PostgresTransaction) => Promise<T>,
): Promise<T> {
  const inOrder = new Semaphore(1);
  let client: PoolClient | undefined;
  let isEnded = false;
  let failure: unknown;
  async function send(statements: readonly PostgresStatement[]): Promise<QueryResultRow[][]> {
    if (client) return connections.send(client, statements);
    // BEGIN shares a batch with the first statements, so that none takes effect without it.
    const begun = await connections.begin([['BEGIN'], ...statements]);
    client = begun.client;
    return begun.rows.slice(1);
  }
  const batch = <Row extends QueryResultRow>(statements: readonly PostgresStatement[]) =>
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
  const commit: PostgresTransaction['commit'] = async (statements = []) => {
    // PostgreSQL silently rolls back when a failed transaction commits.
    if (failure) throw failure;
    if (isEnded || (!client && statements.length === 0)) return [];
    const rows = await batch<never>([...statements, ['COMMIT']]);
    isEnded = true;
    release();
    return rows.slice(0, -1);
  };
  try {
    const result = await work({
      query: async (sql, values = []) => (await batch<never>([[sql, values]]))[0] as never[],
      batch,
      commit,
    });
    await commit();
    return result;
  } catch (error) {
    // The work may wrap the error of a statement, but an outage must stay recognizable.
    const isAway = isStorageAway(failure);
    // A rollback over a broken connection would only time out.
    if (isAway) release(failure);
    if (client) await connections.send(client, [['ROLLBACK']]).then(() => release(), release);
    throw isAway ? failure : error;
  }
}

export interface Database {
  readonly query: PostgresQuery;
  transact<T>(work: (transaction: PostgresTransaction) => Promise<T>): Promise<T>;
  /** Number of connections opened so far. A new connection may lead to another server. */
  connections(): number;
  close(): Promise<void>;
}

export function createDatabase(options: DatabaseOptions): Database {
  let connections: Connections | undefined;
  const opened = () => (connections ??= createConnections(options));
  const query: PostgresQuery = async (sql, values = []) => {
    const { client, rows } = await opened().begin([[sql, values]]);
    client.release();
    return rows[0] as never[];
  };
  return {
    query,
    transact: (work) => transactOn(opened(), work),
    connections: () => opened().count(),
    async close() {
      await connections?.close();
      connections = undefined;
    },
  };
}
