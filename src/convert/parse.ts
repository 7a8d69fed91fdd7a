/**
 * Bytes → Markdown, where it can be ended: in child processes with a limit of memory and of time, without the server's environment. Every
 * parser library has small inputs that take it minutes or gigabytes; here such a source costs one failed row. A process is kept for the
 * next source and ends by itself when none comes, or when its parent is gone.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { yieldToEventLoop } from '../concurrency/event-loop.ts';
import { FairQueue } from '../concurrency/fair-queue.ts';
import { type ErrorCode, KnowledgeError } from '../errors.ts';
import { detectFormat, formats } from './formats.ts';
import type { ParseJob } from './parser-worker.ts';
import type { ParsedSource, RawSource, SourceKind } from './source.ts';

export interface ParserProcessOptions {
  /** For every format instead of its own limit. */
  readonly timeoutMs?: number;
  /** Of JavaScript's heap. */
  readonly maxHeapMb?: number;
  /** Sources parsed at the same time, of one owner fewer; others wait, those of different owners in turns. */
  readonly maxProcesses?: number;
}

/** @param owner whose source it is: a namespace */
export type ParseInProcess = (owner: string, job: ParseJob, signal?: AbortSignal) => Promise<ParsedSource>;

type Reply =
  | { readonly isReading: true }
  | ({ readonly residentBytes: number } & ({ readonly parsed: ParsedSource } | { readonly code: ErrorCode; readonly message?: string }));

const failure = (message: string, code: ErrorCode = 'ingest_failed') => new KnowledgeError(code, message);

/** Memory outside the heap (the program, buffers, WebAssembly) that a process may hold; beyond it, the process ends itself. */
const maxMbBesideHeap = 320;
/** The same, as the system limits it (RLIMIT_DATA), if a process takes memory faster than it can check. Reserved memory counts too. */
const maxMbReserved = 1_200;
/** A process that holds more after its source is not used again. */
const maxIdleMb = 300;
const idleMs = 20_000;
/** Longest time to start a process and load its libraries: on a busy machine, far longer than most sources take. */
const startMs = 60_000;

/** The shell sets the limit that Node cannot; the process knows nothing of the server's environment. */
function startProcess(maxHeapMb: number): ChildProcess {
  const setLimit = `ulimit -d ${(maxHeapMb + maxMbReserved) * 1024} 2>/dev/null; exec "$0" "$@"`;
  return fork(new URL('./parser-worker.ts', import.meta.url), [String((maxHeapMb + maxMbBesideHeap) * 1024 * 1024)], {
    execPath: '/bin/sh',
    execArgv: ['-c', setLimit, process.execPath, `--max-old-space-size=${maxHeapMb}`],
    env: {},
    serialization: 'advanced',
    stdio: 'ignore',
  });
}

/** One source in one process, which is ended where the source takes too long or is given up. @param onReply the process has nothing to do any more */
function runIn(
  child: ChildProcess,
  job: ParseJob,
  limitMs: number,
  signal: AbortSignal | undefined,
  onReply: (residentBytes: number) => void,
): Promise<ParsedSource> {
  return new Promise((resolve, reject) => {
    const end = (error: KnowledgeError) => {
      child.kill('SIGKILL');
      settle(() => reject(error));
    };
    const within = (ms: number) =>
      setTimeout(() => end(failure(`The source could not be read within ${ms / 1000} seconds.`, 'timeout')), ms);
    let timer = within(startMs);
    const onAbort = () => end(failure('The reading of the source was ended.'));
    const onExit = () => end(failure('The source could not be read: its parser ended, most likely for lack of memory.'));
    const onMessage = (reply: Reply) => {
      if ('isReading' in reply) {
        clearTimeout(timer);
        timer = within(limitMs);
        return;
      }
      onReply(reply.residentBytes);
      settle(() =>
        'parsed' in reply ? resolve(reply.parsed) : reject(failure(reply.message ?? 'The source could not be read.', reply.code)),
      );
    };
    const settle = (result: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      child.off('exit', onExit).off('error', onExit).off('message', onMessage);
      result();
    };
    child.on('exit', onExit).on('error', onExit).on('message', onMessage);
    signal?.addEventListener('abort', onAbort);
    if (signal?.aborted) onAbort();
    else child.send(job, (error) => error && onExit());
  });
}

export function createParserProcess({ timeoutMs, maxHeapMb = 384, maxProcesses = 3 }: ParserProcessOptions = {}): ParseInProcess {
  const processes = new Set<ChildProcess>();
  const idle = new Map<ChildProcess, NodeJS.Timeout>();
  const queue = new FairQueue({ slots: maxProcesses });

  function takeProcess(): ChildProcess {
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

  function openProcess(): ChildProcess {
    const child = startProcess(maxHeapMb);
    processes.add(child);
    child.on('exit', () => {
      processes.delete(child);
      idle.delete(child);
    });
    // A killed process may still report that it could not be written to.
    child.on('error', () => undefined);
    return child;
  }

  /** The last place is for who comes while others are at work: it should not wait until a process has started, longer than most sources take. */
  function keepLast(): void {
    if (idle.size === 0 && processes.size > 0 && processes.size === maxProcesses - 1) putAway(openProcess(), 0);
  }

  /** A process that waits keeps nothing alive; what a heavy source left behind would count against the next one. */
  function putAway(child: ChildProcess, residentBytes: number): void {
    if (residentBytes > maxIdleMb * 1024 * 1024) {
      child.kill('SIGKILL');
      return;
    }
    child.unref();
    child.channel?.unref();
    const timer = setTimeout(() => {
      // It counts as connected until its end is noticed.
      idle.delete(child);
      child.kill('SIGKILL');
    }, idleMs);
    idle.set(child, timer.unref());
  }

  return (owner, job, signal) =>
    queue.run(owner, async () => {
      // Starting a process and handing over a large source each hold the loop for some 10 ms: never in one turn with what came before.
      await yieldToEventLoop();
      const child = takeProcess();
      void yieldToEventLoop().then(keepLast);
      return runIn(child, job, timeoutMs ?? formats[job.format].timeoutMs, signal, (bytes) => putAway(child, bytes));
    });
}

export interface SourceToParse {
  /** Of a text it is known what it is: Markdown. */
  readonly kind: SourceKind;
  readonly namespace: string;
}

export type ParseSource = (source: SourceToParse, raw: RawSource, signal?: AbortSignal) => Promise<ParsedSource>;

/**
 * @param maxBytes of the Markdown that comes out: some sources grow in the making
 * @throws KnowledgeError `unsupported_media_type`, `empty_source`, `payload_too_large`, `timeout`, `ingest_failed`
 */
export function createSourceParser(parseInProcess: ParseInProcess, maxBytes: number): ParseSource {
  return async (source, { bytes, fileName, mediaType, charset, location }, signal) => {
    const format = source.kind === 'text' ? 'markdown' : detectFormat(bytes, fileName, mediaType);
    const parsed = await parseInProcess(source.namespace, { format, bytes, charset, location }, signal);
    if (parsed.markdown.trim() === '') throw new KnowledgeError('empty_source', 'The source holds no text.');
    if (Buffer.byteLength(parsed.markdown) > maxBytes)
      throw new KnowledgeError('payload_too_large', `The text of the source is larger than ${maxBytes} bytes.`);
    return parsed;
  };
}
