/** The files of a folder below an allowed root, by path. Links, dot files and `node_modules` are not followed; what is no regular file is left out. */
import type { Dirent } from 'node:fs';
import { opendir } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { KnowledgeError, systemErrorCode } from '../../errors.ts';
import { createMatcher } from '../text/glob.ts';
import type { FileRoots } from './file-roots.ts';

export interface ListedFile {
  /** Absolute. */
  readonly path: string;
  /** Below the listed folder, with `/`. */
  readonly below: string;
}

export interface ListedFolder {
  /** In the order of their paths. */
  readonly files: readonly ListedFile[];
  /** Path below the folder of an absolute path that would be listed if it were there; undefined for any other. */
  readonly belowOf: (path: string) => string | undefined;
}

/** Undefined where the path is a file. @throws KnowledgeError `source_not_allowed`, `source_not_found`, `payload_too_large` */
export type ListFolder = (path: string, glob: string | undefined, signal: AbortSignal | undefined) => Promise<ListedFolder | undefined>;

/** Without a pattern: what can be read. */
const readable = '**/*.{md,mdx,markdown,txt,html,htm,xhtml,pdf,docx,csv,tsv,json,jsonl,ndjson}';
const maxFiles = 20_000;
const maxEntries = 200_000;
const maxDepth = 32;
const isShown = (name: string) => !name.startsWith('.') && name !== 'node_modules';

export const createFolderLister =
  (roots: FileRoots): ListFolder =>
  async (path, glob, signal) => {
    const folder = await roots.locate(path);
    const matches = createMatcher([glob ?? readable]);
    const files: ListedFile[] = [];
    let entries = 0;

    const visit = async (absolute: string, below: string, depth: number): Promise<void> => {
      const children: Dirent[] = [];
      for await (const child of await opendir(absolute)) {
        signal?.throwIfAborted();
        if (++entries > maxEntries) throw new KnowledgeError('payload_too_large', `The folder holds more than ${maxEntries} entries.`);
        if (isShown(child.name)) children.push(child);
      }
      children.sort((a, b) => (a.name < b.name ? -1 : 1));
      for (const child of children) {
        const childBelow = below === '' ? child.name : `${below}/${child.name}`;
        if (child.isDirectory() && depth < maxDepth) await visit(join(absolute, child.name), childBelow, depth + 1);
        else if (child.isFile() && matches(childBelow)) {
          if (files.length === maxFiles) throw new KnowledgeError('payload_too_large', `More than ${maxFiles} files of the folder match.`);
          files.push({ path: join(absolute, child.name), below: childBelow });
        }
      }
    };

    try {
      await visit(folder.path, '', 0);
    } catch (error) {
      if (systemErrorCode(error) !== 'ENOTDIR') throw error;
      if (glob !== undefined) throw new KnowledgeError('ingest_failed', 'The path is a file, not a folder; leave out "glob".');
      return undefined;
    }
    const belowOf = (file: string) => {
      const below = file.startsWith(`${folder.path}${sep}`)
        ? file
            .slice(folder.path.length + 1)
            .split(sep)
            .join('/')
        : '';
      return below !== '' && matches(below) ? below : undefined;
    };
    return { files, belowOf };
  };
