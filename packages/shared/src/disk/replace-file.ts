/**
 * Replaces files atomically: readers see the complete old or new content, even after a crash.
 * Temporary names are unique. Leftovers of killed processes are removed once they are too old to
 * belong to a running write.
 */
import { randomUUID } from 'node:crypto';
import { type FileHandle, lstat, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { KeyedQueue } from '../concurrency/queue.ts';
import { systemErrorCode } from '../errors.ts';

/** Name of a file that is being written. */
export const temporaryName = /^\.(.*\.)?[0-9a-f-]{36}\.tmp$/;
/** Name of the target, cut so that its temporary name is not too long for file systems. */
const labelOf = (path: string) => `${basename(path).slice(0, 60).toWellFormed()}.`;
/** Younger files may belong to a running write of another process. */
const leftoverAgeMs = 30_000;

interface ReplaceOptions {
  readonly mode?: number;
  /**
   * Skips the wait for the disk: a machine crash may lose the file, but it can be derived again.
   */
  readonly isDerived?: boolean;
}

/** Error codes of systems on which folders cannot be synced, and need not be. */
const notSynced = new Set(['EINVAL', 'EISDIR', 'EPERM', 'EACCES', 'ENOENT', 'ENOTSUP']);
const syncs = new KeyedQueue();
const nextSyncs = new Map<string, Promise<void>>();

async function syncNow(folder: string) {
  nextSyncs.delete(folder);
  let handle: FileHandle | undefined;
  try {
    handle = await open(folder, 'r');
    await handle.sync();
  } catch (error) {
    if (!notSynced.has(systemErrorCode(error) ?? '')) throw error;
  } finally {
    await handle?.close();
  }
}

/**
 * Resolves when the names in a folder survive a power cut. Calls made during a sync share the next
 * sync.
 */
export function syncFolder(folder: string) {
  const next = nextSyncs.get(folder) ?? syncs.run(folder, () => syncNow(folder));
  nextSyncs.set(folder, next);
  return next;
}

/**
 * Writes new content into a temporary file next to its target, which `put` replaces atomically.
 * @param path in an existing folder @param write writes the new content into an empty file
 */
export async function stageFile(
  path: string,
  write: (file: FileHandle) => Promise<unknown>,
  { mode = 0o600, isDerived = false }: ReplaceOptions = {},
) {
  const temporary = join(dirname(path), `.${labelOf(path)}${randomUUID()}.tmp`);
  const discard = () => rm(temporary, { force: true });
  const orDiscard = async (error: unknown) => {
    await discard();
    throw error;
  };
  const fill = async () => {
    const file = await open(temporary, 'wx', mode);
    try {
      await write(file);
      if (!isDerived) await file.sync();
    } finally {
      await file.close();
    }
  };
  await fill().catch(orDiscard);
  const put = async () => {
    await rename(temporary, path).catch(orDiscard);
    if (!isDerived) await syncFolder(dirname(path));
  };
  return { put, discard };
}

/** Like `stageFile`, and replaces the target at once. */
export async function replaceFile(...[path, write, options]: Parameters<typeof stageFile>) {
  const staged = await stageFile(path, write, options);
  await staged.put();
}

/** Removes temporary files of killed processes from a folder. @param minAgeMs younger files stay */
export async function removeLeftovers(folder: string, minAgeMs = leftoverAgeMs) {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!temporaryName.test(name)) continue;
    const path = join(folder, name);
    const left = await lstat(path).catch(() => undefined);
    // If the removal fails, the next call tries again.
    if (left?.isFile() && Date.now() - left.mtimeMs > minAgeMs)
      await rm(path, { force: true }).catch(() => undefined);
  }
}

/** Whether a name in the file's folder belongs to an interrupted write of this file. */
export const isLeftoverOf = (path: string, name: string) =>
  temporaryName.exec(name)?.[1] === labelOf(path);
