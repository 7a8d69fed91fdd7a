import { expect, it } from 'vitest';
import { ByteThrottle } from '../../../packages/shared/src/concurrency/byte-throttle.ts';

it('delays bytes above its rate and does not wait below it', async () => {
  const throttle = new ByteThrottle(10_000);
  const started = performance.now();
  for (let part = 0; part < 20; part++) await throttle.take(50);
  // The last short wait is carried over; a timer may fire a millisecond early.
  expect(performance.now() - started).toBeGreaterThan(90);
  const slow = new ByteThrottle(1_000_000);
  let turns = 0;
  setImmediate(() => turns++);
  await slow.take(100);
  expect(turns).toBe(0);
});
