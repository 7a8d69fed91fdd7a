/**
 * A namespace's index put away in `INDEX_DIR`, so that a restart need not read every document again. Only a copy: a file that is
 * missing, cut short, altered, or written by another version is ignored and the index is built from the documents.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { deserialize, serialize } from 'node:v8';

/** Rises with every change to what is stored: the tokenizer, the chunker, the snapshot's shape. */
const formatVersion = 3;
const magic = Buffer.from(`knowledge-index ${formatVersion} v8-${process.versions.v8.split('.')[0]}\n`);
const hashBytes = 32;

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest();

export async function writeSnapshotFile(path: string, value: unknown): Promise<void> {
  const payload = serialize(value);
  await mkdir(dirname(path), { recursive: true });
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    const handle = await open(temporary, 'wx');
    try {
      await handle.writeFile(Buffer.concat([magic, sha256(payload), payload]));
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

/** Undefined where there is none that can be trusted. */
export async function readSnapshotFile(path: string): Promise<unknown> {
  const bytes = await readFile(path).catch(() => undefined);
  if (!bytes?.subarray(0, magic.length).equals(magic)) return undefined;
  const payload = bytes.subarray(magic.length + hashBytes);
  if (!bytes.subarray(magic.length, magic.length + hashBytes).equals(sha256(payload))) return undefined;
  try {
    return deserialize(payload);
  } catch {
    return undefined;
  }
}
