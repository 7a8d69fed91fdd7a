/**
 * Runs CLI commands in one process that all test files share, to avoid the startup time, and
 * programs in a process of their own.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { root } from './repository.ts';
import { oneRequest } from './server-process.ts';
import { whenDone } from './when-done.ts';

export type CommandRequest = Readonly<{
  id: number;
  /** Starts with the name of the command. */
  args: readonly string[];
  settings: Readonly<Record<string, string>>;
  input: string;
}>;

export type CommandResult = Readonly<{
  code: number | null;
  out: string;
  err: string;
}>;

const waiting = new Map<number, (ran: CommandResult) => void>();
let host: ChildProcess | undefined;
let asked = 0;

function start(): ChildProcess {
  const started = fork(new URL('./command-host.ts', import.meta.url), {
    cwd: root,
    env: { PATH: process.env['PATH'] },
    execArgv: [],
  });
  started.on('message', ({ id, ran }: { id: number; ran: CommandResult }) => {
    waiting.get(id)?.(ran);
    waiting.delete(id);
  });
  started.on('exit', (code) => {
    host = undefined;
    for (const end of waiting.values()) end({ code, out: '', err: 'the command host has ended' });
    waiting.clear();
  });
  return started;
}

export function runCommand(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
  input = '',
): Promise<CommandResult> {
  host ??= start();
  const id = asked++;
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    host?.send({
      id,
      args,
      settings: { ...oneRequest(settings), ...settings },
      input,
    } satisfies CommandRequest);
  });
}

/** Starts a program, which ends with the test, and collects its output. */
export function startProgram(
  [program = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv = {},
  cwd: string = root,
) {
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env['PATH'], ...env },
    stdio: 'pipe',
  });
  whenDone(() => child.kill('SIGKILL'));
  const output = { out: '', err: '' };
  child.stdout.on('data', (part) => (output.out += part));
  child.stderr.on('data', (part) => (output.err += part));
  return { child, output, ended: once(child, 'close').then(([code]) => ({ code, ...output })) };
}
