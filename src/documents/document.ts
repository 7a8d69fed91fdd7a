/**
 * Offsets are UTF-16 code units in the stored file, front matter included: `storedText.slice(start,
 * end)` is the passage.
 */
import type { SourceKind } from '../../packages/converters/src/source.ts';
import type { Language } from '../../packages/shared/src/language/languages.ts';

/** Version of a source, to detect changes without parsing it again. */
export type SourceVersion = Readonly<{
  /** SHA-256 (hex) of the source's bytes; for texts with author and review date. */
  hash: string;
  /** Files only: size, inode and times. */
  stamp?: string;
  /** URLs only: validators (RFC 9110 8.8). */
  etag?: string | undefined;
  lastModified?: string | undefined;
  /** Final URL after redirects, or a file's real path. Never shown. */
  location?: string;
}>;

export type Document = Readonly<{
  id: string;
  namespace: string;
  /** Path below the namespace's folder, separated by `/`. */
  file: string;
  title: string;
  /** URL, path or title of the source; for files added by hand the file itself. */
  source: string;
  kind: SourceKind;
  /** `sha256-` + hex of the stored file's bytes. */
  revision: string;
  bytes: number;
  /** ISO 8601; when the source was read. */
  fetchedAt?: string | undefined;
  /** Metadata of the source. */
  canonicalUrl?: string | undefined;
  language?: string | undefined;
  lastModified?: string | undefined;
  /** Person responsible for the content. */
  author?: string | undefined;
  /** Date of the last review and due date of the next, such as `2027-05-01`. */
  reviewedAt?: string | undefined;
  reviewBy?: string | undefined;
  /** Detected language of the text, for stemming. */
  textLanguage: Language;
}>;

/** Contiguous slice of a document. Chunks cover a document's body in order and never overlap. */
export type Chunk = Readonly<{
  start: number;
  end: number;
  /** Headings from the outermost to the chunk's own. */
  headingPath: readonly string[];
  /** Slug of the innermost heading, unique in the document; null before the first heading. */
  anchor: string | null;
  /** Page of the source, from 1; null if it has no pages. */
  page: number | null;
  /** The number printed on the page, if it is another one. */
  pageLabel?: string | undefined;
}>;

type SectionStart = Omit<Chunk, 'end'>;

/**
 * Chunk as retrieval returns it. `text` is exactly `slice(start, end)` of the stored file with hash
 * `document.revision`.
 */
export type Passage = Chunk &
  Readonly<{
    chunkId: string;
    document: Document;
    text: string;
    /** Higher is better; comparable within one query only. */
    score: number;
    /** End of the retrieved text in the stored file; the rest of the passage is added context. */
    foundEnd?: number;
    /** Front matter that was searched with it. */
    about?: string;
    /** First two lines of the table in whose middle the passage begins. */
    tableHeader?: string;
    /** Sections of the passage in reading order; only if there are several. */
    sections?: readonly SectionStart[];
    /**
     * Found by a tool in another system: there is no stored file, and the title is the complete
     * reference.
     */
    isRecord?: boolean;
  }>;

/** Returns the retrieved text of a passage without added context. */
export const foundTextOf = ({ start, foundEnd, text }: Passage) =>
  foundEnd === undefined ? text : text.slice(0, foundEnd - start);

/**
 * Returns the passage with the heading path, anchor and page of the section at an offset of its
 * file.
 */
export function citedAt(passage: Passage, offset: number): Passage {
  const section = passage.sections?.findLast(({ start }) => start <= offset);
  if (!section || section.start === passage.start) return passage;
  const { start: _, ...place } = section;
  return { ...passage, pageLabel: undefined, ...place };
}

export type PageLink = Readonly<{
  url: string;
  /** Number of links between the first page and this one. */
  depth: number;
}>;

/** Identifies a crawled page by address and text, to detect duplicates. */
export type PlacedPage = Readonly<{
  /** Address under which the page is stored. */
  address: string;
  /** Hash of the text without white space. */
  textHash: string;
  sketch: readonly number[];
  isDuplicate: boolean;
}>;

export interface KnownPage extends PageLink {
  readonly placed?: PlacedPage | undefined;
}
