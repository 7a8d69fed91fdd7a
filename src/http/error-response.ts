/**
 * Any failure → the one error body, here and nowhere else; below `/v3` in the envelope of the calling service. What is not ours is a 500
 * with the same sentence every time.
 */
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { CallsError } from '../calls/errors.ts';
import { causesOf, type ErrorCode, type ErrorKind, errorKinds, KnowledgeError, storageError } from '../errors.ts';
import type { AppEnv } from './auth/caller.ts';
import type { ErrorBody } from './error-body.ts';

/** A kind without a status does not compile. */
const statuses = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  missing: 404,
  wrong_method: 405,
  conflict: 409,
  too_large: 413,
  wrong_type: 415,
  wrong_host: 421,
  unusable: 422,
  too_many: 429,
  internal: 500,
  upstream: 502,
  unavailable: 503,
  timeout: 504,
  storage: 507,
} as const satisfies Record<ErrorKind, ContentfulStatusCode>;
const statusOf = (code: ErrorCode) => statuses[errorKinds[code]];

/** A failure of the calls outside of `/v3`. */
function fromCallsError(error: CallsError): KnowledgeError {
  const { status, message, retryAfterSeconds } = error;
  const codes: Readonly<Record<number, ErrorCode>> = { 400: 'invalid_request', 404: 'not_found', 429: 'rate_limited', 504: 'timeout' };
  const options = { cause: error, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
  return new KnowledgeError(codes[status] ?? 'upstream_failed', message, options);
}

/** What was ended because the server stops says so, whatever was made of it on the way. */
const endedByStop = (thrown: unknown): KnowledgeError | undefined =>
  causesOf(thrown).find((error): error is KnowledgeError => error instanceof KnowledgeError && error.code === 'stopping');

export function toKnowledgeError(error: unknown): KnowledgeError {
  const own = endedByStop(error) ?? error;
  if (own instanceof KnowledgeError) return own;
  if (error instanceof CallsError) return fromCallsError(error);
  // What Hono itself throws, often without a message.
  if (error instanceof HTTPException && error.status >= 400 && error.status < 500)
    return new KnowledgeError('invalid_request', 'The request could not be understood.', { cause: error });
  return storageError(error) ?? new KnowledgeError('internal', '', { cause: error });
}

export const isCallsPath = (path: string): boolean => path === '/v3' || path.startsWith('/v3/');

const sameSentence = 'Something went wrong on the server; the request id helps to find out what.';

/** The code that the calling service uses for the same, where it has one. */
const callsCodes: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'ERR_BAD_REQUEST',
  unauthorized: 'AUTH_ERR_APIKEY_NOT_FOUND',
  rate_limited: 'ERR_TOO_MANY_REQUESTS',
};

/** An end by the client is answered to nobody. */
const statusOfCalls = ({ status }: CallsError) => (status >= 400 && status <= 599 && status !== 499 ? status : 503) as ContentfulStatusCode;

function callsFailure(thrown: unknown) {
  if (thrown instanceof CallsError && !endedByStop(thrown)) {
    const { code, message, retryAfterSeconds } = thrown;
    return { status: statusOfCalls(thrown), body: { error: { code, message } }, retryAfterSeconds };
  }
  const { code, message, retryAfterSeconds } = toKnowledgeError(thrown);
  const error = { code: callsCodes[code] ?? `ERR_${code.toUpperCase()}`, message: code === 'internal' ? sameSentence : message };
  return { status: statusOf(code), body: { error }, retryAfterSeconds };
}

function failure(thrown: unknown, requestId: string) {
  const { code, message, details, retryAfterSeconds } = toKnowledgeError(thrown);
  const error = code === 'internal' ? sameSentence : message;
  const body: ErrorBody = { error, code, requestId, ...(details ? { details: [...details] } : {}) };
  return { status: statusOf(code), body, retryAfterSeconds };
}

function logFailure(c: Context<AppEnv>, thrown: unknown, status: number): void {
  const known = toKnowledgeError(thrown);
  // Asked while the server starts or stops, which is no failure; nor is it one that somebody went away.
  const isExpected =
    known.code === 'not_ready' || known.code === 'stopping' || (thrown instanceof CallsError && thrown.code === 'ERR_ABORTED');
  if (status >= 500 && !isExpected)
    c.get('logger').error({ err: known.code === 'internal' ? thrown : known, requestId: c.get('requestId') }, 'request failed');
}

/** A failure after the headers: logged, and as a caller reads it. */
export function reportFailure(c: Context<AppEnv>, thrown: unknown): ErrorBody {
  const { status, body } = failure(thrown, c.get('requestId'));
  logFailure(c, thrown, status);
  return body;
}

export function errorResponse(c: Context<AppEnv>, thrown: unknown): Response {
  const requestId = c.get('requestId');
  const { status, retryAfterSeconds, ...failed } = isCallsPath(c.req.path) ? callsFailure(thrown) : failure(thrown, requestId);
  logFailure(c, thrown, status);
  if (retryAfterSeconds !== undefined) c.header('retry-after', String(retryAfterSeconds));
  // The rest of the body is not read, so the connection cannot be used again.
  if (toKnowledgeError(thrown).code === 'payload_too_large') c.header('connection', 'close');
  if (status === 401 && !c.res.headers.has('www-authenticate')) c.header('www-authenticate', 'Bearer');
  c.header('x-request-id', requestId);
  const errorForm = c.get('errorForm');
  if (!errorForm) return c.json(failed.body, status);
  const formed = errorForm(failed.body as ErrorBody, status);
  return c.json(formed.body as object, formed.status as ContentfulStatusCode);
}
