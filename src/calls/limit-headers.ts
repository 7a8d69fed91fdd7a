/** What an answer says about limits: `X-Rate-Limit`, `X-Rate-Limit-Remaining`, `X-Rate-Limit-Reset` and `Retry-After` (RFC 9110 10.2.3). */

export interface RateLimit {
  /** Requests per minute. */
  readonly limit: number | undefined;
  readonly remaining: number | undefined;
  /** Unix seconds at which the count starts anew. */
  readonly resetAt: number | undefined;
  /** Unix seconds at which the answer came. */
  readonly observedAt: number;
}

/** A smaller number than this is no unix second but seconds from now. */
const firstUnixSecond = 1_000_000_000;
const maxRetryAfterSeconds = 86_400;

function wholeNumber(headers: Headers, name: string): number | undefined {
  const text = headers.get(name)?.trim() ?? '';
  return /^\d{1,12}$/.test(text) ? Number(text) : undefined;
}

/** @returns undefined where the answer says nothing about limits */
export function readRateLimit(headers: Headers, nowMs: number): RateLimit | undefined {
  const limit = wholeNumber(headers, 'x-rate-limit');
  const remaining = wholeNumber(headers, 'x-rate-limit-remaining');
  const reset = wholeNumber(headers, 'x-rate-limit-reset');
  if (limit === undefined && remaining === undefined && reset === undefined) return undefined;
  const observedAt = Math.floor(nowMs / 1_000);
  return { limit, remaining, resetAt: reset !== undefined && reset < firstUnixSecond ? observedAt + reset : reset, observedAt };
}

/** Whole seconds from now, at most a day; where there is no readable `Retry-After`, until the count of requests starts anew. */
export function readRetryAfterSeconds(headers: Headers, nowMs: number): number | undefined {
  const text = headers.get('retry-after')?.trim() ?? '';
  const dated = /[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  const resetAt = readRateLimit(headers, nowMs)?.resetAt;
  let seconds: number | undefined;
  if (/^\d{1,12}$/.test(text)) seconds = Number(text);
  else if (!Number.isNaN(dated)) seconds = Math.ceil((dated - nowMs) / 1_000);
  else if (resetAt !== undefined) seconds = resetAt - Math.floor(nowMs / 1_000);
  return seconds === undefined ? undefined : Math.min(maxRetryAfterSeconds, Math.max(0, seconds));
}
