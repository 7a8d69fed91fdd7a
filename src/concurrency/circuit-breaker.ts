/**
 * The way to something that may be away (M. Nygard, "Release It!": circuit breaker). After a failure nothing is tried for a while, because
 * each try may cost whoever asks all of its time; then one tries, and the others follow when that went well.
 */
export type Attempt = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * @param pauseMs for which the last failure is thrown again, as it was, instead of a try
 * @param isAway whether it was such a failure; another one says that the way is open
 */
export function createCircuitBreaker(pauseMs: number, isAway: (error: unknown) => boolean): Attempt {
  let failure: { readonly error: unknown; until: number } | undefined;
  return async (work) => {
    const now = performance.now();
    if (failure && now < failure.until) throw failure.error;
    // Who comes while this one tries does not wait with it.
    if (failure) failure.until = now + pauseMs;
    try {
      const result = await work();
      failure = undefined;
      return result;
    } catch (error) {
      failure = isAway(error) ? { error, until: performance.now() + pauseMs } : undefined;
      throw error;
    }
  };
}
