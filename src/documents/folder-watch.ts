/**
 * Reports changes in groups of folders, each folder watched by itself. A hint, not the truth: whoever is called looks at the disk. Where
 * the system refuses to watch (no inotify watches left, a file system without events), `isComplete` turns false and the
 * owner has to look by itself.
 */
import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';

type OnChange = (folder: string, name: string | undefined) => void;

interface Watched {
  readonly inode: number;
  readonly watcher: FSWatcher;
}

export class FolderWatch {
  readonly #onChange: OnChange;
  /** Group → folder → what watches it. */
  readonly #groups = new Map<string, Map<string, Watched>>();
  /** Groups with a folder that the system refuses to watch. */
  readonly #incomplete = new Set<string>();

  /** @param onChange called with the folder and the name of the changed entry, if the system knows it */
  constructor(onChange: OnChange) {
    this.#onChange = onChange;
  }

  /** Whether every folder of all groups is really watched. */
  get isComplete(): boolean {
    return this.#incomplete.size === 0;
  }

  /**
   * Watches exactly these folders of a group from now on; one that was replaced by another of the same name is watched anew.
   * @returns whether any is watched that was not before
   */
  async setFolders(group: string, folders: readonly string[]): Promise<boolean> {
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

  close(): void {
    for (const watched of this.#groups.values()) for (const folder of [...watched.keys()]) unwatch(watched, folder);
    this.#groups.clear();
  }

  #watch(watched: Map<string, Watched>, folder: string, inode: number): boolean {
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => this.#onChange(folder, name ?? undefined));
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

function unwatch(watched: Map<string, Watched>, folder: string): void {
  watched.get(folder)?.watcher.close();
  watched.delete(folder);
}
