/** Work that ends with a signal, also where it does not heed it. @throws what `errorOf` gives then, and what the work throws */
export async function withAbort<T>(signal: AbortSignal | undefined, errorOf: () => unknown, work: () => Promise<T>): Promise<T> {
  if (signal?.aborted) throw errorOf();
  const ended = Promise.withResolvers<never>();
  const end = () => ended.reject(errorOf());
  // Before the work listens, whose own error would say less.
  signal?.addEventListener('abort', end, { once: true });
  return Promise.race([work(), ended.promise]).finally(() => signal?.removeEventListener('abort', end));
}

/** Milliseconds that the header `Retry-After` asks to wait (RFC 9110 10.2.3); undefined where it is missing or cannot be read. */
export function retryAfterMs(header: string | null | undefined, nowMs = Date.now()): number | undefined {
  const text = header?.trim() ?? '';
  if (/^\d{1,12}$/.test(text)) return Number(text) * 1_000;
  const date = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - nowMs);
}
