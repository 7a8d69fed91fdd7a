/** Records acknowledged writes of a server, to check them after a kill. */
import { expect } from 'vitest';
import { Semaphore } from '../../packages/shared/src/concurrency/queue.ts';

const maxParallelChecks = 8;

/** Seeded random numbers in [0, 1) (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Written object whose state can be read back as text. */
export interface Entry {
  readonly kind: string;
  readonly name: string;
  readonly observe: () => Promise<string>;
  /** Possible states: one after an acknowledged write, several after an interrupted one. */
  allowed: readonly string[];
}

export class Ledger {
  readonly #entries: Entry[] = [];
  #touched = new Set<Entry>();
  readonly acknowledged = new Map<string, number>();
  #left = 0;
  #reached: (() => void) | undefined;

  /** Resolves after this many more acknowledged writes. */
  reach(writes: number): Promise<void> {
    this.#left = writes;
    return new Promise((resolve) => {
      this.#reached = resolve;
    });
  }

  add(kind: string, name: string, state: string, observe: () => Promise<string>): Entry {
    const entry = { kind, name, observe, allowed: [state] };
    this.#entries.push(entry);
    return entry;
  }

  /**
   * @param newState state after the acknowledged write @param partialStates other possible states
   * after an interrupted write
   * @param send resolves to false if the server ended before it responded
   */
  async write(
    kind: string,
    entry: Entry,
    newState: string,
    send: () => Promise<boolean>,
    partialStates: readonly string[] = [],
  ): Promise<boolean> {
    entry.allowed = [...entry.allowed, newState, ...partialStates];
    this.#touched.add(entry);
    if (!(await send())) return false;
    entry.allowed = [newState];
    this.acknowledged.set(kind, (this.acknowledged.get(kind) ?? 0) + 1);
    if (--this.#left === 0) this.#reached?.();
    return true;
  }

  /** Compares states with the acknowledged writes since the last check, or with all of them. */
  async check(which: 'touched' | 'all'): Promise<void> {
    const entries = which === 'all' ? this.#entries : [...this.#touched];
    this.#touched = new Set();
    const wrong: string[] = [];
    const withSlot = new Semaphore(maxParallelChecks);
    const checkOne = async (entry: Entry) => {
      const state = await entry.observe();
      if (!entry.allowed.includes(state))
        wrong.push(`${entry.kind} ${entry.name}: "${state}", not ${JSON.stringify(entry.allowed)}`);
      entry.allowed = [state];
    };
    await Promise.all(entries.map((entry) => withSlot.run(() => checkOne(entry))));
    expect(wrong).toEqual([]);
  }
}
