/**
 * Runs work with limited concurrency, first come, first served. A failure does not affect other
 * work.
 */
export type RunLimited = <T>(work: () => Promise<T>) => Promise<T>;

export function createSemaphore(maxConcurrent: number): RunLimited {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    await (running < maxConcurrent
      ? running++
      : new Promise<void>((resolve) => waiting.push(resolve)));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}

export const createSerialQueue = (): RunLimited => createSemaphore(1);

/** One serial queue per key; a queue exists only while it has work. */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const result = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const ended = result
      .catch(() => undefined)
      .then(() => void (this.#last.get(key) === ended && this.#last.delete(key)));
    this.#last.set(key, ended);
    return result;
  }

  get isIdle(): boolean {
    return this.#last.size === 0;
  }

  /** Resolves when all work queued so far has ended. @param key default: all keys */
  async idle(key?: string): Promise<void> {
    await (key === undefined ? Promise.all(this.#last.values()) : this.#last.get(key));
  }
}
