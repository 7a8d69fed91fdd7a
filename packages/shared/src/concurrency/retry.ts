/**
 * Retries failed work. The maximum pause doubles with each failure. Each pause is random ("full
 * jitter": AWS Architecture Blog, Exponential Backoff And Jitter), so that callers do not retry at
 * the same time. The pause that the server requests (`Retry-After`, RFC 9110 10.2.3) is added. Runs
 * in browsers too.
 */
import { withAbort } from './deadline.ts';

interface Backoff {
  /** Maximum pause after the first failure; doubles with each further failure. Milliseconds. */
  readonly firstPauseMs: number;
  /** Milliseconds; default: no maximum. */
  readonly maxPauseMs?: number | undefined;
}

/** Longest pause in milliseconds. @param failures in a row, at least 1 */
export const backoffMs = (
  failures: number,
  { firstPauseMs, maxPauseMs = Number.POSITIVE_INFINITY }: Backoff,
) => Math.min(maxPauseMs, firstPauseMs * 2 ** (failures - 1));

export type RetryOptions = Backoff &
  Readonly<{
    /** Maximum calls of `work`, including the first; default: no maximum. */
    maxAttempts?: number;
    /** Time from the first attempt to the start of the last. Milliseconds; default: no limit. */
    totalMs?: number;
    isRetryable: (error: unknown) => boolean;
    /** Milliseconds that the server asks to wait. */
    retryAfterMs?: (error: unknown) => number | undefined;
    /** If the server asks for a longer wait, `work` is not retried. Milliseconds; default: no limit. */
    maxRetryAfterMs?: number;
    signal?: AbortSignal | undefined;
    /** From 0 to below 1; default: Math.random. */
    random?: () => number;
    sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>;
  }>;

function sleepUnlessAborted(ms: number, signal: AbortSignal | undefined) {
  let timer: Parameters<typeof clearTimeout>[0];
  const sleep = () => new Promise((resolve) => (timer = setTimeout(resolve, ms)));
  return withAbort(signal, () => signal?.reason, sleep).finally(() => clearTimeout(timer));
}

/** @throws the last failure; the reason of the signal */
export async function retry<T>(work: () => Promise<T>, options: RetryOptions): Promise<T> {
  const { signal, random = Math.random, sleep = sleepUnlessAborted } = options;
  const unlimited = Number.POSITIVE_INFINITY;
  const { maxAttempts = unlimited, totalMs = unlimited, maxRetryAfterMs = unlimited } = options;
  const endsAt = performance.now() + totalMs;
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      signal?.throwIfAborted();
      const requestedMs = options.retryAfterMs?.(error) ?? 0;
      const pauseMs = requestedMs + random() * backoffMs(attempt, options);
      const isLast =
        attempt >= maxAttempts ||
        requestedMs > maxRetryAfterMs ||
        performance.now() + pauseMs >= endsAt;
      if (isLast || !options.isRetryable(error)) throw error;
      await sleep(pauseMs, signal);
    }
  }
}
