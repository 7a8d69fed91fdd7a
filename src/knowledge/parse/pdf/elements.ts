/**
 * Pages → the elements of the document in reading order. A paragraph that runs on in the next column or on the next page, also past a table or
 * a footnote between, is one element, on the page it begins on.
 */
import { isHeading } from './headings.ts';
import { type Compounds, joinLines } from './joins.ts';
import type { Block, PageLayout } from './page.ts';
import { type Code, type Paragraph, paragraphsOf } from './paragraphs.ts';
import { type BodyStyle, lineOf } from './style.ts';

export interface Table {
  readonly kind: 'table';
  readonly rows: readonly (readonly string[])[];
  readonly columnX0: readonly number[];
  /** Whether the first row names the columns. */
  readonly hasHeader: boolean;
}

export interface HeadingElement {
  readonly kind: 'heading';
  text: string;
  readonly size: number;
  readonly isBold: boolean;
}

export type Element = (Paragraph | Code | Table | HeadingElement) & { readonly page: number };

/** How far back the beginning of a paragraph may lie, in elements. */
const maxBetween = 8;
const isOpen = (text: string) => !/[.!?:;…。！？|]["'”’)\]]*[⁰¹²³⁴-⁹\d]{0,2}$/u.test(text) || /\p{Ll}-$/u.test(text);
/** The point at its end may be a part of it. */
const endsInAddress = /(?:https?:\/\/|www\.)\S*\.$/i;
const goesOn = /^[\p{Ll}\p{Lo}(,;&–—]/u;

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

/** The unfinished paragraph that this one, the first of its block, goes on from. */
function beginningOf(paragraph: Paragraph, elements: readonly Element[], page: number): (Paragraph & { page: number }) | undefined {
  if (paragraph.mark) return undefined;
  for (let back = 1; back <= Math.min(maxBetween, elements.length); back++) {
    const before = elements[elements.length - back];
    if (!before || before.kind === 'heading' || page - before.page > 1) return undefined;
    if (before.kind !== 'paragraph') continue;
    const isNote = before.size < paragraph.size * 0.93;
    if (isNote) continue;
    if (
      Math.abs(before.size - paragraph.size) > paragraph.size * 0.06 ||
      !(isOpen(before.text) || (endsInAddress.test(before.text) && /^\p{Ll}/u.test(paragraph.text)))
    )
      return undefined;
    const isPlain = before.isBold === paragraph.isBold;
    const isSure = goesOn.test(paragraph.text) || before.text.endsWith('-');
    return isSure || (back === 1 && isPlain && before.isFull && before.lineCount > 1) ? before : undefined;
  }
  return undefined;
}

function tableOf(block: Extract<Block, { kind: 'table' }>, compounds: Compounds): Table | undefined {
  const bold: boolean[][] = [];
  const rows: string[][] = [];
  for (const row of block.rows) {
    const texts = row.map((cell) => {
      const lines = cell.flatMap((line) => lineOf(line, false) ?? []);
      return lines.reduce((text, line) => joinLines(text, line.text, compounds, true), '');
    });
    if (texts.every((text) => text === '')) continue;
    rows.push(texts);
    bold.push(row.map((cell) => cell.length > 0 && cell.flat().every(({ isBold }) => isBold)));
  }
  const used = (block.rows[0] ?? []).flatMap((_, column) => (rows.some((row) => row[column] !== '') ? [column] : []));
  if (rows.length === 0 || used.length === 0) return undefined;
  const body = bold.slice(1);
  const isNamed = used.length === 2 && bold.every((row) => row[0]) && !bold.some((row) => row[1]);
  const endsInColons = used.length === 2 && rows.every((row) => /:$/.test(row[0] ?? ''));
  return {
    kind: 'table',
    rows: rows.map((row) => used.map((column) => row[column] ?? '')),
    columnX0: used.map((column) => block.columnX0[column] ?? 0),
    hasHeader: !(isNamed && body.length > 0) && !endsInColons,
  };
}

export function elementsOf(pages: readonly PageLayout[], body: BodyStyle, compounds: Compounds): Element[] {
  const elements: Element[] = [];
  for (const { number: page, blocks } of pages) {
    for (const block of blocks) {
      if (block.kind === 'table') {
        const table = tableOf(block, compounds);
        if (table) elements.push({ ...table, page });
        continue;
      }
      let isFirst = true;
      for (const piece of paragraphsOf(block.rows, block.rulesAbove, body, compounds)) {
        if (piece.kind === 'code') elements.push({ ...piece, page });
        else if (isHeading(piece, body)) addHeading(elements, piece, page, compounds);
        else {
          const before = isFirst ? beginningOf(piece, elements, page) : undefined;
          if (before) {
            before.text = joinLines(before.text, piece.text, compounds, before.isFull);
            before.lineCount += piece.lineCount;
            (before as Mutable<Paragraph>).isFull = piece.isFull;
          } else elements.push({ ...piece, page });
        }
        isFirst = false;
      }
    }
  }
  return elements;
}

/** A heading of several lines is one. */
function addHeading(elements: Element[], { text, mark, size, isBold, hasGapAbove }: Paragraph, page: number, compounds: Compounds): void {
  const whole = mark ? `${mark.kind === 'letter' ? '' : `${mark.markdown} `}${text}` : text;
  const last = elements.at(-1);
  const continues =
    last?.kind === 'heading' && last.page === page && !hasGapAbove && !mark && last.isBold === isBold && Math.abs(last.size - size) < 0.3;
  if (continues) last.text = joinLines(last.text, whole, compounds, false);
  else elements.push({ kind: 'heading', text: whole, size, isBold, page });
}
