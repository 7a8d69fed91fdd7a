/**
 * Turns any failure into the error body or, below `/v3`, the calling service's envelope. Unknown
 * failures return 500 without details.
 */
import { HTTPException } from 'hono/http-exception';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { CallsError } from '../../packages/calls/src/errors.ts';
import {
  type ErrorCode,
  type ErrorKind,
  errorKinds,
  KnowledgeError,
  withCause,
} from '../../packages/shared/src/errors.ts';
import { endedByStop, errorToLog, toKnowledgeError } from '../failure.ts';
import { scrub } from '../log.ts';
import { note } from '../trace.ts';
import type { AppContext } from './auth/caller.ts';
import type { ErrorBody } from './error-body.ts';

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

function knownError(thrown: unknown) {
  // Hono's own exceptions often have no message.
  if (thrown instanceof HTTPException && thrown.status >= 400 && thrown.status < 500)
    return new KnowledgeError('invalid_request', 'The request could not be understood.', {
      cause: thrown,
    });
  return toKnowledgeError(thrown);
}

export const isCallsPath = (path: string): boolean => path === '/v3' || path.startsWith('/v3/');

const sentenceOf = ({ code, message }: KnowledgeError) =>
  code === 'internal'
    ? 'The server failed. The operator can find the cause in the log by the request id.'
    : message;

const callsCodes: Partial<Record<ErrorCode, string>> = {
  invalid_request: 'ERR_BAD_REQUEST',
  unauthorized: 'AUTH_ERR_APIKEY_NOT_FOUND',
  right_missing: 'AUTH_ERR_NO_ACCESS',
  rate_limited: 'ERR_TOO_MANY_REQUESTS',
};

/** 499 means that the client has disconnected, so its status does not matter. */
const callsStatusOf = ({ status }: CallsError) =>
  (status >= 400 && status <= 599 && status !== 499 ? status : 503) as ContentfulStatusCode;

function callsFailure(thrown: unknown) {
  if (thrown instanceof CallsError && !endedByStop(thrown)) {
    const { code, message, retryAfterSeconds } = thrown;
    return { status: callsStatusOf(thrown), body: { error: { code, message } }, retryAfterSeconds };
  }
  const known = knownError(thrown);
  const { code, retryAfterSeconds } = known;
  const ownCode = callsCodes[code] ?? `ERR_${code.toUpperCase()}`;
  const body = { error: { code: ownCode, message: sentenceOf(known) } };
  return { status: statusOf(code), body, retryAfterSeconds };
}

function failure(thrown: unknown, requestId: string) {
  const known = knownError(thrown);
  const { code, details, retryAfterSeconds } = known;
  const more = details ? { details: [...details] } : {};
  const body: ErrorBody = { error: sentenceOf(known), code, requestId, ...more };
  return { status: statusOf(code), body, retryAfterSeconds };
}

/** States of the server that fail many requests. A stack does not explain them. */
const stateCodes = new Set<ErrorCode>([
  'storage_full',
  'storage_unavailable',
  'limit_reached',
  'busy',
  'model_unavailable',
]);

function logFailure(c: AppContext, thrown: unknown, status: number) {
  const err = errorToLog(thrown);
  const known = knownError(thrown);
  const { code } = known;
  const requestId = c.get('requestId');
  if (stateCodes.has(code)) c.get('states').warn(code, { requestId }, scrub(withCause(known)));
  else if (status >= 500 && err !== undefined)
    c.get('logger').error({ err, requestId }, 'request failed');
}

function codeOf(thrown: unknown): ErrorCode {
  if (thrown instanceof CallsError && thrown.status === 401) return 'unauthorized';
  return knownError(thrown).code;
}

export function reportFailure(c: AppContext, thrown: unknown): ErrorBody {
  const { status, body } = failure(thrown, c.get('requestId'));
  note({ code: codeOf(thrown), lateStatus: status });
  logFailure(c, thrown, status);
  return body;
}

/** Seconds, by status. The calling service may name no time. */
const defaultRetryAfter: Readonly<Record<number, number>> = { 429: 60, 503: 5 };

export const errorCodeHeader = 'x-error-code';

export function errorResponse(c: AppContext, thrown: unknown): Response {
  const requestId = c.get('requestId');
  const { status, retryAfterSeconds, ...failed } = isCallsPath(c.req.path)
    ? callsFailure(thrown)
    : failure(thrown, requestId);
  note({ code: codeOf(thrown) });
  logFailure(c, thrown, status);
  const retryAfter = retryAfterSeconds ?? defaultRetryAfter[status];
  if (retryAfter !== undefined) c.header('retry-after', String(retryAfter));
  if (status === 401 && !c.res.headers.has('www-authenticate'))
    c.header('www-authenticate', 'Bearer');
  c.header('x-request-id', requestId);
  const errorForm = c.get('errorForm');
  if (!errorForm) return c.json(failed.body, status);
  const formed = errorForm(failed.body as ErrorBody);
  if (typeof formed !== 'string') return c.json(formed, status);
  // Clients that show error text to users send the default `Accept` of `fetch`. A request without
  // `Accept` gets the JSON body.
  if (!/^(?:\*\/\*|text\/)/.test(c.req.header('accept') ?? '')) return c.json(failed.body, status);
  c.header(errorCodeHeader, codeOf(thrown));
  return c.text(formed, status);
}
