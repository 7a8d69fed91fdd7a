/**
 * Vectors of one model by the SHA-256 of what was embedded, in memory and on disk, shared by all namespaces: a text is embedded once,
 * however often it stands somewhere and however often the process starts. On disk they are files of a megabyte or so; one that changes is
 * replaced as a whole, so a process may be killed at any moment. A file that is damaged or of another model is removed, and its vectors
 * are made again.
 */
import { randomUUID } from 'node:crypto';
import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createSerialQueue } from '../../concurrency/queue.ts';
import { removeLeftovers } from '../../disk/replace-file.ts';
import { allParts, readSnapshotFile, writeSnapshotFile } from '../../disk/snapshot-file.ts';
import { KnowledgeError } from '../../errors.ts';

export interface VectorStoreOptions {
  /** Of vector files alone. */
  readonly folder: string;
  readonly model: string;
  readonly onWarning: (message: string, error: unknown) => void;
}

/** What a file holds: the vectors of its keys, end to end. */
interface FileContent {
  readonly keys: readonly string[];
  readonly numbers: Float32Array;
}

/** A file, and which vectors belong into it. */
interface VectorFile {
  readonly path: string;
  readonly keys: Set<string>;
}

/** Over all namespaces: 768 MB, 125,000 vectors of 1,536 numbers. */
const maxNumbers = 192_000_000;
/** Of one file: a megabyte, which is little to write again for a vector that comes or goes. */
const maxFileNumbers = 250_000;
export class VectorStore {
  readonly #folder: string;
  /** Of this model's files. */
  readonly #header: string;
  readonly #onWarning: VectorStoreOptions['onWarning'];
  readonly #vectors = new Map<string, { readonly vector: Float32Array; readonly file: VectorFile }>();
  #dimensions = 0;
  readonly #files: VectorFile[] = [];
  readonly #changed = new Set<VectorFile>();
  readonly #inOrder = createSerialQueue();

  constructor({ folder, model, onWarning }: VectorStoreOptions) {
    this.#folder = folder;
    this.#header = `knowledge-vectors 1 ${JSON.stringify(model)}`;
    this.#onWarning = onWarning;
  }

  /**
   * Reads what is on disk; once, before anything else. What cannot be used is removed, so that the vectors of a deleted text do not live
   * on in it: damaged files, those of other models, and what killed writes left behind.
   */
  async open(): Promise<void> {
    await removeLeftovers(this.#folder);
    for (const name of await readdir(this.#folder).catch(() => [])) {
      if (!/\.bin(\.|$)/.test(name)) continue;
      const path = join(this.#folder, name);
      const onDamaged = (error: unknown) => this.#onWarning('Vectors were damaged on disk, and are made again.', error);
      const [content] = (await readSnapshotFile(path, allParts, { header: this.#header, onDamaged })) ?? [];
      if (!content || !this.#take(path, content as FileContent)) await rm(path, { force: true });
    }
  }

  /** @returns whether any of it can be used */
  #take(path: string, { keys, numbers }: FileContent): boolean {
    const dimensions = numbers.length / keys.length;
    if (this.#vectors.size === 0) this.#dimensions = dimensions;
    if (dimensions !== this.#dimensions) return false;
    const file = this.#newFile(path);
    keys.forEach((key, position) => {
      if (!this.has(key)) this.#put(key, numbers.slice(position * dimensions, (position + 1) * dimensions), file);
    });
    return file.keys.size > 0;
  }

  #newFile(path: string): VectorFile {
    const file = { path, keys: new Set<string>() };
    this.#files.push(file);
    return file;
  }

  #put(key: string, vector: Float32Array, file: VectorFile): void {
    this.#vectors.set(key, { vector, file });
    file.keys.add(key);
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

  /** Forgets the vectors of all other keys, in memory at once, and on disk when it resolves. @returns what is forgotten */
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

  /** One write after another; each writes what the changed files hold by then. What fails is tried again with the next change. */
  #save(): Promise<void> {
    return this.#inOrder(async () => {
      const changed = [...this.#changed];
      this.#changed.clear();
      for (const [position, file] of changed.entries()) {
        try {
          await this.#write(file);
        } catch (error) {
          for (const left of changed.slice(position)) this.#changed.add(left);
          this.#onWarning('Vectors could not be written to disk; a restart will make them again.', error);
          return;
        }
      }
    });
  }

  async #write({ path, keys: held }: VectorFile): Promise<void> {
    if (held.size === 0) return rm(path, { force: true });
    const keys = [...held];
    const numbers = new Float32Array(keys.length * this.#dimensions);
    for (const [position, key] of keys.entries()) numbers.set(this.vectorOf(key) as Float32Array, position * this.#dimensions);
    await writeSnapshotFile(path, [{ keys, numbers }], this.#header);
  }
}
