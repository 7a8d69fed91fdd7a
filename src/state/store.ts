/**
 * Port to the state of the server: its own SQLite file, or a PostgreSQL database shared by several servers. Both run the same statements, with
 * `$1`, `$2` … for values; `SqlDialect` contains the differences.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** Times are ISO 8601 texts, flags 0 or 1, lists JSON texts. */
export type Value = string | number | null;

/** @throws KnowledgeError `storage_unavailable` if a shared database is unreachable; disk errors, see `storageError` */
export type Query = <Row extends object>(sql: string, values?: readonly Value[]) => Promise<Row[]>;

export interface SqlDialect {
  /** Type of a text compared by code units, such as an id. */
  readonly keyText: string;
  /** Type of an auto-increment `id`. */
  readonly growingId: string;
  /** @param list a JSON list of texts @returns a query for its elements */
  elementsOf(list: string): string;
  /** Function for the minimum of several values of a row. */
  readonly least: string;
  readonly greatest: string;
  /** Clock of the database, because the clocks of servers differ. */
  readonly now: string;
  nowPlus(ms: string): string;
  /** Suffix of a SELECT that locks its rows until the transaction ends. */
  readonly forUpdate: string;
  /** Like `forUpdate`, but skips locked rows. */
  readonly forUpdateOfFree: string;
}

export const sqliteDialect: SqlDialect = {
  keyText: 'text',
  growingId: 'id integer PRIMARY KEY AUTOINCREMENT',
  elementsOf: (list) => `SELECT value FROM json_each(${list})`,
  least: 'min',
  greatest: 'max',
  now: "(unixepoch('subsec') * 1000)",
  nowPlus: (ms) => `(unixepoch('subsec') * 1000 + ${ms})`,
  // Only one transaction runs at a time.
  forUpdate: '',
  forUpdateOfFree: '',
};

export const postgresDialect: SqlDialect = {
  keyText: 'text COLLATE "C"',
  growingId: 'id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY',
  elementsOf: (list) => `SELECT json_array_elements_text(CAST(${list} AS json))`,
  least: 'least',
  greatest: 'greatest',
  now: 'clock_timestamp()',
  nowPlus: (ms) => `(clock_timestamp() + CAST(${ms} AS integer) * interval '1 millisecond')`,
  forUpdate: 'FOR UPDATE',
  forUpdateOfFree: 'FOR NO KEY UPDATE SKIP LOCKED',
};

/** Each name is one lock of the database, or one per key. */
export type LockName = 'answerDeletions' | 'threadDeletions';

export type StoreStatement = readonly [sql: string, values?: readonly Value[]];
type QueryAll = <Row extends object>(statements: readonly StoreStatement[]) => Promise<Row[][]>;

export interface Transaction {
  readonly query: Query;
  /** Runs statements in order, in one round trip to a shared database. @returns the rows of each */
  readonly batch: QueryAll;
  /** Runs the last statements and commits, in one round trip to a shared database. */
  readonly commit: QueryAll;
  /** Waits for a lock across all servers; the end of the transaction releases it. */
  lock(name: LockName, key?: string): Promise<void>;
  tryLock(name: LockName): Promise<boolean>;
}

export interface Store {
  readonly dialect: SqlDialect;
  /** Whether other servers may change it. */
  readonly isShared: boolean;
  readonly query: Query;
  /** Runs `work` in a transaction; it must not query the store outside of it. */
  transact<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** Like `transact`, for deletes: afterwards no file of this server contains the deleted bytes. */
  erase<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** Wraps a store so that nested `erase` calls join the outer transaction. */
export function withJoinedErases(store: Store): Store {
  const open = new AsyncLocalStorage<Transaction>();
  return {
    dialect: store.dialect,
    isShared: store.isShared,
    query: (sql, values) => (open.getStore()?.query ?? store.query)(sql, values),
    transact(work) {
      const outer = open.getStore();
      return outer ? work(outer) : store.transact(work);
    },
    erase(work) {
      const outer = open.getStore();
      return outer ? work(outer) : store.erase((transaction) => open.run(transaction, () => work(transaction)));
    },
    close: () => store.close(),
  };
}

/** Removes NUL and lone surrogates, which PostgreSQL rejects. JSON escapes both. */
export const toStorable = (text: string): string => text.replaceAll('\0', '').toWellFormed();
