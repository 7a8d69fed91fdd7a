import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { createPauses } from '../../../src/concurrency/pauses.ts';

const hold = (ms: number) => {
  for (const until = performance.now() + ms; performance.now() < until; );
};

it('leaves the loop to others after a slice, and none before', async () => {
  const pause = createPauses(5);
  expect(pause()).toBeUndefined();
  hold(6);
  const paused = pause();
  expect(paused).toBeInstanceOf(Promise);
  await paused;
  expect(pause()).toBeUndefined();
});

it('leaves it to others for longer than a turn, where they use it', async () => {
  const log: string[] = [];
  const pause = createPauses(400);
  await sleep(401);
  const work = Promise.resolve(pause()).then(() => log.push('work'));
  for (const turn of ['first', 'second', 'third']) {
    hold(2);
    log.push(turn);
    await setImmediate();
  }
  await work;
  expect(log).toEqual(['first', 'second', 'third', 'work']);
});
