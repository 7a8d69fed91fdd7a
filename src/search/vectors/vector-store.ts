/**
 * Vectors of one model, keyed by the SHA-256 of their text, in memory and on disk. All namespaces
 * share them, so each text is embedded once. Files of about a megabyte are replaced atomically.
 * Deletes files that are damaged or of another model; the queue embeds again.
 */
import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Semaphore } from '../../../packages/shared/src/concurrency/queue.ts';
import { removeLeftovers } from '../../../packages/shared/src/disk/replace-file.ts';
import {
  allParts,
  readSnapshotFile,
  writeSnapshotFile,
} from '../../../packages/shared/src/disk/snapshot-file.ts';
import { KnowledgeError } from '../../../packages/shared/src/errors.ts';

/** Keys and their concatenated vectors. */
interface FileContent {
  readonly keys: readonly string[];
  readonly numbers: Float32Array;
}

interface VectorFile {
  readonly path: string;
  readonly keys: Set<string>;
}

/** For all namespaces: 768 MB, 125,000 vectors of 1,536 numbers. */
const maxNumbers = 192_000_000;
/** Per file: one megabyte, because each change rewrites its file. */
const maxFileNumbers = 250_000;

export class VectorStore {
  readonly #folder;
  readonly #header;
  readonly #onWarning;
  readonly #vectors = new Map<string, Readonly<{ vector: Float32Array; file: VectorFile }>>();
  #dimensions = 0;
  readonly #files: VectorFile[] = [];
  readonly #changed = new Set<VectorFile>();
  readonly #inOrder = new Semaphore(1);

  /** @param folder must contain nothing else */
  constructor(folder: string, model: string, onWarning: (message: string, error: unknown) => void) {
    this.#folder = folder;
    this.#header = `knowledge-vectors 1 ${JSON.stringify(model)}`;
    this.#onWarning = onWarning;
  }

  /**
   * Must be called first. Deletes unusable files (damaged, of other models, leftovers): no vectors
   * of deleted texts may remain.
   */
  async open() {
    await removeLeftovers(this.#folder);
    for (const name of await readdir(this.#folder).catch(() => [])) {
      if (!/\.bin(\.|$)/.test(name)) continue;
      const path = join(this.#folder, name);
      const onDamaged = (error: unknown) =>
        this.#onWarning('Damaged vectors were deleted. Their texts will be embedded again.', error);
      const [content] =
        (await readSnapshotFile(path, allParts, { header: this.#header, onDamaged })) ?? [];
      if (!content || !this.#take(path, content as FileContent)) await rm(path, { force: true });
    }
  }

  /** @returns whether any vector is usable */
  #take(path: string, { keys, numbers }: FileContent) {
    const dimensions = numbers.length / keys.length;
    if (this.#vectors.size === 0) this.#dimensions = dimensions;
    if (dimensions !== this.#dimensions) return false;
    const file = this.#newFile(path);
    keys.forEach((key, position) => {
      if (!this.has(key))
        this.#put(key, numbers.slice(position * dimensions, (position + 1) * dimensions), file);
    });
    return file.keys.size > 0;
  }

  #newFile(path: string) {
    const file = { path, keys: new Set<string>() };
    this.#files.push(file);
    return file;
  }

  #put(key: string, vector: Float32Array, file: VectorFile) {
    this.#vectors.set(key, { vector, file });
    file.keys.add(key);
  }

  /** 0 until there is a vector. */
  get dimensions() {
    return this.#dimensions;
  }

  has(key: string) {
    return this.#vectors.has(key);
  }

  vectorOf(key: string): Float32Array | undefined {
    return this.#vectors.get(key)?.vector;
  }

  isFull() {
    return this.#vectors.size * this.#dimensions >= maxNumbers;
  }

  /**
   * @throws KnowledgeError `model_failed` if the vector has other dimensions than the stored ones
   */
  check(vector: Float32Array) {
    if (vector.length === this.#dimensions) return;
    throw new KnowledgeError(
      'model_failed',
      `The embedding model returned ${vector.length} dimensions, but stored vectors have ${this.#dimensions}. Delete the folder "vectors" in INDEX_DIR to embed all texts again.`,
    );
  }

  /**
   * Adds vectors in memory at once, and on disk when it resolves. A write error is only a warning.
   * @throws as `check`
   */
  async add(vectors: ReadonlyMap<string, Float32Array>) {
    for (const [key, vector] of vectors) {
      if (this.#vectors.size === 0) this.#dimensions = vector.length;
      this.check(vector);
      if (this.has(key)) continue;
      const file =
        this.#files.find(({ keys }) => keys.size * this.#dimensions < maxFileNumbers) ??
        this.#newFile(join(this.#folder, `${randomUUID()}.bin`));
      this.#put(key, vector, file);
      this.#changed.add(file);
    }
    await this.#save();
  }

  /**
   * Deletes all other vectors, in memory at once, and on disk when it resolves. @returns their keys
   */
  async retain(isHeld: (key: string) => boolean): Promise<string[]> {
    const forgotten: string[] = [];
    for (const [key, { file }] of this.#vectors) {
      if (isHeld(key)) continue;
      forgotten.push(key);
      this.#vectors.delete(key);
      file.keys.delete(key);
      this.#changed.add(file);
    }
    await this.#save();
    return forgotten;
  }

  /** Serializes writes. A failed write is retried with the next change. */
  #save() {
    return this.#inOrder.run(async () => {
      const changed = [...this.#changed];
      this.#changed.clear();
      for (const [position, file] of changed.entries()) {
        try {
          await this.#write(file);
        } catch (error) {
          for (const left of changed.slice(position)) this.#changed.add(left);
          this.#onWarning(
            'Vectors could not be saved. After a restart their texts will be embedded again.',
            error,
          );
          return;
        }
      }
    });
  }

  async #write({ path, keys: held }: VectorFile) {
    if (held.size === 0) return rm(path, { force: true });
    const keys = [...held];
    const numbers = new Float32Array(keys.length * this.#dimensions);
    for (const [position, key] of keys.entries())
      numbers.set(this.vectorOf(key) as Float32Array, position * this.#dimensions);
    await writeSnapshotFile(path, [{ keys, numbers }], this.#header);
  }
}
