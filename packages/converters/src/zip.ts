/**
 * ZIP archives whose entries are read as text on demand. Pictures, embedded files and macros are
 * never unpacked. Limits apply to the bytes actually unpacked, because headers can lie (APPNOTE
 * 6.3.10).
 */
import { crc32, inflateRawSync } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { KnowledgeError } from '../../shared/src/errors.ts';
import { decodePart } from './decode-text.ts';

export interface ZipArchive {
  /** Entry names in lower case. */
  readonly names: ReadonlySet<string>;
  /** Kind of file, derived from its entries: `an Excel workbook`. */
  readonly description: string;
  /**
   * Returns the text of an entry, if it exists. @throws KnowledgeError `unsupported_media_type`,
   * `payload_too_large`
   */
  read(name: string): Promise<string | undefined>;
  /** The same, as bytes. */
  readBytes(name: string): Promise<Uint8Array | undefined>;
}

const maxEntries = 10_000;
/** Unpacked size of one entry. */
const maxEntryBytes = 64 * 1024 * 1024;
/** Total of all entries read. */
const maxReadBytes = 96 * 1024 * 1024;
/** Total of the unpacked sizes in the headers, including pictures. */
const maxDeclaredBytes = 1024 * 1024 * 1024;
/**
 * Larger entries are refused if their compression ratio also exceeds `maxRatio`. Pictures never
 * exceed both limits.
 */
const minBombBytes = 64 * 1024 * 1024;
const maxRatio = 100;

/** For each kind of file, the entry that identifies it. */
const archiveKinds: readonly (readonly [entry: string, name: string])[] = [
  ['word/document.xml', 'a Word document'],
  ['xl/workbook.xml', 'an Excel workbook'],
  ['xl/workbook.bin', 'an Excel workbook'],
  ['ppt/presentation.xml', 'a PowerPoint presentation'],
  ['visio/document.xml', 'a Visio drawing'],
  ['meta-inf/container.xml', 'an EPUB book'],
  ['meta-inf/manifest.mf', 'a Java archive'],
  ['androidmanifest.xml', 'an Android app'],
  ['index/document.iwa', 'a document of Apple iWork'],
  ['content.xml', 'an OpenDocument file'],
];

/** Overlapping entries can unpack to far more than the size of the file. */
function hasOverlap(entries: Iterable<Entry>): boolean {
  let end = 0;
  for (const entry of [...entries].sort(
    (a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader,
  )) {
    if (entry.relativeOffsetOfLocalHeader < end) return true;
    end = entry.relativeOffsetOfLocalHeader + 30 + entry.fileNameLength + entry.compressedSize;
  }
  return false;
}

interface ZipErrors {
  readonly refused: (problem: string, cause?: unknown) => KnowledgeError;
  readonly damaged: (cause?: unknown) => KnowledgeError;
  readonly tooLarge: () => KnowledgeError;
}
const createZipErrors = (label: string): ZipErrors => ({
  refused: (problem, cause) =>
    new KnowledgeError('unsupported_media_type', `The ${label} file ${problem}.`, { cause }),
  damaged: (cause) =>
    new KnowledgeError('unsupported_media_type', `The ${label} file is damaged or incomplete.`, {
      cause,
    }),
  tooLarge: () =>
    new KnowledgeError(
      'payload_too_large',
      `The ${label} file is too large when unpacked. Split the source.`,
    ),
});

const isBomb = ({ uncompressedSize, compressedSize }: Entry) =>
  uncompressedSize > minBombBytes && uncompressedSize > compressedSize * maxRatio;

/** Entries by name in lower case. Duplicate names are refused. */
async function entriesOf(
  zip: ZipFile,
  { refused, tooLarge, damaged }: ZipErrors,
): Promise<Map<string, Entry>> {
  if (zip.entryCount > maxEntries) throw refused(`contains more than ${maxEntries} files`);
  const entries = new Map<string, Entry>();
  let declaredBytes = 0;
  for await (const entry of zip.eachEntry()) {
    const name = entry.fileName.toLowerCase();
    if (name.endsWith('/')) continue;
    if (entries.has(name)) throw refused('contains two files with the same name');
    entries.set(name, entry);
    declaredBytes += entry.uncompressedSize;
    if (declaredBytes > maxDeclaredBytes || isBomb(entry)) throw tooLarge();
  }
  if (hasOverlap(entries.values())) throw damaged();
  return entries;
}

/**
 * @param label of the format, for error messages @throws KnowledgeError `unsupported_media_type`,
 * `payload_too_large`
 */
export async function openZip(bytes: Uint8Array, label: string): Promise<ZipArchive> {
  const errors = createZipErrors(label);
  const { refused, damaged, tooLarge } = errors;
  const toFailure = (error: unknown) => (error instanceof KnowledgeError ? error : damaged(error));
  const { fromBufferPromise } = await import('yauzl');
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const opened = fromBufferPromise(buffer, { strictFileNames: false }).then(
    async (file) => [file, await entriesOf(file, errors)] as const,
  );
  const [zip, entries] = await opened.catch((error: unknown) => {
    throw toFailure(error);
  });
  const names = new Set(entries.keys());

  let readBytes = 0;
  async function unpacked(entry: Entry): Promise<Uint8Array> {
    if (entry.isEncrypted()) throw refused('is encrypted');
    const limit = Math.min(maxEntryBytes, maxReadBytes - readBytes);
    if (entry.uncompressedSize > limit) throw tooLarge();
    const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
    const packed = buffer.subarray(fileDataStart, fileDataStart + entry.compressedSize);
    const isPacked = entry.compressionMethod === 8;
    if (!isPacked && entry.compressionMethod !== 0)
      throw refused('uses an unsupported compression method');
    const data = isPacked
      ? inflateRawSync(packed, { maxOutputLength: Math.max(1, limit) })
      : packed;
    readBytes += data.byteLength;
    if (data.byteLength > limit) throw tooLarge();
    if (data.byteLength !== entry.uncompressedSize || crc32(data) !== entry.crc32) throw damaged();
    return data;
  }

  async function bytesOf(name: string): Promise<Uint8Array | undefined> {
    const entry = entries.get(name.toLowerCase().replace(/^\/+/, ''));
    if (entry === undefined) return undefined;
    try {
      return await unpacked(entry);
    } catch (error) {
      throw error instanceof RangeError ? tooLarge() : toFailure(error);
    }
  }

  return {
    names,
    description: archiveKinds.find(([entry]) => names.has(entry))?.[1] ?? 'a ZIP archive',
    readBytes: bytesOf,
    async read(name) {
      const bytes = await bytesOf(name);
      return bytes && decodePart(bytes);
    },
  };
}
