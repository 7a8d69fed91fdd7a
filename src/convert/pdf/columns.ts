/**
 * Columns of a page: a gutter that many lines keep free, and the bands above, between and below in which lines run across it (a title, a wide
 * figure). What stands on one baseline on both sides is rather a table, and stays together unless it reads as prose or lists.
 */

import type { Box, PdfSegment } from './page.ts';
import { listMark } from './rows.ts';
import { isProse, median } from './tables.ts';

/** A piece of a line, or a table as one. */
export interface Item extends Box {
  readonly segment?: PdfSegment;
}

/** A side with fewer lines is a remark beside a text. */
const minLines = 3;
/** In points: journals keep 12 to 20 between columns, narrow ones 9. */
const minGutter = 7;
/** A gap of so many lines over the whole width ends the columns above it: those of a section's heading have 2. */
const farLines = 2.5;
/** Share of the size: headings are set larger than the text below them, by a point of 11 at least. */
const largerBy = 1.08;
/** Places where lines begin: each is tried, and a drawing has very many. */
const maxCandidates = 60;

const sizeOf = ({ segment }: Item) => segment?.size ?? 0;
const segmentsOf = (items: readonly Item[]) => items.flatMap(({ segment }) => segment ?? []);

/** Whether two sides of a gutter are read one after the other. */
function areColumns(left: readonly Item[], right: readonly Item[]): boolean {
  const leftLines = segmentsOf(left);
  const rightLines = segmentsOf(right);
  // A table keeps its side from being one.
  if (leftLines.length < left.length || rightLines.length < right.length)
    return left.length > 0 && right.length > 0 && leftLines.length + rightLines.length > 8;
  if (leftLines.length < minLines || rightLines.length < minLines) return false;
  const heights = new Set(rightLines.flatMap(({ y }) => [Math.round(y) - 1, Math.round(y), Math.round(y) + 1]));
  const aligned = leftLines.filter(({ y }) => heights.has(Math.round(y))).length;
  if (aligned < Math.min(leftLines.length, rightLines.length) * 0.5) return true;
  if (startTogether(left, right)) return false;
  const marks = (lines: readonly PdfSegment[]) => lines.filter(({ text }) => listMark.test(text.split(' ', 1)[0] ?? '')).length;
  return (isProse(leftLines) || marks(leftLines) > 1) && (isProse(rightLines) || marks(rightLines) > 1);
}

/** Rows of a table of wrapped cells: after each wider gap, which both sides leave free, both begin on one baseline. */
function startTogether(left: readonly Item[], right: readonly Item[]): boolean {
  const all = [...left, ...right].sort((one, other) => one.y0 - other.y0);
  const usual = median(all.map(sizeOf)) * largerBy;
  const top = (all[0]?.y0 ?? 0) + minGutter;
  const hasHeading = (side: readonly Item[]) => side.some((item) => item.y0 > top && sizeOf(item) > usual);
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

/** Whether an item is set larger than the columns above it, and nothing stands beside it on the other side of the gutter. */
function isSection(item: Item, largest: number, items: readonly Item[], gutterEnd: number): boolean {
  if (sizeOf(item) <= largest * largerBy) return false;
  const isRight = item.x0 >= gutterEnd - 2;
  return !items.some((other) => other.x0 >= gutterEnd - 2 !== isRight && other.y0 < item.y1 + 2 && other.y1 > item.y0 - 2);
}

/** Bands as items come in from the top. @returns what is read one after the other, and how many items the gutter tells apart */
function bandsAt<T extends Item>(items: readonly T[], gutterEnd: number): { readonly bands: T[][]; readonly score: number } {
  const bands: T[][] = [];
  let [left, right]: [T[], T[]] = [[], []];
  /** Size of the largest text in the columns. */
  let largest = 0;
  /** What runs over both, as long as no columns follow. */
  let open: T[] | undefined;
  let score = 0;
  let [reach, bottom] = [-Infinity, -Infinity];
  const begin = (): T[] => {
    bands.push([]);
    return bands.at(-1) as T[];
  };
  const across = (taken: readonly T[]) => {
    open ??= begin();
    open.push(...taken);
  };
  const flush = () => {
    if (areColumns(left, right)) {
      bands.push(left, right);
      score += Math.min(left.length, right.length);
      open = undefined;
    } else across([...left, ...right]);
    [left, right] = [[], []];
    largest = 0;
  };
  for (const item of items) {
    const height = item.y1 - item.y0;
    if (item.y0 - bottom > height * farLines) flush();
    bottom = Math.max(bottom, item.y1);
    const crosses = item.x0 < gutterEnd - 2 && item.x1 > gutterEnd - minGutter;
    const isInBoth = Math.min(left.length, right.length) > 0;
    if (crosses || item.y0 < reach - 1 || (isInBoth && isSection(item, largest, items, gutterEnd))) {
      flush();
      across([item]);
      if (crosses) reach = Math.max(reach, item.y1 - height * 0.3);
    } else {
      largest = Math.max(largest, sizeOf(item));
      (item.x0 >= gutterEnd - 2 ? right : left).push(item);
    }
  }
  flush();
  return { bands, score };
}

/** What is read one after the other: bands from the top, and columns, cut at the gutter that most lines keep; undefined where there is none. */
export function columnBands<T extends Item>(items: readonly T[]): T[][] | undefined {
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
  let best: { readonly bands: T[][]; readonly score: number; readonly x0: number } | undefined;
  for (const { x0 } of candidates) {
    const { bands, score } = bandsAt(sorted, x0);
    if (score > 0 && (!best || score > best.score || (score === best.score && x0 < best.x0))) best = { bands, score, x0 };
  }
  return best?.bands;
}
