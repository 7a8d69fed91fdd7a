/**
 * The port to a search engine: one instance holds the documents of one namespace, so nothing of another can come back. Asynchronous,
 * so that an engine outside the process can stand behind it.
 */

export interface IndexedChunk {
  /** The chunk's own text. */
  readonly text: string;
  readonly headingPath: readonly string[];
}

export interface IndexedDocument {
  readonly id: string;
  readonly title: string;
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

/** Changes are made one at a time; a search may come at any moment. */
export interface SearchIndex {
  /** Adds a document or replaces the one with its id; found by the next search. */
  replaceDocument(document: IndexedDocument): Promise<void>;
  /** Forgets a document; unknown ids are no error. */
  removeDocument(documentId: string): Promise<void>;
  /** Best first, at most `limit`; equal scores in the order of document id and chunk. No match is an empty list. */
  search(query: string, limit: number): Promise<Hit[]>;
}

/** An index that can be put away and taken up again. */
export interface RestorableIndex extends SearchIndex {
  /** Plain data that a structured clone carries; no word of a removed document is in it. */
  toSnapshot(): IndexSnapshot;
}

/** Forward lists of all chunks, end to end. */
export interface IndexSnapshot {
  readonly terms: readonly string[];
  readonly documents: readonly { readonly id: string; readonly chunks: number }[];
  /** Number of distinct terms of each chunk. */
  readonly termCounts: Uint32Array;
  /** Positions in `terms`. */
  readonly termIds: Uint32Array;
  /** Field-weighted term frequencies, parallel to `termIds`. */
  readonly frequencies: Uint32Array;
  /** Length of each chunk in weighted terms. */
  readonly lengths: Float32Array;
}
