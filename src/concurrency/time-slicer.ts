import { setTimeout as sleep } from 'node:timers/promises';
import { yieldToEventLoop } from './event-loop.ts';
import { createSerialQueue, KeyedQueue } from './queue.ts';

/** Of one slice: so that what is answered meanwhile waits for little. Milliseconds. */
const usualBusyMs = 4;
/** A turn of the loop that takes longer was used by others. Milliseconds. */
const quietMs = 0.5;

/** Lets others have a turn of the loop, and where they use it as long again. */
async function leaveToOthers(restMs: number): Promise<void> {
  const left = performance.now();
  await yieldToEventLoop();
  if (performance.now() - left <= quietMs) return;
  await sleep(restMs);
  await yieldToEventLoop();
}

/**
 * Long work in slices, so that others have their turn meanwhile; where they use it, they have half of the time.
 * @param maxBusyMs of one slice
 * @param restMs after each, for work that nobody waits for; undefined: where others use their turn, as long as the slice
 * @returns what is to be called between two steps, and waited for where it gives a promise
 */
export function createTimeSlicer(maxBusyMs = usualBusyMs, restMs?: number): () => Promise<void> | undefined {
  let pauseAt = performance.now() + maxBusyMs;
  return () => {
    if (performance.now() < pauseAt) return undefined;
    return (restMs === undefined ? leaveToOthers(maxBusyMs) : sleep(restMs)).then(() => {
      pauseAt = performance.now() + maxBusyMs;
    });
  };
}

/** An owner rests after a piece that took longer. Milliseconds. */
const minRestedMs = 10;

/** Does a piece of an owner's work in its turn. A piece that fails does not stop the others. */
export type ScheduleTurn = <T>(owner: string, work: () => Promise<T>) => Promise<T>;

/**
 * For pieces of work that hold the event loop: one piece per turn of the loop, with other work in between. Owners take turns. After a long
 * piece its owner waits for as long again, so one owner gets at most half of the loop.
 */
export function createLoopScheduler(): ScheduleTurn {
  const owners = new KeyedQueue();
  const inOrder = createSerialQueue();
  return <T>(owner: string, work: () => Promise<T>) => {
    const piece = Promise.withResolvers<T>();
    void owners.run(owner, async () => {
      let tookMs = 0;
      await inOrder(async () => {
        const started = performance.now();
        await (async () => work())().then(piece.resolve, piece.reject);
        tookMs = performance.now() - started;
        await yieldToEventLoop();
      });
      if (tookMs > minRestedMs) await sleep(tookMs);
    });
    return piece.promise;
  };
}
