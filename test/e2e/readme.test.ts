/** Runs every command of README.md, docs/clients.md and docs/attach.md from top to bottom in a fresh copy of the project. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { cp, symlink } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../support/workspace.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const run = promisify(execFile);

/** Commands that the test replaces: it links node_modules and starts the server itself. */
const replacedCommands = ['npm ci', 'npm start'];

interface Step {
  readonly commands: string;
  readonly shown: string | undefined;
}

const stepsOf = (page: string): Step[] =>
  [...page.matchAll(/^```sh\n([\s\S]*?)\n```$(?:(?:(?!^```)[\s\S])*?^```(?:text|json)\n([\s\S]*?)\n```$)?/gm)]
    .map(([, commands = '', shown]) => ({ commands, shown }))
    .filter(({ commands }) => !replacedCommands.includes(commands));

/** Masks values that differ from run to run. */
const steady = (output: string): unknown => {
  if (!output.startsWith('{')) return output;
  return JSON.parse(output, (key, part) => (['revision', 'runId', 'toolCallId', 'score'].includes(key) ? '…' : part));
};

async function freshCopy(): Promise<string> {
  const folder = await temporaryFolder();
  const listed = await run('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, maxBuffer: 10_000_000 });
  for (const path of listed.stdout.split('\0').filter((name) => name !== '' && existsSync(join(root, name))))
    await cp(join(root, path), join(folder, path));
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  const git = (...args: string[]) => run('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...args], { cwd: folder });
  await git('init', '--quiet');
  await git('add', '--all', ':!node_modules');
  await git('commit', '--quiet', '--message=.');
  return folder;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address ? address.port : 0;
}

const environment = { PATH: process.env['PATH'], HOME: process.env['HOME'], RATE_LIMIT_PER_MINUTE: '0' };

/** Runs `npm start` until the server is ready. @returns a function that stops it */
async function npmStart(folder: string, port: number): Promise<() => Promise<void>> {
  const child = spawn('npm', ['start'], { cwd: folder, env: { ...environment, PORT: String(port) }, detached: true, stdio: 'pipe' });
  const [ended, output] = [once(child, 'close'), Promise.all([text(child.stdout), text(child.stderr)])];
  onTestFinished(() => {
    if (child.exitCode === null && child.signalCode === null && child.pid) process.kill(-child.pid, 'SIGKILL');
  });
  /** npm forwards the signal to the server. */
  const stop = async () => {
    child.kill('SIGTERM');
    await ended;
    expect((await output).join('')).toContain('"msg":"stopped"');
  };
  for (;;) {
    if (child.exitCode !== null) throw new Error(`npm start ended: ${(await output).join('')}`);
    const response = await fetch(`http://127.0.0.1:${port}/ready`).catch(() => undefined);
    if (response?.ok) return stop;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

async function runSteps(steps: readonly Step[], folder: string, port: number): Promise<string[]> {
  const separator = '\u001e';
  // --fail: a status of 400 or more ends the script.
  const head = ['set -euo pipefail', 'curl() { command curl --fail "$@"; }'];
  const script = [...head, ...steps.flatMap(({ commands }) => [commands, `printf '${separator}'`])].join('\n');
  const { stdout } = await run('bash', ['-c', script.replaceAll('localhost:4111', `127.0.0.1:${port}`)], { cwd: folder, env: environment });
  // npm prints the script that it runs.
  const banner = /^\n?(?:> .*\n)+\n/gm;
  return stdout.split(separator).map((output) => output.replace(banner, '').trim());
}

const pages = ['README.md', 'docs/clients.md', 'docs/attach.md'];

it('every command of README.md (twice), clients.md and attach.md prints its documented output and leaves no changes', async () => {
  const folder = await freshCopy();
  const perPage = pages.map((page) => stepsOf(readFileSync(join(root, page), 'utf8')));
  for (const steps of perPage) expect(steps.filter(({ shown }) => shown !== undefined).length).toBeGreaterThanOrEqual(2);
  for (const steps of [perPage.flat(), perPage[0] ?? []]) {
    const port = await freePort();
    const stop = await npmStart(folder, port);
    const outputs = await runSteps(steps, folder, port);
    await stop();
    for (const [index, { commands, shown }] of steps.entries()) {
      if (shown !== undefined) expect(steady(outputs[index] ?? ''), commands).toEqual(steady(shown));
    }
    expect((await run('git', ['status', '--short', '--', ':!node_modules'], { cwd: folder })).stdout).toBe('');
  }
});
