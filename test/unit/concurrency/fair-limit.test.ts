import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createFairLimit, createTurns } from '../../../src/concurrency/fair-limit.ts';

/** Work that begins when it may and ends when it is told to. */
function createWork() {
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const piece = (name: string) => () =>
    new Promise<void>((resolve) => {
      begun.push(name);
      ends.push(resolve);
    });
  const endFirst = async () => {
    ends.shift()?.();
    await setImmediate();
  };
  return { begun, piece, endFirst };
}

describe('a fair limit', () => {
  it('keeps a place for who comes later', async () => {
    const limit = createFairLimit(3);
    const { begun, piece, endFirst } = createWork();
    for (const name of ['a1', 'a2', 'a3', 'a4']) void limit('a', piece(name));
    await setImmediate();
    expect(begun).toEqual(['a1', 'a2']);
    void limit('b', piece('b1'));
    await setImmediate();
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    await endFirst();
    expect(begun).toEqual(['a1', 'a2', 'b1']);
    await endFirst();
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('lets owners take turns, however much one of them has waiting, and does all in the end', async () => {
    const limit = createFairLimit(1);
    const { begun, piece, endFirst } = createWork();
    const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => limit(name.slice(0, 1), piece(name)));
    await setImmediate();
    for (let ended = 0; ended < 6; ended++) await endFirst();
    await Promise.all(all);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  it('gives the place of a piece that failed to the next', async () => {
    const limit = createFairLimit(1);
    const failed = limit('a', async () => {
      throw new Error('failed');
    });
    const next = limit('a', async () => 'next');
    await expect(failed).rejects.toThrow('failed');
    expect(await next).toBe('next');
  });
});

describe('turns', () => {
  const hold = (ms: number) => {
    for (const until = performance.now() + ms; performance.now() < until; );
  };

  it('leave a turn of the loop between two pieces of work', async () => {
    const takeTurn = createTurns();
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

  it('go to another owner before the next of one who had a long piece', async () => {
    const takeTurn = createTurns();
    const log: string[] = [];
    const piece = (name: string, ms: number) =>
      takeTurn(name.slice(0, 1), async () => {
        log.push(name);
        hold(ms);
      });
    const own = [piece('a1', 40), piece('a2', 0), piece('a3', 0)];
    await sleep(0);
    const others = [piece('b1', 0), piece('b2', 0)];
    await Promise.all([...own, ...others]);
    expect(log).toEqual(['a1', 'b1', 'b2', 'a2', 'a3']);
  });

  it('go on after a piece that failed', async () => {
    const takeTurn = createTurns();
    const failed = takeTurn('a', async () => {
      throw new Error('failed');
    });
    await expect(failed).rejects.toThrow('failed');
    expect(await takeTurn('a', async () => 'next')).toBe('next');
  });
});
