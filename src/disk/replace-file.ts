/**
 * Replacing a file in one step: whoever reads it finds the old content or the new one, whole, also after a crash. The temporary name
 * is nobody else's, and what a killed process left is removed at a start alone: later it could be another write, about to be renamed.
 */
import { randomUUID } from 'node:crypto';
import { type FileHandle, lstat, open, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { KeyedQueue } from '../concurrency/queue.ts';
import { systemErrorCode } from '../errors.ts';

const temporaryName = /^\.(.*\.)?[0-9a-f-]{36}\.tmp$/;
/** Since the last write to it: a younger one may belong to another process that is at it. */
const leftoverAgeMs = 30_000;

export interface ReplaceOptions {
  readonly mode?: number;
  /** Whether it may be lost in a crash of the machine, because it can be made again. It costs a wait for the disk. */
  readonly isDerived?: boolean;
}

/** What a system answers whose folders cannot be synced, and need not be. */
const notSynced = new Set(['EINVAL', 'EISDIR', 'EPERM', 'EACCES', 'ENOENT', 'ENOTSUP']);
const inTurn = new KeyedQueue();
const nextSyncs = new Map<string, Promise<void>>();

async function syncNow(folder: string): Promise<void> {
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

/** Resolves when the names in a folder survive a power cut. Calls that come while one sync runs share the next. */
export function syncFolder(folder: string): Promise<void> {
  const next = nextSyncs.get(folder) ?? inTurn.run(folder, () => syncNow(folder));
  nextSyncs.set(folder, next);
  return next;
}

/** A new content beside the file that it is to replace. */
export interface StagedFile {
  /** In one step. */
  put(): Promise<void>;
  discard(): Promise<void>;
}

/** @param path in a folder that exists. @param write gives the new content to an empty file */
export async function stageFile(
  path: string,
  write: (file: FileHandle) => Promise<unknown>,
  { mode = 0o600, isDerived = false }: ReplaceOptions = {},
): Promise<StagedFile> {
  const temporary = join(dirname(path), `.${basename(path)}.${randomUUID()}.tmp`);
  const discard = () => rm(temporary, { force: true });
  const orDiscard = async (error: unknown): Promise<never> => {
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

/** As `stageFile`, at once. */
export async function replaceFile(...[path, write, options]: Parameters<typeof stageFile>): Promise<void> {
  const staged = await stageFile(path, write, options);
  await staged.put();
}

/** Removes what killed processes left in a folder. @param minAgeMs what is younger stays */
export async function removeLeftovers(folder: string, minAgeMs = leftoverAgeMs): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    if (!temporaryName.test(name)) continue;
    const path = join(folder, name);
    const left = await lstat(path).catch(() => undefined);
    // The next start tries again.
    if (left?.isFile() && Date.now() - left.mtimeMs > minAgeMs) await rm(path, { force: true }).catch(() => undefined);
  }
}

/** Whether a name in the folder of a file is that of a killed write of it. */
export const isLeftoverOf = (path: string, name: string): boolean => temporaryName.exec(name)?.[1] === `${basename(path)}.`;
