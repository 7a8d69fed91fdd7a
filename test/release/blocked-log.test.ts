import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../support/postgres.ts';
import { root } from '../support/repository.ts';
import { foldersIn, temporaryFolder } from '../support/workspace.ts';

/** @param stdout `pipe`: a pipe that the test does not read */
async function startWith(stdout: 'pipe' | number) {
  const folder = await temporaryFolder();
  const port = await freePort();
  const settings = {
    PORT: `${port}`,
    ...foldersIn(folder),
    RATE_LIMIT_PER_MINUTE: '0',
  };
  const child = spawn(process.execPath, ['src/main.ts'], {
    cwd: root,
    env: { PATH: process.env['PATH'], ...settings },
    stdio: ['ignore', stdout, 'ignore'],
  });
  const ended = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const url = `http://127.0.0.1:${port}`;
  const isReady = async () => (await fetch(`${url}/ready`).catch(() => undefined))?.status === 200;
  await expect.poll(isReady).toBe(true);
  const statusOf = async (path: string) => (await fetch(`${url}${path}`)).status;
  const requests = async (count: number) => {
    const statuses = new Set<number>();
    for (let at = 0; at < count; at++)
      statuses.add(await statusOf(`/api/jobs/${'x'.repeat(4)}${at}`));
    return [...statuses];
  };
  const dropped = async () => {
    const text = await (await fetch(`${url}/metrics`)).text();
    return [...text.matchAll(/^knowledge_dropped_log_lines_total\{.*\} (\d+)$/gm)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );
  };
  const stop = async () => {
    child.kill('SIGTERM');
    return (await ended)[0];
  };
  return { child, requests, statusOf, dropped, stop };
}

it('responds while its log is not read, counts and later reports dropped lines, and ends on SIGTERM', async () => {
  const { child, requests, statusOf, dropped, stop } = await startWith('pipe');
  while ((await dropped()) === 0) expect(await requests(200)).toEqual([404]);
  expect(await statusOf('/health')).toBe(200);
  let log = '';
  child.stdout?.setEncoding('utf8').on('data', (part) => {
    log += part;
  });
  await expect.poll(() => log).toMatch(/"lines":\d+,"msg":"log lines were dropped/);
  child.stdout?.pause();
  expect(await requests(500)).toEqual([404]);
  expect(await stop()).toBe(0);
});

it('responds after its log pipe is closed', async () => {
  const { child, requests, dropped, stop } = await startWith('pipe');
  child.stdout?.destroy();
  expect(await requests(40)).toEqual([404]);
  expect(await dropped()).toBeGreaterThan(0);
  expect(await stop()).toBe(0);
});

it.skipIf(process.platform !== 'linux')('responds while the log disk is full', async () => {
  const { requests, dropped, stop } = await startWith(openSync('/dev/full', 'w'));
  expect(await requests(40)).toEqual([404]);
  expect(await dropped()).toBeGreaterThan(40);
  expect(await stop()).toBe(0);
});
