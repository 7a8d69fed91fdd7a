/**
 * Port to a search engine: it indexes each namespace separately, counts the chunks with a term, and
 * ranks chunks for weighted terms. Query planning and coverage are separate (query-plan,
 * search-index). Terms are those of `language/tokens`.
 */
import type { Language } from '../../packages/shared/src/language/languages.ts';

/** Terms of a document's chunks, extracted elsewhere, such as in another thread. */
export type DocumentTerms = Readonly<{
  /** Shared by many documents, and grows with them. */
  words: readonly string[];
  /** Three per chunk: number of terms in its title, headings and text. */
  lengths: Uint32Array;
  /** Indexes into `words`, in reading order. The engine may change the array. */
  numbers: Uint32Array;
}>;

export type EngineDocument = Readonly<{
  id: string;
  /** Differs if any other field differs. */
  version: string;
  title: string;
  language: Language;
  /** In document order; hits refer to positions. Maybe without texts if `terms` is set. */
  chunks: readonly Readonly<{ headingPath: readonly string[]; text: string }>[];
  terms?: DocumentTerms | undefined;
}>;

export interface EngineQuery {
  /** A query word each. In each chunk only its alternative with the highest score counts. */
  readonly terms: readonly {
    readonly idf: number;
    /** Highest impact first; empty if no document has the word. */
    readonly alternatives: readonly Readonly<{ term: string; impact: number }>[];
  }[];
  readonly limit: number;
}

export type Hit = Readonly<{
  documentId: string;
  /** Position of the chunk in its document, from 0. */
  chunk: number;
  /** Above 0; comparable only within one query. */
  score: number;
}>;

export const compareHits = (a: Hit, c: Hit) =>
  c.score - a.score ||
  (a.documentId < c.documentId ? -1 : a.documentId > c.documentId ? 1 : a.chunk - c.chunk);

export interface EngineHit extends Hit {
  /** Query terms in the chunk, title and headings included. */
  readonly matched: ReadonlySet<string>;
}

/**
 * Used to plan queries. Must include new documents at once; otherwise their words would be
 * corrected as typing errors.
 */
export interface TermStatistics {
  statistics(): Promise<Readonly<{ chunks: number; languages: readonly Language[] }>>;
  /** Term → number of chunks with it, without terms that do not occur. */
  documentFrequencies(terms: Iterable<string>): Promise<ReadonlyMap<string, number>>;
}

/**
 * Index of one namespace. Changes are serialized. A concurrent search sees each document as a
 * whole, before or after a change.
 */
export interface EngineIndex extends TermStatistics {
  /** Document id → indexed version; also after a restart. */
  versions(): Promise<ReadonlyMap<string, string>>;
  /** Reserves memory for the next documents. @param bytes of their texts */
  reserve?(bytes: number): void;
  /** Adds or replaces a document. The next search finds it. */
  upsert(document: EngineDocument): Promise<void>;
  /** Removes documents, on disk too when it resolves. Ignores unknown ids. */
  remove(...documentIds: string[]): Promise<void>;
  /** Best first; equal scores by document id and chunk. */
  search(query: EngineQuery): Promise<readonly EngineHit[]>;
  /** Makes earlier changes durable. */
  flush(): Promise<void>;
  /** Deletes the namespace, on disk too. */
  drop(): Promise<void>;
}

export interface SearchEngine {
  open(namespace: string): Promise<EngineIndex>;
  /** Deletes the data of other namespaces, which were removed while no process ran. */
  retain(namespaces: ReadonlySet<string>): Promise<void>;
}

export type QueryTerm = Readonly<{
  /** As typed, folded. */
  word: string;
  /** Terms of documents that match it, with weights from 0 to 1. */
  forms: readonly Readonly<{ term: string; weight: number }>[];
  /**
   * Whether coverage ignores the term: it comes from the conversation, or the query has only stop
   * words.
   */
  isBackground?: boolean;
  /** Whether coverage ignores it: a compound, or a pair of characters across two words. */
  isOptional?: boolean;
  idf: number;
  isName: boolean;
}>;
