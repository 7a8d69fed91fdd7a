/** What went wrong with a model, as a caller is told: never what the provider said. */
import { causesOf, KnowledgeError, systemErrorCode } from '../errors.ts';

const unreachable = ['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_SOCKET'];

/** HTTP status with which a provider answered, where it did. */
function providerStatusOf(thrown: unknown): number | undefined {
  for (const error of causesOf(thrown)) if ('statusCode' in error && typeof error.statusCode === 'number') return error.statusCode;
  return undefined;
}

/** @param timeoutSeconds set where the time was up */
export function modelError(error: unknown, timeoutSeconds?: number): KnowledgeError {
  if (error instanceof KnowledgeError) return error;
  if (timeoutSeconds !== undefined)
    return new KnowledgeError('timeout', `The model did not answer within ${timeoutSeconds} seconds.`, { cause: error });
  const status = providerStatusOf(error);
  if (status === 429 || status === 503 || unreachable.includes(systemErrorCode(error) ?? '')) {
    return new KnowledgeError('model_unavailable', 'The model cannot be reached or is overloaded; try again in a moment.', {
      cause: error,
      retryAfterSeconds: 10,
    });
  }
  return new KnowledgeError('model_failed', 'The model did not give an answer.', { cause: error });
}
