/**
 * Caches derived data in `INDEX_DIR`, so that a restart is fast. Files that are missing, damaged or
 * of another version are ignored; damage is reported. Format: a header; for each part its length,
 * CRC-32 and data; then the length 0. Other work can run between two parts.
 */
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import { yieldToEventLoop } from '../concurrency/event-loop.ts';
import { isLeftoverOf, replaceFile } from './replace-file.ts';

/**
 * Header of a namespace's index. Raise the number with every change to the tokenizer, the chunker,
 * the parsers or the snapshot's format.
 */
const indexHeader = 'knowledge-index 15';
const lengthBytes = 8;
const crcBytes = 4;
/** Long, because a large snapshot takes time to write. */
export const leftoverAgeMs = 10 * 60 * 1_000;

export async function writeSnapshotFile(
  path: string,
  parts: AsyncIterable<unknown> | Iterable<unknown>,
  header = indexHeader,
) {
  await mkdir(dirname(path), { recursive: true });
  const write = async (file: FileHandle) => {
    await file.write(Buffer.from(header));
    for await (const part of parts) {
      const payload = serialize(part);
      const head = Buffer.alloc(lengthBytes + crcBytes);
      head.writeBigUInt64BE(BigInt(payload.length));
      head.writeUInt32BE(crc32(payload), lengthBytes);
      for (const bytes of [head, payload]) await file.write(bytes);
      await yieldToEventLoop();
    }
    await file.write(Buffer.alloc(lengthBytes));
  };
  await replaceFile(path, write, { isDerived: true });
}

/**
 * Returns the result of `use`; undefined if the file is missing, damaged or of another version.
 * @param use reads all parts in order; rejects if one is invalid
 * @param onDamaged called if the file is damaged; not for another version
 */
export async function readSnapshotFile<Result>(
  path: string,
  use: (parts: AsyncIterable<unknown>) => Promise<Result>,
  {
    header = indexHeader,
    onDamaged,
  }: Readonly<{ header?: string; onDamaged?: ((error: unknown) => void) | undefined }> = {},
): Promise<Result | undefined> {
  const handle = await open(path, 'r').catch(() => undefined);
  if (!handle) return undefined;
  const { size } = await handle.stat();
  const take = async (bytes: number) => {
    // A damaged length may be any number.
    if (bytes > size) throw new Error('the snapshot is truncated');
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafeSlow(bytes), 0, bytes);
    if (bytesRead < bytes) throw new Error('the snapshot is truncated');
    return buffer;
  };
  async function* parts() {
    for (;;) {
      const length = Number((await take(lengthBytes)).readBigUInt64BE());
      if (length === 0) return;
      const crc = (await take(crcBytes)).readUInt32BE();
      const payload = await take(length);
      if (crc32(payload) !== crc) throw new Error('the checksum of the snapshot is wrong');
      yield deserialize(payload);
    }
  }
  try {
    const found = (await take(Buffer.byteLength(header))).toString();
    if (found === header) return await use(parts());
    // The header of every version begins like this.
    if (/^knowledge-(?:index|vectors) \d/.test(found)) return undefined;
    throw new Error('the snapshot has an unknown header');
  } catch (error) {
    onDamaged?.(error);
    return undefined;
  } finally {
    await handle.close();
  }
}

export async function allParts(parts: AsyncIterable<unknown>): Promise<unknown[]> {
  const all: unknown[] = [];
  for await (const part of parts) all.push(part);
  return all;
}

/** Removes a snapshot and the leftovers of its interrupted writes. */
export async function removeSnapshotFile(path: string) {
  await rm(path, { force: true });
  const folder = dirname(path);
  for (const name of await readdir(folder).catch(() => []))
    if (isLeftoverOf(path, name)) await rm(join(folder, name), { force: true });
}

/** Removes all entries except the folders of existing namespaces. */
export async function removeStrays(folder: string, namespaces: ReadonlySet<string>) {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const isKept = entry.isDirectory() && namespaces.has(entry.name);
    if (!isKept) await rm(join(folder, entry.name), { recursive: true, force: true });
  }
}
