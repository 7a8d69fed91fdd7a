import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createLoopScheduler, createTimeSlicer } from '../../../src/concurrency/time-slicer.ts';

/** Work of so long: the clock is that of the test. */
const hold = (ms: number) => vi.advanceTimersByTime(ms);
beforeAll(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterAll(() => void vi.useRealTimers());

it('leaves the loop to others after a slice, and none before', async () => {
  const pause = createTimeSlicer(5);
  expect(pause()).toBeUndefined();
  hold(6);
  const paused = pause();
  expect(paused).toBeInstanceOf(Promise);
  await paused;
  expect(pause()).toBeUndefined();
});

it('leaves it to others for longer than a turn, where they use it', async () => {
  const log: string[] = [];
  const pause = createTimeSlicer(400);
  hold(401);
  const work = Promise.resolve(pause()).then(() => log.push('work'));
  for (const turn of ['first', 'second', 'third']) {
    hold(2);
    log.push(turn);
    await setImmediate();
  }
  await work;
  expect(log).toEqual(['first', 'second', 'third', 'work']);
});

describe('the loop scheduler', () => {
  it('leaves a turn of the loop between two pieces', async () => {
    const takeTurn = createLoopScheduler();
    const log: string[] = [];
    const work = ['a1', 'a2'].map((name) =>
      takeTurn('a', async () => {
        log.push(name);
        void setImmediate().then(() => log.push(`others after ${name}`));
      }),
    );
    await Promise.all(work);
    await setImmediate();
    expect(log.slice(0, 3)).toEqual(['a1', 'others after a1', 'a2']);
  });

  it('serves other owners before the next piece of one that had a long piece', async () => {
    const takeTurn = createLoopScheduler();
    const log: string[] = [];
    const piece = (name: string, ms: number) =>
      takeTurn(name.slice(0, 1), async () => {
        log.push(name);
        hold(ms);
      });
    const own = [piece('a1', 1_000), piece('a2', 0), piece('a3', 0)];
    await sleep(0);
    const others = [piece('b1', 0), piece('b2', 0)];
    await Promise.all([...own, ...others]);
    expect(log).toEqual(['a1', 'b1', 'b2', 'a2', 'a3']);
  });
});
