/** Open-loop and closed-loop load, and the measured times. */
import { setTimeout as sleep } from 'node:timers/promises';
import { percentile } from '../retrieval/latency.ts';
import type { Random } from '../retrieval/random.ts';

/**
 * Starts work at random times with a mean rate, even if earlier work is still running, so slow
 * responses do not delay later requests. Resolves when all work has finished.
 * @param begin receives its due time in milliseconds of `performance.now()`
 */
export async function openLoop(
  perSecond: number,
  seconds: number,
  random: Random,
  begin: (dueMs: number) => Promise<void>,
): Promise<void> {
  const running = new Set<Promise<void>>();
  const end = performance.now() + seconds * 1_000;
  const gapMs = () => (-Math.log(1 - random.next()) * 1_000) / perSecond;
  for (let due = performance.now() + gapMs(); due < end; due += gapMs()) {
    const waitMs = due - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    const work: Promise<void> = begin(due).finally(() => running.delete(work));
    running.add(work);
  }
  await Promise.all(running);
}

/** @returns completed calls per second, without the first tenth of the time */
export async function closedLoop(
  callers: number,
  seconds: number,
  perform: () => Promise<void>,
): Promise<number> {
  const started = performance.now();
  const from = started + seconds * 100;
  const end = started + seconds * 1_000;
  let done = 0;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() < end) {
        await perform();
        const now = performance.now();
        if (now >= from && now < end) done++;
      }
    }),
  );
  return done / (seconds * 0.9);
}

/** Times by kind of request, and counts of unexpected results. */
export class Measured {
  readonly times = new Map<string, number[]>();
  readonly faults = new Map<string, number>();

  time(kind: string, ms: number): void {
    const times = this.times.get(kind);
    if (times) times.push(ms);
    else this.times.set(kind, [ms]);
  }

  fault(what: string): void {
    this.faults.set(what, (this.faults.get(what) ?? 0) + 1);
  }

  add(other: Measured): void {
    for (const [kind, times] of other.times) for (const ms of times) this.time(kind, ms);
    for (const [what, count] of other.faults)
      this.faults.set(what, (this.faults.get(what) ?? 0) + count);
  }

  /** Times of these kinds together; undefined: all kinds. */
  of(kinds: readonly string[] = [...this.times.keys()]): number[] {
    return kinds.flatMap((kind) => this.times.get(kind) ?? []);
  }

  get faultsText(): string {
    return [...this.faults].map(([what, count]) => `${count} × ${what}`).join('; ') || 'none';
  }
}

/** p50 / p99 in milliseconds. */
export const spread = (times: readonly number[]): string =>
  times.length === 0
    ? '–'
    : `${percentile(times, 0.5).toFixed(1)} / ${percentile(times, 0.99).toFixed(0)}`;
