/**
 * Sources are parsed where it can be ended: in child processes with a limit of memory and of time, without the server's environment.
 * Every parser library has small inputs that take it minutes or gigabytes; here such a source costs one failed row. A process is
 * kept for the next source and ends by itself when none comes, or when its parent is gone.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { type ErrorCode, KnowledgeError } from '../../errors.ts';
import type { ParsedSource } from '../types.ts';
import type { Format } from './format.ts';
import type { ParseJob } from './parser-worker.ts';

export interface ParserProcessOptions {
  /** For every format instead of its own limit. */
  readonly timeoutMs?: number;
  /** Of JavaScript's heap. */
  readonly maxHeapMb?: number;
  readonly idleMs?: number;
  /** Sources parsed at the same time; others wait their turn. */
  readonly maxProcesses?: number;
}

export type ParseInProcess = (job: ParseJob, signal?: AbortSignal) => Promise<ParsedSource>;

type Reply = { readonly residentBytes: number } & (
  | { readonly parsed: ParsedSource }
  | { readonly code: ErrorCode; readonly message: string | undefined }
);

const failure = (message: string, code: ErrorCode = 'ingest_failed') => new KnowledgeError(code, message);

/** Longest time for one source, in milliseconds. */
const timeLimits: Readonly<Record<Format, number>> = {
  html: 8_000,
  markdown: 10_000,
  mdx: 10_000,
  text: 10_000,
  csv: 10_000,
  tsv: 10_000,
  json: 10_000,
  docx: 20_000,
  pdf: 60_000,
};

/** Memory outside the heap (the program, buffers, WebAssembly) that a process may hold; beyond it, the process ends itself. */
const maxMbBesideHeap = 320;
/** A process that holds more after its source is not used again. */
const maxIdleMb = 300;
/** The same as the system holds it (RLIMIT_DATA), for what is taken faster than the process can look; what is reserved counts too. */
const maxMbReserved = 1_200;

export function createParserProcess({
  timeoutMs,
  maxHeapMb = 384,
  idleMs = 20_000,
  maxProcesses = 2,
}: ParserProcessOptions = {}): ParseInProcess {
  const idle = new Map<ChildProcess, NodeJS.Timeout>();
  const waiting: (() => void)[] = [];
  let busy = 0;

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
    const setLimit = `ulimit -d ${(maxHeapMb + maxMbReserved) * 1024} 2>/dev/null; exec "$0" "$@"`;
    const child = fork(new URL('./parser-worker.ts', import.meta.url), [String((maxHeapMb + maxMbBesideHeap) * 1024 * 1024)], {
      execPath: '/bin/sh',
      execArgv: ['-c', setLimit, process.execPath, `--max-old-space-size=${maxHeapMb}`],
      env: {},
      serialization: 'advanced',
      stdio: 'ignore',
    });
    child.on('exit', () => idle.delete(child));
    // A killed process may still report that it could not be written to.
    child.on('error', () => undefined);
    return child;
  }

  /** A process that waits keeps nothing alive. */
  function putAway(child: ChildProcess): void {
    child.unref();
    child.channel?.unref();
    idle.set(child, setTimeout(() => child.kill('SIGKILL'), idleMs).unref());
  }

  function run(job: ParseJob, signal: AbortSignal | undefined): Promise<ParsedSource> {
    const child = takeProcess();
    return new Promise((resolve, reject) => {
      const end = (error: KnowledgeError) => {
        child.kill('SIGKILL');
        settle(() => reject(error));
      };
      const limitMs = timeoutMs ?? timeLimits[job.format];
      const timer = setTimeout(() => end(failure(`The source could not be read within ${limitMs / 1000} seconds.`, 'timeout')), limitMs);
      const onAbort = () => end(failure('The reading of the source was ended.'));
      const onExit = () => end(failure('The source could not be read: its parser ended, most likely for lack of memory.'));
      const onMessage = (reply: Reply) => {
        // What a heavy source left behind would count against the next one.
        if (reply.residentBytes > maxIdleMb * 1024 * 1024) child.kill('SIGKILL');
        else putAway(child);
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

  return async (job, signal) => {
    if (busy >= maxProcesses) await new Promise<void>((resolve) => waiting.push(resolve));
    busy++;
    try {
      return await run(job, signal);
    } finally {
      busy--;
      waiting.shift()?.();
    }
  };
}
