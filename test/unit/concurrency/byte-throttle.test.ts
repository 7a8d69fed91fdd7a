import { expect, it } from 'vitest';
import { createByteThrottle } from '../../../src/concurrency/byte-throttle.ts';

it('lets no more through than its rate, and waits for nothing that is slower', async () => {
  const pace = createByteThrottle(10_000);
  const started = performance.now();
  for (let part = 0; part < 20; part++) await pace(50);
  // But for what is left for the next wait; a timer may be a millisecond early.
  expect(performance.now() - started).toBeGreaterThan(90);
  const slow = createByteThrottle(1_000_000);
  let turns = 0;
  setImmediate(() => turns++);
  await slow(100);
  expect(turns).toBe(0);
});
