/**
 * A document, its chunks, and a chunk as it is found. Offsets are UTF-16 code units into the stored file (front matter
 * included), so `storedText.slice(start, end)` is the passage, in any JavaScript engine.
 */
import type { SourceKind } from '../convert/source.ts';
import type { Language } from '../language/languages.ts';

/** What tells, without reading a source again, that it is what it was. */
export interface SourceVersion {
  /** SHA-256 of the source's bytes, of a text with its author and review day, hex. */
  readonly hash: string;
  /** Of a file: size, inode and times. */
  readonly stamp?: string;
  /** Of a URL: its validators (RFC 9110 8.8). */
  readonly etag?: string | undefined;
  readonly lastModified?: string | undefined;
  /** The address that gave the bytes, after redirects; a file's real path. Never shown. */
  readonly location?: string;
}

/** One stored file and what its front matter says. */
export interface Document {
  readonly id: string;
  readonly namespace: string;
  /** Path below the namespace's folder, with `/`. */
  readonly file: string;
  readonly title: string;
  /** URL, path or title of the source; the file itself for one that a person put there. */
  readonly source: string;
  readonly kind: SourceKind;
  /** `sha256-` + hex of the stored file's bytes. */
  readonly revision: string;
  /** Size of the stored file. */
  readonly bytes: number;
  /** ISO 8601; when the source was read. */
  readonly fetchedAt?: string | undefined;
  /** What the source says of itself. */
  readonly canonicalUrl?: string | undefined;
  readonly language?: string | undefined;
  readonly lastModified?: string | undefined;
  /** Who answers for what it says. */
  readonly author?: string | undefined;
  /** Days (`2027-05-01`): on which somebody answered for it, and by which somebody should look at it again. */
  readonly reviewedAt?: string | undefined;
  readonly reviewBy?: string | undefined;
  /** What its text is written in, as far as its words are brought to their stems. */
  readonly textLanguage: Language;
}

/** A contiguous piece of a document. Chunks cover a document's body in order and never overlap. */
export interface Chunk {
  readonly start: number;
  readonly end: number;
  /** Headings from the outermost to the chunk's own. */
  readonly headingPath: readonly string[];
  /** Slug of the innermost heading, unique in the document; null before the first heading. */
  readonly anchor: string | null;
  /** Page of the source, from 1; null where it has none. */
  readonly page: number | null;
}

/** Where a section begins, in the stored file. */
export type SectionStart = Omit<Chunk, 'end'>;

/** Chunks as retrieval returns them. `text` is exactly `slice(start, end)` of the stored file whose hash is `document.revision`. */
export interface Passage extends Chunk {
  readonly chunkId: string;
  readonly document: Document;
  readonly text: string;
  /** Higher is better; comparable within one query only. */
  readonly score: number;
  /** Up to where it was found, in the stored file; behind it the document goes on. */
  readonly foundEnd?: number;
  /** In reading order, from its own; where it is longer than one. */
  readonly sections?: readonly SectionStart[];
  /** What a tool found in another system: its text is no stored file, and its title says all of where it stands. */
  readonly isRecord?: boolean;
}

/** What was found of a passage, without that with which it goes on. */
export const foundTextOf = ({ start, foundEnd, text }: Passage): string =>
  foundEnd === undefined ? text : text.slice(0, foundEnd - start);

/** A passage as what stands at an offset of its file is cited: by the section that it stands in. */
export function citedAt(passage: Passage, offset: number): Passage {
  const section = passage.sections?.findLast(({ start }) => start <= offset);
  if (!section || section.start === passage.start) return passage;
  const { headingPath, anchor, page } = section;
  return { ...passage, headingPath, anchor, page };
}

export interface PageLink {
  readonly url: string;
  /** Links from the first page. */
  readonly depth: number;
}

/** What became of a page: enough to tell the same page again, by its address or by its text. */
export interface PlacedPage {
  /** Under which the page is stored. */
  readonly address: string;
  /** Hash of its text without white space. */
  readonly textHash: string;
  readonly sketch: readonly number[];
  readonly isDuplicate: boolean;
}

/** A page of an earlier crawl. */
export interface KnownPage extends PageLink {
  readonly placed?: PlacedPage | undefined;
}
