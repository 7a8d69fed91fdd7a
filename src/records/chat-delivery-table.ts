/**
 * Records answered chat messages: platforms redeliver messages, and attackers may replay requests.
 * Among several servers, one claims a message for three minutes and renews the claim; after a crash
 * another server answers the next delivery. A single server keeps its claims in memory.
 */
import { type SqlDialect, type Store, sqliteDialect } from './store.ts';

const { keyText } = sqliteDialect;
/** `taken_until`: milliseconds of Unix time. */
export const chatDeliveryTables = `
  CREATE TABLE chat_deliveries (key ${keyText} PRIMARY KEY, taken_until real NOT NULL,
    is_settled integer NOT NULL DEFAULT 0) STRICT;
  CREATE INDEX chat_deliveries_taken ON chat_deliveries (taken_until);`;

const heldMs = 180_000;
/** Longer than any platform redelivers and than any signature is valid. */
const keptMs = 7 * 24 * 60 * 60 * 1_000;
const endsUntilTrim = 1_000;

const statementsFor = ({ elementsOf, now, nowPlus }: SqlDialect) => ({
  selectState: `
    SELECT CASE WHEN is_settled THEN 'settled' ELSE 'waiting' END AS state FROM chat_deliveries
    WHERE key IN (${elementsOf('$1')}) AND (is_settled OR taken_until >= ${now})
      ORDER BY is_settled DESC LIMIT 1`,
  insertTaken: `
    WITH begun (key) AS (${elementsOf('$1')})
    INSERT INTO chat_deliveries (key, taken_until) SELECT key, ${nowPlus('$2')} FROM begun WHERE true
    ON CONFLICT (key) DO UPDATE SET taken_until = excluded.taken_until
      WHERE NOT chat_deliveries.is_settled AND chat_deliveries.taken_until < ${now}
    RETURNING key`,
  updateTaken: `UPDATE chat_deliveries SET taken_until = ${nowPlus('$2')} WHERE key IN (${elementsOf('$1')}) AND NOT is_settled`,
  insertSettled: `
    WITH settled (key) AS (${elementsOf('$1')})
    INSERT INTO chat_deliveries (key, taken_until, is_settled) SELECT key, ${now}, true
      FROM settled WHERE true
    ON CONFLICT (key) DO UPDATE SET taken_until = excluded.taken_until, is_settled = true`,
  deleteTaken: `DELETE FROM chat_deliveries WHERE key IN (${elementsOf('$1')}) AND NOT is_settled`,
  deleteOld: `DELETE FROM chat_deliveries WHERE taken_until < ${nowPlus('$1')}`,
});

/** Sorted, to avoid deadlocks between servers. */
const listOf = (keys: Iterable<string>) => JSON.stringify([...new Set(keys)].sort());

type State = 'waiting' | 'settled';

export type ChatDeliveryRows = ReturnType<typeof createChatDeliveryRows>;

/**
 * Stores which chat messages are being answered or were answered. Functions can be detached.
 * @param renewMs interval at which claims are renewed; well below three minutes
 */
export function createChatDeliveryRows(store: Store, renewMs = 30_000) {
  const statements = statementsFor(store.dialect);
  /** Keys whose claim is being requested. */
  const beginning = new Set<string>();
  const waiting = new Set<string>();
  /** Answered messages that are not saved yet. */
  const unsettled = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let untilTrim = 0;

  const query = <Row extends object>(sql: string, keys: Iterable<string>, ...ms: number[]) =>
    store.query<Row>(sql, [listOf(keys), ...ms]);

  async function settle() {
    const keys = [...unsettled];
    if (keys.length === 0) return;
    await query(statements.insertSettled, keys);
    for (const key of keys) unsettled.delete(key);
    untilTrim -= keys.length;
    if (untilTrim > 0) return;
    untilTrim = endsUntilTrim;
    await store.query(statements.deleteOld, [-keptMs]);
  }

  async function renew() {
    if (store.isShared && waiting.size > 0) await query(statements.updateTaken, waiting, heldMs);
    await settle();
  }

  async function savedState(keys: readonly string[]): Promise<State | undefined> {
    if (keys.some((key) => unsettled.has(key))) return 'settled';
    return (await query<{ state: State }>(statements.selectState, keys))[0]?.state;
  }

  async function take(keys: readonly string[]) {
    if (!store.isShared) return (await savedState(keys)) === undefined;
    const { insertTaken, deleteTaken } = statements;
    const taken = await query<{ key: string }>(insertTaken, keys, heldMs);
    const isTaken = taken.length === new Set(keys).size;
    if (!isTaken && taken.length > 0)
      await query(
        deleteTaken,
        taken.map(({ key }) => key),
      );
    return isTaken;
  }

  return {
    async open() {
      // After a failure, the next renewal saves again.
      timer = setInterval(() => void renew().catch(() => undefined), renewMs).unref();
    },

    /** State of a message; undefined if all keys are unknown. */
    async stateOf(keys: readonly string[]): Promise<State | undefined> {
      const isWaiting = () => keys.some((key) => waiting.has(key));
      return (await savedState(keys)) ?? (isWaiting() ? 'waiting' : undefined);
    },

    /** Claims a message; of concurrent calls with a common key only one succeeds. */
    async begin(keys: readonly string[]) {
      const taken = [unsettled, waiting, beginning];
      if (keys.some((key) => taken.some((some) => some.has(key)))) return false;
      // Before the query, so that a concurrent delivery does not begin.
      for (const key of keys) beginning.add(key);
      try {
        const isBegun = await take(keys);
        if (isBegun) for (const key of keys) waiting.add(key);
        return isBegun;
      } finally {
        for (const key of keys) beginning.delete(key);
      }
    },

    /** @param isSettled true: never answer again; false: forget the message */
    async end(keys: readonly string[], isSettled: boolean) {
      if (isSettled) for (const key of keys) unsettled.add(key);
      for (const key of keys) waiting.delete(key);
      if (isSettled) await settle();
      else if (store.isShared) await query(statements.deleteTaken, keys);
    },

    async close() {
      clearInterval(timer);
      await settle().catch(() => undefined);
    },
  };
}
