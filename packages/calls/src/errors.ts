/**
 * Errors of the calls API, with the service's codes or `ERR_UPSTREAM_…`. Messages contain no key
 * and no request or response body.
 */

export class CallsError extends Error {
  override readonly name = 'CallsError';
  readonly code: string;
  /** HTTP status of the calling service, or 502 or 504 if it did not answer. */
  readonly status: number;
  readonly requestId: string | undefined;
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    code: string,
    message: string,
    { status, requestId, retryable = false, retryAfterSeconds, cause }: CallsErrorOptions,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
    this.status = status;
    this.requestId = requestId;
    this.retryable = retryable;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

type FailureOptions = Partial<
  Pick<CallsError, 'requestId' | 'retryable' | 'retryAfterSeconds' | 'cause'>
>;
type CallsErrorOptions = Pick<CallsError, 'status'> & FailureOptions;

export const badRequest = (message: string, cause?: unknown): CallsError =>
  new CallsError('ERR_BAD_REQUEST', message, { status: 400, cause });

export const aborted = (reason: unknown): CallsError =>
  new CallsError('ERR_ABORTED', 'The request was cancelled.', { status: 499, cause: reason });

export const upstreamFailure = (
  kind: 'TIMEOUT' | 'UNREACHABLE' | 'MALFORMED' | 'TOO_LARGE' | 'REDIRECT' | 'UNEXPECTED',
  message: string,
  options: FailureOptions = {},
): CallsError => {
  const status = kind === 'TIMEOUT' ? 504 : 502;
  return new CallsError(`ERR_UPSTREAM_${kind}`, message, { status, ...options });
};

/** @param missing required part of the answer */
export const malformed = (missing: string, requestId: string | undefined): CallsError =>
  upstreamFailure(
    'MALFORMED',
    `The answer of the calling service has no ${missing}. Check the base URL.`,
    { requestId },
  );
