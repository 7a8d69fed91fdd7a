/**
 * Files of a mirror on disk. Other files that block a path are moved to `.put-back`, never
 * overwritten. `.mirror.json` names the database that the folder mirrors.
 */
import { lstat, mkdir, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { replaceFile } from '../../../packages/shared/src/disk/replace-file.ts';
import type { DocumentStore } from '../../documents/document-store.ts';
import { auxiliaryFiles, messagesFileName } from '../../documents/namespace-name.ts';
import type {
  FileMirror,
  FileName,
  FileState,
  FileVersion,
  PreparedFile,
} from './document-tables.ts';
import { type FolderFile, keyOf } from './reconcile.ts';

const markerName = '.mirror.json';
const putBackFolder = '.put-back';
const maxListed = 5;

const nameOf = ({ namespace, file }: FileName) => ({ namespace, file });

export class MirrorFolder implements FileMirror {
  /** Key → last version written or removed here. */
  readonly known = new Map<string, FolderFile>();
  /** Key → file whose last change could not be written. */
  readonly refused = new Map<string, FileName>();
  readonly #edited = new Map<string, FileName>();
  readonly #store;
  readonly #knowledgeDir;
  readonly #onWarning;

  /** @param knowledgeDir absolute path */
  constructor(store: DocumentStore, knowledgeDir: string, onWarning: (message: string) => void) {
    this.#store = store;
    this.#knowledgeDir = knowledgeDir;
    this.#onWarning = onWarning;
  }

  scheduleRestore(name: FileName) {
    this.#edited.set(keyOf(name), nameOf(name));
  }

  /** Returns and clears the files to restore. */
  takeEdited() {
    const all = [...this.#edited.values()];
    this.#edited.clear();
    return all;
  }

  async read(name: FileName) {
    await this.#clearWay(name);
    return this.#store.read(name.namespace, name.file);
  }

  /** Whether a file has its last mirrored revision; otherwise schedules its restore. */
  accepts(name: FileName, revision: string | undefined) {
    const key = keyOf(name);
    if (this.known.get(key)?.revision === revision) return true;
    if (!this.refused.has(key)) this.scheduleRestore(name);
    return false;
  }

  async take(state: FileState) {
    if (this.isNewer(state)) await this.write(state);
  }

  async prepare(name: FileName, content: Buffer): Promise<PreparedFile> {
    const { put, discard } = await this.#stage(name, content);
    return { put: (state) => (this.isNewer(state) ? put(state) : discard()), discard };
  }

  isNewer(one: FileVersion) {
    return (this.known.get(keyOf(one))?.version ?? 0) < one.version;
  }

  setKnown({ namespace, file, version, revision }: FileVersion) {
    this.known.set(keyOf({ namespace, file }), { namespace, file, version, revision });
  }

  /** @throws if the file cannot be written; it is then in {@link refused} */
  async write(state: FileState) {
    if (!state.content) return this.#remove(state);
    const staged = await this.#stage(state, state.content).catch((error: unknown) =>
      this.#refuse(state, error),
    );
    await staged.put(state);
  }

  /** Removes a file; retries later if this fails. The index ignores the file at once. */
  async #remove(state: FileVersion) {
    this.setKnown(state);
    await this.discard(state).then(
      () => this.refused.delete(keyOf(state)),
      () => this.refused.set(keyOf(state), nameOf(state)),
    );
  }

  async #stage(name: FileName, content: Buffer): Promise<PreparedFile> {
    await this.#clearWay(name);
    const staged = await this.#store.stage(name.namespace, name.file, content, true);
    return {
      discard: staged.discard,
      put: async (state) => {
        // Records the version before the file is visible, so that `accepts` allows it.
        this.setKnown(state);
        await staged.put().catch((error: unknown) => this.#refuse(state, error));
        this.refused.delete(keyOf(state));
      },
    };
  }

  #refuse(name: FileName, error: unknown): never {
    this.known.delete(keyOf(name));
    this.refused.set(keyOf(name), nameOf(name));
    throw error;
  }

  async discard(name: FileName) {
    await this.#clearWay(name);
    await this.#store.remove(name.namespace, name.file);
  }

  /** Moves files that the database does not have, with one warning for all. */
  async moveSurplus(files: readonly FileName[]) {
    const keys = files.map(keyOf);
    for (const key of keys) await this.#moveAway(key);
    if (keys.length === 0) return;
    const listed = keys.slice(0, maxListed).join(', ');
    const more = keys.length > maxListed ? ` and ${keys.length - maxListed} more` : '';
    this.#onWarning(
      `files that the database does not have were moved to ${putBackFolder} in KNOWLEDGE_DIR: ${listed}${more}. Use the command \`import\` to add a folder.`,
    );
  }

  /** Moves a file that was edited or added by hand. @param isThere false if the file was deleted */
  async moveEdited(name: FileName, isThere: boolean) {
    const key = keyOf(name);
    const kept = isThere ? `; the local version is kept as ${await this.#moveAway(key)}` : '';
    this.#onWarning(`the file ${key} is restored from the database${kept}`);
  }

  /** All documents and auxiliary files by key. */
  async files() {
    const local = new Map<string, FolderFile>();
    const take = async (name: FileName) => {
      // Unreadable files are replaced by those of the database.
      const revision = (await this.#store.read(name.namespace, name.file).catch(() => undefined))
        ?.revision;
      if (revision !== undefined) local.set(keyOf(name), { ...name, revision });
    };
    await take({ namespace: '', file: messagesFileName });
    for (const namespace of await this.#store.listNamespaces()) {
      const { files } = await this.#store.scan(namespace);
      for (const file of [...files.keys(), ...auxiliaryFiles]) await take({ namespace, file });
    }
    return local;
  }

  /** @returns the id of the mirrored database; undefined before the first mirror */
  async readMarker() {
    try {
      const { id } = JSON.parse(await readFile(join(this.#knowledgeDir, markerName), 'utf8'));
      return typeof id === 'string' ? id : undefined;
    } catch {
      return undefined;
    }
  }

  async writeMarker(id: string) {
    await mkdir(this.#knowledgeDir, { recursive: true });
    await replaceFile(join(this.#knowledgeDir, markerName), (file) =>
      file.writeFile(`${JSON.stringify({ id })}\n`),
    );
  }

  /**
   * Moves links and other entries that block the path of a file, so that nothing is read or removed
   * through a link.
   */
  async #clearWay({ namespace, file }: FileName) {
    const parts = [namespace, ...file.split('/')].filter((part) => part !== '');
    for (let depth = 1; depth <= parts.length; depth++) {
      const path = parts.slice(0, depth).join('/');
      const found = await lstat(join(this.#knowledgeDir, path)).catch(() => undefined);
      if (!found) return;
      if (depth < parts.length ? found.isDirectory() : found.isFile()) continue;
      const kept = await this.#moveAway(path);
      return this.#onWarning(`an unexpected entry at ${path} was moved to ${kept}`);
    }
  }

  /** @param path below the knowledge folder @returns the new path */
  async #moveAway(path: string) {
    const kept = join(putBackFolder, `${path}.${new Date().toISOString().replace(/\D/g, '')}`);
    await mkdir(dirname(join(this.#knowledgeDir, kept)), { recursive: true });
    await rename(join(this.#knowledgeDir, path), join(this.#knowledgeDir, kept));
    return kept;
  }
}
