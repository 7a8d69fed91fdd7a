/**
 * HTTP client of the calling service: one deadline per request, retries for 408, 429, 5xx, broken
 * connections and timeouts. Refuses redirects (the key must not go elsewhere), bodies over a limit
 * and non-JSON. Error codes are passed on, error texts only if `quotesRefusals`.
 */
import { retryAfterMs, withAbort } from '../../shared/src/concurrency/deadline.ts';
import { type RetryOptions, retry } from '../../shared/src/concurrency/retry.ts';
import { JsonBounds, maxAnswerBytes } from './answer-bounds.ts';
import { fieldsOf, jsonOf } from './call-record.ts';
import { aborted, badRequest, CallsError, upstreamFailure } from './errors.ts';
import { type CallsRequestOptions, isUid } from './types.ts';

export const isAppId = (text: string): boolean => /^[a-z0-9]{1,63}$/i.test(text);
export const isRegion = (text: string): boolean => /^[a-z]{2,8}$/i.test(text);

export const baseUrlOfApp = (appId: string, region: string): string =>
  `https://${appId.toLowerCase()}.call-${region.toLowerCase()}.cometchat.io`;

/** Whether the text is an http(s) URL without user, query and fragment. */
export function isBaseUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return (
    url !== undefined &&
    /^https?:$/.test(url.protocol) &&
    !url.username &&
    !url.password &&
    !/[?#]/.test(text)
  );
}

/**
 * Whether the text fits into a header: visible ASCII. `fetch` would quote an invalid key in its
 * error.
 */
export const isApiKey = (text: string): boolean => /^[\x21-\x7e]{1,1024}$/.test(text);

export type UpstreamOptions = Pick<RetryOptions, 'random' | 'sleep'> &
  Readonly<{
    /** Base of `/v3/calls`; may itself end in `/v3` or a slash. */
    baseUrl: string;
    fetch?: typeof globalThis.fetch;
    /** Per attempt, including its body; default 10,000. */
    attemptTimeoutMs?: number;
    /** All attempts and pauses together; default 30,000. */
    totalTimeoutMs?: number;
    /** 1: no retry; default 3. */
    maxAttempts?: number;
    /** Maximum pause before the second attempt, doubled for each further one; default 250. */
    firstPauseMs?: number;
    /** Maximum pause; default 4,000. */
    maxPauseMs?: number;
    /** A longer `Retry-After` fails at once, with the time in the error; default 10,000. */
    maxRetryAfterMs?: number;
    /** Maximum decompressed body; default 2 MiB + 32 KiB per requested record. */
    maxBodyBytes?: number;
    /**
     * Whether errors of status 400 and 422 quote the calling service, for the owner of the key only;
     * default false.
     */
    quotesRefusals?: boolean;
    now?: () => number;
  }>;

export type UpstreamRequest = CallsRequestOptions &
  Readonly<{
    sessionId?: string;
    part?: 'transcriptions';
    query?: URLSearchParams;
    maxRows?: number | undefined;
    apiKey: string;
  }>;

/** From `X-Rate-Limit`, `X-Rate-Limit-Remaining` and `X-Rate-Limit-Reset`. */
export type RateLimit = Readonly<{
  limit: number | undefined;
  remaining: number | undefined;
  /** Unix seconds at which the count restarts. */
  resetAt: number | undefined;
  observedAt: number;
}>;

/** Smaller values of `X-Rate-Limit-Reset` are seconds from now. */
const firstUnixSecond = 1_000_000_000;
const maxRetryAfterSeconds = 86_400;

function readRateLimit(headers: Headers, nowMs: number): RateLimit | undefined {
  const [limit, remaining, reset] = ['', '-remaining', '-reset'].map((part) => {
    const text = headers.get(`x-rate-limit${part}`)?.trim() ?? '';
    return /^\d{1,12}$/.test(text) ? Number(text) : undefined;
  });
  if (limit === undefined && remaining === undefined && reset === undefined) return undefined;
  const observedAt = Math.floor(nowMs / 1_000);
  return {
    limit,
    remaining,
    resetAt: reset !== undefined && reset < firstUnixSecond ? observedAt + reset : reset,
    observedAt,
  };
}

/**
 * Seconds from now, at most a day: `Retry-After` (RFC 9110, 10.2.3), or else the time until the
 * rate limit resets.
 */
function readRetryAfterSeconds(headers: Headers, nowMs: number) {
  const askedMs = retryAfterMs(headers.get('retry-after'), nowMs);
  const resetAt = readRateLimit(headers, nowMs)?.resetAt;
  const untilReset = resetAt && resetAt - Math.floor(nowMs / 1_000);
  const seconds = askedMs === undefined ? untilReset : Math.ceil(askedMs / 1_000);
  return seconds === undefined ? undefined : Math.min(maxRetryAfterSeconds, Math.max(0, seconds));
}

function readRequestId(headers: Headers) {
  const id = headers.get('x-request-id') ?? '';
  return /^[\w.:-]{1,100}$/.test(id) ? id : undefined;
}

const isHtml = (headers: Headers) =>
  /^\s*(?:text\/html|application\/xhtml)/i.test(headers.get('content-type') ?? '');

const envelopeOf = (body: string) => fieldsOf(fieldsOf(jsonOf(body))['error']);

function codeOf(body: string) {
  const { code } = envelopeOf(body);
  return typeof code === 'string' && /^(?:AUTH_)?ERR_[A-Z0-9_]{1,60}$/.test(code)
    ? code
    : undefined;
}

const maxQuotedChars = 300;

/** Error text of the calling service in one line, without the key and invisible characters. */
function quotedSentence(body: string, apiKey: string) {
  const { message } = envelopeOf(body);
  if (typeof message !== 'string') return undefined;
  const plain = message
    .replaceAll(apiKey, '…')
    .replace(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\s]+/gu, ' ')
    .trim();
  if (plain === '') return undefined;
  return plain.length > maxQuotedChars ? `${plain.slice(0, maxQuotedChars)}…` : plain;
}

type Refusal = readonly [code: string, message: string, retryable?: true];
const rejected: Refusal = [
  'ERR_BAD_REQUEST',
  'The calling service rejected the request. Check the filter or the sessionId.',
];
const refusals: Readonly<Record<number, Refusal>> = {
  400: rejected,
  401: [
    'AUTH_ERR_APIKEY_NOT_FOUND',
    'The calling service does not know this apikey. Use a REST API key of its app.',
  ],
  403: [
    'AUTH_ERR_NO_ACCESS',
    'This apikey or user may not read these calls. Use a key with full access.',
  ],
  408: ['ERR_UPSTREAM_TIMEOUT', 'The calling service timed out. Retry in a moment.', true],
  422: rejected,
  429: ['ERR_TOO_MANY_REQUESTS', 'The calling service limits the requests. Retry later.', true],
};

/** For statuses that `refusals` does not list, also a 2xx with an error. @param own code of the calling service */
function unlistedRefusalOf(
  status: number,
  isOneCall: boolean,
  own: string | undefined,
  requestId: string | undefined,
) {
  const notFound = 'ERR_CALL_SESSION_NOT_FOUND';
  if (status === 404 && isOneCall && (own ?? notFound) === notFound)
    return new CallsError(notFound, 'No call has this sessionId.', { status, requestId });
  if (own !== undefined && status >= 400)
    return new CallsError(own, 'The calling service rejected the request.', { status, requestId });
  const message =
    status === 404
      ? 'There is no call list at this address. Check the base URL, or app id and region.'
      : `The calling service returned the unexpected status ${status}. Check the base URL.`;
  return upstreamFailure('UNEXPECTED', message, { requestId });
}

/**
 * Converts an error response.
 * @param body its first 64 KiB
 * @param isOneCall whether one call was requested: then 404 means an unknown call, else a wrong
 * address
 * @param sentence text of the calling service to quote for 400 and 422
 */
function refusalOf(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  body: string,
  isOneCall: boolean,
  nowMs: number,
  sentence: string | undefined,
) {
  const requestId = readRequestId(headers);
  if (status >= 300 && status < 400) {
    const message =
      'The calling service returned a redirect, which is not followed. Set the final address.';
    return upstreamFailure('REDIRECT', message, { requestId });
  }
  const own = codeOf(body);
  if (status < 500 && !refusals[status])
    return unlistedRefusalOf(status, isOneCall && !isHtml(headers), own, requestId);
  const failing = `The calling service failed with status ${status}. Retry later.`;
  const failed: Refusal = ['ERR_UPSTREAM_FAILED', failing, true];
  const [code, ours, retryable = false] = refusals[status] ?? failed;
  const isQuoted = sentence !== undefined && (status === 400 || status === 422);
  const message = isQuoted ? `The calling service rejected the request: "${sentence}"` : ours;
  const retryAfterSeconds = retryable ? readRetryAfterSeconds(headers, nowMs) : undefined;
  return new CallsError(own ?? code, message, {
    status,
    requestId,
    retryable,
    retryAfterSeconds,
  });
}

const maxRefusalBytes = 64 * 1024;

/**
 * @param inspect receives each part; may throw to stop reading @returns undefined if the body is
 * larger than `maxBytes`
 */
export async function readBodyUpTo(
  response: Response,
  maxBytes: number,
  inspect?: (part: Uint8Array) => void,
): Promise<Uint8Array<ArrayBuffer> | undefined> {
  if (Number(response.headers.get('content-length')) > maxBytes) {
    await response.body?.cancel();
    return undefined;
  }
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  // Not `for await`, because Safari cannot iterate over a body.
  const reader = response.body?.getReader();
  try {
    for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) {
      size += next.value.byteLength;
      if (size > maxBytes) return undefined;
      inspect?.(next.value);
      parts.push(next.value);
    }
  } finally {
    await reader?.cancel();
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

const excesses = {
  rows: 'The calling service returned more records than requested',
  values: 'The answer of the calling service has more values than its records can have',
  depth: 'The answer of the calling service is nested too deeply',
} as const;

/** @throws CallsError if the body is not JSON or too large */
async function readJson(response: Response, maxBodyBytes: number, maxRows: number) {
  const requestId = readRequestId(response.headers);
  const malformed = (what: string) =>
    upstreamFailure('MALFORMED', `${what}. Check the base URL and any proxy before it.`, {
      requestId,
    });
  if (isHtml(response.headers)) {
    await response.body?.cancel();
    throw malformed('The calling service returned a web page instead of calls');
  }
  const bounds = new JsonBounds(maxRows);
  const bytes = await readBodyUpTo(response, maxBodyBytes, (part) => {
    const excess = bounds.excessIn(part);
    if (excess !== undefined) throw malformed(excesses[excess]);
  });
  if (!bytes)
    throw upstreamFailure(
      'TOO_LARGE',
      `The answer is larger than ${maxBodyBytes} bytes. Request fewer calls with perPage.`,
      { requestId },
    );
  try {
    const json: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return { bytes, json, requestId };
  } catch {
    // Without the parser's error, which quotes the body.
    throw malformed('The answer of the calling service is not JSON');
  }
}

const maxSessionIdChars = 512;

function parseBaseUrl(baseUrl: string) {
  if (!isBaseUrl(baseUrl))
    throw badRequest(
      'The base URL of the calling service must be an http:// or https:// URL without user, query or fragment.',
    );
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname.replace(/\/+$/, '').replace(/\/v3$/, '')}`;
}

/** @throws CallsError if the session id is empty or would change the path */
function pathOf({ sessionId, part, query }: UpstreamRequest) {
  const search = query === undefined || query.size === 0 ? '' : `?${query}`;
  if (sessionId === undefined) return `/v3/calls${search}`;
  if (
    /^\.{0,2}$/.test(sessionId) ||
    sessionId.length > maxSessionIdChars ||
    !sessionId.isWellFormed()
  )
    throw badRequest(`The sessionId must be 1 to ${maxSessionIdChars} characters, not only dots.`);
  return `/v3/calls/${encodeURIComponent(sessionId)}${part === undefined ? '' : `/${part}`}${search}`;
}

function headersOf({ apiKey, onBehalfOf }: UpstreamRequest): Record<string, string> {
  if (apiKey === '')
    throw new CallsError('AUTH_ERR_EMPTY_APIKEY', 'The apikey is missing.', { status: 401 });
  const unlikeAnyKey = 'The apikey has invalid characters. Copy it again.';
  if (!isApiKey(apiKey))
    throw new CallsError('AUTH_ERR_APIKEY_NOT_FOUND', unlikeAnyKey, { status: 401 });
  if (onBehalfOf !== undefined && (!isUid(onBehalfOf) || /[^\x20-\xff]/.test(onBehalfOf)))
    throw badRequest(
      'The header onBehalfOf must be the uid of a user: 1 to 100 characters that a header allows.',
    );
  return {
    accept: 'application/json',
    apikey: apiKey,
    ...(onBehalfOf === undefined ? {} : { onBehalfOf }),
  };
}

const tooLate = () =>
  upstreamFailure('TIMEOUT', 'The calling service did not answer in time. Retry later.', {
    retryable: true,
  });

function toCallsError(thrown: unknown) {
  if (thrown instanceof CallsError) return thrown;
  const message =
    'The connection to the calling service failed. Check its address and the network.';
  return upstreamFailure('UNREACHABLE', message, { cause: thrown, retryable: true });
}

export class Upstream {
  readonly #options;
  readonly #base;
  readonly #now;
  /** Last rate limit that the service reported. */
  rateLimit: RateLimit | undefined;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.#base = parseBaseUrl(options.baseUrl);
    this.#now = options.now ?? Date.now;
  }

  async ask(request: UpstreamRequest) {
    const { signal } = request;
    const {
      attemptTimeoutMs = 10_000,
      totalTimeoutMs = 30_000,
      maxAttempts = 3,
      firstPauseMs = 250,
      maxPauseMs = 4_000,
      maxRetryAfterMs = 10_000,
    } = this.#options;
    const url = `${this.#base}${pathOf(request)}`;
    const headers = headersOf(request);
    const deadline = performance.now() + totalTimeoutMs;
    const work = () => {
      const leftMs = Math.max(1, deadline - performance.now());
      const timeout = AbortSignal.timeout(Math.ceil(Math.min(attemptTimeoutMs, leftMs)));
      const ending = signal ? AbortSignal.any([timeout, signal]) : timeout;
      return withAbort(ending, tooLate, () => this.#attempt(url, request, headers, ending));
    };
    return retry(work, {
      ...this.#options,
      maxAttempts,
      firstPauseMs,
      maxPauseMs,
      maxRetryAfterMs,
      totalMs: totalTimeoutMs,
      isRetryable: (thrown) => toCallsError(thrown).retryable,
      retryAfterMs: (thrown) => (toCallsError(thrown).retryAfterSeconds ?? 0) * 1_000,
      signal,
    }).catch((thrown: unknown) => {
      throw signal?.aborted ? aborted(signal.reason) : toCallsError(thrown);
    });
  }

  async #attempt(
    url: string,
    { sessionId, maxRows = 1, apiKey }: UpstreamRequest,
    headers: Record<string, string>,
    signal: AbortSignal,
  ) {
    const { fetch = globalThis.fetch, maxBodyBytes = maxAnswerBytes(maxRows) } = this.#options;
    const response = await fetch(url, { headers, redirect: 'manual', signal });
    const rateLimit = readRateLimit(response.headers, this.#now());
    this.rateLimit = rateLimit ?? this.rateLimit;
    if (response.status === 200)
      return { ...(await readJson(response, maxBodyBytes, maxRows)), rateLimit };
    const status = response.type === 'opaqueredirect' ? 302 : response.status;
    const body = new TextDecoder().decode(
      await readBodyUpTo(response, maxRefusalBytes).catch(() => undefined),
    );
    const sentence = this.#options.quotesRefusals ? quotedSentence(body, apiKey) : undefined;
    const failed = { status, headers: response.headers };
    throw refusalOf(failed, body, sessionId !== undefined, this.#now(), sentence);
  }
}
