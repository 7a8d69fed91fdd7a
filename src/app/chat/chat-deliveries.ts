/**
 * Which messages of a chat platform are being answered, and which were: each goes by several keys, of its delivery and its own. Of one
 * server's own here; the same over a database that several servers share is in `postgres`.
 */
import { SeenIds } from './seen-ids.ts';

export type DeliveryState = 'waiting' | 'settled';

/** Every method may fail as what it is kept in does. */
export interface ChatDeliveries {
  open(): Promise<void>;
  /** Of the keys together; undefined where none is known. */
  stateOf(keys: readonly string[]): Promise<DeliveryState | undefined>;
  /** Of those that come at once with a key in common one begins. @returns whether these did: they wait from then on */
  begin(keys: readonly string[]): Promise<boolean>;
  /** @param isSettled whether they are never to be answered again; otherwise they count as not seen */
  end(keys: readonly string[], isSettled: boolean): Promise<void>;
  close(): Promise<void>;
}

/** What waits is known to this process alone, and to the next ones when it is settled. @param path of JSON Lines */
export function createFileDeliveries(path: string): ChatDeliveries {
  const seen = new SeenIds(path);
  const waiting = new Set<string>();
  const isWaiting = (keys: readonly string[]) => keys.some((key) => waiting.has(key));
  const isSeen = (keys: readonly string[]) => keys.some((key) => seen.has(key));
  return {
    open: () => seen.open(),
    stateOf: async (keys) => (isSeen(keys) ? 'settled' : isWaiting(keys) ? 'waiting' : undefined),
    async begin(keys) {
      if (isSeen(keys) || isWaiting(keys)) return false;
      for (const key of keys) waiting.add(key);
      return true;
    },
    async end(keys, isSettled) {
      const kept = isSettled ? seen.add(keys) : undefined;
      for (const key of keys) waiting.delete(key);
      await kept;
    },
    close: async () => undefined,
  };
}
