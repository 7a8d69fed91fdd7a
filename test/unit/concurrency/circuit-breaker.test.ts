import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { createCircuitBreaker } from '../../../src/concurrency/circuit-breaker.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
});

/** Fails as it is told to, and counts. */
function breaker() {
  const attempt = createCircuitBreaker(1_000, (error) => error === 'away');
  let tries = 0;
  const ask = (outcome?: string) =>
    attempt(async () => {
      tries++;
      if (outcome) throw outcome;
      return 'done';
    }).catch((error: unknown) => error);
  return { attempt, ask, tries: () => tries };
}

it('tries what failed again after the pause, and says the same until then', async () => {
  const { ask, tries } = breaker();
  expect(await ask('away')).toBe('away');
  vi.advanceTimersByTime(999);
  for (let at = 0; at < 5; at++) expect(await ask()).toBe('away');
  expect(tries()).toBe(1);
  vi.advanceTimersByTime(1);
  expect(await ask()).toBe('done');
  expect(await ask()).toBe('done');
  expect(tries()).toBe(3);
});

it('lets one try after the pause, while the others go on without', async () => {
  const { attempt, ask, tries } = breaker();
  await ask('away');
  vi.advanceTimersByTime(1_000);
  const trying = Promise.withResolvers<string>();
  const first = attempt(() => trying.promise);
  expect(await ask()).toBe('away');
  trying.resolve('done');
  expect(await first).toBe('done');
  expect(await ask()).toBe('done');
  expect(tries()).toBe(2);
});

it('takes another failure for a way that is open', async () => {
  const { ask, tries } = breaker();
  expect(await ask('wrong')).toBe('wrong');
  expect(await ask('away')).toBe('away');
  vi.advanceTimersByTime(1_000);
  expect(await ask('wrong')).toBe('wrong');
  expect(await ask()).toBe('done');
  expect(tries()).toBe(4);
});
