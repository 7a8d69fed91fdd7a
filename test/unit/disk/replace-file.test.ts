import { fstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import {
  isLeftoverOf,
  replaceFile,
  syncFolder,
} from '../../../packages/shared/src/disk/replace-file.ts';
import { DocumentStore } from '../../../src/documents/document-store.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'knowledge-replace-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** @returns inodes of the folders synced after this call */
async function watchSyncs(): Promise<number[]> {
  const handle = await open(folder, 'r');
  const prototype: FileHandle = Object.getPrototypeOf(handle);
  await handle.close();
  const synced: number[] = [];
  const { sync } = prototype;
  const spy = vi.spyOn(prototype, 'sync').mockImplementation(function (this: FileHandle) {
    const found = fstatSync(this.fd);
    if (found.isDirectory()) synced.push(found.ino);
    return sync.call(this);
  });
  onTestFinished(() => spy.mockRestore());
  return synced;
}
const inodeOf = async (path: string) => {
  const handle = await open(path, 'r');
  const { ino } = await handle.stat();
  await handle.close();
  return ino;
};

it('syncs the folder after a rename, unless the file is derived', async () => {
  const synced = await watchSyncs();
  await replaceFile(join(folder, 'a'), (file) => file.writeFile('a'));
  expect(synced).toEqual([await inodeOf(folder)]);
  await replaceFile(join(folder, 'b'), (file) => file.writeFile('b'), { isDerived: true });
  expect(synced).toHaveLength(1);
});

it('replaces a file with the longest possible name', async () => {
  const path = join(folder, `${'😀'.repeat(63)}.md`);
  await replaceFile(path, async (file) => {
    expect(readdirSync(folder).map((name) => isLeftoverOf(path, name))).toEqual([true]);
    await file.writeFile('a');
  });
  expect(readFileSync(path, 'utf8')).toBe('a');
});

it('shares one sync among calls made during another', async () => {
  const synced = await watchSyncs();
  await Promise.all(Array.from({ length: 20 }, () => syncFolder(folder)));
  expect(synced.length).toBeLessThanOrEqual(2);
});

it('syncs the folders of new and deleted documents', async () => {
  const synced = await watchSyncs();
  const store = new DocumentStore(folder);
  await store.write('docs', 'deep/a.md', '# A');
  const deep = await inodeOf(join(folder, 'docs/deep'));
  expect(synced).toEqual([await inodeOf(folder), await inodeOf(join(folder, 'docs')), deep]);
  await store.remove('docs', 'deep/a.md');
  expect(synced.slice(3)).toEqual([deep]);
});
