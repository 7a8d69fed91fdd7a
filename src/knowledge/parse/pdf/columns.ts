/**
 * Columns of a page: a gutter that many lines keep free, and the bands above, between and below in which lines run across it (a title, a wide
 * figure). What stands on one baseline on both sides is rather a table, and stays together unless it reads as prose or lists.
 */
import { isProse, median } from './aligned-tables.ts';
import type { Box } from './page.ts';
import { listMark, type WordedSegment } from './rows.ts';

/** A piece of a line, or a table as one. */
export interface Item extends Box {
  readonly segment?: WordedSegment;
}

export type Band<T> =
  | { readonly kind: 'across'; readonly items: T[] }
  | { readonly kind: 'columns'; readonly left: T[]; readonly right: T[] };

const minLines = 3;
const minGutter = 7;
/** A gap of so many lines over the whole width ends the columns above it. */
const farLines = 2.5;
/** Headings are set larger than the text that they stand over. */
const largerBy = 1.08;
const maxCandidates = 60;

const segmentsOf = (items: readonly Item[]) => items.flatMap(({ segment }) => segment ?? []);

/** Whether two sides of a gutter are read one after the other. */
function areColumns(left: readonly Item[], right: readonly Item[]): boolean {
  const leftLines = segmentsOf(left);
  const rightLines = segmentsOf(right);
  // A table keeps its side from being one.
  if (leftLines.length < left.length || rightLines.length < right.length)
    return left.length > 0 && right.length > 0 && leftLines.length + rightLines.length > 8;
  if (leftLines.length < minLines || rightLines.length < minLines) return false;
  const heights = byHeight(rightLines);
  const aligned = leftLines.filter(({ y }) => sizeBeside(heights, y) !== undefined).length;
  if (aligned < Math.min(leftLines.length, rightLines.length) * 0.5) return true;
  if (haveOwnHeadings(leftLines, heights)) return true;
  if (startTogether(left, right)) return false;
  const marks = (lines: readonly WordedSegment[]) => lines.filter(({ words }) => listMark.test(words[0]?.text ?? '')).length;
  if (isProse(leftLines) && isProse(rightLines)) return true;
  return (isProse(leftLines) || marks(leftLines) > 1) && (isProse(rightLines) || marks(rightLines) > 1);
}

/** Lines by the height of their baseline: those of one row have one key, or neighbouring ones. */
function byHeight(lines: readonly WordedSegment[]): ReadonlyMap<number, number> {
  const sizes = new Map<number, number>();
  for (const { y, size } of lines) sizes.set(Math.round(y), Math.max(size, sizes.get(Math.round(y)) ?? 0));
  return sizes;
}

const sizeBeside = (sizes: ReadonlyMap<number, number>, y: number): number | undefined => {
  const at = Math.round(y);
  return sizes.get(at) ?? sizes.get(at - 1) ?? sizes.get(at + 1);
};

/** On some rows the left side is set larger, on others the right: each has headings of its own. */
function haveOwnHeadings(left: readonly WordedSegment[], right: ReadonlyMap<number, number>): boolean {
  let leftLarger = 0;
  let rightLarger = 0;
  for (const { y, size } of left) {
    const beside = sizeBeside(right, y);
    if (beside === undefined) continue;
    if (size > beside * largerBy) leftLarger++;
    if (beside > size * largerBy) rightLarger++;
  }
  return leftLarger >= 2 && rightLarger >= 2;
}

/** Rows of a table of wrapped cells: after each wider gap, which both sides leave free, both begin on one baseline. */
function startTogether(left: readonly Item[], right: readonly Item[]): boolean {
  const all = [...left, ...right].sort((one, other) => one.y0 - other.y0);
  const usual = median(segmentsOf(all).map(({ size }) => size)) * largerBy;
  const top = (all[0]?.y0 ?? 0) + minGutter;
  const hasHeading = (side: readonly Item[]) => side.some(({ segment, y0 }) => segment !== undefined && y0 > top && segment.size > usual);
  if (hasHeading(left) && hasHeading(right)) return false;
  let bottom = all[0]?.y1 ?? 0;
  let starts = 0;
  let together = 0;
  for (const item of all) {
    if (item.y0 - bottom > (item.y1 - item.y0) * 0.45) {
      starts++;
      const begins = (side: readonly Item[]) => side.some(({ y0 }) => Math.abs(y0 - item.y0) < 2);
      if (begins(left) && begins(right)) together++;
    }
    bottom = Math.max(bottom, item.y1);
  }
  return starts >= 2 && together >= starts * 0.8 && all.length / (starts + 1) < 12;
}

/** Whether nothing stands beside an item on the other side of the gutter. */
const standsAlone = (item: Item, items: readonly Item[], gutterEnd: number) =>
  !items.some((other) => other.x0 >= gutterEnd - 2 !== item.x0 >= gutterEnd - 2 && other.y0 < item.y1 + 2 && other.y1 > item.y0 - 2);

function bandsAt<T extends Item>(items: readonly T[], gutterEnd: number): { readonly bands: Band<T>[]; readonly score: number } {
  const bands: Band<T>[] = [];
  let score = 0;
  let left: T[] = [];
  let right: T[] = [];
  let largest = 0;
  const across = (more: readonly T[]) => {
    const last = bands.at(-1);
    if (last?.kind === 'across') last.items.push(...more);
    else bands.push({ kind: 'across', items: [...more] });
  };
  const flush = () => {
    if (left.length + right.length === 0) return;
    if (areColumns(left, right)) {
      bands.push({ kind: 'columns', left, right });
      score += Math.min(left.length, right.length);
    } else across([...left, ...right]);
    left = [];
    right = [];
    largest = 0;
  };
  let reach = -Infinity;
  let bottom = -Infinity;
  for (const item of items) {
    if (item.y0 - bottom > (item.y1 - item.y0) * farLines) flush();
    bottom = Math.max(bottom, item.y1);
    const isSection =
      left.length > 0 && right.length > 0 && (item.segment?.size ?? 0) > largest * largerBy && standsAlone(item, items, gutterEnd);
    const crosses = item.x0 < gutterEnd - 2 && item.x1 > gutterEnd - minGutter;
    if (crosses || isSection || item.y0 < reach - 1) {
      flush();
      across([item]);
      if (crosses) reach = Math.max(reach, item.y1 - (item.y1 - item.y0) * 0.3);
    } else {
      (item.x0 >= gutterEnd - 2 ? right : left).push(item);
      largest = Math.max(largest, item.segment?.size ?? 0);
    }
  }
  flush();
  return { bands, score };
}

/** Bands from the top, cut at the gutter that most lines keep; undefined where there is none. */
export function columnBands<T extends Item>(items: readonly T[]): Band<T>[] | undefined {
  if (items.length < minLines * 2) return undefined;
  const sorted = [...items].sort((one, other) => one.y0 - other.y0 || one.x0 - other.x0);
  const starts = new Map<number, { count: number; x0: number }>();
  for (const { x0 } of items) {
    const key = Math.round(x0 / 2);
    const seen = starts.get(key) ?? { count: 0, x0 };
    starts.set(key, { count: seen.count + 1, x0: Math.min(seen.x0, x0) });
  }
  const leftmost = Math.min(...items.map(({ x0 }) => x0));
  const candidates = [...starts.values()]
    .filter(({ count, x0 }) => count >= minLines && x0 > leftmost + minGutter * 2)
    .sort((one, other) => other.count - one.count || one.x0 - other.x0)
    .slice(0, maxCandidates);
  let best: { readonly bands: Band<T>[]; readonly score: number; readonly x0: number } | undefined;
  for (const { x0 } of candidates) {
    const { bands, score } = bandsAt(sorted, x0);
    if (score > 0 && (!best || score > best.score || (score === best.score && x0 < best.x0))) best = { bands, score, x0 };
  }
  return best?.bands;
}
