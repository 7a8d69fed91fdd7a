/**
 * Bytes → Markdown in child processes with memory and time limits and an empty environment: every
 * parser library has small inputs that take minutes or gigabytes. A process serves several sources
 * and exits when it is idle or its parent exits.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { yieldToEventLoop } from '../../shared/src/concurrency/event-loop.ts';
import { FairQueue } from '../../shared/src/concurrency/fair-queue.ts';
import { siblingModule } from '../../shared/src/concurrency/sibling-module.ts';
import { type ErrorCode, KnowledgeError } from '../../shared/src/errors.ts';
import { detectFormat, formats } from './formats.ts';
import type { ParseJob } from './parser-worker.ts';
import type { ParsedSource, RawSource, SourceKind } from './source.ts';

export interface ParserProcessOptions {
  /**
   * Milliseconds to parse one source. Default: the limit of its format, 8,000 (HTML) to 60,000
   * (PDF, EPUB).
   */
  readonly timeoutMs?: number;
  /** Limit of the JavaScript heap. Default: 384. */
  readonly maxHeapMb?: number;
  /**
   * Maximum sources parsed concurrently; one owner gets fewer. Waiting owners are served in turn.
   * Default: 3.
   */
  readonly maxProcesses?: number;
}

/** @param owner namespace of the source */
export type ParseInProcess = (
  owner: string,
  job: ParseJob,
  signal?: AbortSignal,
) => Promise<ParsedSource>;

type Reply =
  | { readonly isReading: true }
  | ({ readonly residentBytes: number } & (
      | { readonly parsed: ParsedSource }
      | { readonly code: ErrorCode; readonly message?: string }
    ));

const failure = (message: string, code: ErrorCode = 'ingest_failed') =>
  new KnowledgeError(code, message);
const cancelled = 'Parsing the source was cancelled.';

/** The shell sets a limit that Node cannot set. */
function startProcess(maxHeapMb: number) {
  // Hard limit outside the heap (RLIMIT_DATA): stops growth that is too fast for the check above.
  // Reserved memory counts too.
  const setLimit = `ulimit -d ${(maxHeapMb + 1_200) * 1024} 2>/dev/null; exec "$0" "$@"`;
  return fork(
    siblingModule('parser-worker', import.meta.url),
    // Memory outside the heap (program, buffers, WebAssembly) at which a process kills itself.
    [String((maxHeapMb + 320) * 1024 * 1024)],
    {
      execPath: '/bin/sh',
      execArgv: ['-c', setLimit, process.execPath, `--max-old-space-size=${maxHeapMb}`],
      env: {},
      serialization: 'advanced',
      stdio: 'ignore',
    },
  );
}

/**
 * Parses one source; kills the process on timeout or abort. @param onReply called when the process
 * is idle again
 */
function runIn(
  child: ChildProcess,
  job: ParseJob,
  limitMs: number,
  signal: AbortSignal | undefined,
  onReply: (residentBytes: number) => void,
) {
  const { promise, resolve, reject } = Promise.withResolvers<ParsedSource>();
  const end = (message: string, code?: ErrorCode) => {
    settle();
    child.kill('SIGKILL');
    reject(failure(message, code));
  };
  const failAfter = (ms: number) =>
    setTimeout(
      () => end(`Parsing the source took longer than ${ms / 1000} seconds.`, 'timeout'),
      ms,
    );
  // Time limit for starting a process and loading libraries: slow on a busy machine.
  let timer = failAfter(60_000);
  const onAbort = () => end(cancelled);
  const onExit = () =>
    end(
      'The parser stopped unexpectedly, probably out of memory. Split the source or simplify it.',
    );
  const onMessage = (reply: Reply) => {
    clearTimeout(timer);
    if ('isReading' in reply) {
      timer = failAfter(limitMs);
      return;
    }
    settle();
    onReply(reply.residentBytes);
    if ('parsed' in reply) resolve(reply.parsed);
    else reject(failure(reply.message ?? 'Parsing the source failed.', reply.code));
  };
  const settle = () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
    child.off('exit', onExit).off('error', onExit).off('message', onMessage);
  };
  child.on('exit', onExit).on('error', onExit).on('message', onMessage);
  signal?.addEventListener('abort', onAbort);
  child.send(job, (error) => error && onExit());
  return promise;
}

/**
 * Returns a parser that runs each source in a pool of child processes. @param closing ends all of
 * them when it is aborted
 */
export function createParserProcess(
  options: ParserProcessOptions = {},
  closing?: AbortSignal,
): ParseInProcess {
  const { timeoutMs, maxHeapMb = 384, maxProcesses = 3 } = options;
  const processes = new Set<ChildProcess>();
  const idle = new Map<ChildProcess, NodeJS.Timeout>();
  const queue = new FairQueue({ slots: maxProcesses });
  closing?.addEventListener('abort', () =>
    processes.forEach((child) => void child.kill('SIGKILL')),
  );

  function acquireProcess() {
    for (const [child, timer] of idle) {
      clearTimeout(timer);
      idle.delete(child);
      if (child.connected) {
        child.ref();
        child.channel?.ref();
        return child;
      }
    }
    return openProcess();
  }

  function openProcess() {
    const child = startProcess(maxHeapMb);
    processes.add(child);
    child.on('exit', () => {
      processes.delete(child);
      idle.delete(child);
    });
    // A killed process may still emit a write error.
    child.on('error', () => undefined);
    return child;
  }

  /**
   * Starts a spare process if no process is idle and a slot is left: starting takes longer than
   * parsing most sources.
   */
  function keepSpareProcess() {
    if (idle.size === 0 && processes.size > 0 && processes.size === maxProcesses - 1)
      parkProcess(openProcess(), 0);
  }

  /**
   * Stores an idle process for reuse; it does not keep the server running. Kills a process that
   * uses much memory.
   */
  function parkProcess(child: ChildProcess, residentBytes: number) {
    // A process that uses more memory after parsing a source is not reused.
    if (residentBytes > 300 * 1024 * 1024) {
      child.kill('SIGKILL');
      return;
    }
    child.unref();
    child.channel?.unref();
    const timer = setTimeout(() => {
      // The process counts as connected until its exit is noticed.
      idle.delete(child);
      child.kill('SIGKILL');
    }, 20_000);
    idle.set(child, timer.unref());
  }

  return (owner, job, signal) =>
    queue.run(owner, async () => {
      // Starting a process and sending a large source each block the event loop for about 10 ms:
      // never both in one iteration.
      await yieldToEventLoop();
      if (closing?.aborted || signal?.aborted) throw failure(cancelled);
      const child = acquireProcess();
      void yieldToEventLoop().then(keepSpareProcess);
      return runIn(child, job, timeoutMs ?? formats[job.format].timeoutMs, signal, (bytes) =>
        parkProcess(child, bytes),
      );
    });
}

/** @param source a `text` is always Markdown */
export type ParseSource = (
  source: Readonly<{ kind: SourceKind; namespace: string }>,
  raw: RawSource,
  signal?: AbortSignal,
) => Promise<ParsedSource>;

/**
 * @param maxBytes limit of the resulting Markdown, which may be larger than the source
 * @throws KnowledgeError `unsupported_media_type`, `empty_source`, `payload_too_large`, `timeout`,
 * `ingest_failed`
 */
export function createSourceParser(parseInProcess: ParseInProcess, maxBytes: number): ParseSource {
  return async (source, { bytes, fileName, mediaType, charset, location }, signal) => {
    const format = source.kind === 'text' ? 'markdown' : detectFormat(bytes, fileName, mediaType);
    const parsed = await parseInProcess(
      source.namespace,
      { format, bytes, charset, location },
      signal,
    );
    if (parsed.markdown === '')
      throw new KnowledgeError('empty_source', 'The source contains no text.');
    if (Buffer.byteLength(parsed.markdown) > maxBytes)
      throw new KnowledgeError(
        'payload_too_large',
        `The text of the source is larger than ${maxBytes} bytes. Split the source.`,
      );
    return parsed;
  };
}
