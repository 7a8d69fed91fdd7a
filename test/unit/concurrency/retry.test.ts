import { describe, expect, it } from 'vitest';
import { type RetryOptions, retry } from '../../../packages/shared/src/concurrency/retry.ts';

/** Work that fails with each of the errors in turn, then succeeds. */
function setUp(errors: readonly unknown[], options: Partial<RetryOptions> = {}) {
  const pauses: number[] = [];
  let calls = 0;
  const work = async () => {
    const error = errors[calls++];
    if (error !== undefined) throw error;
    return 'done';
  };
  const outcome = retry(work, {
    firstPauseMs: 100,
    maxPauseMs: 300,
    isRetryable: (error) => error !== 'final',
    random: () => 0.5,
    sleep: async (ms) => pauses.push(ms),
    ...options,
  });
  return { outcome, pauses, calls: () => calls };
}

describe('a retry', () => {
  it('doubles its random pauses up to a maximum', async () => {
    const { outcome, pauses } = setUp(['a', 'b', 'c', 'd']);
    expect(await outcome).toBe('done');
    expect(pauses).toEqual([50, 100, 150, 150]);
  });

  it('starts each pause after the requested time', async () => {
    const { outcome, pauses } = setUp([7_000, 'unknown'], {
      retryAfterMs: (error) => (typeof error === 'number' ? error : undefined),
    });
    expect(await outcome).toBe('done');
    expect(pauses).toEqual([7_050, 100]);
  });

  it.each<[string, readonly unknown[], Partial<RetryOptions>, number]>([
    ['after the maximum of attempts', ['a', 'b', 'c'], { maxAttempts: 3 }, 3],
    ['if the error is final', ['a', 'final'], {}, 2],
    ['if the requested time is too long', [5], { maxRetryAfterMs: 4, retryAfterMs: Number }, 1],
    ['if the pause ends after the total time', ['a'], { totalMs: 40 }, 1],
  ])('throws the last error %s', async (_, errors, options, expected) => {
    const { outcome, calls } = setUp(errors, options);
    await expect(outcome).rejects.toBe(errors.at(-1));
    expect(calls()).toBe(expected);
  });

  it('ends its pause when the signal aborts', async () => {
    const ending = new AbortController();
    let calls = 0;
    const outcome = retry(
      async () => {
        calls++;
        queueMicrotask(() => ending.abort(new Error('left')));
        throw new Error('failed');
      },
      { firstPauseMs: 1e6, isRetryable: () => true, signal: ending.signal, random: () => 1 },
    );
    await expect(outcome).rejects.toThrow('left');
    expect(calls).toBe(1);
  });
});
