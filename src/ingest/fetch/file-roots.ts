/**
 * Which paths may be read: those below the folders that the operator allows, judged where they really lead. Devices, /proc and dot
 * files are refused wherever they are. No answer names a folder of the server, nor tells whether something outside exists.
 */
import { realpath } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { KnowledgeError, systemErrorCode } from '../../errors.ts';

export interface FileRootsOptions {
  readonly roots: readonly string[];
  /** What relative paths start from, before the roots are tried in their order. */
  readonly workingDirectory: string;
}

export interface LocatedPath {
  readonly path: string;
  /** Below its root, with `/`; empty for a root itself. */
  readonly below: string;
}

export type FileRoots = ReturnType<typeof createFileRoots>;

const systemFolders = ['/proc', '/sys', '/dev'];

export const notFound = () => new KnowledgeError('source_not_found', 'There is no such file below the allowed folders.');
export const notAllowed = (message: string) => new KnowledgeError('source_not_allowed', message);
export const notBelowRoot = () => notAllowed('The path is not below a folder of ALLOWED_FILE_ROOTS.');

const isInside = (folder: string, path: string) => {
  const below = relative(folder, path);
  return below !== '..' && !below.startsWith(`..${sep}`) && !isAbsolute(below);
};

const isAbsent = (error: unknown) => ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes(systemErrorCode(error) ?? '');

const realPathOf = (path: string): Promise<string | undefined> =>
  realpath(path).catch((error: unknown) => {
    if (isAbsent(error)) return undefined;
    throw notAllowed('The path cannot be opened for reading.');
  });

function shownBelow(root: string, path: string): string {
  const below = relative(root, path).split(sep).join('/');
  if (below.split('/').some((part) => part.startsWith('.')))
    throw notAllowed('Files and folders whose name begins with a dot are not read.');
  return below;
}

export function createFileRoots({ roots, workingDirectory }: FileRootsOptions) {
  /** Looked up again and again: a folder may be mounted after the start. */
  async function realRoots(): Promise<string[]> {
    const found = await Promise.all(roots.map((root) => realpath(resolve(workingDirectory, root)).catch(() => undefined)));
    return found.filter((root) => root !== undefined);
  }
  const candidatesOf = (path: string, real: readonly string[]) =>
    (isAbsolute(path) ? [''] : [workingDirectory, ...real]).map((start) => resolve(start, path));
  const rootOf = (path: string, real: readonly string[]) =>
    systemFolders.some((folder) => isInside(folder, path)) ? undefined : real.find((root) => isInside(root, path));

  return {
    async locate(path: string): Promise<LocatedPath> {
      if (roots.length === 0) throw notAllowed('File sources are refused: the server has no ALLOWED_FILE_ROOTS.');
      if (path === '' || path.includes('\0')) throw notAllowed('This is not a valid path.');
      const real = await realRoots();
      let failure = notBelowRoot();
      for (const candidate of candidatesOf(path, real)) {
        const found = await realPathOf(candidate);
        const root = rootOf(found ?? candidate, real);
        if (root === undefined) continue;
        if (found !== undefined) return { path: found, below: shownBelow(root, found) };
        failure = notFound();
      }
      throw failure;
    },

    list: realRoots,

    async candidates(path: string): Promise<string[]> {
      const real = await realRoots();
      return candidatesOf(path, real).filter((candidate) => rootOf(candidate, real) !== undefined);
    },

    holds: async (path: string) => rootOf(path, await realRoots()) !== undefined,
  };
}
