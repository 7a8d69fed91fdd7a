/**
 * Pages are parsed where they can be killed: in child processes with a limit of memory and of time, without the server's environment.
 * Every HTML library has small inputs that take it minutes or gigabytes; here such a page costs one failed row. A process is kept
 * for the next page and ends by itself when none comes, or when its parent is gone.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { type ErrorCode, KnowledgeError } from '../../errors.ts';
import type { ParsedSource } from '../types.ts';
import type { HtmlJob } from './parse-html-worker.ts';

export interface HtmlProcessOptions {
  readonly timeoutMs?: number;
  readonly maxMemoryMb?: number;
  readonly idleMs?: number;
  /** Pages parsed at the same time; others wait their turn. */
  readonly maxProcesses?: number;
}

export type ParseHtml = (html: string, baseUrl: string | undefined, signal?: AbortSignal) => Promise<ParsedSource>;

type Reply = { readonly parsed: ParsedSource } | { readonly code: ErrorCode; readonly message: string | undefined };

const failure = (message: string, code: ErrorCode = 'ingest_failed') => new KnowledgeError(code, message);

export function createHtmlProcess({
  timeoutMs = 8_000,
  maxMemoryMb = 384,
  idleMs = 20_000,
  maxProcesses = 2,
}: HtmlProcessOptions = {}): ParseHtml {
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
    const child = fork(new URL('./parse-html-worker.ts', import.meta.url), [], {
      execArgv: [`--max-old-space-size=${maxMemoryMb}`],
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

  function run(job: HtmlJob, signal: AbortSignal | undefined): Promise<ParsedSource> {
    const child = takeProcess();
    return new Promise((resolve, reject) => {
      const end = (error: KnowledgeError) => {
        child.kill('SIGKILL');
        settle(() => reject(error));
      };
      const timer = setTimeout(() => end(failure(`The page could not be read within ${timeoutMs / 1000} seconds.`, 'timeout')), timeoutMs);
      const onAbort = () => end(failure('The reading of the page was ended.'));
      const onExit = () => end(failure('The page could not be read: its parser ended, most likely for lack of memory.'));
      const onMessage = (reply: Reply) => {
        putAway(child);
        settle(() =>
          'parsed' in reply ? resolve(reply.parsed) : reject(failure(reply.message ?? 'The page could not be read.', reply.code)),
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

  return async (html, baseUrl, signal) => {
    if (busy >= maxProcesses) await new Promise<void>((resolve) => waiting.push(resolve));
    busy++;
    try {
      return await run({ html, baseUrl }, signal);
    } finally {
      busy--;
      waiting.shift()?.();
    }
  };
}
