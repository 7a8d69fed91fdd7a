/**
 * Vectors of one model by the SHA-256 of what was embedded, in memory and on disk, shared by all namespaces: a text is embedded once,
 * however often it stands somewhere and however often the process starts. The file is a header, then places of one size, each free
 * or a record (key, numbers, CRC-32 of both). A record that was cut short, damaged or wiped fails its CRC and counts as free, so a
 * process may be killed at any moment. A file of another version or model is not read. Two processes on one file may lose each
 * other's vectors, which are then made again; a wrong vector for a key does not come of it.
 */
import { createHash } from 'node:crypto';
import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { crc32 } from 'node:zlib';
import { removeLeftovers, replaceFile } from '../../disk/replace-file.ts';
import { KnowledgeError, systemErrorCode } from '../../errors.ts';

export interface VectorStoreOptions {
  /** Of vector files alone. */
  readonly folder: string;
  readonly model: string;
  readonly onWarning: (message: string, error: unknown) => void;
}

/** Over all namespaces: 768 MB, 125,000 vectors of 1,536 numbers. */
const maxNumbers = 192_000_000;

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

const recordBytes = (dimensions: number) => keyBytes + dimensions * Float32Array.BYTES_PER_ELEMENT + crcBytes;
const perPiece = (dimensions: number) => Math.max(1, Math.floor(pieceBytes / recordBytes(dimensions)));

function headerOf(modelHash: Buffer, dimensions: number): Buffer {
  const bytes = Buffer.alloc(headerBytes);
  magic.copy(bytes);
  modelHash.copy(bytes, magic.length);
  const end = bytes.writeUInt32LE(dimensions, magic.length + modelHash.length);
  bytes.writeUInt32LE(crc32(bytes.subarray(0, end)), end);
  return bytes;
}

/**
 * Gives `take` each whole record of a file that begins as it should; the vector is valid during the call.
 * @returns how many places the file has
 */
async function readRecords(file: FileHandle, modelHash: Buffer, take: (key: string, vector: Float32Array) => void): Promise<number> {
  const head = Buffer.alloc(headerBytes);
  await file.read(head, 0, headerBytes, 0);
  const dimensions = head.readUInt32LE(magic.length + modelHash.length);
  if (dimensions < 1 || dimensions > maxDimensions || !head.equals(headerOf(modelHash, dimensions))) return 0;
  const size = recordBytes(dimensions);
  const places = Math.floor(((await file.stat()).size - headerBytes) / size);
  // Memory of its own, so that the numbers in it are aligned.
  const piece = Buffer.allocUnsafeSlow(Math.min(places, perPiece(dimensions)) * size);
  for (let first = 0; first < places; first += perPiece(dimensions)) {
    const { bytesRead } = await file.read(piece, 0, piece.length, headerBytes + first * size);
    for (let at = 0; at + size <= bytesRead; at += size) {
      const record = piece.subarray(at, at + size);
      if (crc32(record.subarray(0, -crcBytes)) !== record.readUInt32LE(size - crcBytes)) continue;
      take(record.toString('base64url', 0, keyBytes), new Float32Array(piece.buffer, at + keyBytes, dimensions));
    }
  }
  return places;
}

export class VectorStore {
  readonly #folder: string;
  readonly #path: string;
  readonly #modelHash: Buffer;
  readonly #onWarning: VectorStoreOptions['onWarning'];
  readonly #vectors = new Map<string, { readonly place: number; readonly vector: Float32Array }>();
  /** Per place in the file; undefined: free. */
  readonly #keys: (string | undefined)[] = [];
  readonly #free: number[] = [];
  #dimensions = 0;
  /** Whether there is a file whose places are those of `#keys`. */
  #isFileCurrent = false;
  #writing: Promise<void> = Promise.resolve();

  constructor({ folder, model, onWarning }: VectorStoreOptions) {
    this.#folder = folder;
    this.#modelHash = createHash('sha256').update(model).digest();
    this.#path = join(folder, `${slugOf(model)}-${this.#modelHash.toString('hex').slice(0, 12)}.bin`);
    this.#onWarning = onWarning;
  }

  /**
   * Reads what is on disk; once, before anything else. The files of other models, in which the vectors of a deleted text would live on,
   * are removed, and what killed writes left behind.
   */
  async open(): Promise<void> {
    const own = basename(this.#path);
    await removeLeftovers(this.#folder);
    for (const name of await readdir(this.#folder).catch(() => []))
      if (name !== own && /\.bin(\.|$)/.test(name)) await rm(join(this.#folder, name), { force: true });
    const handle = await open(this.#path, 'r').catch(() => undefined);
    if (!handle) return;
    try {
      const places = await readRecords(handle, this.#modelHash, (key, vector) => {
        this.#dimensions = vector.length;
        if (!this.has(key)) this.#put(key, vector.slice());
      });
      // Free places are left out here; the first write gives the file the same order.
      this.#isFileCurrent = places > 0 && places === this.#keys.length;
    } finally {
      await handle.close();
    }
  }

  /** Length of the vectors; 0 until there is one. */
  get dimensions(): number {
    return this.#dimensions;
  }

  has(key: string): boolean {
    return this.#vectors.has(key);
  }

  vectorOf(key: string): Float32Array | undefined {
    return this.#vectors.get(key)?.vector;
  }

  /** Whether no more should be put in. */
  isFull(): boolean {
    return this.#vectors.size * this.#dimensions >= maxNumbers;
  }

  /** @throws KnowledgeError `model_failed` where a vector cannot be compared with those that are there */
  check(vector: Float32Array): void {
    if (vector.length === this.#dimensions) return;
    throw new KnowledgeError(
      'model_failed',
      `The embedding model answers with ${vector.length} numbers where its kept vectors have ${this.#dimensions}; removing the folder "vectors" in INDEX_DIR makes all of them again.`,
    );
  }

  /**
   * There at once, on disk when it resolves; a disk that fails is a warning.
   * @throws KnowledgeError `model_failed` where the vectors are of another length than those that are there
   */
  async add(vectors: ReadonlyMap<string, Float32Array>): Promise<void> {
    const changed: number[] = [];
    for (const [key, vector] of vectors) {
      if (this.#vectors.size === 0) this.#dimensions = vector.length;
      this.check(vector);
      if (!this.has(key)) changed.push(this.#put(key, vector));
    }
    await this.#save(changed);
  }

  /** Forgets the vectors of all other keys, in memory at once, and on disk when it resolves. */
  async retain(isHeld: (key: string) => boolean): Promise<void> {
    const freed: number[] = [];
    for (const [key, { place }] of this.#vectors) {
      if (isHeld(key)) continue;
      this.#vectors.delete(key);
      this.#keys[place] = undefined;
      freed.push(place);
    }
    this.#free.push(...freed);
    if (this.#vectors.size === 0) {
      this.#keys.length = 0;
      this.#free.length = 0;
      this.#isFileCurrent = false;
    }
    await this.#save(freed);
  }

  #put(key: string, vector: Float32Array): number {
    const place = this.#free.pop() ?? this.#keys.length;
    this.#keys[place] = key;
    this.#vectors.set(key, { place, vector });
    return place;
  }

  /** One write after another; each writes what the places hold by then. */
  #save(changed: number[]): Promise<void> {
    if (changed.length === 0) return this.#writing;
    const inOrder = changed.sort((a, b) => a - b);
    this.#writing = this.#writing
      .then(() => this.#write(inOrder))
      .catch((error: unknown) => {
        this.#isFileCurrent = false;
        this.#onWarning('Vectors could not be written to disk; a restart will make them again.', error);
      });
    return this.#writing;
  }

  async #write(changed: readonly number[]): Promise<void> {
    if (this.#vectors.size === 0) return rm(this.#path, { force: true });
    const wasCurrent = this.#isFileCurrent;
    // Before the write, because what happens meanwhile may take it back.
    this.#isFileCurrent = true;
    // Everything derived may be deleted at any time.
    const file = wasCurrent ? await open(this.#path, 'r+').catch(unlessMissing) : undefined;
    if (!file) return this.#writeAll();
    try {
      await this.#writePlaces(file, changed);
      await file.datasync();
    } finally {
      await file.close();
    }
  }

  async #writeAll(): Promise<void> {
    await mkdir(this.#folder, { recursive: true });
    await replaceFile(this.#path, async (file) => {
      await file.write(headerOf(this.#modelHash, this.#dimensions), 0, headerBytes, 0);
      await this.#writePlaces(file, [...this.#keys.keys()]);
    });
  }

  /** @param places rising; those that follow one another are one write */
  async #writePlaces(file: FileHandle, places: readonly number[]): Promise<void> {
    const size = recordBytes(this.#dimensions);
    for (let from = 0; from < places.length; ) {
      const first = places[from] as number;
      let count = 1;
      while (places[from + count] === first + count && count < perPiece(this.#dimensions)) count++;
      const bytes = Buffer.alloc(count * size);
      for (let index = 0; index < count; index++) this.#fill(bytes.subarray(index * size, (index + 1) * size), first + index);
      await file.write(bytes, 0, bytes.length, headerBytes + first * size);
      from += count;
    }
  }

  /** @param record all 0, as it stays for a free place */
  #fill(record: Buffer, place: number): void {
    const key = this.#keys[place];
    const vector = key === undefined ? undefined : this.vectorOf(key);
    if (key === undefined || vector === undefined || recordBytes(vector.length) !== record.length) return;
    record.write(key, 'base64url');
    record.set(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength), keyBytes);
    record.writeUInt32LE(crc32(record.subarray(0, -crcBytes)), record.length - crcBytes);
  }
}

function unlessMissing(error: unknown): undefined {
  if (systemErrorCode(error) !== 'ENOENT') throw error;
}
