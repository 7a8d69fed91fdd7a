/**
 * Identical work in flight is done once. Whoever gives up stops waiting; the work itself ends when nobody waits for it any more, so that
 * one impatient caller costs the others nothing.
 */
import { aborted } from './upstream-failure.ts';

interface Flight<T> {
  readonly outcome: Promise<T>;
  readonly ending: AbortController;
  waiting: number;
}

/** @param key says what is the same, and for whom; @param start is given the signal that ends the work */
export type Share<T> = (key: string, signal: AbortSignal | undefined, start: (signal: AbortSignal) => Promise<T>) => Promise<T>;

export function createSharedFlights<T>(): Share<T> {
  const flights = new Map<string, Flight<T>>();

  function begin(key: string, start: (signal: AbortSignal) => Promise<T>): Flight<T> {
    const ending = new AbortController();
    const flight: Flight<T> = { outcome: start(ending.signal), ending, waiting: 0 };
    flights.set(key, flight);
    // It may fail after everybody has gone.
    flight.outcome.catch(() => undefined);
    return flight;
  }

  return async (key, signal, start) => {
    if (signal?.aborted) throw aborted(signal.reason);
    const flight = flights.get(key) ?? begin(key, start);
    flight.waiting++;
    const gaveUp = Promise.withResolvers<never>();
    const onAbort = () => gaveUp.reject(aborted(signal?.reason));
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([flight.outcome, gaveUp.promise]);
    } finally {
      signal?.removeEventListener('abort', onAbort);
      flight.waiting--;
      // The next one to ask begins anew instead of joining what has ended or is ending.
      if (flight.waiting === 0 && flights.get(key) === flight) {
        flights.delete(key);
        flight.ending.abort();
      }
    }
  };
}
