/**
 * Pages → elements of the document in reading order. A paragraph ends at a wider gap, another font,
 * an indented first line, or a line with room for the next word. A paragraph that continues in
 * another column or page, even after a table or footnote, stays on its first page.
 */
import {
  isContentsEntry,
  joinPdfLines,
  leaders,
  lineOf,
  type Mark,
  markOf,
  type PdfLine,
} from './lines.ts';
import type { BodyStyle, PageLayout, PdfBlock, Row } from './page.ts';

const endsSentence = /[.!?:;。！？][)"'”’\]]*[⁰¹²³⁴-⁹]*$/u;

/**
 * Whether a mark begins a list item. A dash or number may start a line by chance.
 * @param hasRoom whether the previous line ends early
 * @param last mark of the previous item
 */
function beginsItem(
  mark: Mark,
  line: PdfLine,
  above: PdfLine | undefined,
  hasRoom: boolean,
  last: Mark | undefined,
): boolean {
  if (!above || mark.kind === 'bullet' || hasRoom || endsSentence.test(above.text)) return true;
  if (line.y - above.y > line.size * 1.75 || Math.abs(line.x0 - above.x0) > line.size * 0.8)
    return true;
  return last?.kind === mark.kind;
}

export interface Paragraph {
  readonly kind: 'paragraph';
  text: string;
  readonly mark: Mark | undefined;
  readonly x0: number;
  readonly textX0: number;
  readonly size: number;
  readonly isBold: boolean;
  lineCount: number;
  readonly hasGapAbove: boolean;
  hasGapBelow: boolean;
}

interface Code {
  readonly kind: 'code';
  readonly lines: readonly string[];
}

const widthOfWord = (line: PdfLine) => {
  const [word = ''] = line.text.split(' ', 1);
  return ((line.x1 - line.x0) * (word.length + 1)) / Math.max(1, line.text.length);
};

const startsLow = /^[\p{Ll}\p{Lo}]/u;

/**
 * Neighbouring lines inspected for a column's right edge; the last line of a paragraph is shorter.
 */
const linesAround = 3;
/** In font sizes: first lines are indented by 1 to 2; line starts vary within .5. */
const minIndent = 0.8;
/** Share of the size: rounding is below .05; footnotes are at least .1 smaller. */
const sizeTolerance = 0.08;
/**
 * In body lines: smaller gaps come from vertical justification; gaps between paragraphs start at
 * 1.4.
 */
const gapFactor = 1.32;
/** In body lines: lines of code further apart (more than one empty line) are separate blocks. */
const maxCodeGap = 2.6;

function isGap(above: PdfLine, line: PdfLine, body: BodyStyle): boolean {
  const pitch = Math.max(body.pitch * (Math.max(above.size, line.size) / body.size), line.size);
  return line.y - above.y > pitch * gapFactor || line.y < above.y - 1;
}

interface Neighbours {
  readonly above: PdfLine;
  readonly line: PdfLine;
  /** Lines of the paragraph so far. */
  readonly count: number;
  /** The previous line has room for the next word. */
  readonly hasRoom: boolean;
  readonly isItem: boolean;
}

/** Whether a change of font starts a paragraph; bold inside a sentence is emphasis. */
const changesType = ({ above, line }: Neighbours, isOpen: boolean) =>
  Math.abs(line.size - above.size) > line.size * sizeTolerance ||
  (line.isBold !== above.isBold && !isOpen);

/** Whether a line begins a paragraph, apart from list marks. */
function begins(neighbours: Neighbours, body: BodyStyle): boolean {
  const { above, line, count, hasRoom, isItem } = neighbours;
  const isOpen = !endsSentence.test(above.text) && !hasRoom;
  if (isGap(above, line, body) || changesType(neighbours, isOpen)) return true;
  if (hasRoom && !startsLow.test(line.text) && !/[,–—-]$/.test(above.text)) return true;
  const from = isItem && count === 1 ? above.textX0 : above.x0;
  const indent = line.size * minIndent;
  if (line.x0 > from + indent) return count > 1 || endsSentence.test(above.text) || hasRoom;
  if (line.x0 >= from - indent) return false;
  return isItem ? line.x0 < above.x0 + line.size * 0.4 && !isOpen : count > 1;
}

function rightEdge(lines: readonly PdfLine[], index: number): number {
  const around = lines.slice(Math.max(0, index - linesAround), index + linesAround + 1);
  return Math.max(0, ...around.map(({ x1 }) => x1));
}

/**
 * Returns the mark of a line that begins an item. Entries of a table of contents count as items.
 * @param last mark of the previous item
 */
function itemMarkOf(
  line: PdfLine,
  above: PdfLine | undefined,
  hasRoom: boolean,
  last: Mark | undefined,
): Mark | undefined {
  if (isContentsEntry(line)) return { markdown: '-', rest: line.text, kind: 'bullet' };
  const found = markOf(line);
  return found && beginsItem(found, line, above, hasRoom, last) ? found : undefined;
}

/** @param rows of one block */
function paragraphsOf(rows: readonly Row[], body: BodyStyle): (Paragraph | Code)[] {
  const lines = rows.map(lineOf).filter((line) => line !== undefined);
  const pieces: (Paragraph | Code)[] = [];
  let current: Paragraph | undefined;
  let code: PdfLine[] = [];
  const endCode = () => {
    if (code.length > 0) pieces.push(codeOf(code, body));
    code = [];
  };
  const begin = (
    known: Pick<Paragraph, 'text' | 'mark' | 'hasGapAbove'>,
    { x0, textX0, size, isBold }: PdfLine,
  ) => {
    if (current) current.hasGapBelow = known.hasGapAbove;
    current = {
      ...known,
      x0,
      textX0: known.mark ? textX0 : x0,
      kind: 'paragraph',
      size,
      isBold,
      lineCount: 1,
      hasGapBelow: true,
    };
    pieces.push(current);
  };
  const addCode = (line: PdfLine) => {
    const last = code.at(-1);
    if (last && line.y - last.y > body.pitch * maxCodeGap) endCode();
    current = undefined;
    code.push(line);
  };
  for (const [index, line] of lines.entries()) {
    const above = lines[index - 1];
    const hasRoom =
      above !== undefined &&
      above.x1 + widthOfWord(line) < rightEdge(lines, index - 1) - line.size * 0.4;
    const neighbours: Neighbours | undefined = current &&
      above && {
        above,
        line,
        count: current.lineCount,
        hasRoom,
        isItem: current.mark !== undefined,
      };
    if (line.isMono && !body.isMono) {
      addCode(line);
      continue;
    }
    endCode();
    const mark = itemMarkOf(line, above, hasRoom, current?.mark);
    const text = (mark ? mark.rest : line.text).replace(leaders, ' … ').trim();
    if (
      current &&
      neighbours &&
      !mark &&
      !isContentsEntry(neighbours.above) &&
      !begins(neighbours, body)
    ) {
      current.text = joinPdfLines(current.text, text);
      current.lineCount++;
    } else begin({ text, mark, hasGapAbove: !above || isGap(above, line, body) }, line);
  }
  endCode();
  return pieces;
}

/** Keeps indentation and gaps inside lines. */
function codeOf(lines: readonly PdfLine[], body: BodyStyle): Code {
  const left = Math.min(...lines.map(({ x0 }) => x0));
  const [first] = lines;
  const longest = lines.reduce(
    (best, next) => (next.text.length > best.text.length ? next : best),
    first as PdfLine,
  );
  const charWidth = Math.max(1, (longest.x1 - longest.x0) / Math.max(1, longest.text.length));
  const result: string[] = [];
  for (const [index, line] of lines.entries()) {
    const above = lines[index - 1];
    if (above && line.y - above.y > body.pitch * 1.7) result.push('');
    let text = '';
    for (const segment of line.segments) {
      const column = Math.min(200, Math.round((segment.x0 - left) / charWidth));
      text += ' '.repeat(Math.max(text === '' ? 0 : 1, column - text.length)) + segment.text;
    }
    result.push(text.trimEnd());
  }
  return { kind: 'code', lines: result };
}

/** Ratios to the body size: headings of books start at 1.15; rounding is below 1.04. */
const largeRatio = 1.14;
const slightlyLargeRatio = 1.04;
/** In characters. Stricter limits apply if only bold or capitals mark the heading. */
const maxHeadingChars = 200;
const maxBoldChars = 120;
const maxCapitalChars = 80;
/** Maximum characters of a heading that ends like a sentence. */
const maxSentenceChars = 60;

export const letterCount = (text: string) => text.match(/\p{L}/gu)?.length ?? 0;
const sentenceEnd = /[.,;:]["”’)]?$/;
const capitals = /^[^\p{Ll}]*\p{Lu}{3}[^\p{Ll}]*$/u;

/** Whether a separate line is all capitals, or is bold although the body is not. */
function isEmphasized(
  { text, isBold, lineCount, hasGapAbove, hasGapBelow }: Paragraph,
  body: BodyStyle,
): boolean {
  if (!hasGapAbove || /[.:]$/.test(text)) return false;
  if (isBold && !body.isBold) return text.length <= maxBoldChars && lineCount <= 2;
  return (
    capitals.test(text) &&
    hasGapBelow &&
    text.length <= maxCapitalChars &&
    lineCount === 1 &&
    letterCount(text) >= 6
  );
}

function isHeading(paragraph: Paragraph, body: BodyStyle): boolean {
  const { text, size, isBold, mark } = paragraph;
  if (text.length > maxHeadingChars || letterCount(text) < 2) return false;
  if (mark && (mark.kind === 'bullet' || mark.kind === 'dash')) return false;
  const isStatement =
    sentenceEnd.test(text) && (text.length > maxSentenceChars || /[;,]$/.test(text));
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

/** Maximum elements (notes, a table) between two parts of a paragraph. */
const maxBetween = 8;
/**
 * Shares of the font size: footnotes are below the first; differences below the second are
 * rounding.
 */
const noteRatio = 0.93;
const maxSizeDifference = 0.06;
const isOpen = (text: string) =>
  !/[.!?:;…。！？|]["'”’)\]]*[⁰¹²³⁴-⁹\d]{0,2}$/u.test(text) || /\p{Ll}-$/u.test(text);
const continuationStart = /^[\p{Ll}\p{Lo}(,;&–—]/u;

/** Whether a paragraph is unfinished and the next one continues it. */
const continuesParagraph = (before: Paragraph, paragraph: Paragraph): boolean =>
  isOpen(before.text) &&
  Math.abs(before.size - paragraph.size) <= paragraph.size * maxSizeDifference &&
  (continuationStart.test(paragraph.text) || before.text.endsWith('-'));

/** Returns the unfinished paragraph that the first paragraph of a block continues. */
function continuedParagraph(
  paragraph: Paragraph,
  elements: readonly Element[],
  page: number,
): (Paragraph & { page: number }) | undefined {
  if (paragraph.mark) return undefined;
  for (const before of elements.slice(-maxBetween).toReversed()) {
    if (before.kind === 'heading' || page - before.page > 1) return undefined;
    const isNote = before.kind === 'paragraph' && before.size < paragraph.size * noteRatio;
    if (before.kind === 'paragraph' && !isNote)
      return continuesParagraph(before, paragraph) ? before : undefined;
  }
  return undefined;
}

function tableOf({
  rows: cells,
  columnX0,
}: Extract<PdfBlock, { kind: 'table' }>): Table | undefined {
  const textOf = (cell: readonly Row[]) =>
    cell
      .flatMap((row) => lineOf(row) ?? [])
      .reduce((text, line) => joinPdfLines(text, line.text), '');
  const rows = cells.map((row) => row.map(textOf)).filter((row) => row.some((text) => text !== ''));
  const used = (rows[0] ?? []).flatMap((_, column) =>
    rows.some((row) => row[column] !== '') ? [column] : [],
  );
  if (used.length === 0) return undefined;
  return {
    kind: 'table',
    rows: rows.map((row) => used.map((column) => row[column] ?? '')),
    columnX0: used.map((column) => columnX0[column] ?? 0),
  };
}

export function pdfElementsOf(pages: readonly PageLayout[], body: BodyStyle): Element[] {
  const elements: Element[] = [];
  const add = (piece: Table | Paragraph | Code | undefined, page: number, isFirst = false) => {
    if (piece?.kind === 'paragraph' && isHeading(piece, body)) addHeading(elements, piece, page);
    else if (piece) {
      const before =
        isFirst && piece.kind === 'paragraph'
          ? continuedParagraph(piece, elements, page)
          : undefined;
      if (before && piece.kind === 'paragraph') before.text = joinPdfLines(before.text, piece.text);
      else elements.push({ ...piece, page });
    }
  };
  for (const [page, block] of pages.flatMap(({ number, blocks }) =>
    blocks.map((block) => [number, block] as const),
  )) {
    if (block.kind === 'table') add(tableOf(block), page);
    else
      for (const [index, piece] of paragraphsOf(block.rows, body).entries())
        add(piece, page, index === 0);
  }
  return elements;
}

/** Adds a heading, or a further line to the previous one. */
function addHeading(
  elements: Element[],
  { text, mark, size, isBold, hasGapAbove }: Paragraph,
  page: number,
): void {
  const whole = mark ? `${mark.kind === 'letter' ? '' : `${mark.markdown} `}${text}` : text;
  const last = elements.at(-1);
  const continues =
    last?.kind === 'heading' &&
    last.page === page &&
    !hasGapAbove &&
    !mark &&
    last.isBold === isBold &&
    Math.abs(last.size - size) < 0.3;
  if (continues) last.text = joinPdfLines(last.text, whole);
  else elements.push({ kind: 'heading', text: whole, size, isBold, page });
}
