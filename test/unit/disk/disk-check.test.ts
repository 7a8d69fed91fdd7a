import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { DiskCheck } from '../../../packages/shared/src/disk/disk-check.ts';
import { Warnings } from '../../../src/warnings.ts';
import { temporaryFolder } from '../../support/workspace.ts';

it('warns while a folder cannot be written, from the first failed write', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const path = join(await temporaryFolder(), 'knowledge');
  await mkdir(path);
  const warnings = new Warnings({ warn: () => undefined, info: () => undefined });
  const check = new DiskCheck([path], warnings);
  check.start();
  onTestFinished(() => check.stop());
  const codes = () => warnings.list().map(({ code }) => code);
  const until = async (isSo: () => boolean) => {
    while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
  };
  await rm(path, { recursive: true });
  await writeFile(path, 'a file in place of the folder');
  check.failed('storage_unavailable');
  await until(() => codes().length > 0);
  expect(codes()).toEqual(['storage_unavailable']);
  await rm(path);
  await mkdir(path);
  vi.advanceTimersByTime(60_000);
  await until(() => codes().length === 0);
  expect(await readdir(path)).toEqual([]);
});
