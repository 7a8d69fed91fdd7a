/**
 * The port to a search engine, and what a search gives. An engine holds the documents of a namespace apart from all others, counts in how
 * many chunks a term stands, and ranks chunks for weighed terms. What a query means, and how surely it is covered, is worked out above it
 * (query-plan, search-index). Terms are those of `language/tokens`. Asynchronous, so that an engine outside the process can stand behind it.
 */
import type { Language } from '../language/languages.ts';

/** The terms of a document's chunks, read where its text is. */
export interface DocumentTerms {
  /** The same list for many documents, which grows with them. */
  readonly words: readonly string[];
  /** Of each chunk three: terms of its title, of its headings and of its text. */
  readonly lengths: Uint32Array;
  /** In reading order, by their places in `words`; the index that takes them may change them. */
  readonly numbers: Uint32Array;
}

export interface EngineDocument {
  readonly id: string;
  /** Changes with everything else that is said here. */
  readonly version: string;
  readonly title: string;
  readonly language: Language;
  /** In document order; a hit names a chunk by its position here. Not read by an engine that takes terms, if there are any. */
  readonly chunks: readonly { readonly headingPath: readonly string[]; readonly text: string }[];
  readonly terms?: DocumentTerms | undefined;
}

/** A word that is searched for: a chunk counts the one of its alternatives that is worth most there. */
export interface EngineTerm {
  /** What the whole word is worth. */
  readonly idf: number;
  /** Worth most first; none where no document holds the word. */
  readonly alternatives: readonly { readonly term: string; readonly impact: number }[];
}

export interface EngineQuery {
  readonly terms: readonly EngineTerm[];
  /** Most hits. */
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Hit {
  readonly documentId: string;
  /** Position of the chunk in its document, from 0. */
  readonly chunk: number;
  /** Above 0; comparable within one query only. */
  readonly score: number;
}

/** The order of hits. */
export const byPlace = (a: Hit, c: Hit): number =>
  c.score - a.score || (a.documentId < c.documentId ? -1 : a.documentId > c.documentId ? 1 : a.chunk - c.chunk);

export interface EngineHit extends Hit {
  /** Which of the asked terms the chunk holds, title and headings included. */
  readonly matched: ReadonlySet<string>;
}

export interface EngineStatistics {
  readonly chunks: number;
  /** Languages of the documents. */
  readonly languages: readonly Language[];
}

/** What a query is planned by. A term that has just come must be counted, or it is taken for a slip of the keyboard. */
export interface TermStatistics {
  statistics(): Promise<EngineStatistics>;
  /** In how many chunks each term stands; terms that stand in none are left out. */
  documentFrequencies(terms: Iterable<string>): Promise<ReadonlyMap<string, number>>;
}

/** One namespace. Changes are made one at a time; a search may come at any moment, and sees each document as it was or as it is, whole. */
export interface EngineIndex extends TermStatistics {
  /** Document → the version of it that is held, after a restart too. */
  versions(): Promise<ReadonlyMap<string, string>>;
  /** Makes room for documents that come next. @param bytes of their texts, in all */
  reserve?(bytes: number): void;
  /** Adds a document or replaces the one with its id; found by the next search. */
  upsert(document: EngineDocument): Promise<void>;
  /** Forgets documents, on disk too when it resolves; unknown ids are no error. */
  remove(...documentIds: string[]): Promise<void>;
  /** Best first; equal scores in the order of document id and chunk. @throws the signal's reason where it was aborted */
  search(query: EngineQuery): Promise<readonly EngineHit[]>;
  /** What was changed so far is there after a restart, when it resolves. */
  flush(): Promise<void>;
  /** Forgets the namespace, on disk too. */
  drop(): Promise<void>;
}

export interface SearchEngine {
  /** Whether terms are enough for it, without a text. */
  readonly takesTerms?: boolean;
  /** Whether other servers write to it too: then nobody forgets what the own documents do not hold, because theirs may. */
  readonly isShared?: boolean;
  open(namespace: string): Promise<EngineIndex>;
  /** Forgets what is kept of other namespaces: they went while no process ran. */
  retain(namespaces: ReadonlySet<string>): Promise<void>;
}

/** A word of the query as the search understood it. */
export interface QueryTerm {
  /** As it was typed, folded. */
  readonly word: string;
  /** Terms of the documents that may stand for it, each with how surely it does (0 to 1); none where nothing like it is held. */
  readonly forms: readonly { readonly term: string; readonly weight: number }[];
  /** What the conversation was about, not what is asked now. */
  readonly isBackground?: boolean;
  /** How much it tells a chunk from others (its idf). */
  readonly idf: number;
  readonly isName: boolean;
}

export interface SearchOutcome {
  /** Best first; equal scores in the order of document id and chunk. */
  readonly hits: readonly Hit[];
  /** How surely the documents speak of what is asked, 0 to 1; 0 where nothing is found. */
  readonly coverage: number;
  /** In the order of the query. */
  readonly asked: readonly QueryTerm[];
}
