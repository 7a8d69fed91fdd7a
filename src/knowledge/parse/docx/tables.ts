/**
 * Tables of a Word document as Markdown can hold them: one line of text in a cell, one header, no cell that spans others. Frames around text
 * become the text, tables of labels and values become lists.
 */
import { type Cell, gridOf } from '../records/table-markdown.ts';

/** What mammoth hands over, as far as it is looked at here. */
export interface WordNode {
  readonly type: string;
  readonly children?: readonly WordNode[];
  readonly value?: string;
  readonly isHeader?: boolean;
  readonly isBold?: boolean;
  readonly colSpan?: number;
  readonly rowSpan?: number;
  readonly styleId?: string | null;
  readonly numbering?: unknown;
}

/** A passage should hold the header of its rows. */
const rowsPerTable = 25;
/** A cell with more is a part of a page, not of a table, in characters. */
const longestCell = 1_200;
const maxLabels = 2;
/** What is wider is a page laid out in cells. */
const maxColumns = 60;

export function textOf(node: WordNode): string {
  let text = '';
  const stack: WordNode[] = [node];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    text += next.value ?? (next.type === 'tab' || next.type === 'break' ? ' ' : '');
    if (next.children) stack.push(...[...next.children].reverse());
  }
  return text;
}

const isBlank = (node: WordNode) => textOf(node).trim() === '';
const childrenOf = (node: WordNode | undefined): readonly WordNode[] => node?.children ?? [];
const words = (value: string): WordNode => ({ type: 'run', children: [{ type: 'text', value }] });
const paragraphOf = (like: WordNode | undefined, children: readonly WordNode[]): WordNode => ({
  ...(like ?? {}),
  type: 'paragraph',
  styleId: null,
  numbering: null,
  children,
});

const isBoldRun = (node: WordNode): boolean =>
  isBlank(node) || (node.type === 'run' ? node.isBold === true : childrenOf(node).length > 0 && childrenOf(node).every(isBoldRun));
export const isBold = (node: WordNode): boolean => !isBlank(node) && childrenOf(node).every(isBoldRun);

/** All paragraphs inside of a cell, those of tables in it too. */
function paragraphsIn(node: WordNode): WordNode[] {
  if (node.type === 'paragraph') return isBlank(node) ? [] : [node];
  return childrenOf(node).flatMap(paragraphsIn);
}

/** Line breaks inside of a cell separate like paragraphs. */
function inOneLine(paragraphs: readonly WordNode[]): WordNode[] {
  return paragraphs.flatMap((paragraph, index) => {
    const before = index === 0 ? '' : textOf(paragraphs[index - 1] ?? paragraph).trimEnd();
    return [...(index === 0 ? [] : [words(/[.,:;!?]$/.test(before) ? ' ' : '; ')]), ...childrenOf(paragraph).map(withoutBreaks)];
  });
}
const withoutBreaks = (node: WordNode): WordNode =>
  node.type === 'break' ? { type: 'text', value: ' ' } : node.children ? { ...node, children: node.children.map(withoutBreaks) } : node;

const emptyCell: readonly WordNode[] = [];
type Grid = (readonly WordNode[])[][];
const gridText = (cell: readonly WordNode[]) => cell.map(textOf).join('').trim();

function toGrid(rows: readonly WordNode[]): Grid {
  const cells = rows.map((row): Cell<readonly WordNode[]>[] =>
    childrenOf(row).map((cell) => ({ content: inOneLine(paragraphsIn(cell)), columns: cell.colSpan ?? 1, rows: cell.rowSpan ?? 1 })),
  );
  const grid = gridOf<readonly WordNode[]>(cells, emptyCell);
  const used = grid[0]?.map((_, column) => grid.some((row) => gridText(row[column] ?? emptyCell) !== '')) ?? [];
  return grid.map((row) => row.filter((_, column) => used[column]));
}

/** Several header rows say one thing for each column. */
const mergedHeader = (rows: Grid): (readonly WordNode[])[] =>
  (rows[0] ?? []).map((_, column) => {
    const parts: (readonly WordNode[])[] = [];
    for (const row of rows) {
      const cell = row[column] ?? emptyCell;
      if (gridText(cell) !== '' && !parts.some((part) => gridText(part) === gridText(cell))) parts.push(cell);
    }
    return parts.flatMap((part, index) => (index === 0 ? part : [words(' '), ...part]));
  });

function tableOf(like: WordNode, header: (readonly WordNode[])[], rows: Grid): WordNode {
  const cell = (content: readonly WordNode[]): WordNode => ({
    type: 'tableCell',
    colSpan: 1,
    rowSpan: 1,
    children: [paragraphOf(undefined, content)],
  });
  const rowOf = (cells: (readonly WordNode[])[], isHeader: boolean): WordNode => ({
    type: 'tableRow',
    isHeader,
    children: cells.map(cell),
  });
  return { ...like, children: [rowOf(header, true), ...rows.map((row) => rowOf(row, false))] };
}

/** @returns what stands in the place of a table */
export function shapeTable(table: WordNode): WordNode[] {
  const rows = childrenOf(table).filter((row) => row.type === 'tableRow' && !isBlank(row));
  const cells = rows.flatMap(childrenOf).filter((cell) => !isBlank(cell));
  const isFrame =
    cells.length <= 1 ||
    rows.some((row) => childrenOf(row).reduce((sum, { colSpan = 1 }) => sum + colSpan, 0) > maxColumns) ||
    rows.every((row) => childrenOf(row).filter((cell) => !isBlank(cell)).length <= 1) ||
    cells.some((cell) => textOf(cell).length > longestCell);
  if (isFrame) return cells.flatMap((cell) => shapeTables(childrenOf(cell)));
  const grid = toGrid(rows);
  const headers = rows.findIndex((row) => row.isHeader !== true);
  const firstRow = rows[0];
  const isLabelled =
    headers === 0 &&
    grid[0]?.length === maxLabels &&
    grid.every(([label = emptyCell]) => gridText(label) !== '') &&
    grid.every(([label = emptyCell]) => gridText(label).endsWith(':') || label.every(isBoldRun)) &&
    !(firstRow && isBold(firstRow));
  if (isLabelled) {
    return grid.map(([label = emptyCell, value = emptyCell]) => {
      const name = gridText(label).replace(/:$/, '');
      return {
        ...paragraphOf(undefined, [{ type: 'run', isBold: true, children: [{ type: 'text', value: name }] }, words(': '), ...value]),
        numbering: { level: 0, isOrdered: false },
      };
    });
  }
  const headerRows = Math.max(1, headers < 0 ? 1 : headers);
  const header = mergedHeader(grid.slice(0, headerRows));
  const body = grid.slice(headerRows);
  const tables: WordNode[] = [];
  for (let at = 0; at < Math.max(1, body.length); at += rowsPerTable)
    tables.push(tableOf(table, header, body.slice(at, at + rowsPerTable)));
  return tables;
}

export const shapeTables = (nodes: readonly WordNode[]): WordNode[] =>
  nodes.flatMap((node) => (node.type === 'table' ? shapeTable(node) : [node]));
