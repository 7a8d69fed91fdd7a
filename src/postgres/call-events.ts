/**
 * What webhooks say of calls, for all servers that share a database. News are told by transaction, as those of documents: a row that was
 * committed late is still at or above the oldest transaction that was open at the last look. Rows come twice, which changes nothing.
 */
import { createHash } from 'node:crypto';
import type { EventJournal } from '../calls/call-events.ts';
import type { Database } from './database.ts';

export const callEventTables = `
  CREATE TABLE call_events (
    key text COLLATE "C" PRIMARY KEY,
    event text NOT NULL,
    changed xid8 NOT NULL DEFAULT pg_current_xact_id()
  );
  CREATE INDEX call_events_changed ON call_events (changed, key);`;

/** In the order of their keys, in which two who have the same events do not wait for each other. */
const insertEvents = `
  INSERT INTO call_events (key, event)
  SELECT key, event FROM unnest($1::text[], $2::text[]) AS news (key, event) ORDER BY key COLLATE "C"
  ON CONFLICT (key) DO NOTHING`;
/** The watermark of the next look; taken before the rows, it is never above one that is missed. */
const selectMark = 'SELECT pg_snapshot_xmin(pg_current_snapshot())::text AS mark';
const selectPage = `
  SELECT changed::text AS changed, key, event FROM call_events
  WHERE (changed, key) > ($1::xid8, $2) ORDER BY call_events.changed, key LIMIT $3`;
/** After a restore into another cluster, which counts its transactions from elsewhere. */
export const restampEvents = 'UPDATE call_events SET changed = DEFAULT';
const pageRows = 5_000;

interface EventRow {
  readonly changed: string;
  readonly key: string;
  readonly event: string;
}

const keyOf = (event: string) => createHash('sha256').update(event).digest('base64url');

/** @param onWarning a database that is away is told of once: what it has is told at a later look */
export function createPostgresEvents(
  { query }: Pick<Database, 'query'>,
  onWarning: (message: string, error: unknown) => void,
): EventJournal {
  let mark = '0';
  let isAway = false;

  async function read(): Promise<string[]> {
    const [look] = await query<{ mark: string }>(selectMark);
    const next = look?.mark ?? mark;
    // A counter that has gone back is that of another cluster, in which nothing was looked at yet.
    let last = { changed: BigInt(next) < BigInt(mark) ? '0' : mark, key: '' };
    const events: string[] = [];
    for (;;) {
      const rows = await query<EventRow & object>(selectPage, [last.changed, last.key, pageRows]);
      for (const { event } of rows) events.push(event);
      last = rows.at(-1) ?? last;
      if (rows.length < pageRows) break;
    }
    mark = next;
    return events;
  }

  return {
    async news() {
      try {
        const events = await read();
        isAway = false;
        return events;
      } catch (error) {
        if (!isAway) onWarning('What other servers were told of calls cannot be read; it is read when the database is back.', error);
        isAway = true;
        return [];
      }
    },
    async append(texts) {
      const events = [...new Set(texts)];
      await query(insertEvents, [events.map(keyOf), events]);
    },
  };
}
