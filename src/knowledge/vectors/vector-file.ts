/**
 * Vectors of one model on disk: a header, then places of one size, each free or a record (key, numbers, CRC-32 of both). A record that
 * was cut short, damaged or wiped fails its CRC and counts as free, so a process may be killed at any moment and places may be
 * written in any order. A file of another version or model is not read.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';

/** What a place holds; undefined: nothing. */
export type RecordOf = (place: number) => { readonly key: string; readonly vector: Float32Array } | undefined;

export interface VectorFile {
  /** Calls `visit` for each record that is whole; the vector is valid during the call. @returns shape of the file, undefined where none can be read */
  load(
    visit: (place: number, key: string, vector: Float32Array) => void,
  ): Promise<{ readonly dimensions: number; readonly places: number } | undefined>;
  /** Writes these places as they are now, in an existing file. @throws ENOENT */
  write(dimensions: number, places: readonly number[], recordOf: RecordOf): Promise<void>;
  /** Writes a new file with the first `places` places, and puts it in the old one's stead. */
  replace(dimensions: number, places: number, recordOf: RecordOf): Promise<void>;
  remove(): Promise<void>;
  /** Removes the files of other models, in which the vectors of a deleted text would live on, and what killed writes left behind. */
  removeOthers(): Promise<void>;
}

const magic = Buffer.from('knowledge-vectors 1\n');
const headerBytes = 64;
const keyBytes = 32;
const crcBytes = 4;
const maxDimensions = 65_536;
/** Read and written at a time. */
const pieceBytes = 4 * 1024 * 1024;

const slugOf = (model: string) =>
  model
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 40);

/** @param folder of vector files alone */
export function createVectorFile(folder: string, model: string): VectorFile {
  const modelHash = createHash('sha256').update(model).digest();
  const path = join(folder, `${slugOf(model)}-${modelHash.toString('hex').slice(0, 12)}.bin`);
  const recordBytes = (dimensions: number) => keyBytes + dimensions * Float32Array.BYTES_PER_ELEMENT + crcBytes;
  const perPiece = (dimensions: number) => Math.max(1, Math.floor(pieceBytes / recordBytes(dimensions)));

  function header(dimensions: number): Buffer {
    const bytes = Buffer.alloc(headerBytes);
    magic.copy(bytes);
    modelHash.copy(bytes, magic.length);
    const end = bytes.writeUInt32LE(dimensions, magic.length + modelHash.length);
    bytes.writeUInt32LE(crc32(bytes.subarray(0, end)), end);
    return bytes;
  }

  function* pieces(dimensions: number, places: readonly number[], recordOf: RecordOf): Generator<{ first: number; bytes: Buffer }> {
    const size = recordBytes(dimensions);
    for (let from = 0; from < places.length; ) {
      const first = places[from] as number;
      let count = 1;
      while (places[from + count] === first + count && count < perPiece(dimensions)) count++;
      const bytes = Buffer.alloc(count * size);
      for (let index = 0; index < count; index++) {
        const record = recordOf(first + index);
        if (record?.vector.length !== dimensions) continue;
        const place = bytes.subarray(index * size, (index + 1) * size);
        place.write(record.key, 'base64url');
        place.set(new Uint8Array(record.vector.buffer, record.vector.byteOffset, record.vector.byteLength), keyBytes);
        place.writeUInt32LE(crc32(place.subarray(0, -crcBytes)), size - crcBytes);
      }
      yield { first, bytes };
      from += count;
    }
  }

  async function writePlaces(name: string, flags: string, dimensions: number, places: readonly number[], recordOf: RecordOf) {
    const handle = await open(name, flags);
    try {
      if (flags === 'wx') await handle.write(header(dimensions), 0, headerBytes, 0);
      for (const { first, bytes } of pieces(dimensions, places, recordOf)) {
        await handle.write(bytes, 0, bytes.length, headerBytes + first * recordBytes(dimensions));
      }
      await handle.datasync();
    } finally {
      await handle.close();
    }
  }

  return {
    async load(visit) {
      const handle = await open(path, 'r').catch(() => undefined);
      if (!handle) return undefined;
      try {
        const head = Buffer.alloc(headerBytes);
        await handle.read(head, 0, headerBytes, 0);
        const dimensions = head.readUInt32LE(magic.length + modelHash.length);
        if (dimensions < 1 || dimensions > maxDimensions || !head.equals(header(dimensions))) return undefined;
        const size = recordBytes(dimensions);
        const places = Math.floor(((await handle.stat()).size - headerBytes) / size);
        // Memory of its own, so that the numbers in it are aligned.
        const piece = Buffer.allocUnsafeSlow(Math.min(places, perPiece(dimensions)) * size);
        for (let first = 0; first < places; first += perPiece(dimensions)) {
          const { bytesRead } = await handle.read(piece, 0, piece.length, headerBytes + first * size);
          for (let at = 0; at + size <= bytesRead; at += size) {
            const record = piece.subarray(at, at + size);
            if (crc32(record.subarray(0, -crcBytes)) !== record.readUInt32LE(size - crcBytes)) continue;
            const key = record.toString('base64url', 0, keyBytes);
            visit(first + at / size, key, new Float32Array(piece.buffer, at + keyBytes, dimensions));
          }
        }
        return { dimensions, places };
      } finally {
        await handle.close();
      }
    },

    write: (dimensions, places, recordOf) => writePlaces(path, 'r+', dimensions, places, recordOf),

    async replace(dimensions, places, recordOf) {
      await mkdir(folder, { recursive: true });
      const temporary = `${path}.${randomUUID()}.tmp`;
      const all = Array.from({ length: places }, (_, place) => place);
      try {
        await writePlaces(temporary, 'wx', dimensions, all, recordOf);
        await rename(temporary, path);
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },

    remove: () => rm(path, { force: true }),

    async removeOthers() {
      const own = basename(path);
      for (const name of await readdir(folder).catch(() => [])) {
        if (name !== own && /\.(bin|tmp)$/.test(name)) await rm(join(dirname(path), name), { force: true });
      }
    },
  };
}
