/** What a server acknowledged, so that after a kill it can be held to it. */
import { expect } from 'vitest';
import { createSemaphore } from '../../src/concurrency/queue.ts';

const checkedAtOnce = 8;

/** The same numbers for the same seed, each from 0 to 1 (mulberry32). */
export function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Something that is written and read back, as the text of its state. */
export interface Entry {
  readonly kind: string;
  readonly name: string;
  readonly observe: () => Promise<string>;
  /** One where all writes were answered; of one that was cut off, what it may have come to. */
  allowed: readonly string[];
}

export class Ledger {
  readonly #entries: Entry[] = [];
  #touched = new Set<Entry>();
  /** Kind of write → how many were acknowledged. */
  readonly acknowledged = new Map<string, number>();
  #left = 0;
  #reached: (() => void) | undefined;

  /** Resolves when so many more writes are acknowledged. */
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
   * @param become its state once the write is acknowledged @param meanwhile states that a write which was cut off may have left too
   * @param send resolves to false where the server was gone before it answered
   */
  async write(
    what: string,
    entry: Entry,
    become: string,
    send: () => Promise<boolean>,
    meanwhile: readonly string[] = [],
  ): Promise<boolean> {
    entry.allowed = [...entry.allowed, become, ...meanwhile];
    this.#touched.add(entry);
    if (!(await send())) return false;
    entry.allowed = [become];
    this.acknowledged.set(what, (this.acknowledged.get(what) ?? 0) + 1);
    if (--this.#left === 0) this.#reached?.();
    return true;
  }

  /** Holds what was written since the last look to what was acknowledged, or everything that ever was. */
  async check(which: 'touched' | 'all'): Promise<void> {
    const entries = which === 'all' ? this.#entries : [...this.#touched];
    this.#touched = new Set();
    const wrong: string[] = [];
    const takeOne = createSemaphore(checkedAtOnce);
    const checkOne = async (entry: Entry) => {
      const state = await entry.observe();
      if (!entry.allowed.includes(state)) wrong.push(`${entry.kind} ${entry.name}: "${state}", not ${JSON.stringify(entry.allowed)}`);
      entry.allowed = [state];
    };
    await Promise.all(entries.map((entry) => takeOne(() => checkOne(entry))));
    expect(wrong).toEqual([]);
  }
}
