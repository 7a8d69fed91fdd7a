/**
 * Errors with a stable code for programs and a message for people. Messages reach callers, so they
 * never contain host paths, keys, prompts or upstream bodies. Those belong in `cause`, which is
 * only logged.
 */

/** Code → kind. Callers read the code; `http/error-response` maps kinds to statuses. */
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
  gap_not_found: 'missing',
  draft_not_found: 'missing',
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
  crashed: 'unusable',
  rate_limited: 'too_many',
  budget_spent: 'too_many',
  internal: 'internal',
  fetch_failed: 'upstream',
  model_failed: 'upstream',
  upstream_failed: 'upstream',
  model_unavailable: 'unavailable',
  calls_unavailable: 'unavailable',
  issuer_unavailable: 'unavailable',
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

/** A wrong field of a request, and what it must be. */
interface ErrorDetail {
  readonly path: string;
  readonly message: string;
}

type KnowledgeErrorOptions = Readonly<{
  cause?: unknown;
  details?: readonly ErrorDetail[];
  /** Whole seconds after which the same request may succeed. */
  retryAfterSeconds?: number | undefined;
}>;

export class KnowledgeError extends Error {
  override readonly name = 'KnowledgeError';
  readonly code;
  readonly details;
  readonly retryAfterSeconds;

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
  for (
    let current = thrown, depth = 0;
    current instanceof Error && depth < maxCauses;
    current = current.cause, depth++
  )
    yield current;
}

/**
 * The system error code (`ENOENT`, `ECONNREFUSED` …) of an unknown thrown value or of one of its
 * causes.
 */
export function systemErrorCode(thrown: unknown): string | undefined {
  return causesOf(thrown)
    .map((error) => Object(error).code)
    .find((code) => typeof code === 'string');
}

/** Whether the error means that a store cannot be reached or written. */
export const isStorageAway = (error: unknown): error is KnowledgeError =>
  error instanceof KnowledgeError && error.code === 'storage_unavailable';

/**
 * The message with its cause, if a store is unavailable. Only for operators: causes contain hosts.
 */
export function withCause(error: Error) {
  const { cause } = error;
  const isExplained = isStorageAway(error) && cause instanceof Error;
  return isExplained
    ? `${error.message.replace(/\.$/, '')} (${cause.message || systemErrorCode(cause)}).`
    : error.message;
}

const maxNamedNamespaces = 10;

/**
 * Adds the namespaces that the caller may read to a `namespace_not_found`; returns other errors
 * unchanged.
 */
export async function withReadableNamespaces(
  thrown: unknown,
  readable: () => Promise<readonly string[]>,
): Promise<unknown> {
  if (!(thrown instanceof KnowledgeError) || thrown.code !== 'namespace_not_found') return thrown;
  const names = await readable().catch(() => []);
  if (names.length === 0) return thrown;
  const listed = names.slice(0, maxNamedNamespaces).map((name) => `"${name}"`);
  const more =
    names.length > maxNamedNamespaces ? ` and ${names.length - maxNamedNamespaces} more` : '';
  return new KnowledgeError(
    thrown.code,
    `${thrown.message} You can read ${listed.join(', ')}${more}.`,
    { cause: thrown },
  );
}

/** System error code → code for the caller, and why the change was not saved. */
const full = 'storage_full';
const unavailable = 'storage_unavailable';
const notAllowed = 'the server may not write to its disk';
const notFolder = 'the server found a file in place of a folder';
const storageProblems = new Map(
  Object.entries<readonly [ErrorCode, string]>({
    ENOSPC: [full, "the server's disk is full"],
    EDQUOT: [full, "the server's disk quota is used up"],
    EFBIG: [full, 'a file of the server has reached its maximum size'],
    EROFS: [unavailable, "the server's disk is read-only"],
    EACCES: [unavailable, notAllowed],
    EPERM: [unavailable, notAllowed],
    EEXIST: [unavailable, notFolder],
    ENOTDIR: [unavailable, notFolder],
    EIO: [unavailable, "the server's disk failed"],
  }),
);
/** SQLite result code → system error code. */
const sqliteProblems = new Map([
  [8, 'EROFS'],
  [10, 'EIO'],
  [13, 'ENOSPC'],
]);
const storageSteps = new Set([
  'access',
  'open',
  'write',
  'mkdir',
  'rename',
  'fsync',
  'ftruncate',
  'copyfile',
  'unlink',
  'rm',
  'rmdir',
]);

/** The error for the caller if the disk failed; undefined for other failures. */
export function storageError(thrown: unknown): KnowledgeError | undefined {
  for (const error of causesOf(thrown)) {
    const { code, errcode, syscall } = Object(error);
    const known = storageSteps.has(syscall) ? code : sqliteProblems.get(errcode & 0xff);
    const [found, why] = storageProblems.get(known) ?? [];
    if (found)
      return new KnowledgeError(found, `The change was not saved: ${why}.`, { cause: thrown });
  }
  return undefined;
}

export const stoppingError = (): KnowledgeError =>
  new KnowledgeError('stopping', 'The server is shutting down. Retry in a moment.', {
    retryAfterSeconds: 5,
  });
