import { existsSync, readFileSync, statSync } from 'node:fs';
import { rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Reserve } from '../../../src/documents/reserve.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const full = () =>
  Object.assign(new Error('ENOSPC: no space left on device, write'), {
    code: 'ENOSPC',
    syscall: 'write',
  });

async function setUp() {
  const folder = await temporaryFolder();
  const path = join(folder, '.reserve');
  const reserve = new Reserve([folder, join(folder, 'missing')]);
  await reserve.fill();
  return { path, folder, reserve, withReserve: reserve.run };
}

it('releases its space if the disk is full, runs the work again and reserves the space again', async () => {
  const { path, withReserve } = await setUp();
  expect(statSync(path).blocks * 512).toBeGreaterThanOrEqual(1_048_576);
  const seen: boolean[] = [];
  const work = async () => {
    seen.push(existsSync(path));
    if (seen.length === 1) throw new Error('not deleted', { cause: full() });
    return 'deleted';
  };
  expect(await withReserve(work)).toBe('deleted');
  expect(seen).toEqual([true, false]);
  expect(statSync(path).size).toBe(1_048_576);
});

it('leaves its space free until the last delete has ended', async () => {
  const { path, withReserve } = await setUp();
  const seen: boolean[] = [];
  await withReserve(async () => {
    if (seen.length === 0)
      await withReserve(async () => void (seen.push(true) === 1 && (await Promise.reject(full()))));
    seen.push(existsSync(path));
  });
  expect(seen).toEqual([true, true, false]);
  expect(existsSync(path)).toBe(true);
});

it('throws the error of the second run, and runs work once if the disk is not full', async () => {
  const { withReserve } = await setUp();
  let runs = 0;
  const fail = (error: Error) => async () => {
    runs++;
    throw error;
  };
  await expect(withReserve(fail(full()))).rejects.toThrow('ENOSPC');
  await expect(withReserve(fail(new Error('away')))).rejects.toThrow('away');
  expect(runs).toBe(3);
});

it('does not follow a link with its name', async () => {
  const { path, folder, reserve } = await setUp();
  await writeFile(join(folder, 'theirs'), 'text');
  await rm(path);
  await symlink(join(folder, 'theirs'), path);
  await reserve.fill();
  expect(readFileSync(join(folder, 'theirs'), 'utf8')).toBe('text');
  expect(statSync(path).size).toBe(1_048_576);
});
