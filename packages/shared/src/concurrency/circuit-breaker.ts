/**
 * Circuit breaker (M. Nygard, "Release It!"): after failures, calls fail at once during a pause.
 * Then one trial call decides.
 */
type CircuitOptions = Readonly<{
  /** Milliseconds from the failure that opens the circuit to the next trial. */
  pauseMs: number;
  /**
   * Whether the error means that the service is unavailable; default: always. Any other error
   * counts as a success.
   */
  isAway?: (error: unknown) => boolean;
  /** Consecutive failures that open the circuit; default 1. */
  maxFailures?: number;
  /** Whether this single failure opens the circuit. */
  isCertain?: (error: unknown) => boolean;
  /**
   * Error thrown while the circuit is open; default: the last failure. @param leftMs until the next
   * trial
   */
  toError?: (error: unknown, leftMs: number) => unknown;
  /** Called once per outage, even if the pause is 0. */
  onOpen?: ((error: unknown) => void) | undefined;
  /** Called when a trial succeeds after the circuit was open. */
  onClose?: (() => void) | undefined;
}>;

export class CircuitBreaker {
  readonly #options;
  #failures = 0;
  #open: { readonly error: unknown; until: number } | undefined;

  constructor(options: CircuitOptions) {
    this.#options = options;
  }

  /** @throws the error of a pause */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.begin();
    try {
      const result = await work();
      this.succeeded();
      return result;
    } catch (error) {
      this.failed(error);
      throw error;
    }
  }

  throwIfPaused() {
    const { toError = (error) => error } = this.#options;
    const leftMs = this.#open ? this.#open.until - performance.now() : 0;
    if (this.#open && leftMs > 0) throw toError(this.#open.error, leftMs);
  }

  /**
   * Begins a call, whose end is reported by one of the next methods. @returns whether it is the
   * trial @throws the error of a pause
   */
  begin() {
    this.throwIfPaused();
    if (!this.#open) return false;
    // Other calls fail at once while the trial runs.
    this.#open.until = performance.now() + this.#options.pauseMs;
    return true;
  }

  succeeded() {
    this.#failures = 0;
    const wasOpen = this.#open !== undefined;
    this.#open = undefined;
    if (wasOpen) this.#options.onClose?.();
  }

  failed(error: unknown) {
    const { pauseMs, isAway, maxFailures = 1, isCertain, onOpen } = this.#options;
    if (isAway?.(error) === false) {
      this.succeeded();
      return;
    }
    this.#failures++;
    if (!this.#open && this.#failures < maxFailures && !isCertain?.(error)) return;
    if (!this.#open) onOpen?.(error);
    this.#open = { error, until: performance.now() + pauseMs };
  }

  /** The call was cancelled before it had a result: after a trial, the next call is one. */
  withdrawn(wasTrial: boolean) {
    if (wasTrial && this.#open) this.#open.until = performance.now();
  }
}
