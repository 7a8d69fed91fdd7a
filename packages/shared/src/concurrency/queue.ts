/**
 * Runs work with limited concurrency, first come, first served. A failure does not affect other
 * work.
 */
export class Semaphore {
  readonly #maxConcurrent;
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /** @param maxConcurrent 1: work runs one by one */
  constructor(maxConcurrent: number) {
    this.#maxConcurrent = maxConcurrent;
  }

  /** Never starts the work before it returns. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    await (this.#running < this.#maxConcurrent
      ? this.#running++
      : new Promise<void>((resolve) => this.#waiting.push(resolve)));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}

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

  /** Resolves when all work queued so far has ended. */
  async idle() {
    await Promise.all(this.#last.values());
  }
}
