/**
 * A ZIP file whose entries are read as text when they are asked for. Nothing else is ever unpacked: pictures, embedded files and macros stay
 * packed, and what is unpacked is counted as it comes out, because a header says what its author wants (APPNOTE 6.3.10).
 */
import { crc32, inflateRawSync } from 'node:zlib';
import type { Entry, ZipFile } from 'yauzl';
import { KnowledgeError } from '../errors.ts';
import { byteOrderMark } from './decode-text.ts';

export interface ZipArchive {
  /** Of its entries, in lower case. */
  readonly names: ReadonlySet<string>;
  /** What it is by the entries that it holds: `an Excel workbook`. */
  readonly description: string;
  /** Text of an entry; undefined where there is none of that name. @throws KnowledgeError `unsupported_media_type`, `payload_too_large` */
  read(name: string): Promise<string | undefined>;
}

const maxEntries = 10_000;
/** Of one entry, really unpacked. */
const maxEntryBytes = 64 * 1024 * 1024;
/** Of all entries that are read. */
const maxReadBytes = 96 * 1024 * 1024;
/** As the file says it of all its entries, pictures included. */
const maxDeclaredBytes = 1024 * 1024 * 1024;
/** No picture is both this large and packed this well. */
const maxPackedWellBytes = 64 * 1024 * 1024;
const maxRatio = 100;

/** What ZIP files are, by an entry that each has. */
const archives: readonly (readonly [entry: string, name: string])[] = [
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

/** Entries that share bytes unpack to more than the file holds. */
function holdsOverlap(entries: Iterable<Entry>): boolean {
  let end = 0;
  for (const entry of [...entries].sort((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)) {
    if (entry.relativeOffsetOfLocalHeader < end) return true;
    end = entry.relativeOffsetOfLocalHeader + 30 + entry.fileNameLength + entry.compressedSize;
  }
  return false;
}

/** What is wrong with a file, in words that name its format. */
const failuresOf = (label: string) => ({
  refused: (what: string, cause?: unknown) => new KnowledgeError('unsupported_media_type', `The ${label} file ${what}.`, { cause }),
  damaged: (cause?: unknown) => new KnowledgeError('unsupported_media_type', `The ${label} file is damaged or incomplete.`, { cause }),
  tooLarge: () => new KnowledgeError('payload_too_large', `The ${label} file holds more than can be read when it is unpacked.`),
});
type Failures = ReturnType<typeof failuresOf>;

const isBomb = ({ uncompressedSize, compressedSize }: Entry) =>
  uncompressedSize > maxPackedWellBytes && uncompressedSize > compressedSize * maxRatio;

/** Its entries by their names in lower case, none of which may be there twice. */
async function entriesOf(zip: ZipFile, { refused, tooLarge, damaged }: Failures): Promise<Map<string, Entry>> {
  if (zip.entryCount > maxEntries) throw refused(`holds more than ${maxEntries} files`);
  const entries = new Map<string, Entry>();
  let declaredBytes = 0;
  for await (const entry of zip.eachEntry()) {
    const name = entry.fileName.toLowerCase();
    if (name.endsWith('/')) continue;
    if (entries.has(name)) throw refused('holds two files of the same name');
    entries.set(name, entry);
    declaredBytes += entry.uncompressedSize;
    if (declaredBytes > maxDeclaredBytes || isBomb(entry)) throw tooLarge();
  }
  if (holdsOverlap(entries.values())) throw damaged();
  return entries;
}

/** @param label of the format, for what is said of a file that cannot be read @throws KnowledgeError `unsupported_media_type`, `payload_too_large` */
export async function openZip(bytes: Uint8Array, label: string): Promise<ZipArchive> {
  const failures = failuresOf(label);
  const { refused, damaged, tooLarge } = failures;
  const asFailure = (error: unknown) => (error instanceof KnowledgeError ? error : damaged(error));
  const { fromBufferPromise } = await import('yauzl');
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const opened = fromBufferPromise(buffer, { strictFileNames: false }).then(
    async (file) => [file, await entriesOf(file, failures)] as const,
  );
  const [zip, entries] = await opened.catch((error: unknown) => {
    throw asFailure(error);
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
    if (!isPacked && entry.compressionMethod !== 0) throw refused('is packed in a way that cannot be read');
    const data = isPacked ? inflateRawSync(packed, { maxOutputLength: Math.max(1, limit) }) : packed;
    readBytes += data.byteLength;
    if (data.byteLength > limit) throw tooLarge();
    if (data.byteLength !== entry.uncompressedSize || crc32(data) !== entry.crc32) throw damaged();
    return data;
  }

  return {
    names,
    description: archives.find(([entry]) => names.has(entry))?.[1] ?? 'a ZIP archive',
    async read(name) {
      const entry = entries.get(name.toLowerCase().replace(/^\/+/, ''));
      if (entry === undefined) return undefined;
      try {
        const text = await unpacked(entry);
        return new TextDecoder(byteOrderMark(text) ?? 'utf-8').decode(text);
      } catch (error) {
        throw error instanceof RangeError ? tooLarge() : asFailure(error);
      }
    },
  };
}
