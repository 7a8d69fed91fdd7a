/** Schedules: one row per namespace, changed by one server at a time. */
import { CircuitBreaker } from '../../packages/shared/src/concurrency/circuit-breaker.ts';
import { withAbort } from '../../packages/shared/src/concurrency/deadline.ts';
import { Semaphore } from '../../packages/shared/src/concurrency/queue.ts';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import type { ScheduleStore } from '../ingest/schedules.ts';
import type { Query, SqlDialect, Store } from './store.ts';

export const scheduleTables = ({ keyText, strict }: SqlDialect) =>
  `CREATE TABLE schedules (namespace ${keyText} PRIMARY KEY, schedules text) ${strict};`;

/** Maximum wait of a list for a shared database. */
const maxReadMs = 1_000;
const awayPauseMs = 5_000;

type Row = Readonly<{ schedules: string | null }>;
type Edit = Parameters<ScheduleStore['change']>[1];

const put = `
  INSERT INTO schedules (namespace, schedules) VALUES ($1, $2)
  ON CONFLICT (namespace) DO UPDATE SET schedules = excluded.schedules`;
/** Inserts a missing row in order to lock it. */
const lockRow = `
  INSERT INTO schedules (namespace) VALUES ($1) ON CONFLICT (namespace) DO UPDATE
    SET namespace = excluded.namespace
  RETURNING schedules`;

const ifAway =
  <T>(instead: () => T) =>
  (error: unknown) => {
    if (error instanceof KnowledgeError) return instead();
    throw error;
  };

const tooLate = () => new KnowledgeError('timeout', 'Loading the schedules timed out.');

export class ScheduleRows implements ScheduleStore {
  readonly #store;
  readonly #folders;
  readonly #inOrder = new Semaphore(1);
  /** Fallback while a shared database is unreachable. */
  readonly #known = new Map<string, string>();
  /** Lists of namespaces are answered from `#known` then, without waiting for each connection. */
  readonly #breaker;

  /**
   * @param folders returns the folders in KNOWLEDGE_DIR: schedules of a folder deleted by hand are
   * ignored. Unset: all exist
   */
  constructor(store: Store, folders?: () => Promise<readonly string[]>) {
    this.#store = store;
    this.#folders = folders;
    this.#breaker = new CircuitBreaker({
      pauseMs: awayPauseMs,
      isAway: (error) => store.isShared && error instanceof KnowledgeError,
    });
  }

  async namespaces() {
    const rows = await this.#store.query<{ namespace: string }>(
      'SELECT namespace FROM schedules WHERE schedules IS NOT NULL ORDER BY namespace',
    );
    const present = rows.length > 0 && this.#folders && new Set(await this.#folders());
    const names = rows.map(({ namespace }) => namespace);
    return present ? names.filter((name) => present.has(name)) : names;
  }

  read(namespace: string) {
    return this.#read(namespace).catch(ifAway(() => this.#known.get(namespace)));
  }

  async readAll() {
    const readKnown = async () => {
      const all = await this.#store.query<{ namespace: string; schedules: string }>(
        'SELECT namespace, schedules FROM schedules WHERE schedules IS NOT NULL',
      );
      this.#known.clear();
      for (const { namespace, schedules } of all) this.#known.set(namespace, schedules);
    };
    const deadline = this.#store.isShared ? AbortSignal.timeout(maxReadMs) : undefined;
    const read = this.#breaker.run(() => withAbort(deadline, tooLate, readKnown));
    await read.catch(ifAway(() => undefined));
    return new Map(this.#known);
  }

  change(namespace: string, edit: Edit) {
    // No transaction: an edit may start a job, which also uses the store.
    if (!this.#store.isShared)
      return this.#inOrder.run(async () =>
        this.#changeBy(this.#store.query, namespace, await this.#read(namespace), edit),
      );
    return this.#store.transact(async ({ query }) => {
      const [row] = await query<Row>(lockRow, [namespace]);
      await this.#changeBy(query, namespace, row?.schedules ?? undefined, edit);
    });
  }

  async #read(namespace: string) {
    const [row] = await this.#store.query<Row>(
      'SELECT schedules FROM schedules WHERE namespace = $1',
      [namespace],
    );
    const text = row?.schedules ?? undefined;
    if (text === undefined) this.#known.delete(namespace);
    else this.#known.set(namespace, text);
    return text;
  }

  async #changeBy(query: Query, namespace: string, before: string | undefined, edit: Edit) {
    const after = await edit(before);
    if (after === undefined && (before !== undefined || this.#store.isShared))
      await query('DELETE FROM schedules WHERE namespace = $1', [namespace]);
    else if (after !== undefined && after !== before) await query(put, [namespace, after]);
  }
}
