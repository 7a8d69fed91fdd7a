/**
 * The way to the calling service: addresses, headers, one request within one deadline, and asking again where that helps (408, 429, 5xx,
 * broken connections, timeouts). Refuses redirects (the key must not go elsewhere), bodies over a limit, and what is not JSON. Of a refusal only a well-formed code is taken: its
 * sentences may hold anything.
 */
import { retryAfterMs, withAbort } from '../concurrency/deadline.ts';
import { type RetryOptions, retry } from '../concurrency/retry.ts';
import { createAnswerBounds, maxAnswerBytes } from './answer-bounds.ts';
import { jsonOf } from './call-record.ts';
import { aborted, badRequest, CallsError, upstreamFailure } from './errors.ts';
import { type CallsRequestOptions, isUid } from './types.ts';

export type AppAddress = Readonly<{ appId: string; region: string }>;

export const isAppId = (text: string): boolean => /^[a-z0-9]{1,63}$/i.test(text);
export const isRegion = (text: string): boolean => /^[a-z]{2,8}$/i.test(text);

export const baseUrlOfApp = ({ appId, region }: AppAddress): string =>
  `https://${appId.toLowerCase()}.call-${region.toLowerCase()}.cometchat.io`;

/** An http(s) address without user, query and fragment; a path is allowed. */
export function isBaseUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  return url !== undefined && /^https?:$/.test(url.protocol) && !url.username && !url.password && !/[?#]/.test(text);
}

/** What can stand in the header `apikey`: visible ASCII. `fetch` would quote any other in its error. */
export const isApiKey = (text: string): boolean => /^[\x21-\x7e]{1,1024}$/.test(text);

export interface UpstreamOptions extends Pick<RetryOptions, 'random' | 'sleep'> {
  /** Base of `/v3/calls`; may itself end in `/v3` or a slash. */
  readonly baseUrl: string;
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
  /** The largest body after decompression; default 2 MiB and 32 KiB for each record requested. */
  readonly maxBodyBytes?: number;
  /** Whether the error of a 400 quotes the calling service's sentence, which only the owner of the key may read. Default false. */
  readonly quotesRefusals?: boolean;
  /** Milliseconds since 1970; default Date.now. */
  readonly now?: () => number;
}

export interface UpstreamRequest extends CallsRequestOptions {
  readonly sessionId?: string;
  readonly part?: 'transcriptions';
  readonly query?: URLSearchParams;
  readonly maxRows?: number | undefined;
  readonly apiKey: string;
}

export type Upstream = ReturnType<typeof createUpstream>;

// What an answer says about limits: `X-Rate-Limit`, `X-Rate-Limit-Remaining`, `X-Rate-Limit-Reset` and `Retry-After` (RFC 9110 10.2.3).

export interface RateLimit {
  readonly limit: number | undefined;
  readonly remaining: number | undefined;
  /** Unix seconds at which the count starts anew. */
  readonly resetAt: number | undefined;
  readonly observedAt: number;
}

/** A smaller number than this is no unix second but seconds from now. */
const firstUnixSecond = 1_000_000_000;
const maxRetryAfterSeconds = 86_400;

function readRateLimit(headers: Headers, nowMs: number): RateLimit | undefined {
  const [limit, remaining, reset] = ['', '-remaining', '-reset'].map((part) => {
    const text = headers.get(`x-rate-limit${part}`)?.trim() ?? '';
    return /^\d{1,12}$/.test(text) ? Number(text) : undefined;
  });
  if (limit === undefined && remaining === undefined && reset === undefined) return undefined;
  const observedAt = Math.floor(nowMs / 1_000);
  return { limit, remaining, resetAt: reset !== undefined && reset < firstUnixSecond ? observedAt + reset : reset, observedAt };
}

/** Whole seconds from now, at most a day; where there is no readable `Retry-After`, until the count of requests starts anew. */
function readRetryAfterSeconds(headers: Headers, nowMs: number): number | undefined {
  const [askedMs, resetAt] = [retryAfterMs(headers.get('retry-after'), nowMs), readRateLimit(headers, nowMs)?.resetAt];
  const untilReset = resetAt && resetAt - Math.floor(nowMs / 1_000);
  const seconds = askedMs === undefined ? untilReset : Math.ceil(askedMs / 1_000);
  return seconds === undefined ? undefined : Math.min(maxRetryAfterSeconds, Math.max(0, seconds));
}

/** Ids as servers make them; anything else is not repeated. */
function readRequestId(headers: Headers): string | undefined {
  const id = headers.get('x-request-id') ?? '';
  return /^[\w.:-]{1,100}$/.test(id) ? id : undefined;
}

const isHtml = (headers: Headers): boolean => /^\s*(?:text\/html|application\/xhtml)/i.test(headers.get('content-type') ?? '');

function envelopeOf(body: string): { readonly code?: unknown; readonly message?: unknown } {
  const envelope = jsonOf(body) as { readonly error?: { readonly code?: unknown; readonly message?: unknown } | null } | null | undefined;
  return envelope?.error ?? {};
}

function codeOf(body: string): string | undefined {
  const { code } = envelopeOf(body);
  return typeof code === 'string' && /^(?:AUTH_)?ERR_[A-Z0-9_]{1,60}$/.test(code) ? code : undefined;
}

const maxQuotedChars = 300;

/** The calling service's sentence in one line, without the key and invisible characters. @returns undefined if it has none */
function quotedSentence(body: string, apiKey: string): string | undefined {
  const { message } = envelopeOf(body);
  if (typeof message !== 'string') return undefined;
  const plain = message
    .replaceAll(apiKey, '…')
    .replace(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\s]+/gu, ' ')
    .trim();
  if (plain === '') return undefined;
  return plain.length > maxQuotedChars ? `${plain.slice(0, maxQuotedChars)}…` : plain;
}

/** By status: the code where the service sends none of its own, and what to do. */
const refusals: Readonly<Record<number, readonly [code: string, message: string, retryable?: true]>> = {
  400: ['ERR_BAD_REQUEST', 'The calling service does not take this request: check the filter or the sessionId.'],
  401: ['AUTH_ERR_APIKEY_NOT_FOUND', 'The calling service does not know this apikey: use a REST API key of its app.'],
  403: ['AUTH_ERR_NO_ACCESS', 'This apikey or user may not read these calls: use a key with full access.'],
  408: ['ERR_UPSTREAM_TIMEOUT', 'The calling service gave up waiting; try again.', true],
  422: ['ERR_BAD_REQUEST', 'The calling service does not take this request: check the filter or the sessionId.'],
  429: ['ERR_TOO_MANY_REQUESTS', 'The calling service wants fewer requests; try again later.', true],
};

/**
 * What the calling service answered instead of calls → one error that says what to do.
 * @param body its beginning, as far as it was read
 * @param isOneCall whether one call was asked for, of which 404 says that it is not there; of the list it says that the address is wrong
 * @param sentence of the calling service, quoted if the request was wrong; undefined: not quoted
 */
function refusalOf(
  { status, headers }: Pick<Response, 'status' | 'headers'>,
  body: string,
  isOneCall: boolean,
  nowMs: number,
  sentence: string | undefined,
): CallsError {
  const requestId = readRequestId(headers);
  if (status >= 300 && status < 400) {
    const message = 'The calling service answered with a redirect, which is not followed: set its final address.';
    return upstreamFailure('REDIRECT', message, { requestId });
  }
  if (status === 404 && isOneCall && !isHtml(headers))
    return new CallsError('ERR_CALL_SESSION_NOT_FOUND', 'There is no call with this sessionId.', { status, requestId });
  if (status < 500 && !refusals[status]) {
    const unknown = `The calling service answered with status ${status}, which it is not known to use.`;
    const message = status === 404 ? 'There is no call list at this address: check the base URL, or app id and region.' : unknown;
    return upstreamFailure('UNEXPECTED', message, { requestId });
  }
  const failed = ['ERR_UPSTREAM_FAILED', `The calling service failed with status ${status}; try again later.`, true] as const;
  const [code, ours, retryable = false] = refusals[status] ?? failed;
  const isQuoted = sentence !== undefined && (status === 400 || status === 422);
  const message = isQuoted ? `The calling service refuses this request: "${sentence}"` : ours;
  const retryAfterSeconds = retryable ? readRetryAfterSeconds(headers, nowMs) : undefined;
  return new CallsError(codeOf(body) ?? code, message, { status, requestId, retryable, retryAfterSeconds });
}

/** Of a refusal as much is read as its code needs. */
const maxRefusalBytes = 64 * 1024;

/** @param inspect sees each part as it arrives; if it throws, no more is read @returns undefined where it is larger, and no more of it is read */
export async function readBodyUpTo(
  response: Response,
  maxBytes: number,
  inspect?: (part: Uint8Array) => void,
): Promise<Buffer<ArrayBuffer> | undefined> {
  if (Number(response.headers.get('content-length')) > maxBytes) {
    await response.body?.cancel();
    return undefined;
  }
  const parts: Uint8Array<ArrayBuffer>[] = [];
  let size = 0;
  // Leaving the loop ends the answer.
  for await (const part of response.body ?? []) {
    size += part.byteLength;
    if (size > maxBytes) return undefined;
    inspect?.(part);
    parts.push(part);
  }
  return Buffer.concat(parts);
}

const excesses = {
  rows: 'The calling service answered with more records than requested',
  values: 'The answer of the calling service holds more values than its records can have',
  depth: 'The answer of the calling service is nested too deeply',
} as const;

/** @returns the bytes as they came, decompressed, and what they say @throws CallsError where what came with status 200 is no JSON */
async function readJson(response: Response, maxBodyBytes: number, maxRows = 1) {
  const requestId = readRequestId(response.headers);
  const malformed = (what: string) =>
    upstreamFailure('MALFORMED', `${what}: check the base URL, and what stands in front of it.`, { requestId });
  if (isHtml(response.headers)) {
    await response.body?.cancel();
    throw malformed('A web page came instead of calls');
  }
  const excessOf = createAnswerBounds(maxRows);
  const bytes = await readBodyUpTo(response, maxBodyBytes, (part) => {
    const excess = excessOf(part);
    if (excess !== undefined) throw malformed(excesses[excess]);
  });
  if (!bytes)
    throw upstreamFailure('TOO_LARGE', `The answer is larger than ${maxBodyBytes} bytes: ask for fewer calls with perPage.`, { requestId });
  try {
    const json: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    return { bytes, json, requestId };
  } catch {
    // The error of the parser quotes the body.
    throw malformed('The answer of the calling service is not JSON');
  }
}

const maxSessionIdChars = 512;

function parseBaseUrl(baseUrl: string): string {
  if (!isBaseUrl(baseUrl))
    throw badRequest('The base URL of the calling service has to be an http:// or https:// address without user, query and fragment.');
  const { origin, pathname } = new URL(baseUrl);
  return `${origin}${pathname.replace(/\/+$/, '').replace(/\/v3$/, '')}`;
}

/** @throws CallsError where the id of a session is empty or would lead to another path */
function pathOf({ sessionId, part, query }: UpstreamRequest): string {
  const search = query === undefined || query.size === 0 ? '' : `?${query}`;
  if (sessionId === undefined) return `/v3/calls${search}`;
  if (/^\.{0,2}$/.test(sessionId) || sessionId.length > maxSessionIdChars || !sessionId.isWellFormed())
    throw badRequest(`The sessionId has to be 1 to ${maxSessionIdChars} characters, and more than dots.`);
  return `/v3/calls/${encodeURIComponent(sessionId)}${part === undefined ? '' : `/${part}`}${search}`;
}

function headersOf({ apiKey, onBehalfOf }: UpstreamRequest): Record<string, string> {
  if (apiKey === '') throw new CallsError('AUTH_ERR_EMPTY_APIKEY', 'An apikey is needed.', { status: 401 });
  const unlikeAnyKey = 'The apikey holds characters that no key has: check how it was copied.';
  if (!isApiKey(apiKey)) throw new CallsError('AUTH_ERR_APIKEY_NOT_FOUND', unlikeAnyKey, { status: 401 });
  if (onBehalfOf !== undefined && (!isUid(onBehalfOf) || /[^\x20-\xff]/.test(onBehalfOf)))
    throw badRequest('The header onBehalfOf has to be the uid of a user: 1 to 100 characters that a header can hold.');
  return { accept: 'application/json', apikey: apiKey, ...(onBehalfOf === undefined ? {} : { onBehalfOf }) };
}

const tooLate = () => upstreamFailure('TIMEOUT', 'The calling service did not answer in time; try again later.', { retryable: true });

function explained(thrown: unknown): CallsError {
  if (thrown instanceof CallsError) return thrown;
  const message = 'The connection to the calling service failed: check its address and the network.';
  return upstreamFailure('UNREACHABLE', message, { cause: thrown, retryable: true });
}

export function createUpstream(options: UpstreamOptions) {
  const base = parseBaseUrl(options.baseUrl);
  const { attemptTimeoutMs = 10_000, totalTimeoutMs = 30_000, maxAttempts = 3, firstPauseMs = 250, maxPauseMs = 4_000 } = options;
  const { maxRetryAfterMs = 10_000, maxBodyBytes, quotesRefusals = false, now = Date.now } = options;
  const { random = Math.random, sleep } = options;
  const pauses = { maxAttempts, firstPauseMs, maxPauseMs, maxRetryAfterMs, totalMs: totalTimeoutMs, random, ...(sleep && { sleep }) };
  let lastRateLimit: RateLimit | undefined;

  async function attempt(
    url: string,
    { sessionId, maxRows, apiKey }: UpstreamRequest,
    headers: Record<string, string>,
    signal: AbortSignal,
  ) {
    const response = await (options.fetch ?? globalThis.fetch)(url, { headers, redirect: 'manual', signal });
    const rateLimit = readRateLimit(response.headers, now());
    lastRateLimit = rateLimit ?? lastRateLimit;
    if (response.status === 200) return { ...(await readJson(response, maxBodyBytes ?? maxAnswerBytes(maxRows ?? 1), maxRows)), rateLimit };
    const status = response.type === 'opaqueredirect' ? 302 : response.status;
    const body = new TextDecoder().decode(await readBodyUpTo(response, maxRefusalBytes).catch(() => undefined));
    const sentence = quotesRefusals ? quotedSentence(body, apiKey) : undefined;
    throw refusalOf({ status, headers: response.headers }, body, sessionId !== undefined, now(), sentence);
  }

  async function ask(request: UpstreamRequest) {
    const { signal } = request;
    const url = `${base}${pathOf(request)}`;
    const headers = headersOf(request);
    const deadline = performance.now() + totalTimeoutMs;
    const work = () => {
      const leftMs = Math.max(1, deadline - performance.now());
      const timeout = AbortSignal.timeout(Math.ceil(Math.min(attemptTimeoutMs, leftMs)));
      const ending = signal ? AbortSignal.any([timeout, signal]) : timeout;
      return withAbort(ending, tooLate, () => attempt(url, request, headers, ending));
    };
    const isRetryable = (thrown: unknown) => explained(thrown).retryable;
    const retryAfterMs = (thrown: unknown) => (explained(thrown).retryAfterSeconds ?? 0) * 1_000;
    return retry(work, { ...pauses, isRetryable, retryAfterMs, signal }).catch((thrown: unknown) => {
      throw signal?.aborted ? aborted(signal.reason) : explained(thrown);
    });
  }

  return { ask, rateLimit: () => lastRateLimit };
}
