/**
 * Bounded slots that several keys share fairly, with a queue. A slot is held until a signal is
 * aborted, so a caller cannot forget to release it. Waiting work is admitted in turn: first the key
 * that holds the fewest slots, then the one that was admitted longest ago.
 */
import { isWithinFairShare } from './fair-share.ts';

interface Waiting {
  readonly until: AbortSignal;
  readonly enter: () => void;
}

export class FairQueue {
  readonly #options;
  readonly #held = new Map<string, number>();
  #running = 0;
  readonly #queues = new Map<string, Set<Waiting>>();
  #waiting = 0;
  /** Key → number of its last admission; empty if no work waits. */
  readonly #turns = new Map<string, number>();
  #turn = 0;

  constructor(
    options: Readonly<{
      /** Maximum acquired slots; one key gets at most half. */
      slots: number;
      /** Default: no limits. */
      queue?: Readonly<{
        /** Maximum waiting acquisitions, shared in the same way. */
        maxWaiting: number;
        /** Milliseconds. */
        maxWaitMs: number;
        /** Error if the queue is full or the wait is too long. */
        tooMany: () => Error;
      }>;
    }>,
  ) {
    this.#options = options;
  }

  held(key: string) {
    return this.#held.get(key) ?? 0;
  }

  load() {
    return { running: this.#running, waiting: this.#waiting };
  }

  /** @returns whether a slot was free; the key holds it until `until` is aborted */
  tryAcquire(key: string, until: AbortSignal) {
    if (until.aborted || !isWithinFairShare(this.held(key), this.#running, this.#options.slots))
      return false;
    this.#held.set(key, this.held(key) + 1);
    this.#running++;
    until.addEventListener('abort', () => this.#release(key), { once: true });
    return true;
  }

  /**
   * Waits for a slot and holds it until `until` aborts, which also ends the wait. @throws the error
   * of `tooMany`; the reason of `until`
   */
  async acquire(key: string, until: AbortSignal) {
    until.throwIfAborted();
    if (this.tryAcquire(key, until)) return;
    const { queue } = this.#options;
    const own = this.#queues.get(key) ?? new Set();
    if (queue && !isWithinFairShare(own.size, this.#waiting, queue.maxWaiting))
      throw queue.tooMany();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = () => leave(() => reject(until.reason));
    const timer = queue && setTimeout(() => leave(() => reject(queue.tooMany())), queue.maxWaitMs);
    const waiting: Waiting = { until, enter: () => leave(resolve) };
    const leave = (settle: () => void) => {
      clearTimeout(timer);
      until.removeEventListener('abort', giveUp);
      own.delete(waiting);
      if (own.size === 0) this.#queues.delete(key);
      if (--this.#waiting === 0) this.#turns.clear();
      settle();
    };
    until.addEventListener('abort', giveUp, { once: true });
    this.#queues.set(key, own.add(waiting));
    this.#waiting++;
    return promise;
  }

  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const ending = new AbortController();
    await this.acquire(key, ending.signal);
    try {
      return await work();
    } finally {
      ending.abort();
    }
  }

  #release(key: string) {
    const left = this.held(key) - 1;
    if (left > 0) this.#held.set(key, left);
    else this.#held.delete(key);
    this.#running--;
    this.#admit();
  }

  #admit() {
    for (
      let next = this.#next();
      next && this.tryAcquire(next.key, next.waiting.until);
      next = this.#next()
    ) {
      this.#turns.set(next.key, ++this.#turn);
      next.waiting.enter();
    }
  }

  #next() {
    let best: Readonly<{ key: string; waiting: Waiting; held: number; turn: number }> | undefined;
    for (const [key, queue] of this.#queues) {
      // Skips aborted acquisitions, which are about to leave the queue.
      const waiting = queue.values().find(({ until }) => !until.aborted);
      const held = this.held(key);
      const turn = this.#turns.get(key) ?? 0;
      const isBetter = !best || held < best.held || (held === best.held && turn < best.turn);
      if (waiting && isBetter) best = { key, waiting, held, turn };
    }
    return best;
  }
}
