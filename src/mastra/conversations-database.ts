/**
 * Conversations in PostgreSQL, for any number of servers: the memory's own four tables of @mastra/pg, in the schema that the connection has.
 * What one server does to a thread is one transaction under a lock on that thread, so that nothing that another says meanwhile is lost.
 * A database that is away is asked again after a pause, because each try may hold an answer.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { DbClient, TxClient } from '@mastra/pg';
import { createCircuitBreaker } from '../concurrency/circuit-breaker.ts';
import { KnowledgeError } from '../errors.ts';
import { createMemory, type OpenThreads, type ThreadStorage } from './conversations.ts';

type Query = <Row extends Record<string, unknown>>(sql: string, values?: readonly unknown[]) => Promise<Row[]>;

/** As `postgres/database.ts` gives it. */
export interface ThreadDatabase {
  /** @throws KnowledgeError `storage_unavailable` */
  readonly query: Query;
  /** All of it, or nothing. @throws KnowledgeError `storage_unavailable` */
  transact<T>(work: (transaction: { readonly query: Query }) => Promise<T>): Promise<T>;
}

export interface ConversationDatabaseOptions {
  readonly database: ThreadDatabase;
  /** Key of the advisory locks on threads. */
  readonly threadLock: number;
  /** Between a failure and the next try; milliseconds. */
  readonly pauseMs?: number;
  /** An answer waits no longer for what was said before; milliseconds. */
  readonly recallTimeoutMs?: number;
}

const usualPauseMs = 5_000;
const usualRecallMs = 2_000;

const isAway = (error: unknown) => error instanceof KnowledgeError && error.code === 'storage_unavailable';

const notNeeded = (): never => {
  throw new Error('the memory was not expected to need this');
};

/** @mastra/pg's way to a database, over ours: its own pools have other limits, and write to standard error. */
function toClient(query: Query, transact: DbClient['tx']): DbClient {
  async function oneOrNone<T>(sql: string, values?: unknown[]): Promise<T | null> {
    const rows = await query(sql, values);
    if (rows.length > 1) throw new Error('a statement of the memory gave more than one row');
    return (rows[0] ?? null) as T | null;
  }
  const any = async <T>(sql: string, values?: unknown[]) => (await query(sql, values)) as T[];
  async function one<T>(sql: string, values?: unknown[]): Promise<T> {
    const row = await oneOrNone<T>(sql, values);
    if (row === null) throw new Error('a statement of the memory gave no row');
    return row;
  }
  return {
    none: (sql, values) => query(sql, values).then(() => null),
    one,
    oneOrNone,
    any,
    manyOrNone: any,
    many: any,
    tx: transact,
    query: notNeeded,
    connect: notNeeded,
    get $pool() {
      return notNeeded();
    },
  };
}

/** Of what is in a transaction already. */
function toTransactionClient(query: Query): DbClient {
  const client = toClient(query, (work) => work({ ...client, batch: (promises) => Promise.all(promises) } satisfies TxClient));
  return client;
}

async function schemaOf(query: Query): Promise<string> {
  const [row] = await query<{ schema: string | null }>('SELECT current_schema() AS schema');
  if (!row?.schema) throw new Error('the connection to the database has no schema: set its search_path');
  return row.schema;
}

async function loadPackages() {
  return { ...(await import('@mastra/pg')), ...(await import('@mastra/core/storage')), ...(await import('@mastra/core/logger')) };
}

/**
 * Makes the tables, where they are missing or of an earlier version of the package; at migration, because several servers that did it with
 * their first conversations would stand in each other's way.
 * @param tablesLock key of an advisory lock
 */
export async function createThreadTables(database: ThreadDatabase, tablesLock: number): Promise<void> {
  const { MemoryPG, noopLogger } = await loadPackages();
  await database.transact(async ({ query }) => {
    await query('SELECT pg_advisory_xact_lock($1)', [tablesLock]);
    // In a transaction no index can be made concurrently, which is the package's own way.
    const indexes = MemoryPG.getDefaultIndexDefs('').map((index) => ({ ...index, concurrent: false }));
    const client = toTransactionClient(query);
    const tables = new MemoryPG({ client, schemaName: await schemaOf(query), skipDefaultIndexes: true, indexes });
    tables.__setLogger(noopLogger);
    await tables.init();
  });
}

/** What is done to a thread is done over one connection; all else over any. */
function withTransactions({ query, transact }: ThreadDatabase, pauseMs: number) {
  const current = new AsyncLocalStorage<Query>();
  const attempt = createCircuitBreaker(pauseMs, isAway);
  const guarded: Query = (sql, values) => (current.getStore() ?? ((...asked) => attempt(() => query(...asked))))(sql, values);
  const together = <T>(work: () => Promise<T>): Promise<T> =>
    current.getStore() ? work() : attempt(() => transact((transaction) => current.run(transaction.query, work)));
  const client: DbClient = toClient(guarded, (work) => together(() => work(toTransactionClient(guarded) as unknown as TxClient)));
  return { client, query: guarded, together };
}

async function open({ client, query, together }: ReturnType<typeof withTransactions>, threadLock: number): Promise<OpenThreads> {
  const { MemoryPG, MastraCompositeStore, noopLogger } = await loadPackages();
  const domain = new MemoryPG({ client, schemaName: await schemaOf(query) });
  // The tables are there since the migration.
  const storage = new MastraCompositeStore({ id: 'conversations', domains: { memory: domain }, disableInit: true });
  // Its own log goes to standard error, with statements.
  for (const logging of [storage, domain]) logging.__setLogger(noopLogger);
  return {
    memory: await createMemory(storage),
    change: (threadId, work) =>
      together(async () => {
        await query('SELECT pg_advisory_xact_lock($1, hashtext($2))', [threadLock, threadId]);
        return work();
      }),
    // What is deleted is no longer read; when its pages are written anew is PostgreSQL's own affair.
    eraseTraces: async () => undefined,
    isLost: () => false,
    close: async () => undefined,
  };
}

/** @returns what is kept in a database, which is closed by whoever opened it */
export function createConversationDatabase(options: ConversationDatabaseOptions): ThreadStorage {
  const { database, threadLock, pauseMs = usualPauseMs, recallTimeoutMs = usualRecallMs } = options;
  const way = withTransactions(database, pauseMs);
  return { load: loadPackages, exists: () => true, open: () => open(way, threadLock), recallTimeoutMs };
}
