/** Cells → a GFM table, and what makes a text fit for one cell: one line, its bars escaped. */

export interface Cell<Content> {
  readonly content: Content;
  readonly columns: number;
  readonly rows: number;
}

/** A cell that claims to span more spans this many. */
const maxSpan = 50;
const maxFilling = 20;
const lineBreaks = /[ \t]*\n\s*/g;
const isSentenceEnd = /[.,:;!?…|]$/;

/** Lines as one line: what a line break told apart, a semicolon does. */
export const joinLines = (text: string): string =>
  text
    .trim()
    .replace(/^[-*+] /gm, '')
    .replace(lineBreaks, (_, at: number, whole: string) => (isSentenceEnd.test(whole.slice(0, at)) ? ' ' : '; '))
    .replace(/[ \t]{2,}/g, ' ');

export const cellText = (text: string): string => joinLines(text).replace(/(?<!\\)((?:\\\\)*)\|/g, '$1\\|');

/** Rows of equal length: a cell that spans rows says its text in each, one that spans columns stands in its first. */
export function gridOf<Content>(rows: readonly (readonly Cell<Content>[])[], empty: Content): Content[][] {
  const grid: Content[][] = [];
  let above: { content: Content; rows: number }[] = [];
  for (const cells of rows) {
    const row: Content[] = [];
    const below: typeof above = [];
    const place = (content: Content, left: number) => {
      below[row.length] = { content, rows: left };
      row.push(content);
    };
    const fromAbove = () => {
      for (let upper = above[row.length]; upper !== undefined && upper.rows > 0; upper = above[row.length])
        place(upper.content, upper.rows - 1);
    };
    for (const { content, columns, rows: spanned } of cells) {
      fromAbove();
      const left = Math.min(Math.max(spanned, 1), maxSpan) - 1;
      place(content, left);
      for (let column = 1; column < Math.min(columns, maxSpan); column++) place(empty, left);
    }
    fromAbove();
    grid.push(row);
    above = below;
  }
  const width = grid.reduce((widest, row) => Math.max(widest, row.length), 0);
  const cells = grid.reduce((sum, row) => sum + row.length, 0);
  // One row that is far wider than all others does not make them grow.
  if (width * grid.length > cells * maxFilling) return grid;
  return grid.map((row) => [...row, ...Array<Content>(width - row.length).fill(empty)]);
}

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`.replace(/ {2,}/g, ' ');

/** The first row is the header. */
export function writeTable([header = [], ...rows]: readonly (readonly string[])[]): string {
  return [line(header), line(header.map(() => '-')), ...rows.map(line)].join('\n');
}
