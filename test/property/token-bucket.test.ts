import fc from 'fast-check';
import { expect, it } from 'vitest';
import { MemoryLimiter } from '../../packages/shared/src/concurrency/token-bucket.ts';

/** Milliseconds until the next request: often zero, sometimes minutes. */
const pause = fc.oneof(
  { weight: 5, arbitrary: fc.constant(0) },
  fc.double({ min: 0, max: 5_000, noNaN: true }),
  fc.nat(200_000),
);
const perMinute = fc.oneof(
  fc.integer({ min: 1, max: 20 }),
  fc.constantFrom(7, 59, 120, 10_000_000),
);

/**
 * Sends requests of one key with these pauses. @returns the results and the times of allowed
 * requests
 */
async function sendRequests(pauses: readonly number[], limit: number) {
  let clock = 1_000;
  const limiter = new MemoryLimiter(() => clock);
  const allowed: number[] = [];
  const all: {
    readonly at: number;
    readonly isAllowed: boolean;
    readonly remaining: number;
    readonly retryAfterSeconds: number;
  }[] = [];
  for (const ms of pauses) {
    clock += ms;
    const taken = limiter.take('a', limit);
    all.push({ at: clock, ...taken });
    if (taken.isAllowed) allowed.push(clock);
  }
  return { allowed, all };
}

it('never allows more than a full bucket plus its refill', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(pause, { maxLength: 150 }), perMinute, async (pauses, limit) => {
      const { allowed } = await sendRequests(pauses, limit);
      for (const [first, from] of allowed.entries())
        for (let last = first; last < allowed.length; last++) {
          const ms = (allowed[last] ?? 0) - from;
          expect(last - first + 1).toBeLessThanOrEqual(
            Math.floor(limit + (ms * limit) / 60_000 + 0.01),
          );
        }
    }),
  );
});

it('rejects only if the bucket is empty and allows a retry after the returned time', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(pause, { maxLength: 100 }), perMinute, async (pauses, limit) => {
      const { all } = await sendRequests(pauses, limit);
      for (const { isAllowed, remaining } of all) if (!isAllowed) expect(remaining).toBe(0);
      const last = all.at(-1);
      if (!last || last.isAllowed) return;
      const again = await sendRequests([...pauses, last.retryAfterSeconds * 1_000], limit);
      expect(again.all.at(-1)?.isAllowed).toBe(true);
    }),
  );
});

it('forgets refilled buckets and never stores more than maxKeys', async () => {
  let clock = 0;
  const limiter = new MemoryLimiter(() => clock, 1_000);
  for (let at = 0; at < 20_000; at++) {
    limiter.take(`address:${at}`, 10);
    expect(limiter.size()).toBeLessThanOrEqual(1_000);
  }
  for (let minute = 0; minute < 2; minute++) {
    clock += 60_000;
    limiter.take('address:x', 10);
  }
  // The current and the previous generation each have one key.
  expect(limiter.size()).toBe(2);
});

it('keeps a busy key when many new keys arrive', async () => {
  let clock = 0;
  const limiter = new MemoryLimiter(() => clock, 200);
  for (let at = 0; at < 10; at++) limiter.take('busy', 10);
  for (let at = 0; at < 5_000; at++) {
    clock++;
    limiter.take(`address:${at}`, 10);
    if (at % 50 === 0 && limiter.take('busy', 10).isAllowed) expect(clock).toBeGreaterThan(5_900);
  }
});
