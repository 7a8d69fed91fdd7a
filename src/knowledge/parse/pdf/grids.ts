/**
 * Tables drawn with lines: rulings that cross are a grid, and its cells hold the text that stands in them. A frame around a text is no table,
 * and neither is one cell. Where no line is drawn between two places, they are one cell; outer borders may be missing.
 */
import type { Rulings } from './page.ts';

export interface Grid {
  readonly x0: number;
  readonly x1: number;
  readonly y0: number;
  readonly y1: number;
  /** Edges of the columns and of the rows, ascending. */
  readonly xs: readonly number[];
  readonly ys: readonly number[];
  /** The row and column whose cell a place belongs to: merged cells count as their first. */
  cellAt(x: number, y: number): readonly [row: number, column: number];
}

/** One line: `at` across its direction, `from` and `to` along it. */
interface Line {
  readonly at: number;
  from: number;
  to: number;
}

const tolerance = 2.5;
const maxGridLines = 3_000;

/** Pieces of one line, drawn cell by cell, as one; lines beside each other (the two edges of a border) as one. */
function joined(lines: Line[]): Line[] {
  lines.sort((one, other) => one.at - other.at || one.from - other.from);
  const result: Line[] = [];
  let group: Line[] = [];
  const flush = () => {
    group.sort((one, other) => one.from - other.from);
    let last: Line | undefined;
    for (const line of group) {
      if (last && line.from <= last.to + tolerance) last.to = Math.max(last.to, line.to);
      else {
        last = { ...line, at: group[0]?.at ?? line.at };
        result.push(last);
      }
    }
    group = [];
  };
  for (const line of lines) {
    if (group[0] && line.at - group[0].at > tolerance) flush();
    group.push(line);
  }
  flush();
  return result;
}

const distinct = (values: readonly number[]): number[] => {
  const result: number[] = [];
  for (const value of [...values].sort((one, other) => one - other))
    if (value - (result.at(-1) ?? -Infinity) > tolerance * 1.6) result.push(value);
  return result;
};

const within = (value: number, from: number, to: number) => value >= from - tolerance && value <= to + tolerance;

/** Grids from the top; rulings without a crossing one are none. */
export function gridsOf(rulings: Rulings): Grid[] {
  if (rulings.horizontal.length + rulings.vertical.length > maxGridLines * 4) return [];
  const across = joined(rulings.horizontal.map(({ y, x0, x1 }) => ({ at: y, from: x0, to: x1 })));
  const down = joined(rulings.vertical.map(({ x, y0, y1 }) => ({ at: x, from: y0, to: y1 })));
  if (across.length + down.length > maxGridLines) return [];
  return components(across, down)
    .map(({ rows, columns }) => gridOf(rows, columns))
    .filter((grid) => grid !== undefined)
    .sort((one, other) => one.y0 - other.y0);
}

interface Component {
  readonly rows: Line[];
  readonly columns: Line[];
}

function components(across: readonly Line[], down: readonly Line[]): Component[] {
  const group = new Map<Line, Component>();
  for (const column of down) {
    let own: Component = { rows: [], columns: [column] };
    group.set(column, own);
    for (const row of across) {
      if (!within(column.at, row.from, row.to) || !within(row.at, column.from, column.to)) continue;
      const other = group.get(row);
      if (other === own) continue;
      if (!other) {
        own.rows.push(row);
        group.set(row, own);
        continue;
      }
      other.rows.push(...own.rows);
      other.columns.push(...own.columns);
      for (const line of [...own.rows, ...own.columns]) group.set(line, other);
      own = other;
    }
  }
  return [...new Set(down.map((column) => group.get(column)))].filter(
    (found) => found !== undefined && found.rows.length > 0,
  ) as Component[];
}

function gridOf(rows: readonly Line[], columns: readonly Line[]): Grid | undefined {
  const x0 = Math.min(...rows.map(({ from }) => from), ...columns.map(({ at }) => at));
  const x1 = Math.max(...rows.map(({ to }) => to), ...columns.map(({ at }) => at));
  const y0 = Math.min(...columns.map(({ from }) => from), ...rows.map(({ at }) => at));
  const y1 = Math.max(...columns.map(({ to }) => to), ...rows.map(({ at }) => at));
  const xs = distinct([x0, ...columns.map(({ at }) => at), x1]);
  const ys = distinct([y0, ...rows.map(({ at }) => at), y1]);
  if (xs.length < 3 || ys.length < 3 || xs.length * ys.length > 40_000) return undefined;
  const lastRow = ys.length - 2;
  const lastColumn = xs.length - 2;
  const middle = (edges: readonly number[], index: number) => ((edges[index] ?? 0) + (edges[index + 1] ?? 0)) / 2;
  const isDrawn = (lines: readonly Line[], at: number, through: number) =>
    lines.some((line) => Math.abs(line.at - at) <= tolerance * 1.6 && line.from <= through && line.to >= through);
  const indexOf = (edges: readonly number[], value: number, last: number) => {
    const after = edges.findIndex((edge) => edge > value);
    return Math.max(0, Math.min(last, (after < 0 ? edges.length : after) - 1));
  };
  return {
    x0,
    x1,
    y0,
    y1,
    xs,
    ys,
    cellAt(x, y) {
      let row = indexOf(ys, y, lastRow);
      let column = indexOf(xs, x, lastColumn);
      while (column > 0 && !isDrawn(columns, xs[column] ?? 0, middle(ys, row))) column--;
      while (row > 0 && !isDrawn(rows, ys[row] ?? 0, middle(xs, column))) row--;
      return [row, column];
    },
  };
}
