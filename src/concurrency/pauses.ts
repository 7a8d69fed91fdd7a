import { setImmediate } from 'node:timers/promises';

/** A turn of the loop that takes longer was used by others. Milliseconds. */
const quietMs = 0.5;
/** However busy the others are, the work goes on after so many turns. */
const maxTurnsLeft = 5;

/** Lets others have the loop, as long as they use it. */
async function leaveToOthers(): Promise<void> {
  for (let turn = 0; turn < maxTurnsLeft; turn++) {
    const left = performance.now();
    await setImmediate();
    if (performance.now() - left < quietMs) return;
  }
}

/**
 * Long work in slices, so that others have their turn meanwhile: whoever asks goes before what is worked at.
 * @param maxBusyMs of one slice
 * @returns what is to be called between two steps, and waited for where it gives a promise
 */
export function createPauses(maxBusyMs: number): () => Promise<void> | undefined {
  let pauseAt = performance.now() + maxBusyMs;
  return () => {
    if (performance.now() < pauseAt) return undefined;
    return leaveToOthers().then(() => {
      pauseAt = performance.now() + maxBusyMs;
    });
  };
}
