/**
 * Pages are parsed where they can be killed: in a child process with a limit of memory and of time, without the server's environment.
 * Every HTML library has small inputs that take it minutes or gigabytes; here such a page costs one failed row. The process is kept
 * for the next page and ends by itself when none comes.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { type ErrorCode, KnowledgeError } from '../../errors.ts';
import type { ParsedSource } from '../types.ts';
import type { HtmlJob } from './parse-html-worker.ts';

export interface HtmlProcessOptions {
  readonly timeoutMs?: number;
  readonly maxMemoryMb?: number;
  readonly idleMs?: number;
}

export type ParseHtml = (html: string, baseUrl: string | undefined) => Promise<ParsedSource>;

type Reply = { readonly parsed: ParsedSource } | { readonly code: ErrorCode; readonly message: string | undefined };

const failure = (message: string, code: ErrorCode = 'ingest_failed') => new KnowledgeError(code, message);

/** Parses one page after another. */
export function createHtmlProcess({ timeoutMs = 10_000, maxMemoryMb = 384, idleMs = 20_000 }: HtmlProcessOptions = {}): ParseHtml {
  let idle: ChildProcess | undefined;
  let idleTimer: NodeJS.Timeout | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  function takeProcess(): ChildProcess {
    clearTimeout(idleTimer);
    const child =
      idle ??
      fork(new URL('./parse-html-worker.ts', import.meta.url), [], {
        execArgv: [`--max-old-space-size=${maxMemoryMb}`],
        env: {},
        serialization: 'advanced',
        stdio: 'ignore',
      });
    idle = undefined;
    child.ref();
    child.channel?.ref();
    return child;
  }

  /** A process that waits keeps nothing alive. */
  function putAway(child: ChildProcess): void {
    idle = child;
    child.unref();
    child.channel?.unref();
    child.once('exit', () => {
      if (idle === child) idle = undefined;
    });
    idleTimer = setTimeout(() => child.kill('SIGKILL'), idleMs).unref();
  }

  function run(job: HtmlJob): Promise<ParsedSource> {
    const child = takeProcess();
    return new Promise((resolve, reject) => {
      const end = (error: KnowledgeError) => {
        child.kill('SIGKILL');
        settle(() => reject(error));
      };
      const timer = setTimeout(() => end(failure(`The page could not be read within ${timeoutMs / 1000} seconds.`, 'timeout')), timeoutMs);
      const onExit = () => end(failure(`The page needs more than ${maxMemoryMb} MB of memory to be read.`));
      const onError = () => end(failure('The page could not be read.'));
      const onMessage = (reply: Reply) => {
        putAway(child);
        settle(() =>
          'parsed' in reply ? resolve(reply.parsed) : reject(failure(reply.message ?? 'The page could not be read.', reply.code)),
        );
      };
      const settle = (result: () => void) => {
        clearTimeout(timer);
        child.off('exit', onExit).off('error', onError).off('message', onMessage);
        result();
      };
      child.on('exit', onExit).on('error', onError).on('message', onMessage);
      child.send(job);
    });
  }

  return (html, baseUrl) => {
    const turn = queue.then(() => run({ html, baseUrl }));
    queue = turn.catch(() => undefined);
    return turn;
  };
}
