/** Reads the status, the wait and the cause of a provider's failure from a thrown value; never the provider's own text. */
import { retryAfterMs } from '../concurrency/deadline.ts';
import { causesOf, KnowledgeError, systemErrorCode } from '../errors.ts';

/** Fields of the SDK's APICallError; the class itself is no dependency of ours. */
interface ProviderFailure {
  readonly statusCode?: number;
  readonly responseHeaders?: Readonly<Record<string, string>>;
  /** Set where the connection broke. */
  readonly isRetryable?: boolean;
}

export function readProviderFailure(thrown: unknown) {
  const { statusCode: status = 0, responseHeaders, isRetryable = false } = Object(thrown) as ProviderFailure;
  return { status, isRetryable, waitMs: retryAfterMs(responseHeaders?.['retry-after']) };
}

const unreachable = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'EPIPE', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_SOCKET'];

/** Whether nobody was there to answer, or the connection broke. */
export const isUnreachable = (thrown: unknown): boolean => unreachable.includes(systemErrorCode(thrown) ?? '');

/** HTTP status with which a provider answered, where it did. */
export function providerStatusOf(thrown: unknown): number | undefined {
  for (const error of causesOf(thrown)) if ('statusCode' in error && typeof error.statusCode === 'number') return error.statusCode;
  return undefined;
}

/** Whether the same question may be answered when it is asked once more. */
export function isWorthAnother(thrown: unknown): boolean {
  if (thrown instanceof KnowledgeError) return false;
  const { isRetryable } = readProviderFailure(thrown);
  const status = providerStatusOf(thrown) ?? 0;
  if (status === 408 || status === 429 || status >= 500) return true;
  return isUnreachable(thrown) || (status < 200 && isRetryable);
}

const wrongSettings = new Set([401, 402, 403, 404, 405]);

/** About the key, the model or the account: nothing is answered until somebody puts the settings right. */
export const isSetUpWrongly = (thrown: unknown): boolean => wrongSettings.has(providerStatusOf(thrown) ?? 0);

/** About this request alone, such as one that is too long: it says nothing of the next. */
export function isAboutRequest(thrown: unknown): boolean {
  const status = providerStatusOf(thrown) ?? 0;
  return status >= 400 && status < 500 && status !== 408 && status !== 429 && !isSetUpWrongly(thrown);
}

const silences = {
  first_token: 'no first token',
  stall: 'no further token',
  whole: 'no whole reply',
} as const;
export type Silence = keyof typeof silences;

/** Thrown when a model sends nothing for its whole time limit. */
export class SilentModelError extends KnowledgeError {
  readonly silence: Silence;

  constructor(silence: Silence, ms: number) {
    const seconds = ms / 1_000;
    super('timeout', `The model sent ${silences[silence]} within ${seconds} ${seconds === 1 ? 'second' : 'seconds'}.`);
    this.silence = silence;
  }
}

/** Node's and OpenSSL's codes, such as ECONNREFUSED or CERT_HAS_EXPIRED. */
const isSystemCode = (code: string): boolean => /^[A-Z][A-Z0-9_]{2,60}$/.test(code);

/** Why a call of a model failed: a label of a metric, so a closed set. */
export type FailureReason = Silence | 'timeout' | 'http_429' | 'http_4xx' | 'http_5xx' | 'network' | 'malformed';

export function failureReasonOf(thrown: unknown): FailureReason {
  if (thrown instanceof SilentModelError) return thrown.silence;
  if (thrown instanceof Error && thrown.name === 'TimeoutError') return 'timeout';
  const status = providerStatusOf(thrown) ?? 0;
  if (status === 429) return 'http_429';
  if (status >= 400) return status < 500 ? 'http_4xx' : 'http_5xx';
  return isSystemCode(systemErrorCode(thrown) ?? '') ? 'network' : 'malformed';
}

/** The status, the system code or the time limit of a failure, for the log. */
export function describeFailure(thrown: unknown): string {
  const reason = failureReasonOf(thrown);
  if (thrown instanceof SilentModelError) return thrown.message.replace(/^The model sent |\.$/g, '');
  if (reason.startsWith('http_')) return `status ${providerStatusOf(thrown)}`;
  if (reason === 'network') return systemErrorCode(thrown) ?? reason;
  return reason === 'timeout' ? 'no reply within the time of the question' : 'a malformed or incomplete reply';
}

/** How long the provider itself asks to wait, where it says so. */
function retryAfterSecondsOf(error: unknown): number {
  const waitMs = [...causesOf(error)].map((cause) => readProviderFailure(cause).waitMs).find((ms) => ms !== undefined);
  return waitMs === undefined ? usualRetryAfterSeconds : Math.max(1, Math.ceil(waitMs / 1_000));
}
const usualRetryAfterSeconds = 10;

/** What went wrong with a model, as a caller reads it: never what the provider said. */
export function modelError(error: unknown, timeoutSeconds?: number): KnowledgeError {
  if (error instanceof KnowledgeError) return error;
  if (timeoutSeconds !== undefined)
    return new KnowledgeError('timeout', `The model did not answer within ${timeoutSeconds} seconds.`, { cause: error });
  const status = providerStatusOf(error);
  if (status === 429 || status === 503 || isUnreachable(error)) {
    return new KnowledgeError('model_unavailable', 'The model cannot be reached or is overloaded; try again in a moment.', {
      cause: error,
      retryAfterSeconds: retryAfterSecondsOf(error),
    });
  }
  return new KnowledgeError('model_failed', 'The model did not give an answer.', { cause: error });
}
