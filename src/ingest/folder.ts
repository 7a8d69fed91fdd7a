/**
 * Lists the files of a path, and stored files that are missing there. Skips links, dot files and
 * `node_modules`.
 */
import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { readableExtensions } from '../../packages/converters/src/formats.ts';
import { KnowledgeError, systemErrorCode } from '../../packages/shared/src/errors.ts';
import { fileNameFor } from '../documents/document-file.ts';
import type { IndexedDocument } from '../documents/namespace-snapshot.ts';
import type { Namespaces } from '../documents/namespaces.ts';
import { type FileRoots, identifyFile } from './fetch/load.ts';
import { createMatcher, type Matches } from './glob.ts';
import { fileSource, type PathRequest, type SourceRequest } from './source.ts';

const readable = readableExtensions.map((extension) => `**/*${extension}`);
const maxFiles = 20_000;
const maxEntries = 200_000;
const maxDepth = 32;
/** Errors of a subfolder that the report shows in its place, or that mean it was just deleted. */
const unreadable = ['EACCES', 'EPERM', 'ENAMETOOLONG'];
const absent = ['ENOENT', 'ENOTDIR'];
const tooMany = (message: string) => new KnowledgeError('payload_too_large', message);
const isShown = (name: string) => !name.startsWith('.') && name !== 'node_modules';

export const folderMatcher = (glob: string | undefined): Matches =>
  createMatcher(glob === undefined ? readable : [glob]);

/**
 * Paths relative to a folder, with `/`, sorted, with unreadable subfolders; undefined if it is a
 * file. @throws KnowledgeError `payload_too_large`
 */
export async function listFolder(
  folder: string,
  matches: Matches,
  signal: AbortSignal | undefined,
): Promise<string[] | undefined> {
  const files: string[] = [];
  let entries = 0;

  async function childrenOf(below: string) {
    const children: Dirent[] = [];
    for await (const child of await opendir(join(folder, below))) {
      signal?.throwIfAborted();
      if (++entries > maxEntries) throw tooMany(`The folder has more than ${maxEntries} entries.`);
      if (isShown(child.name)) children.push(child);
    }
    return children.sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async function visit(below: string, depth: number) {
    for (const child of await childrenOf(below)) {
      const path = `${below}${child.name}`;
      if (child.isDirectory() && depth < maxDepth)
        await visit(`${path}/`, depth + 1).catch((error: unknown) => {
          const code = systemErrorCode(error) ?? '';
          if (unreadable.includes(code)) files.push(path);
          else if (!absent.includes(code)) throw error;
        });
      else if (child.isFile() && matches(path)) files.push(path);
      if (files.length > maxFiles)
        throw tooMany(`More than ${maxFiles} files in the folder match.`);
    }
  }

  try {
    await visit('', 0);
    return files;
  } catch (error) {
    if (systemErrorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

export function storedNameOf(path: string): string {
  const { identity, fallbackTitle } = identifyFile({ path, below: '' });
  return fileNameFor('file', identity, fallbackTitle);
}

type FolderFile = Readonly<{
  path: string;
  /** Path below the folder, with `/`. */
  below: string;
  /** Stored file, if the folder no longer has this one. */
  file?: string;
}>;

export class Folders {
  readonly #namespaces;
  readonly #roots;

  constructor(namespaces: Namespaces, roots: FileRoots) {
    this.#namespaces = namespaces;
    this.#roots = roots;
  }

  /**
   * Absolute path of the file that a stored document came from. The stored file has only the path
   * below a root, so that it does not reveal paths of the server; its name has a hash of the
   * absolute path, which identifies the root.
   */
  async storedPath({ document, version }: IndexedDocument): Promise<string | undefined> {
    if (document.kind !== 'file') return undefined;
    const isOwn = (path: string) => storedNameOf(path) === document.file;
    if (version?.location !== undefined && isOwn(version.location)) return version.location;
    return (await this.#roots.list()).map((root) => join(root, document.source)).find(isOwn);
  }

  /**
   * Undefined if the path is a file. @throws `source_not_found`, `source_not_allowed`,
   * `empty_source`, `payload_too_large`, `ingest_failed`
   */
  async list(
    namespace: string,
    { path, glob, label }: PathRequest,
    signal: AbortSignal | undefined,
  ): Promise<SourceRequest[] | undefined> {
    const named = ({ path: read, below, file }: FolderFile) =>
      fileSource(read, below === '' ? label : `${label.replace(/(?<!\/)\/+$/, '')}/${below}`, file);
    const folder = await this.#roots.locate(path).catch((error: unknown) => {
      if (error instanceof KnowledgeError && error.code === 'source_not_found') return error;
      throw error;
    });
    if (folder instanceof KnowledgeError) {
      const places = await this.#roots.candidates(path);
      const missing = await this.#missing(namespace, places, new Set(), () => true);
      if (missing.length === 0) throw folder;
      return missing.map(named);
    }
    const matches = folderMatcher(glob);
    const files = await listFolder(folder.path, matches, signal);
    if (!files && glob !== undefined)
      throw new KnowledgeError('ingest_failed', 'The path is a file, not a folder. Omit "glob".');
    if (!files) return undefined;
    const present = files.map((below) => ({ path: join(folder.path, below), below }));
    const paths = new Set(present.map((one) => one.path));
    const missing = await this.#missing(namespace, [folder.path], paths, matches);
    if (files.length + missing.length === 0)
      throw new KnowledgeError('empty_source', 'No file in the folder matches.');
    return [...present, ...missing].map(named);
  }

  /** Stored files of these folders that are not present there. */
  async #missing(
    namespace: string,
    folders: readonly string[],
    present: ReadonlySet<string>,
    matches: Matches,
  ) {
    const missing: FolderFile[] = [];
    for (const entry of (await this.#namespaces.find(namespace))?.documents() ?? []) {
      const path = await this.storedPath(entry);
      if (path === undefined || present.has(path)) continue;
      const folder = folders.find((one) => path === one || path.startsWith(`${one}${sep}`));
      if (folder === undefined) continue;
      const below = path.slice(folder.length + 1).replaceAll(sep, '/');
      if (matches(below)) missing.push({ below, path, file: entry.document.file });
    }
    return missing;
  }
}
