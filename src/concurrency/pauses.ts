import { setTimeout as sleep } from 'node:timers/promises';
import { nextTurn } from './next-turn.ts';

/** Of one slice: so that what is answered meanwhile waits for little. Milliseconds. */
const usualBusyMs = 4;
/** A turn of the loop that takes longer was used by others. Milliseconds. */
const quietMs = 0.5;

/** Lets others have a turn of the loop, and where they use it as long again. */
async function leaveToOthers(restMs: number): Promise<void> {
  const left = performance.now();
  await nextTurn();
  if (performance.now() - left <= quietMs) return;
  await sleep(restMs);
  await nextTurn();
}

/**
 * Long work in slices, so that others have their turn meanwhile; where they use it, they have half of the time.
 * @param maxBusyMs of one slice
 * @param restMs after each, for work that nobody waits for; undefined: where others use their turn, as long as the slice
 * @returns what is to be called between two steps, and waited for where it gives a promise
 */
export function createPauses(maxBusyMs = usualBusyMs, restMs?: number): () => Promise<void> | undefined {
  let pauseAt = performance.now() + maxBusyMs;
  return () => {
    if (performance.now() < pauseAt) return undefined;
    return (restMs === undefined ? leaveToOthers(maxBusyMs) : sleep(restMs)).then(() => {
      pauseAt = performance.now() + maxBusyMs;
    });
  };
}
