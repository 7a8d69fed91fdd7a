import { setTimeout as sleep } from 'node:timers/promises';

/** Shorter waits are carried over to the next call. Milliseconds. */
const minWaitMs = 5;

/**
 * Returns a function to call and await after each amount of bytes. It limits the rate to
 * `perSecond`, give or take `minWaitMs`.
 */
export function createByteThrottle(perSecond: number): (amount: number) => Promise<void> {
  let dueAt = 0;
  return async (amount) => {
    const now = performance.now();
    dueAt = Math.max(dueAt, now) + (amount / perSecond) * 1_000;
    if (dueAt - now > minWaitMs) await sleep(dueAt - now);
  };
}
