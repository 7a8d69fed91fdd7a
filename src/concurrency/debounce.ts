/** Work that many changes ask for, done once they are quiet: one piece after the other, and under steady change now and then. */
export interface DebounceOptions {
  /** Since the last who asked. */
  readonly quietMs: number;
  /** Since the first. */
  readonly maxWaitMs: number;
  /** Never rejects. @returns milliseconds until it may be done again, whoever asks */
  readonly work: () => Promise<number>;
}

export function createDebounce({ quietMs, maxWaitMs, work }: DebounceOptions) {
  let firstAskedAt: number | undefined;
  let lastAskedAt = 0;
  let notBefore = 0;
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> | undefined;
  let isClosed = false;

  const untilDue = () => Math.max(notBefore, Math.min(lastAskedAt + quietMs, (firstAskedAt ?? 0) + maxWaitMs)) - performance.now();

  function arm(): void {
    if (isClosed || timer || working || firstAskedAt === undefined) return;
    timer = setTimeout(run, Math.ceil(Math.max(0, untilDue()))).unref();
  }

  function run(): void {
    timer = undefined;
    // Those who asked meanwhile did not set it anew: there may be thousands.
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
    ask(): void {
      lastAskedAt = performance.now();
      firstAskedAt ??= lastAskedAt;
      arm();
    },
    /** Nothing is begun any more. Resolves when what is at work has ended. */
    async close(): Promise<void> {
      isClosed = true;
      clearTimeout(timer);
      await working;
    },
  };
}
