/** Converts any failure for the caller, and decides whether it is logged for the operator. */
import { CallsError } from '../packages/calls/src/errors.ts';
import {
  causesOf,
  type ErrorCode,
  type ErrorKind,
  errorKinds,
  KnowledgeError,
  storageError,
} from '../packages/shared/src/errors.ts';

const codesOfCalls: Readonly<Record<number, ErrorCode>> = {
  400: 'invalid_request',
  404: 'not_found',
  429: 'rate_limited',
  504: 'timeout',
};

/**
 * Returns the `stopping` error among the causes, so that work ended by a shutdown is reported as
 * such.
 */
export const endedByStop = (thrown: unknown): KnowledgeError | undefined =>
  causesOf(thrown).find(
    (error): error is KnowledgeError =>
      error instanceof KnowledgeError && error.code === 'stopping',
  );

/** Unknown errors become `internal` without a message; each host adds its own. */
export function toKnowledgeError(thrown: unknown): KnowledgeError {
  const own = endedByStop(thrown) ?? thrown;
  if (own instanceof KnowledgeError) return own;
  if (thrown instanceof CallsError) {
    const { status, message, retryAfterSeconds } = thrown;
    const code = codesOfCalls[status] ?? 'upstream_failed';
    return new KnowledgeError(code, message, { cause: thrown, retryAfterSeconds });
  }
  return storageError(thrown) ?? new KnowledgeError('internal', '', { cause: thrown });
}

/** Kinds of errors that no other request would avoid. */
export const serverKinds: ReadonlySet<ErrorKind> = new Set([
  'internal',
  'upstream',
  'unavailable',
  'timeout',
  'storage',
]);

/** Returns the error to log; undefined if the caller caused it or it is expected. */
export function errorToLog(thrown: unknown): unknown {
  const known = toKnowledgeError(thrown);
  if (!serverKinds.has(errorKinds[known.code])) return undefined;
  // Expected: requests during startup or shutdown, and callers that disconnected.
  if (known.code === 'not_ready' || known.code === 'stopping') return undefined;
  if (thrown instanceof CallsError && thrown.code === 'ERR_ABORTED') return undefined;
  return known.code === 'internal' ? thrown : known;
}
