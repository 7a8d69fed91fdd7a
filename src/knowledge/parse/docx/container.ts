/**
 * A ZIP file → the parts of a Word document that are read, as text. Nothing else is ever unpacked: pictures, embedded files and macros
 * stay packed, and what is unpacked is counted as it comes out, because a header says what its author wants (APPNOTE 6.3.10, OPC).
 */
import { crc32, inflateRawSync } from 'node:zlib';
import type { Entry } from 'yauzl';
import { KnowledgeError } from '../../../errors.ts';

/** A part's text; undefined where the document has none of that name. */
export type ReadPart = (name: string) => Promise<string | undefined>;

const maxEntries = 10_000;
/** Of one part, really unpacked. */
const maxPartBytes = 64 * 1024 * 1024;
/** Of all parts that are read. */
const maxReadBytes = 96 * 1024 * 1024;
/** As the file says it of all its entries, pictures included. */
const maxDeclaredBytes = 1024 * 1024 * 1024;
/** No picture is both this large and packed this well. */
const maxPackedWellBytes = 64 * 1024 * 1024;
const maxRatio = 100;

const refused = (message: string, cause?: unknown) => new KnowledgeError('unsupported_media_type', message, { cause });
const damaged = (cause?: unknown) => refused('The DOCX file is damaged or incomplete.', cause);
const tooLarge = () => new KnowledgeError('payload_too_large', 'The DOCX file holds more than can be read when it is unpacked.');

/** What other ZIP files are, by an entry that each has. */
const others: readonly (readonly [entry: string, name: string])[] = [
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

function nameOfArchive(names: ReadonlySet<string>): string {
  return others.find(([entry]) => names.has(entry))?.[1] ?? 'a ZIP archive';
}

/** Entries that share bytes unpack to more than the file holds. */
function checkOverlap(entries: readonly Entry[]): void {
  let end = 0;
  for (const entry of entries.toSorted((a, b) => a.relativeOffsetOfLocalHeader - b.relativeOffsetOfLocalHeader)) {
    if (entry.relativeOffsetOfLocalHeader < end) throw damaged();
    end = entry.relativeOffsetOfLocalHeader + 30 + entry.fileNameLength + entry.compressedSize;
  }
}

/** UTF-8, or UTF-16 with its mark. */
function decoded(bytes: Uint8Array): string {
  const encoding = bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding).decode(bytes);
}

/** @throws KnowledgeError `unsupported_media_type`, `payload_too_large` */
export async function openDocx(bytes: Uint8Array): Promise<ReadPart> {
  const { fromBufferPromise } = await import('yauzl');
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const zip = await fromBufferPromise(buffer, { strictFileNames: false }).catch((error: unknown) => {
    throw damaged(error);
  });
  if (zip.entryCount > maxEntries) throw refused(`The DOCX file holds more than ${maxEntries} files.`);
  const entries = new Map<string, Entry>();
  let declaredBytes = 0;
  try {
    for await (const entry of zip.eachEntry()) {
      const name = entry.fileName.toLowerCase();
      if (name.endsWith('/')) continue;
      if (entries.has(name)) throw refused('The DOCX file holds two files of the same name.');
      entries.set(name, entry);
      declaredBytes += entry.uncompressedSize;
      const isBomb = entry.uncompressedSize > maxPackedWellBytes && entry.uncompressedSize > entry.compressedSize * maxRatio;
      if (declaredBytes > maxDeclaredBytes || isBomb) throw tooLarge();
    }
  } catch (error) {
    throw error instanceof KnowledgeError ? error : damaged(error);
  }
  checkOverlap([...entries.values()]);
  if (!entries.has('[content_types].xml') || ![...entries.keys()].some((name) => name.startsWith('word/')))
    throw refused(`The file is ${nameOfArchive(new Set(entries.keys()))}, not a Word document (DOCX).`);

  let readBytes = 0;
  async function unpacked(entry: Entry): Promise<Uint8Array> {
    if (entry.isEncrypted()) throw refused('The DOCX file is encrypted.');
    const limit = Math.min(maxPartBytes, maxReadBytes - readBytes);
    if (entry.uncompressedSize > limit) throw tooLarge();
    const { fileDataStart } = await zip.readLocalFileHeaderPromise(entry, { minimal: true });
    const packed = buffer.subarray(fileDataStart, fileDataStart + entry.compressedSize);
    const isPacked = entry.compressionMethod === 8;
    if (!isPacked && entry.compressionMethod !== 0) throw refused('The DOCX file is packed in a way that cannot be read.');
    const data = isPacked ? inflateRawSync(packed, { maxOutputLength: Math.max(1, limit) }) : packed;
    readBytes += data.byteLength;
    if (data.byteLength > limit) throw tooLarge();
    if (data.byteLength !== entry.uncompressedSize || crc32(data) !== entry.crc32) throw damaged();
    return data;
  }

  return async (name) => {
    const entry = entries.get(name.toLowerCase().replace(/^\/+/, ''));
    if (entry === undefined) return undefined;
    try {
      return decoded(await unpacked(entry));
    } catch (error) {
      if (error instanceof KnowledgeError) throw error;
      throw error instanceof RangeError ? tooLarge() : damaged(error);
    }
  };
}
