/**
 * The way to the calling service: addresses, headers, and asking again where that helps (408, 429, 5xx, broken connections, timeouts),
 * after a random pause ("full jitter": AWS Architecture Blog, Exponential Backoff And Jitter). One total deadline holds over all of it.
 */
import { setTimeout as sleepFor } from 'node:timers/promises';
import { isApiKey, isBaseUrl } from './app-address.ts';
import { attempt, type JsonAnswer } from './attempt.ts';
import { badRequest, CallsError } from './errors.ts';
import { type RateLimit, readRateLimit } from './limit-headers.ts';
import { isUid } from './query.ts';
import { aborted, upstreamFailure } from './upstream-failure.ts';

export interface UpstreamOptions {
  /** Where `/v3/calls` stands; the last slash may be left out. */
  readonly baseUrl: string;
  /** Default: the global one. */
  readonly fetch?: typeof globalThis.fetch;
  /** For one attempt with its body; default 10,000. */
  readonly attemptTimeoutMs?: number;
  /** For all attempts and pauses; default 30,000. */
  readonly totalTimeoutMs?: number;
  /** 1 asks once; default 3. */
  readonly maxAttempts?: number;
  /** The longest pause before the second attempt, doubled for each further one; default 250. */
  readonly firstPauseMs?: number;
  /** The longest pause; default 4,000. */
  readonly maxPauseMs?: number;
  /** A longer `Retry-After` is not waited for: the error says how long it is. Default 10,000. */
  readonly maxRetryAfterMs?: number;
  /** The largest body after decompression; default 32 MiB. */
  readonly maxBodyBytes?: number;
  /** 0 to below 1; default Math.random. */
  readonly random?: () => number;
  /** Milliseconds since 1970; default Date.now. */
  readonly now?: () => number;
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<unknown>;
}

export interface UpstreamRequest {
  /** One call; otherwise the list. */
  readonly sessionId?: string;
  readonly query?: URLSearchParams;
  readonly apiKey: string;
  readonly onBehalfOf?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface UpstreamAnswer extends JsonAnswer {
  readonly rateLimit: RateLimit | undefined;
}

export interface Upstream {
  /** @throws CallsError */
  ask(request: UpstreamRequest): Promise<UpstreamAnswer>;
  /** What the last answer said, whichever request it was for. */
  rateLimit(): RateLimit | undefined;
}

const oneMebibyte = 1024 * 1024;
const maxSessionIdChars = 512;

/** @throws CallsError */
function parseBaseUrl(baseUrl: string): string {
  if (!isBaseUrl(baseUrl)) {
    throw badRequest('The base URL of the calling service has to be an http:// or https:// address without user, query and fragment.');
  }
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname.replace(/\/+$/, '')}`;
}

/** @throws CallsError where it is empty or would lead to another path */
function pathOfCall(sessionId: string): string {
  if (sessionId === '' || sessionId === '.' || sessionId === '..' || sessionId.length > maxSessionIdChars || !sessionId.isWellFormed()) {
    throw badRequest(`The sessionId has to be 1 to ${maxSessionIdChars} characters, and more than dots.`);
  }
  return `/v3/calls/${encodeURIComponent(sessionId)}`;
}

function headersOf({ apiKey, onBehalfOf }: UpstreamRequest): Record<string, string> {
  if (apiKey === '') throw new CallsError('AUTH_ERR_EMPTY_APIKEY', 'An apikey is needed.', { status: 401 });
  if (!isApiKey(apiKey)) {
    throw new CallsError('AUTH_ERR_APIKEY_NOT_FOUND', 'The apikey holds characters that no key has: check how it was copied.', {
      status: 401,
    });
  }
  if (onBehalfOf !== undefined && (!isUid(onBehalfOf) || /[^\x20-\xff]/.test(onBehalfOf))) {
    throw badRequest('The header onBehalfOf has to be the uid of a user: 1 to 100 characters that a header can hold.');
  }
  return { accept: 'application/json', apikey: apiKey, ...(onBehalfOf === undefined ? {} : { onBehalfOf }) };
}

export function createUpstream(options: UpstreamOptions): Upstream {
  const base = parseBaseUrl(options.baseUrl);
  const { attemptTimeoutMs = 10_000, totalTimeoutMs = 30_000, maxAttempts = 3, firstPauseMs = 250, maxPauseMs = 4_000 } = options;
  const { maxRetryAfterMs = 10_000, maxBodyBytes = 32 * oneMebibyte, random = Math.random, now = Date.now } = options;
  const sleep = options.sleep ?? ((ms, signal) => sleepFor(ms, undefined, signal ? { signal } : {}));
  let lastRateLimit: RateLimit | undefined;

  /** What an unknown error of `fetch` means. */
  const explained = (thrown: unknown): CallsError =>
    thrown instanceof CallsError
      ? thrown
      : upstreamFailure('UNREACHABLE', 'The connection to the calling service failed: check its address and the network.', {
          cause: thrown,
          retryable: true,
        });

  /** Milliseconds before the next attempt; undefined where waiting that long is not worth it. */
  function pauseMs(error: CallsError, made: number): number | undefined {
    const jitter = random() * Math.min(maxPauseMs, firstPauseMs * 2 ** (made - 1));
    const asked = (error.retryAfterSeconds ?? 0) * 1_000;
    return asked > maxRetryAfterMs ? undefined : asked + jitter;
  }

  async function ask(request: UpstreamRequest): Promise<UpstreamAnswer> {
    const { sessionId, query, signal } = request;
    const search = query === undefined || query.size === 0 ? '' : `?${query}`;
    const url = `${base}${sessionId === undefined ? '/v3/calls' : pathOfCall(sessionId)}${search}`;
    const headers = headersOf(request);
    const deadline = performance.now() + totalTimeoutMs;
    let rateLimit: RateLimit | undefined;
    const onHeaders = (received: Headers) => {
      rateLimit = readRateLimit(received, now());
      lastRateLimit = rateLimit ?? lastRateLimit;
    };
    for (let made = 1; ; made++) {
      const leftMs = Math.max(1, Math.ceil(deadline - performance.now()));
      try {
        const answer = await attempt(
          { url, headers, isOneCall: sessionId !== undefined, signal, timeoutMs: Math.min(attemptTimeoutMs, leftMs) },
          { fetch: options.fetch ?? globalThis.fetch, maxBodyBytes, now, onHeaders },
        );
        return { ...answer, rateLimit };
      } catch (thrown) {
        const error = explained(thrown);
        const pause = error.retryable && made < maxAttempts ? pauseMs(error, made) : undefined;
        if (pause === undefined || performance.now() + pause >= deadline) throw error;
        await sleep(pause, signal).catch((reason: unknown) => {
          throw aborted(reason);
        });
      }
    }
  }

  return { ask, rateLimit: () => lastRateLimit };
}
