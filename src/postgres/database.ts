/**
 * PostgreSQL as the state that several servers share: one bounded pool of connections. Every statement is a text of this room with values
 * beside it. A database that cannot be reached, or not now, is `storage_unavailable`; whoever asks is told within seconds. The package is
 * loaded when the first connection is needed, so that a server without a database never loads it.
 */
import type { Pool, PoolClient, PoolConfig, QueryResultRow } from 'pg';
import { retry } from '../concurrency/retry.ts';
import { isStorageAway, KnowledgeError, systemErrorCode } from '../errors.ts';

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

const toQuery =
  (client: Pick<PoolClient, 'query'>): PostgresQuery =>
  async <Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []) => {
    try {
      return (await client.query<Row>(sql, [...values])).rows;
    } catch (error) {
      throw toFailure(error);
    }
  };

/** Statements that take effect together; `commit` may be called before the end, and then the connection is given back. */
export interface PostgresTransaction {
  readonly query: PostgresQuery;
  commit(): Promise<void>;
}

async function transactOn<T>(client: PoolClient, work: (transaction: PostgresTransaction) => Promise<T>): Promise<T> {
  const plain = toQuery(client);
  let isOpen = true;
  let failure: unknown;
  const query: PostgresQuery = (sql, values) =>
    plain<never>(sql, values).catch((error: unknown) => {
      failure ??= error;
      throw error;
    });
  const release = (error?: unknown) => {
    isOpen = false;
    // A connection that failed is not used again.
    client.release(error instanceof Error);
  };
  const commit = async () => {
    if (!isOpen) return;
    // PostgreSQL answers the COMMIT of a transaction that has failed with a quiet ROLLBACK.
    if (failure) throw failure;
    await query('COMMIT');
    release();
  };
  try {
    await query('BEGIN');
    const result = await work({ query, commit });
    await commit();
    return result;
  } catch (error) {
    // Packages wrap what a statement throws: whoever asked has to be told that the database is away all the same.
    const isAway = isStorageAway(failure);
    // Over a connection that is gone a rollback would only wait once more.
    if (isOpen && isAway) release(failure);
    if (isOpen) await plain('ROLLBACK').then(() => release(), release);
    throw isAway ? failure : error;
  }
}

export type Database = ReturnType<typeof createDatabase>;

export function createDatabase(options: DatabaseOptions) {
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
  let pool: Promise<Pool> | undefined;
  let connections = 0;

  async function open(): Promise<Pool> {
    const { Pool: PostgresPool, Client: PostgresClient } = await import('pg').then((module) => module.default);
    // The timeout of the pool includes the wait for a free connection.
    class Client extends PostgresClient {
      constructor() {
        super({ ...config, connectionTimeoutMillis: timeoutMs });
      }
    }
    const made = new PostgresPool({ ...config, Client });
    // A connection that ends, while nobody uses it or while a transaction does: whoever asks next is told by the statement.
    made.on('error', () => undefined);
    made.on('connect', (client) => {
      client.on('error', () => undefined);
      connections++;
    });
    return made;
  }
  const opened = (): Promise<Pool> => (pool ??= open());

  async function connect(): Promise<PoolClient> {
    const polls = { firstPauseMs: busyPauseMs, maxPauseMs: busyPauseMs, totalMs: timeoutMs * busyTimeouts, isRetryable: isBusy };
    return retry(async () => (await opened()).connect(), polls).catch((error: unknown) => {
      throw toFailure(error);
    });
  }

  const query: PostgresQuery = async (sql, values) => {
    const client = await connect();
    let failure: unknown;
    try {
      return await toQuery(client)(sql, values);
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      // A connection that failed is not used again.
      client.release(failure !== undefined);
    }
  };

  return {
    query,
    /** All of it, or nothing. */
    transact: async <T>(work: (transaction: PostgresTransaction) => Promise<T>): Promise<T> => transactOn(await connect(), work),
    /** Connections that were made so far: one that is new may lead to another server than those before. */
    connections: () => connections,
    async close(): Promise<void> {
      await (await pool?.catch(() => undefined))?.end();
      pool = undefined;
    },
  };
}
