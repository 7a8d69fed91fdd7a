/**
 * Pages → the elements of the document in reading order. A paragraph that runs on in the next column or on the next page, also past a table or
 * a footnote between, is one element, on the page it begins on.
 */
import type { BodyStyle, PageLayout, PdfBlock, Row } from './page.ts';
import { type Code, type Compounds, joinPdfLines, lineOf, type Paragraph, paragraphsOf } from './paragraphs.ts';

/** Sizes over the body's: headings of books begin at 1.15, and rounding is below 1.04. */
const largeRatio = 1.14;
const slightlyLargeRatio = 1.04;
/** In characters; longer ones are large text, shorter bounds hold where only bold letters or capitals tell. */
const maxHeadingChars = 200;
const maxBoldChars = 120;
const maxCapitalChars = 80;
/** A heading that ends like a sentence is one up to so many characters. */
const maxSentenceChars = 60;

export const letterCount = (text: string) => text.match(/\p{L}/gu)?.length ?? 0;
const sentenceEnd = /[.,;:]["”’)]?$/;
const capitals = /^[^\p{Ll}]*\p{Lu}{3}[^\p{Ll}]*$/u;

/** Bold in a body that is not, or in capitals: what stands alone then is a heading. */
function isEmphasized({ text, isBold, lineCount, hasGapAbove, hasGapBelow }: Paragraph, body: BodyStyle): boolean {
  if (!hasGapAbove || /[.:]$/.test(text)) return false;
  if (isBold && !body.isBold) return text.length <= maxBoldChars && lineCount <= 2;
  return capitals.test(text) && hasGapBelow && text.length <= maxCapitalChars && lineCount === 1 && letterCount(text) >= 6;
}

function isHeading(paragraph: Paragraph, body: BodyStyle): boolean {
  const { text, size, isBold, mark } = paragraph;
  if (text.length > maxHeadingChars || letterCount(text) < 2) return false;
  if (mark && (mark.kind === 'bullet' || mark.kind === 'dash')) return false;
  const isStatement = sentenceEnd.test(text) && (text.length > maxSentenceChars || /[;,]$/.test(text));
  if (size >= body.size * largeRatio) return !isStatement;
  if (isStatement || !/^[\p{Lu}\p{Lo}\p{N}¿"“'(§]/u.test(text)) return false;
  if (isBold && !body.isBold && size >= body.size * slightlyLargeRatio) return !/[.:]$/.test(text);
  return size >= body.size * 0.9 && isEmphasized(paragraph, body);
}

export interface Table {
  readonly kind: 'table';
  readonly rows: readonly (readonly string[])[];
  readonly columnX0: readonly number[];
}

export interface HeadingElement {
  readonly kind: 'heading';
  text: string;
  readonly size: number;
  readonly isBold: boolean;
}

export type Element = (Paragraph | Code | Table | HeadingElement) & { readonly page: number };

/** How far back the beginning of a paragraph may lie, in elements: notes and a table at the foot of the page stand between. */
const maxBetween = 8;
/** Shares of the size: notes are set a point smaller; producers round below the other. */
const noteRatio = 0.93;
const maxSizeDifference = 0.06;
const isOpen = (text: string) => !/[.!?:;…。！？|]["'”’)\]]*[⁰¹²³⁴-⁹\d]{0,2}$/u.test(text) || /\p{Ll}-$/u.test(text);
const goesOn = /^[\p{Ll}\p{Lo}(,;&–—]/u;

/** Whether a paragraph is not finished, and another goes on from it. */
const goesOnFrom = (before: Paragraph, paragraph: Paragraph): boolean =>
  isOpen(before.text) &&
  Math.abs(before.size - paragraph.size) <= paragraph.size * maxSizeDifference &&
  (goesOn.test(paragraph.text) || before.text.endsWith('-'));

/** The unfinished paragraph that this one, the first of its block, goes on from. */
function beginningOf(paragraph: Paragraph, elements: readonly Element[], page: number): (Paragraph & { page: number }) | undefined {
  if (paragraph.mark) return undefined;
  for (const before of elements.slice(-maxBetween).toReversed()) {
    if (before.kind === 'heading' || page - before.page > 1) return undefined;
    const isNote = before.kind === 'paragraph' && before.size < paragraph.size * noteRatio;
    if (before.kind === 'paragraph' && !isNote) return goesOnFrom(before, paragraph) ? before : undefined;
  }
  return undefined;
}

function tableOf({ rows: cells, columnX0 }: Extract<PdfBlock, { kind: 'table' }>, compounds: Compounds): Table | undefined {
  const textOf = (cell: readonly Row[]) =>
    cell.flatMap((row) => lineOf(row) ?? []).reduce((text, line) => joinPdfLines(text, line.text, compounds), '');
  const rows = cells.map((row) => row.map(textOf)).filter((row) => row.some((text) => text !== ''));
  const used = (rows[0] ?? []).flatMap((_, column) => (rows.some((row) => row[column] !== '') ? [column] : []));
  if (used.length === 0) return undefined;
  return {
    kind: 'table',
    rows: rows.map((row) => used.map((column) => row[column] ?? '')),
    columnX0: used.map((column) => columnX0[column] ?? 0),
  };
}

export function pdfElementsOf(pages: readonly PageLayout[], body: BodyStyle, compounds: Compounds): Element[] {
  const elements: Element[] = [];
  const add = (piece: Table | Paragraph | Code | undefined, page: number, isFirst = false) => {
    if (piece?.kind === 'paragraph' && isHeading(piece, body)) addHeading(elements, piece, page, compounds);
    else if (piece) {
      const before = isFirst && piece.kind === 'paragraph' ? beginningOf(piece, elements, page) : undefined;
      if (before && piece.kind === 'paragraph') before.text = joinPdfLines(before.text, piece.text, compounds);
      else elements.push({ ...piece, page });
    }
  };
  for (const [page, block] of pages.flatMap(({ number, blocks }) => blocks.map((block) => [number, block] as const))) {
    if (block.kind === 'table') add(tableOf(block, compounds), page);
    else for (const [index, piece] of paragraphsOf(block.rows, body, compounds).entries()) add(piece, page, index === 0);
  }
  return elements;
}

/** A heading of several lines is one. */
function addHeading(elements: Element[], { text, mark, size, isBold, hasGapAbove }: Paragraph, page: number, compounds: Compounds): void {
  const whole = mark ? `${mark.kind === 'letter' ? '' : `${mark.markdown} `}${text}` : text;
  const last = elements.at(-1);
  const continues =
    last?.kind === 'heading' && last.page === page && !hasGapAbove && !mark && last.isBold === isBold && Math.abs(last.size - size) < 0.3;
  if (continues) last.text = joinPdfLines(last.text, whole, compounds);
  else elements.push({ kind: 'heading', text: whole, size, isBold, page });
}
