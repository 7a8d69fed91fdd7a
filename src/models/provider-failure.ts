/** Reads status, retry time and cause of a provider's failure, never the provider's text. */
import { retryAfterMs } from '../../packages/shared/src/concurrency/deadline.ts';
import { causesOf, KnowledgeError, systemErrorCode } from '../../packages/shared/src/errors.ts';

/** Fields of the SDK's APICallError, whose package is not a dependency. */
type ProviderFailure = Readonly<{
  statusCode?: unknown;
  responseHeaders?: Readonly<Record<string, string>>;
  /** True if the connection broke. */
  isRetryable?: unknown;
}>;

/** @returns status 0 if there was no response; `waitMs` as the provider asks */
export function readProviderFailure(thrown: unknown) {
  const errors = [...causesOf(thrown)] as ProviderFailure[];
  const answered = errors.find(({ statusCode }) => typeof statusCode === 'number');
  return {
    status: Number(answered?.statusCode ?? 0),
    isRetryable: errors[0]?.isRetryable === true,
    waitMs: retryAfterMs(answered?.responseHeaders?.['retry-after']),
  };
}

const unreachable = [
  'ECONNREFUSED',
  'ECONNRESET',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_SOCKET',
];

/** Whether the provider was unreachable or the connection broke. */
const isUnreachable = (thrown: unknown) => unreachable.includes(systemErrorCode(thrown) ?? '');

const wrongSettings = new Set([401, 402, 403, 404, 405]);

/** Wrong key, model or account: every call fails until the settings are fixed. */
export const isSetUpWrongly = (thrown: unknown): boolean =>
  wrongSettings.has(readProviderFailure(thrown).status);

const isBusy = (status: number) => status === 408 || status === 429 || status >= 500;

/** Whether a retry may succeed. */
export function isWorthAnother(thrown: unknown): boolean {
  const { status, isRetryable } = readProviderFailure(thrown);
  if (thrown instanceof KnowledgeError) return false;
  return isBusy(status) || isUnreachable(thrown) || (status < 200 && isRetryable);
}

/** Whether the failure concerns only this request, for example because it is too long. */
export function isAboutRequest(thrown: unknown): boolean {
  const { status } = readProviderFailure(thrown);
  return status >= 400 && !isBusy(status) && !wrongSettings.has(status);
}

const silences = {
  first_token: 'no first token',
  stall: 'no further token',
  whole: 'no whole reply',
} as const;
type Silence = keyof typeof silences;

/** Thrown if a model sends nothing within a time limit. */
export class SilentModelError extends KnowledgeError {
  readonly silence: Silence;

  constructor(silence: Silence, ms: number) {
    const seconds = ms / 1_000;
    super(
      'timeout',
      `The model sent ${silences[silence]} within ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`,
    );
    this.silence = silence;
  }
}

/** Thrown for a redirect, which is not followed: key, question and documents stay at the endpoint. */
export class RedirectError extends KnowledgeError {
  constructor() {
    super('model_failed', 'The model did not give an answer.');
  }
}

/** Thrown for a reply that ends without text or a tool call. */
export class EmptyReplyError extends Error {
  override readonly name = 'EmptyReplyError';
  readonly reason: 'content_filter' | 'empty_reply';

  /** @param finishReason of the AI SDK */
  constructor(finishReason: string) {
    super('The model sent no text.');
    this.reason = finishReason === 'content-filter' ? 'content_filter' : 'empty_reply';
  }
}

/** Node's and OpenSSL's codes, such as ECONNREFUSED or CERT_HAS_EXPIRED. */
const isSystemCode = (code: string) => /^[A-Z][A-Z0-9_]{2,60}$/.test(code);

/** A metric label, hence a closed set. */
export type FailureReason =
  | Silence
  | 'timeout'
  | 'http_429'
  | 'http_4xx'
  | 'http_5xx'
  | 'network'
  | 'malformed'
  | EmptyReplyError['reason'];

export function failureReasonOf(thrown: unknown): FailureReason {
  if (thrown instanceof SilentModelError) return thrown.silence;
  if (thrown instanceof EmptyReplyError) return thrown.reason;
  if (thrown instanceof Error && thrown.name === 'TimeoutError') return 'timeout';
  const { status } = readProviderFailure(thrown);
  if (status === 429) return 'http_429';
  if (status >= 400) return status < 500 ? 'http_4xx' : 'http_5xx';
  return isSystemCode(systemErrorCode(thrown) ?? '') ? 'network' : 'malformed';
}

/** The status, the system code or the time limit of a failure, for the log. */
export function describeFailure(thrown: unknown): string {
  const reason = failureReasonOf(thrown);
  if (causesOf(thrown).some((cause) => cause instanceof RedirectError))
    return 'the endpoint redirects: give its final address';
  if (thrown instanceof SilentModelError)
    return thrown.message.replace(/^The model sent |\.$/g, '');
  if (reason === 'content_filter') return 'a content filter left no text';
  if (reason === 'empty_reply') return 'a reply without text';
  if (reason.startsWith('http_')) return `status ${readProviderFailure(thrown).status}`;
  if (reason === 'network') return systemErrorCode(thrown) ?? reason;
  return reason === 'timeout'
    ? 'no reply within the time of the question'
    : 'a malformed or incomplete reply';
}

/** Without `Retry-After` of the provider. */
const defaultRetryAfterMs = 10_000;

/** Returns the error for the caller, without text of the provider. */
export function modelError(error: unknown, timeoutSeconds?: number): KnowledgeError {
  if (error instanceof KnowledgeError) return error;
  if (timeoutSeconds !== undefined)
    return new KnowledgeError(
      'timeout',
      `The model did not answer within ${timeoutSeconds} seconds.`,
      { cause: error },
    );
  const { status, waitMs = defaultRetryAfterMs } = readProviderFailure(error);
  // 529 is Anthropic's status for an overload.
  if (status === 429 || status === 503 || status === 529 || isUnreachable(error)) {
    return new KnowledgeError(
      'model_unavailable',
      'The model is unreachable or overloaded. Retry in a moment.',
      { cause: error, retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1_000)) },
    );
  }
  return new KnowledgeError('model_failed', 'The model did not give an answer.', { cause: error });
}
