/** Schedules: one row per namespace, changed by one server at a time. */
import { CircuitBreaker } from '../../packages/shared/src/concurrency/circuit-breaker.ts';
import { withAbort } from '../../packages/shared/src/concurrency/deadline.ts';
import { createSerialQueue } from '../../packages/shared/src/concurrency/queue.ts';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import type { ScheduleStore } from '../ingest/schedules.ts';
import { type Query, type Store, sqliteDialect } from './store.ts';

export const scheduleTables = `
  CREATE TABLE schedules (namespace ${sqliteDialect.keyText} PRIMARY KEY, schedules text) STRICT;`;

/** Maximum wait of a list for a shared database. */
const maxReadMs = 1_000;
const awayPauseMs = 5_000;

interface Row {
  readonly schedules: string | null;
}
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

/**
 * @param folders returns the folders in KNOWLEDGE_DIR: schedules of a folder deleted by hand are
 * ignored. Unset: all exist
 */
export function createScheduleStore(
  store: Store,
  folders?: () => Promise<readonly string[]>,
): ScheduleStore {
  const { query, isShared } = store;
  const inOrder = createSerialQueue();
  /** Fallback while a shared database is unreachable. */
  const known = new Map<string, string>();
  /** Lists of namespaces are answered from `known` then, without waiting for each connection. */
  const breaker = new CircuitBreaker({
    pauseMs: awayPauseMs,
    isAway: (error) => isShared && error instanceof KnowledgeError,
  });
  const tooLate = () => new KnowledgeError('timeout', 'Loading the schedules timed out.');

  async function read(namespace: string): Promise<string | undefined> {
    const rows = await query<Row>('SELECT schedules FROM schedules WHERE namespace = $1', [
      namespace,
    ]);
    const text = rows[0]?.schedules ?? undefined;
    if (text === undefined) known.delete(namespace);
    else known.set(namespace, text);
    return text;
  }

  async function changeBy(
    change: Query,
    namespace: string,
    before: string | undefined,
    edit: Edit,
  ): Promise<void> {
    const after = await edit(before);
    if (after !== undefined && after !== before) await change(put, [namespace, after]);
    if (after === undefined && (before !== undefined || isShared))
      await change('DELETE FROM schedules WHERE namespace = $1', [namespace]);
  }

  return {
    async namespaces() {
      const rows = await query<{ namespace: string }>(
        'SELECT namespace FROM schedules WHERE schedules IS NOT NULL ORDER BY namespace',
      );
      const present = rows.length > 0 && folders ? new Set(await folders()) : undefined;
      return rows
        .map(({ namespace }) => namespace)
        .filter((namespace) => present?.has(namespace) ?? true);
    },
    read: (namespace) => read(namespace).catch(ifAway(() => known.get(namespace))),
    async readAll() {
      const readKnown = async () => {
        const all = await query<Row & { readonly namespace: string }>(
          'SELECT namespace, schedules FROM schedules WHERE schedules IS NOT NULL',
        );
        known.clear();
        for (const { namespace, schedules } of all)
          if (schedules !== null) known.set(namespace, schedules);
      };
      const deadline = isShared ? AbortSignal.timeout(maxReadMs) : undefined;
      await breaker
        .run(() => withAbort(deadline, tooLate, readKnown))
        .catch(ifAway(() => undefined));
      return new Map(known);
    },
    change(namespace, edit) {
      // No transaction: an edit may start a job, which also uses the store.
      if (!isShared)
        return inOrder(async () => changeBy(query, namespace, await read(namespace), edit));
      return store.transact(async (changing) => {
        const [row] = await changing.query<Row>(lockRow, [namespace]);
        await changeBy(changing.query, namespace, row?.schedules ?? undefined, edit);
      });
    },
  };
}
