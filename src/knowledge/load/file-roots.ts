/**
 * Which paths may be read: those below the folders that the operator allows, judged where they really lead. Devices, /proc and dot
 * files are refused wherever they are. No answer names a folder of the server, nor tells whether something outside exists.
 */
import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { KnowledgeError, systemErrorCode } from '../../errors.ts';

export interface FileRootsOptions {
  /** Folders that may be read from; none: every file source is refused. */
  readonly roots: readonly string[];
  /** What relative paths start from, before the roots are tried in their order. */
  readonly workingDirectory: string;
}

export interface LocatedPath {
  /** Absolute, without links. */
  readonly path: string;
  /** Below its root, with `/`; empty for a root itself. */
  readonly below: string;
}

export interface FileRoots {
  /** The first candidate that exists below a root, or is one. @throws KnowledgeError `source_not_allowed`, `source_not_found` */
  locate(path: string): Promise<LocatedPath>;
  /** The roots that there are, absolute, without links. */
  list(): Promise<string[]>;
  /** Absolute paths that a path may stand for, whether there is anything or not. */
  candidates(path: string): Promise<string[]>;
  /** Whether an absolute path without links lies below a root. */
  holds(path: string): Promise<boolean>;
}

const systemFolders = ['/proc', '/sys', '/dev'];

const rootsKnownMs = 1_000;

const notFound = () => new KnowledgeError('source_not_found', 'There is no such file below the allowed folders.');
export const notAllowed = (message: string) => new KnowledgeError('source_not_allowed', message);
export const notBelowRoot = () => notAllowed('The path is not below a folder of ALLOWED_FILE_ROOTS.');

const isInside = (folder: string, path: string) => {
  const below = relative(folder, path);
  return below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below);
};

const isAbsent = (error: unknown) => ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(systemErrorCode(error) ?? '');

export function createFileRoots({ roots, workingDirectory }: FileRootsOptions): FileRoots {
  let known: { readonly at: number; readonly roots: Promise<string[]> } | undefined;

  /** Looked up again and again: a folder may be mounted after the start. */
  function realRoots(): Promise<string[]> {
    if (!known || performance.now() - known.at > rootsKnownMs) {
      const looked = Promise.all(roots.map((root) => realpath(resolve(workingDirectory, root)).catch(() => undefined)));
      known = { at: performance.now(), roots: looked.then((found) => found.filter((root) => root !== undefined)) };
    }
    return known.roots;
  }
  const rootOf = (path: string, real: readonly string[]) =>
    systemFolders.some((folder) => isInside(folder, path)) ? undefined : real.find((root) => isInside(root, path));

  return {
    async locate(path) {
      if (roots.length === 0) throw notAllowed('File sources are refused: the server has no ALLOWED_FILE_ROOTS.');
      if (path === '' || path.includes('\0')) throw notAllowed('This is not a valid path.');
      const real = await realRoots();
      let isBelowRoot = false;
      for (const start of isAbsolute(path) ? [''] : [workingDirectory, ...real]) {
        const candidate = resolve(start, path);
        const found = await realpath(candidate).catch((error: unknown) => {
          if (isAbsent(error)) return undefined;
          // A file that may not be looked at is not gone.
          throw notAllowed('The path cannot be opened for reading.');
        });
        const root = rootOf(found ?? candidate, real);
        if (root !== undefined) isBelowRoot = true;
        if (found === undefined || root === undefined) continue;
        const below = relative(root, found).split(sep).join('/');
        if (below.split('/').some((part) => part.startsWith('.')))
          throw notAllowed('Files and folders whose name begins with a dot are not read.');
        return { path: found, below };
      }
      throw isBelowRoot ? notFound() : notBelowRoot();
    },

    list: realRoots,

    async candidates(path) {
      const real = await realRoots();
      const starts = isAbsolute(path) ? [''] : [workingDirectory, ...real];
      return starts.map((start) => resolve(start, path)).filter((candidate) => rootOf(candidate, real) !== undefined);
    },

    holds: async (path) => rootOf(path, await realRoots()) !== undefined,
  };
}
