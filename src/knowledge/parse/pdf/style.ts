/** What most of a document's text looks like; headings, notes and code are told by how they differ from it. */
import type { PageLayout, Row, Segment } from './page.ts';
import { inReadingOrder } from './shown-text.ts';

export interface BodyStyle {
  readonly size: number;
  /** Distance of two lines of one paragraph. */
  readonly pitch: number;
  readonly isBold: boolean;
  readonly isMono: boolean;
}

export interface Line {
  readonly text: string;
  readonly x0: number;
  readonly x1: number;
  readonly y: number;
  readonly size: number;
  readonly textX0: number;
  readonly markGap: number;
  readonly isBold: boolean;
  readonly isMono: boolean;
  readonly isRuled: boolean;
  readonly segments: Row;
}

/** Dots that lead the eye to a page number. */
const leaders = /\s*(?:\.\s?){4,}\s*|\s*…{2,}\s*|(?:\s\.){2,}\s*(?=\d+$)/g;

/** A line of a table of contents: a text, and at its end, led to by dots or set apart, a page's number. */
export function isContentsEntry({ text, segments, size }: Line): boolean {
  if (text.search(leaders) > 0) return true;
  const [last, before] = [segments.at(-1), segments.at(-2)];
  return (
    last !== undefined &&
    before !== undefined &&
    /^\d{1,4}$/.test(last.text) &&
    /\p{L}{2}/u.test(before.text) &&
    last.x0 - before.x1 > size * 2.5
  );
}

/** A row as a line of text; undefined where nothing of it is body. */
export function lineOf(row: Row, isRuled: boolean): Line | undefined {
  const segments = row.filter(({ isRunning }) => !isRunning);
  const [first] = segments;
  const last = segments.at(-1);
  if (!first || !last) return undefined;
  const letters = (of: readonly Segment[]) => of.reduce((sum, { text }) => sum + text.length, 0);
  const all = letters(segments);
  const size = segments.reduce((best, next) => (next.text.length > best.text.length ? next : best), first).size;
  return {
    text: inReadingOrder(segments.map(({ text }) => text)).join(' '),
    x0: first.x0,
    x1: last.x1,
    y: first.y,
    size,
    textX0: first.textX0,
    markGap: first.markGap,
    isBold: letters(segments.filter(({ isBold }) => isBold)) * 10 > all * 8,
    isMono: segments.every(({ isMono }) => isMono),
    isRuled,
    segments,
  };
}

export const withoutLeaders = (text: string): string => text.replace(leaders, ' … ').trim();

/** Distances of lines, in sizes of type. In a document of few lines they may all be distances of paragraphs. */
const minPitch = 0.9;
const usualPitch = 1.35;
const maxPitch = 2.6;
const fewDistances = 10;

export function bodyStyle(pages: readonly PageLayout[]): BodyStyle {
  const letters = new Map<number, number>();
  const pitches = new Map<number, number>();
  let [all, bold, mono, distances] = [0, 0, 0, 0];
  for (const { blocks } of pages) {
    for (const block of blocks) {
      const rows: readonly Row[] = block.kind === 'lines' ? block.rows : block.rows.flat(2);
      for (const { text, size, isBold, isMono } of rows.flat()) {
        const rounded = Math.round(size * 2) / 2;
        letters.set(rounded, (letters.get(rounded) ?? 0) + text.length);
        all += text.length;
        if (isBold) bold += text.length;
        if (isMono) mono += text.length;
      }
      if (block.kind !== 'lines') continue;
      for (const [index, row] of block.rows.entries()) {
        const [above, first] = [block.rows[index - 1]?.[0], row[0]];
        if (!above || !first || Math.abs(above.size - first.size) > 0.3 || first.y <= above.y) continue;
        const pitch = Math.round(((first.y - above.y) / first.size) * 50) / 50;
        pitches.set(pitch, (pitches.get(pitch) ?? 0) + 1);
        distances++;
      }
    }
  }
  const size = [...letters].reduce((best, next) => (next[1] > best[1] ? next : best), [10, 0])[0];
  let below = 0;
  let pitch = 1.2;
  for (const [distance, count] of [...pitches].sort(([one], [other]) => one - other)) {
    below += count;
    pitch = distance;
    if (below > distances * 0.35) break;
  }
  const most = distances < fewDistances ? usualPitch : maxPitch;
  return { size, pitch: Math.min(most, Math.max(minPitch, pitch)) * size, isBold: bold * 2 > all, isMono: mono * 2 > all };
}
