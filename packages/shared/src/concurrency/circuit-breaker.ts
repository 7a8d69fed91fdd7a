/**
 * Circuit breaker (M. Nygard, "Release It!"): after failures, calls fail at once during a pause.
 * Then one trial call decides.
 */
export type CircuitBreaker = <T>(work: () => Promise<T>) => Promise<T>;

export interface CircuitOptions {
  /** Milliseconds from the failure that opens the circuit to the next trial. */
  readonly pauseMs: number;
  /**
   * Whether the error means that the service is unavailable. Any other error counts as a success.
   */
  readonly isAway: (error: unknown) => boolean;
  /** Consecutive failures that open the circuit; default 1. */
  readonly maxFailures?: number;
  /** Whether this single failure opens the circuit. */
  readonly isCertain?: (error: unknown) => boolean;
  /**
   * Error thrown while the circuit is open; default: the last failure. @param leftMs until the next
   * trial
   */
  readonly toError?: (error: unknown, leftMs: number) => unknown;
  /** Called once per outage. */
  readonly onOpen?: (error: unknown) => void;
  /** Called when a trial succeeds after the circuit was open. */
  readonly onClose?: () => void;
}

/** One call. The caller must report exactly one outcome. */
export interface CircuitTry {
  succeeded(): void;
  failed(error: unknown): void;
  /** The call was cancelled before it had a result. */
  withdrawn(): void;
}

export interface Circuit {
  /** @throws the result of `toError` while the circuit is open */
  begin(): CircuitTry;
  /** Begins nothing. @throws as `begin` */
  throwIfPaused(): void;
}

export function createCircuit(options: CircuitOptions): Circuit {
  const {
    pauseMs,
    isAway,
    maxFailures = 1,
    isCertain = () => false,
    toError = (error) => error,
    onOpen,
    onClose,
  } = options;
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

  function throwIfPaused(): void {
    const now = performance.now();
    if (open && now < open.until) throw toError(open.error, open.until - now);
  }

  return {
    throwIfPaused,
    begin() {
      throwIfPaused();
      const now = performance.now();
      const isTrial = open !== undefined;
      // Other calls fail at once while the trial runs.
      if (open) open.until = now + pauseMs;
      const withdrawn = () => {
        if (isTrial && open) open.until = performance.now();
      };
      return { succeeded, failed, withdrawn };
    },
  };
}

/** @param more `onOpen` is called once per outage, even if the pause is 0 */
export function createCircuitBreaker(
  pauseMs: number,
  isAway: CircuitOptions['isAway'],
  more: Pick<CircuitOptions, 'toError' | 'onOpen'> = {},
): CircuitBreaker {
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
