/**
 * What can be made again, put away in `INDEX_DIR` so that a restart need not: only a copy. One that is missing, cut short, altered, or
 * written by another version is ignored; that it is cut short or altered is told. Written and read in parts, with room for other work between them: a header that says what it
 * is, then each part after its length and its CRC-32, then the length 0.
 */
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import { crc32 } from 'node:zlib';
import { yieldToEventLoop } from '../concurrency/event-loop.ts';
import { isLeftoverOf, replaceFile } from './replace-file.ts';

/** Of a namespace's index. The number rises with every change to what is stored: the tokenizer, the chunker, the parsers, the snapshot's shape. */
export const indexHeader = 'knowledge-index 13';
const [lengthBytes, crcBytes] = [8, 4] as const;
/** What every version begins with. */
const isOfAnotherVersion = (found: string) => /^knowledge-(?:index|vectors) \d/.test(found);
/** A large one takes its time to be written. */
export const leftoverAgeMs = 10 * 60 * 1_000;

export async function writeSnapshotFile(
  path: string,
  parts: AsyncIterable<unknown> | Iterable<unknown>,
  header = indexHeader,
): Promise<void> {
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
 * What `use` makes of the parts, in their order; undefined where there is no file that can be trusted.
 * @param use takes all of them; rejects where one is not what it should be
 * @param onDamaged told where there is a file of this version, or of none, that cannot be trusted
 */
export async function readSnapshotFile<Result>(
  path: string,
  use: (parts: AsyncIterable<unknown>) => Promise<Result>,
  { header = indexHeader, onDamaged }: { readonly header?: string; readonly onDamaged?: ((error: unknown) => void) | undefined } = {},
): Promise<Result | undefined> {
  const handle = await open(path, 'r').catch(() => undefined);
  if (!handle) return undefined;
  const { size } = await handle.stat();
  const take = async (bytes: number) => {
    // A length that is altered may be any number.
    if (bytes > size) throw new Error('the snapshot is cut short');
    const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafeSlow(bytes), 0, bytes);
    if (bytesRead < bytes) throw new Error('the snapshot is cut short');
    return buffer;
  };
  async function* parts() {
    for (;;) {
      const length = Number((await take(lengthBytes)).readBigUInt64BE());
      if (length === 0) return;
      const crc = (await take(crcBytes)).readUInt32BE();
      const payload = await take(length);
      if (crc32(payload) !== crc) throw new Error('the snapshot is altered');
      yield deserialize(payload);
    }
  }
  try {
    const found = (await take(Buffer.byteLength(header))).toString();
    if (found !== header && isOfAnotherVersion(found)) return undefined;
    if (found !== header) throw new Error('the snapshot has another beginning');
    return await use(parts());
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

/** Removes a snapshot, and what killed writes of it left. */
export async function removeSnapshotFile(path: string): Promise<void> {
  await rm(path, { force: true });
  const folder = dirname(path);
  for (const name of await readdir(folder).catch(() => [])) if (isLeftoverOf(path, name)) await rm(join(folder, name), { force: true });
}

/** Removes the folders of namespaces that there are no more, and what an earlier version kept beside them. */
export async function removeStrays(folder: string, namespaces: ReadonlySet<string>): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const isKept = entry.isDirectory() && namespaces.has(entry.name);
    if (!isKept) await rm(join(folder, entry.name), { recursive: true, force: true });
  }
}
