/**
 * Tables with lines, and tables without. Rulings that cross are a grid, and its cells hold the text that stands in them. A frame around a text
 * is no table, and neither is one cell. Where no line is drawn between two places, they are one cell; outer borders may be missing.
 */
import { treeBranch } from './lines.ts';
import { type Box, median, type PdfSegment, type Row, type Ruling, type Rulings } from './page.ts';
import { numberOf, pdfTextOf } from './running-lines.ts';

export type Grid = NonNullable<ReturnType<typeof gridOf>>;

/** In points: lines that are drawn cell by cell miss each other by a border's width. */
const tolerance = 2.5;
/** Every line is compared with every line that may cross it. */
const maxGridLines = 3_000;

/** Pieces of one line, drawn cell by cell, as one; lines beside each other (the two edges of a border) as one. */
function joined(lines: readonly Ruling[]): Ruling[] {
  const groups: Ruling[][] = [];
  for (const line of lines.toSorted((one, other) => one.at - other.at)) {
    const group = groups.at(-1);
    if (group?.[0] && line.at - group[0].at <= tolerance) group.push(line);
    else groups.push([line]);
  }
  return groups.flatMap((group) => {
    const pieces: Ruling[] = [];
    for (const { at, from, to } of group.sort((one, other) => one.from - other.from)) {
      const last = pieces.at(-1);
      if (last && from <= last.to + tolerance) pieces.splice(-1, 1, { ...last, to: Math.max(last.to, to) });
      else pieces.push({ at: pieces[0]?.at ?? at, from, to });
    }
    return pieces;
  });
}

const distinct = (values: readonly number[]): number[] => {
  const result: number[] = [];
  for (const value of values.toSorted((one, other) => one - other))
    if (value - (result.at(-1) ?? -Infinity) > tolerance * 1.6) result.push(value);
  return result;
};

const within = (value: number, from: number, to: number) => value >= from - tolerance && value <= to + tolerance;

/** Grids from the top; rulings without a crossing one are none. */
export function gridsOf(rulings: Rulings): Grid[] {
  if (rulings.horizontal.length + rulings.vertical.length > maxGridLines * 4) return [];
  const across = joined(rulings.horizontal);
  const down = joined(rulings.vertical);
  if (across.length + down.length > maxGridLines) return [];
  return components(across, down)
    .map(({ rows, columns }) => gridOf(rows, columns))
    .filter((grid) => grid !== undefined)
    .sort((one, other) => one.y0 - other.y0);
}

interface Component {
  readonly rows: Ruling[];
  readonly columns: Ruling[];
}

/** Lines that cross each other, directly or over others. */
function components(across: readonly Ruling[], down: readonly Ruling[]): Component[] {
  const group = new Map<Ruling, Component>();
  const crosses = (column: Ruling, row: Ruling) => within(column.at, row.from, row.to) && within(row.at, column.from, column.to);
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

/** A box with the edges of its columns and rows, ascending; undefined for a frame around one column or row. */
function gridOf(rows: readonly Ruling[], columns: readonly Ruling[]) {
  const [across, down] = [columns.map(({ at }) => at), rows.map(({ at }) => at)];
  const box = {
    x0: Math.min(...rows.map(({ from }) => from), ...across),
    x1: Math.max(...rows.map(({ to }) => to), ...across),
    y0: Math.min(...columns.map(({ from }) => from), ...down),
    y1: Math.max(...columns.map(({ to }) => to), ...down),
  };
  const xs = distinct([box.x0, ...across, box.x1]);
  const ys = distinct([box.y0, ...down, box.y1]);
  if (xs.length < 3 || ys.length < 3 || xs.length * ys.length > 40_000) return undefined;
  const middle = (edges: readonly number[], index: number) => ((edges[index] ?? 0) + (edges[index + 1] ?? 0)) / 2;
  const isDrawn = (lines: readonly Ruling[], at: number, through: number) =>
    lines.some((line) => Math.abs(line.at - at) <= tolerance * 1.6 && line.from <= through && line.to >= through);
  /** Of the cell between two edges. */
  const indexOf = (edges: readonly number[], value: number) =>
    Math.max(0, Math.min(edges.length - 1, edges.filter((edge) => edge <= value).length) - 1);
  return {
    ...box,
    xs,
    ys,
    /** The row and column whose cell a place belongs to: merged cells count as their first. */
    cellAt(x: number, y: number): readonly [row: number, column: number] {
      let row = indexOf(ys, y);
      let column = indexOf(xs, x);
      while (column > 0 && !isDrawn(columns, xs[column] ?? 0, middle(ys, row))) column--;
      while (row > 0 && !isDrawn(rows, ys[row] ?? 0, middle(xs, column))) row--;
      return [row, column];
    },
  };
}

/*
 * Tables without lines: consecutive rows whose pieces stand under each other. Prose in columns is not one, nor are two rows by chance. A cell
 * that wraps is one cell: a new row begins at a rule, at a wider gap, or where the first column has text again.
 */

type Column = Pick<Box, 'x0' | 'x1'>;

/** In sizes of type: rows of one table stand at most three lines apart. */
const maxRowDistance = 3.4;
/** Two rows of two columns without a rule are a coincidence. */
const minRows = 3;
/** In letters: lines of a column that are longer, and of which every fourth goes on from the one above, are prose. */
const proseChars = 24;
const dotLeader = /(?:\.\s?){5}/;
/** Fewer figures that grow are a coincidence. */
const minContentsEntries = 4;
const pageColumn = /^(?:pages?|p\.|seite|página|pagina)$/i;

/** Of an entry's page: Roman figures stand before Arabic ones. */
function pageValue(text: string): number | undefined {
  const value = text.length <= 5 ? numberOf(text) : undefined;
  return value === undefined || /^\d/.test(text) ? value : value - 10_000;
}
/** Rows with text in the first column alone: a heading between rows, or a label that wraps; more are a list or prose. */
const maxLonelyRows = 2;

const yOf = (row: Row) => row[0]?.y ?? 0;
const sizeOf = (row: Row) => Math.max(...row.map(({ size }) => size));

/** For each piece of a row, the column that it stands in, if any; undefined where one runs over several, or two stand in one. */
function columnsUnder(row: Row, columns: readonly Column[]): (number | undefined)[] | undefined {
  const under = row.map((piece) =>
    [...columns.keys()].filter((at) => piece.x0 < (columns[at]?.x1 ?? 0) && piece.x1 > (columns[at]?.x0 ?? 0)),
  );
  const found = under.map(([first]) => first);
  const isShared = new Set(found).size < found.length && !found.includes(undefined);
  return isShared || under.some((over) => over.length > 1) ? undefined : found;
}

/** A single piece that is of another type than the rows above, or stands further from them than they from each other, is no cell. */
function isApart(rows: readonly Row[], index: number, taken: readonly Row[]): boolean {
  const [piece] = rows[index] ?? [];
  const last = taken.at(-1) ?? [];
  if (!piece) return true;
  const isOther = last.every(({ size, isBold }) => Math.abs(size - piece.size) > size * 0.08 || (piece.isBold && !isBold));
  const distances = taken.slice(1).map((row, at) => yOf(row) - yOf(taken[at] ?? []));
  return isOther || (distances.length > 0 && piece.y - yOf(last) > Math.max(...distances) * 1.15);
}

/** Whether a row stands too far below the one above, or alone where no cell would. */
function endsTable(rows: readonly Row[], index: number, found: readonly (number | undefined)[], taken: readonly Row[]): boolean {
  const [row, above] = [rows[index] ?? [], rows[index - 1] ?? []];
  if (yOf(row) - yOf(above) > maxRowDistance * Math.max(sizeOf(row), sizeOf(above))) return true;
  return found.length === 1 && (found[0] === undefined || isApart(rows, index, taken));
}

/** As many rows from here on as have pieces under each other. */
function grow(rows: readonly Row[], from: number) {
  let columns = columnsOf(rows[from] ?? []);
  const taken: Row[] = [rows[from] ?? []];
  let lonely = 0;
  let lastSure = 1;
  for (const [at, row] of rows.slice(from + 1).entries()) {
    const found = columnsUnder(row, columns);
    if (!found || endsTable(rows, from + 1 + at, found, taken)) break;
    lonely = found.length === 1 && found[0] === 0 ? lonely + 1 : 0;
    const wider = columnsOf([...columns, ...row]);
    if (lonely > maxLonelyRows || wider.length < columns.length) break;
    columns = wider;
    taken.push(row);
    if (lonely === 0) lastSure = taken.length;
  }
  taken.length = lastSure;
  return { rows: taken, columns: columnsOf(taken.flat()), to: from + lastSure };
}

/** Places that pieces share, from the left. */
function columnsOf(pieces: readonly Column[]): Column[] {
  const columns: { x0: number; x1: number }[] = [];
  for (const { x0, x1 } of pieces.toSorted((one, other) => one.x0 - other.x0)) {
    const last = columns.at(-1);
    if (last && x0 < last.x1) last.x1 = Math.max(last.x1, x1);
    else columns.push({ x0, x1 });
  }
  return columns;
}

/** Lines of a column that are long and often go on from the one above. */
export function isProse(segments: readonly PdfSegment[]): boolean {
  if (segments.length < 3 || median(segments.map(({ text }) => text.length)) < proseChars) return false;
  return segments.filter(({ text }) => /^[\p{Ll}\p{Lo}(]/u.test(text)).length >= segments.length * 0.25;
}

/** Entries and the pages that they are on: led to by dots, or all with a figure at the end that grows from row to row. */
function isContentsList(rows: readonly Row[]): boolean {
  if (rows.filter((row) => dotLeader.test(pdfTextOf(row))).length * 2 >= rows.length) return true;
  const entries = rows.filter((row, index) => index > 0 || !pageColumn.test(row.at(-1)?.text ?? ''));
  const pages = entries.map((row) => (row.length > 1 ? pageValue(row.at(-1)?.text ?? '') : undefined));
  const numbered = pages.filter((page) => page !== undefined);
  const isNamedColumn = entries.some((row, index) => row.length > 1 && pages[index] === undefined);
  if (isNamedColumn || numbered.length < Math.max(minContentsEntries, entries.length * 0.8)) return false;
  const isNamed = entries.every((row) => /\p{L}{2}/u.test(pdfTextOf(row)));
  // Two columns of figures are a table.
  const hasFigures = entries.some((row) => row.length > 2 && pageValue(row.at(-2)?.text ?? '') !== undefined);
  return isNamed && !hasFigures && numbered.every((page, index) => index === 0 || page >= (numbered[index - 1] ?? 0));
}

/** Names that branch off each other. */
const isFileTree = (rows: readonly Row[]): boolean => rows.filter((row) => treeBranch.test(pdfTextOf(row))).length * 2 >= rows.length;

function isTable(rows: readonly Row[], columns: readonly Column[], hasRules: boolean): boolean {
  const full = rows.filter((row) => row.length > 1);
  if (columns.length < 2 || full.length < 2) return false;
  const needed = hasRules || columns.length > 2 ? 2 : minRows;
  if (full.length < needed) return false;
  const inColumn = columns.map(({ x0, x1 }) => rows.flat().filter((segment) => segment.x0 >= x0 && segment.x1 <= x1));
  if (columns.length < 4 && !hasRules && inColumn.filter(isProse).length > 1) return false;
  // Marks of a list, or figures of its lines, are no column.
  return inColumn.filter((segments) => segments.some(({ text }) => /[\p{L}\p{N}]{2}/u.test(text))).length > 1;
}

/** Rules that lie between the baselines of two rows and run over most of the table. */
const ruleBetween = (rulings: Rulings, above: number, below: number, x0: number, x1: number) =>
  rulings.horizontal.some(({ at, from, to }) => at > above && at < below && Math.min(to, x1) - Math.max(from, x0) > (x1 - x0) * 0.2);

function startsRow(rows: readonly Row[], columns: readonly Column[], isRuled: readonly boolean[]): boolean[] {
  const gaps = rows.map((row, index) => (index === 0 ? 0 : yOf(row) - yOf(rows[index - 1] ?? [])));
  const hasFirst = rows.map((row) => (row[0]?.x0 ?? 0) < (columns[0]?.x1 ?? 0));
  const inner = gaps.slice(1);
  const [least, most] = [Math.min(...inner), Math.max(...inner)];
  const wide = (least + most) / 2;
  const byGap = gaps.map((gap, index) => index === 0 || gap > wide);
  const groups = byGap.filter(Boolean).length;
  const isBimodal = most > least * 1.25 && groups >= 3 && byGap.every((starts, index) => !starts || hasFirst[index]);
  if (isBimodal && hasFirst.filter(Boolean).length > groups) return byGap;
  return rows.map((_, index) => index === 0 || isRuled[index] === true || hasFirst[index] === true);
}

/** Cells of the rows that make a table; undefined where they make none. */
function cellsOf({ rows, columns }: ReturnType<typeof grow>, rulings: Rulings): (readonly Row[])[][] | undefined {
  const [x0, x1] = [columns[0]?.x0 ?? 0, columns.at(-1)?.x1 ?? 0];
  const isRuled = rows.map((row, index) => index > 0 && ruleBetween(rulings, yOf(rows[index - 1] ?? []), yOf(row) - 2, x0, x1));
  if (!isTable(rows, columns, isRuled.includes(true))) return undefined;
  const starts = startsRow(rows, columns, isRuled);
  const cells: Row[][][] = [];
  for (const [index, row] of rows.entries()) {
    if (starts[index]) cells.push(columns.map(() => []));
    for (const segment of row) cells.at(-1)?.[columns.findIndex((column) => segment.x0 < column.x1)]?.push([segment]);
  }
  return cells.length < 2 ? undefined : cells;
}

/** @param rows of one column of the page, from the top @returns `from` and `to` of the given rows, first and one past the last */
export function alignedTables(rows: readonly Row[], rulings: Rulings) {
  const tables: { from: number; to: number; rows: (readonly Row[])[][]; columnX0: number[] }[] = [];
  for (let from = 0; from < rows.length; from++) {
    if ((rows[from]?.length ?? 0) < 2) continue;
    const grown = grow(rows, from);
    const isList = isContentsList(grown.rows) || isFileTree(grown.rows);
    const cells = isList ? undefined : cellsOf(grown, rulings);
    if (cells) tables.push({ from, to: grown.to, rows: cells, columnX0: grown.columns.map((column) => column.x0) });
    if (cells || isList) from = grown.to - 1;
  }
  return tables;
}
