/**
 * Tables of a page → Markdown, each row readable by itself: what spans rows is repeated in them, headings of several rows are joined, what
 * is in a cell becomes one line. Tables that only lay out a page are told apart; their cells are read one after the other.
 */
import { attributeOf, elementsBelow, elementsOf, type HtmlElement, headingLevelOf, textOf } from './dom.ts';

/** A cell that claims to span more is one cell: each column of a span is written out. */
const maxSpan = 50;
const maxColumns = 200;
/** Longer content is written once, however many cells it spans. */
const maxRepeatedChars = 200;
/** Written out by spans alone, all cells together. */
const maxAddedCells = 20_000;

/** A cell of text, or the same cell again. */
interface Cell {
  readonly text: string;
  readonly isHeading: boolean;
  readonly isRepeated: boolean;
}

const rowsOf = (table: HtmlElement): { row: HtmlElement; isHead: boolean }[] =>
  elementsOf(table).flatMap((part) => {
    if (part.name === 'tr') return [{ row: part, isHead: false }];
    if (!/^t(?:head|body|foot)$/.test(part.name)) return [];
    return elementsOf(part).flatMap((row) => (row.name === 'tr' ? [{ row, isHead: part.name === 'thead' }] : []));
  });
const cellsOf = (row: HtmlElement) => elementsOf(row).filter((cell) => cell.name === 'td' || cell.name === 'th');

const blocksOfText = /^(?:p|ul|ol|table|pre|blockquote|dl|h[1-6]|form|section|article)$/;

/** Whether a table stands for columns of a page instead of rows of things. */
export function isLayoutTable(table: HtmlElement): boolean {
  const rows = rowsOf(table).map(({ row }) => cellsOf(row));
  const cells = rows.flat();
  if (cells.some((cell) => cell.name === 'th') || elementsOf(table).some((part) => part.name === 'caption' || part.name === 'thead')) {
    return false;
  }
  const filled = rows.map((row) => row.filter((cell) => textOf(cell, 10) !== '').length);
  if (Math.max(0, ...filled.slice(0, 1_000)) <= 1) return true;
  const isSaidToBe = /^(?:presentation|none)$/.test(attributeOf(table, 'role') ?? '');
  const isEven = filled.length > 1 && filled.every((count) => count === filled[0]) && cells.every((cell) => textOf(cell, 400).length < 300);
  if (isSaidToBe && !isEven) return true;
  return cells.slice(0, 1_000).some((cell) => {
    const inner = [...elementsBelow(cell)];
    return (
      inner.some((child) => headingLevelOf(child) !== undefined || child.name === 'pre') ||
      inner.filter((child) => blocksOfText.test(child.name)).length > 3
    );
  });
}

const spanOf = (cell: HtmlElement, name: string): number => {
  const span = Number(attributeOf(cell, name) ?? 1);
  return span >= 1 && span <= maxSpan ? Math.floor(span) : 1;
};

/** What a picture of a cell says: `Yes` beside a green mark. */
const symbolOf = (cell: HtmlElement): string => {
  for (const element of [cell, ...elementsBelow(cell)]) {
    const said = attributeOf(element, 'aria-label') ?? attributeOf(element, 'alt') ?? attributeOf(element, 'title');
    if (said !== undefined && said.length <= 40) return said;
    if (element.name === 'input' && element.attribs['type'] === 'checkbox') return 'checked' in element.attribs ? '✓' : '✗';
  }
  return '';
};

function gridOf(table: HtmlElement, textOfCell: (cell: HtmlElement) => string): { rows: Cell[][]; headRows: number } {
  const rows: Cell[][] = [];
  /** Cells of rows above that reach down, by column. */
  const hanging = new Map<number, { cell: Cell; rowsLeft: number }>();
  let room = maxAddedCells;
  let headRows = 0;
  const all = rowsOf(table);
  // Where a table says which rows are its head, a row of headings further down opens a part of it.
  const hasHead = all.some(({ isHead }) => isHead);
  for (const { row, isHead } of all) {
    const cells: Cell[] = [];
    const place = (cell: Cell, column: number) => {
      if (column < maxColumns) cells[column] = cell;
    };
    const fillHanging = () => {
      for (let at = hanging.get(cells.length); at !== undefined && at.rowsLeft > 0; at = hanging.get(cells.length)) {
        at.rowsLeft--;
        place(at.cell, cells.length);
      }
    };
    for (const element of cellsOf(row)) {
      fillHanging();
      const text = textOfCell(element) || symbolOf(element);
      const isHeading = element.name === 'th';
      const again: Cell = { text: text.length <= maxRepeatedChars ? text : '', isHeading, isRepeated: true };
      const width = spanOf(element, 'colspan');
      const height = spanOf(element, 'rowspan');
      for (let offset = 0; offset < width && cells.length < maxColumns; offset++) {
        if (offset > 0 && --room < 0) break;
        const column = cells.length;
        place(offset === 0 ? { text, isHeading, isRepeated: false } : again, column);
        if (height > 1 && room > height) {
          room -= height;
          hanging.set(column, { cell: again, rowsLeft: height - 1 });
        }
      }
    }
    fillHanging();
    if (cells.length === 0) continue;
    rows.push(cells);
    const isHeadRow = isHead || (!hasHead && headRows === rows.length - 1 && cells.every((cell) => cell.isHeading));
    if (isHeadRow && headRows === rows.length - 1) headRows++;
  }
  return { rows, headRows };
}

/** One line for the headings that stand above each other. */
const joinHeads = (rows: readonly Cell[][], column: number): string =>
  [...new Set(rows.map((row) => (row[column]?.text ?? '').replaceAll('**', '')))].filter((text) => text !== '').join(' – ');

const spansWhole = (row: readonly Cell[]) => row.length > 1 && row.slice(1).every((cell) => cell.isRepeated && cell.text === row[0]?.text);

/**
 * @param lineOf text of an element as one line of Markdown
 */
export function writeTable(table: HtmlElement, lineOf: (element: HtmlElement) => string): { caption: string; rows: string } {
  const caption = elementsOf(table).find((part) => part.name === 'caption');
  const textOfCell = (cell: HtmlElement) => lineOf(cell).replaceAll('|', '\\|');
  const { rows, headRows } = gridOf(table, textOfCell);
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const bodyStart = headRows === 0 && !rows[0]?.[0]?.isHeading ? 1 : headRows;
  const head = Array.from({ length: width }, (_, column) => joinHeads(rows.slice(0, bodyStart), column));
  const body = rows.slice(bodyStart).filter((row) => row.some((cell) => cell.text !== ''));
  if (body.length === 0 && head.every((text) => text === '')) return { caption: caption ? lineOf(caption) : '', rows: '' };
  const lines = body.map((row) =>
    Array.from({ length: width }, (_, column) => (column > 0 && spansWhole(row) ? '' : (row[column]?.text ?? ''))),
  );
  const write = (cells: readonly string[]) => `|${cells.map((cell) => (cell === '' ? ' ' : ` ${cell} `)).join('|')}|`;
  return {
    caption: caption ? lineOf(caption) : '',
    rows: [write(head), `|${' - |'.repeat(width)}`, ...lines.map(write)].join('\n'),
  };
}
