/**
 * Sends several statements in one round trip: pipelining of the extended query protocol
 * (PostgreSQL, "Message Flow", 54.2.4). Each statement sees the effects of the previous ones. After
 * an error PostgreSQL skips the rest.
 */
import type { Connection, Query, QueryResultRow, Submittable } from 'pg';
import type { StoreStatement } from '../store.ts';

/** Methods that `pg` calls on the active query. */
interface WireQuery {
  submit(connection: Connection): void;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
  handleReadyForQuery(connection: Connection): void;
}

export class Batch implements Submittable {
  /** Whether PostgreSQL may have received a statement. */
  wasSent = false;
  /** Milliseconds. Proportional to the number of statements. */
  readonly query_timeout: number;
  /** `pg` wraps it and also calls it when the connection ends. */
  callback: (error: unknown, rows: QueryResultRow[][]) => void;
  readonly #queries: readonly WireQuery[];
  /** Whether the text may contain several commands, as in a migration. */
  readonly #isSimple: boolean;
  readonly #rows: QueryResultRow[][] = [];
  #failure: unknown;
  #at = 0;

  constructor(
    PostgresQuery: typeof Query,
    statements: readonly StoreStatement<unknown>[],
    timeoutMs: number,
    callback: Batch['callback'],
  ) {
    this.#isSimple = statements.length === 1 && !statements[0]?.[1]?.length;
    this.#queries = statements.map(([text, values = []], at) => {
      const answer = (error: unknown, result?: { readonly rows?: QueryResultRow[] }) => {
        this.#failure ??= error;
        this.#rows[at] = result?.rows ?? [];
      };
      const query = {
        text,
        values: [...values],
        callback: answer,
        ...(!this.#isSimple && { queryMode: 'extended' }),
      };
      return new PostgresQuery(query) as unknown as WireQuery;
    });
    this.query_timeout = timeoutMs * statements.length;
    this.callback = callback;
  }

  /** @returns the error if nothing was sent */
  submit(connection: Connection) {
    const { stream } = connection;
    if (!stream.writable) return new Error('The connection has ended.');
    const withoutSync: Connection = Object.create(connection, { sync: { value: () => undefined } });
    stream.cork();
    for (const query of this.#queries) {
      query.submit(withoutSync);
      // If a value cannot be sent, the rest must not be sent either, such as a COMMIT.
      if (this.#failure) return this.#failure as Error;
    }
    if (!this.#isSimple) connection.sync();
    stream.uncork();
    // After a connection reset, the socket rejects all statements.
    this.wasSent = stream.writable;
    return undefined;
  }

  handleRowDescription(message: unknown) {
    this.#queries[this.#at]?.handleRowDescription(message);
  }

  handleDataRow(message: unknown) {
    this.#queries[this.#at]?.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, connection: Connection) {
    this.#queries[this.#at]?.handleCommandComplete(message, connection);
    if (!this.#isSimple) this.#at++;
  }

  handleError(error: unknown) {
    this.callback(error, []);
  }

  handleReadyForQuery(connection: Connection) {
    for (const query of this.#queries) query.handleReadyForQuery(connection);
    this.callback(this.#failure, this.#rows);
  }
}
