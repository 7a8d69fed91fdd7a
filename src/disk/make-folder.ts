/**
 * A folder and those above it. Not by `mkdir` with `recursive`: where the system answers ENOENT although the folder above is there, as below
 * /proc, that one never ends.
 */
import { mkdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { systemErrorCode } from '../errors.ts';

/** @param path absolute; a folder that is there is left as it is @throws what the system refuses */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const code = systemErrorCode(error);
    // Some systems say something else than EEXIST of a folder that is there.
    if (code !== 'ENOENT') {
      const isFolder = await stat(path).then(
        (found) => found.isDirectory(),
        () => false,
      );
      if (!isFolder) throw error;
      return;
    }
    const above = dirname(path);
    if (above === path) throw error;
    await makeFolder(above);
    await mkdir(path).catch((again: unknown) => {
      if (systemErrorCode(again) !== 'EEXIST') throw again;
    });
  }
}
