/**
 * PostgreSQL as the state that several servers share: one bounded pool of connections. Every statement is a text of this room with values
 * beside it. A database that cannot be reached, or not now, is `storage_unavailable`; whoever asks is told within seconds. The package is
 * loaded when the first connection is needed, so that a server without a database never loads it.
 */
import type { PoolClient, PoolConfig, QueryResultRow } from 'pg';
import { lazy } from '../concurrency/lazy.ts';
import { createSerialQueue } from '../concurrency/queue.ts';
import { retry } from '../concurrency/retry.ts';
import { isStorageAway, KnowledgeError, systemErrorCode } from '../errors.ts';
import { Batch, type PostgresStatement } from './batch.ts';

/** A statement with its values, as `$1`, `$2` …; in their order. @throws KnowledgeError `storage_unavailable` */
export type PostgresQuery = <Row extends QueryResultRow>(sql: string, values?: readonly unknown[]) => Promise<Row[]>;

export interface DatabaseOptions {
  /** `postgres://user:password@host:port/database`; TLS as its `sslmode` says. */
  readonly url: string;
  /** Connections at most. */
  readonly maxConnections?: number;
  /** Until a new connection is there. Milliseconds. A statement waits three times as long while all connections are in use. */
  readonly timeoutMs?: number;
  /** Until a statement is done. Milliseconds. */
  readonly statementTimeoutMs?: number;
}

const usualConnections = 10;
const usualTimeoutMs = 5_000;
const retryAfterSeconds = 5;
/** All connections are in use: those of this server, or those that the database admits. That passes sooner than a database comes back. */
const busyTimeouts = 3;
const busyPauseMs = 200;
/** too_many_connections */
const isBusy = (error: unknown) => systemErrorCode(error) === '53300';

/**
 * Classes and codes of PostgreSQL ("Appendix A. Error Codes") for what passes, or what an operator mends: connections, resources, a server
 * that starts or stops, a standby, a lock that was waited for too long, rights and passwords, a database or table that is being restored.
 */
const passing = /^(?:08|28|53|57|58|25006|25P0|3D000|3F000|40001|40P01|42501|42P01|55P03)/;

const unavailable = (cause: unknown) =>
  new KnowledgeError('storage_unavailable', 'The database cannot be reached, and changes have to wait until it can.', {
    cause,
    retryAfterSeconds,
  });

/** A mistake in a statement stays one; everything else is the way to the database. */
function toFailure(error: unknown): unknown {
  if (error instanceof KnowledgeError) return error;
  const code = systemErrorCode(error) ?? '';
  const isStatement = /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code);
  return isStatement && !passing.test(code) ? error : unavailable(error);
}

/** Statements of which nothing was sent: the connection had ended before. */
class NeverLeft extends KnowledgeError {
  constructor(cause: unknown) {
    super('storage_unavailable', unavailable(cause).message, { cause, retryAfterSeconds });
  }
}

/** Statements that take effect together. The connection is taken with the first, and given back with `commit` or at the end. */
export interface PostgresTransaction {
  readonly query: PostgresQuery;
  /** Statements in one round trip, in their order. @returns the rows of each */
  batch<Row extends QueryResultRow>(statements: readonly PostgresStatement[]): Promise<Row[][]>;
  /** The last statements, in one round trip with the end of the transaction. May be called before the end of the work. */
  commit<Row extends QueryResultRow>(statements?: readonly PostgresStatement[]): Promise<Row[][]>;
}

interface Begun {
  readonly client: PoolClient;
  readonly rows: QueryResultRow[][];
}

function createConnections(options: DatabaseOptions) {
  const { url, maxConnections = usualConnections, timeoutMs = usualTimeoutMs, statementTimeoutMs = timeoutMs } = options;
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
  const polls = { firstPauseMs: busyPauseMs, maxPauseMs: busyPauseMs, totalMs: timeoutMs * busyTimeouts, isRetryable: isBusy };
  let count = 0;

  const opened = lazy(async () => {
    const { Pool: PostgresPool, Client: PostgresClient, Query } = await import('pg').then((module) => module.default);
    // The timeout of the pool includes the wait for a free connection.
    class Client extends PostgresClient {
      constructor() {
        super({ ...config, connectionTimeoutMillis: timeoutMs });
      }
    }
    const pool = new PostgresPool({ ...config, Client });
    // A connection that ends, while nobody uses it or while a transaction does: whoever asks next is told by the statement.
    pool.on('error', () => undefined);
    pool.on('connect', (client) => {
      client.on('error', () => undefined);
      count++;
    });
    return { pool, Query };
  });

  async function send(client: PoolClient, statements: readonly PostgresStatement[]): Promise<QueryResultRow[][]> {
    const { Query } = await opened();
    const { promise, resolve, reject } = Promise.withResolvers<QueryResultRow[][]>();
    const batch = new Batch(Query, statements, statementTimeoutMs, (error, rows) => (error ? reject(error) : resolve(rows)));
    client.query(batch);
    return promise.catch((error: unknown) => {
      throw batch.hasLeft ? toFailure(error) : new NeverLeft(error);
    });
  }

  async function sendFirst(statements: readonly PostgresStatement[]): Promise<Begun> {
    const client = await retry(async () => (await opened()).pool.connect(), polls).catch((error: unknown) => {
      throw toFailure(error);
    });
    try {
      return { client, rows: await send(client, statements) };
    } catch (error) {
      // A connection that failed is not used again.
      client.release(true);
      throw error;
    }
  }

  return {
    send,
    /** Sends statements over a connection that is free. If they never left, because it had ended, they are sent once more over another. */
    begin: (statements: readonly PostgresStatement[]): Promise<Begun> =>
      retry(() => sendFirst(statements), { firstPauseMs: 0, maxAttempts: 2, isRetryable: (error) => error instanceof NeverLeft }),
    count: () => count,
    close: async () => (await opened().catch(() => undefined))?.pool.end(),
  };
}

/** All of it, or nothing. */
async function transactOn<T>(
  connections: ReturnType<typeof createConnections>,
  work: (transaction: PostgresTransaction) => Promise<T>,
): Promise<T> {
  const inOrder = createSerialQueue();
  let client: PoolClient | undefined;
  let isEnded = false;
  let failure: unknown;
  async function send(statements: readonly PostgresStatement[]): Promise<QueryResultRow[][]> {
    if (client) return connections.send(client, statements);
    // In one batch with the first statements: none of them takes effect without it.
    const begun = await connections.begin([['BEGIN'], ...statements]);
    client = begun.client;
    return begun.rows.slice(1);
  }
  const batch = <Row extends QueryResultRow>(statements: readonly PostgresStatement[]) =>
    inOrder(async () => {
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
    // PostgreSQL answers the COMMIT of a transaction that has failed with a quiet ROLLBACK.
    if (failure) throw failure;
    if (isEnded || (!client && statements.length === 0)) return [];
    const rows = await batch<never>([...statements, ['COMMIT']]);
    isEnded = true;
    release();
    return rows.slice(0, -1);
  };
  try {
    const result = await work({ query: async (sql, values = []) => (await batch<never>([[sql, values]]))[0] as never[], batch, commit });
    await commit();
    return result;
  } catch (error) {
    // Packages wrap what a statement throws: whoever asked has to be told that the database is away all the same.
    const isAway = isStorageAway(failure);
    // Over a connection that is gone a rollback would only wait once more.
    if (isAway) release(failure);
    if (client) await connections.send(client, [['ROLLBACK']]).then(() => release(), release);
    throw isAway ? failure : error;
  }
}

export type Database = ReturnType<typeof createDatabase>;

export function createDatabase(options: DatabaseOptions) {
  let connections: ReturnType<typeof createConnections> | undefined;
  const opened = () => (connections ??= createConnections(options));
  const query: PostgresQuery = async (sql, values = []) => {
    const { client, rows } = await opened().begin([[sql, values]]);
    client.release();
    return rows[0] as never[];
  };
  return {
    query,
    transact: <T>(work: (transaction: PostgresTransaction) => Promise<T>): Promise<T> => transactOn(opened(), work),
    /** Connections that were made so far: one that is new may lead to another server than those before. */
    connections: () => opened().count(),
    async close(): Promise<void> {
      await connections?.close();
      connections = undefined;
    },
  };
}
