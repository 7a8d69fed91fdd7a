/**
 * A namespace's index put away in `INDEX_DIR`, so that a restart need not read every document again. Only a copy: a file that is
 * missing, cut short, altered, or written by another version is ignored and the index is built from the documents. Written in
 * parts, with room for other work between them: a header, each part with its length before it, the SHA-256 of it all.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { deserialize, serialize } from 'node:v8';

/** Rises with every change to what is stored: the tokenizer, the chunker, the parsers, the snapshot's shape. */
const formatVersion = 4;
const magic = Buffer.from(`knowledge-index ${formatVersion} v8-${process.versions.v8.split('.')[0]}\n`);
const hashBytes = 32;
const lengthBytes = 8;
const extension = '.index';
const temporarySuffix = /\.[0-9a-f-]{36}\.tmp$/;
const leftoverAgeMs = 10 * 60 * 1_000;

export const snapshotName = (namespace: string): string => `${namespace}${extension}`;

export async function writeSnapshotFile(path: string, parts: Iterable<unknown>): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const handle = await open(temporary, 'wx');
    try {
      const hash = createHash('sha256');
      const write = async (bytes: Uint8Array) => {
        hash.update(bytes);
        await handle.write(bytes);
      };
      await write(magic);
      for (const part of parts) {
        const payload = serialize(part);
        const length = Buffer.alloc(lengthBytes);
        length.writeBigUInt64BE(BigInt(payload.length));
        await write(length);
        await write(payload);
        await setImmediate();
      }
      await handle.write(hash.digest());
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** The parts in their order; undefined where there is no file that can be trusted. */
export async function readSnapshotFile(path: string): Promise<unknown[] | undefined> {
  const bytes = await readFile(path).catch(() => undefined);
  if (!bytes || bytes.length < magic.length + hashBytes || !bytes.subarray(0, magic.length).equals(magic)) return undefined;
  const content = bytes.subarray(0, -hashBytes);
  if (!createHash('sha256').update(content).digest().equals(bytes.subarray(-hashBytes))) return undefined;
  const parts: unknown[] = [];
  try {
    for (let at = magic.length; at < content.length; ) {
      const end = at + lengthBytes + Number(content.readBigUInt64BE(at));
      parts.push(deserialize(content.subarray(at + lengthBytes, end)));
      at = end;
    }
  } catch {
    return undefined;
  }
  return parts;
}

/** Removes a snapshot, and what a write of it that was killed left behind. */
export async function removeSnapshotFile(path: string): Promise<void> {
  const names = await readdir(dirname(path)).catch(() => []);
  const own = basename(path);
  for (const name of names) if (name.replace(temporarySuffix, '') === own) await rm(join(dirname(path), name), { force: true });
}

/** Removes the snapshots of namespaces that are gone, and what killed writes left behind a while ago. */
export async function removeStrayFiles(folder: string, namespaces: ReadonlySet<string>): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name);
    const namespace = name.slice(0, name.lastIndexOf(extension));
    const isStray = !namespaces.has(namespace);
    const age = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? 0);
    if (isStray || (name.endsWith('.tmp') && age > leftoverAgeMs)) await rm(path, { force: true });
  }
}
