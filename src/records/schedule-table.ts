/** Schedules: one row per namespace, changed by one server at a time. */
import { CircuitBreaker } from '../../packages/shared/src/concurrency/circuit-breaker.ts';
import { withAbort } from '../../packages/shared/src/concurrency/deadline.ts';
import { Semaphore } from '../../packages/shared/src/concurrency/queue.ts';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import type { ScheduleStore } from '../ingest/schedules.ts';
import type { Query, SqlDialect, Store } from './store.ts';

export const scheduleTables = ({ keyText, strict }: SqlDialect): string =>
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
  (error: unknown): T => {
    if (error instanceof KnowledgeError) return instead();
    throw error;
  };

const tooLate = () => new KnowledgeError('timeout', 'Loading the schedules timed out.');

/**
 * @param folders returns the folders in KNOWLEDGE_DIR: schedules of a folder deleted by hand are
 * ignored. Unset: all exist
 */
export function createScheduleRows(
  store: Store,
  folders?: () => Promise<readonly string[]>,
): ScheduleStore {
  const inOrder = new Semaphore(1);
  /** Fallback while a shared database is unreachable. */
  const known = new Map<string, string>();
  /** Lists of namespaces are answered from `known` then, without waiting for each connection. */
  const breaker = new CircuitBreaker({
    pauseMs: awayPauseMs,
    isAway: (error) => store.isShared && error instanceof KnowledgeError,
  });

  async function readNow(namespace: string) {
    const [row] = await store.query<Row>('SELECT schedules FROM schedules WHERE namespace = $1', [
      namespace,
    ]);
    const text = row?.schedules ?? undefined;
    if (text === undefined) known.delete(namespace);
    else known.set(namespace, text);
    return text;
  }

  async function changeBy(query: Query, namespace: string, before: string | undefined, edit: Edit) {
    const after = await edit(before);
    if (after === undefined && (before !== undefined || store.isShared))
      await query('DELETE FROM schedules WHERE namespace = $1', [namespace]);
    else if (after !== undefined && after !== before) await query(put, [namespace, after]);
  }

  return {
    async namespaces() {
      const rows = await store.query<{ namespace: string }>(
        'SELECT namespace FROM schedules WHERE schedules IS NOT NULL ORDER BY namespace',
      );
      const present = rows.length > 0 && folders && new Set(await folders());
      const names = rows.map(({ namespace }) => namespace);
      return present ? names.filter((name) => present.has(name)) : names;
    },

    read: (namespace) => readNow(namespace).catch(ifAway(() => known.get(namespace))),

    async readAll() {
      const readKnown = async () => {
        const all = await store.query<{ namespace: string; schedules: string }>(
          'SELECT namespace, schedules FROM schedules WHERE schedules IS NOT NULL',
        );
        known.clear();
        for (const { namespace, schedules } of all) known.set(namespace, schedules);
      };
      const deadline = store.isShared ? AbortSignal.timeout(maxReadMs) : undefined;
      const read = breaker.run(() => withAbort(deadline, tooLate, readKnown));
      await read.catch(ifAway(() => undefined));
      return new Map(known);
    },

    change(namespace, edit) {
      // No transaction: an edit may start a job, which also uses the store.
      if (!store.isShared)
        return inOrder.run(async () =>
          changeBy(store.query, namespace, await readNow(namespace), edit),
        );
      return store.transact(async ({ query }) => {
        const [row] = await query<Row>(lockRow, [namespace]);
        await changeBy(query, namespace, row?.schedules ?? undefined, edit);
      });
    },
  };
}
