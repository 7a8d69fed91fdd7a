import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { FairQueue } from '../../packages/shared/src/concurrency/fair-queue.ts';

class TooMany extends Error {}

const queueOf = (slots: number, maxWaiting: number, maxWaitMs = 60_000) =>
  new FairQueue({
    slots,
    queue: { maxWaiting, maxWaitMs, tooMany: () => new TooMany('too many') },
  });

const act = fc.record({
  key: fc.constantFrom('a', 'b', 'c'),
  /** Action: begins or ends a turn, or begins one that is already aborted. */
  what: fc.constantFrom('begin', 'begin', 'end', 'begun after it ended'),
  which: fc.nat(30),
});

it('never exceeds its slots and is empty after all turns end, for any order of actions', async () => {
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
          const ending =
            what === 'end' ? turns.at(which % (turns.length || 1))?.ending : new AbortController();
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

it('limits one key to half of the slots and half of the queue', async () => {
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

it('admits waiting keys in turn, the one with the fewest slots first', async () => {
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

it('rejects work that waited too long and removes it from the queue', async () => {
  const fair = queueOf(1, 4, 5);
  await fair.acquire('a', new AbortController().signal);
  await expect(fair.acquire('b', new AbortController().signal)).rejects.toThrow(TooMany);
  expect(fair.load()).toEqual({ running: 1, waiting: 0 });
});

it('releases a slot only once and gives none to an aborted signal', () => {
  const fair = new FairQueue({ slots: 2 });
  const [first, ended] = [new AbortController(), AbortSignal.abort()];
  expect(fair.tryAcquire('a', ended)).toBe(false);
  expect(fair.tryAcquire('a', first.signal)).toBe(true);
  expect(fair.tryAcquire('a', new AbortController().signal)).toBe(false);
  first.abort();
  first.abort();
  expect([fair.load().running, fair.held('a')]).toEqual([0, 0]);
});

it('gives the slot of failed work to the next', async () => {
  const fair = new FairQueue({ slots: 1 });
  const failed = fair.run('a', async () => {
    throw new Error('failed');
  });
  const next = fair.run('a', async () => 'next');
  await expect(failed).rejects.toThrow('failed');
  expect(await next).toBe('next');
});
