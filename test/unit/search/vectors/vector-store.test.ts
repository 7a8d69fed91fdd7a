import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toUnitVector } from '../../../../src/search/vectors/embedder.ts';
import { VectorStore } from '../../../../src/search/vectors/vector-store.ts';
import { temporaryFolder } from '../../../support/workspace.ts';

const keyOf = (text: string) => createHash('sha256').update(text).digest('base64url');
const keys = ['a', 'b', 'c', 'd'].map(keyOf) as [string, string, string, string];
const [a, b, c, d] = keys;
const vectors = new Map(keys.map((key, number) => [key, toUnitVector([number + 1, 1, -number])]));
async function openStore(folder: string, model = 'Model/One', warnings: unknown[] = []) {
  const store = new VectorStore(folder, model, (...warning) => warnings.push(warning));
  await store.open();
  return store;
}

/** Keys that the store has. Also checks their vectors. */
function heldBy(store: Awaited<ReturnType<typeof openStore>>): string[] {
  return keys.filter((key) => {
    const vector = store.vectorOf(key);
    if (vector) expect(vector).toEqual(vectors.get(key));
    return vector !== undefined;
  });
}

async function filledFolder(): Promise<{ folder: string; path: string }> {
  const folder = await temporaryFolder();
  await (await openStore(folder)).add(vectors);
  return { folder, path: join(folder, (await readdir(folder))[0]!) };
}

/** 250,000 numbers, so large that each vector has its own file. */
const largeVector = (number: number) => new Float32Array(250_000).fill(1, number, number + 1);

async function largeFiles() {
  const folder = await temporaryFolder();
  await (await openStore(folder)).add(
    new Map([a, b].map((key, number) => [key, largeVector(number)])),
  );
  const pathOf = async (key: string) => {
    for (const name of await readdir(folder))
      if ((await readFile(join(folder, name))).includes(key)) return join(folder, name);
    return expect.fail(key);
  };
  return { folder, pathOf };
}

describe('the vector store', () => {
  it('has added vectors at once and after a restart', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    const written = store.add(vectors);
    expect(heldBy(store)).toEqual(keys);
    await written;
    expect(heldBy(await openStore(folder))).toEqual(keys);
    expect(await readdir(folder)).toEqual([expect.stringMatching(/^[0-9a-f-]{36}\.bin$/)]);
  });

  it('rewrites only the files whose vectors change', async () => {
    const { folder, pathOf } = await largeFiles();
    const changedAt = async (key: string) => (await stat(await pathOf(key))).mtimeMs;
    const before = await changedAt(b);
    const store = await openStore(folder);
    await store.retain((key) => key !== a);
    await store.add(new Map([[a, largeVector(0)]]));
    expect(await changedAt(b)).toBe(before);
    expect((await readdir(folder)).length).toBe(2);
  });

  it.each(['incomplete', 'damaged', 'empty'])(
    'replaces only the file that is %s',
    async (state) => {
      const { folder, pathOf } = await largeFiles();
      const path = await pathOf(b);
      const bytes = await readFile(path);
      if (state === 'damaged') bytes[bytes.length >> 1]! ^= 1;
      await writeFile(
        path,
        bytes.subarray(0, { incomplete: bytes.length - 1, damaged: bytes.length, empty: 0 }[state]),
      );
      const store = await openStore(folder);
      expect([a, b].map((key) => store.has(key))).toEqual([true, false]);
      await store.add(new Map([[b, largeVector(1)]]));
      const again = await openStore(folder);
      expect([a, b].map((key, number) => again.vectorOf(key)?.[number])).toEqual([1, 1]);
    },
  );

  it('deletes files of another model without using them', async () => {
    const { folder } = await filledFolder();
    await writeFile(join(folder, 'model-one-x.bin.1.tmp'), 'left over');
    expect(heldBy(await openStore(folder, 'model one'))).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });

  it('deletes all vectors but the retained ones, in memory and on disk', async () => {
    const { folder, path } = await filledFolder();
    const store = await openStore(folder);
    await store.retain((key) => key === a || key === d);
    expect(heldBy(store)).toEqual([a, d]);
    const bytes = await readFile(path);
    expect([a, b, c, d].map((key) => bytes.includes(key))).toEqual([true, false, false, true]);
    expect(bytes.includes(Buffer.from(vectors.get(b)!.buffer))).toBe(false);
    expect(heldBy(await openStore(folder))).toEqual([a, d]);
    await store.add(new Map([[b, vectors.get(b)!]]));
    expect(heldBy(await openStore(folder))).toEqual([a, b, d]);
    expect(await readdir(folder)).toHaveLength(1);
  });

  it('keeps working in memory when the disk fails, with a warning', async () => {
    const folder = await temporaryFolder();
    const warnings: unknown[] = [];
    const store = await openStore(join(folder, 'file', 'vectors'), 'm', warnings);
    await writeFile(join(folder, 'file'), 'in the way');
    await store.add(vectors);
    expect(heldBy(store)).toEqual(keys);
    expect(warnings).toHaveLength(1);
    await rm(join(folder, 'file'));
    await store.add(new Map([[keyOf('new'), toUnitVector([3, 2, 1])]]));
    expect(heldBy(await openStore(join(folder, 'file', 'vectors'), 'm'))).toEqual(keys);
  });

  it('never confuses vectors, even if two processes change one folder', async () => {
    const { folder } = await filledFolder();
    const first = await openStore(folder);
    const second = await openStore(folder);
    await first.retain((key) => key !== a && key !== b);
    await second.add(new Map([[keyOf('new'), toUnitVector([3, 2, 1])]]));
    await first.add(new Map([[b, vectors.get(b)!]]));
    await second.retain((key) => key === b);
    const third = await openStore(folder);
    expect(keys).toEqual(expect.arrayContaining(heldBy(third)));
  });
});
