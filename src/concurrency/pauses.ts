import { setImmediate } from 'node:timers/promises';

/**
 * Long work in slices, so that others have their turn meanwhile.
 * @param maxBusyMs of one slice
 * @returns what is to be called between two steps, and waited for where it gives a promise
 */
export function createPauses(maxBusyMs: number): () => Promise<void> | undefined {
  let pauseAt = performance.now() + maxBusyMs;
  return () => {
    if (performance.now() < pauseAt) return undefined;
    return setImmediate().then(() => {
      pauseAt = performance.now() + maxBusyMs;
    });
  };
}
