/**
 * Reserves disk space for deletes. Deleting a document's quotes writes before it frees space, so it
 * would fail on a full disk. A failed delete releases the reserve and tries once more. Quotes are
 * deleted before their document: otherwise a kill could leave quotes without a document.
 */
import { randomBytes } from 'node:crypto';
import { lstat, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { storageError } from '../../packages/shared/src/errors.ts';

/** Enough for the log of a database and for the reports of jobs. */
const reserveBytes = 1_048_576;

const statOf = (path: string) => lstat(path).catch(() => undefined);

const pathIn = (folder: string) => join(folder, '.reserve');

export class Reserve {
  readonly #folders;
  #running = 0;

  /** @param folders get one reserve per file system, in the first existing folder */
  constructor(folders: readonly string[]) {
    this.#folders = folders;
  }

  /**
   * Writes missing reserves. Never throws: without space, the next delete or the next start tries
   * again.
   */
  async fill() {
    const devices = new Set<number>();
    const [first] = this.#folders;
    // If the first folder were missing, its disk's reserve would go into a later folder.
    if (first !== undefined) await mkdir(first, { recursive: true }).catch(() => undefined);
    for (const folder of this.#folders) {
      const device = (await statOf(folder))?.dev;
      if (device === undefined || devices.has(device)) continue;
      devices.add(device);
      const path = pathIn(folder);
      if ((await statOf(path))?.size === reserveBytes) continue;
      const remove = () => rm(path, { force: true });
      try {
        await remove();
        // Random: some file systems allocate no space for zeros. `wx` does not follow links.
        await writeFile(path, randomBytes(reserveBytes), { flag: 'wx', mode: 0o600 });
      } catch {
        await remove().catch(() => undefined);
      }
    }
  }

  /** Runs repeatable work; if the disk is full, removes the reserve and runs it once more. */
  readonly run = async <T>(work: () => Promise<T>) => {
    this.#running++;
    try {
      return await work().catch(async (error: unknown) => {
        if (storageError(error)?.code !== 'storage_full') throw error;
        for (const folder of this.#folders) await rm(pathIn(folder), { force: true });
        return work();
      });
    } finally {
      // Refills after the last running delete, because all share the reserve.
      if (--this.#running === 0) await this.fill();
    }
  };
}
