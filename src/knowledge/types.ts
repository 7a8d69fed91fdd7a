/**
 * The glossary: every noun of the product, one meaning each. Offsets are UTF-16 code units into the stored file (front matter
 * included), so `storedText.slice(start, end)` is the passage, in any JavaScript engine.
 */
import type { Language } from './text/languages.ts';

export type SourceKind = 'url' | 'file' | 'text';

/** What a caller asks to be read. `label` is the source as the caller wrote it, for the report. */
export type Source =
  | { readonly kind: 'url'; readonly url: string; readonly label: string }
  | { readonly kind: 'file'; readonly path: string; readonly label: string }
  | { readonly kind: 'text'; readonly text: string; readonly title: string | undefined; readonly label: string };

/** What a source is, before it is read. */
export interface IdentifiedSource {
  /** Same source, same identity: decides the stored file's name. Never shown. */
  readonly identity: string;
  /** What a citation shows: the URL, the path below its root, or the text's title. */
  readonly origin: string;
  /** Name for people when the content holds no title; follows from the identity alone, because the stored file is named after it. */
  readonly fallbackTitle: string;
}

/** What tells, without reading a source again, that it is what it was. */
export interface SourceVersion {
  /** SHA-256 of the source's bytes, hex. */
  readonly hash: string;
  /** Of a file: size, inode and times. */
  readonly stamp?: string;
  /** Of a URL: its validators (RFC 9110 8.8). */
  readonly etag?: string;
  readonly lastModified?: string;
  /** The address that gave the bytes, after redirects; a file's real path. Never shown. */
  readonly location?: string;
}

/** Bytes of a source, as read, before parsing. */
export interface LoadedSource extends IdentifiedSource {
  readonly bytes: Uint8Array;
  readonly version: SourceVersion;
  /** Where a URL led in the end; what relative links in it are relative to. */
  readonly location: string | undefined;
  /** Name or path of a file, for its extension; empty for a text. */
  readonly fileName: string;
  /** Media type as declared by the server, if any, without parameters. */
  readonly mediaType: string | undefined;
  /** Character encoding as declared by the server, if any. */
  readonly charset: string | undefined;
}

/**
 * A parsed source: a title and Markdown. Where the source has pages, a line `<!-- page 3 -->` stands before what page 3 holds; a
 * heading whose anchor in the source is not the slug of its text ends in ` {#anchor}`.
 */
export interface ParsedSource {
  readonly title: string | undefined;
  readonly markdown: string;
  /** What a page names as its own address, absolute. */
  readonly canonicalUrl?: string;
  /** BCP 47 tag. */
  readonly language?: string;
  /** ISO 8601, as the source itself says. */
  readonly lastModified?: string;
  /** Absolute http(s) URLs that a page links to, navigation included, without fragments, each once, in order. */
  readonly links?: readonly string[];
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

/** A chunk as retrieval returns it. `text` is exactly `slice(start, end)` of the stored file whose hash is `document.revision`. */
export interface Snippet extends Chunk {
  readonly chunkId: string;
  readonly document: Document;
  readonly text: string;
  /** Higher is better; comparable within one query only. */
  readonly score: number;
  /** ISO 8601: as of when its document says this, as far as that is known (its source's own date, else when it was read or written). */
  readonly asOf?: string;
  /** What a tool found in another system: its text is no stored file, and its title says all of where it stands. */
  readonly isRecord?: boolean;
}

/** A word of the query as the search understood it. */
export interface AskedWord {
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
