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

/** As it stands in the document. */
interface HeadingSource {
  readonly level: number;
  readonly source: string;
}

function* headingSources(markdown: string): Generator<HeadingSource> {
  for (const { text: line, kind } of markdownLines(markdown)) {
    const [, marks = '', source = ''] = (kind === 'prose' && marked.exec(line)) || [];
    if (marks !== '') yield { level: marks.length, source };
  }
}

const shown = ({ source }: HeadingSource): string =>
  plainHeading(
    source
      .slice(0, maxHeadingChars)
      .trimEnd()
      .replace(/#{1,100}$/, ''),
  );

/** Headings that begin with `#`, in order; what looks like one in a code block is none. Linear in the text's length. */
export function* headingsOf(markdown: string): Generator<MarkedHeading> {
  for (const heading of headingSources(markdown)) {
    const text = shown(heading);
    if (text !== '') yield { level: heading.level, text };
  }
}

/** Text of the first heading of level one, if there is any. */
export function firstHeading(markdown: string): string | undefined {
  for (const heading of headingSources(markdown)) {
    const text = heading.level === 1 ? shown(heading) : '';
    if (text !== '') return text;
  }
  return undefined;
}
