/**
 * Reads one file below the allowed folders. It is opened without following a link, and what was opened is looked at again, so that
 * swapping a path for a link between the two steps gains nothing. Devices and pipes are never read.
 */
import { createHash } from 'node:crypto';
import { type BigIntStats, constants } from 'node:fs';
import { lstat, open, readlink } from 'node:fs/promises';
import { basename } from 'node:path';
import { KnowledgeError, systemErrorCode } from '../../errors.ts';
import type { IdentifiedSource, LoadedSource, SourceVersion } from '../types.ts';
import { type FileRoots, type LocatedPath, notAllowed, notBelowRoot } from './file-roots.ts';
import { isGzip, unpackGzip, withoutGzipName } from './unpack-gzip.ts';

/** @throws KnowledgeError `source_not_allowed`, `source_not_found`, `payload_too_large` */
export type LoadFile = (source: IdentifiedSource, known: SourceVersion | undefined) => Promise<LoadedSource | 'unchanged'>;

/** The identity of a file is its real path. */
export const identifyFile = ({ path, below }: LocatedPath): IdentifiedSource => ({
  identity: path,
  origin: below,
  fallbackTitle: basename(path).replace(/\.[^.]+$/, ''),
});

/** Where an open descriptor really points, on systems that tell. */
const pathOfDescriptor = (fd: number): Promise<string | undefined> => readlink(`/proc/self/fd/${fd}`).catch(() => undefined);

const stampOf = (stat: BigIntStats) => `${stat.size}.${stat.ino}.${stat.mtimeNs}.${stat.ctimeNs}`;

/** Undefined where there is no regular file. */
async function stampAt(path: string): Promise<string | undefined> {
  const stat = await lstat(path, { bigint: true }).catch(() => undefined);
  return stat?.isFile() ? stampOf(stat) : undefined;
}

export function createFileLoader(roots: FileRoots, maxBytes: number): LoadFile {
  return async (source, known) => {
    const path = source.identity;
    if (known?.stamp !== undefined && known.stamp === (await stampAt(path))) return 'unchanged';
    const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error: unknown) => {
      throw ['ENOENT', 'ENOTDIR'].includes(systemErrorCode(error) ?? '')
        ? new KnowledgeError('source_not_found', 'There is no such file below the allowed folders.')
        : notAllowed('The file cannot be opened for reading.');
    });
    try {
      const stat = await handle.stat({ bigint: true });
      if (!stat.isFile()) throw notAllowed('Only regular files are read.');
      if (!(await roots.holds((await pathOfDescriptor(handle.fd)) ?? path))) throw notBelowRoot();
      const stamp = stampOf(stat);
      if (stat.size > maxBytes) throw new KnowledgeError('payload_too_large', `The source is larger than ${maxBytes} bytes.`);
      const buffer = Buffer.alloc(Number(stat.size));
      const { bytesRead } = await handle.read(buffer, 0, buffer.byteLength, 0);
      const content = buffer.subarray(0, bytesRead);
      const packed = isGzip(content);
      const bytes = packed ? await unpackGzip(content, maxBytes) : content;
      return {
        ...source,
        bytes,
        version: { hash: createHash('sha256').update(bytes).digest('hex'), stamp, location: path },
        location: undefined,
        fileName: packed ? withoutGzipName(basename(path)) : basename(path),
        mediaType: undefined,
        charset: undefined,
      };
    } finally {
      await handle.close();
    }
  };
}
