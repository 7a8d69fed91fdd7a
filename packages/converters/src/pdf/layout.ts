/**
 * Brings a page into reading order: ruled tables, then columns from the left, each with its lines
 * and unruled tables.
 */

import {
  type Box,
  fromLeft,
  holds,
  middleOf,
  type PageLayout,
  type PageView,
  type PdfBlock,
  type PdfSegment,
  type PdfTable,
  type Row,
  type Rulings,
} from './page.ts';
import { listMark, rowsOf } from './rows.ts';
import { blocksOfRows, type Grid, gridsOf, isProse, yOf } from './tables.ts';

/** A line segment or a whole table. */
type LayoutItem = Box &
  Readonly<{
    segment?: PdfSegment;
    table?: PdfTable;
  }>;

/** Rows per edge that may be running headers or footers; a letterhead has 5. */
const edgeRows = 6;
/** Share of the page height that running headers or footers may occupy. */
const edgeShare = 0.25;

/** Adds a segment to the last row if it is on its baseline, else as a new row. */
function addToRows(rows: PdfSegment[][], segment: PdfSegment) {
  const last = rows.at(-1);
  if (last?.[0] && Math.abs(last[0].y - segment.y) < segment.size * 0.25) last.push(segment);
  else rows.push([segment]);
}

/** Assigns segments to the cells of a grid. */
function fill(grid: Grid, segments: readonly PdfSegment[]) {
  const cells: PdfSegment[][][][] = Array.from({ length: grid.ys.length - 1 }, () =>
    Array.from({ length: grid.xs.length - 1 }, () => []),
  );
  const taken = new Set<PdfSegment>();
  for (const segment of segments) {
    const [x, y] = middleOf(segment);
    if (!holds(grid, x, y)) continue;
    const [at, column] = grid.cellAt(x, y);
    addToRows(cells[at]?.[column] ?? [], segment);
    taken.add(segment);
  }
  return { cells, taken };
}

/** Returns undefined if fewer than two rows have two filled cells, or if a cell is too long. */
function tableOf({ xs }: Grid, rows: readonly Row[][][]): PdfTable | undefined {
  const hasBody = rows.filter((row) => row.filter((cell) => cell.length > 0).length > 1).length > 1;
  // More lines mean that the rulings frame a page.
  return hasBody && rows.flat().every((cell) => cell.length <= 30)
    ? { kind: 'table', rows, columnX0: xs }
    : undefined;
}

// Columns: finds a gutter that many lines leave free, and bands of lines that cross it (a title, a
// wide figure). Lines with equal baselines on both sides are a table instead, unless both sides
// read as prose or lists.

/** A side with fewer lines is a side note. */
const minLines = 3;
/** In points: gutters of journals have 12 to 20, narrow ones 9. */
const minGutter = 7;

const segmentsOf = (items: readonly LayoutItem[]) => items.flatMap(({ segment }) => segment ?? []);

/** Whether both sides of a gutter are separate columns. */
function areColumns(left: readonly LayoutItem[], right: readonly LayoutItem[]) {
  const leftLines = segmentsOf(left);
  const rightLines = segmentsOf(right);
  // A side with a ruled table cannot be half of an unruled table.
  if (leftLines.length < left.length || rightLines.length < right.length)
    return left.length > 0 && right.length > 0 && leftLines.length + rightLines.length > 8;
  if (leftLines.length < minLines || rightLines.length < minLines) return false;
  const heights = new Set(
    rightLines.flatMap(({ y }) => [Math.round(y) - 1, Math.round(y), Math.round(y) + 1]),
  );
  const aligned = leftLines.filter(({ y }) => heights.has(Math.round(y))).length;
  if (aligned < Math.min(leftLines.length, rightLines.length) * 0.5) return true;
  const marks = (lines: readonly PdfSegment[]) =>
    lines.filter(({ text }) => listMark.test(text.split(' ', 1)[0] ?? '')).length;
  return (
    (isProse(leftLines) || marks(leftLines) > 1) && (isProse(rightLines) || marks(rightLines) > 1)
  );
}

/**
 * Splits items at a gutter. @returns bands in reading order, and the number of items that the
 * gutter separates
 */
function bandsAt(items: readonly LayoutItem[], gutterEnd: number) {
  const bands: LayoutItem[][] = [];
  let [left, right]: [LayoutItem[], LayoutItem[]] = [[], []];
  /** Band of lines that cross the gutter; ends when columns follow. */
  let open: LayoutItem[] | undefined;
  let score = 0;
  let reach = -Infinity;
  let bottom = -Infinity;
  const across = (taken: readonly LayoutItem[]) => {
    if (!open) bands.push([]);
    open ??= bands.at(-1);
    open?.push(...taken);
  };
  const flush = () => {
    if (areColumns(left, right)) {
      bands.push(left, right);
      score += Math.min(left.length, right.length);
      open = undefined;
    } else across([...left, ...right]);
    left = [];
    right = [];
  };
  for (const item of items) {
    const height = item.y1 - item.y0;
    // A larger gap across the whole width ends the columns. Section headings have two lines.
    if (item.y0 - bottom > height * 2.5) flush();
    bottom = Math.max(bottom, item.y1);
    const crosses = item.x0 < gutterEnd - 2 && item.x1 > gutterEnd - minGutter;
    if (crosses || item.y0 < reach - 1) {
      flush();
      across([item]);
      if (crosses) reach = Math.max(reach, item.y1 - height * 0.3);
    } else (item.x0 >= gutterEnd - 2 ? right : left).push(item);
  }
  flush();
  return { bands, score };
}

/** Returns bands in reading order, split at the best gutter; undefined if no gutter exists. */
function columnBands(items: readonly LayoutItem[]) {
  if (items.length < minLines * 2) return undefined;
  const sorted = items.toSorted((one, other) => one.y0 - other.y0 || fromLeft(one, other));
  const leftOf = (some: readonly LayoutItem[]) => Math.min(...some.map(({ x0 }) => x0));
  const leftmost = leftOf(items);
  const starts = Map.groupBy(items, ({ x0 }) => Math.round(x0 / 2)).values();
  const [best] = [...starts]
    .map((alike) => ({ count: alike.length, x0: leftOf(alike) }))
    .filter(({ count, x0 }) => count >= minLines && x0 > leftmost + minGutter * 2)
    .sort((one, other) => other.count - one.count || fromLeft(one, other))
    // Drawings have very many line starts.
    .slice(0, 60)
    .map(({ x0 }) => ({ ...bandsAt(sorted, x0), x0 }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score || fromLeft(one, other));
  return best?.bands;
}

function orderBlocks(pieces: readonly LayoutItem[], rulings: Rulings, depth: number): PdfBlock[] {
  // Limit of nested columns; deeper nesting is a drawing.
  const bands = depth < 6 ? columnBands(pieces) : undefined;
  return (
    bands?.flatMap((items) => orderBlocks(items, rulings, depth + 1)) ??
    columnBlocks(pieces, rulings)
  );
}

/** Blocks of one column, from the top. */
function columnBlocks(pieces: readonly LayoutItem[], rulings: Rulings) {
  const blocks: PdfBlock[] = [];
  let rows: PdfSegment[][] = [];
  const flush = () => {
    blocks.push(...blocksOfRows(rows, rulings));
    rows = [];
  };
  for (const { segment, table } of pieces.toSorted(
    (one, other) => order(one) - order(other) || fromLeft(one, other),
  )) {
    if (table) {
      flush();
      blocks.push(table);
    } else if (segment) {
      addToRows(rows, segment);
      rows.at(-1)?.sort(fromLeft);
    }
  }
  flush();
  return blocks;
}

const order = ({ segment, y0 }: LayoutItem) => segment?.y ?? y0;

function edgesOf(rows: readonly Row[], height: number) {
  const top = rows.slice(0, edgeRows).filter((row) => yOf(row) < height * edgeShare);
  const bottom = rows.slice(-edgeRows).filter((row) => yOf(row) > height * (1 - edgeShare));
  return [
    ...top.map((row, depth) => ({ row, at: yOf(row), depth })),
    ...bottom.reverse().map((row, depth) => ({ row, at: yOf(row) - height, depth })),
  ];
}

export function layoutPage(view: PageView, number: number): PageLayout {
  const { height, rulings } = view;
  const rows = rowsOf(view.glyphs, rulings);
  const taken = new Set<PdfSegment>();
  const pieces: LayoutItem[] = [];
  for (const grid of gridsOf(rulings)) {
    const free = rows.flat().filter((segment) => !taken.has(segment));
    const { cells, taken: inGrid } = fill(grid, free);
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
  const blocks = orderBlocks(pieces, rulings, 0);
  return { number, height, blocks, edges: edgesOf(rows, height) };
}
