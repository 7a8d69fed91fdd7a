/**
 * The knowledge folder, the store of record: `<root>/<namespace>/**\/*.md|mdx`. Writes are atomic (temporary file, fsync, rename)
 * and never go through a link; reads take regular files only. Dot files and dot folders are not documents.
 */
import { hash, randomUUID, subtle } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  constants,
  type Dirent,
  fstatSync,
  lstatSync,
  openSync,
  readFile,
  readFileSync,
  unlinkSync,
} from 'node:fs';
import { lstat, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { yieldToEventLoop } from '../concurrency/event-loop.ts';
import { createTimeSlicer } from '../concurrency/time-slicer.ts';
import { removeLeftovers, type StagedFile, stageFile, syncFolder } from '../disk/replace-file.ts';
import { KnowledgeError, systemErrorCode } from '../errors.ts';
import { besideDocuments, isNamespaceName, messagesFileName } from './namespace-name.ts';

/** Changes whenever a file's content may have changed: size, inode, and modification and change time in nanoseconds. */
export type FileStamp = string;

export interface StoredFile {
  readonly bytes: number;
  /** `sha256-` and the hash of the whole file. */
  readonly revision: string;
  /** Decoded as UTF-8; offsets of chunks point into this. */
  readonly text: string;
  readonly stamp: FileStamp;
}

const documentName = /\.mdx?$/i;
/** Name of a file or folder that can belong to the store. */
const isVisible = (name: string) => !name.startsWith('.') && name !== 'node_modules';
export const isDocumentName = (name: string): boolean => isVisible(name) && documentName.test(name);

/** Longer names are refused by file systems. */
const maxPartBytes = 255;
/** Whether a part of a path is a name and leads nowhere else. */
const isPathPart = (part: string) =>
  part !== '' && part !== '.' && part !== '..' && !/[\0\\/]/.test(part) && Buffer.byteLength(part) <= maxPartBytes;

/** Whether a file is the one that stands above the namespaces; its namespace is `''`. */
const isAboveNamespaces = (namespace: string, file: string) => namespace === '' && file === messagesFileName;

/** Whether a document, or a file beside documents, of this name can be stored; names from a database or a dump may be anything. */
export function isStorablePath(namespace: string, file: string): boolean {
  if (isAboveNamespaces(namespace, file)) return true;
  const parts = file.split('/');
  const isKnownFile = isDocumentName(parts.at(-1) ?? '') || besideDocuments.includes(file);
  return isNamespaceName(namespace) && isKnownFile && parts.every(isPathPart) && parts.slice(0, -1).every(isVisible);
}

const isAbsent = (error: unknown) => ['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR'].includes(systemErrorCode(error) ?? '');

export const fileStampOf = (stat: BigIntStats): FileStamp => `${stat.size}.${stat.ino}.${stat.mtimeNs}.${stat.ctimeNs}`;

/** Whether a file, or a folder above it, is among these paths; the namespace's own folder is `''`. */
export const isWithin = (paths: ReadonlyMap<string, unknown>, file: string): boolean =>
  paths.has('') || file.split('/').some((_, depth, parts) => paths.has(parts.slice(0, depth + 1).join('/')));

/** Size of a file, in bytes. */
export const sizeIn = (stamp: FileStamp): number => Number(stamp.split('.')[0]);
/** When a file was last written, ISO 8601. */
export const writtenAt = (stamp: FileStamp): string => new Date(Number(BigInt(stamp.split('.')[2] ?? '0') / 1_000_000n)).toISOString();

export const sha256 = (content: string | Uint8Array): string => hash('sha256', content);
/** `sha256-` and the hash, worked out by another thread. */
export const revisionAside = async (content: Uint8Array<ArrayBuffer>): Promise<string> =>
  `sha256-${Buffer.from(await subtle.digest('SHA-256', content)).toString('hex')}`;

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** How many files are looked at in a row when a folder is looked through: about a millisecond. Waiting for each would take ten times as long. */
const stampsAtATime = 128;
const maxSmallBytes = 128_000;
/** Who deletes a namespace waits so long for its files. */
const maxRemovalMs = 200;

/** Read without following a link, and without waiting for a pipe. */
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Of the folder of a namespace that is being removed. */
const removedPrefix = '.removed-';

const readAside = promisify(readFile);

/** The path is left to the cause, which only the log shows. */
const cannotRead = (cause: unknown) =>
  new KnowledgeError('storage_unavailable', 'The server cannot read a file of this namespace.', { cause });

/** None where there is no such folder. */
const entriesOf = (folder: string): Promise<Dirent[]> =>
  readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (isAbsent(error)) return [];
    throw error;
  });

/** In slices: `rm` alone holds the event loop for 300 ms where there are 20,000. What it leaves is removed by `rm`. */
async function removeFiles(folder: string, pause: () => Promise<void> | undefined): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    try {
      if (entry.isDirectory()) await removeFiles(path, pause);
      else unlinkSync(path);
    } catch {
      // What cannot be removed, `rm` tries again, and tells why.
    }
    await pause();
  }
}

export class DocumentStore {
  readonly #root: string;
  readonly #onIgnored: (name: string) => void;
  readonly #ignored = new Set<string>();

  /** @param onIgnored called once for each folder whose name is no namespace name */
  constructor(root: string, onIgnored: (name: string) => void = () => undefined) {
    this.#root = root;
    this.#onIgnored = onIgnored;
  }

  /** Namespaces that have a folder. */
  async listNamespaces(): Promise<string[]> {
    const entries = await entriesOf(this.#root);
    const folders = entries.filter((entry) => entry.isDirectory() && isVisible(entry.name)).map(({ name }) => name);
    for (const name of folders) {
      if (isNamespaceName(name) || this.#ignored.has(name)) continue;
      this.#ignored.add(name);
      this.#onIgnored(name);
    }
    return folders.filter(isNamespaceName);
  }

  /** Whether a namespace has a folder. */
  async hasNamespace(name: string): Promise<boolean> {
    const found = await lstat(this.#pathOf(name, '')).catch((error: unknown) => {
      if (isAbsent(error)) return undefined;
      throw error;
    });
    return found?.isDirectory() ?? false;
  }

  /**
   * Documents of a namespace, as path → stamp, and the folders that hold them.
   * @returns `unreadable`: folders and files that the system does not let the server look at, with the reason
   */
  async scan(namespace: string): Promise<{ files: Map<string, FileStamp>; folders: string[]; unreadable: Map<string, unknown> }> {
    const files = new Map<string, FileStamp>();
    const unreadable = new Map<string, unknown>();
    const folders = [''];
    for (const folder of folders) {
      const entries = await entriesOf(this.#pathOf(namespace, folder)).catch((error: unknown) => {
        unreadable.set(folder, error);
        return [];
      });
      const pathOf = ({ name }: Dirent) => (folder === '' ? name : `${folder}/${name}`);
      folders.push(...entries.filter((entry) => entry.isDirectory() && isVisible(entry.name)).map(pathOf));
      const documents = entries.filter((entry) => entry.isFile() && isDocumentName(entry.name));
      for (const [index, path] of documents.map(pathOf).entries()) {
        if (index % stampsAtATime === stampsAtATime - 1) await yieldToEventLoop();
        try {
          const stamp = this.stampNow(namespace, path);
          if (stamp !== undefined) files.set(path, stamp);
        } catch (error) {
          unreadable.set(path, error);
        }
      }
    }
    return { files, folders: folders.filter((folder) => !unreadable.has(folder)), unreadable };
  }

  /** Undefined where there is no such regular file. @throws KnowledgeError `storage_unavailable` if the system refuses to look */
  stampNow(namespace: string, file: string): FileStamp | undefined {
    const path = this.#pathOf(namespace, file);
    try {
      const stat = lstatSync(path, { bigint: true, throwIfNoEntry: false });
      return stat?.isFile() ? fileStampOf(stat) : undefined;
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw cannotRead(error);
    }
  }

  /**
   * Undefined where there is no such regular file. A small one is read without a wait: some 20 microseconds where waiting for each step
   * takes 300. A large one is read and hashed by other threads.
   * @throws KnowledgeError `storage_unavailable` if the system refuses to read it
   */
  async read(namespace: string, file: string): Promise<StoredFile | undefined> {
    const path = this.#pathOf(namespace, file);
    let handle: number | undefined;
    try {
      handle = openSync(path, readFlags);
      const stat = fstatSync(handle, { bigint: true });
      if (!stat.isFile()) return undefined;
      const isSmall = stat.size <= maxSmallBytes;
      const bytes = isSmall ? readFileSync(handle) : await readAside(handle);
      const revision = isSmall ? `sha256-${sha256(bytes)}` : await revisionAside(bytes);
      return { bytes: bytes.byteLength, revision, text: decoder.decode(bytes), stamp: fileStampOf(stat) };
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw cannotRead(error);
    } finally {
      if (handle !== undefined) closeSync(handle);
    }
  }

  async write(namespace: string, file: string, content: string | Uint8Array): Promise<void> {
    await (await this.stage(namespace, file, content)).put();
  }

  /** Puts a content beside the file that it is to replace. @param isDerived whether it can be made again after a crash of the machine */
  async stage(namespace: string, file: string, content: string | Uint8Array, isDerived = false): Promise<StagedFile> {
    const path = this.#pathOf(namespace, file);
    const below = file.split('/').slice(0, -1);
    const depths = namespace === '' ? [] : [...below.keys(), below.length];
    const folders = depths.map((depth) => this.#pathOf(namespace, below.slice(0, depth).join('/')));
    for (const folder of folders) {
      const made = await mkdir(folder, { recursive: true });
      if (made !== undefined && !isDerived) await syncFolder(dirname(folder));
      if ((await lstat(folder)).isDirectory()) continue;
      const what = folder === folders[0] ? `The namespace "${namespace}"` : `A folder of the namespace "${namespace}"`;
      throw new KnowledgeError('namespace_not_allowed', `${what} is a link on the server and is not written to.`);
    }
    return stageFile(path, (handle) => handle.writeFile(content), { mode: 0o644, isDerived });
  }

  /** Removes one file; nothing to remove is no error. */
  async remove(namespace: string, file: string): Promise<void> {
    const path = this.#pathOf(namespace, file);
    await rm(path, { force: true });
    await syncFolder(dirname(path));
  }

  /** Removes a namespace's folder and all that is in it: in one step, so that a kill leaves all of it or nothing. */
  async removeNamespace(namespace: string): Promise<void> {
    const path = this.#pathOf(namespace);
    const removed = join(this.#root, `${removedPrefix}${randomUUID()}`);
    const isMoved = await rename(path, removed).then(
      () => true,
      // What is mounted cannot be moved.
      () => false,
    );
    const left = isMoved ? removed : path;
    // A person may be writing into it at the same moment.
    const remove = () => rm(left, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    const removal = removeFiles(left, createTimeSlicer()).then(remove);
    if (!isMoved) await removal;
    // Many files are removed while others are answered; what a stop leaves, the next start removes.
    else await Promise.race([removal, sleep(maxRemovalMs)]);
    removal.catch(() => undefined);
    await syncFolder(this.#root);
  }

  /** Removes what is left of namespaces whose removal was cut off. */
  async removeLeftoverNamespaces(onFailure: (error: unknown) => void): Promise<void> {
    const names = (await entriesOf(this.#root)).map(({ name }) => name).filter((name) => name.startsWith(removedPrefix));
    for (const name of names) await rm(join(this.#root, name), { recursive: true, force: true }).catch(onFailure);
  }

  /** Removes what a killed process left half-written. */
  removeLeftovers(namespace: string): Promise<void> {
    return removeLeftovers(this.#pathOf(namespace));
  }

  /** Never outside of the namespace's folder, whatever the names say. @throws KnowledgeError `source_not_allowed` */
  #pathOf(namespace: string, file = ''): string {
    if (isAboveNamespaces(namespace, file)) return join(this.#root, file);
    const parts = file === '' ? [] : file.split('/');
    if (!isNamespaceName(namespace) || !parts.every(isPathPart))
      throw new KnowledgeError('source_not_allowed', 'The path does not name a file of a namespace.');
    return join(this.#root, namespace, ...parts);
  }
}
