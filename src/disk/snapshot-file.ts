/**
 * A namespace's index put away in `INDEX_DIR`, so that a restart need not read every document again. Only a copy: a file that is
 * missing, cut short, altered, or written by another version is ignored and the index is built from the documents. Written and read in
 * parts, with room for other work between them: a header, each part with its length before it, the SHA-256 of it all.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';
import { isLeftoverOf, removeLeftovers, replaceFile } from './replace-file.ts';

/** Rises with every change to what is stored: the tokenizer, the chunker, the parsers, the snapshot's shape. */
const formatVersion = 8;
const magic = Buffer.from(`knowledge-index ${formatVersion} v8-${process.versions.v8.split('.')[0]}\n`);
const hashBytes = 32;
const lengthBytes = 8;
const blockBytes = 1 << 20;
const extension = '.index';
/** A large one takes its time to be written. */
const leftoverAgeMs = 10 * 60 * 1_000;

export const snapshotName = (namespace: string): string => `${namespace}${extension}`;

export async function writeSnapshotFile(path: string, parts: AsyncIterable<unknown>): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await replaceFile(path, async (file) => {
    const hash = createHash('sha256');
    const write = async (bytes: Uint8Array) => {
      hash.update(bytes);
      await file.write(bytes);
    };
    await write(magic);
    for await (const part of parts) {
      const payload = serialize(part);
      const length = Buffer.alloc(lengthBytes);
      length.writeBigUInt64BE(BigInt(payload.length));
      await write(length);
      await write(payload);
      await setImmediate();
    }
    await file.write(hash.digest());
  });
}

/** Whether the file begins as this version writes it and ends in the hash of all before. */
async function isWhole(handle: FileHandle, size: number): Promise<boolean> {
  if (size < magic.length + hashBytes) return false;
  const hash = createHash('sha256');
  const block = Buffer.allocUnsafe(blockBytes);
  for (let at = 0; at < size - hashBytes; ) {
    const { bytesRead } = await handle.read(block, 0, Math.min(blockBytes, size - hashBytes - at), at);
    if (bytesRead === 0 || (at === 0 && !block.subarray(0, magic.length).equals(magic))) return false;
    hash.update(block.subarray(0, bytesRead));
    at += bytesRead;
  }
  const { buffer } = await handle.read(Buffer.alloc(hashBytes), 0, hashBytes, size - hashBytes);
  return hash.digest().equals(buffer);
}

/**
 * What `use` makes of the parts, which it takes one by one in their order; undefined where there is no file that can be trusted.
 * @param use rejects where a part is not what it should be
 */
export async function readSnapshotFile<Result>(
  path: string,
  use: (next: () => Promise<unknown>) => Promise<Result>,
): Promise<Result | undefined> {
  const handle = await open(path, 'r').catch(() => undefined);
  if (!handle) return undefined;
  try {
    const { size } = await handle.stat();
    if (!(await isWhole(handle, size))) return undefined;
    let at = magic.length;
    const take = async (bytes: number) => {
      const { buffer } = await handle.read(Buffer.allocUnsafeSlow(bytes), 0, bytes, at);
      at += bytes;
      return buffer;
    };
    return await use(async () => deserialize(await take(Number((await take(lengthBytes)).readBigUInt64BE()))));
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
