/** Schedules that several servers share: those of a namespace in one row, locked while they are changed. */
import { KnowledgeError } from '../errors.ts';
import type { ScheduleStore } from '../ingest/schedules.ts';
import type { Database } from './database.ts';

export const scheduleTables = `
  CREATE TABLE schedules (namespace text COLLATE "C" PRIMARY KEY, schedules text);`;

/** Of the namespace `$1`. */
export const removeSchedules = 'DELETE FROM schedules WHERE namespace = $1';

export function createPostgresSchedules({ query, transact }: Pick<Database, 'query' | 'transact'>): ScheduleStore {
  /** What was read last, shown while the database is away. */
  const known = new Map<string, string>();

  async function read(namespace: string): Promise<string | undefined> {
    const rows = await query<{ schedules: string | null }>('SELECT schedules FROM schedules WHERE namespace = $1', [namespace]);
    const text = rows[0]?.schedules ?? undefined;
    if (text === undefined) known.delete(namespace);
    else known.set(namespace, text);
    return text;
  }

  return {
    namespaces: async () =>
      (await query<{ namespace: string }>('SELECT namespace FROM schedules ORDER BY namespace')).map((row) => row.namespace),
    read: (namespace) =>
      read(namespace).catch((error: unknown) => {
        if (error instanceof KnowledgeError) return known.get(namespace);
        throw error;
      }),
    change: (namespace, edit) =>
      transact(async (changing) => {
        // A row is locked also where there was none.
        const [row] = await changing.query<{ schedules: string | null }>(
          `INSERT INTO schedules (namespace) VALUES ($1) ON CONFLICT (namespace) DO UPDATE SET namespace = excluded.namespace
           RETURNING schedules`,
          [namespace],
        );
        const before = row?.schedules ?? undefined;
        const after = await edit(before);
        if (after === undefined) await changing.query(removeSchedules, [namespace]);
        else if (after !== before) await changing.query('UPDATE schedules SET schedules = $2 WHERE namespace = $1', [namespace, after]);
      }),
  };
}
