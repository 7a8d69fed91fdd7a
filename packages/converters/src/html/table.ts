/**
 * HTML tables → Markdown: spans are repeated, heading rows joined and cells put on one line. Layout
 * tables are detected here.
 */
import { type Cell, expandSpans, writeDataTable } from '../data/table-markdown.ts';
import {
  attributeOf,
  elementsBelow,
  elementsOf,
  findFirst,
  type HtmlElement,
  isHeading,
  named,
  textOf,
} from './dom.ts';

/** A cell or its repetition. */
type HtmlCell = Readonly<typeof noCell>;

const rowsOf = (table: HtmlElement) =>
  elementsOf(table).flatMap((part) => {
    const { name } = part;
    const rows =
      name === 'tr' ? [part] : /^t(?:head|body|foot)$/.test(name) ? elementsOf(part) : [];
    return rows
      .filter(named('tr'))
      .map((row) => ({ row, isHead: name === 'thead', isFoot: name === 'tfoot' }));
  });
const cellsOf = (row: HtmlElement) => elementsOf(row).filter(named('td', 'th'));

/** Whether a table lays out the page instead of presenting data. */
export function isLayoutTable(table: HtmlElement): boolean {
  const rows = rowsOf(table).map(({ row }) => cellsOf(row));
  const cells = rows.flat();
  if (cells.some(named('th')) || elementsOf(table).some(named('caption', 'thead'))) return false;
  const filled = rows.map((row) => row.filter((cell) => textOf(cell, 10)).length);
  if (Math.max(0, ...filled.slice(0, 1_000)) <= 1) return true;
  return cells
    .slice(0, 1_000)
    .some((cell) => findFirst(cell, (child) => isHeading(child) || child.name === 'pre'));
}

const spanOf = (cell: HtmlElement, name: string) =>
  Math.floor(Number(attributeOf(cell, name) ?? 1)) || 1;

/** Text of a symbol in a cell: `Yes` for a green mark. */
const symbolOf = (cell: HtmlElement) => {
  for (const element of [cell, ...elementsBelow(cell)]) {
    const labels = ['aria-label', 'alt', 'title'].map((name) => attributeOf(element, name));
    const label = labels.find(Boolean);
    if (label && label.length <= 40) return label;
    if (element.name === 'input' && element.attribs['type'] === 'checkbox')
      return 'checked' in element.attribs ? '✓' : '✗';
  }
  return '';
};

/** Joins headings of a column. */
const joinHeads = (rows: readonly (readonly HtmlCell[])[], column: number) =>
  [...new Set(rows.map((row) => (row[column]?.text ?? '').replaceAll('**', '')))]
    .filter(Boolean)
    .join(' – ');

const spansWhole = (row: readonly HtmlCell[]) =>
  row.length > 1 && row.slice(1).every((cell) => cell.isRepeated && cell.text === row[0]?.text);

type TableRow = Readonly<{
  cells: readonly HtmlCell[];
  isHead: boolean;
  isFoot: boolean;
}>;

const isBold = ({ text }: HtmlCell) => text === '' || /^\*\*[^*]+\*\*$/.test(text);

/** @param hadHead whether the table has an explicit head, which may be empty */
function countHeads(rows: readonly TableRow[], hadHead: boolean) {
  const bodyStart = rows.findIndex(({ isHead }) => !isHead);
  if (bodyStart !== 0) return bodyStart < 0 ? rows.length : bodyStart;
  const first = rows[0]?.cells ?? [];
  return hadHead ? Number(first.every(isBold)) : Number(!first[0]?.isHeading);
}

const isGroup = ({ cells, isFoot }: TableRow) =>
  !isFoot &&
  spansWhole(cells) &&
  // A longer text across a table is a note.
  (cells[0]?.text.length ?? 0) <= 60 &&
  !/[.!?;]$/.test(cells[0]?.text ?? '');

const textsOf = ({ cells }: TableRow) =>
  cells.map(({ text }, column) => (column > 0 && spansWhole(cells) ? '' : text));

const noCell = { text: '', isHeading: true, isRepeated: false };

/**
 * Rows that span the table name the rows below them, which get the name as their first cell. Such a
 * row above the column names is a part of them; alone above all rows it is a title.
 */
function withGroups(rows: readonly TableRow[], headRows: number) {
  const named = rows.slice(0, headRows).findLastIndex((row) => !isGroup(row)) + 1;
  const heads = rows.slice(0, named).map(({ cells }) => cells);
  const below = rows.slice(named);
  /** A row without rows of its own, as above another such row, names nothing. */
  const isName = (row: TableRow, index: number) => {
    const next = below[index + 1];
    return isGroup(row) && next && !next.isFoot && !isGroup(next);
  };
  const groups = below.filter(isName);
  if (groups.length === 1 && groups[0] === below[0] && named === 0) {
    const [, first, ...others] = below;
    const isNamed = first?.cells.every(isBold);
    return {
      title: groups[0]?.cells[0]?.text ?? '',
      heads: first && isNamed ? [first.cells] : [],
      body: (isNamed ? others : below.slice(1)).map(textsOf),
    };
  }
  if (groups.length === 0) return { title: '', heads, body: below.map(textsOf) };
  let group = '';
  const body = below.flatMap((row, index) => {
    const texts = textsOf(row);
    if (!isGroup(row)) return [[row.isFoot ? '' : group, ...texts]];
    group = isName(row, index) ? (texts[0] ?? '') : '';
    return group ? [] : [[...texts, '']];
  });
  return { title: '', heads: heads.map((cells) => [noCell, ...cells]), body };
}

/** @param lineOf text of an element as one line of Markdown */
export function writeHtmlTable(table: HtmlElement, lineOf: (element: HtmlElement) => string) {
  const caption = elementsOf(table).find(named('caption'));
  const cellOf = (cell: HtmlElement): Cell<HtmlCell> => {
    const text = lineOf(cell).replaceAll('|', '\\|') || symbolOf(cell);
    return {
      content: { text, isHeading: cell.name === 'th', isRepeated: false },
      columns: spanOf(cell, 'colspan'),
      rows: spanOf(cell, 'rowspan'),
    };
  };
  const all = rowsOf(table);
  // With an explicit head, a later row of headings starts a new part of the table.
  const hasHead = all.some(({ isHead }) => isHead);
  const rows = expandSpans(
    all.map(({ row }) => cellsOf(row).map(cellOf)),
    // Longer content of a spanning cell is not repeated.
    ({ text, isHeading }) => ({
      text: text.length <= 200 ? text : '',
      isHeading,
      isRepeated: true,
    }),
  )
    .map((row, index) => ({
      cells: row.slice(0, 200),
      isHead: all[index]?.isHead || (!hasHead && row.every(({ isHeading }) => isHeading)),
      isFoot: all[index]?.isFoot === true,
    }))
    .filter(({ cells }) => cells.some(({ text }) => text !== ''));
  const { title, heads, body } = withGroups(rows, countHeads(rows, hasHead));
  const width = rows.reduce((most, { cells }) => Math.max(most, cells.length), 0);
  const head = Array.from({ length: Math.max(width, body[0]?.length ?? 0) }, (_, column) =>
    joinHeads(heads, column),
  );
  const isEmpty = body.length === 0 && head.every((text) => text === '');
  return {
    caption: [caption ? lineOf(caption) : '', title].filter(Boolean).join(': '),
    rows: isEmpty ? '' : writeDataTable([head, ...body]),
  };
}
