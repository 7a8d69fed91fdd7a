/** Headings of Markdown as a reader sees them. */
import { markdownLines } from './lines.ts';
import { unshared } from './unshared.ts';

const maxHeadingChars = 300;
const explicitAnchor = /\s*\{#([\p{L}\p{N}_.:-]{1,200})\}\s*$/u;
const marked = /^ {0,3}(#{1,6})[ \t]+(\S.*)$/;

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

export interface MarkedHeading {
  readonly level: number;
  readonly text: string;
}

/** Headings that begin with `#`, in order; what looks like one in a code block is none. Linear in the text's length. */
export function* headingsOf(markdown: string): Generator<MarkedHeading> {
  for (const { text: line, kind } of markdownLines(markdown)) {
    const [, marks = '', source = ''] = (kind === 'prose' && marked.exec(line)) || [];
    const shown = source
      .slice(0, maxHeadingChars)
      .trimEnd()
      .replace(/#{1,100}$/, '');
    const text = plainHeading(shown);
    if (text !== '') yield { level: marks.length, text };
  }
}

/** Text of the first heading of level one, if there is any. */
export const firstHeading = (markdown: string): string | undefined => headingsOf(markdown).find(({ level }) => level === 1)?.text;
