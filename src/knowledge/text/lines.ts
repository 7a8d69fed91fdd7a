/** Markdown by lines, each told apart as prose or part of a code fence (CommonMark 4.5). Linear in the text's length. */

export interface MarkdownLine {
  /** Without its line break. */
  readonly text: string;
  readonly start: number;
  /** Where the next line begins. */
  readonly next: number;
  readonly kind: 'prose' | 'fence' | 'code';
}

/** At any depth of indentation, and as the first line of a list item. */
const fenceMark = /^[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}(?!`)|~{3,}(?!~))/;

export function* markdownLines(text: string): Generator<MarkdownLine> {
  let open: string | undefined;
  for (let start = 0; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const next = newline < 0 ? text.length : newline + 1;
    const line = text.slice(start, newline < 0 ? text.length : newline);
    const mark = fenceMark.exec(line)?.[1];
    const closes = open !== undefined && mark?.startsWith(open) === true && line.trim() === mark;
    // The info string of a backtick fence holds no backtick, else it is a code span.
    const opens =
      open === undefined && mark !== undefined && !(mark.startsWith('`') && line.indexOf('`', line.indexOf(mark) + mark.length) >= 0);
    yield { text: line, start, next, kind: opens || closes ? 'fence' : open === undefined ? 'prose' : 'code' };
    if (opens) open = mark;
    else if (closes) open = undefined;
    start = next;
  }
}
