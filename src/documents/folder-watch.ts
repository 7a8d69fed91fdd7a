/**
 * Reports changes in a set of folders, each watched by itself. A hint, not the truth: whoever is called looks at the disk. Where
 * the system refuses to watch (no inotify watches left, a file system without events), `isComplete` turns false and the
 * owner has to look by itself.
 */
import { type FSWatcher, watch } from 'node:fs';
import { stat } from 'node:fs/promises';

type OnChange = (folder: string, name: string | undefined) => void;

export class FolderWatch {
  readonly #onChange: OnChange;
  readonly #watchers = new Map<string, { readonly inode: number; readonly watcher: FSWatcher }>();
  #isComplete = true;

  /** @param onChange called with the folder and the name of the changed entry, if the system knows it */
  constructor(onChange: OnChange) {
    this.#onChange = onChange;
  }

  /** Whether every folder of the set is really watched. */
  get isComplete(): boolean {
    return this.#isComplete;
  }

  /**
   * Watches exactly these folders from now on; one that was replaced by another of the same name is watched anew.
   * @returns whether any is watched that was not before
   */
  async setFolders(folders: readonly string[]): Promise<boolean> {
    const wanted = new Set(folders);
    for (const folder of [...this.#watchers.keys()]) if (!wanted.has(folder)) this.#unwatch(folder);
    this.#isComplete = true;
    let isNew = false;
    for (const folder of wanted) {
      const inode = (await stat(folder).catch(() => undefined))?.ino;
      if (inode !== undefined && this.#watchers.get(folder)?.inode === inode) continue;
      this.#unwatch(folder);
      if (inode !== undefined && this.#watch(folder, inode)) isNew = true;
    }
    return isNew;
  }

  #watch(folder: string, inode: number): boolean {
    try {
      const watcher = watch(folder, { persistent: false }, (_, name) => this.#onChange(folder, name ?? undefined));
      watcher.on('error', () => {
        this.#unwatch(folder);
        this.#onChange(folder, undefined);
      });
      this.#watchers.set(folder, { inode, watcher });
      return true;
    } catch {
      this.#isComplete = false;
      return false;
    }
  }

  #unwatch(folder: string): void {
    this.#watchers.get(folder)?.watcher.close();
    this.#watchers.delete(folder);
  }
}
