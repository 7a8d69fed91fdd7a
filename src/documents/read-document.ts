/** Reads a stored file for the index. */
import type { DocumentTerms, EngineDocument } from '../search/search-engine.ts';
import { chunkDocument, type SplitProse } from './chunk.ts';
import type { Chunk, Document } from './document.ts';
import { readDocumentFile } from './document-file.ts';
import type { DocumentStore, FileStamp } from './document-store.ts';

type ChunkTexts = EngineDocument['chunks'];

export type ReadDocument = Readonly<{
  document: Document;
  stamp: FileStamp;
  /** Alternative titles, best first. */
  titles: readonly string[];
  /** Undefined if the revision is already known. */
  content?: Readonly<{
    chunks: readonly Chunk[];
    /** Front matter that is indexed with the document. */
    about: string;
    /** One per chunk; empty if terms are enough. */
    texts: ChunkTexts;
    terms?: DocumentTerms | undefined;
    /** Whether it is a file by hand with bytes that could not be decoded. */
    isDamaged: boolean;
  }>;
}>;

/**
 * Adds the front matter only to the first chunk: in every chunk it would hide their differences.
 */
export const withAbout = (about: string, texts: ChunkTexts): ChunkTexts =>
  texts.map((chunk, index) =>
    index > 0 || about === '' ? chunk : { ...chunk, headingPath: [about, ...chunk.headingPath] },
  );

/**
 * Returns undefined if there is no such regular file.
 * @param known revision whose content is not needed
 * @throws KnowledgeError `storage_unavailable` if the file cannot be read
 */
export async function readDocument(
  store: DocumentStore,
  splitProse: SplitProse,
  namespace: string,
  file: string,
  known: string | undefined,
): Promise<ReadDocument | undefined> {
  const stored = await store.read(namespace, file);
  if (!stored) return undefined;
  const { document, bodyStart, titles, about } = readDocumentFile(namespace, file, stored);
  const read = { document, titles, stamp: stored.stamp };
  if (document.revision === known) return read;
  const chunks = await chunkDocument(splitProse, stored.text, bodyStart);
  const texts = chunks.map(({ start, end, headingPath }) => ({
    text: stored.text.slice(start, end),
    headingPath,
  }));
  const isDamaged = document.fetchedAt === undefined && stored.text.includes('\ufffd');
  return { ...read, content: { chunks, about, texts, isDamaged } };
}
