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

/** What a line does to the fence that is open before it. */
function fenceAt(line: string, open: Fence | undefined): 'opens' | 'closes' | undefined {
  // Most lines hold no mark at all.
  if (!line.includes('```') && !line.includes('~~~')) return undefined;
  const [, quote = '', mark] = fenceMark.exec(line) ?? [];
  if (mark === undefined) return undefined;
  if (open === undefined) {
    // The info string of a backtick fence holds no backtick, else it is a code span.
    const isCodeSpan = mark.startsWith('`') && line.indexOf('`', line.indexOf(mark) + mark.length) >= 0;
    return isCodeSpan ? undefined : 'opens';
  }
  const isBare = line.slice(quote.length).trim() === mark;
  return isBare && mark.startsWith(open.mark) && open.isQuoted === (quote !== '') ? 'closes' : undefined;
}

const fenceOf = (line: string): Fence => {
  const [, quote = '', mark = ''] = fenceMark.exec(line) ?? [];
  return { mark, isQuoted: quote !== '' };
};

const kindOf = (change: 'opens' | 'closes' | undefined, open: Fence | undefined): MarkdownLine['kind'] => {
  if (change) return 'fence';
  return open === undefined ? 'prose' : 'code';
};

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
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline;
    const next = newline < 0 ? end : end + 1;
    const line = text.slice(start, end);
    // A quotation ends with its last line, and what it holds with it.
    if (open?.isQuoted && !quoted.test(line)) open = undefined;
    const change = open === undefined && isInComment(line, start) ? undefined : fenceAt(line, open);
    yield { text: line, start, next, kind: kindOf(change, open) };
    if (change === 'opens') open = fenceOf(line);
    else if (change === 'closes') open = undefined;
    start = next;
  }
}
