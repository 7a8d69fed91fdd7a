import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { KeyedQueue, Semaphore } from '../../../packages/shared/src/concurrency/queue.ts';

describe('a queue', () => {
  it('runs work one by one and continues after a failure', async () => {
    const inOrder = new Semaphore(1);
    const log: string[] = [];
    const task = (name: string) => async () => {
      log.push(`${name} begins`);
      await setImmediate();
      log.push(`${name} ends`);
      if (name === 'a') throw new Error('a');
    };
    await Promise.allSettled([inOrder.run(task('a')), inOrder.run(task('b'))]);
    expect(log).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
  });

  it('runs the work of each key one by one', async () => {
    const queue = new KeyedQueue();
    const log: string[] = [];
    const task = (name: string) => async () => {
      await setImmediate();
      log.push(name);
    };
    const work = [
      queue.run('one', task('a')),
      queue.run('one', task('b')),
      queue.run('two', task('c')),
    ];
    await queue.idle();
    expect(log).toEqual(['a', 'c', 'b']);
    await Promise.all(work);
  });
});

it('starts no work before the caller has its promise', async () => {
  const log: string[] = [];
  const work = new Semaphore(1).run(async () => log.push('work'));
  log.push('caller');
  await work;
  expect(log).toEqual(['caller', 'work']);
});

it('runs all work with limited concurrency', async () => {
  const limit = new Semaphore(2);
  let running = 0;
  let most = 0;
  const done = await Promise.all(
    Array.from({ length: 7 }, (_, number) =>
      limit.run(async () => {
        most = Math.max(most, ++running);
        await setImmediate();
        running--;
        return number;
      }),
    ),
  );
  expect([most, done]).toEqual([2, [0, 1, 2, 3, 4, 5, 6]]);
});
