/** Any failure → the one error body, here and nowhere else. What is not ours is a 500 with the same sentence every time. */
import type { Context } from 'hono';
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
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
  model_unavailable: 503,
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

export function toKnowledgeError(error: unknown): KnowledgeError {
  if (error instanceof KnowledgeError) return error;
  if (error instanceof HTTPException) return fromHttpException(error);
  return new KnowledgeError('internal', '', { cause: error });
}

/** Logs a failure where it is the server's, and says what a caller is told of it. */
export function reportFailure(c: Context<AppEnv>, thrown: unknown) {
  const error = toKnowledgeError(thrown);
  const requestId = c.get('requestId');
  const status = statusOf[error.code];
  // Asked before the documents are read, which is no failure.
  if (status >= 500 && error.code !== 'not_ready')
    c.get('logger').error({ err: error.code === 'internal' ? thrown : error, requestId }, 'request failed');
  const body = {
    error: error.code === 'internal' ? 'Something went wrong on the server; the request id helps to find out what.' : error.message,
    code: error.code,
    requestId,
    ...(error.details ? { details: error.details } : {}),
  };
  return { error, status, body };
}

export function errorResponse(c: Context<AppEnv>, thrown: unknown): Response {
  const { error, status, body } = reportFailure(c, thrown);
  if (error.retryAfterSeconds !== undefined) c.header('retry-after', String(error.retryAfterSeconds));
  // The rest of the body is not read, so the connection cannot be used again.
  if (error.code === 'payload_too_large') c.header('connection', 'close');
  if (error.code === 'unauthorized') c.header('www-authenticate', 'Bearer');
  c.header('x-request-id', body.requestId);
  return c.json(body, status);
}
