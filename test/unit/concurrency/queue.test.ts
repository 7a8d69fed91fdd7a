import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createSemaphore, createSerialQueue, KeyedQueue } from '../../../src/concurrency/queue.ts';

describe('a queue', () => {
  it('does one piece after another, also after one that failed', async () => {
    const inOrder = createSerialQueue();
    const log: string[] = [];
    const piece = (name: string) => async () => {
      log.push(`${name} begins`);
      await setImmediate();
      log.push(`${name} ends`);
      if (name === 'a') throw new Error('a');
    };
    await Promise.allSettled([inOrder(piece('a')), inOrder(piece('b'))]);
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });

  it('of keys does one piece of each at a time, and keeps nothing of those that ended', async () => {
    const queue = new KeyedQueue();
    const log: string[] = [];
    const piece = (name: string) => async () => {
      await setImmediate();
      log.push(name);
    };
    const work = [queue.run('one', piece('a')), queue.run('one', piece('b')), queue.run('two', piece('c'))];
    expect(queue.isIdle).toBe(false);
    await queue.idle();
    expect([log, queue.isIdle]).toEqual([['a', 'c', 'b'], true]);
    await Promise.all(work);
  });
});

it('a limit runs no more than that many at a time, and all in the end', async () => {
  const limit = createSemaphore(2);
  let running = 0;
  let most = 0;
  const done = await Promise.all(
    Array.from({ length: 7 }, (_, number) =>
      limit(async () => {
        most = Math.max(most, ++running);
        await setImmediate();
        running--;
        return number;
      }),
    ),
  );
  expect([most, done]).toEqual([2, [0, 1, 2, 3, 4, 5, 6]]);
});
