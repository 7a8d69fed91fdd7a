/**
 * Space on the disk for deletes. Forgetting what quotes a document writes before it frees anything, so a full disk would refuse every
 * delete. A delete that is refused removes the reserve and tries once more. Deleting the document first would also free space, but a kill
 * would then leave its quotes behind, with no document left to delete.
 */
import { randomBytes } from 'node:crypto';
import { lstat, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { storageError } from '../errors.ts';

/** Enough for the log of a database and for the reports of jobs. */
const reserveBytes = 1_048_576;

/** Runs work that can be repeated; if the disk is full, removes the reserve and runs it once more. */
export type WithReserve = <T>(work: () => Promise<T>) => Promise<T>;

const statOf = (path: string) => lstat(path).catch(() => undefined);

/** @param folders one reserve for each of their file systems, in the first folder that is there */
export function createReserve(folders: readonly string[]) {
  const pathIn = (folder: string) => join(folder, '.reserve');
  let running = 0;

  /** Never throws: without space, the next delete or the next start tries again. */
  async function fill(): Promise<void> {
    const devices = new Set<number>();
    // Without it, the reserve would lie in the next folder of the same disk.
    if (folders[0] !== undefined) await mkdir(folders[0], { recursive: true }).catch(() => undefined);
    for (const folder of folders) {
      const device = (await statOf(folder))?.dev;
      if (device === undefined || devices.has(device)) continue;
      devices.add(device);
      const path = pathIn(folder);
      if ((await statOf(path))?.size === reserveBytes) continue;
      const remove = () => rm(path, { force: true });
      try {
        await remove();
        // Random: some file systems give zeros no space. `wx` follows no link.
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
      // The space belongs to all deletes that run.
      if (--running === 0) await fill();
    }
  };

  return { fill, withReserve };
}
