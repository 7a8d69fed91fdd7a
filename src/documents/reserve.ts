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

/** Runs repeatable work; if the disk is full, removes the reserve and runs it once more. */
export type WithReserve = <T>(work: () => Promise<T>) => Promise<T>;

const statOf = (path: string) => lstat(path).catch(() => undefined);

export interface Reserve {
  /**
   * Writes missing reserves. Never throws: without space, the next delete or the next start tries
   * again.
   */
  fill(): Promise<void>;
  readonly withReserve: WithReserve;
}

/** @param folders get one reserve per file system, in the first existing folder */
export function createReserve(folders: readonly string[]): Reserve {
  const pathIn = (folder: string) => join(folder, '.reserve');
  let running = 0;

  async function fill(): Promise<void> {
    const devices = new Set<number>();
    // If the first folder were missing, its disk's reserve would go into a later folder.
    if (folders[0] !== undefined)
      await mkdir(folders[0], { recursive: true }).catch(() => undefined);
    for (const folder of folders) {
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

  const withReserve: WithReserve = async (work) => {
    running++;
    try {
      return await work().catch(async (error: unknown) => {
        if (storageError(error)?.code !== 'storage_full') throw error;
        for (const folder of folders) await rm(pathIn(folder), { force: true });
        return work();
      });
    } finally {
      // Refills after the last running delete, because all share the reserve.
      if (--running === 0) await fill();
    }
  };

  return { fill, withReserve };
}
