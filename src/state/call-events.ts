/**
 * What webhooks say of calls. Several servers find each other's events by the number of the transaction: a row that was committed late is
 * still at or above the oldest transaction that was open at the last look. One server counts its rows. Rows come twice, which changes
 * nothing. The key is the hash of an event, so an event that the disk altered is not read.
 */
import { createHash } from 'node:crypto';
import type { EventJournal } from '../calls/call-events.ts';
import { createTimeSlicer } from '../concurrency/time-slicer.ts';
import { type Query, type Store, sqliteDialect } from './store.ts';

export const callEventTables = `
  CREATE TABLE call_events (
    changed integer PRIMARY KEY AUTOINCREMENT, key ${sqliteDialect.keyText} NOT NULL UNIQUE, event text NOT NULL) STRICT;`;

const insertEvent = 'INSERT INTO call_events (key, event) VALUES ($1, $2) ON CONFLICT (key) DO NOTHING';
/** Where the next look begins. Read before the rows, it is never above one that is missed. */
const selectMark = {
  shared: 'SELECT CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS mark',
  own: 'SELECT CAST(coalesce(max(changed), 0) + 1 AS text) AS mark FROM call_events',
};
/** SQLite takes the type of a transaction's number for a number. */
const selectPage = `
  SELECT CAST(changed AS text) AS place, key, event FROM call_events
  WHERE (changed, key) > (CAST(CAST($1 AS text) AS xid8), $2) ORDER BY call_events.changed, key LIMIT $3`;
const pageRows = 500;
/** Events of one transaction. */
const maxTogether = 100;

interface EventRow {
  readonly place: string;
  readonly key: string;
  readonly event: string;
}

const keyOf = (event: string) => createHash('sha256').update(event).digest('base64url');

/** Saves an event, unless it is there. */
export const keepCallEvent = (query: Query, event: string) => query(insertEvent, [keyOf(event), event]);

/** @param onWarning a store that is away is reported once: its events are read at a later look */
export function createEventJournal(store: Store, onWarning: (message: string, error?: unknown) => void): EventJournal {
  const { query, isShared } = store;
  let mark = '0';
  let isAway = false;

  async function read(): Promise<string[]> {
    const [look] = await query<{ mark: string }>(isShared ? selectMark.shared : selectMark.own);
    const next = look?.mark ?? mark;
    // A counter that has gone back is that of another database, in which nothing was read yet.
    let last = { place: BigInt(next) < BigInt(mark) ? '0' : mark, key: '' };
    const events: string[] = [];
    const pause = createTimeSlicer();
    let damaged = 0;
    let rows: EventRow[];
    do {
      rows = await query<EventRow>(selectPage, [last.place, last.key, pageRows]);
      const whole = rows.filter(({ key, event }) => keyOf(event) === key);
      for (const { event } of whole) events.push(event);
      damaged += rows.length - whole.length;
      last = rows.at(-1) ?? last;
      await pause();
    } while (rows.length === pageRows);
    mark = next;
    if (damaged > 0) onWarning(`Events of calls that are damaged and left out: ${damaged}.`);
    return events;
  }

  return {
    async news() {
      try {
        const events = await read();
        isAway = false;
        return events;
      } catch (error) {
        if (!isAway) onWarning('The events of calls cannot be read. They are read when the store is back.', error);
        isAway = true;
        return [];
      }
    },
    async append(texts) {
      // In the order of their keys: two servers with the same events do not wait for each other.
      const events = [...new Set(texts)].map((event) => ({ key: keyOf(event), event })).sort((a, b) => (a.key < b.key ? -1 : 1));
      for (let at = 0; at < events.length; at += maxTogether)
        await store.transact(async (transaction) => {
          for (const { event } of events.slice(at, at + maxTogether)) await keepCallEvent(transaction.query, event);
        });
    },
  };
}
