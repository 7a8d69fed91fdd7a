/**
 * Tables with and without rulings. Crossing rulings form a grid whose cells contain the text
 * inside. A frame or a single cell is not a table. Cells without a line between them are merged;
 * outer borders may be missing.
 */
import {
  ascending,
  type Box,
  fromLeft,
  groupNeighbours,
  median,
  type PdfBlock,
  type PdfSegment,
  type Row,
  type Ruling,
  type Rulings,
} from './page.ts';
import { pdfTextOf } from './running-lines.ts';

/** A box with the edges of its columns and rows, ascending. */
export interface Grid extends Box {
  readonly xs: readonly number[];
  readonly ys: readonly number[];
  /** Returns the cell at a position; for merged cells, the first one. */
  cellAt(x: number, y: number): readonly [row: number, column: number];
}

/** In points: lines drawn for each cell are offset by up to a border's width. */
const tolerance = 2.5;
/** Maximum lines, because all horizontal lines are compared with all vertical lines. */
const maxGridLines = 3_000;

/** Merges line segments drawn per cell, and parallel lines (both edges of a border). */
function joined(lines: readonly Ruling[]) {
  const groups = groupNeighbours(
    lines.toSorted((one, other) => one.at - other.at),
    (line, first) => line.at - first.at <= tolerance,
  );
  return groups.flatMap((group) => {
    const pieces: Ruling[] = [];
    for (const { at, from, to } of group.sort((one, other) => one.from - other.from)) {
      const last = pieces.at(-1);
      if (last && from <= last.to + tolerance)
        pieces.splice(-1, 1, { ...last, to: Math.max(last.to, to) });
      else pieces.push({ at: pieces[0]?.at ?? at, from, to });
    }
    return pieces;
  });
}

const distinct = (values: readonly number[]) =>
  groupNeighbours(ascending(values), (value, first) => value - first <= tolerance * 1.6).map(
    ([first = 0]) => first,
  );

const within = (value: number, from: number, to: number) =>
  value >= from - tolerance && value <= to + tolerance;

/** Grids from the top. Rulings that cross no other are ignored. */
export function gridsOf(rulings: Rulings): Grid[] {
  if (rulings.horizontal.length + rulings.vertical.length > maxGridLines * 4) return [];
  const across = joined(rulings.horizontal);
  const down = joined(rulings.vertical);
  if (across.length + down.length > maxGridLines) return [];
  return components(across, down)
    .flatMap(({ rows, columns }) => gridOf(rows, columns) ?? [])
    .sort((one, other) => one.y0 - other.y0);
}

type Component = Readonly<{
  rows: Ruling[];
  columns: Ruling[];
}>;

/** Groups lines connected by crossings. */
function components(across: readonly Ruling[], down: readonly Ruling[]) {
  const group = new Map<Ruling, Component>();
  const crosses = (column: Ruling, row: Ruling) =>
    within(column.at, row.from, row.to) && within(row.at, column.from, column.to);
  for (const column of down) {
    const own: Component = { rows: [], columns: [column] };
    for (const row of across.filter((line) => crosses(column, line))) {
      const other = group.get(row) ?? { rows: [row], columns: [] };
      if (other === own) continue;
      own.rows.push(...other.rows);
      own.columns.push(...other.columns);
      for (const line of [...other.rows, ...other.columns]) group.set(line, own);
    }
    group.set(column, own);
  }
  return [...new Set(group.values())].filter(({ rows }) => rows.length > 0);
}

/** Returns undefined for a frame around one column or row. */
function gridOf(rows: readonly Ruling[], columns: readonly Ruling[]): Grid | undefined {
  const across = columns.map(({ at }) => at);
  const down = rows.map(({ at }) => at);
  const box = {
    x0: Math.min(...rows.map(({ from }) => from), ...across),
    x1: Math.max(...rows.map(({ to }) => to), ...across),
    y0: Math.min(...columns.map(({ from }) => from), ...down),
    y1: Math.max(...columns.map(({ to }) => to), ...down),
  };
  const xs = distinct([box.x0, ...across, box.x1]);
  const ys = distinct([box.y0, ...down, box.y1]);
  if (xs.length < 3 || ys.length < 3 || xs.length * ys.length > 40_000) return undefined;
  const middle = (edges: readonly number[], index: number) =>
    ((edges[index] ?? 0) + (edges[index + 1] ?? 0)) / 2;
  const isDrawn = (lines: readonly Ruling[], at: number, through: number) =>
    lines.some(
      (line) =>
        Math.abs(line.at - at) <= tolerance * 1.6 && line.from <= through && line.to >= through,
    );
  const indexOf = (edges: readonly number[], value: number) =>
    Math.max(0, Math.min(edges.length - 1, edges.filter((edge) => edge <= value).length) - 1);
  return {
    ...box,
    xs,
    ys,
    cellAt(x, y) {
      let row = indexOf(ys, y);
      let column = indexOf(xs, x);
      while (column > 0 && !isDrawn(columns, xs[column] ?? 0, middle(ys, row))) column--;
      while (row > 0 && !isDrawn(rows, ys[row] ?? 0, middle(xs, column))) row--;
      return [row, column];
    },
  };
}

// Unruled tables: consecutive rows with aligned segments. Prose in columns and two rows that align
// by chance do not count. Lines of a wrapped cell are joined: a row begins at a rule or
// with text in the first column.

type Column = Pick<Box, 'x0' | 'x1'>;

export const yOf = (row: Row) => row[0]?.y ?? 0;
const sizeOf = (row: Row) => Math.max(...row.map(({ size }) => size));

/**
 * Returns the column of each segment, if any; undefined if a segment spans several columns or two
 * share one.
 */
function columnsUnder(row: Row, columns: readonly Column[]) {
  const under = row.map((piece) =>
    [...columns.keys()].filter(
      (at) => piece.x0 < (columns[at]?.x1 ?? 0) && piece.x1 > (columns[at]?.x0 ?? 0),
    ),
  );
  const found = under.map(([first]) => first);
  const isShared = new Set(found).size < found.length && !found.includes(undefined);
  return isShared || under.some((over) => over.length > 1) ? undefined : found;
}

/**
 * Whether a single segment has another font, or a larger distance, than the rows above: then it is
 * not a cell.
 */
function isApart([piece]: Row, taken: readonly Row[]) {
  const last = taken.at(-1) ?? [];
  if (!piece) return true;
  const isOther = last.every(
    ({ size, isBold }) => Math.abs(size - piece.size) > size * 0.08 || (piece.isBold && !isBold),
  );
  const distances = taken.slice(1).map((row, at) => yOf(row) - yOf(taken[at] ?? []));
  return isOther || (distances.length > 0 && piece.y - yOf(last) > Math.max(...distances) * 1.15);
}

/** Whether a row is too far below the previous one, or a single segment that is not a cell. */
function endsTable(row: Row, found: readonly (number | undefined)[], taken: readonly Row[]) {
  const above = taken.at(-1) ?? [];
  // In font sizes: rows are at most three lines apart.
  if (yOf(row) - yOf(above) > 3.4 * Math.max(sizeOf(row), sizeOf(above))) return true;
  return found.length === 1 && (found[0] === undefined || isApart(row, taken));
}

/** Takes rows as long as their segments align. */
function takeAligned(rows: readonly Row[], from: number) {
  let columns = columnsOf(rows[from] ?? []);
  const taken: Row[] = [rows[from] ?? []];
  /** Rows after it have text only in the first column. */
  let lastFull = 1;
  for (const row of rows.slice(from + 1)) {
    const found = columnsUnder(row, columns);
    if (!found || endsTable(row, found, taken)) break;
    const wider = columnsOf([...columns, ...row]);
    if (wider.length < columns.length) break;
    columns = wider;
    taken.push(row);
    if (found.length > 1 || found[0] !== 0) lastFull = taken.length;
  }
  taken.length = lastFull;
  // `to` is the index after the last row.
  return { rows: taken, columns: columnsOf(taken.flat()), to: from + lastFull };
}

/** Merges overlapping segments into columns, from the left. */
function columnsOf(pieces: readonly Column[]) {
  const columns: { x0: number; x1: number }[] = [];
  for (const { x0, x1 } of pieces.toSorted(fromLeft)) {
    const last = columns.at(-1);
    if (last && x0 < last.x1) last.x1 = Math.max(last.x1, x1);
    else columns.push({ x0, x1 });
  }
  return columns;
}

/** Whether the lines of a column are long and often continue the previous one. */
export function isProse(segments: readonly PdfSegment[]): boolean {
  // In letters: a column is prose if its lines are longer and a fourth of them are continuations.
  if (segments.length < 3 || median(segments.map(({ text }) => text.length)) < 24) return false;
  return (
    segments.filter(({ text }) => /^[\p{Ll}\p{Lo}(]/u.test(text)).length >= segments.length * 0.25
  );
}

/** Whether rows are table-of-contents entries. */
const isContentsList = (rows: readonly Row[]) =>
  rows.filter((row) => /(?:\.\s?){5}/.test(pdfTextOf(row))).length * 2 >= rows.length;

function isTable(rows: readonly Row[], columns: readonly Column[], hasRules: boolean) {
  const needed = hasRules || columns.length > 2 ? 2 : 3;
  if (columns.length < 2 || rows.filter((row) => row.length > 1).length < needed) return false;
  const inColumn = columns.map(({ x0, x1 }) =>
    rows.flat().filter((segment) => segment.x0 >= x0 && segment.x1 <= x1),
  );
  if (columns.length < 4 && !hasRules && inColumn.filter(isProse).length > 1) return false;
  // Columns of list marks or line numbers do not count.
  return (
    inColumn.filter((segments) => segments.some(({ text }) => /[\p{L}\p{N}]{2}/u.test(text)))
      .length > 1
  );
}

/** Whether a rule lies between two baselines and spans a fifth of the table. */
const ruleBetween = (rulings: Rulings, above: number, below: number, x0: number, x1: number) =>
  rulings.horizontal.some(
    ({ at, from, to }) =>
      at > above && at < below && Math.min(to, x1) - Math.max(from, x0) > (x1 - x0) * 0.2,
  );

/** Returns the cells of a table; undefined if the rows are not one. */
function cellsOf({ rows, columns }: ReturnType<typeof takeAligned>, rulings: Rulings) {
  const x0 = columns[0]?.x0 ?? 0;
  const x1 = columns.at(-1)?.x1 ?? 0;
  const isRuled = rows.map(
    (row, index) =>
      index > 0 && ruleBetween(rulings, yOf(rows[index - 1] ?? []), yOf(row) - 2, x0, x1),
  );
  if (!isTable(rows, columns, isRuled.includes(true))) return undefined;
  const cells: Row[][][] = [];
  for (const [index, row] of rows.entries()) {
    // A row begins at a rule, or with text in the first column.
    if (index === 0 || isRuled[index] || (row[0]?.x0 ?? 0) < (columns[0]?.x1 ?? 0))
      cells.push(columns.map(() => []));
    for (const segment of row)
      cells.at(-1)?.[columns.findIndex((column) => segment.x0 < column.x1)]?.push([segment]);
  }
  return cells.length < 2 ? undefined : cells;
}

/** Lines and tables of one column of a page, from the top. */
export function blocksOfRows(rows: readonly Row[], rulings: Rulings): PdfBlock[] {
  const blocks: PdfBlock[] = [];
  let next = 0;
  const addLines = (to: number) => {
    if (to > next) blocks.push({ kind: 'lines', rows: rows.slice(next, to) });
  };
  for (let from = 0; from < rows.length; from++) {
    if ((rows[from]?.length ?? 0) < 2) continue;
    const aligned = takeAligned(rows, from);
    const isList = isContentsList(aligned.rows);
    const cells = isList ? undefined : cellsOf(aligned, rulings);
    if (cells) {
      addLines(from);
      blocks.push({ kind: 'table', rows: cells, columnX0: aligned.columns.map(({ x0 }) => x0) });
      next = aligned.to;
    }
    if (cells || isList) from = aligned.to - 1;
  }
  addLines(rows.length);
  return blocks;
}
