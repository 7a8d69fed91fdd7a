/**
 * Running headers and footers: rows at page edges that repeat at the same height, apart from page
 * numbers. Rows at line distance from the body belong to it even if they repeat. In a known header
 * position, a row that occurs once (a chapter title) counts too.
 */
import type { BodyStyle, EdgeRow, PageLayout, Row } from './page.ts';

export const pdfTextOf = (row: Row): string => row.map(({ text }) => text).join(' ');

const roman = /^(?=[ivxlcdm])m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})$/i;
const romanValues: Readonly<Record<string, number>> = {
  i: 1,
  v: 5,
  x: 10,
  l: 50,
  c: 100,
  d: 500,
  m: 1000,
};

/** Value of a page number, Arabic or Roman. */
export function numberOf(numeral: string): number | undefined {
  if (/^\d{1,6}$/.test(numeral)) return Number(numeral);
  if (!roman.test(numeral)) return undefined;
  const digits = [...numeral.toLowerCase()].map((letter) => romanValues[letter] ?? 0);
  return digits.reduce(
    (sum, digit, index) => sum + (digit < (digits[index + 1] ?? 0) ? -digit : digit),
    0,
  );
}

/** On fewer pages, repetition is coincidence. */
const minPages = 3;
/** Share of the page height (126 points on A4). */
const marginShare = 0.15;
/** In points: scanned pages shift slightly. */
const maxShift = 7;
/**
 * Minimum share of pages within a header's range: the header may be missing on odd or even pages
 * and chapter openings.
 */
const minDensity = 0.25;
/**
 * If the outermost row repeats on this many pages and this share of them, it may be close to the
 * body.
 */
const minUsualPages = 5;
const minUsualDensity = 0.5;
/** In body lines: closer rows are body. */
const minDistance = 1.22;
/** If an edge has fewer rows, all of them may be running lines. */
const minEdgeRows = 3;
/**
 * Tolerances in points for the height and font size of a header position, and the minimum share of
 * pages that have it.
 */
const placeTolerance = 4.5;
const sizeTolerance = 0.6;
const minPlaceShare = 0.3;
/** In characters: running lines are shorter; the rest is not compared. */
const maxRowChars = 300;

function markRow(row: Row): void {
  for (const segment of row) segment.isRunning = true;
}

const isMarked = (row: Row) => row.every(({ isRunning }) => isRunning);
const sizeOf = (row: Row) => row[0]?.size ?? 0;
const isSameHeight = (one: EdgeRow, other: EdgeRow, tolerance: number) =>
  Math.sign(one.at) === Math.sign(other.at) && Math.abs(one.at - other.at) <= tolerance;

// Rows that are never text: page numbers ("3", "- 3 -", "Page 3 of 12", "iv"), bare marks, and
// margin rows that state the page or that the producer marks as artifacts. A bare number is a page
// number only if it counts from 1, or if it counts on three pages.

const pageNumber =
  /^[\s\-–—|·•[(]*(?:(page|pagina|página|seite|p\.?|pg\.?)\s*)?(\d{1,5}|[ivxlcdm]{1,8})(?:\s*(?:of|\/|von|de|sur|di|\|)\s*\d{1,5})?[\s\-–—|·•\])]*$/i;
const bareMarks = /^[\s•◦▪▫■□●○◆◇►▸▶·∙‣⁃*_=~–—-]*$/u;

function markPageNumbers(pages: readonly PageLayout[]): void {
  const found = pages.flatMap(({ edges }, page) =>
    edges.flatMap((edge) => {
      const [, word, figure = ''] =
        pageNumber.exec(pdfTextOf(edge.row).slice(0, maxRowChars)) ?? [];
      const value = numberOf(figure);
      return value === undefined
        ? []
        : [{ edge, offset: value - page, isNamed: word !== undefined }];
    }),
  );
  for (const [offset, counting] of Map.groupBy(found, (number) => number.offset))
    for (const { edge, isNamed } of counting) {
      const isFirst = offset === 1 && edge.depth === 0 && (pages.length > 1 || edge.at < 0);
      if (isNamed || isFirst || counting.length >= minPages) markRow(edge.row);
    }
}

/** Whether a line contains `page of pageCount`. */
function statesPage(text: string, page: number, pageCount: number): boolean {
  const [, figure, total] =
    /(?<!\d)(\d{1,5})\s*(?:of|\/|von|de|sur|di)\s*(\d{1,5})(?!\d)/i.exec(text) ?? [];
  return Number(figure) === page && Number(total) === pageCount;
}

function markStrayRows(pages: readonly PageLayout[]): void {
  for (const [page, { blocks, edges, height }] of pages.entries()) {
    for (const row of blocks.flatMap((block) => (block.kind === 'lines' ? block.rows : [])))
      if (bareMarks.test(pdfTextOf(row))) markRow(row);
    for (const { row } of edges.filter(({ at }) => Math.abs(at) <= height * marginShare))
      if (
        row.every(({ isArtifact }) => isArtifact) ||
        statesPage(pdfTextOf(row), page + 1, pages.length)
      )
        markRow(row);
  }
}

const figures = /(?<![\p{L}\p{N}])(?:\d{1,6}|[ivxlcdm]{1,8})(?![\p{L}\p{N}])/giu;

/**
 * Returns the repeating differences between numbers at page edges and page positions: such numbers
 * count pages.
 */
function pageOffsets(pages: readonly PageLayout[]): ReadonlySet<number> {
  const counts = new Map<number, number>();
  for (const [page, { edges }] of pages.entries()) {
    const words = edges.flatMap(
      ({ row }) => pdfTextOf(row).slice(0, maxRowChars).match(figures) ?? [],
    );
    const values = words.map(numberOf).filter((value) => value !== undefined);
    for (const offset of new Set(values.map((value) => value - page)))
      counts.set(offset, (counts.get(offset) ?? 0) + 1);
  }
  return new Set([...counts].filter(([, count]) => count >= minPages).map(([offset]) => offset));
}

/** Replaces page numbers with `#`, for comparison. */
function withoutPageNumber(text: string, page: number, offsets: ReadonlySet<number>): string {
  return text
    .slice(0, maxRowChars)
    .replace(figures, (word) => {
      const value = numberOf(word);
      return value !== undefined && offsets.has(value - page) ? '#' : word;
    })
    .toLowerCase()
    .replace(/[\s|·•–—_/\\.,:;()[\]-]+/g, ' ')
    .trim();
}

/** Maps repeating rows to whether they are the outermost row of most pages. */
function repeatedRows(pages: readonly PageLayout[]): ReadonlyMap<EdgeRow, boolean> {
  const offsets = pageOffsets(pages);
  const clusters = new Map<string, { readonly page: number; readonly edge: EdgeRow }[][]>();
  for (const [page, { edges, height }] of pages.entries()) {
    for (const edge of edges) {
      const text = withoutPageNumber(pdfTextOf(edge.row), page, offsets);
      // "3. Scope" above a page's text is a heading.
      if (
        text === '' ||
        text === '#' ||
        (text.includes('#') && Math.abs(edge.at) > height * marginShare)
      )
        continue;
      const alike = clusters.get(text) ?? [];
      const known = alike.find(([first]) => first && isSameHeight(first.edge, edge, maxShift));
      if (known) known.push({ page, edge });
      else clusters.set(text, [...alike, [{ page, edge }]]);
    }
  }
  return new Map(
    [...clusters.values()].flat().flatMap((members) => {
      const span = (members.at(-1)?.page ?? 0) - (members[0]?.page ?? 0) + 1;
      if (members.length < Math.max(minPages, span * minDensity)) return [];
      const isUsual = members.length >= Math.max(minUsualPages, span * minUsualDensity);
      return members.map(({ edge }) => [edge, isUsual && edge.depth === 0] as const);
    }),
  );
}

/**
 * Marks rows of an edge from the outside, as far as they repeat and a gap separates them from the
 * body.
 */
function markEdge(
  rows: readonly EdgeRow[],
  repeated: ReadonlyMap<EdgeRow, boolean>,
  isRunning: (edge: EdgeRow) => boolean,
  pitch: number,
) {
  const end = rows.findIndex((edge) => !isMarked(edge.row) && !isRunning(edge));
  const isApart = (edge: EdgeRow, inner: EdgeRow | undefined): boolean => {
    if (inner === undefined) return rows.length < minEdgeRows;
    const isFar = Math.abs(inner.at - edge.at) > Math.max(pitch, sizeOf(inner.row)) * minDistance;
    return isFar || (repeated.get(edge) === true && !isRunning(inner));
  };
  const running = end < 0 ? rows : rows.slice(0, end);
  const ends = running.flatMap((edge, index) =>
    isApart(edge, rows[index + 1]) ? [index + 1] : [],
  );
  // If all rows repeat, the body repeats too: only rows before the first gap are removed.
  const apart = end < 0 ? ends[0] : ends.at(-1);
  for (const { row } of rows.slice(0, apart ?? 0)) markRow(row);
}

const isInPlace = (place: EdgeRow, edge: EdgeRow) =>
  isSameHeight(place, edge, placeTolerance) &&
  Math.abs(sizeOf(place.row) - sizeOf(edge.row)) < sizeTolerance;

/** Positions of running lines on many pages. One row represents each position. */
function placesOf(
  pages: readonly PageLayout[],
  repeated: ReadonlyMap<EdgeRow, boolean>,
): EdgeRow[] {
  const places: { readonly edge: EdgeRow; pages: number }[] = [];
  for (const edge of pages.flatMap(({ edges }) => edges)) {
    if (!repeated.has(edge) || !isMarked(edge.row)) continue;
    const place = places.find((known) => isInPlace(known.edge, edge));
    if (place) place.pages++;
    else if (places.length < 200) places.push({ edge, pages: 1 });
  }
  return places
    .filter((place) => place.pages >= Math.max(minPages, pages.length * minPlaceShare))
    .map(({ edge }) => edge);
}

/** Marks segments of running headers and footers, page numbers and bare marks. */
export function markRunningLines(pages: readonly PageLayout[], { pitch }: BodyStyle): void {
  markPageNumbers(pages);
  markStrayRows(pages);
  if (pages.length < minPages) return;
  const repeated = repeatedRows(pages);
  const markPages = (isRunning: (edge: EdgeRow) => boolean) => {
    for (const { blocks, edges } of pages) {
      // Header rows of continued tables repeat too.
      const ofTables = new Set(
        blocks.flatMap((block) =>
          block.kind === 'table' && block.rows.length > 2 ? block.rows.flat(3) : [],
        ),
      );
      const isFree = (edge: EdgeRow) =>
        isRunning(edge) && !edge.row.some((segment) => ofTables.has(segment));
      for (const sign of [1, -1])
        markEdge(
          Map.groupBy(edges, ({ at }) => Math.sign(at)).get(sign) ?? [],
          repeated,
          isFree,
          pitch,
        );
    }
  };
  markPages((edge) => repeated.has(edge));
  const places = placesOf(pages, repeated);
  markPages((edge) => repeated.has(edge) || places.some((place) => isInPlace(place, edge)));
}
