/**
 * Running headers and footers: rows at the edge of pages that come back at the same height with the same text; a page's number may differ,
 * and a wrong letter or two of a scan. Two times is a coincidence. What follows at a body line's distance is body, however often it comes
 * back. Where a header's place is known, a chapter's name that stands there only once is one too.
 */

import type { EdgeRow, PageLayout, Row } from './page.ts';
import { marginShare, markPageNumbers, pageOffsets, textOf, withoutPageNumber } from './page-numbers.ts';

const minPages = 3;
/** Scanned pages are laid down a little higher or lower. */
const maxShift = 7;
/** Headers come back on the next page or the one after it; plates and part titles may lie between. */
const rememberedPages = 8;
/** Of the pages from the first to the last that a header stands on. */
const minDensity = 0.25;
/** A larger row with a figure is a heading. */
const maxSizeRatio = 1.12;
/** Distance to the body, in lines of the body. */
const minDistance = 1.22;
/** Where the same line of headers is found again, in points and sizes of type; on so many pages, it is their place. */
const placeTolerance = 4.5;
const sizeTolerance = 0.6;
const minPlaceShare = 0.3;

interface Body {
  readonly size: number;
  readonly pitch: number;
}

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
      const text = withoutPageNumber(textOf(edge.row), page, offsets);
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

function recurring(pages: readonly PageLayout[], body: Body): Set<EdgeRow> {
  const found = new Set<EdgeRow>();
  for (const { text, members } of clustersOf(pages)) {
    const [first, last] = [members[0]?.page ?? 0, members.at(-1)?.page ?? 0];
    if (members.length < minPages || members.length < (last - first + 1) * minDensity) continue;
    for (const { page, edge } of members) {
      const height = pages[page]?.height ?? 0;
      if (text.includes('#') && (Math.abs(edge.at) > height * marginShare || sizeOf(edge.row) > body.size * maxSizeRatio)) continue;
      found.add(edge);
    }
  }
  return found;
}

/** Rows of tables that go on over pages come back too. */
function tableRows(page: PageLayout): ReadonlySet<unknown> {
  const segments = page.blocks.flatMap((block) => (block.kind === 'table' && block.rows.length > 2 ? block.rows.flat(3) : []));
  return new Set(segments);
}

/** Marks the rows of one edge, from the outermost, as far as they are running and set apart from what follows. */
function markEdge(rows: readonly EdgeRow[], isRunning: (edge: EdgeRow) => boolean, body: Body): void {
  const end = rows.findIndex((edge) => !isMarked(edge.row) && !isRunning(edge));
  const candidates = end < 0 ? rows.length : end;
  let apart: number | undefined;
  for (let count = 1; count <= candidates; count++) {
    const [edge, inner] = [rows[count - 1], rows[count]];
    if (!edge) continue;
    const isApart =
      !inner ||
      Math.abs(inner.at - edge.at) > Math.max(body.pitch, sizeOf(inner.row)) * minDistance ||
      Math.abs(sizeOf(inner.row) - sizeOf(edge.row)) > sizeOf(edge.row) * 0.08;
    // A body that comes back as a whole ends nowhere: then only what stands before the first gap goes.
    if (isApart && (inner || rows.length < 3) && !(end < 0 && apart !== undefined)) apart = count;
  }
  for (const { row } of rows.slice(0, apart ?? 0)) for (const segment of row) segment.isRunning = true;
}

interface Place {
  readonly edge: EdgeRow;
  pages: number;
}

const isInPlace = (place: Place, edge: EdgeRow) =>
  isSameHeight(place.edge, edge, placeTolerance) && Math.abs(sizeOf(place.edge.row) - sizeOf(edge.row)) < sizeTolerance;

/** Heights at which running lines were found on many pages. */
function placesOf(pages: readonly PageLayout[], running: ReadonlySet<EdgeRow>): Place[] {
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

/** Rows of marks alone; they belong to nothing. */
function markBareMarks(pages: readonly PageLayout[]): void {
  for (const { blocks } of pages) {
    for (const block of blocks) {
      if (block.kind !== 'lines') continue;
      for (const row of block.rows)
        if (/^[\s•◦▪▫■□●○◆◇►▸▶·∙‣⁃*_=~–—-]*$/u.test(textOf(row))) for (const segment of row) segment.isRunning = true;
    }
  }
}

/** Rows in the margin that the producer itself marks as no part of the text. */
function markArtifacts(pages: readonly PageLayout[]): void {
  for (const { edges, height } of pages) {
    for (const { row, at } of edges) {
      if (Math.abs(at) > height * marginShare || !row.every(({ isArtifact }) => isArtifact)) continue;
      for (const segment of row) segment.isRunning = true;
    }
  }
}

/** Marks the segments of running headers and footers, page numbers and bare list marks. */
export function markRunningLines(pages: readonly PageLayout[], body: Body): void {
  markPageNumbers(pages);
  markBareMarks(pages);
  markArtifacts(pages);
  if (pages.length < minPages) return;
  const running = recurring(pages, body);
  const markPages = (isRunning: (edge: EdgeRow) => boolean) => {
    for (const page of pages) {
      const ofTables = tableRows(page);
      const isFree = (edge: EdgeRow) => isRunning(edge) && !edge.row.some((segment) => ofTables.has(segment));
      for (const side of [1, -1])
        markEdge(
          page.edges.filter(({ at }) => Math.sign(at) === side),
          isFree,
          body,
        );
    }
  };
  markPages((edge) => running.has(edge));
  const places = placesOf(pages, running);
  if (places.length > 0) markPages((edge) => running.has(edge) || places.some((place) => isInPlace(place, edge)));
}
