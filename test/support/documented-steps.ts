/** Runs the commands of documentation pages in a fresh copy of the project. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { expect, onTestFinished } from 'vitest';
import { root } from './repository.ts';
import { temporaryFolder } from './workspace.ts';

const run = promisify(execFile);

/** Commands that the test replaces: it links node_modules and starts the server itself. */
const replacedCommands = ['npm ci --omit=dev', 'npm start'];

export interface DocumentedStep {
  readonly commands: string;
  readonly shown: string | undefined;
}

export const stepsOf = (page: string): DocumentedStep[] =>
  [
    ...page.matchAll(
      /^```sh\n([\s\S]*?)\n```$(?:(?:(?!^```)[\s\S])*?^```(?:text|json)\n([\s\S]*?)\n```$)?/gm,
    ),
  ]
    .map(([, commands = '', shown]) => ({ commands, shown }))
    .filter(({ commands }) => !replacedCommands.includes(commands));

/** Masks values that differ from run to run. */
export const steady = (output: string): unknown => {
  if (!output.startsWith('{')) return output;
  return JSON.parse(output, (key, part) =>
    ['revision', 'runId', 'toolCallId', 'score'].includes(key) ? '…' : part,
  );
};

export async function freshCopy(): Promise<string> {
  const folder = await temporaryFolder();
  const listed = await run(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    { cwd: root, maxBuffer: 10_000_000 },
  );
  for (const path of listed.stdout
    .split('\0')
    .filter((name) => name !== '' && existsSync(join(root, name))))
    await cp(join(root, path), join(folder, path));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const git = (...args: string[]) =>
    run('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: folder });
  await git('init', '--quiet');
  await git('add', '--all');
  await git('commit', '--quiet', '--message=.');
  return folder;
}

const environment: Readonly<Record<string, string | undefined>> = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  RATE_LIMIT_PER_MINUTE: '0',
};

/**
 * Runs `npm start` until the server is ready. @returns a function that stops it and returns its log
 */
export async function npmStart(folder: string, port: number): Promise<() => Promise<string>> {
  const child = spawn('npm', ['start'], {
    cwd: folder,
    env: { ...environment, PORT: String(port) },
    detached: true,
    stdio: 'pipe',
  });
  const [ended, output] = [
    once(child, 'close'),
    Promise.all([text(child.stdout), text(child.stderr)]),
  ];
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null && child.pid)
      process.kill(-child.pid, 'SIGKILL');
  });
  /** npm forwards the signal to the server. */
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    const log = (await output).join('');
    expect(log).toContain('"msg":"stopped"');
    return log;
  };
  for (;;) {
    if (child.exitCode !== null) throw new Error(`npm start ended: ${(await output).join('')}`);
    const response = await fetch(`http://127.0.0.1:${port}/ready`).catch(() => undefined);
    if (response?.ok) return stop;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

type StepsRun = Readonly<{
  folder: string;
  /** Texts of the page and their replacements, such as addresses. */
  replaced: Readonly<Record<string, string>>;
  settings?: Readonly<Record<string, string>>;
}>;

export const withReplaced = (text: string, replaced: StepsRun['replaced']): string =>
  Object.entries(replaced).reduce((all, [from, to]) => all.replaceAll(from, to), text);

/** @returns what each step prints */
export async function runSteps(
  steps: readonly DocumentedStep[],
  { folder, replaced, settings = {} }: StepsRun,
): Promise<string[]> {
  const separator = '\u001e';
  const script = [
    'set -euo pipefail',
    ...steps.flatMap(({ commands }) => [commands, `printf '${separator}'`]),
  ].join('\n');
  const { stdout } = await run('bash', ['-c', withReplaced(script, replaced)], {
    cwd: folder,
    env: { ...environment, ...settings },
  });
  // npm prints the script that it runs.
  const banner = /^\n?(?:> .*\n)+\n/gm;
  return stdout.split(separator).map((output) => output.replace(banner, '').trim());
}

export const gitStatus = async (folder: string): Promise<string> =>
  (await run('git', ['status', '--short'], { cwd: folder })).stdout;
