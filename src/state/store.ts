/**
 * The port to where the server keeps what cannot be made again: one SQLite file of this server, or a PostgreSQL database that several
 * servers share. Statements are written once for both, with `$1`, `$2` … for values; the engines differ only in what `SqlDialect` names.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

/** Times are ISO 8601 texts, flags 0 or 1, lists JSON texts. */
export type Value = string | number | null;

/** @throws KnowledgeError `storage_unavailable` if a shared database is away; what the disk throws, see `storageError` */
export type Query = <Row extends object>(sql: string, values?: readonly Value[]) => Promise<Row[]>;

/** SQL that the engines write differently. */
export interface SqlDialect {
  /** Type of a text that is compared by its code units, such as an id. */
  readonly keyText: string;
  /** Type of an `id` that grows with each row. */
  readonly growingId: string;
  /** @param list a JSON list of texts @returns a query that gives its elements */
  elementsOf(list: string): string;
  /** The least of several values of one row. */
  readonly least: string;
  readonly greatest: string;
  /** The clock of the database: of several servers each has its own. */
  readonly now: string;
  /** @param ms a parameter */
  nowPlus(ms: string): string;
  /** After a SELECT: nobody else changes these rows until the transaction ends. */
  readonly forUpdate: string;
  /** The same; rows that somebody else has are left out. */
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

/** Each name is one lock of the whole database; with a key, one for each key. */
export type LockName = 'answerDeletions' | 'threadDeletions';

export type StoreStatement = readonly [sql: string, values?: readonly Value[]];
type QueryAll = <Row extends object>(statements: readonly StoreStatement[]) => Promise<Row[][]>;

export interface Transaction {
  readonly query: Query;
  /** Statements in their order; of a shared database in one round trip. @returns the rows of each */
  readonly batch: QueryAll;
  /** The last statements of the transaction: nothing of it may follow. Of a shared database in one round trip with its end. */
  readonly commit: QueryAll;
  /** Waits until no other transaction, of any server, has the lock; the end of the transaction releases it. */
  lock(name: LockName, key?: string): Promise<void>;
  /** @returns false if another transaction has the lock */
  tryLock(name: LockName): Promise<boolean>;
}

export interface Store {
  readonly dialect: SqlDialect;
  /** Whether other servers may change it. */
  readonly isShared: boolean;
  readonly query: Query;
  /** All of it, or nothing. `work` must not query the store outside of its transaction. */
  transact<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  /** The same, for deletes: afterwards the deleted bytes are in no file of this server. */
  erase<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** The same store, of which an `erase` within another one is a part of it: what is forgotten together is one transaction. */
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

/** Texts as both engines take them: PostgreSQL refuses NUL and half of a character. JSON escapes both. */
export const toStorable = (text: string): string => text.replaceAll('\0', '').toWellFormed();
