/** Work that ends: by itself, with the signal of whoever asked for it, or at its deadline. */
import { KnowledgeError } from '../errors.ts';

/**
 * Settles at the latest after `ms`, even where the work does not heed its signal.
 * @throws KnowledgeError `timeout`; the signal's reason where it was aborted
 */
export async function within<T>(ms: number, outer: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const deadline = AbortSignal.timeout(ms);
  const signal = outer ? AbortSignal.any([deadline, outer]) : deadline;
  const aborted = Promise.withResolvers<never>();
  const onAbort = () =>
    aborted.reject(outer?.aborted ? outer.reason : new KnowledgeError('timeout', `The source was not done within ${ms / 1000} seconds.`));
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work(signal), aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
