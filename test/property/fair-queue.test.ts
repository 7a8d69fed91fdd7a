import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairQueue } from '../../src/concurrency/fair-queue.ts';

class TooMany extends Error {}

const queueOf = (slots: number, maxWaiting: number, maxWaitMs = 60_000) =>
  new FairQueue({ slots, queue: { maxWaiting, maxWaitMs, tooMany: () => new TooMany('too many') } });

const act = fc.record({
  key: fc.constantFrom('a', 'b', 'c'),
  /** Whether to begin work, to end it, or to begin it with an aborted signal. */
  what: fc.constantFrom('begin', 'begin', 'end', 'begun after it ended'),
  which: fc.nat(30),
});

it('a fair queue never exceeds its slots and is empty after all work ended', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { maxLength: 120 }),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 6 }),
      async (acts, ...sizes) => {
        const [slots, maxWaiting] = sizes;
        const fair = queueOf(slots, maxWaiting);
        const turns: { readonly ending: AbortController; readonly entered: Promise<string> }[] = [];
        for (const { key, what, which } of acts) {
          const ending = what === 'end' ? turns.at(which % (turns.length || 1))?.ending : new AbortController();
          if (what !== 'begin') ending?.abort(new Error('left'));
          if (what !== 'end' && ending)
            turns.push({
              ending,
              entered: fair.acquire(key, ending.signal).then(
                () => 'entered',
                (error: Error) => (error instanceof TooMany ? 'refused' : 'left'),
              ),
            });
          if (which % 3 === 0) await setImmediate();
          const { running, waiting } = fair.load();
          expect(running).toBeLessThanOrEqual(slots);
          expect(waiting).toBeLessThanOrEqual(maxWaiting);
        }
        for (const { ending } of turns) ending.abort(new Error('left'));
        await Promise.all(turns.map(({ entered }) => entered));
        expect(fair.load()).toEqual({ running: 0, waiting: 0 });
      },
    ),
  );
});

it('a fair queue leaves half of its slots and of its waiting places to other keys', async () => {
  const fair = queueOf(8, 8);
  const take = (key: string) => {
    const turn = new AbortController();
    const entered = fair.acquire(key, turn.signal);
    entered.catch(() => undefined);
    return { entered, turn };
  };
  const hostile = Array.from({ length: 50 }, () => take('hostile'));
  expect(fair.load()).toEqual({ running: 4, waiting: 4 });
  await take('honest').entered;
  await expect(hostile.at(-1)?.entered).rejects.toThrow(TooMany);
  for (const { turn } of hostile) turn.abort();
  await Promise.allSettled(hostile.map(({ entered }) => entered));
  expect(fair.load()).toEqual({ running: 1, waiting: 0 });
});

it('a fair queue admits waiting keys in turn, starting with the key that has the fewest slots', async () => {
  const fair = queueOf(2, 20);
  const order: string[] = [];
  const turns = new Map<string, AbortController>();
  const take = (key: string, name: string) => {
    const turn = new AbortController();
    turns.set(name, turn);
    void fair.acquire(key, turn.signal).then(() => order.push(name));
  };
  for (const name of ['a1', 'b1', 'a2', 'a3', 'a4', 'b2', 'b3', 'c1']) take(name[0] ?? '', name);
  await setImmediate();
  for (let at = 0; at < order.length; at++) {
    turns.get(order[at] ?? '')?.abort();
    await setImmediate();
  }
  expect(order).toEqual(['a1', 'b1', 'a2', 'b2', 'c1', 'a3', 'b3', 'a4']);
});

it('a fair queue rejects and removes work that waited too long', async () => {
  const fair = queueOf(1, 4, 5);
  await fair.acquire('a', new AbortController().signal);
  await expect(fair.acquire('b', new AbortController().signal)).rejects.toThrow(TooMany);
  expect(fair.load()).toEqual({ running: 1, waiting: 0 });
});

it('a fair queue releases a slot once and gives none to an aborted signal', () => {
  const fair = new FairQueue({ slots: 2 });
  const [first, ended] = [new AbortController(), AbortSignal.abort()];
  expect(fair.tryAcquire('a', ended)).toBe(false);
  expect(fair.tryAcquire('a', first.signal)).toBe(true);
  expect(fair.tryAcquire('a', new AbortController().signal)).toBe(false);
  first.abort();
  first.abort();
  expect([fair.load().running, fair.held('a')]).toEqual([0, 0]);
});

describe('work in a fair queue', () => {
  /** Work that ends on demand. */
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

  it('is run in turn by owner until all is done', async () => {
    const fair = new FairQueue({ slots: 1 });
    const { begun, piece, endFirst } = createWork();
    const all = ['a1', 'a2', 'a3', 'b1', 'b2', 'c1'].map((name) => fair.run(name.slice(0, 1), piece(name)));
    await setImmediate();
    for (let ended = 0; ended < 6; ended++) await endFirst();
    await Promise.all(all);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  it('is run for a new owner before one that was admitted earlier', async () => {
    const fair = new FairQueue({ slots: 1 });
    const { begun, piece, endFirst } = createWork();
    for (const name of ['a1', 'a2', 'a3']) void fair.run('a', piece(name));
    await setImmediate();
    await endFirst();
    void fair.run('b', piece('b1'));
    for (let ended = 0; ended < 3; ended++) await endFirst();
    expect(begun).toEqual(['a1', 'a2', 'b1', 'a3']);
  });

  it('passes its slot to the next work if it fails', async () => {
    const fair = new FairQueue({ slots: 1 });
    const failed = fair.run('a', async () => {
      throw new Error('failed');
    });
    const next = fair.run('a', async () => 'next');
    await expect(failed).rejects.toThrow('failed');
    expect(await next).toBe('next');
  });
});
