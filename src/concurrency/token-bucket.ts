/**
 * How often something may be done: a bucket for each key that holds a minute's number and is filled again evenly, so that a burst is let
 * through and its like a minute later, and nobody gains by waiting for the turn of a minute. Kept as the moment at which the bucket is full
 * again (generic cell rate algorithm, ITU-T I.371). Over any t seconds at most `perMinute` × (1 + t / 60) are let through.
 */

/** What came of one more. */
export interface Taken {
  readonly isAllowed: boolean;
  /** What a full bucket holds. */
  readonly limit: number;
  /** Whole ones that are left. */
  readonly remaining: number;
  /** Until the bucket is full again; whole seconds. */
  readonly resetSeconds: number;
  /** Until there is one more, where there was none: whole seconds, at least 1; else 0. */
  readonly retryAfterSeconds: number;
}

/** Which a bucket is filled in, whatever it holds. */
export const fillMs = 60_000;

/** Sums of parts of a millisecond may be off by this much of a token. */
const tolerance = 1e-3;

/**
 * One more of a bucket that is full again in `emptyMs`.
 * @returns when it is full again afterwards, also where it had none: both in milliseconds from now
 */
function takeFrom(emptyMs: number, perMinute: number): { readonly taken: Taken; readonly emptyMs: number } {
  const eachMs = fillMs / perMinute;
  const wantedMs = emptyMs + eachMs;
  const isAllowed = wantedMs <= fillMs + eachMs * tolerance;
  const leftMs = isAllowed ? wantedMs : emptyMs;
  return { taken: takenOf(leftMs, perMinute, isAllowed), emptyMs: leftMs };
}

/** @param emptyMs until the bucket is full again, afterwards */
function takenOf(emptyMs: number, perMinute: number, isAllowed: boolean): Taken {
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
  /** Of more, those that were silent longest begin anew: what is remembered is bounded, also where a million addresses come. */
  readonly maxKeys?: number;
}

export function createMemoryLimiter({ now = () => performance.now(), maxKeys = 200_000 }: MemoryLimiterOptions = {}) {
  // Key → when its bucket is full. Whoever did not ask for as long as a bucket fills is forgotten with the earlier ones, all at once.
  let recent = new Map<string, number>();
  let earlier = new Map<string, number>();
  let turnedAt = now();

  function turn(at: number): void {
    if (at - turnedAt < fillMs && recent.size < maxKeys / 2) return;
    [earlier, recent, turnedAt] = [recent, new Map(), at];
  }

  return {
    /** @param perMinute at least 1; the same each time for one key */
    async take(key: string, perMinute: number): Promise<Taken> {
      const at = now();
      turn(at);
      const { taken, emptyMs } = takeFrom(Math.max(0, (recent.get(key) ?? earlier.get(key) ?? at) - at), perMinute);
      recent.set(key, at + emptyMs);
      return taken;
    },
    /** Keys that are remembered, at most. */
    size: () => recent.size + earlier.size,
  };
}
