/**
 * Tells of changes in a set of folders, each watched by itself. A hint, not the truth: whoever is told looks at the disk. Where
 * the system refuses to watch (no inotify watches left, a file system without events), `isComplete` turns false and the
 * owner has to look by itself.
 */
import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';

export interface FolderWatch {
  /**
   * Watches exactly these folders from now on; one that was replaced by another of the same name is watched anew.
   * @returns whether any is watched that was not before
   */
  setFolders(folders: readonly string[]): Promise<boolean>;
  /** Whether every folder of the set is really watched. */
  isComplete(): boolean;
  close(): void;
}

/** @param onChange told the folder and the name of the changed entry, if the system knows it */
export function watchFolders(onChange: (folder: string, name: string | undefined) => void): FolderWatch {
  const watchers = new Map<string, { readonly inode: number; readonly watcher: FSWatcher }>();
  let missing = 0;

  const unwatch = (folder: string) => {
    watchers.get(folder)?.watcher.close();
    watchers.delete(folder);
  };

  function watchFolder(folder: string, inode: number): void {
    const watcher = watch(folder, { persistent: false }, (_, name) => onChange(folder, name ?? undefined));
    watcher.on('error', () => {
      unwatch(folder);
      onChange(folder, undefined);
    });
    watchers.set(folder, { inode, watcher });
  }

  return {
    async setFolders(folders) {
      const wanted = new Set(folders);
      for (const folder of [...watchers.keys()]) if (!wanted.has(folder)) unwatch(folder);
      let failures = 0;
      let isNew = false;
      for (const folder of wanted) {
        const inode = await stat(folder).then(
          (found) => found.ino,
          () => undefined,
        );
        if (inode !== undefined && watchers.get(folder)?.inode === inode) continue;
        unwatch(folder);
        try {
          if (inode === undefined) continue;
          watchFolder(folder, inode);
          isNew = true;
        } catch {
          failures++;
        }
      }
      missing = failures;
      return isNew;
    },
    isComplete: () => missing === 0,
    close() {
      for (const folder of [...watchers.keys()]) unwatch(folder);
    },
  };
}
