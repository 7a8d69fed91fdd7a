/**
 * Statements that are sent at once and answered in one round trip: the pipeline of the extended query protocol (PostgreSQL, "Message Flow",
 * 54.2.4). Each sees what those before it did. After one that fails PostgreSQL skips the others.
 */
import type { Connection, Query, QueryResultRow, Submittable } from 'pg';

export type PostgresStatement = readonly [sql: string, values?: readonly unknown[]];

/** What `pg` calls on the query whose turn it is. */
interface WireQuery {
  submit(connection: Connection): void;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
  handleReadyForQuery(connection: Connection): void;
}

export class Batch implements Submittable {
  /** Whether anything may have arrived. */
  hasLeft = false;
  /** For each statement its own time. Milliseconds. */
  readonly query_timeout: number;
  /** `pg` wraps it, and calls it also when the connection ends. */
  callback: (error: unknown, rows: QueryResultRow[][]) => void;
  readonly #queries: readonly WireQuery[];
  /** Whether the text of a single statement may hold several commands, as that of a migration. */
  readonly #isSimple: boolean;
  readonly #rows: QueryResultRow[][] = [];
  #failure: unknown;
  #at = 0;

  constructor(PostgresQuery: typeof Query, statements: readonly PostgresStatement[], timeoutMs: number, callback: Batch['callback']) {
    this.#isSimple = statements.length === 1 && !statements[0]?.[1]?.length;
    this.#queries = statements.map(([text, values = []], at) => {
      const answer = (error: unknown, result?: { readonly rows?: QueryResultRow[] }) => {
        this.#failure ??= error;
        this.#rows[at] = result?.rows ?? [];
      };
      const query = { text, values: [...values], callback: answer, ...(!this.#isSimple && { queryMode: 'extended' }) };
      return new PostgresQuery(query) as unknown as WireQuery;
    });
    this.query_timeout = timeoutMs * statements.length;
    this.callback = callback;
  }

  /** @returns why nothing was sent */
  submit(connection: Connection): Error | undefined {
    const { stream } = connection;
    if (!stream.writable) return new Error('The connection has ended.');
    const withoutSync: Connection = Object.create(connection, { sync: { value: () => undefined } });
    stream.cork();
    for (const query of this.#queries) {
      query.submit(withoutSync);
      // A value that cannot be sent: neither may what follows, such as a COMMIT.
      if (this.#failure) return this.#failure as Error;
    }
    if (!this.#isSimple) connection.sync();
    stream.uncork();
    // If the other side has reset the connection, the socket refuses all of it at once.
    this.hasLeft = stream.writable;
    return undefined;
  }

  handleRowDescription(message: unknown): void {
    this.#queries[this.#at]?.handleRowDescription(message);
  }

  handleDataRow(message: unknown): void {
    this.#queries[this.#at]?.handleDataRow(message);
  }

  handleCommandComplete(message: unknown, connection: Connection): void {
    this.#queries[this.#at]?.handleCommandComplete(message, connection);
    if (!this.#isSimple) this.#at++;
  }

  handleError(error: unknown): void {
    this.callback(error, []);
  }

  handleReadyForQuery(connection: Connection): void {
    for (const query of this.#queries) query.handleReadyForQuery(connection);
    this.callback(this.#failure, this.#rows);
  }
}
