import { setTimeout as sleep } from 'node:timers/promises';

/** Shorter waits are left for the next. Milliseconds. */
const minWaitMs = 5;

/** @returns what is to be waited for after so much more: over any time no more than that is let through, but for `minWaitMs` of it */
export function createByteThrottle(perSecond: number): (amount: number) => Promise<void> {
  let dueAt = 0;
  return async (amount) => {
    const now = performance.now();
    dueAt = Math.max(dueAt, now) + (amount / perSecond) * 1_000;
    if (dueAt - now > minWaitMs) await sleep(dueAt - now);
  };
}
