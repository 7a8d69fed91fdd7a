/**
 * Token bucket per key, refilled evenly over a minute. Stores only the time at which the bucket is
 * full again (generic cell rate algorithm, ITU-T I.371). Any t seconds admit at most `perMinute` ×
 * (1 + t / 60) requests.
 */

/** Time in which an empty bucket fills. */
export const fillMs = 60_000;

/** Rounding error of fractions of a millisecond, in tokens. */
const tolerance = 1e-3;

/** Takes one token. @param emptyMs milliseconds until the bucket is full, as in the result */
function takeFrom(emptyMs: number, perMinute: number) {
  const eachMs = fillMs / perMinute;
  const wantedMs = emptyMs + eachMs;
  const isAllowed = wantedMs <= fillMs + eachMs * tolerance;
  const leftMs = isAllowed ? wantedMs : emptyMs;
  const waitMs = leftMs + eachMs - fillMs;
  const taken = {
    isAllowed,
    /** Capacity of the bucket. */
    limit: perMinute,
    /** Whole tokens that are left. */
    remaining: Math.max(0, Math.floor((fillMs - leftMs) / eachMs + tolerance)),
    /** Whole seconds until the bucket is full. */
    resetSeconds: Math.ceil(leftMs / 1_000),
    /** Whole seconds until the next token, at least 1; 0 if the request is allowed. */
    retryAfterSeconds: isAllowed ? 0 : Math.max(1, Math.ceil(waitMs / 1_000)),
  };
  return { taken, emptyMs: leftMs };
}

export class MemoryLimiter {
  readonly #now;
  readonly #maxKeys;
  // Key → when its bucket is full. Keys that were idle for a whole fill time are dropped together
  // with `#earlier`.
  #recent = new Map<string, number>();
  #earlier = new Map<string, number>();
  #turnedAt;

  /**
   * @param now milliseconds of a clock that never goes back
   * @param maxKeys bounds memory: beyond it, the keys that were idle longest start with full buckets
   */
  constructor(now = () => performance.now(), maxKeys = 200_000) {
    this.#now = now;
    this.#maxKeys = maxKeys;
    this.#turnedAt = now();
  }

  /** @param perMinute at least 1; constant for each key */
  take(key: string, perMinute: number) {
    const at = this.#now();
    if (at - this.#turnedAt >= fillMs || this.#recent.size >= this.#maxKeys / 2)
      [this.#earlier, this.#recent, this.#turnedAt] = [this.#recent, new Map(), at];
    const fullAt = this.#recent.get(key) ?? this.#earlier.get(key) ?? at;
    const { taken, emptyMs } = takeFrom(Math.max(0, fullAt - at), perMinute);
    this.#recent.set(key, at + emptyMs);
    return taken;
  }

  /** Upper bound of the number of stored keys. */
  size() {
    return this.#recent.size + this.#earlier.size;
  }
}
