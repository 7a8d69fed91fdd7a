/**
 * Which messages of a chat platform are being answered, for all servers that share a database: who has begun one holds it for some minutes
 * and says again and again that it is at work, so that what a crashed server held is answered when it is delivered again.
 */
import type { ChatDeliveries, DeliveryState } from '../app/chat/chat-deliveries.ts';
import type { Database } from './database.ts';

export const chatDeliveryTables = `
  CREATE TABLE chat_deliveries (
    key text COLLATE "C" PRIMARY KEY,
    taken_until timestamptz NOT NULL,
    is_settled boolean NOT NULL DEFAULT false
  );`;

const selectState = `
  SELECT is_settled AS "isSettled" FROM chat_deliveries
  WHERE key = ANY($1::text[]) AND (is_settled OR taken_until >= now()) ORDER BY is_settled DESC LIMIT 1`;
/** In the order of the keys, in which two who begin the same do not wait for each other. */
const insertTaken = `
  INSERT INTO chat_deliveries (key, taken_until)
  SELECT key, now() + interval '3 minutes' FROM unnest($1::text[]) AS begun (key) ORDER BY key COLLATE "C"
  ON CONFLICT (key) DO UPDATE SET taken_until = excluded.taken_until
    WHERE NOT chat_deliveries.is_settled AND chat_deliveries.taken_until < now()
  RETURNING key`;
const updateTaken = `
  UPDATE chat_deliveries SET taken_until = now() + interval '3 minutes' WHERE key = ANY($1::text[]) AND NOT is_settled`;
const insertSettled = `
  INSERT INTO chat_deliveries (key, taken_until, is_settled)
  SELECT key, now(), true FROM unnest($1::text[]) AS settled (key) ORDER BY key COLLATE "C"
  ON CONFLICT (key) DO UPDATE SET taken_until = excluded.taken_until, is_settled = true`;
const deleteTaken = 'DELETE FROM chat_deliveries WHERE key = ANY($1::text[]) AND NOT is_settled';
/** No platform delivers again after that, and no signature is as old. */
const deleteOld = "DELETE FROM chat_deliveries WHERE taken_until < now() - interval '7 days'";

const usualRenewMs = 30_000;
const endsUntilTrim = 1_000;

export interface PostgresDeliveriesOptions {
  readonly database: Pick<Database, 'query'>;
  /** Between two times of saying what is at work; well below three minutes. Milliseconds. */
  readonly renewMs?: number;
}

export function createPostgresDeliveries({ database: { query }, renewMs = usualRenewMs }: PostgresDeliveriesOptions): ChatDeliveries {
  const waiting = new Set<string>();
  /** What the database could not be told yet. */
  const unsettled = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let untilTrim = endsUntilTrim;

  async function settle(): Promise<void> {
    const keys = [...unsettled];
    if (keys.length === 0) return;
    await query(insertSettled, [keys]);
    for (const key of keys) unsettled.delete(key);
    untilTrim -= keys.length;
    if (untilTrim > 0) return;
    untilTrim = endsUntilTrim;
    await query(deleteOld);
  }

  async function renew(): Promise<void> {
    if (waiting.size > 0) await query(updateTaken, [[...waiting]]);
    await settle();
  }

  return {
    async open() {
      // What the database cannot be told now it is told at the next time.
      timer = setInterval(() => void renew().catch(() => undefined), renewMs).unref();
    },
    async stateOf(keys): Promise<DeliveryState | undefined> {
      if (keys.some((key) => unsettled.has(key))) return 'settled';
      const [row] = await query<{ isSettled: boolean }>(selectState, [keys]);
      return row && (row.isSettled ? 'settled' : 'waiting');
    },
    async begin(keys) {
      if (keys.some((key) => unsettled.has(key) || waiting.has(key))) return false;
      const begun = (await query<{ key: string }>(insertTaken, [keys])).map(({ key }) => key);
      const isBegun = begun.length === keys.length;
      if (isBegun) for (const key of keys) waiting.add(key);
      else if (begun.length > 0) await query(deleteTaken, [begun]);
      return isBegun;
    },
    async end(keys, isSettled) {
      for (const key of keys) {
        waiting.delete(key);
        if (isSettled) unsettled.add(key);
      }
      if (isSettled) await settle();
      else await query(deleteTaken, [keys]);
    },
    async close() {
      clearInterval(timer);
      await settle().catch(() => undefined);
    },
  };
}
