import { setTimeout as sleep } from 'node:timers/promises';
import { yieldToEventLoop } from './event-loop.ts';
import { createSerialQueue, KeyedQueue } from './queue.ts';

/** Default slice; short, so that requests wait little. Milliseconds. */
const defaultBusyMs = 4;
/** If one iteration of the event loop takes longer, other work used it. Milliseconds. */
const quietMs = 0.5;

/** Yields one iteration of the event loop, and `restMs` more if other work used it. */
async function yieldToOthers(restMs: number): Promise<void> {
  const left = performance.now();
  await yieldToEventLoop();
  if (performance.now() - left <= quietMs) return;
  await sleep(restMs);
  await yieldToEventLoop();
}

/** Call it between two steps of long work, and await the promise if it returns one. */
export type TimeSlicer = () => Promise<void> | undefined;

/**
 * Splits long work into slices. Other work gets the event loop in between, and half of the time if
 * it needs it.
 * @param maxBusyMs length of a slice
 * @param restMs pause after each slice, for background work; default: the length of the slice, but
 * only if other work is waiting
 */
export function createTimeSlicer(maxBusyMs = defaultBusyMs, restMs?: number): TimeSlicer {
  let pauseAt = performance.now() + maxBusyMs;
  return () => {
    if (performance.now() < pauseAt) return undefined;
    return (restMs === undefined ? yieldToOthers(maxBusyMs) : sleep(restMs)).then(() => {
      pauseAt = performance.now() + maxBusyMs;
    });
  };
}

/** An owner pauses after work that took longer than this. Milliseconds. */
const minRestedMs = 10;

/** Runs the owner's work in turn. A failure does not affect other work. */
export type ScheduleTurn = <T>(owner: string, work: () => Promise<T>) => Promise<T>;

/**
 * Schedules tasks that block the event loop: one per iteration, owners in turn. After a long task,
 * its owner pauses for the same time.
 */
export function createLoopScheduler(): ScheduleTurn {
  const owners = new KeyedQueue();
  const inOrder = createSerialQueue();
  return <T>(owner: string, work: () => Promise<T>) => {
    const task = Promise.withResolvers<T>();
    void owners.run(owner, async () => {
      let tookMs = 0;
      await inOrder(async () => {
        const started = performance.now();
        await (async () => work())().then(task.resolve, task.reject);
        tookMs = performance.now() - started;
        await yieldToEventLoop();
      });
      if (tookMs > minRestedMs) await sleep(tookMs);
    });
    return task.promise;
  };
}
