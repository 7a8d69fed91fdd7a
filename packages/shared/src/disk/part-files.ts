/**
 * Stores derived data of the documents of a namespace in several snapshot files, so that a change
 * rewrites only a few. Each document is in one file. A changed document leaves its file and is
 * written with the next save.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { TimeSlicer } from '../concurrency/time-slicer.ts';
import { removeLeftovers } from './replace-file.ts';
import {
  leftoverAgeMs,
  readSnapshotFile,
  removeSnapshotFile,
  writeSnapshotFile,
} from './snapshot-file.ts';

interface File {
  readonly name: string;
  readonly documents: Set<string>;
  weight: number;
  isOutdated: boolean;
}

const extension = '.part';

export class PartFiles {
  readonly #options;
  readonly #files = new Set<File>();
  readonly #fileOf = new Map<string, File>();
  readonly #unsaved = new Set<string>();

  constructor(
    options: Readonly<{
      folder: string;
      weightOf: (documentId: string) => number;
      /** Maximum weight of a file with several documents. */
      maxWeight: number;
      /** Content of a file with these documents, in parts that are each fast to create. */
      contentOf: (documentIds: readonly string[]) => Iterable<unknown> | AsyncIterable<unknown>;
    }>,
  ) {
    this.#options = options;
  }

  /**
   * Reads all files; removes damaged ones and those of another version. @param use reads a file and
   * returns the ids of its documents
   */
  async read(
    use: (parts: AsyncIterable<unknown>) => Promise<readonly string[]>,
    onDamaged?: (error: unknown) => void,
  ) {
    const { folder, weightOf } = this.#options;
    await removeLeftovers(folder, leftoverAgeMs);
    for (const name of (await this.#names()).filter((one) => !one.startsWith('.'))) {
      const path = join(folder, name);
      const ids = await readSnapshotFile(path, use, { onDamaged });
      if (!ids) {
        await rm(path, { force: true });
        continue;
      }
      const file = this.#newFile(name);
      for (const id of ids) {
        // An interrupted save may have left the document in two files.
        this.#leave(id);
        this.#put(id, file, weightOf(id));
      }
    }
  }

  async bytes() {
    const sizeOf = async (name: string) => (await stat(join(this.#options.folder, name))).size;
    // Another process may remove a file concurrently.
    const sizes = (await this.#names()).map((name) => sizeOf(name).catch(() => 0));
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  }

  /** Whether the document is saved or will be with the next save. */
  has(documentId: string) {
    return this.#fileOf.has(documentId) || this.#unsaved.has(documentId);
  }

  /** Marks a document as new or changed. */
  change(documentId: string) {
    this.#leave(documentId);
    this.#unsaved.add(documentId);
  }

  /** Erases documents. When it resolves, no file in the folder contains them. */
  async erase(...documentIds: string[]) {
    for (const id of documentIds) {
      this.#unsaved.delete(id);
      this.#leave(id);
    }
    // A file that cannot be rewritten, for example on a full disk, is removed.
    for (const file of this.#files)
      if (file.isOutdated) await this.#write(file).catch(() => this.#remove(file));
    const known = new Set([...this.#files].map(({ name }) => name));
    // Files of other processes and of interrupted writes may contain the documents too.
    for (const name of await this.#names())
      if (!known.has(name)) await rm(join(this.#options.folder, name), { force: true });
  }

  async save() {
    const { maxWeight, weightOf } = this.#options;
    const [lightest] = [...this.#files].sort((a, c) => a.weight - c.weight);
    // Reuses the lightest file; otherwise each save would leave a small file.
    let open = lightest && lightest.weight < maxWeight / 2 ? lightest : undefined;
    const outdated = new Set([...this.#files].filter(({ isOutdated }) => isOutdated));
    const moved = [...this.#unsaved];
    this.#unsaved.clear();
    const slicer = new TimeSlicer();
    for (const id of moved) {
      await slicer.pause();
      const weight = weightOf(id);
      if (!open || open.weight + weight > maxWeight)
        open = this.#newFile(`${randomUUID()}${extension}`);
      this.#put(id, open, weight);
      open.isOutdated = true;
      outdated.add(open);
    }
    try {
      for (const file of outdated) await this.#write(file);
    } catch (error) {
      for (const id of moved) if (this.#fileOf.get(id)?.isOutdated) this.change(id);
      throw error;
    }
  }

  async drop() {
    this.#files.clear();
    this.#fileOf.clear();
    this.#unsaved.clear();
    await rm(this.#options.folder, { recursive: true, force: true });
  }

  #newFile(name: string) {
    const file: File = { name, documents: new Set(), weight: 0, isOutdated: false };
    this.#files.add(file);
    return file;
  }

  #put(id: string, file: File, weight: number) {
    file.documents.add(id);
    file.weight += weight;
    this.#fileOf.set(id, file);
  }

  #leave(id: string) {
    const file = this.#fileOf.get(id);
    if (!file) return;
    file.documents.delete(id);
    this.#fileOf.delete(id);
    file.isOutdated = true;
  }

  /** Names of the files, including leftovers of interrupted writes. */
  async #names() {
    return (await readdir(this.#options.folder).catch(() => [])).filter((name) =>
      name.includes(extension),
    );
  }

  async #remove(file: File) {
    for (const id of file.documents) {
      this.#fileOf.delete(id);
      this.#unsaved.add(id);
    }
    this.#files.delete(file);
    await removeSnapshotFile(join(this.#options.folder, file.name));
  }

  async #write(file: File) {
    const { folder, weightOf, contentOf } = this.#options;
    const path = join(folder, file.name);
    const ids = [...file.documents];
    if (ids.length === 0) return this.#remove(file);
    await mkdir(folder, { recursive: true });
    file.isOutdated = false;
    file.weight = ids.reduce((sum, id) => sum + weightOf(id), 0);
    try {
      await writeSnapshotFile(path, contentOf(ids));
    } catch (error) {
      file.isOutdated = true;
      throw error;
    }
  }
}
