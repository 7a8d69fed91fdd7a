/**
 * ZIP archives whose entries are read as text on demand. Pictures, embedded files and macros are
 * never unpacked. Limits apply to the bytes actually unpacked, because headers can lie (APPNOTE
 * 6.3.10).
 */
import { crc32, inflateRawSync } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { KnowledgeError } from '../../shared/src/errors.ts';
import { decodePart } from './decode-text.ts';
import { overLimit, refused } from './source.ts';

/** Returns the text of a part of an archive, if it exists. */
export type ReadEntry = (name: string) => Promise<string | undefined>;

const maxEntries = 10_000;
/** Unpacked size of one entry. */
const maxEntryBytes = 64 * 1024 * 1024;

/** For each kind of file, the entry that identifies it. */
const archiveKinds = [
  ['word/document.xml', 'a Word document'],
  ['xl/workbook.xml', 'an Excel workbook'],
  ['ppt/presentation.xml', 'a PowerPoint presentation'],
  ['meta-inf/container.xml', 'an EPUB book'],
  ['content.xml', 'an OpenDocument file'],
] as const;

/** Overlapping entries can unpack to far more than the size of the file. */
function hasOverlap(entries: readonly Entry[]) {
  let end = 0;
  for (const entry of entries.toSorted(
    (a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader,
  )) {
    if (entry.relativeOffsetOfLocalHeader < end) return true;
    end = entry.relativeOffsetOfLocalHeader + 30 + entry.fileNameLength + entry.compressedSize;
  }
  return false;
}

/** Size and compression ratio of a bomb. Pictures never exceed both limits. */
const isBomb = ({ uncompressedSize, compressedSize }: Entry) =>
  uncompressedSize > maxEntryBytes && uncompressedSize > compressedSize * 100;

/**
 * @param label of the format, for error messages
 * @throws KnowledgeError `unsupported_media_type`, `payload_too_large`; readers of entries too
 */
export async function openZip(bytes: Uint8Array, label: string) {
  const problem = (text: string, cause?: unknown) => refused(`The ${label} file ${text}.`, cause);
  const damaged = (cause?: unknown) => problem('is damaged or incomplete', cause);
  const bomb = () => overLimit(`The ${label} file is too large when unpacked. Split the source.`);
  const toFailure = (error: unknown) => (error instanceof KnowledgeError ? error : damaged(error));
  const { fromBufferPromise } = await import('yauzl');
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

  /** Entries by name in lower case. Duplicate names are refused. */
  async function entriesOf(zip: ZipFile) {
    if (zip.entryCount > maxEntries) throw problem(`contains more than ${maxEntries} files`);
    const files: Entry[] = [];
    for await (const entry of zip.eachEntry()) if (!entry.fileName.endsWith('/')) files.push(entry);
    const entries = new Map(files.map((entry) => [entry.fileName.toLowerCase(), entry]));
    if (entries.size < files.length) throw problem('contains two files with the same name');
    const declaredBytes = files.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
    // Including pictures.
    if (declaredBytes > 1024 * 1024 * 1024 || files.some(isBomb)) throw bomb();
    if (hasOverlap(files)) throw damaged();
    return entries;
  }

  const [zip, entries] = await fromBufferPromise(buffer, { strictFileNames: false })
    .then(async (file) => [file, await entriesOf(file)] as const)
    .catch((error: unknown) => {
      throw toFailure(error);
    });
  /** In lower case. */
  const names = new Set(entries.keys());

  let readBytes = 0;
  async function unpacked(entry: Entry) {
    if (entry.isEncrypted()) throw problem('is encrypted');
    // The second is the limit of all entries read.
    const limit = Math.min(maxEntryBytes, 96 * 1024 * 1024 - readBytes);
    if (entry.uncompressedSize > limit) throw bomb();
    const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
    const packed = buffer.subarray(fileDataStart, fileDataStart + entry.compressedSize);
    const isPacked = entry.compressionMethod === 8;
    if (!isPacked && entry.compressionMethod !== 0)
      throw problem('uses an unsupported compression method');
    const data = isPacked
      ? inflateRawSync(packed, { maxOutputLength: Math.max(1, limit) })
      : packed;
    readBytes += data.byteLength;
    if (data.byteLength > limit) throw bomb();
    if (data.byteLength !== entry.uncompressedSize || crc32(data) !== entry.crc32) throw damaged();
    return data;
  }

  async function bytesOf(name: string) {
    const entry = entries.get(name.toLowerCase().replace(/^\/+/, ''));
    if (!entry) return undefined;
    try {
      return await unpacked(entry);
    } catch (error) {
      throw error instanceof RangeError ? bomb() : toFailure(error);
    }
  }

  return {
    names,
    /** Kind of file, derived from its entries: `an Excel workbook`. */
    description: archiveKinds.find(([entry]) => names.has(entry))?.[1] ?? 'a ZIP archive',
    readBytes: bytesOf,
    read: (name: string) => bytesOf(name).then((data) => data && decodePart(data)),
  };
}
