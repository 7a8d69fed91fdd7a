import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { CircuitBreaker } from '../../../packages/shared/src/concurrency/circuit-breaker.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
});

/** Work that fails on request and counts its calls. */
function breaker() {
  const circuit = new CircuitBreaker({ pauseMs: 1_000, isAway: (error) => error === 'away' });
  let tries = 0;
  const ask = (outcome?: string) =>
    circuit
      .run(async () => {
        tries++;
        if (outcome) throw outcome;
        return 'done';
      })
      .catch((error: unknown) => error);
  return { circuit, ask, tries: () => tries };
}

it('throws the same error during the pause and tries again after it', async () => {
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

it('runs one trial after the pause and rejects other calls while it runs', async () => {
  const { circuit, ask, tries } = breaker();
  await ask('away');
  vi.advanceTimersByTime(1_000);
  const trying = Promise.withResolvers<string>();
  const first = circuit.run(() => trying.promise);
  expect(await ask()).toBe('away');
  trying.resolve('done');
  expect(await first).toBe('done');
  expect(await ask()).toBe('done');
  expect(tries()).toBe(2);
});

it('closes after an error that does not mean an outage', async () => {
  const { ask, tries } = breaker();
  expect(await ask('wrong')).toBe('wrong');
  expect(await ask('away')).toBe('away');
  vi.advanceTimersByTime(1_000);
  expect(await ask('wrong')).toBe('wrong');
  expect(await ask()).toBe('done');
  expect(tries()).toBe(4);
});

/** Opens after three consecutive failures, or one that is certain. */
function circuit() {
  const opened: unknown[] = [];
  const breaker = new CircuitBreaker({
    pauseMs: 1_000,
    maxFailures: 3,
    isAway: (error) => error !== 'wrong',
    isCertain: (error) => error === 'for ever',
    toError: (error, leftMs) => `${error}, ${leftMs} ms`,
    onOpen: (error) => opened.push(error),
  });
  const ask = (outcome?: string) => {
    try {
      const isTrial = breaker.begin();
      if (outcome === undefined) breaker.succeeded();
      else if (outcome === 'left') breaker.withdrawn(isTrial);
      else breaker.failed(outcome);
      return 'tried';
    } catch (error) {
      return error;
    }
  };
  return { ask, opened };
}

it('opens after the maximum of consecutive failures and reports the time until the next trial', () => {
  const { ask, opened } = circuit();
  for (const between of [undefined, 'wrong', 'left'])
    for (const outcome of ['away', 'away', between]) expect(ask(outcome)).toBe('tried');
  expect(ask('away')).toBe('tried');
  vi.advanceTimersByTime(400);
  expect(ask()).toBe('away, 600 ms');
  vi.advanceTimersByTime(600);
  expect(ask('away')).toBe('tried');
  expect(ask()).toBe('away, 1000 ms');
  expect(opened).toEqual(['away']);
  vi.advanceTimersByTime(1_000);
  expect(ask()).toBe('tried');
  expect(ask('away')).toBe('tried');
  expect(ask()).toBe('tried');
});

it('opens at once if the failure is certain', () => {
  const { ask, opened } = circuit();
  expect(ask('for ever')).toBe('tried');
  expect(ask()).toBe('for ever, 1000 ms');
  expect(opened).toEqual(['for ever']);
});

it('gives the trial to the next call if a trial is withdrawn', () => {
  const { ask } = circuit();
  ask('for ever');
  vi.advanceTimersByTime(1_000);
  expect(ask('left')).toBe('tried');
  expect(ask()).toBe('tried');
  expect(ask()).toBe('tried');
});
