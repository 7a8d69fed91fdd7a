/** Runs CLI commands in one process that all test files share, to avoid the startup time. */
import { type ChildProcess, fork } from 'node:child_process';
import { root as cwd } from './repository.ts';
import { oneRequest } from './server-process.ts';

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
    cwd,
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
