/** A page in reading order: tables with lines, then columns from the left, then in each column its lines and tables without lines. */

import { columnBands, type Item } from './columns.ts';
import type { EdgeRow, PageLayout, PageView, PdfBlock, PdfSegment, Row, Rulings } from './page.ts';
import { rowsOf } from './rows.ts';
import { alignedTables, type Grid, gridsOf } from './tables.ts';

type Table = Extract<PdfBlock, { kind: 'table' }>;
interface Piece extends Item {
  readonly table?: Table;
}

/** Columns in columns; more is a drawing. */
const maxDepth = 6;
/** Lines of text in one cell: with more, the rulings frame a page, not a table. */
const maxCellLines = 30;
/** Rows at each edge that may be running headers or footers: a letterhead has 5. */
const edgeRows = 6;
/** Share of the page's height that they may reach into: letterheads do. */
const edgeShare = 0.25;

const middleOf = ({ x0, x1, y, size }: PdfSegment) => [(x0 + x1) / 2, y - size * 0.3] as const;

/** The segments that stand in a grid, by row and column. */
function fill(grid: Grid, segments: readonly PdfSegment[]): { readonly cells: Row[][][]; readonly taken: ReadonlySet<PdfSegment> } {
  const cells: Row[][][] = Array.from({ length: grid.ys.length - 1 }, () => Array.from({ length: grid.xs.length - 1 }, () => []));
  const taken = new Set<PdfSegment>();
  for (const segment of segments) {
    const [x, y] = middleOf(segment);
    if (x < grid.x0 || x > grid.x1 || y < grid.y0 || y > grid.y1) continue;
    const [at, column] = grid.cellAt(x, y);
    const cell = cells[at]?.[column];
    const last = cell?.at(-1);
    if (last?.[0] && Math.abs(last[0].y - segment.y) < segment.size * 0.25) cell?.splice(-1, 1, [...last, segment]);
    else cell?.push([segment]);
    taken.add(segment);
  }
  return { cells, taken };
}

/** Undefined where too few rows and columns hold something. */
function tableOf({ xs }: Grid, rows: readonly Row[][][]): Table | undefined {
  const hasBody = rows.filter((row) => row.filter((cell) => cell.length > 0).length > 1).length > 1;
  return hasBody && rows.flat().every((cell) => cell.length <= maxCellLines) ? { kind: 'table', rows, columnX0: xs } : undefined;
}

function inOrder(pieces: readonly Piece[], rulings: Rulings, depth: number): PdfBlock[] {
  const bands = depth < maxDepth ? columnBands(pieces) : undefined;
  if (!bands) return stacked(pieces, rulings);
  return bands.flatMap((items) => inOrder(items, rulings, depth + 1));
}

/** Pieces of one column, from the top. */
function stacked(pieces: readonly Piece[], rulings: Rulings): PdfBlock[] {
  const blocks: PdfBlock[] = [];
  let rows: PdfSegment[][] = [];
  const flush = () => {
    blocks.push(...blocksOfRows(rows, rulings));
    rows = [];
  };
  for (const { segment, table } of [...pieces].sort((one, other) => order(one) - order(other) || one.x0 - other.x0)) {
    if (table) {
      flush();
      blocks.push(table);
    } else if (segment) {
      const last = rows.at(-1);
      if (last?.[0] && segment.y - last[0].y < segment.size * 0.25) {
        last.push(segment);
        last.sort((one, other) => one.x0 - other.x0);
      } else rows.push([segment]);
    }
  }
  flush();
  return blocks;
}

const order = ({ segment, y0 }: Piece) => segment?.y ?? y0;

function blocksOfRows(rows: readonly PdfSegment[][], rulings: Rulings): PdfBlock[] {
  const blocks: PdfBlock[] = [];
  const lines = (from: number, to: number) => {
    if (to > from) blocks.push({ kind: 'lines', rows: rows.slice(from, to) });
  };
  let next = 0;
  for (const { from, to, rows: cells, columnX0 } of alignedTables(rows, rulings)) {
    lines(next, from);
    blocks.push({ kind: 'table', rows: cells, columnX0 });
    next = to;
  }
  lines(next, rows.length);
  return blocks;
}

function edgesOf(rows: readonly Row[], height: number): EdgeRow[] {
  const edges: EdgeRow[] = [];
  const top = rows.slice(0, edgeRows).filter((row) => (row[0]?.y ?? 0) < height * edgeShare);
  for (const [depth, row] of top.entries()) edges.push({ row, at: row[0]?.y ?? 0, depth });
  const bottom = rows.slice(-edgeRows).filter((row) => (row[0]?.y ?? 0) > height * (1 - edgeShare));
  for (const [depth, row] of bottom.reverse().entries()) edges.push({ row, at: (row[0]?.y ?? 0) - height, depth });
  return edges;
}

export function layOut(view: PageView, number: number): PageLayout {
  const { width, height, rulings } = view;
  const rows = rowsOf(view.glyphs, rulings, view.spots);
  const asides = view.turned;
  const taken = new Set<PdfSegment>();
  const pieces: Piece[] = [];
  for (const grid of gridsOf(rulings)) {
    const { cells, taken: inGrid } = fill(
      grid,
      [...rows.flat(), ...asides].filter((segment) => !taken.has(segment)),
    );
    const table = tableOf(grid, cells);
    if (!table) continue;
    for (const segment of inGrid) taken.add(segment);
    pieces.push({ ...grid, table });
  }
  for (const segment of rows.flat()) {
    if (taken.has(segment)) continue;
    const { x0, x1, y, size } = segment;
    pieces.push({ segment, x0, x1, y0: y - size * 0.75, y1: y + size * 0.22 });
  }
  const blocks = inOrder(pieces, rulings, 0);
  const others = asides.filter((aside) => !taken.has(aside));
  for (const aside of others) blocks.push({ kind: 'lines', rows: [[aside]] });
  return { number, width, height, blocks, edges: edgesOf([...rows, ...others.map((aside) => [aside])], height) };
}
