import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMemoryLimiter } from '../../src/concurrency/token-bucket.ts';

/** Milliseconds to the next request: often none, now and then minutes. */
const pause = fc.oneof({ weight: 5, arbitrary: fc.constant(0) }, fc.double({ min: 0, max: 5_000, noNaN: true }), fc.nat(200_000));
const perMinute = fc.oneof(fc.integer({ min: 1, max: 20 }), fc.constantFrom(7, 59, 120, 10_000_000));

/** Sends requests of one key after these pauses and returns which were admitted. */
async function letThrough(pauses: readonly number[], limit: number) {
  let clock = 1_000;
  const limiter = createMemoryLimiter({ now: () => clock });
  const allowed: number[] = [];
  const all: { readonly at: number; readonly isAllowed: boolean; readonly remaining: number; readonly retryAfterSeconds: number }[] = [];
  for (const ms of pauses) {
    clock += ms;
    const taken = await limiter.take('a', limit);
    all.push({ at: clock, ...taken });
    if (taken.isAllowed) allowed.push(clock);
  }
  return { allowed, all };
}

it('a token bucket admits no more than its size plus refills in any period', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(pause, { maxLength: 150 }), perMinute, async (pauses, limit) => {
      const { allowed } = await letThrough(pauses, limit);
      for (const [first, from] of allowed.entries())
        for (let last = first; last < allowed.length; last++) {
          const ms = (allowed[last] ?? 0) - from;
          expect(last - first + 1).toBeLessThanOrEqual(Math.floor(limit + (ms * limit) / 60_000 + 0.01));
        }
    }),
  );
});

it('a token bucket rejects only if empty, and admits a caller who retries after the reported delay', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(pause, { maxLength: 100 }), perMinute, async (pauses, limit) => {
      const { all } = await letThrough(pauses, limit);
      for (const { isAllowed, remaining } of all) if (!isAllowed) expect(remaining).toBe(0);
      const last = all.at(-1);
      if (!last || last.isAllowed) return;
      const again = await letThrough([...pauses, last.retryAfterSeconds * 1_000], limit);
      expect(again.all.at(-1)?.isAllowed).toBe(true);
    }),
  );
});

it('a rate limiter forgets addresses when their buckets are full and never exceeds its maximum', async () => {
  let clock = 0;
  const limiter = createMemoryLimiter({ now: () => clock, maxKeys: 1_000 });
  for (let at = 0; at < 20_000; at++) {
    await limiter.take(`address:${at}`, 10);
    expect(limiter.size()).toBeLessThanOrEqual(1_000);
  }
  for (let minute = 0; minute < 2; minute++) {
    clock += 60_000;
    await limiter.take('address:x', 10);
  }
  // The address of the minute before and the current one.
  expect(limiter.size()).toBe(2);
});

it('a rate limiter keeps a busy key when many others appear once', async () => {
  let clock = 0;
  const limiter = createMemoryLimiter({ now: () => clock, maxKeys: 200 });
  for (let at = 0; at < 10; at++) await limiter.take('busy', 10);
  for (let at = 0; at < 5_000; at++) {
    clock++;
    await limiter.take(`address:${at}`, 10);
    if (at % 50 === 0 && (await limiter.take('busy', 10)).isAllowed) expect(clock).toBeGreaterThan(5_900);
  }
});
