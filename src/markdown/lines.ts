/** Markdown by lines, each told apart as prose or part of a code fence (CommonMark 4.5). Linear in the text's length. */

export interface MarkdownLine {
  /** Without its line break. */
  readonly text: string;
  readonly start: number;
  /** Where the next line begins. */
  readonly next: number;
  readonly kind: 'prose' | 'fence' | 'code';
}

/** At any depth of indentation, in a quotation, and as the first line of a list item. */
const fenceMark = /^((?:[ \t]*>)*)[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}(?!`)|~{3,}(?!~))/;
const quoted = /^[ \t]*>/;

interface Fence {
  readonly mark: string;
  readonly isQuoted: boolean;
}

/** The fence that a line opens, or by which it closes the open one. */
function fenceAt(line: string, open: Fence | undefined): Fence | undefined {
  // Most lines hold no mark at all.
  if (!line.includes('```') && !line.includes('~~~')) return undefined;
  const [, quote = '', mark] = fenceMark.exec(line) ?? [];
  if (mark === undefined) return undefined;
  const isQuoted = quote !== '';
  const isBare = line.slice(quote.length).trim() === mark;
  // The info string of a backtick fence holds no backtick, else it is a code span.
  const isCodeSpan = mark.startsWith('`') && line.includes('`', line.indexOf(mark) + mark.length);
  const isFence = open ? isBare && mark.startsWith(open.mark) && open.isQuoted === isQuoted : !isCodeSpan;
  return isFence ? { mark, isQuoted } : undefined;
}

const kindOf = (fence: Fence | undefined, open: Fence | undefined) => (fence ? 'fence' : open ? 'code' : 'prose');

/** Whether a line belongs to a comment that began a line: it reaches to its end, whatever stands in it (CommonMark 4.6). */
function createComments(text: string): (line: string, start: number) => boolean {
  const lastEnd = text.lastIndexOf('-->');
  let end = -1;
  return (line, start) => {
    if (start > end && start < lastEnd && /^ {0,3}<!--/.test(line)) end = text.indexOf('-->', start);
    return start < end;
  };
}

export function* markdownLines(text: string): Generator<MarkdownLine> {
  let open: Fence | undefined;
  const isInComment = createComments(text);
  for (let start = 0; start < text.length; ) {
    const next = text.indexOf('\n', start) + 1 || text.length;
    const line = text.slice(start, next).replace(/\n$/, '');
    // A quotation ends with its last line, and what it holds with it.
    if (open?.isQuoted && !quoted.test(line)) open = undefined;
    const fence = open === undefined && isInComment(line, start) ? undefined : fenceAt(line, open);
    yield { text: line, start, next, kind: kindOf(fence, open) };
    if (fence) open = open ? undefined : fence;
    start = next;
  }
}
