/**
 * The knowledge folder, the store of record: `<root>/<namespace>/**\/*.md|mdx`. Writes are atomic (temporary file, fsync, rename)
 * and never go through a link; reads take regular files only. Dot files and dot folders are not documents.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { KnowledgeError, systemErrorCode } from '../../errors.ts';
import { isNamespaceName } from '../namespaces.ts';

/** Changes whenever a file's content may have changed: size, inode, and modification and change time in nanoseconds. */
export type FileStamp = string;

export interface StoredFile {
  readonly bytes: Uint8Array;
  /** Decoded as UTF-8; offsets of chunks point into this. */
  readonly text: string;
  readonly stamp: FileStamp;
}

export interface DocumentStore {
  /** Namespaces that have a folder. */
  listNamespaces(): Promise<string[]>;
  /** Documents of a namespace, as path → stamp, and the folders that hold them. */
  scan(namespace: string): Promise<{ files: Map<string, FileStamp>; folders: string[] }>;
  stamp(namespace: string, file: string): Promise<FileStamp | undefined>;
  /** Undefined where there is no such regular file. */
  read(namespace: string, file: string): Promise<StoredFile | undefined>;
  /**
   * The same without a wait, for a file that is small: some 20 microseconds where waiting for each step takes 300.
   * Undefined for a larger one as well.
   */
  readSmall(namespace: string, file: string): StoredFile | undefined;
  /** `stamp` without a wait. */
  stampNow(namespace: string, file: string): FileStamp | undefined;
  /** `file` is a plain name in the namespace's own folder. */
  write(namespace: string, file: string, content: string): Promise<void>;
  /** A file that is no document, in the namespace's own folder; undefined where there is none. */
  readHidden(namespace: string, file: string): Promise<string | undefined>;
  /** Removes one file; nothing to remove is no error. */
  remove(namespace: string, file: string): Promise<void>;
  /** Removes a namespace's folder and all that is in it. */
  removeNamespace(namespace: string): Promise<void>;
  /** Removes what a killed process left half-written. */
  removeLeftovers(namespace: string): Promise<void>;
}

const documentName = /\.mdx?$/i;
const leftoverAgeMs = 10 * 60 * 1000;
const temporaryName = /^\.[^/]+\.tmp$/;
/** Name of a file or folder that can belong to the store. */
const isVisible = (name: string) => !name.startsWith('.') && name !== 'node_modules';
export const isDocumentName = (name: string): boolean => isVisible(name) && documentName.test(name);

const absent = (error: unknown) => ['ENOENT', 'ENOTDIR', 'ELOOP', 'EISDIR'].includes(systemErrorCode(error) ?? '');

const stampOf = (stat: { size: bigint; ino: bigint; mtimeNs: bigint; ctimeNs: bigint }): FileStamp =>
  `${stat.size}.${stat.ino}.${stat.mtimeNs}.${stat.ctimeNs}`;

/** When a file was last written, ISO 8601. */
export const writtenAt = (stamp: FileStamp): string => new Date(Number(BigInt(stamp.split('.')[2] ?? '0') / 1_000_000n)).toISOString();

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** How many files are looked at in a row when a folder is looked through: about a millisecond. Waiting for each would take ten times as long. */
const stampsAtATime = 128;
const maxSmallBytes = 128_000;

/** @param onIgnored told once of each folder whose name is no namespace name */
export function createDocumentStore(root: string, onIgnored: (name: string) => void = () => undefined): DocumentStore {
  const ignored = new Set<string>();
  const folderOf = (namespace: string) => join(root, namespace);
  const pathOf = (namespace: string, file: string) => join(root, namespace, ...file.split('/'));

  async function ensureFolder(namespace: string): Promise<string> {
    const folder = folderOf(namespace);
    await mkdir(folder, { recursive: true });
    const stat = await lstat(folder);
    if (!stat.isDirectory()) {
      throw new KnowledgeError('namespace_not_allowed', `The namespace "${namespace}" is a link on the server and is not written to.`);
    }
    return folder;
  }

  function stampNow(namespace: string, file: string): FileStamp | undefined {
    const stat = lstatSync(pathOf(namespace, file), { bigint: true, throwIfNoEntry: false });
    return stat?.isFile() ? stampOf(stat) : undefined;
  }

  function readSmall(namespace: string, file: string): StoredFile | undefined {
    let handle: number | undefined;
    try {
      handle = openSync(pathOf(namespace, file), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      const stat = fstatSync(handle, { bigint: true });
      if (!stat.isFile() || stat.size > maxSmallBytes) return undefined;
      const bytes = readFileSync(handle);
      return { bytes, text: decoder.decode(bytes), stamp: stampOf(stat) };
    } catch (error) {
      if (absent(error)) return undefined;
      throw error;
    } finally {
      if (handle !== undefined) closeSync(handle);
    }
  }

  async function stamp(namespace: string, file: string): Promise<FileStamp | undefined> {
    try {
      const stat = await lstat(pathOf(namespace, file), { bigint: true });
      return stat.isFile() ? stampOf(stat) : undefined;
    } catch (error) {
      if (absent(error)) return undefined;
      throw error;
    }
  }

  async function read(namespace: string, file: string): Promise<StoredFile | undefined> {
    let handle: FileHandle | undefined;
    try {
      handle = await open(pathOf(namespace, file), constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      const stat = await handle.stat({ bigint: true });
      if (!stat.isFile()) return undefined;
      const bytes = await handle.readFile();
      return { bytes, text: decoder.decode(bytes), stamp: stampOf(stat) };
    } catch (error) {
      if (absent(error)) return undefined;
      throw error;
    } finally {
      await handle?.close();
    }
  }

  return {
    async listNamespaces() {
      try {
        const entries = await readdir(root, { withFileTypes: true });
        const folders = entries.filter((entry) => entry.isDirectory() && isVisible(entry.name)).map((entry) => entry.name);
        for (const name of folders) {
          if (isNamespaceName(name) || ignored.has(name)) continue;
          ignored.add(name);
          onIgnored(name);
        }
        return folders.filter(isNamespaceName);
      } catch (error) {
        if (absent(error)) return [];
        throw error;
      }
    },

    async scan(namespace) {
      const files = new Map<string, FileStamp>();
      const folders: string[] = [];
      const visit = async (folder: string): Promise<void> => {
        const entries = await readdir(pathOf(namespace, folder), { withFileTypes: true }).catch((error: unknown) => {
          if (absent(error)) return [];
          throw error;
        });
        folders.push(folder);
        const below = (name: string) => (folder === '' ? name : `${folder}/${name}`);
        const documents = entries.filter((entry) => entry.isFile() && isDocumentName(entry.name)).map(({ name }) => below(name));
        for (const [index, path] of documents.entries()) {
          if (index % stampsAtATime === stampsAtATime - 1) await setImmediate();
          const found = stampNow(namespace, path);
          if (found !== undefined) files.set(path, found);
        }
        for (const entry of entries) if (entry.isDirectory() && isVisible(entry.name)) await visit(below(entry.name));
      };
      await visit('');
      return { files, folders };
    },

    stamp,
    stampNow,

    read,
    readSmall,
    readHidden: async (namespace, file) => (await read(namespace, file))?.text,

    async write(namespace, file, content) {
      const folder = await ensureFolder(namespace);
      const temporary = join(folder, `.${randomUUID()}.tmp`);
      try {
        const handle = await open(temporary, 'wx', 0o644);
        try {
          await handle.writeFile(content, 'utf8');
          await handle.sync();
        } finally {
          await handle.close();
        }
        await rename(temporary, join(folder, file));
      } catch (error) {
        await rm(temporary, { force: true });
        throw error;
      }
    },

    async remove(namespace, file) {
      await rm(pathOf(namespace, file), { force: true });
    },

    async removeNamespace(namespace) {
      // A person may be writing into it at the same moment.
      await rm(folderOf(namespace), { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    },

    async removeLeftovers(namespace) {
      const entries = await readdir(folderOf(namespace), { withFileTypes: true });
      for (const entry of entries) {
        if (!entry.isFile() || !temporaryName.test(entry.name)) continue;
        const path = join(folderOf(namespace), entry.name);
        const stat = await lstat(path).catch(() => undefined);
        // A younger one may belong to another process that is writing right now.
        if (stat && Date.now() - stat.mtimeMs > leftoverAgeMs) await rm(path, { force: true });
      }
    },
  };
}
