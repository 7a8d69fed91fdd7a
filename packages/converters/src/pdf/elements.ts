/**
 * Pages → elements of the document in reading order: rows become lines of text, lines become
 * paragraphs. A paragraph ends at a wider gap, another font, an indented first line, or a line with
 * room for the next word. A paragraph that continues in another column or page, even after a table
 * or footnote, stays on its first page.
 */
import {
  type BodyStyle,
  countLetters,
  inReadingOrder,
  type PageLayout,
  type PdfTable,
  type Row,
} from './page.ts';

/** A row of body text. */
type PdfLine = NonNullable<ReturnType<typeof lineOf>>;

/** Returns a row without running segments; undefined if nothing remains. */
function lineOf(row: Row) {
  const segments = row.filter(({ isRunning }) => !isRunning);
  const [first] = segments;
  if (!first) return undefined;
  const { all, bold } = countLetters(segments, 1);
  return {
    ...first,
    text: inReadingOrder(segments.map(({ text }) => text)).join(' '),
    x1: segments.at(-1)?.x1 ?? first.x1,
    size: segments.reduce((best, next) => (next.text.length > best.text.length ? next : best)).size,
    isBold: bold > all * 0.8,
    isMono: segments.every(({ isMono }) => isMono),
    segments,
  };
}

/** Dots before a page number. */
const leaders = /\s*(?:\.\s?){4,}\s*|\s*…{2,}\s*|(?:\s\.){2,}\s*(?=\d+$)/g;

/** Whether a line is an entry of a table of contents: text, then dots, then a page number. */
const isContentsEntry = ({ text }: PdfLine) => text.search(leaders) > 0;

/** Prefixes that keep their hyphen. */
const hyphenPrefix =
  /(?:^|[\s(])(?:self|well|all|half|cross|high|low|long|short|full|part|third|first|second|one|two|three|e|non-\p{L}+)-$/iu;

/** Joins a compound that was broken at its hyphen, or a divided word. */
const joinDivided = (first: string, second: string) =>
  !/^\p{Ll}/u.test(second) || hyphenPrefix.test(first.slice(-30))
    ? first + second
    : first.slice(0, -1) + second;

const unspacedEnd = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}。、！？]$/u;
const unspacedStart = /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}。、！？]/u;

/** Joins two lines: divided words without the hyphen, other text with a space. */
function joinPdfLines(first: string, second: string) {
  if (!first || !second) return first + second;
  if (first.endsWith('\u00ad')) return first.slice(0, -1) + second;
  const startsInLetter = /^\p{L}/u.test(second);
  if (startsInLetter && /\p{L}-$/u.test(first)) return joinDivided(first, second);
  const isTied = startsInLetter
    ? /[^\s*][—/]$/.test(first) || (/\p{Lu}?\d[-–]$/u.test(first) && /^\p{Lu}/u.test(second))
    : /[\d\p{L}][-–]$/u.test(first) && /^\d/.test(second);
  const isUnspaced = unspacedEnd.test(first) && unspacedStart.test(second);
  return isTied || isUnspaced ? first + second : `${first} ${second}`;
}

export type Mark = Readonly<{
  /** As written in Markdown. */
  markdown: string;
  rest: string;
  kind: 'bullet' | 'dash' | 'number' | 'letter';
}>;

const bullet = /^([•◦▪▫■□●○◆◇►▸▶➢➤✓✔‣⁃∙·])\s*(?=\S)/u;
const dash = /^([-–—*o])\s+(?=\S)/;
const number = /^(?:(\d{1,3})([.)])|\((\d{1,3})\))\s+(?=\S)/;
const letter = /^(\(?(?:[a-z]|[ivx]{2,5}|[A-Z])[.)])\s+(?=\S)/;

function markOf({ text, markGap, size }: PdfLine): Mark | undefined {
  // In font sizes: a wider gap after a mark means a hanging indent; a space has .33.
  const isHanging = markGap > size * 0.45;
  const item = (kind: Mark['kind'], [whole]: RegExpExecArray, markdown = '-') => ({
    markdown,
    rest: text.slice(whole.length),
    kind,
  });
  const bulleted = bullet.exec(text);
  if (bulleted) return item('bullet', bulleted);
  const dashed = dash.exec(text);
  if (dashed) return dashed[1] === 'o' && !isHanging ? undefined : item('dash', dashed);
  const numbered = number.exec(text);
  const [, figure, end = ')', bracketed] = numbered ?? [];
  if (numbered) return item('number', numbered, `${Number(figure ?? bracketed)}${end}`);
  // `A. Smith` is a name unless the text has a hanging indent.
  const lettered = isHanging || !/^[A-Z]\./.test(text) ? letter.exec(text) : null;
  return lettered
    ? { markdown: '-', rest: text.replace(letter, '$1 '), kind: 'letter' }
    : undefined;
}

const endsSentence = /[.!?:;。！？][)"'”’\]]*[⁰¹²³⁴-⁹]*$/u;

export type Paragraph = Readonly<{
  kind: 'paragraph';
  mark: Mark | undefined;
  x0: number;
  size: number;
  isBold: boolean;
  hasGapAbove: boolean;
}> & { text: string; lineCount: number; hasGapBelow: boolean };

type Code = Readonly<{
  kind: 'code';
  lines: readonly string[];
}>;

const widthOfWord = (line: PdfLine) => {
  const [word = ''] = line.text.split(' ', 1);
  return ((line.x1 - line.x0) * (word.length + 1)) / Math.max(1, line.text.length);
};

/**
 * Neighbouring lines inspected for a column's right edge; the last line of a paragraph is shorter.
 */
const linesAround = 3;

function isGap(above: PdfLine, line: PdfLine, body: BodyStyle) {
  const pitch = Math.max(body.pitch * (Math.max(above.size, line.size) / body.size), line.size);
  // In body lines: smaller gaps come from vertical justification; gaps between paragraphs start at
  // 1.4.
  return line.y - above.y > pitch * 1.32 || line.y < above.y - 1;
}

/** Whether a line begins a paragraph, apart from list marks. */
function begins(
  line: PdfLine,
  above: PdfLine,
  { mark, lineCount }: Paragraph,
  hasRoom: boolean,
  body: BodyStyle,
) {
  const isOpen = !endsSentence.test(above.text) && !hasRoom;
  // Rounding is below .05; footnotes are at least .1 smaller. Bold inside a sentence is emphasis.
  const isOtherType =
    Math.abs(line.size - above.size) > line.size * 0.08 ||
    (line.isBold !== above.isBold && !isOpen);
  if (isOtherType || isGap(above, line, body)) return true;
  if (hasRoom && !/^[\p{Ll}\p{Lo}]/u.test(line.text) && !/[,–—-]$/.test(above.text)) return true;
  const from = mark && lineCount === 1 ? above.textX0 : above.x0;
  // In font sizes: first lines are indented by 1 to 2; line starts vary within .5.
  const indent = line.size * 0.8;
  if (line.x0 > from + indent) return lineCount > 1 || !isOpen;
  if (line.x0 >= from - indent) return false;
  return mark ? line.x0 < above.x0 + line.size * 0.4 && !isOpen : lineCount > 1;
}

function rightEdge(lines: readonly PdfLine[], index: number) {
  const around = lines.slice(Math.max(0, index - linesAround), index + linesAround + 1);
  return Math.max(0, ...around.map(({ x1 }) => x1));
}

/**
 * Returns the mark of a line that begins an item. Entries of a table of contents count as items. A
 * dash or number may start a line by chance.
 * @param hasRoom whether the previous line ends early
 * @param last mark of the previous item
 */
function itemMarkOf(
  line: PdfLine,
  above: PdfLine | undefined,
  hasRoom: boolean,
  last: Mark | undefined,
): Mark | undefined {
  if (isContentsEntry(line)) return { markdown: '-', rest: line.text, kind: 'bullet' };
  const mark = markOf(line);
  const isItem =
    !above ||
    hasRoom ||
    mark?.kind === 'bullet' ||
    mark?.kind === last?.kind ||
    endsSentence.test(above.text) ||
    line.y - above.y > line.size * 1.75 ||
    Math.abs(line.x0 - above.x0) > line.size * 0.8;
  return isItem ? mark : undefined;
}

/** @param rows of one block */
function paragraphsOf(rows: readonly Row[], body: BodyStyle) {
  const lines = rows.flatMap((row) => lineOf(row) ?? []);
  const pieces: (Paragraph | Code)[] = [];
  let current: Paragraph | undefined;
  let code: PdfLine[] = [];
  const endCode = () => {
    if (code.length > 0) pieces.push(codeOf(code, body));
    code = [];
  };
  const begin = (
    { x0, size, isBold }: PdfLine,
    text: string,
    mark: Mark | undefined,
    hasGapAbove: boolean,
  ) => {
    if (current) current.hasGapBelow = hasGapAbove;
    const gaps = { hasGapAbove, hasGapBelow: true };
    current = { kind: 'paragraph', text, mark, x0, size, isBold, lineCount: 1, ...gaps };
    pieces.push(current);
  };
  const addCode = (line: PdfLine) => {
    const last = code.at(-1);
    // In body lines: lines of code further apart (more than one empty line) are separate blocks.
    if (last && line.y - last.y > body.pitch * 2.6) endCode();
    current = undefined;
    code.push(line);
  };
  for (const [index, line] of lines.entries()) {
    const above = lines[index - 1];
    const hasRoom =
      above !== undefined &&
      above.x1 + widthOfWord(line) < rightEdge(lines, index - 1) - line.size * 0.4;
    if (line.isMono && !body.isMono) {
      addCode(line);
      continue;
    }
    endCode();
    const mark = itemMarkOf(line, above, hasRoom, current?.mark);
    const text = (mark ? mark.rest : line.text).replace(leaders, ' … ').trim();
    if (
      current &&
      above &&
      !mark &&
      !isContentsEntry(above) &&
      !begins(line, above, current, hasRoom, body)
    ) {
      current.text = joinPdfLines(current.text, text);
      current.lineCount++;
    } else begin(line, text, mark, !above || isGap(above, line, body));
  }
  endCode();
  return pieces;
}

/** Keeps indentation and gaps inside lines. */
function codeOf(lines: readonly PdfLine[], body: BodyStyle): Code {
  const left = Math.min(...lines.map(({ x0 }) => x0));
  const longest = lines.reduce((best, next) => (next.text.length > best.text.length ? next : best));
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

export const letterCount = (text: string) => text.match(/\p{L}/gu)?.length ?? 0;
const capitals = /^[^\p{Ll}]*\p{Lu}{3}[^\p{Ll}]*$/u;

/** Whether a separate line is all capitals, or is bold although the body is not. */
function isEmphasized(
  { text, isBold, lineCount, hasGapAbove, hasGapBelow }: Paragraph,
  body: BodyStyle,
) {
  if (!hasGapAbove || /[.:]$/.test(text)) return false;
  if (isBold && !body.isBold) return text.length <= 120 && lineCount <= 2;
  return (
    capitals.test(text) &&
    hasGapBelow &&
    text.length <= 80 &&
    lineCount === 1 &&
    letterCount(text) >= 6
  );
}

function isHeading(paragraph: Paragraph, body: BodyStyle) {
  const { text, size, isBold, mark } = paragraph;
  // Stricter limits apply if only bold or capitals mark the heading.
  if (text.length > 200 || letterCount(text) < 2) return false;
  if (mark?.kind === 'bullet' || mark?.kind === 'dash') return false;
  const isStatement = /[.,;:]["”’)]?$/.test(text) && (text.length > 60 || /[;,]$/.test(text));
  // Ratios to the body size: headings of books start at 1.15; rounding is below 1.04.
  if (size >= body.size * 1.14) return !isStatement;
  if (isStatement || !/^[\p{Lu}\p{Lo}\p{N}¿"“'(§]/u.test(text)) return false;
  if (isBold && !body.isBold && size >= body.size * 1.04) return !/[.:]$/.test(text);
  return size >= body.size * 0.9 && isEmphasized(paragraph, body);
}

export type Table = Readonly<{
  kind: 'table';
  rows: readonly (readonly string[])[];
  columnX0: readonly number[];
}>;

export interface HeadingElement {
  readonly kind: 'heading';
  text: string;
  readonly size: number;
  readonly isBold: boolean;
}

export type Element = (Paragraph | Code | Table | HeadingElement) & { readonly page: number };

const isOpen = (text: string) =>
  !/[.!?:;…。！？|]["'”’)\]]*[⁰¹²³⁴-⁹\d]{0,2}$/u.test(text) || /\p{Ll}-$/u.test(text);

/** Whether a paragraph is unfinished and the next one continues it. */
const continuesParagraph = (before: Paragraph, paragraph: Paragraph) =>
  isOpen(before.text) &&
  // Rounding.
  Math.abs(before.size - paragraph.size) <= paragraph.size * 0.06 &&
  (/^[\p{Ll}\p{Lo}(,;&–—]/u.test(paragraph.text) || before.text.endsWith('-'));

/** Returns the unfinished paragraph that the first paragraph of a block continues. */
function continuedParagraph(paragraph: Paragraph, elements: readonly Element[], page: number) {
  if (paragraph.mark) return undefined;
  // Notes or a table may separate two parts of a paragraph.
  for (const before of elements.slice(-8).toReversed()) {
    if (before.kind === 'heading' || page - before.page > 1) return undefined;
    const isNote = before.kind === 'paragraph' && before.size < paragraph.size * 0.93;
    if (before.kind === 'paragraph' && !isNote)
      return continuesParagraph(before, paragraph) ? before : undefined;
  }
  return undefined;
}

/** Returns the table, unless it is empty. */
function tablesOf({ rows: cells, columnX0 }: PdfTable): Table[] {
  const textOf = (cell: readonly Row[]) =>
    cell
      .flatMap((row) => lineOf(row) ?? [])
      .reduce((text, line) => joinPdfLines(text, line.text), '');
  const rows = cells.map((row) => row.map(textOf)).filter((row) => row.some(Boolean));
  const used = (rows[0] ?? []).flatMap((_, column) =>
    rows.some((row) => row[column] !== '') ? [column] : [],
  );
  if (used.length === 0) return [];
  return [
    {
      kind: 'table',
      rows: rows.map((row) => used.map((column) => row[column] ?? '')),
      columnX0: used.map((column) => columnX0[column] ?? 0),
    },
  ];
}

export function pdfElementsOf(pages: readonly PageLayout[], body: BodyStyle): Element[] {
  const elements: Element[] = [];
  const add = (piece: Table | Paragraph | Code, page: number, isFirst: boolean) => {
    if (piece.kind !== 'paragraph') elements.push({ ...piece, page });
    else if (isHeading(piece, body)) addHeading(elements, piece, page);
    else {
      const before = isFirst ? continuedParagraph(piece, elements, page) : undefined;
      if (before) before.text = joinPdfLines(before.text, piece.text);
      else elements.push({ ...piece, page });
    }
  };
  for (const { number, blocks } of pages)
    for (const block of blocks) {
      const pieces = block.kind === 'table' ? tablesOf(block) : paragraphsOf(block.rows, body);
      for (const [index, piece] of pieces.entries()) add(piece, number, index === 0);
    }
  return elements;
}

/** Adds a heading, or a further line to the previous one. */
function addHeading(
  elements: Element[],
  { text, mark, size, isBold, hasGapAbove }: Paragraph,
  page: number,
) {
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
