/**
 * Running headers and footers: rows at the edge of pages that come back at the same height with the same text; a page's number may differ,
 * and a wrong letter or two of a scan. Two times is a coincidence. What follows at a body line's distance is body, however often it comes
 * back. Where a header's place is known, a chapter's name that stands there only once is one too.
 */
import type { BodyStyle, EdgeRow, PageLayout, Row } from './page.ts';

/*
 * Page numbers at the edge of pages: "3", "- 3 -", "Page 3 of 12", "iv", and figures in a running line that count the pages. A figure
 * alone is one only if it counts: its value less the page's position is the same on other pages.
 */

export const pdfTextOf = (row: Row): string => row.map(({ text }) => text).join(' ');

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
/** Rows between a page number and the page's edge: a line of the publisher's, rarely two. */
const maxNumberDepth = 2;
/** Pages between two page numbers that count: plates and blank pages. */
const maxPagesApart = 6;
/** In points: figures that count stand at one height, but for what a scan or a longer page moves. */
const maxNumberShift = 14;
/** In characters: what is longer than "Seite 123 von 456" between dashes says more than a number. */
const maxNumberChars = 40;

/** Running lines lie in the margin: share of the page's height, 80 points of A4. */
const marginShare = 0.095;

/** Whether a line says which page of how many this is. */
function statesPage(text: string, page: number, pageCount: number): boolean {
  const [, figure, total] = /(?<!\d)(\d{1,5})\s*(?:of|\/|von|de|sur|di)\s*(\d{1,5})(?!\d)/i.exec(text) ?? [];
  return Number(figure) === page && Number(total) === pageCount;
}

function markRow(row: Row): void {
  for (const segment of row) segment.isRunning = true;
}

/** In characters: a running line is shorter, and what follows is not compared. */
const maxRowChars = 300;
const figures = /(?<![\p{L}\p{N}])(?:\d{1,6}|[ivxlcdm]{1,8})(?![\p{L}\p{N}])/giu;

/** Differences between a figure at the edge of a page and the page's position that come back: those count the pages. */
function pageOffsets(pages: readonly PageLayout[]): ReadonlySet<number> {
  const counts = new Map<number, number>();
  for (const [page, { edges }] of pages.entries()) {
    const words = edges.flatMap(({ row }) => pdfTextOf(row).slice(0, maxRowChars).match(figures) ?? []);
    const values = words.map(numberOf).filter((value) => value !== undefined);
    for (const offset of new Set(values.map((value) => value - page))) counts.set(offset, (counts.get(offset) ?? 0) + 1);
  }
  return new Set([...counts].filter(([, count]) => count >= minPages).map(([offset]) => offset));
}

/** Value of a row that may be a page number and nothing else. */
function pageNumberIn({ row, depth }: EdgeRow): number | undefined {
  const text = pdfTextOf(row);
  const [, figure = ''] = (text.length <= maxNumberChars && depth <= maxNumberDepth && alone.exec(text)) || [];
  return numberOf(figure);
}

/** Marks rows that are page numbers and nothing else: those that say so, those that count from 1, and those that count with others. */
function markPageNumbers(pages: readonly PageLayout[]): void {
  const found = pages.flatMap(({ edges }, page) =>
    edges.flatMap((edge) => {
      const value = pageNumberIn(edge);
      return value === undefined ? [] : [{ page, edge, offset: value - page }];
    }),
  );
  for (const counting of Map.groupBy(found, ({ offset }) => offset).values()) {
    for (const [index, { page, edge, offset }] of counting.entries()) {
      const isFirst = offset === 1 && edge.depth === 0 && (pages.length > 1 || edge.at < 0);
      const counts = [counting[index - 1], counting[index + 1]].some(
        (other) =>
          other !== undefined &&
          other.page !== page &&
          Math.abs(other.page - page) <= maxPagesApart &&
          Math.abs(other.edge.at - edge.at) < maxNumberShift,
      );
      if (isFirst || counts || surelyPage.test(pdfTextOf(edge.row))) markRow(edge.row);
    }
  }
}

/** A row's text with the figures that count pages as `#`, for comparison only. */
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

/** What comes back twice is a coincidence. */
const minPages = 3;
/** In points: scanned pages are laid down a little higher or lower. */
const maxShift = 7;
/** In pages: headers come back on the next page or the one after it; plates and part titles may lie between. */
const rememberedPages = 8;
/** Share of the pages from the first to the last with a header: odd or even ones, without openings of chapters. */
const minDensity = 0.25;
/** On so many pages, and that share of them, the outermost row is no coincidence: it may stand further in, and close to the body. */
const minUsualPages = 5;
const minUsualDensity = 0.5;
/** Share of the page's height, 126 points of A4: footers above a wide lower margin end below it. */
const wideMarginShare = 0.15;
/** Share of the body's size: a larger row with a figure is a heading. */
const maxSizeRatio = 1.12;
/** In lines of the body: what stands no further from it is body. */
const minDistance = 1.22;
/** Where the same line of headers is found again, in points and sizes of type; on so many pages, it is their place. */
const placeTolerance = 4.5;
const sizeTolerance = 0.6;
const minPlaceShare = 0.3;

/** Whether two texts differ in at most `limit` letters: Levenshtein's distance, given up where it is larger. */
function isWithin(one: string, other: string, limit: number): boolean {
  if (one === other) return true;
  if (Math.abs(one.length - other.length) > limit) return false;
  let above = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const current = [row];
    for (let column = 1; column <= other.length; column++) {
      const swapped = (above[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1);
      current.push(Math.min(swapped, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    if (Math.min(...current) > limit) return false;
    above = current;
  }
  return (above[other.length] ?? 0) <= limit;
}

/** Letters that a scan reads as figures. */
const misread: Readonly<Record<string, string>> = { '0': 'o', '1': 'l', '5': 's', '6': 'b', '8': 'b' };

/** A single figure inside a word is a letter that was misread. */
const corrected = (text: string) =>
  text.replace(/(?<=\p{L})[01568](?!\d)|(?<!\d)[01568](?=\p{L})/gu, (figure) => misread[figure] ?? figure);

/** Same text but for what a scan gets wrong. Other figures make another text. */
function isSameText(first: string, second: string): boolean {
  if (first === second) return true;
  const [one, other] = [corrected(first), corrected(second)];
  const letters = one.replace(/\d+/g, '');
  const limit = letters.length < 5 ? 0 : letters.length < 10 ? 1 : Math.max(2, Math.floor(letters.length * 0.12));
  return one.replace(/\D+/g, '') === other.replace(/\D+/g, '') && isWithin(letters, other.replace(/\d+/g, ''), limit);
}

interface Cluster {
  readonly text: string;
  readonly members: { readonly page: number; readonly edge: EdgeRow }[];
}

/** Edge rows by text and height. Each row is compared with those of the last pages only. */
function clustersOf(pages: readonly PageLayout[]): Cluster[] {
  const offsets = pageOffsets(pages);
  const all: Cluster[] = [];
  let recent: Cluster[] = [];
  for (const [page, { edges }] of pages.entries()) {
    recent = recent.filter(({ members }) => page - (members.at(-1)?.page ?? 0) <= rememberedPages);
    for (const edge of edges) {
      const text = withoutPageNumber(pdfTextOf(edge.row), page, offsets);
      if (text === '' || text === '#') continue;
      const known = recent.find(
        ({ text: seen, members: [first] }) => first && isSameHeight(first.edge, edge, maxShift) && isSameText(seen, text),
      );
      if (!known) {
        const cluster = { text, members: [{ page, edge }] };
        all.push(cluster);
        recent.push(cluster);
      } else if (known.members.at(-1)?.page !== page) known.members.push({ page, edge });
    }
  }
  return all;
}

const isSameHeight = (one: EdgeRow, other: EdgeRow, tolerance: number) =>
  Math.sign(one.at) === Math.sign(other.at) && Math.abs(one.at - other.at) <= tolerance;

const sizeOf = (row: Row) => row[0]?.size ?? 0;
const isMarked = (row: Row) => row.every(({ isRunning }) => isRunning);

/** Rows of a cluster that are running lines, and whether they are as the outermost row of most pages. */
function* membersOf({ text, members }: Cluster, pages: readonly PageLayout[], body: BodyStyle): Generator<readonly [EdgeRow, boolean]> {
  const span = (members.at(-1)?.page ?? 0) - (members[0]?.page ?? 0) + 1;
  if (members.length < Math.max(minPages, span * minDensity)) return;
  for (const { page, edge } of members) {
    const isUsual = edge.depth === 0 && members.length >= Math.max(minUsualPages, span * minUsualDensity);
    const share = isUsual ? wideMarginShare : marginShare;
    if (!text.includes('#') || isInMargin(edge, pages[page]?.height ?? 0, share, body)) yield [edge, isUsual];
  }
}

/** Whether a row with a page's figure stands where running lines do, and is set no larger: "3. Scope" over a page's text is a heading. */
function isInMargin({ at, row }: EdgeRow, height: number, share: number, body: BodyStyle): boolean {
  return Math.abs(at) <= height * share && sizeOf(row) <= body.size * maxSizeRatio;
}

/** Rows of tables that go on over pages come back too. */
function tableRows(page: PageLayout): ReadonlySet<unknown> {
  const segments = page.blocks.flatMap((block) => (block.kind === 'table' && block.rows.length > 2 ? block.rows.flat(3) : []));
  return new Set(segments);
}

/** An edge with fewer rows may be running lines alone. */
const minEdgeRows = 3;

/** Marks the rows of one edge, from the outermost, as far as they are running and set apart from what follows. */
function markEdge(
  rows: readonly EdgeRow[],
  isRunning: (edge: EdgeRow) => boolean,
  isUsual: (edge: EdgeRow) => boolean,
  body: BodyStyle,
): void {
  const end = rows.findIndex((edge) => !isMarked(edge.row) && !isRunning(edge));
  const isApart = (edge: EdgeRow, inner: EdgeRow | undefined): boolean => {
    if (inner === undefined) return rows.length < minEdgeRows;
    const isFar = Math.abs(inner.at - edge.at) > Math.max(body.pitch, sizeOf(inner.row)) * minDistance;
    return isFar || Math.abs(sizeOf(inner.row) - sizeOf(edge.row)) > sizeOf(edge.row) * 0.08 || (isUsual(edge) && !isRunning(inner));
  };
  const running = end < 0 ? rows : rows.slice(0, end);
  const ends = running.flatMap((edge, index) => (isApart(edge, rows[index + 1]) ? [index + 1] : []));
  // A body that comes back as a whole ends nowhere: then only what stands before the first gap goes.
  const apart = end < 0 ? ends[0] : ends.at(-1);
  for (const { row } of rows.slice(0, apart ?? 0)) markRow(row);
}

interface Place {
  readonly edge: EdgeRow;
  pages: number;
}

const isInPlace = (place: Place, edge: EdgeRow) =>
  isSameHeight(place.edge, edge, placeTolerance) && Math.abs(sizeOf(place.edge.row) - sizeOf(edge.row)) < sizeTolerance;

/** Heights at which running lines were found on many pages. */
function placesOf(pages: readonly PageLayout[], running: ReadonlyMap<EdgeRow, boolean>): Place[] {
  const places: Place[] = [];
  for (const { edges } of pages) {
    for (const edge of edges) {
      if (!running.has(edge) || !isMarked(edge.row)) continue;
      const place = places.find((known) => isInPlace(known, edge));
      if (place) place.pages++;
      else if (places.length < 200) places.push({ edge, pages: 1 });
    }
  }
  return places.filter((place) => place.pages >= Math.max(minPages, pages.length * minPlaceShare));
}

const bareMarks = /^[\s•◦▪▫■□●○◆◇►▸▶·∙‣⁃*_=~–—-]*$/u;

/** Rows that are no text whether they come back or not: marks alone, and in the margin what says which page this is or is marked as none. */
function markStrayRows(pages: readonly PageLayout[]): void {
  for (const [page, { blocks, edges, height }] of pages.entries()) {
    for (const row of blocks.flatMap((block) => (block.kind === 'lines' ? block.rows : [])))
      if (bareMarks.test(pdfTextOf(row))) markRow(row);
    for (const { row } of edges.filter(({ at }) => Math.abs(at) <= height * marginShare))
      if (row.every(({ isArtifact }) => isArtifact) || statesPage(pdfTextOf(row), page + 1, pages.length)) markRow(row);
  }
}

/** Marks the segments of running headers and footers, page numbers and bare list marks. */
export function markRunningLines(pages: readonly PageLayout[], body: BodyStyle): void {
  markPageNumbers(pages);
  markStrayRows(pages);
  if (pages.length < minPages) return;
  /** Rows that come back, and whether they do as the outermost row of most pages: those do not end near the body by chance. */
  const running = new Map(clustersOf(pages).flatMap((cluster) => [...membersOf(cluster, pages, body)]));
  const isUsual = (edge: EdgeRow) => running.get(edge) === true;
  const markPages = (isRunning: (edge: EdgeRow) => boolean) => {
    for (const page of pages) {
      const ofTables = tableRows(page);
      const isFree = (edge: EdgeRow) => isRunning(edge) && !edge.row.some((segment) => ofTables.has(segment));
      const sideOf = (sign: number) => page.edges.filter(({ at }) => Math.sign(at) === sign);
      for (const rows of [sideOf(1), sideOf(-1)]) markEdge(rows, isFree, isUsual, body);
    }
  };
  markPages((edge) => running.has(edge));
  const places = placesOf(pages, running);
  if (places.length > 0) markPages((edge) => running.has(edge) || places.some((place) => isInPlace(place, edge)));
}
