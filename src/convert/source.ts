/** What goes into a conversion, and what comes out of it. */

export type SourceKind = 'url' | 'file' | 'text';

/** Bytes of a source as they came in, and what is known of what they are. */
export interface RawSource {
  readonly bytes: Uint8Array;
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
  readonly canonicalUrl?: string | undefined;
  /** BCP 47 tag. */
  readonly language?: string | undefined;
  /** ISO 8601, as the source itself says. */
  readonly lastModified?: string | undefined;
  /** Absolute http(s) URLs that a page links to, navigation included, without fragments, each once, in order. */
  readonly links?: readonly string[];
}
