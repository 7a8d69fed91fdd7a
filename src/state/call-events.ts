/**
 * Call events from webhooks. Several servers poll from the oldest transaction that was open at the
 * last poll, so they also find late commits. A single server polls by row number. Reading a row
 * twice is harmless. The key is the hash of the event, to detect damage.
 */
import { createHash } from 'node:crypto';
import { createTimeSlicer } from '../../packages/shared/src/concurrency/time-slicer.ts';
import type { EventJournal } from '../calls/call-events.ts';
import { type Store, sqliteDialect } from './store.ts';

export const callEventTables = `
  CREATE TABLE call_events (
    changed integer PRIMARY KEY AUTOINCREMENT, key ${sqliteDialect.keyText} NOT NULL UNIQUE, event text NOT NULL) STRICT;`;

const insertEvent =
  'INSERT INTO call_events (key, event) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING';
/** Start of the next poll. Read before the rows, so that no row is missed. */
const selectMark = {
  shared: 'SELECT CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS mark',
  own: 'SELECT CAST(coalesce(max(changed), 0) + 1 AS text) AS mark FROM call_events',
};
/** SQLite treats the type name `xid8` as numeric. */
const selectPage = `
  SELECT CAST(changed AS text) AS place, key, event FROM call_events
  WHERE (changed, key) > (CAST(CAST($1 AS text) AS xid8), $2) ORDER BY call_events.changed, key LIMIT $3`;
const pageRows = 500;
const eventsPerTransaction = 100;

interface EventRow {
  readonly place: string;
  readonly key: string;
  readonly event: string;
}

const keyOf = (event: string) => createHash('sha256').update(event).digest('base64url');

/** @param onWarning called once per outage; a later poll reads the events */
export function createEventJournal(
  store: Store,
  onWarning: (message: string, error?: unknown) => void,
): EventJournal {
  const { query, isShared } = store;
  let mark = '0';
  let isAway = false;

  async function read(): Promise<string[]> {
    const [poll] = await query<{ mark: string }>(isShared ? selectMark.shared : selectMark.own);
    const next = poll?.mark ?? mark;
    // A lower mark comes from another database, so read from the start.
    let last = { place: BigInt(next) < BigInt(mark) ? '0' : mark, key: '' };
    const events: string[] = [];
    const pause = createTimeSlicer();
    let damaged = 0;
    let rows: EventRow[];
    do {
      rows = await query<EventRow>(selectPage, [last.place, last.key, pageRows]);
      const valid = rows.filter(({ key, event }) => keyOf(event) === key);
      for (const { event } of valid) events.push(event);
      damaged += rows.length - valid.length;
      last = rows.at(-1) ?? last;
      await pause();
    } while (rows.length === pageRows);
    mark = next;
    if (damaged > 0) onWarning(`Damaged call events were skipped: ${damaged}.`);
    return events;
  }

  return {
    async news() {
      try {
        const events = await read();
        isAway = false;
        return events;
      } catch (error) {
        if (!isAway) onWarning('Call events cannot be read until the store is back.', error);
        isAway = true;
        return [];
      }
    },
    async append(texts) {
      // Sorted by key to avoid deadlocks between servers with the same events.
      const events = [...new Set(texts)]
        .map((event) => ({ key: keyOf(event), event }))
        .sort((a, b) => (a.key < b.key ? -1 : 1));
      for (let at = 0; at < events.length; at += eventsPerTransaction)
        await store.transact(async (transaction) => {
          for (const { key, event } of events.slice(at, at + eventsPerTransaction))
            await transaction.query(insertEvent, [key, event]);
        });
    },
  };
}
