/**
 * Tells of changes in a set of folders, each watched by itself. A hint, not the truth: whoever is told looks at the disk. Where
 * the system refuses to watch (no inotify watches left, a file system without events), `isComplete` turns false and the
 * owner has to look by itself.
 */
import { type FSWatcher, watch } from 'node:fs';

export interface FolderWatch {
  /** Watches exactly these folders from now on. */
  setFolders(folders: Iterable<string>): void;
  /** Whether every folder of the set is really watched. */
  isComplete(): boolean;
  close(): void;
}

/** @param onChange told the folder and the name of the changed entry, if the system knows it */
export function watchFolders(onChange: (folder: string, name: string | undefined) => void): FolderWatch {
  const watchers = new Map<string, FSWatcher>();
  let missing = 0;

  const unwatch = (folder: string) => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };

  return {
    setFolders(folders) {
      const wanted = new Set(folders);
      missing = 0;
      for (const folder of watchers.keys()) if (!wanted.has(folder)) unwatch(folder);
      for (const folder of wanted) {
        if (watchers.has(folder)) continue;
        try {
          const watcher = watch(folder, { persistent: false }, (_, name) => onChange(folder, name ?? undefined));
          watcher.on('error', () => {
            unwatch(folder);
            onChange(folder, undefined);
          });
          watchers.set(folder, watcher);
        } catch {
          missing++;
        }
      }
    },
    isComplete: () => missing === 0,
    close() {
      for (const folder of [...watchers.keys()]) unwatch(folder);
    },
  };
}
