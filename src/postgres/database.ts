/**
 * PostgreSQL as the state that several servers share: one bounded pool of connections. Every statement is a text of this room with values
 * beside it. A database that cannot be reached, or not now, is `storage_unavailable`; whoever asks is told within seconds. The package is
 * loaded when the first connection is needed, so that a server without a database never loads it.
 */
import type { Pool, PoolClient, PoolConfig, Query, QueryResultRow } from 'pg';
import { createQueue } from '../concurrency/queue.ts';
import { retry } from '../concurrency/retry.ts';
import { isStorageAway, KnowledgeError, systemErrorCode } from '../errors.ts';
import { Batch, type Statement } from './batch.ts';

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

/** None of the statements was sent. */
class NeverLeft extends Error {
  constructor(cause: unknown) {
    super('The connection ended before a statement was sent.', { cause });
  }
}

/** A mistake in a statement stays one; everything else is the way to the database. */
function toFailure(error: unknown): unknown {
  if (error instanceof KnowledgeError) return error;
  const code = systemErrorCode(error) ?? '';
  const isStatement = /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code);
  return isStatement && !passing.test(code) ? error : unavailable(error);
}

/** Statements that take effect together. The connection is taken with the first, and given back with `commit` or at the end. */
export interface PostgresTransaction {
  readonly query: PostgresQuery;
  /** Statements in one round trip, in their order. @returns the rows of each */
  batch<Row extends QueryResultRow>(statements: readonly Statement[]): Promise<Row[][]>;
  /** The last statements, in one round trip with the end of the transaction. May be called before the end of the work. */
  commit<Row extends QueryResultRow>(statements?: readonly Statement[]): Promise<Row[][]>;
}

interface Begun {
  readonly client: PoolClient;
  readonly rows: QueryResultRow[][];
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
  let pool: Promise<{ readonly pool: Pool; readonly Query: typeof Query }> | undefined;
  let connections = 0;

  async function open() {
    const { Pool: PostgresPool, Client: PostgresClient, Query } = await import('pg').then((module) => module.default);
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
    return { pool: made, Query };
  }
  const opened = () => (pool ??= open());

  async function send(client: PoolClient, statements: readonly Statement[]): Promise<QueryResultRow[][]> {
    const { Query } = await opened();
    const { promise, resolve, reject } = Promise.withResolvers<QueryResultRow[][]>();
    const batch = new Batch(Query, statements, statementTimeoutMs, (error, rows) => (error ? reject(error) : resolve(rows)));
    client.query(batch);
    return promise.catch((error: unknown) => {
      throw batch.hasLeft ? error : new NeverLeft(error);
    });
  }

  /** Sends the first statements over a connection. Those that never left, because it had ended, are sent once more over another. */
  async function begin(statements: readonly Statement[]): Promise<Begun> {
    const polls = { firstPauseMs: busyPauseMs, maxPauseMs: busyPauseMs, totalMs: timeoutMs * busyTimeouts, isRetryable: isBusy };
    const attempt = async (): Promise<Begun> => {
      const client = await retry(async () => (await opened()).pool.connect(), polls);
      try {
        return { client, rows: await send(client, statements) };
      } catch (error) {
        // A connection that failed is not used again.
        client.release(true);
        throw error;
      }
    };
    return retry(attempt, { firstPauseMs: 0, maxAttempts: 2, isRetryable: (error) => error instanceof NeverLeft }).catch((error: unknown) => {
      throw toFailure(error);
    });
  }

  const query: PostgresQuery = async <Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []) => {
    const { client, rows } = await begin([[sql, values]]);
    client.release();
    return rows[0] as Row[];
  };

  /** All of it, or nothing. */
  async function transact<T>(work: (transaction: PostgresTransaction) => Promise<T>): Promise<T> {
    const inOrder = createQueue();
    let client: PoolClient | undefined;
    let isEnded = false;
    let failure: unknown;
    const start = async (statements: readonly Statement[]) => {
      // In one batch with the first statements, so that none of them takes effect without it.
      const begun = await begin([['BEGIN'], ...statements]);
      client = begun.client;
      return begun.rows.slice(1);
    };
    const batch = <Row extends QueryResultRow>(statements: readonly Statement[]) =>
      inOrder(async () => {
        if (failure) throw failure;
        return (client ? send(client, statements) : start(statements)).catch((error: unknown) => {
          failure = toFailure(error);
          throw failure;
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
      return rows;
    };
    try {
      const result = await work({
        query: async <Row extends QueryResultRow>(sql: string, values: readonly unknown[] = []) =>
          (await batch<Row>([[sql, values]]))[0] as Row[],
        batch,
        commit,
      });
      await commit();
      return result;
    } catch (error) {
      // Packages wrap what a statement throws: whoever asked has to be told that the database is away all the same.
      const isAway = isStorageAway(failure);
      // Over a connection that is gone a rollback would only wait once more.
      if (client && isAway) release(failure);
      if (client) await send(client, [['ROLLBACK']]).then(() => release(), release);
      throw isAway ? failure : error;
    }
  }

  return {
    query,
    transact,
    /** Connections that were made so far: one that is new may lead to another server than those before. */
    connections: () => connections,
    async close(): Promise<void> {
      await (await pool?.catch(() => undefined))?.pool.end();
      pool = undefined;
    },
  };
}
