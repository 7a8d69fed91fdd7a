import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { PartFiles } from '../../../packages/shared/src/disk/part-files.ts';
import { temporaryFolder } from '../../support/workspace.ts';

/** Stores texts, two per file. */
async function storeIn(folder: string) {
  const texts = new Map<string, string>();
  const state = { mayWrite: true };
  const files = new PartFiles({
    folder,
    maxWeight: 2,
    weightOf: () => 1,
    contentOf: (ids) => {
      if (!state.mayWrite) throw new Error('the disk is full');
      return [ids.map((id) => [id, texts.get(id)])];
    },
  });
  await files.read(async (parts) => {
    const entries: [string, string][] = [];
    for await (const part of parts) entries.push(...(part as [string, string][]));
    for (const [id, text] of entries) texts.set(id, text);
    return entries.map(([id]) => id);
  });
  const put = (id: string, text: string) => {
    texts.set(id, text);
    files.change(id);
  };
  const erase = (id: string) => {
    texts.delete(id);
    return files.erase(id);
  };
  const onDisk = () =>
    new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'latin1')]));
  return { files, texts, state, put, erase, onDisk };
}

async function filled() {
  const folder = await temporaryFolder();
  const store = await storeIn(folder);
  for (const id of ['a', 'b', 'c', 'd', 'e']) store.put(id, `text of ${id}`);
  await store.files.save();
  return { folder, ...store };
}

it('rewrites only the files of changed texts', async () => {
  const { folder, files, put, onDisk } = await filled();
  const before = onDisk();
  put('a', 'another text');
  await files.save();
  const same = [...onDisk()].filter(([name, content]) => before.get(name) === content);
  expect([same.length, onDisk().size]).toEqual([2, 4]);
  expect((await storeIn(folder)).texts.get('a')).toBe('another text');
});

it('erases a text from disk and keeps all others', async () => {
  const { folder, erase, put, onDisk, texts } = await filled();
  put('b', 'a text that is not saved yet');
  await erase('b');
  expect([...onDisk().values()].join()).not.toContain('text of b');
  expect((await storeIn(folder)).texts).toEqual(texts);
});

it('removes a file that cannot be rewritten without an erased text and saves its other texts later', async () => {
  const { folder, erase, state, files, onDisk, texts } = await filled();
  state.mayWrite = false;
  await erase('a');
  expect([...onDisk().values()].join()).not.toContain('text of a');
  state.mayWrite = true;
  await files.save();
  expect((await storeIn(folder)).texts).toEqual(texts);
});

it('writes texts of a failed save with the next one', async () => {
  const { folder, put, state, files, texts } = await filled();
  put('f', 'text of f');
  state.mayWrite = false;
  await expect(files.save()).rejects.toThrow('the disk is full');
  state.mayWrite = true;
  await files.save();
  expect((await storeIn(folder)).texts).toEqual(texts);
});
