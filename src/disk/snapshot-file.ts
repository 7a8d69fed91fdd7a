/**
 * A namespace's index put away in `INDEX_DIR`, so that a restart need not read every document again. Only a copy: a file that is
 * missing, cut short, altered, or written by another version is ignored and the index is built from the documents. Written and read in
 * parts, with room for other work between them: a header, then each part after its length and its SHA-256, then the length 0.
 */
import { createHash } from 'node:crypto';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import { isLeftoverOf, removeLeftovers, replaceFile } from './replace-file.ts';

/** Rises with every change to what is stored: the tokenizer, the chunker, the parsers, the snapshot's shape. */
const formatVersion = 10;
const magic = Buffer.from(`knowledge-index ${formatVersion} v8-${process.versions.v8.split('.')[0]}\n`);
const hashBytes = 32;
const lengthBytes = 8;
const extension = '.index';
/** A large one takes its time to be written. */
const leftoverAgeMs = 10 * 60 * 1_000;

export const snapshotName = (namespace: string): string => `${namespace}${extension}`;

const hashOf = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

export async function writeSnapshotFile(path: string, parts: AsyncIterable<unknown>): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await replaceFile(path, async (file) => {
    await file.write(magic);
    for await (const part of parts) {
      const payload = serialize(part);
      const length = Buffer.alloc(lengthBytes);
      length.writeBigUInt64BE(BigInt(payload.length));
      for (const bytes of [length, hashOf(payload), payload]) await file.write(bytes);
      await setImmediate();
    }
    await file.write(Buffer.alloc(lengthBytes));
  });
}

/**
 * What `use` makes of the parts, in their order; undefined where there is no file that can be trusted.
 * @param use takes all of them; rejects where one is not what it should be
 */
export async function readSnapshotFile<Result>(
  path: string,
  use: (parts: AsyncIterable<unknown>) => Promise<Result>,
): Promise<Result | undefined> {
  const handle = await open(path, 'r').catch(() => undefined);
  if (!handle) return undefined;
  const take = async (bytes: number) => {
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafeSlow(bytes), 0, bytes);
    if (bytesRead < bytes) throw new Error('the snapshot is cut short');
    return buffer;
  };
  async function* parts() {
    for (;;) {
      const length = Number((await take(lengthBytes)).readBigUInt64BE());
      if (length === 0) return;
      const hash = await take(hashBytes);
      const payload = await take(length);
      if (!hashOf(payload).equals(hash)) throw new Error('the snapshot is altered');
      yield deserialize(payload);
    }
  }
  try {
    if (!(await take(magic.length)).equals(magic)) return undefined;
    return await use(parts());
  } catch {
    return undefined;
  } finally {
    await handle.close();
  }
}

/** Removes a snapshot, and what killed writes of it left. */
export async function removeSnapshotFile(path: string): Promise<void> {
  await rm(path, { force: true });
  const folder = dirname(path);
  for (const name of await readdir(folder).catch(() => [])) if (isLeftoverOf(path, name)) await rm(join(folder, name), { force: true });
}

/** Removes the snapshots of namespaces that there are no more, and what killed writes left behind a while ago. */
export async function removeStrayFiles(folder: string, namespaces: ReadonlySet<string>): Promise<void> {
  await removeLeftovers(folder, leftoverAgeMs);
  for (const name of await readdir(folder).catch(() => [])) {
    const isSnapshot = name.endsWith(extension) && namespaces.has(name.slice(0, -extension.length));
    if (!isSnapshot && !name.startsWith('.')) await rm(join(folder, name), { force: true });
  }
}
