/**
 * Running headers and footers: rows at page edges that repeat at the same height, apart from page
 * numbers. Rows at line distance from the body belong to it even if they repeat.
 */
import { listLabel } from '../list-label.ts';
import type { BodyStyle, EdgeRow, PageLayout, Row } from './page.ts';

export const pdfTextOf = (row: Row): string => row.map(({ text }) => text).join(' ');

/** Roman numbers of pages. */
const romans = new Map(
  Array.from({ length: 500 }, (_, index) => [listLabel(index + 1, 'lowerRoman'), index + 1]),
);

/** Value of a page number, Arabic or Roman. */
const numberOf = (numeral: string) =>
  /^\d{1,6}$/.test(numeral) ? Number(numeral) : romans.get(numeral.toLowerCase());

/** On fewer pages, repetition is coincidence. */
const minPages = 3;
/** In points: scanned pages shift slightly. */
const maxShift = 7;
/** In characters: running lines are shorter; the rest is not compared. */
const maxRowChars = 300;

const figures = /(?<![\p{L}\p{N}])(?:\d{1,6}|[ivxlcdm]{1,8})(?![\p{L}\p{N}])/giu;
const pageNumber =
  /^[\s\-–—|·•[(]*(page|pagina|página|seite|p\.?|pg\.?)?\s*(\d{1,5}|[ivxlcdm]{1,8})(?:\s*(?:of|\/|von|de|sur|di|\|)\s*\d{1,5})?[\s\-–—|·•\])]*$/i;

const markRow = (row: Row) => {
  for (const segment of row) segment.isRunning = true;
};

const isMarked = (row: Row) => row.every(({ isRunning }) => isRunning);

/** The text of a row as it is, and with one of its numbers relative to the page. */
function namesOf(row: Row, page: number) {
  const text = pdfTextOf(row).slice(0, maxRowChars).toLowerCase();
  const relative = [...text.matchAll(figures)].flatMap(({ 0: figure, index }) => {
    const value = numberOf(figure);
    const after = text.slice(index + figure.length);
    return value === undefined ? [] : [`${text.slice(0, index)}#${value - page}${after}`];
  });
  const names = [text, ...relative].map((name) => name.replace(/[^\p{L}\p{N}#]+/gu, ' ').trim());
  return [...new Set(names)];
}

/** Two grids of heights: rows of nearly one height share a step of one of them. */
const stepsOf = ({ at }: EdgeRow) =>
  new Set([0, maxShift].map((shift) => Math.floor((at + shift) / (2 * maxShift))));

/** Rows at one height that many pages have. */
function repeatedRows(pages: readonly PageLayout[]) {
  const rows = pages.flatMap(({ edges }, page) =>
    edges.flatMap((edge) =>
      namesOf(edge.row, page).flatMap((name) =>
        name === ''
          ? []
          : [...stepsOf(edge)].map((step) => ({ key: `${step} ${name}`, page, edge })),
      ),
    ),
  );
  const repeated = new Set<EdgeRow>();
  for (const alike of Map.groupBy(rows, ({ key }) => key).values()) {
    const span = (alike.at(-1)?.page ?? 0) - (alike[0]?.page ?? 0) + 1;
    // On a fourth of the pages from the first to the last.
    if (alike.length >= Math.max(minPages, span * 0.25))
      for (const { edge } of alike) repeated.add(edge);
  }
  return repeated;
}

/** Whether a row is text of no page, wherever it stands. */
function isNeverText({ row, at, depth }: EdgeRow, page: number, { height }: PageLayout) {
  const [, word, figure = ''] = pageNumber.exec(pdfTextOf(row).slice(0, maxRowChars)) ?? [];
  const isFirst = depth === 0 && numberOf(figure) === page + 1 && (page > 0 || at < 0);
  const isArtifact = row.every((segment) => segment.isArtifact);
  // 126 points on A4.
  return word !== undefined || isFirst || (isArtifact && Math.abs(at) <= height * 0.15);
}

const placesOf = (edge: EdgeRow) =>
  [...stepsOf(edge)].map((step) => `${step} ${Math.round(edge.row[0]?.size ?? 0)}`);

/** Heights at which many pages have a running line, with its font size. */
function runningPlaces(pages: readonly PageLayout[], repeated: ReadonlySet<EdgeRow>) {
  const found = pages.flatMap(({ edges }) =>
    edges.filter((edge) => isMarked(edge.row) && repeated.has(edge)),
  );
  const places = Map.groupBy(found.flatMap(placesOf), (place) => place);
  const least = Math.max(minPages, pages.length * 0.3);
  return new Set([...places].flatMap(([place, { length }]) => (length >= least ? place : [])));
}

/** Marks segments of running headers and footers, page numbers and bare marks. */
export function markRunningLines(pages: readonly PageLayout[], { pitch }: BodyStyle): void {
  const repeated = repeatedRows(pages);
  for (const [page, layout] of pages.entries()) {
    const rows = layout.blocks.flatMap((block) => (block.kind === 'lines' ? block.rows : []));
    for (const row of rows)
      if (/^[\s•◦▪▫■□●○◆◇►▸▶·∙‣⁃*_=~–—-]*$/u.test(pdfTextOf(row))) markRow(row);
    for (const edge of layout.edges) if (isNeverText(edge, page, layout)) markRow(edge.row);
  }
  const markPages = (isRunning: (edge: EdgeRow) => boolean) => {
    for (const { blocks, edges } of pages) {
      // Header rows of continued tables repeat too.
      const tables = blocks.flatMap((block) => (block.kind === 'table' ? block.rows.flat(3) : []));
      const ofTables = new Set(tables);
      const isFree = (edge: EdgeRow) =>
        isMarked(edge.row) ||
        (isRunning(edge) && !edge.row.some((segment) => ofTables.has(segment)));
      for (const side of Map.groupBy(edges, ({ at }) => Math.sign(at)).values())
        markEdge(side, isFree, pitch);
    }
  };
  markPages((edge) => repeated.has(edge));
  // A row that occurs once, such as a chapter title, is running in the place of others.
  const places = runningPlaces(pages, repeated);
  markPages((edge) => repeated.has(edge) || placesOf(edge).some((place) => places.has(place)));
}

/** Marks rows of an edge from the outside, as far as they repeat and a gap follows them. */
function markEdge(rows: readonly EdgeRow[], isRunning: (edge: EdgeRow) => boolean, pitch: number) {
  const end = rows.findIndex((edge) => !isRunning(edge));
  const isApart = (edge: EdgeRow, inner: EdgeRow | undefined) =>
    inner === undefined
      ? // If an edge has fewer rows, all of them may be running lines.
        rows.length < 3
      : // Closer rows are body.
        Math.abs(inner.at - edge.at) > Math.max(pitch, inner.row[0]?.size ?? 0) * 1.22;
  const running = end < 0 ? rows : rows.slice(0, end);
  const ends = running.flatMap((edge, index) => (isApart(edge, rows[index + 1]) ? index + 1 : []));
  // If all rows repeat, the body repeats too: only rows before the first gap are removed.
  for (const { row } of rows.slice(0, (end < 0 ? ends[0] : ends.at(-1)) ?? 0)) markRow(row);
}
