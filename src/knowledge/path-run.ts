/** A path of a request → the files that it holds now, and those that an earlier ingest found there and that are gone. */
import { KnowledgeError } from '../errors.ts';
import type { Library } from './library.ts';
import type { ListFolder } from './load/list-folder.ts';
import { fileSource, type PathRequest, type SourceRequest } from './requests.ts';
import type { ShelfEntry } from './shelf.ts';
import type { StoredPath } from './stored-path.ts';

/** Undefined where the path is a file. @throws KnowledgeError `source_not_found`, `source_not_allowed`, `empty_source` */
export type ListPath = (namespace: string, request: PathRequest, signal: AbortSignal | undefined) => Promise<SourceRequest[] | undefined>;

export interface PathParts {
  readonly library: Library;
  readonly listFolder: ListFolder;
  readonly storedPath: StoredPath;
  /** Absolute paths that the path of a request may stand for. */
  readonly pathCandidates: (path: string) => Promise<string[]>;
}

export function createPathLister({ library, listFolder, storedPath, pathCandidates }: PathParts): ListPath {
  /** Stored documents of files that a path holds, or once held. */
  async function storedWhere(namespace: string, holds: (path: string) => boolean): Promise<[path: string, entry: ShelfEntry][]> {
    const found: [string, ShelfEntry][] = [];
    for (const entry of (await library.findShelf(namespace))?.entries() ?? []) {
      const path = await storedPath(entry);
      if (path !== undefined && holds(path)) found.push([path, entry]);
    }
    return found;
  }

  const labelBelow = ({ label }: PathRequest, below: string) => (below === '' ? label : `${label.replace(/\/+$/, '')}/${below}`);

  /** Where there is nothing any more: what came from there. */
  async function listGone(namespace: string, request: PathRequest, error: KnowledgeError): Promise<SourceRequest[]> {
    const candidates = await pathCandidates(request.path);
    const belowOf = (path: string) => {
      const folder = candidates.find((candidate) => path === candidate || path.startsWith(`${candidate}/`));
      return folder === undefined ? undefined : path.slice(folder.length + 1);
    };
    const gone = await storedWhere(namespace, (path) => belowOf(path) !== undefined);
    if (gone.length === 0) throw error;
    return gone.map(([path, { document }]) => fileSource(path, labelBelow(request, belowOf(path) ?? ''), document.file));
  }

  return async (namespace, request, signal) => {
    const folder = await listFolder(request.path, request.glob, signal).catch((error: unknown) => {
      if (error instanceof KnowledgeError && error.code === 'source_not_found') return error;
      throw error;
    });
    if (folder instanceof KnowledgeError) return listGone(namespace, request, folder);
    if (!folder) return undefined;
    const present = new Set(folder.files.map((file) => file.path));
    const gone = await storedWhere(namespace, (path) => !present.has(path) && folder.belowOf(path) !== undefined);
    const found = [
      ...folder.files.map((file) => fileSource(file.path, labelBelow(request, file.below))),
      ...gone.map(([path, { document }]) => fileSource(path, labelBelow(request, folder.belowOf(path) ?? ''), document.file)),
    ];
    if (found.length === 0) throw new KnowledgeError('empty_source', 'No file of the folder matches.');
    return found;
  };
}
