/**
 * The files of a mirror on disk. The folder belongs to the mirror: anything else that stands in the way of a file is moved to `.put-back`,
 * never overwritten. `.mirror.json` names the database that the folder mirrors.
 */
import { lstat, mkdir, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { replaceFile } from '../disk/replace-file.ts';
import type { DocumentStore } from '../documents/document-store.ts';
import { besideDocuments, messagesFileName } from '../documents/namespace-name.ts';
import type { FileMirror, FileState, FileVersion, PreparedFile } from './documents.ts';
import { type FileName, type FolderFile, keyOf } from './reconcile.ts';

const markerName = '.mirror.json';
const asideFolder = '.put-back';
const maxListed = 5;

const nameOf = ({ namespace, file }: FileName): FileName => ({ namespace, file });

export class MirrorFolder implements FileMirror {
  readonly #known = new Map<string, FolderFile>();
  readonly #edited = new Map<string, FileName>();
  readonly #refused = new Map<string, FileName>();
  readonly #store: DocumentStore;
  readonly #knowledgeDir: string;
  readonly #onWarning: (message: string) => void;

  /** @param knowledgeDir absolute */
  constructor(store: DocumentStore, knowledgeDir: string, onWarning: (message: string) => void) {
    this.#store = store;
    this.#knowledgeDir = knowledgeDir;
    this.#onWarning = onWarning;
  }

  /** By key, what was last put here or removed. */
  get known(): ReadonlyMap<string, FolderFile> {
    return this.#known;
  }

  /** By key, files whose last change the disk did not take. */
  get refused(): ReadonlyMap<string, FileName> {
    return this.#refused;
  }

  giveUp(name: FileName): void {
    this.#refused.delete(keyOf(name));
  }

  putBackLater(name: FileName): void {
    this.#edited.set(keyOf(name), nameOf(name));
  }

  /** @returns files to put back, each once */
  takeEdited(): FileName[] {
    const all = [...this.#edited.values()];
    this.#edited.clear();
    return all;
  }

  async read(name: FileName) {
    await this.#clearWay(name);
    return this.#store.read(name.namespace, name.file);
  }

  /** Whether a file is what was last put here; one that is not is put back later. */
  accepts(name: FileName, revision: string | undefined): boolean {
    const key = keyOf(name);
    if (this.#known.get(key)?.revision === revision) return true;
    if (!this.#refused.has(key)) this.putBackLater(name);
    return false;
  }

  async take(state: FileState): Promise<void> {
    if (this.isNews(state)) await this.write(state);
  }

  async prepare(namespace: string, file: string, content: Buffer): Promise<PreparedFile> {
    const { put, discard } = await this.#stage({ namespace, file }, content);
    return { put: (state) => (this.isNews(state) ? put(state) : discard()), discard };
  }

  isNews(one: FileVersion): boolean {
    return (this.#known.get(keyOf(one))?.version ?? 0) < one.version;
  }

  /** What is here by now. */
  know({ namespace, file, version, revision }: FileVersion): void {
    this.#known.set(keyOf({ namespace, file }), { namespace, file, version, revision });
  }

  forget(name: FileName): void {
    this.#known.delete(keyOf(name));
  }

  /** @throws where the folder does not take it: it stays among {@link refused} */
  async write(state: FileState): Promise<void> {
    if (!state.content) return this.#remove(state);
    const staged = await this.#stage(state, state.content).catch((error: unknown) => this.#refuse(state, error));
    await staged.put(state);
  }

  /** What is deleted is answered from no more, also where the folder does not let the file go: then it is removed later. */
  async #remove(state: FileVersion): Promise<void> {
    this.know(state);
    await this.discard(state).then(
      () => this.#refused.delete(keyOf(state)),
      () => this.#refused.set(keyOf(state), nameOf(state)),
    );
  }

  /** Writes a file beside its place, so that it can be put there or discarded. */
  async #stage(name: FileName, content: Buffer): Promise<PreparedFile> {
    await this.#clearWay(name);
    const staged = await this.#store.stage(name.namespace, name.file, content, true);
    return {
      discard: staged.discard,
      put: async (state) => {
        // Before the file, so that whoever reads it then knows it.
        this.know(state);
        await staged.put().catch((error: unknown) => this.#refuse(state, error));
        this.#refused.delete(keyOf(state));
      },
    };
  }

  #refuse(name: FileName, error: unknown): never {
    this.forget(name);
    this.#refused.set(keyOf(name), nameOf(name));
    throw error;
  }

  async discard(name: FileName): Promise<void> {
    await this.#clearWay(name);
    await this.#store.remove(name.namespace, name.file);
  }

  /** Files that the database does not have, with one warning for all of them. */
  async setAllAside(files: readonly FileName[]): Promise<void> {
    const keys = files.map(keyOf);
    for (const key of keys) await this.#setAside(key);
    if (keys.length === 0) return;
    const listed = keys.slice(0, maxListed).join(', ');
    const more = keys.length > maxListed ? ` and ${keys.length - maxListed} more` : '';
    this.#onWarning(
      `files that the database does not have were moved to ${asideFolder} in KNOWLEDGE_DIR: ${listed}${more}; \`npm run import\` brings a folder in`,
    );
  }

  /** A file that somebody edited, added or deleted. @param isThere whether anything is left of it */
  async setEditAside(name: FileName, isThere: boolean): Promise<void> {
    const key = keyOf(name);
    const kept = isThere ? `; what stood there is kept as ${await this.#setAside(key)}` : '';
    this.#onWarning(`the file ${key} is put back as the database has it${kept}`);
  }

  /** Every document and every file beside documents, by its key. */
  async files(): Promise<Map<string, FolderFile>> {
    const local = new Map<string, FolderFile>();
    const take = async (name: FileName) => {
      // An unreadable file is replaced by the one of the database.
      const revision = (await this.#store.read(name.namespace, name.file).catch(() => undefined))?.revision;
      if (revision !== undefined) local.set(keyOf(name), { ...name, revision });
    };
    await take({ namespace: '', file: messagesFileName });
    for (const namespace of await this.#store.listNamespaces()) {
      const { files } = await this.#store.scan(namespace);
      for (const file of [...files.keys(), ...besideDocuments]) await take({ namespace, file });
    }
    return local;
  }

  /** @returns the id of the database that the folder mirrors; undefined: of none yet */
  async readMarker(): Promise<string | undefined> {
    try {
      const { id } = JSON.parse(await readFile(join(this.#knowledgeDir, markerName), 'utf8'));
      return typeof id === 'string' ? id : undefined;
    } catch {
      return undefined;
    }
  }

  async writeMarker(id: string): Promise<void> {
    await mkdir(this.#knowledgeDir, { recursive: true });
    await replaceFile(join(this.#knowledgeDir, markerName), (file) => file.writeFile(`${JSON.stringify({ id })}\n`));
  }

  /** A link, or whatever else stands where a folder or the file belongs, leads elsewhere: nothing is read or removed behind it. */
  async #clearWay({ namespace, file }: FileName): Promise<void> {
    const parts = [namespace, ...file.split('/')].filter((part) => part !== '');
    for (let depth = 1; depth <= parts.length; depth++) {
      const path = parts.slice(0, depth).join('/');
      const found = await lstat(join(this.#knowledgeDir, path)).catch(() => undefined);
      if (!found) return;
      if (depth < parts.length ? found.isDirectory() : found.isFile()) continue;
      const kept = await this.#setAside(path);
      return this.#onWarning(`what stood in place of ${path} is kept as ${kept}`);
    }
  }

  /** @param path below the knowledge folder @returns where it is now */
  async #setAside(path: string): Promise<string> {
    const kept = join(asideFolder, `${path}.${new Date().toISOString().replace(/\D/g, '')}`);
    await mkdir(dirname(join(this.#knowledgeDir, kept)), { recursive: true });
    await rename(join(this.#knowledgeDir, path), join(this.#knowledgeDir, kept));
    return kept;
  }
}
