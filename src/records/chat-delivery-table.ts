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

/** Stores which chat messages are being answered or were answered. Functions can be detached. */
export class ChatDeliveryRows {
  readonly #store;
  readonly #renewMs;
  readonly #statements;
  /** Keys whose claim is being requested. */
  readonly #beginning = new Set<string>();
  readonly #waiting = new Set<string>();
  /** Answered messages that are not saved yet. */
  readonly #unsettled = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #untilTrim = 0;

  /** @param renewMs interval at which claims are renewed; well below three minutes */
  constructor(store: Store, renewMs = 30_000) {
    this.#store = store;
    this.#renewMs = renewMs;
    this.#statements = statementsFor(store.dialect);
  }

  async open() {
    // After a failure, the next renewal saves again.
    const renew = () => void this.#renew().catch(() => undefined);
    this.#timer = setInterval(renew, this.#renewMs).unref();
  }

  /** State of a message; undefined if all keys are unknown. */
  readonly stateOf = async (keys: readonly string[]) => {
    const isWaiting = () => keys.some((key) => this.#waiting.has(key));
    return (await this.#savedState(keys)) ?? (isWaiting() ? 'waiting' : undefined);
  };

  /** Claims a message; of concurrent calls with a common key only one succeeds. */
  readonly begin = async (keys: readonly string[]) => {
    const taken = [this.#unsettled, this.#waiting, this.#beginning];
    if (keys.some((key) => taken.some((some) => some.has(key)))) return false;
    // Before the query, so that a concurrent delivery does not begin.
    for (const key of keys) this.#beginning.add(key);
    try {
      const isBegun = await this.#take(keys);
      if (isBegun) for (const key of keys) this.#waiting.add(key);
      return isBegun;
    } finally {
      for (const key of keys) this.#beginning.delete(key);
    }
  };

  /** @param isSettled true: never answer again; false: forget the message */
  readonly end = async (keys: readonly string[], isSettled: boolean) => {
    if (isSettled) for (const key of keys) this.#unsettled.add(key);
    for (const key of keys) this.#waiting.delete(key);
    if (isSettled) await this.#settle();
    else if (this.#store.isShared) await this.#query(this.#statements.deleteTaken, keys);
  };

  async close() {
    clearInterval(this.#timer);
    await this.#settle().catch(() => undefined);
  }

  #query<Row extends object>(sql: string, keys: Iterable<string>, ...ms: number[]) {
    return this.#store.query<Row>(sql, [listOf(keys), ...ms]);
  }

  async #settle() {
    const keys = [...this.#unsettled];
    if (keys.length === 0) return;
    await this.#query(this.#statements.insertSettled, keys);
    for (const key of keys) this.#unsettled.delete(key);
    this.#untilTrim -= keys.length;
    if (this.#untilTrim > 0) return;
    this.#untilTrim = endsUntilTrim;
    await this.#store.query(this.#statements.deleteOld, [-keptMs]);
  }

  async #renew() {
    if (this.#store.isShared && this.#waiting.size > 0)
      await this.#query(this.#statements.updateTaken, this.#waiting, heldMs);
    await this.#settle();
  }

  async #savedState(keys: readonly string[]) {
    if (keys.some((key) => this.#unsettled.has(key))) return 'settled';
    return (await this.#query<{ state: State }>(this.#statements.selectState, keys))[0]?.state;
  }

  async #take(keys: readonly string[]) {
    if (!this.#store.isShared) return (await this.#savedState(keys)) === undefined;
    const { insertTaken, deleteTaken } = this.#statements;
    const taken = await this.#query<{ key: string }>(insertTaken, keys, heldMs);
    const isTaken = taken.length === new Set(keys).size;
    if (!isTaken && taken.length > 0)
      await this.#query(
        deleteTaken,
        taken.map(({ key }) => key),
      );
    return isTaken;
  }
}
