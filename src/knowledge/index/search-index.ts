/**
 * The port to a search engine: one instance holds the documents of one namespace, so nothing of another can come back. Asynchronous,
 * so that an engine outside the process can stand behind it.
 */
import type { Language } from '../text/languages.ts';
import type { AskedWord } from '../types.ts';

export interface IndexedChunk {
  /** The chunk's own text. */
  readonly text: string;
  readonly headingPath: readonly string[];
}

export interface IndexedDocument {
  readonly id: string;
  readonly title: string;
  readonly language: Language;
  /** In document order; a hit names a chunk by its position here. */
  readonly chunks: readonly IndexedChunk[];
}

export interface Hit {
  readonly documentId: string;
  /** Position of the chunk in its document, from 0. */
  readonly chunk: number;
  /** Above 0; comparable within one query only. */
  readonly score: number;
}

export interface SearchOutcome {
  /** Best first; equal scores in the order of document id and chunk. */
  readonly hits: readonly Hit[];
  /** How surely the documents speak of what is asked, 0 to 1; 0 where nothing is found. */
  readonly coverage: number;
  /** In the order of the query. */
  readonly asked: readonly AskedWord[];
}

/** Changes are made one at a time; a search may come at any moment. */
export interface SearchIndex {
  /** Adds a document or replaces the one with its id; found by the next search. */
  replaceDocument(document: IndexedDocument): Promise<void>;
  /** Forgets a document; unknown ids are no error. */
  removeDocument(documentId: string): Promise<void>;
  /**
   * At most `limit` hits. No match is an empty list.
   * @param background what the conversation was about: it counts less, and for coverage only where the query has no words of its own
   */
  search(query: string, limit: number, background?: string): Promise<SearchOutcome>;
}

/** An index that can be put away and taken up again. */
export interface RestorableIndex extends SearchIndex {
  /** Puts the lists in order where much was added: after many changes, before a pause in them. */
  settle(): Promise<void>;
  /**
   * Plain data, in parts that a structured clone carries; no word of a removed document is in it. Changes wait until it is read to
   * its end.
   */
  toSnapshot(): AsyncIterable<unknown>;
}

/** @param next gives the parts of a snapshot in their order; undefined for an empty index */
export type CreateIndex = (next?: () => Promise<unknown>) => Promise<RestorableIndex>;
