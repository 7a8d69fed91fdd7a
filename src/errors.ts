/**
 * The one error family: a stable code for programs, one sentence for people. Knows nothing of HTTP (`http/error-response`
 * maps codes to statuses). A message may reach a caller, so it never holds host paths, keys, prompts or upstream bodies;
 * those belong into `cause`, which is only logged.
 */

const errorCodes = [
  'invalid_request',
  'invalid_json',
  'invalid_namespace',
  'unauthorized',
  'namespace_not_allowed',
  'source_not_allowed',
  'origin_not_allowed',
  'host_not_allowed',
  'acting_user_required',
  'acting_user_not_allowed',
  'agent_not_found',
  'namespace_not_found',
  'document_not_found',
  'job_not_found',
  'answer_not_found',
  'thread_not_found',
  'not_found',
  'method_not_allowed',
  'source_not_found',
  'source_gone',
  'robots_disallowed',
  'duplicate_source',
  'payload_too_large',
  'unsupported_media_type',
  'empty_source',
  'ingest_failed',
  'limit_reached',
  'rate_limited',
  'fetch_failed',
  'model_failed',
  'model_unavailable',
  'upstream_failed',
  'calls_unavailable',
  'not_ready',
  'stopping',
  'storage_full',
  'storage_unavailable',
  'timeout',
  'cancelled',
  'internal',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

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

/** System error code → what a caller reads of it. */
const storageProblems = new Map<string, readonly ['storage_full' | 'storage_unavailable', string]>([
  ['ENOSPC', ['storage_full', "The server's disk is full, so this could not be stored."]],
  ['EDQUOT', ['storage_full', "The server's share of its disk is used up, so this could not be stored."]],
  ['EROFS', ['storage_unavailable', 'The server may only read its storage, so this could not be stored.']],
  ['EACCES', ['storage_unavailable', 'The server may not write to its storage, so this could not be stored.']],
  ['EPERM', ['storage_unavailable', 'The server may not write to its storage, so this could not be stored.']],
  ['EEXIST', ['storage_unavailable', 'A file stands where the server needs a folder, so this could not be stored.']],
  ['ENOTDIR', ['storage_unavailable', 'A file stands where the server needs a folder, so this could not be stored.']],
  ['EIO', ['storage_unavailable', "The server's disk fails, so this could not be stored."]],
]);
/** The same as SQLite says it, by its result code. */
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
      'errcode' in error
        ? sqliteProblems.get(Number(error.errcode) & 0xff)
        : 'code' in error && 'syscall' in error && storageSteps.has(String(error.syscall)) && error.code;
    const problem = storageProblems.get(String(code));
    if (problem) return new KnowledgeError(...problem, { cause: thrown });
  }
  return undefined;
}
