/**
 * Any failure → the one error body, here and nowhere else; below `/v3` in the envelope of the calling service. What is not ours is a 500
 * with the same sentence every time.
 */
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { CallsError } from '../calls/errors.ts';
import { causesOf, type ErrorCode, type ErrorDetail, KnowledgeError, storageError } from '../errors.ts';
import type { AppEnv } from './auth/caller.ts';

/** A code without a status does not compile. */
export const statusOf = {
  invalid_request: 400,
  invalid_json: 400,
  invalid_namespace: 400,
  unauthorized: 401,
  namespace_not_allowed: 403,
  source_not_allowed: 403,
  origin_not_allowed: 403,
  acting_user_required: 403,
  acting_user_not_allowed: 403,
  robots_disallowed: 403,
  agent_not_found: 404,
  namespace_not_found: 404,
  document_not_found: 404,
  job_not_found: 404,
  answer_not_found: 404,
  thread_not_found: 404,
  source_not_found: 404,
  source_gone: 404,
  not_found: 404,
  method_not_allowed: 405,
  duplicate_source: 409,
  cancelled: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  host_not_allowed: 421,
  empty_source: 422,
  ingest_failed: 422,
  rate_limited: 429,
  internal: 500,
  fetch_failed: 502,
  model_failed: 502,
  upstream_failed: 502,
  model_unavailable: 503,
  calls_unavailable: 503,
  not_ready: 503,
  stopping: 503,
  storage_unavailable: 503,
  timeout: 504,
  storage_full: 507,
  limit_reached: 507,
} as const satisfies Record<ErrorCode, ContentfulStatusCode>;

/** What Hono itself throws arrives as HTTPException, often without a message. */
function fromHttpException(error: HTTPException): KnowledgeError {
  if (error.status >= 400 && error.status < 500)
    return new KnowledgeError('invalid_request', 'The request could not be understood.', { cause: error });
  return new KnowledgeError('internal', '', { cause: error });
}

/** A failure of the calls outside of `/v3`. */
function fromCallsError(error: CallsError): KnowledgeError {
  const { status, message, retryAfterSeconds } = error;
  const options = { cause: error, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
  if (status === 400) return new KnowledgeError('invalid_request', message, options);
  if (status === 404) return new KnowledgeError('not_found', message, options);
  if (status === 429) return new KnowledgeError('rate_limited', message, options);
  return new KnowledgeError(status === 504 ? 'timeout' : 'upstream_failed', message, options);
}

/** What was ended because the server stops says so, whatever was made of it on the way. */
function endedByStop(thrown: unknown): KnowledgeError | undefined {
  for (const error of causesOf(thrown)) if (error instanceof KnowledgeError && error.code === 'stopping') return error;
  return undefined;
}

export function toKnowledgeError(error: unknown): KnowledgeError {
  const ended = endedByStop(error);
  if (ended) return ended;
  if (error instanceof KnowledgeError) return error;
  if (error instanceof CallsError) return fromCallsError(error);
  if (error instanceof HTTPException) return fromHttpException(error);
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

/** What a caller reads of a failure. */
export interface ErrorBody {
  /** One sentence for a person. */
  readonly error: string;
  readonly code: ErrorCode;
  readonly requestId: string;
  readonly details?: readonly ErrorDetail[];
}

/** An end by the client is answered to nobody. */
const statusOfCalls = ({ status }: CallsError) => (status >= 400 && status <= 599 && status !== 499 ? status : 503) as ContentfulStatusCode;

function callsFailure(thrown: unknown) {
  if (thrown instanceof CallsError && !endedByStop(thrown)) {
    const { code, message, retryAfterSeconds } = thrown;
    return { status: statusOfCalls(thrown), body: { error: { code, message } }, retryAfterSeconds };
  }
  const { code, message, retryAfterSeconds } = toKnowledgeError(thrown);
  const error = { code: callsCodes[code] ?? `ERR_${code.toUpperCase()}`, message: code === 'internal' ? sameSentence : message };
  return { status: statusOf[code], body: { error }, retryAfterSeconds };
}

function failure(thrown: unknown, requestId: string) {
  const { code, message, details, retryAfterSeconds } = toKnowledgeError(thrown);
  const error = code === 'internal' ? sameSentence : message;
  const body: ErrorBody = { error, code, requestId, ...(details ? { details } : {}) };
  return { status: statusOf[code], body, retryAfterSeconds };
}

/** Logs a failure where it is the server's. */
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
  const { status, body, retryAfterSeconds } = isCallsPath(c.req.path) ? callsFailure(thrown) : failure(thrown, requestId);
  logFailure(c, thrown, status);
  if (retryAfterSeconds !== undefined) c.header('retry-after', String(retryAfterSeconds));
  // The rest of the body is not read, so the connection cannot be used again.
  if (toKnowledgeError(thrown).code === 'payload_too_large') c.header('connection', 'close');
  if (status === 401) c.header('www-authenticate', 'Bearer');
  c.header('x-request-id', requestId);
  return c.json(body, status);
}
