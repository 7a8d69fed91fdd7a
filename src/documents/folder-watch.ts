/**
 * Watches groups of folders, one watcher per folder. Events are hints: the callback must check the
 * disk. If the system cannot watch a folder (no inotify watches left, a file system without
 * events), `isComplete` becomes false and the owner must poll.
 */
import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';

type OnChange = (folder: string, name: string | undefined) => void;

type Watched = Readonly<{
  inode: number;
  watcher: FSWatcher;
}>;

export class FolderWatch {
  readonly #onChange;
  readonly #groups = new Map<string, Map<string, Watched>>();
  /** Groups with folders that cannot be watched. */
  readonly #incomplete = new Set<string>();

  /**
   * @param onChange called with the folder and the name of the changed entry, if the system knows
   * it
   */
  constructor(onChange: OnChange) {
    this.#onChange = onChange;
  }

  get isComplete() {
    return this.#incomplete.size === 0;
  }

  /**
   * Replaces the watched folders of a group. A folder with a new inode is watched again. @returns
   * whether any watcher is new
   */
  async setFolders(group: string, folders: readonly string[]) {
    const wanted = new Set(folders);
    const watched = this.#groups.get(group) ?? new Map<string, Watched>();
    this.#groups.set(group, watched);
    for (const folder of [...watched.keys()]) if (!wanted.has(folder)) unwatch(watched, folder);
    this.#incomplete.delete(group);
    let isNew = false;
    for (const folder of wanted) {
      const inode = (await stat(folder).catch(() => undefined))?.ino;
      if (inode !== undefined && watched.get(folder)?.inode === inode) continue;
      unwatch(watched, folder);
      if (inode === undefined) continue;
      if (this.#watch(watched, folder, inode)) isNew = true;
      else this.#incomplete.add(group);
    }
    if (watched.size === 0) this.#groups.delete(group);
    return isNew;
  }

  close() {
    for (const watched of this.#groups.values())
      for (const folder of [...watched.keys()]) unwatch(watched, folder);
    this.#groups.clear();
  }

  #watch(watched: Map<string, Watched>, folder: string, inode: number) {
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) =>
        this.#onChange(folder, name ?? undefined),
      );
      watcher.on('error', () => {
        unwatch(watched, folder);
        this.#onChange(folder, undefined);
      });
      watched.set(folder, { inode, watcher });
      return true;
    } catch {
      return false;
    }
  }
}

function unwatch(watched: Map<string, Watched>, folder: string) {
  watched.get(folder)?.watcher.close();
  watched.delete(folder);
}
