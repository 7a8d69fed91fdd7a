/**
 * Which file a stored document came from, as an absolute path. The stored file names it below its root only, because paths of the
 * server are nobody's business; but its own name holds a hash of the path, so the right one can be told from the wrong.
 */
import { join } from 'node:path';
import type { FileRoots } from './load/file-roots.ts';
import { identifyFile } from './load/load-file.ts';
import type { ShelfEntry } from './shelf.ts';
import { fileNameFor } from './store/document-file.ts';

/** Name of the stored file that the file at a path has. */
export function storedNameOf(path: string): string {
  const { identity, fallbackTitle } = identifyFile({ path, below: '' });
  return fileNameFor('file', identity, fallbackTitle);
}

/** Undefined for a document of another kind, and where the path cannot be known. */
export type StoredPath = (entry: ShelfEntry) => Promise<string | undefined>;

export const createStoredPath =
  (roots: FileRoots): StoredPath =>
  async ({ document, version }) => {
    if (document.kind !== 'file') return undefined;
    const candidates = [
      ...(version?.location === undefined ? [] : [version.location]),
      ...(await roots.list()).map((root) => join(root, document.source)),
    ];
    return candidates.find((path) => storedNameOf(path) === document.file);
  };
