/**
 * Markdown lines, classified as prose, code fence or code (CommonMark 4.5). Linear in the length of
 * the text.
 */

export type MarkdownLine = Readonly<{
  /** Without its line break. */
  text: string;
  start: number;
  /** Offset of the next line. */
  next: number;
  kind: 'prose' | 'fence' | 'code';
}>;

/** At any indentation, in a quotation, or as the first line of a list item. */
const fenceMark = /^((?:[ \t]*>)*)[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}(?!`)|~{3,}(?!~))/;
const quoted = /^[ \t]*>/;

interface Fence {
  readonly mark: string;
  readonly isQuoted: boolean;
}

/** Returns the fence mark of a line that opens a fence or closes the open one. */
function fenceAt(line: string, open: Fence | undefined) {
  if (!line.includes('```') && !line.includes('~~~')) return undefined;
  const [, quote = '', mark] = fenceMark.exec(line) ?? [];
  if (mark === undefined) return undefined;
  const isQuoted = quote !== '';
  const isBare = line.slice(quote.length).trim() === mark;
  // The info string of a backtick fence contains no backtick; otherwise the line is a code span.
  const isCodeSpan = mark.startsWith('`') && line.includes('`', line.indexOf(mark) + mark.length);
  const isFence = open
    ? isBare && mark.startsWith(open.mark) && open.isQuoted === isQuoted
    : !isCodeSpan;
  return isFence ? { mark, isQuoted } : undefined;
}

const kindOf = (fence: Fence | undefined, open: Fence | undefined) =>
  fence ? 'fence' : open ? 'code' : 'prose';

/**
 * Returns a function that checks whether a line is inside an HTML comment. Only comments that start
 * a line count (CommonMark 4.6).
 */
function createComments(text: string) {
  const lastEnd = text.lastIndexOf('-->');
  let end = -1;
  return (line: string, start: number) => {
    if (start > end && start < lastEnd && /^ {0,3}<!--/.test(line))
      end = text.indexOf('-->', start);
    return start < end;
  };
}

export function* markdownLines(text: string): Generator<MarkdownLine> {
  let open: Fence | undefined;
  const isInComment = createComments(text);
  for (let start = 0; start < text.length; ) {
    const next = text.indexOf('\n', start) + 1 || text.length;
    const line = text.slice(start, next).replace(/\n$/, '');
    // A fence inside a quotation ends with the quotation.
    if (open?.isQuoted && !quoted.test(line)) open = undefined;
    const fence = open === undefined && isInComment(line, start) ? undefined : fenceAt(line, open);
    yield { text: line, start, next, kind: kindOf(fence, open) };
    if (fence) open = open ? undefined : fence;
    start = next;
  }
}
