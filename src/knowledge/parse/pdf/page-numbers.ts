/**
 * Page numbers at the edge of pages: "3", "- 3 -", "Page 3 of 12", "iv", and figures in a running line that count the pages. A figure
 * alone is one only if it counts: its value less the page's position is the same on other pages.
 */
import type { EdgeRow, PageLayout, Row } from './page.ts';

export const textOf = (row: Row): string => row.map(({ text }) => text).join(' ');

const roman = /^(?=[ivxlcdm])m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})$/i;
const romanValues: Readonly<Record<string, number>> = { i: 1, v: 5, x: 10, l: 50, c: 100, d: 500, m: 1000 };

/** Value of a page number, Arabic or Roman. */
export function numberOf(numeral: string): number | undefined {
  if (/^\d{1,6}$/.test(numeral)) return Number(numeral);
  if (!roman.test(numeral)) return undefined;
  const digits = [...numeral.toLowerCase()].map((letter) => romanValues[letter] ?? 0);
  return digits.reduce((sum, digit, index) => sum + (digit < (digits[index + 1] ?? 0) ? -digit : digit), 0);
}

const alone =
  /^[\s\-–—|·•[(]*(?:(?:page|pagina|página|seite|p\.?|pg\.?)\s*)?(\d{1,5}|[ivxlcdm]{1,8})(?:\s*(?:of|\/|von|de|sur|di|\|)\s*(\d{1,5}))?[\s\-–—|·•\])]*$/i;
const surelyPage = /\b(?:page|seite|pagina|página)\b|^\s*[-–—]\s*\S+\s*[-–—]\s*$/i;
/** How deep from its edge a page number may stand, in rows, and how far from others like it, in pages and points. */
const maxDepth = 2;
const maxPagesApart = 6;
const maxShift = 14;
const maxChars = 40;

/** Running lines lie in the margin: share of the page's height. */
export const marginShare = 0.095;

/** Whether a line says which page of how many this is. */
function statesPage(text: string, page: number, pageCount: number): boolean {
  const [, figure, total] = /(?<!\d)(\d{1,5})\s*(?:of|\/|von|de|sur|di)\s*(\d{1,5})(?!\d)/i.exec(text) ?? [];
  return Number(figure) === page && Number(total) === pageCount;
}

function mark(row: Row): void {
  for (const segment of row) segment.isRunning = true;
}

interface Found {
  readonly page: number;
  readonly edge: EdgeRow;
  readonly offset: number;
  readonly isSure: boolean;
}

/** Marks rows that are page numbers and nothing else. */
export function markPageNumbers(pages: readonly PageLayout[]): void {
  const byOffset = new Map<number, Found[]>();
  for (const [page, { edges, height }] of pages.entries()) {
    for (const edge of edges) {
      const text = textOf(edge.row);
      if (Math.abs(edge.at) < height * marginShare && statesPage(text, page + 1, pages.length)) mark(edge.row);
      const [, figure = '', total] = (text.length <= maxChars && edge.depth <= maxDepth && alone.exec(text)) || [];
      const value = numberOf(figure);
      if (value === undefined) continue;
      const isSure = (total !== undefined && Number(total) >= value) || surelyPage.test(text);
      const found = { page, edge, offset: value - page, isSure };
      byOffset.set(found.offset, [...(byOffset.get(found.offset)?.slice(-maxPagesApart * 2) ?? []), found]);
      const others = byOffset.get(found.offset) ?? [];
      const counting = others.filter(
        (other) => other.page !== page && page - other.page <= maxPagesApart && Math.abs(other.edge.at - edge.at) < maxShift,
      );
      const isFirst = found.offset === 1 && edge.depth === 0 && (pages.length > 1 || edge.at < 0);
      if (isSure || isFirst || counting.length > 0) for (const { edge: numbered } of [found, ...counting]) mark(numbered.row);
    }
  }
}

/** Differences between a figure at the edge of a page and the page's position that come back: those count the pages. */
export function pageOffsets(pages: readonly PageLayout[]): ReadonlySet<number> {
  const counts = new Map<number, number>();
  for (const [page, { edges }] of pages.entries()) {
    const offsets = new Set<number>();
    for (const { row } of edges) {
      for (const word of figuresOf(textOf(row))) {
        const value = numberOf(word);
        if (value !== undefined) offsets.add(value - page);
      }
    }
    for (const offset of offsets) counts.set(offset, (counts.get(offset) ?? 0) + 1);
  }
  return new Set([...counts].filter(([, count]) => count >= 3).map(([offset]) => offset));
}

const maxRowChars = 300;

const figuresOf = (text: string): string[] =>
  text.slice(0, maxRowChars).match(/(?<![\p{L}\p{N}])(?:\d{1,6}|[ivxlcdm]{1,8})(?![\p{L}\p{N}])/giu) ?? [];

/** A row's text with the figures that count pages as `#`, for comparison only. */
export function withoutPageNumber(text: string, page: number, offsets: ReadonlySet<number>): string {
  return text
    .slice(0, maxRowChars)
    .replace(/(?<![\p{L}\p{N}])(?:\d{1,6}|[ivxlcdm]{1,8})(?![\p{L}\p{N}])/giu, (word) => {
      const value = numberOf(word);
      return value !== undefined && offsets.has(value - page) ? '#' : word;
    })
    .toLowerCase()
    .replace(/[\s|·•–—_/\\.,:;()[\]-]+/g, ' ')
    .trim();
}
