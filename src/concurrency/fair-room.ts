/**
 * Bounded room for what goes on for a while, shared fairly among those who use it. A place is held until a signal is aborted, so that
 * whoever took one has nothing to give back and can lose none: the signal is that of what the place is for.
 */
import { mayTakeOneMore } from './fair-share.ts';

export interface FairRoom {
  /** @returns whether there was a place for one more of this key; it is theirs until `until` is aborted */
  tryTake(key: string, until: AbortSignal): boolean;
  /** How many are taken, of one key or of all. */
  taken(key?: string): number;
}

/** @param onLeft called after a place has become free */
export function createFairRoom(size: number, onLeft: () => void = () => undefined): FairRoom {
  const held = new Map<string, number>();
  let all = 0;

  function leave(key: string): void {
    const left = (held.get(key) ?? 0) - 1;
    if (left > 0) held.set(key, left);
    else held.delete(key);
    all--;
    onLeft();
  }

  return {
    tryTake(key, until) {
      const own = held.get(key) ?? 0;
      if (until.aborted || !mayTakeOneMore(own, all, size)) return false;
      held.set(key, own + 1);
      all++;
      until.addEventListener('abort', () => leave(key), { once: true });
      return true;
    },
    taken: (key) => (key === undefined ? all : (held.get(key) ?? 0)),
  };
}

export interface FairGateOptions {
  /** How many go on at a time, of which one key alone gets half. */
  readonly maxRunning: number;
  /** Undefined: any number waits, for as long as it takes. */
  readonly queue?: {
    /** How many may wait, shared in the same way. */
    readonly maxWaiting: number;
    /** Of one; milliseconds. */
    readonly maxWaitMs: number;
    /** What is thrown where there is no room to wait, or no place came in time. */
    readonly tooMany: () => Error;
  };
}

interface Waiting {
  readonly key: string;
  readonly until: AbortSignal;
  readonly enter: () => void;
}

export type FairGate = ReturnType<typeof createFairGate>;

/** A room with a queue: who waits is let in in turn, first of those who have fewest places. */
export function createFairGate({ maxRunning, queue: bounds }: FairGateOptions) {
  const queue = new Set<Waiting>();
  const places = createFairRoom(maxRunning, letIn);
  const waits = createFairRoom(bounds?.maxWaiting ?? Number.POSITIVE_INFINITY);
  /** Key → when it was last let in, as a number that grows; of those who wait. */
  const turns = new Map<string, number>();
  let turn = 0;

  /** The first of the key that has fewest places, and of several the one that was let in longest ago. */
  function next(): Waiting | undefined {
    let best: Waiting | undefined;
    const order = ({ key }: Waiting) => [places.taken(key), turns.get(key) ?? 0] as const;
    for (const one of queue) {
      // About to leave by itself.
      if (one.until.aborted) continue;
      best ??= one;
      const [[own, last], [bestOwn, bestLast]] = [order(one), order(best)];
      if (own < bestOwn || (own === bestOwn && last < bestLast)) best = one;
    }
    return best;
  }

  function letIn(): void {
    for (let first = next(); first && places.tryTake(first.key, first.until); first = next()) {
      turns.set(first.key, ++turn);
      first.enter();
    }
    if (queue.size === 0) turns.clear();
  }

  /** @throws as `take` */
  async function wait(key: string, until: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waited = new AbortController();
    if (!waits.tryTake(key, waited.signal)) throw bounds?.tooMany();
    const giveUp = () => leave(() => reject(until.reason));
    const timer = bounds && setTimeout(() => leave(() => reject(bounds.tooMany())), bounds.maxWaitMs);
    const waiting: Waiting = { key, until, enter: () => leave(resolve) };
    function leave(settle: () => void): void {
      clearTimeout(timer);
      until.removeEventListener('abort', giveUp);
      queue.delete(waiting);
      waited.abort();
      settle();
    }
    until.addEventListener('abort', giveUp, { once: true });
    queue.add(waiting);
    return promise;
  }

  return {
    /**
     * Resolves when the place is there; it is held until `until` is aborted, which ends the wait for it too.
     * @throws what `tooMany` gives, and the reason of `until`
     */
    async take(key: string, until: AbortSignal): Promise<void> {
      until.throwIfAborted();
      if (!places.tryTake(key, until)) await wait(key, until);
    },
    /** How many have a place and how many wait. */
    load: () => ({ running: places.taken(), waiting: waits.taken() }),
  };
}
