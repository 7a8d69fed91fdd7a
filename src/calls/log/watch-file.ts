/**
 * Whether a file is another one than before: told by the system where it can, and looked at now and then in case it did not tell. A file
 * counts as changed when its size, times or identity differ.
 */
import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';

export interface FileWatch {
  close(): void;
}

/** @returns undefined where there is no such file */
export async function stampOf(path: string): Promise<string | undefined> {
  try {
    const { size, mtimeMs, ctimeMs, ino } = await stat(path);
    return [size, mtimeMs, ctimeMs, ino].join(':');
  } catch {
    return undefined;
  }
}

/** One `stat`, so it costs nothing. */
const everyMs = 2_000;

/** @param look called often; what has changed is its matter */
export function watchFile(path: string, look: () => void): FileWatch {
  const timer = setInterval(look, everyMs);
  timer.unref();
  let watcher: FSWatcher | undefined;
  try {
    // The folder, because a file that is replaced is another one.
    watcher = watch(dirname(path), { persistent: false }, (_event, name) => {
      if (name === null || name === basename(path)) look();
    });
    watcher.on('error', () => watcher?.close());
  } catch {
    // Some systems give no events, and the folder may be missing: then the timer has to do.
  }
  return {
    close() {
      clearInterval(timer);
      watcher?.close();
    },
  };
}
