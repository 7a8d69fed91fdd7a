/**
 * Tables without lines: consecutive rows whose pieces stand under each other. Prose in columns is not one, nor are two rows by chance. A cell
 * that wraps is one cell: a new row begins at a rule, at a wider gap, or where the first column has text again.
 */
import type { Row, Rulings } from './page.ts';
import { type WordedSegment, wordGroup } from './rows.ts';

export interface AlignedTable {
  /** Of the given rows, first and one past the last. */
  readonly from: number;
  readonly to: number;
  readonly rows: (readonly Row[])[][];
  readonly columnX0: readonly number[];
}

interface Column {
  x0: number;
  x1: number;
}

/** In units of the font size. */
const maxRowDistance = 3.4;
const minColumnGap = 0.35;
const minRows = 3;
/** From so many letters, and so often going on from the line above, a cell's line is prose in a column. */
const proseChars = 24;
const dotLeader = /(?:\.\s?){5}/;
const maxLonelyRows = 2;

const yOf = (row: readonly WordedSegment[]) => row[0]?.y ?? 0;
const sizeOf = (row: readonly WordedSegment[]) => Math.max(...row.map(({ size }) => size));

/** The row's pieces by column; pieces that run over several columns are cut between words. Undefined where one cannot be. */
function place(
  row: readonly WordedSegment[],
  columns: readonly Column[],
): { segment: WordedSegment; column: number | undefined }[] | undefined {
  const placed: { segment: WordedSegment; column: number | undefined }[] = [];
  for (const segment of row) {
    const over = [...columns.keys()].filter((index) => {
      const column = columns[index];
      return column !== undefined && segment.x0 < column.x1 && segment.x1 > column.x0;
    });
    if (over.length <= 1) {
      placed.push({ segment, column: over[0] });
      continue;
    }
    const groups = wordGroup(segment, (word) => {
      const middle = (word.x0 + word.x1) / 2;
      const distances = over.map((index) => {
        const { x0 = 0, x1 = 0 } = columns[index] ?? {};
        return middle < x0 ? x0 - middle : middle > x1 ? middle - x1 : 0;
      });
      return over[distances.indexOf(Math.min(...distances))] ?? 0;
    });
    for (const [index, group] of groups.entries()) {
      const next = groups[index + 1];
      if (next && next.segment.x0 - group.segment.x1 < minColumnGap * segment.size) return undefined;
      const column = columns[group.key];
      // A word that reaches into the next column was never in this one.
      if (column && (group.segment.x0 < column.x0 - segment.size || group.segment.x1 > column.x1 + segment.size * 2)) return undefined;
      placed.push({ segment: group.segment, column: group.key });
    }
  }
  return new Set(placed.map(({ column }) => column)).size === placed.length || placed.some(({ column }) => column === undefined)
    ? placed
    : undefined;
}

/** A single piece that is of another type than the rows above, or stands further from them than they from each other, is no cell. */
function isApart(rows: readonly (readonly WordedSegment[])[], index: number, taken: readonly (readonly WordedSegment[])[]): boolean {
  const [piece] = rows[index] ?? [];
  const last = taken.at(-1) ?? [];
  if (!piece) return true;
  const isOther = last.every(({ size, isBold }) => Math.abs(size - piece.size) > size * 0.08 || (piece.isBold && !isBold));
  const distances = taken.slice(1).map((row, at) => yOf(row) - yOf(taken[at] ?? []));
  return isOther || (distances.length > 0 && piece.y - yOf(last) > Math.max(...distances) * 1.15);
}

interface Grown {
  readonly rows: WordedSegment[][];
  readonly columns: Column[];
  readonly to: number;
}

function grow(rows: readonly (readonly WordedSegment[])[], from: number): Grown {
  const columns: Column[] = (rows[from] ?? []).map(({ x0, x1 }) => ({ x0, x1 }));
  const taken: WordedSegment[][] = [[...(rows[from] ?? [])]];
  let lonely = 0;
  let lastSure = 1;
  for (let index = from + 1; index < rows.length; index++) {
    const row = rows[index] ?? [];
    const above = rows[index - 1] ?? [];
    if (yOf(row) - yOf(above) > maxRowDistance * Math.max(sizeOf(row), sizeOf(above))) break;
    const placed = place(row, columns);
    if (!placed) break;
    const isLonely = placed.length === 1;
    if (isLonely && (placed[0]?.column === undefined || isApart(rows, index, taken))) break;
    lonely = isLonely && placed[0]?.column === 0 ? lonely + 1 : 0;
    if (lonely > maxLonelyRows) break;
    for (const { segment, column } of placed) {
      const known = column === undefined ? undefined : columns[column];
      if (known) {
        known.x0 = Math.min(known.x0, segment.x0);
        known.x1 = Math.max(known.x1, segment.x1);
      } else columns.push({ x0: segment.x0, x1: segment.x1 });
    }
    columns.sort((one, other) => one.x0 - other.x0);
    if (columns.some((column, at) => at > 0 && column.x0 < (columns[at - 1]?.x1 ?? 0))) break;
    taken.push(placed.map(({ segment }) => segment));
    if (lonely === 0) lastSure = taken.length;
  }
  taken.length = lastSure;
  return { rows: taken, columns: columnsOf(taken), to: from + lastSure };
}

/** Places that pieces of the rows share, from the left. */
function columnsOf(rows: readonly (readonly WordedSegment[])[]): Column[] {
  const columns: Column[] = [];
  for (const { x0, x1 } of rows.flat().sort((one, other) => one.x0 - other.x0)) {
    const last = columns.at(-1);
    if (last && x0 < last.x1) last.x1 = Math.max(last.x1, x1);
    else columns.push({ x0, x1 });
  }
  return columns;
}

export const median = (values: readonly number[]) => [...values].sort((one, other) => one - other)[values.length >> 1] ?? 0;

/** Lines of a column that are long and often go on from the one above. */
export function isProse(segments: readonly WordedSegment[]): boolean {
  if (segments.length < 3 || median(segments.map(({ text }) => text.length)) < proseChars) return false;
  return segments.filter(({ text }) => /^[\p{Ll}\p{Lo}(]/u.test(text)).length >= segments.length * 0.25;
}

function isTable({ rows, columns }: Grown, hasRules: boolean): boolean {
  const full = rows.filter((row) => row.length > 1);
  if (columns.length < 2 || full.length < 2) return false;
  const needed = hasRules || columns.length > 2 ? 2 : minRows;
  if (full.length < needed) return false;
  const inColumn = columns.map(({ x0, x1 }) => rows.flat().filter((segment) => segment.x0 >= x0 && segment.x1 <= x1));
  if (columns.length < 4 && !hasRules && inColumn.filter(isProse).length > 1) return false;
  // Lines of a table of contents are no rows.
  if (rows.filter((row) => row.some(({ text }) => dotLeader.test(text))).length * 2 >= rows.length) return false;
  // Marks of a list, or figures of its lines, are no column.
  return inColumn.filter((segments) => segments.some(({ text }) => /[\p{L}\p{N}]{2}/u.test(text))).length > 1;
}

/** Rules that lie between the baselines of two rows and run over most of the table. */
const ruleBetween = (rulings: Rulings, above: number, below: number, x0: number, x1: number) =>
  rulings.horizontal.some((rule) => rule.y > above && rule.y < below && Math.min(rule.x1, x1) - Math.max(rule.x0, x0) > (x1 - x0) * 0.2);

function startsRow(rows: readonly WordedSegment[][], columns: readonly Column[], rulings: Rulings): boolean[] {
  const [x0, x1] = [columns[0]?.x0 ?? 0, columns.at(-1)?.x1 ?? 0];
  const gaps = rows.map((row, index) => (index === 0 ? 0 : yOf(row) - yOf(rows[index - 1] ?? [])));
  const isRuled = rows.map((_, index) => index > 0 && ruleBetween(rulings, yOf(rows[index - 1] ?? []), yOf(rows[index] ?? []) - 2, x0, x1));
  const hasFirst = rows.map((row) => (row[0]?.x0 ?? 0) < (columns[0]?.x1 ?? 0));
  const ruled = isRuled.filter(Boolean).length;
  if (ruled >= 2 && ruled + 1 >= hasFirst.filter(Boolean).length * 0.8) return isRuled.map((rule, index) => index === 0 || rule);
  const inner = gaps.slice(1);
  const [least, most] = [Math.min(...inner), Math.max(...inner)];
  const wide = (least + most) / 2;
  const byGap = gaps.map((gap, index) => index === 0 || gap > wide);
  const groups = byGap.filter(Boolean).length;
  const isBimodal = most > least * 1.25 && groups >= 3 && byGap.every((starts, index) => !starts || hasFirst[index]);
  if (isBimodal && hasFirst.filter(Boolean).length > groups) return byGap;
  return rows.map((row, index) => {
    if (index === 0 || isRuled[index] || hasFirst[index]) return true;
    return row.length > 1 && row.every(({ text }) => !/^[\p{Ll}(,;&]/u.test(text)) && row.length >= (rows[index - 1]?.length ?? 0) - 1;
  });
}

/** @param rows of one column of the page, from the top */
export function alignedTables(rows: readonly (readonly WordedSegment[])[], rulings: Rulings): AlignedTable[] {
  const tables: AlignedTable[] = [];
  for (let from = 0; from < rows.length; from++) {
    if ((rows[from]?.length ?? 0) < 2) continue;
    const grown = grow(rows, from);
    const [x0, x1] = [grown.columns[0]?.x0 ?? 0, grown.columns.at(-1)?.x1 ?? 0];
    const hasRules = grown.rows.some(
      (row, index) => index > 0 && ruleBetween(rulings, yOf(grown.rows[index - 1] ?? []), yOf(row) - 2, x0, x1),
    );
    if (!isTable(grown, hasRules)) continue;
    const starts = startsRow(grown.rows, grown.columns, rulings);
    const table: Row[][][] = [];
    for (const [index, row] of grown.rows.entries()) {
      if (starts[index]) table.push(grown.columns.map(() => []));
      for (const segment of row) {
        const column = grown.columns.findIndex((place) => segment.x0 < place.x1);
        table.at(-1)?.[column]?.push([segment]);
      }
    }
    if (table.length < 2) continue;
    tables.push({ from, to: grown.to, rows: table, columnX0: grown.columns.map((column) => column.x0) });
    from = grown.to - 1;
  }
  return tables;
}
