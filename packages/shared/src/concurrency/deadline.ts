/**
 * Rejects when the signal aborts, even if the work ignores it. @throws the result of `errorOf`;
 * errors of the work
 */
export async function withAbort<T>(
  signal: AbortSignal | undefined,
  errorOf: () => unknown,
  work: () => Promise<T>,
): Promise<T> {
  if (signal?.aborted) throw errorOf();
  return new Promise<T>((resolve, reject) => {
    const end = () => reject(errorOf());
    // Registered before the listener of the work, whose abort error is less specific.
    signal?.addEventListener('abort', end, { once: true });
    const leave = () => signal?.removeEventListener('abort', end);
    work().finally(leave).then(resolve, reject);
  });
}

/**
 * Milliseconds that the header `Retry-After` asks to wait (RFC 9110 10.2.3); undefined if it is
 * missing or invalid.
 */
export function retryAfterMs(
  header: string | null | undefined,
  nowMs = Date.now(),
): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,12}$/.test(text)) return Number(text) * 1_000;
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
