/** A stored file → what the index takes of it. */
import type { DocumentTerms, EngineDocument } from '../search/search-engine.ts';
import type { ChunkDocument } from './chunk.ts';
import type { Chunk, Document } from './document.ts';
import { readDocumentFile } from './document-file.ts';
import type { DocumentStore, FileStamp } from './document-store.ts';

type ChunkTexts = EngineDocument['chunks'];

export interface ReadDocument {
  readonly document: Document;
  readonly stamp: FileStamp;
  /** What it may be called, best first. */
  readonly titles: readonly string[];
  /** Undefined if the file is as it is known. */
  readonly content?: {
    readonly chunks: readonly Chunk[];
    /** Front matter whose words lead to the document. */
    readonly about: string;
    /** One for each chunk, or none if terms are enough. */
    readonly texts: ChunkTexts;
    readonly terms?: DocumentTerms | undefined;
  };
}

/**
 * Undefined if there is no such regular file.
 * @param known the revision of which nothing more is wanted
 * @throws KnowledgeError `storage_unavailable` if it cannot be read
 */
export type ReadsDocument = (namespace: string, file: string, known: string | undefined) => Promise<ReadDocument | undefined>;

/** Words of the front matter lead to the beginning of the document. Above every chunk they would hide what tells one from the other. */
export const headedBy = (about: string, texts: ChunkTexts): ChunkTexts =>
  texts.map((chunk, index) => (index > 0 || about === '' ? chunk : { ...chunk, headingPath: [about, ...chunk.headingPath] }));

export const createDocumentReader =
  (store: DocumentStore, chunkDocument: ChunkDocument): ReadsDocument =>
  async (namespace, file, known) => {
    const stored = await store.read(namespace, file);
    if (!stored) return undefined;
    const { document, bodyStart, titles, about } = readDocumentFile(namespace, file, stored);
    const read = { document, titles, stamp: stored.stamp };
    if (document.revision === known) return read;
    const chunks = await chunkDocument(stored.text, bodyStart);
    const texts = chunks.map(({ start, end, headingPath }) => ({ text: stored.text.slice(start, end), headingPath }));
    return { ...read, content: { chunks, about, texts } };
  };
