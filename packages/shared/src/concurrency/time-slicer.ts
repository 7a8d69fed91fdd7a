import { setTimeout as sleep } from 'node:timers/promises';
import { yieldToEventLoop } from './event-loop.ts';
import { KeyedQueue, Semaphore } from './queue.ts';

/** Default slice; short, so that requests wait little. Milliseconds. */
const defaultBusyMs = 4;
/** If one iteration of the event loop takes longer, other work used it. Milliseconds. */
const quietMs = 0.5;

/** Yields one iteration of the event loop, and `restMs` more if other work used it. */
async function yieldToOthers(restMs: number) {
  const left = performance.now();
  await yieldToEventLoop();
  if (performance.now() - left <= quietMs) return;
  await sleep(restMs);
  await yieldToEventLoop();
}

/**
 * Splits long work into slices. Other work gets the event loop in between, and half of the time if
 * it needs it.
 */
export class TimeSlicer {
  readonly #maxBusyMs;
  #pauseAt;

  /** @param maxBusyMs length of a slice */
  constructor(maxBusyMs = defaultBusyMs) {
    this.#maxBusyMs = maxBusyMs;
    this.#pauseAt = performance.now() + maxBusyMs;
  }

  /** Call it between two steps of the work, and await the promise if it returns one. */
  pause(): Promise<void> | undefined {
    if (performance.now() < this.#pauseAt) return undefined;
    return yieldToOthers(this.#maxBusyMs).then(() => {
      this.#pauseAt = performance.now() + this.#maxBusyMs;
    });
  }
}

/** An owner pauses after work that took longer than this. Milliseconds. */
const minRestedMs = 10;

/**
 * Schedules tasks that block the event loop: one per iteration, owners in turn. After a long task,
 * its owner pauses for the same time.
 */
export class LoopScheduler {
  readonly #owners = new KeyedQueue();
  readonly #inOrder = new Semaphore(1);

  /** Runs the owner's work in turn. A failure does not affect other work. */
  run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    const task = Promise.withResolvers<T>();
    void this.#owners.run(owner, async () => {
      let tookMs = 0;
      await this.#inOrder.run(async () => {
        const started = performance.now();
        await (async () => work())().then(task.resolve, task.reject);
        tookMs = performance.now() - started;
        await yieldToEventLoop();
      });
      if (tookMs > minRestedMs) await sleep(tookMs);
    });
    return task.promise;
  }
}
