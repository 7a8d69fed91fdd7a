/** Headings of Markdown as a reader sees them. */
import { unshared } from './unshared.ts';

const maxHeadingChars = 300;
const explicitAnchor = /\s*\{#([\p{L}\p{N}_.:-]{1,200})\}\s*$/u;
const topHeading = /^ {0,3}#[ \t]+(\S.*)$/m;

/** The `{#id}` that some generators let a heading carry. */
export const explicitAnchorOf = (source: string): string | undefined =>
  explicitAnchor.exec(unshared(source.slice(0, maxHeadingChars)))?.[1];

/** A heading's source without its markup. */
export const plainHeading = (source: string): string =>
  unshared(source.slice(0, maxHeadingChars))
    .replace(explicitAnchor, '')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    // A tag in a code span is text (`Promise<T>`).
    .replace(/`([^`]*)`|<[^>]+>/g, (_, code: string | undefined) => code ?? '')
    .replace(/\\([\\`*_{}[\]()#+.!-])/g, '$1')
    .replace(/[*`~]+/g, '')
    .replace(/(?<![\p{L}\p{N}_])_+|_+(?![\p{L}\p{N}_])/gu, '')
    .replace(/\s+/g, ' ')
    .trim();

/** Text of the first heading of level one, if there is any. */
export function firstHeading(markdown: string): string | undefined {
  const source = topHeading.exec(markdown)?.[1];
  return source === undefined
    ? undefined
    : plainHeading(
        source
          .slice(0, maxHeadingChars)
          .trimEnd()
          .replace(/#{1,100}$/, ''),
      ) || undefined;
}
