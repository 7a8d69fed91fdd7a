/**
 * Reads one file below the folders that the operator allows. The path is resolved with its links, the file opened without following
 * any, and what was opened is looked at again, so that swapping a path for a link between the two steps gains nothing.
 * Devices, pipes, /proc and dot files are refused wherever they are. No answer names a folder of the server.
 */
import { constants } from 'node:fs';
import { open, readlink, realpath } from 'node:fs/promises';
import { basename, isAbsolute, relative, resolve, sep } from 'node:path';
import { KnowledgeError, systemErrorCode } from '../../errors.ts';
import type { LoadedSource } from '../types.ts';

export type LoadFile = (path: string) => Promise<LoadedSource>;

export interface FileLoaderOptions {
  /** Folders that may be read from; none: every file source is refused. */
  readonly roots: readonly string[];
  readonly maxBytes: number;
  /** What relative paths start from, before the roots are tried in their order. */
  readonly workingDirectory: string;
}

const systemFolders = ['/proc', '/sys', '/dev'];

const notFound = () => new KnowledgeError('source_not_found', 'There is no such file below the allowed folders.');
const notAllowed = (message: string) => new KnowledgeError('source_not_allowed', message);

const isInside = (folder: string, path: string) => {
  const below = relative(folder, path);
  return below !== '' && below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below);
};

/** Where an open descriptor really points, on systems that tell. */
const pathOfDescriptor = (fd: number): Promise<string | undefined> => readlink(`/proc/self/fd/${fd}`).catch(() => undefined);

export function createFileLoader({ roots, maxBytes, workingDirectory }: FileLoaderOptions): LoadFile {
  /** Looked up each time: a folder may be mounted after the start. */
  const realRoots = async () =>
    (await Promise.all(roots.map((root) => realpath(resolve(workingDirectory, root)).catch(() => undefined)))).filter(
      (root) => root !== undefined,
    );
  const rootOf = async (path: string) =>
    systemFolders.some((folder) => path === folder || isInside(folder, path))
      ? undefined
      : (await realRoots()).find((root) => isInside(root, path));

  /** The first candidate that exists below a root. */
  async function locate(path: string): Promise<{ path: string; root: string }> {
    const starts = isAbsolute(path) ? [''] : [workingDirectory, ...(await realRoots())];
    let isBelowRoot = false;
    for (const start of starts) {
      const candidate = resolve(start, path);
      const real = await realpath(candidate).catch((error: unknown) => {
        if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES'].includes(systemErrorCode(error) ?? '')) return undefined;
        throw error;
      });
      const root = await rootOf(real ?? candidate);
      if (real !== undefined && root !== undefined) return { path: real, root };
      if (root !== undefined) isBelowRoot = true;
    }
    // Whether a file outside exists is not told.
    throw isBelowRoot ? notFound() : notAllowed('The path is not below a folder of ALLOWED_FILE_ROOTS.');
  }

  return async (path) => {
    if (roots.length === 0) throw notAllowed('File sources are refused: the server has no ALLOWED_FILE_ROOTS.');
    if (path === '' || path.includes('\0')) throw notAllowed('This is not a valid path.');
    const { path: real, root } = await locate(path);
    const below = relative(root, real);
    if (below.split(sep).some((part) => part.startsWith('.')))
      throw notAllowed('Files and folders whose name begins with a dot are not read.');

    const handle = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error: unknown) => {
      throw ['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '')
        ? notFound()
        : notAllowed('The file cannot be opened for reading.');
    });
    try {
      const stat = await handle.stat();
      if (!stat.isFile()) throw notAllowed('Only regular files are read.');
      const opened = await pathOfDescriptor(handle.fd);
      if (opened !== undefined && (await rootOf(opened)) === undefined)
        throw notAllowed('The path is not below a folder of ALLOWED_FILE_ROOTS.');
      const tooLarge = () => new KnowledgeError('payload_too_large', `The source is larger than ${maxBytes} bytes.`);
      if (stat.size > maxBytes) throw tooLarge();
      const bytes = Buffer.alloc(stat.size);
      const { bytesRead } = await handle.read(bytes, 0, stat.size, 0);
      return {
        bytes: bytes.subarray(0, bytesRead),
        identity: real,
        origin: below.split(sep).join('/'),
        location: undefined,
        fileName: basename(real),
        mediaType: undefined,
        charset: undefined,
        fallbackTitle: basename(real).replace(/\.[^.]+$/, ''),
      };
    } finally {
      await handle.close();
    }
  };
}
