/** Work of several owners that share a room or the event loop, so that one who has much of it keeps the others from nothing. */
import { createFairGate } from './fair-room.ts';
import { nextTurn } from './next-turn.ts';

/** Does a piece of an owner's work when it is its turn. A piece that fails keeps none of the others. */
export type FairLimit = <T>(owner: string, work: () => Promise<T>) => Promise<T>;

/** Those who wait, owner by owner in the order of their turns. */
class Waiting {
  readonly #begins = new Map<string, (() => void)[]>();

  /** Resolves when it is let in. */
  wait(owner: string): Promise<void> {
    return new Promise((resolve) => {
      const own = this.#begins.get(owner);
      if (own) own.push(resolve);
      else this.#begins.set(owner, [resolve]);
    });
  }

  /** Lets in the first of the owner whose turn it is among those who may. @returns whose it is */
  next(may: (owner: string) => boolean): string | undefined {
    for (const [owner, [begin, ...others]] of this.#begins) {
      if (!may(owner)) continue;
      // Behind all others.
      this.#begins.delete(owner);
      if (others.length > 0) this.#begins.set(owner, others);
      begin?.();
      return owner;
    }
    return undefined;
  }
}

/** @param room how many pieces may run at a time; of one owner alone as many as leave a place for who comes later */
export function createFairLimit(room: number): FairLimit {
  const gate = createFairGate({ maxRunning: room });
  return async (owner, work) => {
    const ending = new AbortController();
    await gate.take(owner, ending.signal);
    try {
      return await work();
    } finally {
      ending.abort();
    }
  };
}

/** A piece that took longer is followed by a rest of its owner. Milliseconds. */
const minRestedMs = 10;

/**
 * For work that holds the event loop: one piece in a turn of the loop, so that whatever else waits has its turn between two. An owner whose
 * piece took long leaves the loop to the others for as long again, so that one alone has no more than half of it.
 */
export function createTurns(): FairLimit {
  const waiting = new Waiting();
  const resting = new Set<string>();
  let isTaken = false;
  const startNext = () => {
    if (!isTaken) isTaken = waiting.next((owner) => !resting.has(owner)) !== undefined;
  };
  const rest = (owner: string, ms: number) => {
    resting.add(owner);
    setTimeout(() => {
      resting.delete(owner);
      startNext();
    }, ms);
  };
  return async (owner, work) => {
    if (isTaken || resting.has(owner)) await waiting.wait(owner);
    isTaken = true;
    const started = performance.now();
    try {
      return await work();
    } finally {
      const tookMs = performance.now() - started;
      if (tookMs > minRestedMs) rest(owner, tookMs);
      void nextTurn().then(() => {
        isTaken = false;
        startNext();
      });
    }
  };
}
