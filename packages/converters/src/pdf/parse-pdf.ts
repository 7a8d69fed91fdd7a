/**
 * PDF → Markdown with page marks. Pictures, attachments, scripts and annotations are not read, except
 * values of fields and typed notes; hidden and struck text and running lines are dropped.
 */
import { KnowledgeError } from '../../../shared/src/errors.ts';
import { writeDataTable } from '../data/table-markdown.ts';
import { fencedCode } from '../markdown/markup-elements.ts';
import { comparableText, languageTag, meaningfulTitle, type ParsedSource } from '../source.ts';
import {
  type Element,
  type HeadingElement,
  letterCount,
  type Mark,
  pdfElementsOf,
  type Table,
} from './elements.ts';
import { layoutPage } from './layout.ts';
import { bodyStyle, type PageLayout } from './page.ts';
import { markRunningLines } from './running-lines.ts';
import { openPdf } from './text.ts';

type ListItem = Extract<Element, { kind: 'paragraph' }>;

const startsMarkup =
  /^(?:#{1,6}(?=\s|$)|>|[-+*](?=\s)|\||`{3}|~{3}|<(?=[a-z/!?])|={3,}$|-{3,}$|\*{3,}$|_{3,}$)/i;
const startsNumber = /^(\d{1,9})([.)])(?=\s|$)/;

const escaped = (text: string) =>
  startsMarkup.test(text) ? `\\${text}` : text.replace(startsNumber, '$1\\$2');

const cell = (text: string) => text.replace(/\|/g, '\\|').replace(/\s+/g, ' ').trim();

/** Whether a table continues the previous one. */
const continuesTable = (table: Table, before: Element | undefined) =>
  before?.kind === 'table' &&
  table.columnX0.length === before.columnX0.length &&
  // One page may have rulings and the other none.
  table.columnX0.every((x, index) => Math.abs(x - (before.columnX0[index] ?? 0)) < 12);

const pageMark = (page: number, label = '') =>
  label === String(page) || !/^[^()<>-]{1,20}$/.test(label)
    ? `<!-- page ${page} -->`
    : `<!-- page ${page} (${label}) -->`;

/** Tracks list nesting by horizontal position. */
class Nesting {
  readonly #levels: { x0: number; indent: number }[] = [];

  indentOf({ x0, size, mark }: ListItem) {
    while (this.#levels.length > 0 && x0 < (this.#levels.at(-1)?.x0 ?? 0) - size * 0.5)
      this.#levels.pop();
    const last = this.#levels.at(-1);
    const own = last && x0 <= last.x0 + size * 0.5 ? this.#levels.pop() : undefined;
    const indent = this.#levels.at(-1)?.indent ?? 0;
    this.#levels.push({ x0: own?.x0 ?? x0, indent: indent + (mark?.markdown.length ?? 1) + 1 });
    return ' '.repeat(indent);
  }
}

type PdfHeading = Pick<HeadingElement, 'text' | 'size'>;

/** Levels by size. Sizes that differ by rounding have one level. */
function headingLevels(headings: readonly PdfHeading[]): (heading: PdfHeading) => number {
  const sizes: number[] = [];
  for (const { size } of headings.toSorted((one, other) => other.size - one.size))
    if (size < (sizes.at(-1) ?? Infinity) * 0.965) sizes.push(size);
  // Markdown has six heading levels.
  return ({ size }) => Math.min(6, sizes.findIndex((level) => size >= level * 0.965) + 1);
}

/** Writes elements with page marks. @param labels numbers printed on the pages */
function toMarkdown(elements: readonly Element[], labels: readonly string[]) {
  const headings = elements.filter((element) => element.kind === 'heading');
  const levelOf = headingLevels(headings);
  let nesting = new Nesting();
  const parts: string[] = [];
  let before: Element | undefined;
  let listKind: 'number' | 'bullet' | undefined;
  /** Header of the previous table if the current one continues it. */
  let header: readonly string[] | undefined;

  const itemOf = (item: ListItem, mark: Mark) => {
    const isFirst = listKind === undefined;
    if (isFirst) nesting = new Nesting();
    const indent = nesting.indentOf(item);
    const kind = mark.kind === 'number' ? 'number' : 'bullet';
    const isOtherList = isFirst || (indent === '' && kind !== listKind);
    if (!indent || isFirst) listKind = kind;
    return `${isOtherList ? '\n\n' : '\n'}${indent}${mark.markdown} ${escaped(item.text)}`;
  };
  const tableOf = (table: Table & Element) => {
    const known = header ?? (before?.kind === 'table' ? before.rows[0] : undefined);
    const isRepeated = known?.join('\n') === table.rows[0]?.join('\n');
    header = continuesTable(table, before) && !isRepeated ? known : undefined;
    return writeDataTable(
      (header ? [header, ...table.rows] : table.rows).map((row) => row.map(cell)),
    );
  };
  const blockOf = (element: Element) => {
    if (element.kind === 'heading') return `${'#'.repeat(levelOf(element))} ${element.text}`;
    if (element.kind === 'code') return fencedCode(element.lines.join('\n'), '');
    return element.kind === 'table' ? tableOf(element) : escaped(element.text);
  };

  for (const element of elements) {
    if (element.page !== before?.page) {
      parts.push(`${before ? '\n\n' : ''}${pageMark(element.page, labels[element.page - 1])}`);
      listKind = undefined;
    }
    if (element.kind !== 'table') header = undefined;
    const mark = element.kind === 'paragraph' ? element.mark : undefined;
    if (element.kind === 'paragraph' && mark) parts.push(itemOf(element, mark));
    else {
      listKind = undefined;
      parts.push('\n\n', blockOf(element));
    }
    before = element;
  }
  return parts.join('');
}

/**
 * The metadata title if the first page contains it, else the largest text on that page, else the
 * metadata title. @param describedTitle from the file's metadata
 */
function titleOf(elements: readonly Element[], describedTitle: string | undefined) {
  const stated = meaningfulTitle(describedTitle);
  const described = stated && letterCount(stated) >= 3 ? stated : undefined;
  const firstPage = elements.filter(({ page }) => page === elements[0]?.page);
  const headings = firstPage.filter((element) => element.kind === 'heading');
  const firstText = firstPage.map((element) => ('text' in element ? element.text : '')).join(' ');
  if (described && comparableText(firstText).includes(comparableText(described))) return described;
  const largest = headings.reduce(
    (best, next) => (best && next.size > best.size * 1.02 ? next : best),
    headings[0],
  );
  return largest?.text ?? described;
}

/**
 * @throws KnowledgeError `unsupported_media_type` (password), `ingest_failed` (damaged),
 * `empty_source`, `payload_too_large` (size, 5,000 pages)
 */
export async function parsePdf(bytes: Uint8Array): Promise<ParsedSource> {
  const pdf = await openPdf(bytes);
  const pages: PageLayout[] = [];
  try {
    for await (const { number, view } of pdf.pages) pages.push(layoutPage(view, number));
  } finally {
    await pdf.close();
  }
  const body = bodyStyle(pages);
  markRunningLines(pages, body);
  const elements = pdfElementsOf(pages, body);
  const markdown = toMarkdown(elements, pdf.labels);
  if (!markdown)
    throw new KnowledgeError(
      'empty_source',
      'The PDF contains no text. Run text recognition (OCR) on scanned pages first.',
    );
  return {
    title: titleOf(elements, pdf.info.title),
    markdown,
    language: languageTag(pdf.info.language),
    lastModified: pdf.info.modified,
  };
}
