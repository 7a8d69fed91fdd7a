/**
 * The knowledge folder, the store of record: `<root>/<namespace>/**\/*.md|mdx`. Writes are atomic (temporary file, fsync, rename) and never
 * follow links; reads accept only regular files. Dot files and dot folders are not documents.
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
import { byteOrderMark } from '../../packages/converters/src/decode-text.ts';
import { yieldToEventLoop } from '../../packages/shared/src/concurrency/event-loop.ts';
import { TimeSlicer } from '../../packages/shared/src/concurrency/time-slicer.ts';
import {
  removeLeftovers,
  stageFile,
  syncFolder,
} from '../../packages/shared/src/disk/replace-file.ts';
import { KnowledgeError, systemErrorCode } from '../../packages/shared/src/errors.ts';
import { auxiliaryFiles, isNamespaceName, messagesFileName } from './namespace-name.ts';

/**
 * Size, inode, modification time and change time (ns) of a file; detects changes without reading
 * it.
 */
export type FileStamp = string;

export type StoredFile = Readonly<{
  bytes: number;
  /** `sha256-` and the hash of the file. */
  revision: string;
  /**
   * Decoded as UTF-8, or as UTF-16 if it begins with that byte order mark; offsets of chunks refer
   * to it.
   */
  text: string;
  stamp: FileStamp;
}>;

const documentName = /\.mdx?$/i;
const isVisible = (name: string) => !name.startsWith('.') && name !== 'node_modules';
export const isDocumentName = (name: string) => isVisible(name) && documentName.test(name);

/** File systems reject longer names. */
const maxPartBytes = 255;
/** Whether a path segment is a plain name, without traversal. */
const isPathPart = (part: string) =>
  part !== '' &&
  part !== '.' &&
  part !== '..' &&
  !/[\0\\/]/.test(part) &&
  Buffer.byteLength(part) <= maxPartBytes;

const isSharedMessagesFile = (namespace: string, file: string) =>
  namespace === '' && file === messagesFileName;

/**
 * Whether a document or auxiliary file with this name can be stored. Names from a database or a
 * dump may be invalid.
 */
export function isStorablePath(namespace: string, file: string) {
  if (isSharedMessagesFile(namespace, file)) return true;
  const parts = file.split('/');
  const isKnownFile = isDocumentName(parts.at(-1) ?? '') || auxiliaryFiles.includes(file);
  return (
    isNamespaceName(namespace) &&
    isKnownFile &&
    parts.every(isPathPart) &&
    parts.slice(0, -1).every(isVisible)
  );
}

const isAbsent = (error: unknown) =>
  ['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR'].includes(systemErrorCode(error) ?? '');

export const fileStampOf = (stat: BigIntStats): FileStamp =>
  `${stat.size}.${stat.ino}.${stat.mtimeNs}.${stat.ctimeNs}`;

/**
 * Whether a file or one of its parent folders is among these paths; `''` is the namespace's folder.
 */
export const isWithin = (paths: ReadonlyMap<string, unknown>, file: string) =>
  paths.has('') ||
  file.split('/').some((_, depth, parts) => paths.has(parts.slice(0, depth + 1).join('/')));

/** Size in bytes. */
export const sizeIn = (stamp: FileStamp) => Number(stamp.split('.')[0]);
/** Modification time, ISO 8601. */
export const writtenAt = (stamp: FileStamp) =>
  new Date(Number(BigInt(stamp.split('.')[2] ?? '0') / 1_000_000n)).toISOString();

export const sha256 = (content: string | Uint8Array) => hash('sha256', content);
/** Returns `sha256-` and the hash, computed in another thread. */
export const revisionInThread = async (content: Uint8Array<ArrayBuffer>) =>
  `sha256-${Buffer.from(await subtle.digest('SHA-256', content)).toString('hex')}`;

/**
 * Synchronous stats between two yields: about a millisecond. Asynchronous ones would take ten times
 * as long.
 */
const stampsPerSlice = 128;
const maxSmallBytes = 128_000;
/** Maximum time that a caller waits for the deletion of a namespace's files. */
const maxRemovalMs = 200;

/** Does not follow links or wait for pipes. */
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

const removedPrefix = '.removed-';

const readInThread = promisify(readFile);

/** The cause contains the path, so only the log shows it. */
const cannotRead = (cause: unknown) =>
  new KnowledgeError('storage_unavailable', 'The server cannot read a file of this namespace.', {
    cause,
  });

/** @throws if the name on disk may differ from the decoded one, so that nothing is found there */
function checkName(path: string) {
  if (path.includes('\ufffd')) throw cannotRead(new Error(`the name of ${path} is not UTF-8`));
}

const cannotRemove = (cause: unknown) => {
  throw new KnowledgeError(
    'storage_unavailable',
    'The server cannot delete all files of this namespace.',
    { cause },
  );
};

const entriesOf = (folder: string): Promise<Dirent[]> =>
  readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (isAbsent(error)) return [];
    throw error;
  });

/**
 * Deletes files in slices, because `rm` blocks the event loop for 300 ms with 20,000 files. A later
 * `rm` deletes the rest.
 */
async function removeFiles(folder: string, slicer: TimeSlicer) {
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name);
    try {
      if (entry.isDirectory()) await removeFiles(path, slicer);
      else unlinkSync(path);
    } catch {
      // `rm` tries again and reports the error.
    }
    await slicer.pause();
  }
}

export class DocumentStore {
  readonly #root;
  readonly #onIgnored;
  readonly #ignored = new Set<string>();

  /** @param onIgnored called once for each folder with an invalid namespace name */
  constructor(root: string, onIgnored: (name: string) => void = () => undefined) {
    this.#root = root;
    this.#onIgnored = onIgnored;
  }

  async listNamespaces() {
    const entries = await entriesOf(this.#root);
    const folders = entries
      .filter((entry) => entry.isDirectory() && isVisible(entry.name))
      .map(({ name }) => name);
    for (const name of folders) {
      if (isNamespaceName(name) || this.#ignored.has(name)) continue;
      this.#ignored.add(name);
      this.#onIgnored(name);
    }
    return folders.filter(isNamespaceName);
  }

  async hasNamespace(name: string) {
    const found = await lstat(this.#pathOf(name, '')).catch((error: unknown) => {
      if (isAbsent(error)) return undefined;
      throw error;
    });
    return found?.isDirectory() ?? false;
  }

  /**
   * Returns path → stamp, the folders of the documents, and inaccessible folders and files with the
   * reason.
   */
  async scan(namespace: string) {
    const files = new Map<string, FileStamp>();
    const unreadable = new Map<string, unknown>();
    const folders = [''];
    for (const folder of folders) {
      const read = async () => {
        const found = await entriesOf(this.#pathOf(namespace, folder));
        if (found.length === 0) checkName(folder);
        return found;
      };
      const entries = await read().catch((error: unknown) => {
        unreadable.set(folder, error);
        return [];
      });
      const pathOf = ({ name }: Dirent) => (folder === '' ? name : `${folder}/${name}`);
      folders.push(
        ...entries.filter((entry) => entry.isDirectory() && isVisible(entry.name)).map(pathOf),
      );
      const documents = entries.filter((entry) => entry.isFile() && isDocumentName(entry.name));
      for (const [index, path] of documents.map(pathOf).entries()) {
        if (index % stampsPerSlice === stampsPerSlice - 1) await yieldToEventLoop();
        try {
          const stamp = this.stampNow(namespace, path);
          if (stamp === undefined) checkName(path);
          else files.set(path, stamp);
        } catch (error) {
          unreadable.set(path, error);
        }
      }
    }
    return { files, folders: folders.filter((folder) => !unreadable.has(folder)), unreadable };
  }

  /**
   * Returns undefined if there is no such regular file. @throws KnowledgeError
   * `storage_unavailable` if access fails
   */
  stampNow(namespace: string, file: string) {
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
   * Returns undefined if there is no such regular file. Reads small files synchronously (20 µs
   * instead of 300) and large ones in other threads.
   * @throws KnowledgeError `storage_unavailable` if access fails
   */
  async read(namespace: string, file: string): Promise<StoredFile | undefined> {
    const path = this.#pathOf(namespace, file);
    let handle: number | undefined;
    try {
      handle = openSync(path, readFlags);
      const stat = fstatSync(handle, { bigint: true });
      if (!stat.isFile()) return undefined;
      const isSmall = stat.size <= maxSmallBytes;
      const bytes = isSmall ? readFileSync(handle) : await readInThread(handle);
      const revision = isSmall ? `sha256-${sha256(bytes)}` : await revisionInThread(bytes);
      return {
        bytes: bytes.byteLength,
        revision,
        text: new TextDecoder(byteOrderMark(bytes), { ignoreBOM: true }).decode(bytes),
        stamp: fileStampOf(stat),
      };
    } catch (error) {
      if (isAbsent(error)) return undefined;
      throw cannotRead(error);
    } finally {
      if (handle !== undefined) closeSync(handle);
    }
  }

  async write(namespace: string, file: string, content: string | Uint8Array) {
    await (await this.stage(namespace, file, content)).put();
  }

  /**
   * Writes a temporary file next to its target. @param isDerived whether the file can be rebuilt
   * after a machine crash
   */
  async stage(namespace: string, file: string, content: string | Uint8Array, isDerived = false) {
    const path = this.#pathOf(namespace, file);
    const below = file.split('/').slice(0, -1);
    const depths = namespace === '' ? [] : [...below.keys(), below.length];
    const folders = depths.map((depth) => this.#pathOf(namespace, below.slice(0, depth).join('/')));
    for (const folder of folders) {
      const made = await mkdir(folder, { recursive: true });
      if (made !== undefined && !isDerived) await syncFolder(dirname(folder));
      if ((await lstat(folder)).isDirectory()) continue;
      const what =
        folder === folders[0]
          ? `The namespace "${namespace}"`
          : `A folder of the namespace "${namespace}"`;
      throw new KnowledgeError(
        'namespace_not_allowed',
        `${what} is a symbolic link on the server, so it is not written.`,
      );
    }
    return stageFile(path, (handle) => handle.writeFile(content), { mode: 0o644, isDerived });
  }

  async remove(namespace: string, file: string) {
    const path = this.#pathOf(namespace, file);
    await rm(path, { force: true });
    await syncFolder(dirname(path));
  }

  /**
   * Removes a namespace's folder with its content atomically: a kill leaves all or nothing.
   * @param onLeft called if renamed files could not be deleted, for `removeLeftoverNamespaces`
   * @throws KnowledgeError `storage_unavailable` if files of a mount point could not be deleted
   */
  async removeNamespace(namespace: string, onLeft: (error: unknown) => void = () => undefined) {
    const path = this.#pathOf(namespace);
    const removed = join(this.#root, `${removedPrefix}${randomUUID()}`);
    const isMoved = await rename(path, removed).then(
      () => true,
      // Mount points cannot be renamed.
      () => false,
    );
    const left = isMoved ? removed : path;
    // Retries, because another process may be writing into the folder.
    const remove = () => rm(left, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    const removal = removeFiles(left, new TimeSlicer()).then(remove);
    if (isMoved) {
      // Removal continues in the background; after a stop the next start finishes it.
      await Promise.race([removal.catch(onLeft), sleep(maxRemovalMs)]);
    } else await removal.catch(cannotRemove);
    await syncFolder(this.#root);
  }

  /** Finishes interrupted and failed removals of namespaces. */
  async removeLeftoverNamespaces(onFailure: (error: unknown) => void) {
    const names = (await entriesOf(this.#root))
      .map(({ name }) => name)
      .filter((name) => name.startsWith(removedPrefix));
    for (const name of names)
      await rm(join(this.#root, name), { recursive: true, force: true }).catch(onFailure);
  }

  /** Deletes temporary files of killed writes. @param folders as `scan` returns them */
  async removeLeftovers(namespace: string, folders: readonly string[]) {
    for (const folder of folders) await removeLeftovers(this.#pathOf(namespace, folder));
  }

  /**
   * @throws KnowledgeError `source_not_allowed` if the names lead outside of the namespace's folder
   */
  #pathOf(namespace: string, file = '') {
    if (isSharedMessagesFile(namespace, file)) return join(this.#root, file);
    const parts = file === '' ? [] : file.split('/');
    if (!isNamespaceName(namespace) || !parts.every(isPathPart))
      throw new KnowledgeError('source_not_allowed', 'The path is not a file of a namespace.');
    return join(this.#root, namespace, ...parts);
  }
}
