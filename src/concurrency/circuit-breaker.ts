/**
 * The way to something that may be away (M. Nygard, "Release It!": circuit breaker). After failures nothing is tried for a while, because
 * each try may cost whoever asks all of its time; then one tries, and the others follow when that went well.
 */
export type Attempt = <T>(work: () => Promise<T>) => Promise<T>;

export interface CircuitOptions {
  /** Between the failure that opens it and the next try. Milliseconds. */
  readonly pauseMs: number;
  /** Whether it was such a failure; another one says that the way is open. */
  readonly isAway: (error: unknown) => boolean;
  /** In a row, after which it opens; default 1. */
  readonly maxFailures?: number;
  /** Whether one is enough. */
  readonly isCertain?: (error: unknown) => boolean;
  /** What is thrown instead of a try; default: the failure, as it was. @param leftMs until the next try */
  readonly toError?: (error: unknown, leftMs: number) => unknown;
  /** Told once of each time in which it is open. */
  readonly onOpen?: (error: unknown) => void;
  /** Called when a try succeeds after the circuit was open. */
  readonly onClose?: () => void;
}

/** One try, which ends in one of these ways. */
export interface CircuitTry {
  succeeded(): void;
  failed(error: unknown): void;
  /** Ended before it could tell anything. */
  withdrawn(): void;
}

export interface Circuit {
  /** @throws what `toError` gives while it is open */
  begin(): CircuitTry;
}

export function createCircuit(options: CircuitOptions): Circuit {
  const { pauseMs, isAway, maxFailures = 1, isCertain = () => false, toError = (error) => error, onOpen, onClose } = options;
  let failures = 0;
  let open: { readonly error: unknown; until: number } | undefined;

  function succeeded(): void {
    failures = 0;
    const wasOpen = open !== undefined;
    open = undefined;
    if (wasOpen) onClose?.();
  }

  function failed(error: unknown): void {
    if (!isAway(error)) {
      succeeded();
      return;
    }
    failures++;
    if (!open && failures < maxFailures && !isCertain(error)) return;
    if (!open) onOpen?.(error);
    open = { error, until: performance.now() + pauseMs };
  }

  return {
    begin() {
      const now = performance.now();
      if (open && now < open.until) throw toError(open.error, open.until - now);
      const isTrial = open !== undefined;
      // Who comes while this one tries does not wait with it.
      if (open) open.until = now + pauseMs;
      const withdrawn = () => {
        if (isTrial && open) open.until = performance.now();
      };
      return { succeeded, failed, withdrawn };
    },
  };
}

/** @param more `onOpen` warns once per outage, also with a pause of 0 */
export function createCircuitBreaker(
  pauseMs: number,
  isAway: CircuitOptions['isAway'],
  more: Pick<CircuitOptions, 'toError' | 'onOpen'> = {},
): Attempt {
  const circuit = createCircuit({ pauseMs, isAway, ...more });
  return async (work) => {
    const attempt = circuit.begin();
    try {
      const result = await work();
      attempt.succeeded();
      return result;
    } catch (error) {
      attempt.failed(error);
      throw error;
    }
  };
}
