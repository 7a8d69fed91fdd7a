/**
 * Database of the server's state: its own SQLite file, or a PostgreSQL database that several
 * servers share. Both run the same SQL, with `$1`, `$2` … for values; `SqlDialect` contains the
 * differences.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';

/** Times are ISO 8601 texts, flags 0 or 1, lists JSON texts. */
export type Value = string | number | null;

/**
 * @throws KnowledgeError `storage_unavailable` if a shared database is unreachable; disk errors,
 * see `storageError`
 */
export type Query<V = Value> = <Row extends object>(
  sql: string,
  values?: readonly V[],
) => Promise<Row[]>;

export type SqlDialect = Readonly<{
  /** Column type of a text compared by code units, such as an id. */
  keyText: string;
  /** Suffix of a table whose columns refuse values of other types. */
  strict: string;
  /** Column definition of an auto-increment `id`. */
  growingId: string;
  /** @param list a JSON list of texts @returns a query for its elements */
  elementsOf(list: string): string;
  /** Function for the minimum of several values of a row. */
  least: string;
  greatest: string;
  /** Column type of a time of the database's clock. */
  time: string;
  /** Clock of the database, because the clocks of servers differ. */
  now: string;
  nowPlus(ms: string): string;
  /** Suffix of a SELECT that locks its rows until the transaction ends. */
  forUpdate: string;
  /** Like `forUpdate`, but skips locked rows. */
  forUpdateSkipLocked: string;
}>;

export const sqliteDialect: SqlDialect = {
  keyText: 'text',
  strict: 'STRICT',
  growingId: 'id integer PRIMARY KEY AUTOINCREMENT',
  elementsOf: (list) => `SELECT value FROM json_each(${list})`,
  least: 'min',
  greatest: 'max',
  time: 'real',
  now: "(unixepoch('subsec') * 1000)",
  nowPlus: (ms) => `(unixepoch('subsec') * 1000 + ${ms})`,
  // Only one transaction runs at a time.
  forUpdate: '',
  forUpdateSkipLocked: '',
};

export const postgresDialect: SqlDialect = {
  keyText: 'text COLLATE "C"',
  strict: '',
  growingId: 'id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  elementsOf: (list) => `SELECT json_array_elements_text(CAST(${list} AS json))`,
  least: 'least',
  greatest: 'greatest',
  time: 'timestamptz',
  now: 'clock_timestamp()',
  nowPlus: (ms) => `(clock_timestamp() + CAST(${ms} AS integer) * interval '1 millisecond')`,
  forUpdate: 'FOR UPDATE',
  forUpdateSkipLocked: 'FOR NO KEY UPDATE SKIP LOCKED',
};

export type StoreStatement<V = Value> = readonly [sql: string, values?: readonly V[]];
type QueryAll<V> = <Row extends object>(
  statements: readonly StoreStatement<V>[],
) => Promise<Row[][]>;
/**
 * Advisory lock keys shared by the servers of a database. Published keys never change, because
 * servers of two versions may run at the same time. Locks on files use the hash of the file's name.
 */
export const advisoryLocks = {
  migrations: 4_111_001,
  /** Bulk deletes of answers, feedback and gaps. */
  answerDeletions: 4_111_002,
  // 4_111_003 and 4_111_004: the search tables of earlier versions.
  /** Bulk deletes of threads and messages. */
  threadDeletions: 4_111_012,
  /** Changes of groups of unanswered questions. */
  gapGroups: 4_111_013,
} as const;
type LockName = keyof typeof advisoryLocks;

/** @template V a file takes fewer kinds of values than PostgreSQL */
export interface Transaction<V = Value> {
  readonly query: Query<V>;
  /** Runs statements in order, in one round trip to a shared database. @returns the rows of each */
  readonly batch: QueryAll<V>;
  /** Runs the last statements and commits, in one round trip to a shared database. */
  readonly commit: QueryAll<V>;
  /** Waits for a lock across all servers; the end of the transaction releases it. */
  lock(name: LockName): Promise<void>;
  tryLock(name: LockName): Promise<boolean>;
}

export interface Store {
  readonly dialect: SqlDialect;
  /** Whether other servers use the same database. */
  readonly isShared: boolean;
  readonly query: Query;
  /** Runs `work` in a transaction. `work` must use only that transaction, not the store. */
  transact<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** Like `transact`, for deletes: afterwards no file of this server contains the deleted bytes. */
  erase<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Wraps a store so that calls within `erase` join its transaction. */
export function withJoinedErases(store: Store): Store {
  const erasing = new AsyncLocalStorage<Transaction>();
  return {
    dialect: store.dialect,
    isShared: store.isShared,
    query: (sql, values) => (erasing.getStore()?.query ?? store.query)(sql, values),
    transact(work) {
      const outer = erasing.getStore();
      return outer ? work(outer) : store.transact(work);
    },
    erase(work) {
      const outer = erasing.getStore();
      return outer
        ? work(outer)
        : store.erase((transaction) => erasing.run(transaction, () => work(transaction)));
    },
    close: () => store.close(),
  };
}

/** @param place subject and verb of the message, such as "state.db was written by" */
export const tooNewError = (place: string, found: number, known: number) =>
  new KnowledgeError(
    'internal',
    `${place} a later version of this program (schema ${found}, this version knows ${known}). Start that version or restore a backup.`,
  );

/**
 * Removes NUL and lone surrogates, which PostgreSQL rejects. Not needed for JSON, which escapes
 * both.
 */
export const toStorable = (text: string) => text.replaceAll('\0', '').toWellFormed();

type RowsToTrim = Readonly<{
  table: string;
  /**
   * Subquery with only the sort columns and `amount`, because all its rows are sorted; default: the
   * table.
   */
  ranked?: (amount: string) => string;
  id: string;
  limit: string;
  /** SQL expression for a row's rank among the rows of its owner, from 1. */
  rank: string;
  amount?: string;
}>;

/**
 * Returns SQL that deletes rows beyond a limit: the last ranks of every owner, so heavy owners lose
 * most.
 */
export const deleteBeyond = ({ table, ranked, id, limit, rank, amount = '1' }: RowsToTrim) => `
  DELETE FROM ${table} WHERE ${id} IN (
    SELECT id FROM (
      SELECT id, sum(amount) OVER (ORDER BY rank, id DESC ROWS UNBOUNDED PRECEDING) AS total
      FROM (SELECT ${id} AS id, ${ranked ? 'amount' : amount} AS amount, ${rank} AS rank FROM ${ranked?.(amount) ?? table}) AS ranked
    ) AS summed
    WHERE total > ${limit})`;
