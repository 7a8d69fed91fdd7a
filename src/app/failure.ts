/** Any failure as its hosts tell it: what a caller reads of it, and whether an operator has to. */
import { CallsError } from '../calls/errors.ts';
import { causesOf, type ErrorCode, type ErrorKind, errorKinds, KnowledgeError, storageError } from '../errors.ts';

function fromCallsError(error: CallsError): KnowledgeError {
  const { status, message, retryAfterSeconds } = error;
  const codes: Readonly<Record<number, ErrorCode>> = { 400: 'invalid_request', 404: 'not_found', 429: 'rate_limited', 504: 'timeout' };
  const options = { cause: error, ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }) };
  return new KnowledgeError(codes[status] ?? 'upstream_failed', message, options);
}

/** What was ended because the server stops says so, whatever was made of it on the way. */
export const endedByStop = (thrown: unknown): KnowledgeError | undefined =>
  causesOf(thrown).find((error): error is KnowledgeError => error instanceof KnowledgeError && error.code === 'stopping');

/** What is not ours is `internal`, without a message: each host has one sentence for it. */
export function toKnowledgeError(thrown: unknown): KnowledgeError {
  const own = endedByStop(thrown) ?? thrown;
  if (own instanceof KnowledgeError) return own;
  if (thrown instanceof CallsError) return fromCallsError(thrown);
  return storageError(thrown) ?? new KnowledgeError('internal', '', { cause: thrown });
}

const ofTheServer: ReadonlySet<ErrorKind> = new Set(['internal', 'upstream', 'unavailable', 'timeout', 'storage']);

/** What an operator has to read of it; undefined where the failure is the caller's, or none. */
export function errorToLog(thrown: unknown): unknown {
  const known = toKnowledgeError(thrown);
  if (!ofTheServer.has(errorKinds[known.code])) return undefined;
  // Asked while the server starts or stops, which is no failure; nor is it one that somebody went away.
  if (known.code === 'not_ready' || known.code === 'stopping') return undefined;
  if (thrown instanceof CallsError && thrown.code === 'ERR_ABORTED') return undefined;
  return known.code === 'internal' ? thrown : known;
}
