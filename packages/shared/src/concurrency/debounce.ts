/**
 * Runs work once after a burst of requests: never concurrently, and at intervals while requests
 * keep coming.
 */
export interface DebounceOptions {
  /** Time without requests before a run. */
  readonly quietMs: number;
  /** Maximum delay after the first request. */
  readonly maxWaitMs: number;
  /** Must not reject. @returns minimum pause before the next run, in milliseconds */
  readonly work: () => Promise<number>;
}

export interface Debouncer {
  /** Requests a run. */
  request(): void;
  /** Cancels pending runs. Resolves when the current run ends. */
  close(): Promise<void>;
}

export function createDebounce({ quietMs, maxWaitMs, work }: DebounceOptions): Debouncer {
  let firstAskedAt: number | undefined;
  let lastAskedAt = 0;
  let notBefore = 0;
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> | undefined;
  let isClosed = false;

  const untilDue = () =>
    Math.max(notBefore, Math.min(lastAskedAt + quietMs, (firstAskedAt ?? 0) + maxWaitMs)) -
    performance.now();

  function arm(): void {
    if (isClosed || timer || working || firstAskedAt === undefined) return;
    timer = setTimeout(run, Math.ceil(Math.max(0, untilDue()))).unref();
  }

  function run(): void {
    timer = undefined;
    // Not due yet: requests do not reset the timer, because there may be thousands.
    if (untilDue() > 0) {
      arm();
      return;
    }
    firstAskedAt = undefined;
    working = work()
      .then((pauseMs) => {
        notBefore = performance.now() + pauseMs;
      })
      .finally(() => {
        working = undefined;
        arm();
      });
  }

  return {
    request() {
      lastAskedAt = performance.now();
      firstAskedAt ??= lastAskedAt;
      arm();
    },
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await working;
    },
  };
}
