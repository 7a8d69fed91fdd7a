/** What goes into a conversion, and what comes out of it. */
import { withoutInvisible } from '../language/invisible.ts';

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

/* What a file says of itself, where a person could have meant it: its title, its language, the day of its last change. */

/** In characters. */
const longestTitle = 200;
/** Names that programs and people give to what they have not named. */
const placeholder =
  /^(?:microsoft (?:word|powerpoint|excel|office)|(?:untitled|(?:word )?document|dokument|presentation|slide|layout|book|print|scan|new|title|titel|template)\s*[\d\W]*$|about:blank|https?:|file:|\(anonymous\)|unspecified|no title)|\.(?:docx?|dotx?|pdf|tex|rtf|odt|pptx?|xlsx?|indd|qxd|html?|md|txt|dvi|ps|pages)$/i;

/** Letters and figures alone, for comparison. */
export const lettersOf = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** A title that a person could have written. */
export function statedTitle(title: string | undefined): string | undefined {
  const text = withoutInvisible(title ?? '')
    .replace(/\s+/g, ' ')
    .trim();
  const isMeant = text.length <= longestTitle && !placeholder.test(text) && !/[\\\ufffd]/.test(text);
  return isMeant && text !== '' ? text : undefined;
}

/** Of Markdown, as a title. */
export const firstHeadingText = (markdown: string): string | undefined =>
  /^#{1,6} (.+)$/m
    .exec(markdown)?.[1]
    ?.replace(/[*`\\]/g, '')
    .slice(0, longestTitle);

/** BCP 47. */
export function languageTag(language: string | undefined): string | undefined {
  const tag = language?.trim().replaceAll('_', '-') ?? '';
  try {
    return /^[a-z]{2,3}(?:-[a-z\d]{2,8})*$/i.test(tag) ? Intl.getCanonicalLocales(tag)[0] : undefined;
  } catch {
    return undefined;
  }
}

/** ISO 8601 of a time; undefined for a day that is none. */
export function statedTime(time: string | undefined): string | undefined {
  const date = new Date(time?.trim() ?? '');
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
