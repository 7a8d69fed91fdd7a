import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createFairGate, createFairRoom } from '../../src/concurrency/fair-room.ts';

class TooMany extends Error {}

const gateOf = (maxRunning: number, maxWaiting: number, maxWaitMs = 60_000) =>
  createFairGate({ maxRunning, queue: { maxWaiting, maxWaitMs, tooMany: () => new TooMany('too many') } });

const act = fc.record({
  key: fc.constantFrom('a', 'b', 'c'),
  /** How the turn goes: its place in time, and whether it ends before, while or after it waits. */
  what: fc.constantFrom('begin', 'begin', 'end', 'begun after it ended'),
  which: fc.nat(30),
});

it('whatever begins, waits, is ended and is refused, never too many are there, and in the end nobody is', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(act, { maxLength: 120 }),
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: 6 }),
      async (acts, ...sizes) => {
        const [maxRunning, maxWaiting] = sizes;
        const gate = gateOf(maxRunning, maxWaiting);
        const turns: { readonly ending: AbortController; readonly entered: Promise<string> }[] = [];
        for (const { key, what, which } of acts) {
          const ending = what === 'end' ? turns.at(which % (turns.length || 1))?.ending : new AbortController();
          if (what !== 'begin') ending?.abort(new Error('left'));
          if (what !== 'end' && ending)
            turns.push({
              ending,
              entered: gate.take(key, ending.signal).then(
                () => 'entered',
                (error: Error) => (error instanceof TooMany ? 'refused' : 'left'),
              ),
            });
          if (which % 3 === 0) await setImmediate();
          const { running, waiting } = gate.load();
          expect(running).toBeLessThanOrEqual(maxRunning);
          expect(waiting).toBeLessThanOrEqual(maxWaiting);
        }
        for (const { ending } of turns) ending.abort(new Error('left'));
        await Promise.all(turns.map(({ entered }) => entered));
        expect(gate.load()).toEqual({ running: 0, waiting: 0 });
      },
    ),
  );
});

it('one who takes all they can leaves half of the places and half of the queue', async () => {
  const gate = gateOf(8, 8);
  const take = (key: string) => {
    const turn = new AbortController();
    const entered = gate.take(key, turn.signal);
    entered.catch(() => undefined);
    return { entered, turn };
  };
  const hostile = Array.from({ length: 50 }, () => take('hostile'));
  expect(gate.load()).toEqual({ running: 4, waiting: 4 });
  await take('honest').entered;
  await expect(hostile.at(-1)?.entered).rejects.toThrow(TooMany);
  for (const { turn } of hostile) turn.abort();
  await Promise.allSettled(hostile.map(({ entered }) => entered));
  expect(gate.load()).toEqual({ running: 1, waiting: 0 });
});

it('who waits is let in by turns, first who has fewest places', async () => {
  const gate = gateOf(2, 20);
  const order: string[] = [];
  const turns = new Map<string, AbortController>();
  const take = (key: string, name: string) => {
    const turn = new AbortController();
    turns.set(name, turn);
    void gate.take(key, turn.signal).then(() => order.push(name));
  };
  for (const name of ['a1', 'b1', 'a2', 'a3', 'a4', 'b2', 'b3', 'c1']) take(name[0] ?? '', name);
  await setImmediate();
  for (let at = 0; at < order.length; at++) {
    turns.get(order[at] ?? '')?.abort();
    await setImmediate();
  }
  expect(order).toEqual(['a1', 'b1', 'a2', 'b2', 'c1', 'a3', 'b3', 'a4']);
});

it('who waited as long as anybody may is refused, and leaves the queue', async () => {
  const gate = gateOf(1, 4, 5);
  await gate.take('a', new AbortController().signal);
  await expect(gate.take('b', new AbortController().signal)).rejects.toThrow(TooMany);
  expect(gate.load()).toEqual({ running: 1, waiting: 0 });
});

it('a place is given back once, and none is given to what has ended', () => {
  const room = createFairRoom(2);
  const [first, ended] = [new AbortController(), AbortSignal.abort()];
  expect(room.tryTake('a', ended)).toBe(false);
  expect(room.tryTake('a', first.signal)).toBe(true);
  expect(room.tryTake('a', new AbortController().signal)).toBe(false);
  first.abort();
  first.abort();
  expect([room.taken(), room.taken('a')]).toEqual([0, 0]);
});
