import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { LoopScheduler, TimeSlicer } from '../../../packages/shared/src/concurrency/time-slicer.ts';

/** Advances the fake clock, as if work took this long. */
const hold = (ms: number) => vi.advanceTimersByTime(ms);
beforeAll(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterAll(() => void vi.useRealTimers());

it('yields after a slice and not before', async () => {
  const slicer = new TimeSlicer(5);
  expect(slicer.pause()).toBeUndefined();
  hold(6);
  const paused = slicer.pause();
  expect(paused).toBeInstanceOf(Promise);
  await paused;
  expect(slicer.pause()).toBeUndefined();
});

it('yields for longer than one iteration if other work needs the loop', async () => {
  const log: string[] = [];
  const slicer = new TimeSlicer(400);
  hold(401);
  const work = Promise.resolve(slicer.pause()).then(() => log.push('work'));
  for (const turn of ['first', 'second', 'third']) {
    hold(2);
    log.push(turn);
    await setImmediate();
  }
  await work;
  expect(log).toEqual(['first', 'second', 'third', 'work']);
});

describe('the loop scheduler', () => {
  it('yields an iteration of the loop between two tasks', async () => {
    const scheduler = new LoopScheduler();
    const log: string[] = [];
    const work = ['a1', 'a2'].map((name) =>
      scheduler.run('a', async () => {
        log.push(name);
        void setImmediate().then(() => log.push(`others after ${name}`));
      }),
    );
    await Promise.all(work);
    await setImmediate();
    expect(log.slice(0, 3)).toEqual(['a1', 'others after a1', 'a2']);
  });

  it('runs work of other owners before the next task of an owner whose last task was long', async () => {
    const scheduler = new LoopScheduler();
    const log: string[] = [];
    const task = (name: string, ms: number) =>
      scheduler.run(name.slice(0, 1), async () => {
        log.push(name);
        hold(ms);
      });
    const own = [task('a1', 1_000), task('a2', 0), task('a3', 0)];
    await sleep(0);
    const others = [task('b1', 0), task('b2', 0)];
    await Promise.all([...own, ...others]);
    expect(log).toEqual(['a1', 'b1', 'b2', 'a2', 'a3']);
  });
});
