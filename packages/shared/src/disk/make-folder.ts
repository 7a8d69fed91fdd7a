import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemErrorCode } from '../errors.ts';

/**
 * Creates a folder and its parents if they are missing. `mkdir` with `recursive` never ends if the
 * system reports ENOENT although the parent exists, as in /proc. @param path absolute @throws
 * errors of the file system
 */
export async function makeFolder(path: string) {
  try {
    await mkdir(path);
  } catch (error) {
    const code = systemErrorCode(error);
    // For existing folders, some systems report another code than EEXIST.
    if (code !== 'ENOENT') {
      const found = await stat(path).catch(() => undefined);
      if (found?.isDirectory()) return;
      throw error;
    }
    const above = dirname(path);
    if (above === path) throw error;
    await makeFolder(above);
    await mkdir(path).catch((again: unknown) => {
      if (systemErrorCode(again) !== 'EEXIST') throw again;
    });
  }
}
