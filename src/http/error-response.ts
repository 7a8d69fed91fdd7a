/**
 * Any failure → the one error body, here and nowhere else; below `/v3` in the envelope of the calling service. What is not ours is a 500
 * with the same sentence every time.
 */
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { CallsError } from '../calls/errors.ts';
import { type ErrorCode, KnowledgeError } from '../errors.ts';
import type { AppEnv } from './app-env.ts';

/** A code without a status does not compile. */
export const statusOf = {
  invalid_request: 400,
  invalid_json: 400,
  invalid_namespace: 400,
  unauthorized: 401,
  namespace_not_allowed: 403,
  source_not_allowed: 403,
  acting_user_required: 403,
  acting_user_not_allowed: 403,
  robots_disallowed: 403,
  agent_not_found: 404,
  namespace_not_found: 404,
  document_not_found: 404,
  job_not_found: 404,
  answer_not_found: 404,
  source_not_found: 404,
  source_gone: 404,
  not_found: 404,
  method_not_allowed: 405,
  duplicate_source: 409,
  cancelled: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
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
  timeout: 504,
} as const satisfies Record<ErrorCode, ContentfulStatusCode>;

/** What Hono itself throws arrives as HTTPException, often without a message. */
function fromHttpException(error: HTTPException): KnowledgeError {
  if (error.status === 413) return new KnowledgeError('payload_too_large', 'The request body is too large.');
  if (error.status === 401) return new KnowledgeError('unauthorized', 'A valid key or token is needed.');
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

export function toKnowledgeError(error: unknown): KnowledgeError {
  if (error instanceof KnowledgeError) return error;
  if (error instanceof CallsError) return fromCallsError(error);
  if (error instanceof HTTPException) return fromHttpException(error);
  return new KnowledgeError('internal', '', { cause: error });
}

export const isCallsPath = (path: string): boolean => path === '/v3' || path.startsWith('/v3/');

const sameSentence = 'Something went wrong on the server; the request id helps to find out what.';

/** The code that the calling service uses for the same, where it has one. */
const callsCodes: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'ERR_BAD_REQUEST',
  unauthorized: 'AUTH_ERR_APIKEY_NOT_FOUND',
  rate_limited: 'ERR_TOO_MANY_REQUESTS',
};

interface Failure {
  readonly status: ContentfulStatusCode;
  readonly body: object;
  readonly retryAfterSeconds: number | undefined;
}

/** An end by the client is answered to nobody, and one by this server says that it stops. */
const statusOfCalls = ({ status }: CallsError) => (status >= 400 && status <= 599 && status !== 499 ? status : 503) as ContentfulStatusCode;

function callsFailure(thrown: unknown): Failure {
  if (thrown instanceof CallsError) {
    const { code, message, retryAfterSeconds } = thrown;
    return { status: statusOfCalls(thrown), body: { error: { code, message } }, retryAfterSeconds };
  }
  const { code, message, retryAfterSeconds } = toKnowledgeError(thrown);
  const error = { code: callsCodes[code] ?? `ERR_${code.toUpperCase()}`, message: code === 'internal' ? sameSentence : message };
  return { status: statusOf[code], body: { error }, retryAfterSeconds };
}

function failure(thrown: unknown, requestId: string): Failure {
  const { code, message, details, retryAfterSeconds } = toKnowledgeError(thrown);
  const error = code === 'internal' ? sameSentence : message;
  return { status: statusOf[code], body: { error, code, requestId, ...(details ? { details } : {}) }, retryAfterSeconds };
}

/** Logs a failure where it is the server's, and says what a caller is told of it. */
export function reportFailure(c: Context<AppEnv>, thrown: unknown) {
  const requestId = c.get('requestId');
  const { code } = toKnowledgeError(thrown);
  const { status, body, retryAfterSeconds } = isCallsPath(c.req.path) ? callsFailure(thrown) : failure(thrown, requestId);
  // Asked before the documents are read, which is no failure; nor is it one that somebody went away.
  const isExpected = code === 'not_ready' || (thrown instanceof CallsError && thrown.code === 'ERR_ABORTED');
  if (status >= 500 && !isExpected)
    c.get('logger').error({ err: code === 'internal' ? thrown : toKnowledgeError(thrown), requestId }, 'request failed');
  return { code, status, body, retryAfterSeconds };
}

export function errorResponse(c: Context<AppEnv>, thrown: unknown): Response {
  const { code, status, body, retryAfterSeconds } = reportFailure(c, thrown);
  if (retryAfterSeconds !== undefined) c.header('retry-after', String(retryAfterSeconds));
  // The rest of the body is not read, so the connection cannot be used again.
  if (code === 'payload_too_large') c.header('connection', 'close');
  if (status === 401) c.header('www-authenticate', 'Bearer');
  c.header('x-request-id', c.get('requestId'));
  return c.json(body, status);
}
