/** How many pieces of work may run at a time; the others wait in their order. A piece that fails keeps none of the others. */
export type Limit = <T>(work: () => Promise<T>) => Promise<T>;

export function createSemaphore(maxConcurrent: number): Limit {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    await (running < maxConcurrent ? running++ : new Promise<void>((resolve) => waiting.push(resolve)));
    try {
      return await work();
    } finally {
      // Whoever ends gives their place to the first who waits.
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

/** Work on one thing, piece after piece in the order in which it was asked for. */
export const createSerialQueue = (): Limit => createSemaphore(1);

/** A queue for each key, as long as something of it waits or is at work. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const result = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const ended = result.catch(() => undefined).then(() => void (this.#last.get(key) === ended && this.#last.delete(key)));
    this.#last.set(key, ended);
    return result;
  }

  /** Whether nothing waits or is at work. */
  get isIdle(): boolean {
    return this.#last.size === 0;
  }

  /** Resolves when everything that was asked for until now, of one key or of all, has ended. */
  async idle(key?: string): Promise<void> {
    await (key === undefined ? Promise.all(this.#last.values()) : this.#last.get(key));
  }
}
