/**
 * Token bucket per key, refilled evenly over a minute. Stores only the time at which the bucket is
 * full again (generic cell rate algorithm, ITU-T I.371). Any t seconds admit at most `perMinute` ×
 * (1 + t / 60) requests.
 */

export interface TokenResult {
  readonly isAllowed: boolean;
  /** Capacity of the bucket. */
  readonly limit: number;
  /** Whole tokens that are left. */
  readonly remaining: number;
  /** Whole seconds until the bucket is full. */
  readonly resetSeconds: number;
  /** Whole seconds until the next token, at least 1; 0 if the request is allowed. */
  readonly retryAfterSeconds: number;
}

/** Time in which an empty bucket fills. */
export const fillMs = 60_000;

/** Rounding error of fractions of a millisecond, in tokens. */
const tolerance = 1e-3;

/** Takes one token. `emptyMs`: milliseconds until the bucket is full, before and after. */
function takeFrom(
  emptyMs: number,
  perMinute: number,
): { readonly taken: TokenResult; readonly emptyMs: number } {
  const eachMs = fillMs / perMinute;
  const wantedMs = emptyMs + eachMs;
  const isAllowed = wantedMs <= fillMs + eachMs * tolerance;
  const leftMs = isAllowed ? wantedMs : emptyMs;
  return { taken: takenOf(leftMs, perMinute, isAllowed), emptyMs: leftMs };
}

function takenOf(emptyMs: number, perMinute: number, isAllowed: boolean): TokenResult {
  const eachMs = fillMs / perMinute;
  return {
    isAllowed,
    limit: perMinute,
    remaining: Math.max(0, Math.floor((fillMs - emptyMs) / eachMs + tolerance)),
    resetSeconds: Math.ceil(emptyMs / 1_000),
    retryAfterSeconds: isAllowed ? 0 : Math.max(1, Math.ceil((emptyMs + eachMs - fillMs) / 1_000)),
  };
}

export interface MemoryLimiterOptions {
  /** Milliseconds of a clock that never goes back. */
  readonly now?: () => number;
  /**
   * Bounds memory: beyond it, the keys that were idle longest start with full buckets. Default
   * 200,000.
   */
  readonly maxKeys?: number;
}

export interface MemoryLimiter {
  /** @param perMinute at least 1; constant for each key */
  take(key: string, perMinute: number): Promise<TokenResult>;
  /** Upper bound of the number of stored keys. */
  size(): number;
}

export function createMemoryLimiter({
  now = () => performance.now(),
  maxKeys = 200_000,
}: MemoryLimiterOptions = {}): MemoryLimiter {
  // Key → when its bucket is full. Keys that were idle for a whole fill time are dropped together
  // with `earlier`.
  let recent = new Map<string, number>();
  let earlier = new Map<string, number>();
  let turnedAt = now();

  function turn(at: number): void {
    if (at - turnedAt < fillMs && recent.size < maxKeys / 2) return;
    [earlier, recent, turnedAt] = [recent, new Map(), at];
  }

  return {
    async take(key, perMinute) {
      const at = now();
      turn(at);
      const { taken, emptyMs } = takeFrom(
        Math.max(0, (recent.get(key) ?? earlier.get(key) ?? at) - at),
        perMinute,
      );
      recent.set(key, at + emptyMs);
      return taken;
    },
    size: () => recent.size + earlier.size,
  };
}
