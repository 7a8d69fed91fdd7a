import { createHash } from 'node:crypto';
import { readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toUnitVector } from '../../../../src/search/vectors/embedder.ts';
import { VectorStore } from '../../../../src/search/vectors/vector-store.ts';
import { temporaryFolder } from '../../../support/workspace.ts';

const keyOf = (text: string) => createHash('sha256').update(text).digest('base64url');
const keys = ['a', 'b', 'c', 'd'].map(keyOf) as [string, string, string, string];
const [a, b, c, d] = keys;
const vectors = new Map(keys.map((key, number) => [key, toUnitVector([number + 1, 1, -number])]));
const headerBytes = 64;
const recordBytes = 32 + 3 * 4 + 4;

async function openStore(folder: string, model = 'Model/One', warnings: unknown[] = []) {
  const store = new VectorStore({ folder, model, onWarning: (...warning) => warnings.push(warning) });
  await store.open();
  return store;
}

/** Which of the keys are there; that their vectors are right is checked on the way. */
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

/** Where a text's record begins in a file. */
const recordAt = (file: Buffer, key: string) => file.indexOf(Buffer.from(key, 'base64url'));

describe('the vector store', () => {
  it('has what was put in, at once and after a restart', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    const written = store.add(vectors);
    expect(heldBy(store)).toEqual(keys);
    await written;
    expect(heldBy(await openStore(folder))).toEqual(keys);
    expect(await readdir(folder)).toEqual([expect.stringMatching(/^model-one-[0-9a-f]{12}\.bin$/)]);
  });

  it('appends without writing again what is there', async () => {
    const folder = await temporaryFolder();
    const store = await openStore(folder);
    await store.add(new Map([...vectors].slice(0, 2)));
    const path = join(folder, (await readdir(folder))[0]!);
    const before = await stat(path);
    const bytes = await readFile(path);
    await store.add(new Map([...vectors].slice(1)));
    expect((await stat(path)).ino).toBe(before.ino);
    expect((await readFile(path)).subarray(0, bytes.length).equals(bytes)).toBe(true);
    expect((await stat(path)).size).toBe(headerBytes + 4 * recordBytes);
  });

  it.each([1, 20, recordBytes - 1])('drops a record that is cut short by %i bytes, and no other', async (missing) => {
    const { folder, path } = await filledFolder();
    await truncate(path, (await stat(path)).size - missing);
    const store = await openStore(folder);
    expect(heldBy(store)).toEqual([a, b, c]);
    await store.add(vectors);
    expect(heldBy(await openStore(folder))).toEqual(keys);
  });

  it('drops a damaged record wherever it stands, and no other', async () => {
    const { folder, path } = await filledFolder();
    const bytes = await readFile(path);
    bytes[recordAt(bytes, b) + 35]! ^= 1;
    await writeFile(path, bytes);
    const store = await openStore(folder);
    expect(heldBy(store)).toEqual([a, c, d]);
    await store.add(vectors);
    expect(heldBy(await openStore(folder))).toEqual(keys);
  });

  it('begins anew where any byte of the header is wrong', async () => {
    const { folder, path } = await filledFolder();
    const bytes = await readFile(path);
    for (let at = 0; at < headerBytes; at += 7) {
      const damaged = Buffer.from(bytes);
      damaged[at]! ^= 1;
      await writeFile(path, damaged);
      expect(heldBy(await openStore(folder))).toEqual([]);
    }
    for (const size of [0, 10, headerBytes]) {
      await writeFile(path, bytes.subarray(0, size));
      expect(heldBy(await openStore(folder))).toEqual([]);
    }
    const store = await openStore(folder);
    await store.add(vectors);
    expect(heldBy(await openStore(folder))).toEqual(keys);
  });

  it('does not read what another model made, and removes it', async () => {
    const { folder } = await filledFolder();
    await writeFile(join(folder, 'model-one-x.bin.1.tmp'), 'left over');
    expect(heldBy(await openStore(folder, 'model one'))).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });

  it('reads nothing from a file of another model under its name', async () => {
    const { folder, path } = await filledFolder();
    const bytes = await readFile(path);
    const other = await openStore(folder, 'model two');
    await other.add(new Map([[a, vectors.get(a)!]]));
    const [name] = await readdir(folder);
    await writeFile(join(folder, name!), bytes);
    expect(heldBy(await openStore(folder, 'model two'))).toEqual([]);
  });

  it('forgets what is not held, in memory and on disk, and uses the place again', async () => {
    const { folder, path } = await filledFolder();
    const store = await openStore(folder);
    await store.retain((key) => key === a || key === d);
    expect(heldBy(store)).toEqual([a, d]);
    const wiped = await readFile(path);
    expect([a, b, c, d].map((key) => recordAt(wiped, key) >= 0)).toEqual([true, false, false, true]);
    expect(wiped.indexOf(Buffer.from(vectors.get(b)!.buffer))).toBe(-1);
    expect(heldBy(await openStore(folder))).toEqual([a, d]);
    await store.add(new Map([[b, vectors.get(b)!]]));
    expect(heldBy(store)).toEqual([a, b, d]);
    expect(heldBy(await openStore(folder))).toEqual([a, b, d]);
    expect((await stat(path)).size).toBe(headerBytes + 4 * recordBytes);
  });

  it('leaves free places out after a restart', async () => {
    const { folder, path } = await filledFolder();
    await (await openStore(folder)).retain((key) => key === d);
    const store = await openStore(folder);
    await store.add(new Map([[a, vectors.get(a)!]]));
    expect((await stat(path)).size).toBe(headerBytes + 2 * recordBytes);
    expect(heldBy(await openStore(folder))).toEqual([a, d]);
  });

  it('has no file once nothing is held, and begins again with vectors of any length', async () => {
    const { folder } = await filledFolder();
    const store = await openStore(folder);
    const forgotten = store.retain(() => false);
    const added = store.add(new Map([[a, toUnitVector([1, 1])]]));
    await Promise.all([forgotten, added]);
    expect((await openStore(folder)).dimensions).toBe(2);
    await store.retain(() => false);
    expect(await readdir(folder)).toEqual([]);
  });

  it('refuses vectors that cannot be compared with those that are there', async () => {
    const { folder } = await filledFolder();
    const store = await openStore(folder);
    await expect(store.add(new Map([[keyOf('new'), toUnitVector([1, 2])]]))).rejects.toMatchObject({ code: 'model_failed' });
    expect(heldBy(store)).toEqual(keys);
  });

  it('writes everything again where its folder was removed', async () => {
    const { folder } = await filledFolder();
    const store = await openStore(folder);
    await rm(folder, { recursive: true });
    await store.add(new Map([[keyOf('new'), toUnitVector([3, 2, 1])]]));
    const again = await openStore(folder);
    expect(heldBy(again)).toEqual(keys);
    expect(again.has(keyOf('new'))).toBe(true);
  });

  it('keeps working in memory where the disk fails, and says so', async () => {
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

  it('never takes a vector for another one, whatever two processes do to one file', async () => {
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
