/**
 * The one error family of the calls: the platform's own codes where there is one, `ERR_UPSTREAM_…` for what happens on the way to it.
 * A message is a sentence for a person and never holds a key.
 */

export interface CallsErrorOptions {
  /** The HTTP status that says the same. */
  readonly status: number;
  readonly requestId?: string | undefined;
  readonly retryable?: boolean;
  readonly retryAfterSeconds?: number | undefined;
  readonly cause?: unknown;
}

export class CallsError extends Error {
  override readonly name = 'CallsError';
  readonly code: string;
  readonly status: number;
  readonly requestId: string | undefined;
  readonly retryable: boolean;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: string, message: string, options: CallsErrorOptions) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.status = options.status;
    this.requestId = options.requestId;
    this.retryable = options.retryable ?? false;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}
