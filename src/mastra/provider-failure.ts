/** What a thrown value says of a provider: its status, how long it asks to wait, whether the connection broke. Never what it said. */
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
