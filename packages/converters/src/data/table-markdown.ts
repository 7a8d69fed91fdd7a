/** Cells → GFM table. */

export type Cell<Content> = Readonly<{ content: Content; columns: number; rows: number }>;

/** Limit for `colspan` and `rowspan`. */
const maxSpan = 50;

/** Joins lines with spaces after punctuation, else with semicolons. */
export const joinLines = (text: string): string =>
  text
    .trim()
    .replace(/^[-*+] /gm, '')
    .replace(/(?<![ \t])[ \t]*\n\s*/g, (_, at: number, whole: string) =>
      /[.,:;!?…|]$/.test(whole.slice(0, at)) ? ' ' : '; ',
    )
    .replace(/[ \t]{2,}/g, ' ');

export const cellText = (text: string): string =>
  joinLines(text).replace(/(?<!\\)((?:\\\\)*)\|/g, '$1\\|');

/**
 * Repeats each cell in all rows and columns that it spans. @param repeat returns the content of a
 * repeated cell
 */
export function expandSpans<Content>(
  rows: readonly (readonly Cell<Content>[])[],
  repeat: (content: Content, where: 'beside' | 'below') => Content,
): Content[][] {
  // Maximum cells that spans may add to a table.
  let addedCellsLeft = 20_000;
  let above: { content: Content; rows: number }[] = [];
  return rows.map((cells) => {
    const row: Content[] = [];
    const below: typeof above = [];
    const place = (content: Content, left: number) => {
      if (left > 0 && addedCellsLeft-- > 0)
        below[row.length] = { content: repeat(content, 'below'), rows: left };
      row.push(content);
    };
    const placeFromAbove = () => {
      for (let upper = above[row.length]; upper; upper = above[row.length])
        place(upper.content, upper.rows - 1);
    };
    for (const { content, columns, rows: spanned } of cells) {
      placeFromAbove();
      const left = Math.min(spanned, maxSpan) - 1;
      place(content, left);
      for (let column = 1; column < Math.min(columns, maxSpan) && addedCellsLeft-- > 0; column++)
        place(repeat(content, 'beside'), left);
    }
    placeFromAbove();
    above = below;
    return row;
  });
}

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`.replace(/ {2,}/g, ' ');

/** The first row is the header. Short rows are padded unless most cells would be padding. */
export function writeDataTable(rows: readonly (readonly string[])[]): string {
  const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0);
  const cells = rows.reduce((sum, row) => sum + row.length, 0);
  const isFilled = width * rows.length <= cells * 20;
  const [header = [], ...body] = isFilled
    ? rows.map((row) => [...row, ...Array<string>(width - row.length).fill('')])
    : rows;
  return [line(header), line(header.map(() => '-')), ...body.map(line)].join('\n');
}
