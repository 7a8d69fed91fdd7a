/**
 * What the calling service answered instead of calls → one error that says what to do. Of its body only a well-formed code is taken: its
 * sentences may hold anything.
 */
import { CallsError } from './errors.ts';
import { readRetryAfterSeconds } from './limit-headers.ts';

const shortOf = { TIMEOUT: 504, UNREACHABLE: 502, MALFORMED: 502, TOO_LARGE: 502, REDIRECT: 502, UNEXPECTED: 502 } as const;

/** A failure of the way to the calling service, or of what came over it. */
export const upstreamFailure = (
  kind: keyof typeof shortOf,
  message: string,
  options: { cause?: unknown; retryable?: boolean; requestId?: string | undefined } = {},
): CallsError => new CallsError(`ERR_UPSTREAM_${kind}`, message, { status: shortOf[kind], ...options });

export const aborted = (reason: unknown): CallsError =>
  new CallsError('ERR_ABORTED', 'The request was ended before it was answered.', { status: 499, cause: reason });

/** Ids as servers make them; anything else is not repeated. */
export function readRequestId(headers: Headers): string | undefined {
  const id = headers.get('x-request-id') ?? '';
  return /^[\w.:-]{1,100}$/.test(id) ? id : undefined;
}

export const isHtml = (headers: Headers): boolean => /^\s*(?:text\/html|application\/xhtml)/i.test(headers.get('content-type') ?? '');

/** The code of `{ "error": { "code": … } }`. */
function codeOf(body: string): string | undefined {
  try {
    const code: unknown = JSON.parse(body)?.error?.code;
    return typeof code === 'string' && /^(?:AUTH_)?ERR_[A-Z0-9_]{1,60}$/.test(code) ? code : undefined;
  } catch {
    return undefined;
  }
}

export interface RefusedAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The beginning of the body, as far as it was read. */
  readonly body: string;
}

/**
 * @param isOneCall whether one call was asked for, of which 404 says that it is not there; of the list it says that the address is wrong
 */
export function refusalOf({ status, headers, body }: RefusedAnswer, isOneCall: boolean, nowMs: number): CallsError {
  const requestId = readRequestId(headers);
  const code = codeOf(body);
  const fail = (otherwise: string, message: string, more: { retryable?: boolean; retryAfterSeconds?: number | undefined } = {}) =>
    new CallsError(code ?? otherwise, message, { status, requestId, ...more });
  const again = { retryable: true, retryAfterSeconds: readRetryAfterSeconds(headers, nowMs) };

  if (status >= 300 && status < 400) {
    return upstreamFailure('REDIRECT', 'The calling service answered with a redirect, which is not followed: set its final address.', {
      requestId,
    });
  }
  if (status === 400 || status === 422)
    return fail('ERR_BAD_REQUEST', 'The calling service does not take this request: check the filter or the sessionId.');
  if (status === 401)
    return fail('AUTH_ERR_APIKEY_NOT_FOUND', 'The calling service does not know this apikey: use a REST API key of its app.');
  if (status === 403) return fail('AUTH_ERR_NO_ACCESS', 'This apikey or user may not read these calls: use a key with full access.');
  if (status === 404 && isOneCall && !isHtml(headers)) {
    return new CallsError('ERR_CALL_SESSION_NOT_FOUND', 'There is no call with this sessionId.', { status, requestId });
  }
  if (status === 404) {
    return upstreamFailure('UNEXPECTED', 'There is no call list at this address: check the base URL, or app id and region.', { requestId });
  }
  if (status === 408) return fail('ERR_UPSTREAM_TIMEOUT', 'The calling service gave up waiting; try again.', again);
  if (status === 429) return fail('ERR_TOO_MANY_REQUESTS', 'The calling service wants fewer requests; try again later.', again);
  if (status >= 500) return fail('ERR_UPSTREAM_FAILED', `The calling service failed with status ${status}; try again later.`, again);
  return upstreamFailure('UNEXPECTED', `The calling service answered with status ${status}, which it is not known to use.`, { requestId });
}
