/** Politeness towards one host: how many requests at a time, and how long between two. */
import { setTimeout as sleep } from 'node:timers/promises';

export interface PaceOptions {
  /** Between the starts of two requests. */
  readonly intervalMs: number;
  readonly maxConcurrent: number;
}

/** A site of somebody else, and one on this machine or in this network, which is the operator's own. */
export const politePace: PaceOptions = { intervalMs: 250, maxConcurrent: 2 };
export const localPace: PaceOptions = { intervalMs: 0, maxConcurrent: 8 };

/** Runs work when it is its turn. */
export type Pace = <T>(signal: AbortSignal | undefined, work: () => Promise<T>) => Promise<T>;

export function createPace({ intervalMs, maxConcurrent }: PaceOptions): Pace {
  const waiting: (() => void)[] = [];
  let running = 0;
  let nextStart = 0;
  return async (signal, work) => {
    if (running >= maxConcurrent) await new Promise<void>((resolve) => waiting.push(resolve));
    else running++;
    try {
      const pause = nextStart - performance.now();
      nextStart = Math.max(performance.now(), nextStart) + intervalMs;
      if (pause > 0) await sleep(pause, undefined, signal ? { signal } : {});
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
