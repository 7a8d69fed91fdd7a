/** Input, output and errors of a conversion. */
import { KnowledgeError } from '../../shared/src/errors.ts';
import { plainLine } from '../../shared/src/language/invisible.ts';
import { pattern } from '../../shared/src/language/pattern.ts';

export type SourceKind = 'url' | 'file' | 'text';

/** Bytes of a source, with the properties that its server or file name declares. */
export type RawSource = Readonly<{
  bytes: Uint8Array;
  /** Final URL after redirects, the base of relative links. */
  location: string | undefined;
  /** Name or path of a file, for its extension; empty for `text`. */
  fileName: string;
  /** As declared by the server, without parameters. */
  mediaType: string | undefined;
  /** As declared by the server. */
  charset: string | undefined;
}>;

/**
 * A parsed source. In Markdown of a source with pages, a line `<!-- page 3 -->` precedes page 3, with the
 * printed number in brackets if it is another one. A
 * heading ends in ` {#anchor}` if its anchor in the source differs from the slug of its text.
 */
export type ParsedSource = Readonly<{
  title: string | undefined;
  markdown: string;
  /** Address that a page declares as canonical, absolute. */
  canonicalUrl?: string | undefined;
  /** BCP 47 tag. */
  language?: string | undefined;
  /** ISO 8601, as declared by the source. */
  lastModified?: string | undefined;
  /**
   * Absolute http(s) URLs of all links of a page including navigation, without fragments, unique,
   * in order.
   */
  links?: readonly string[];
}>;

/** The content is unsupported, damaged or encrypted. */
export const refused = (message: string, cause?: unknown) =>
  new KnowledgeError('unsupported_media_type', message, { cause });

/** The content exceeds a limit. */
export const overLimit = (message: string) => new KnowledgeError('payload_too_large', message);

/** In characters. */
const longestTitle = 200;
/** Titles that programs insert by default. */
const placeholder = new RegExp(
  pattern`
      ^(?:microsoft (?:word|powerpoint|excel|office)|
        (?:untitled|(?:word )?document|dokument|presentation|slide|layout|book|print|scan|new|
        title|titel|template)\s*[\d\W]*$|about:blank|https?:|file:|\(anonymous\)|unspecified|
        no title)|
      \.(?:docx?|dotx?|pdf|tex|rtf|odt|pptx?|xlsx?|indd|qxd|html?|md|txt|dvi|ps|pages)$
    `,
  'i',
);

/** Reduces text to letters and digits, for comparison. */
export const comparableText = (text: string): string =>
  text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** Returns the title unless a program inserted it. */
export function meaningfulTitle(title = ''): string | undefined {
  const text = plainLine(title, Infinity);
  const isMeant =
    text.length <= longestTitle && !placeholder.test(text) && !/[\\\ufffd]/.test(text);
  return (isMeant && text) || undefined;
}

/** Text of the first heading of any level. */
export const firstHeadingText = (markdown: string): string | undefined =>
  /^#{1,6} (.+)$/m
    .exec(markdown)?.[1]
    ?.replace(/[*`\\]/g, '')
    .slice(0, longestTitle);

/** Returns a canonical BCP 47 tag; undefined if invalid. */
export function languageTag(language = ''): string | undefined {
  const tag = language.trim().replaceAll('_', '-');
  try {
    return /^[a-z]{2,3}(?:-[a-z\d]{2,8})*$/i.test(tag)
      ? Intl.getCanonicalLocales(tag)[0]
      : undefined;
  } catch {
    return undefined;
  }
}

/** Returns a time as ISO 8601; undefined if invalid. */
export function isoTimeOf(time = ''): string | undefined {
  const date = new Date(time.trim());
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}
