import { setTimeout as sleep } from 'node:timers/promises';

/** Shorter waits are carried over to the next call. Milliseconds. */
const minWaitMs = 5;

/** Limits a rate of bytes, give or take `minWaitMs`. */
export class ByteThrottle {
  readonly #perSecond;
  #dueAt = 0;

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Call it after each amount of bytes, and await it. */
  async take(amount: number) {
    const now = performance.now();
    this.#dueAt = Math.max(this.#dueAt, now) + (amount / this.#perSecond) * 1_000;
    if (this.#dueAt - now > minWaitMs) await sleep(this.#dueAt - now);
  }
}
