import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

/**
 * Long work in slices, so that others have their turn meanwhile.
 * @param maxBusyMs of one slice
 * @param restMs after each, for work that nobody waits for; 0: as soon as others had their turn
 * @returns what is to be called between two steps, and waited for where it gives a promise
 */
export function createPauses(maxBusyMs: number, restMs = 0): () => Promise<void> | undefined {
  let pauseAt = performance.now() + maxBusyMs;
  return () => {
    if (performance.now() < pauseAt) return undefined;
    return (restMs === 0 ? setImmediate() : sleep(restMs)).then(() => {
      pauseAt = performance.now() + maxBusyMs;
    });
  };
}
