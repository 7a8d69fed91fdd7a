/**
 * The one error family: a stable code for programs, one sentence for people. Knows nothing of HTTP (`http/error-response`
 * maps kinds to statuses). A message may reach a caller, so it never holds host paths, keys, prompts or upstream bodies;
 * those belong into `cause`, which is only logged.
 */

/** Code → the kind of failure that it is: hosts answer a kind, callers read the code. */
export const errorKinds = {
  invalid_request: 'invalid',
  invalid_json: 'invalid',
  invalid_namespace: 'invalid',
  unauthorized: 'unauthorized',
  right_missing: 'forbidden',
  namespace_not_allowed: 'forbidden',
  source_not_allowed: 'forbidden',
  origin_not_allowed: 'forbidden',
  webhooks_off: 'forbidden',
  acting_user_required: 'forbidden',
  acting_user_not_allowed: 'forbidden',
  robots_disallowed: 'forbidden',
  agent_not_found: 'missing',
  model_not_found: 'missing',
  namespace_not_found: 'missing',
  document_not_found: 'missing',
  schedule_not_found: 'missing',
  job_not_found: 'missing',
  answer_not_found: 'missing',
  thread_not_found: 'missing',
  tool_not_found: 'missing',
  source_not_found: 'missing',
  source_gone: 'missing',
  not_found: 'missing',
  method_not_allowed: 'wrong_method',
  duplicate_source: 'conflict',
  cancelled: 'conflict',
  payload_too_large: 'too_large',
  unsupported_media_type: 'wrong_type',
  host_not_allowed: 'wrong_host',
  empty_source: 'unusable',
  ingest_failed: 'unusable',
  rate_limited: 'too_many',
  budget_spent: 'too_many',
  internal: 'internal',
  fetch_failed: 'upstream',
  model_failed: 'upstream',
  upstream_failed: 'upstream',
  model_unavailable: 'unavailable',
  calls_unavailable: 'unavailable',
  not_ready: 'unavailable',
  busy: 'unavailable',
  stopping: 'unavailable',
  storage_unavailable: 'unavailable',
  timeout: 'timeout',
  storage_full: 'storage',
  limit_reached: 'storage',
} as const;

export type ErrorCode = keyof typeof errorKinds;
export type ErrorKind = (typeof errorKinds)[ErrorCode];

/** One wrong part of a request: where it is and what would be right. */
export interface ErrorDetail {
  readonly path: string;
  readonly message: string;
}

export interface KnowledgeErrorOptions {
  readonly cause?: unknown;
  readonly details?: readonly ErrorDetail[];
  /** Whole seconds after which the same request may succeed. */
  readonly retryAfterSeconds?: number;
}

export class KnowledgeError extends Error {
  override readonly name = 'KnowledgeError';
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[] | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: KnowledgeErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }
}

const maxCauses = 8;

/** An unknown thrown value and its causes, outermost first. */
export function* causesOf(thrown: unknown): Generator<Error> {
  for (let current = thrown, depth = 0; current instanceof Error && depth < maxCauses; current = current.cause, depth++) yield current;
}

/** The system error code (`ENOENT`, `ECONNREFUSED` …) of an unknown thrown value or of one of its causes. */
export function systemErrorCode(thrown: unknown): string | undefined {
  for (const error of causesOf(thrown)) if ('code' in error && typeof error.code === 'string') return error.code;
  return undefined;
}

/** Whether a store cannot be reached or written now. */
export const isStorageAway = (error: unknown): error is KnowledgeError =>
  error instanceof KnowledgeError && error.code === 'storage_unavailable';

/** For whoever runs the program, never for a caller: what could not be reached also says why. */
export function withCause(error: Error): string {
  const { cause } = error;
  const isExplained = isStorageAway(error) && cause instanceof Error;
  return isExplained ? `${error.message.replace(/\.$/, '')} (${cause.message || systemErrorCode(cause)}).` : error.message;
}

/** System error code → what a caller reads of it. */
const storageProblems = new Map<string, readonly ['storage_full' | 'storage_unavailable', string]>([
  ['ENOSPC', ['storage_full', "The server's disk is full, so this could not be stored."]],
  ['EDQUOT', ['storage_full', "The server's share of its disk is used up, so this could not be stored."]],
  ['EFBIG', ['storage_full', 'The server may not make its files any larger, so this could not be stored.']],
  ['EROFS', ['storage_unavailable', 'The server may only read its storage, so this could not be stored.']],
  ['EACCES', ['storage_unavailable', 'The server may not write to its storage, so this could not be stored.']],
  ['EPERM', ['storage_unavailable', 'The server may not write to its storage, so this could not be stored.']],
  ['EEXIST', ['storage_unavailable', 'A file stands where the server needs a folder, so this could not be stored.']],
  ['ENOTDIR', ['storage_unavailable', 'A file stands where the server needs a folder, so this could not be stored.']],
  ['EIO', ['storage_unavailable', "The server's disk fails, so this could not be stored."]],
]);
/** The same for SQLite, by result code: `errcode` in node:sqlite, `rawCode` in libSQL. */
const sqliteProblems = new Map([
  [8, 'EROFS'],
  [10, 'EIO'],
  [13, 'ENOSPC'],
]);
const storageSteps = new Set(['access', 'open', 'write', 'mkdir', 'rename', 'fsync', 'ftruncate', 'copyfile', 'unlink', 'rm', 'rmdir']);

/** Why the disk refused, without a path; undefined where something else failed. */
export function storageError(thrown: unknown): KnowledgeError | undefined {
  for (const error of causesOf(thrown)) {
    const code =
      'errcode' in error || 'rawCode' in error
        ? sqliteProblems.get(Number('errcode' in error ? error.errcode : error.rawCode) & 0xff)
        : 'code' in error && 'syscall' in error && storageSteps.has(String(error.syscall)) && error.code;
    const problem = storageProblems.get(String(code));
    if (problem) return new KnowledgeError(...problem, { cause: thrown });
  }
  return undefined;
}
