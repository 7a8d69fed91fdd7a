/** Elements → Markdown with page marks, and the document's title. Signs are escaped only where a line that begins with them would be something else. */

import type { Element, Table } from './elements.ts';
import { headingLevels, sensibleTitle } from './headings.ts';

type ListItem = Extract<Element, { kind: 'paragraph' }>;

const startsMarkup = /^(?:#{1,6}(?=\s|$)|>|[-+*](?=\s)|\||`{3}|~{3}|<(?=[a-z/!?])|={3,}$|-{3,}$|\*{3,}$|_{3,}$)/i;
const startsNumber = /^(\d{1,9})([.)])(?=\s|$)/;

const escaped = (text: string): string => (startsMarkup.test(text) ? `\\${text}` : text.replace(startsNumber, '$1\\$2'));

const cell = (text: string) => text.replace(/\|/g, '\\|').replace(/\s+/g, ' ').trim();
const tableRow = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`.replace(/ {2,}/g, ' ');

function tableMarkdown({ rows, hasHeader }: Table, header: readonly string[] | undefined): string {
  const width = rows[0]?.length ?? 0;
  const head = header ?? (hasHeader ? rows[0] : undefined) ?? Array.from({ length: width }, () => '');
  const body = header || !hasHeader ? rows : rows.slice(1);
  return [tableRow(head), `|${' - |'.repeat(width)}`, ...body.map(tableRow)].join('\n');
}

/** Columns of a table that goes on begin at the same place, in points; cells may be told by their lines on one page and by their text on the other. */
const maxColumnMove = 12;

/** Whether a table, on the next page, goes on from the one before. */
const continuesTable = (table: Table, before: Element | undefined): boolean =>
  before?.kind === 'table' &&
  before.hasHeader &&
  table.columnX0.length === before.columnX0.length &&
  table.columnX0.every((x, index) => Math.abs(x - (before.columnX0[index] ?? 0)) < maxColumnMove);

function codeMarkdown(lines: readonly string[]): string {
  const longest = Math.max(0, ...lines.flatMap((line) => line.match(/`+/g)?.map((run) => run.length) ?? []));
  const fence = '`'.repeat(Math.max(3, longest + 1));
  return `${fence}\n${lines.join('\n')}\n${fence}`;
}

/** From so many pages there is a title page. */
const longDocumentPages = 5;
/** Columns begin at least so far from each other, in points; lists are indented by less. */
const minColumnShift = 90;

/** Items deeper to the right belong to the item above. */
class Nesting {
  #columnX0 = 0;
  #levels: { readonly x0: number; readonly indent: number }[] = [];

  reset(): void {
    this.#levels = [];
  }

  indentOf({ x0, columnX0, size, mark }: ListItem): string {
    // The list goes on in the next column.
    if (Math.abs(columnX0 - this.#columnX0) > minColumnShift) {
      this.#levels = this.#levels.map((level) => ({ ...level, x0: level.x0 + columnX0 - this.#columnX0 }));
      this.#columnX0 = columnX0;
    }
    while (this.#levels.length > 0 && x0 < (this.#levels.at(-1)?.x0 ?? 0) - size * 0.5) this.#levels.pop();
    const last = this.#levels.at(-1);
    const own = last && x0 <= last.x0 + size * 0.5 ? this.#levels.pop() : undefined;
    const indent = this.#levels.at(-1)?.indent ?? 0;
    this.#levels.push({ x0: own?.x0 ?? x0, indent: indent + (mark?.markdown.length ?? 1) + 1 });
    return ' '.repeat(indent);
  }
}

export interface Rendered {
  readonly markdown: string;
  /** Of the headings; undefined without one on the first page that has text. */
  readonly title: string | undefined;
}

/** @param describedTitle as the file's own description says */
export function toMarkdown(elements: readonly Element[], describedTitle: string | undefined, firstPageText = ''): Rendered {
  const headings = elements.filter((element) => element.kind === 'heading');
  const levelOf = headingLevels(headings, (elements.at(-1)?.page ?? 0) > longDocumentPages);
  const nesting = new Nesting();
  const parts: string[] = [];
  let page = 0;
  let listKind: string | undefined;
  let header: readonly string[] | undefined;
  for (const [index, element] of elements.entries()) {
    const before = elements[index - 1];
    const item = element.kind === 'paragraph' && element.mark ? element : undefined;
    if (element.page !== page) {
      page = element.page;
      parts.push(`${parts.length > 0 ? '\n\n' : ''}<!-- page ${page} -->`);
      listKind = undefined;
    }
    if (!item || listKind === undefined) nesting.reset();
    if (element.kind !== 'table') header = undefined;
    if (item) {
      const indent = nesting.indentOf(item);
      const kind = item.mark?.kind === 'number' ? 'number' : 'bullet';
      parts.push(listKind === undefined || (indent === '' && kind !== listKind) ? '\n\n' : '\n');
      if (indent === '' || listKind === undefined) listKind = kind;
      parts.push(`${indent}${item.mark?.markdown} ${escaped(item.text)}`);
      continue;
    }
    listKind = undefined;
    parts.push('\n\n');
    if (element.kind === 'heading') {
      parts.push(`${'#'.repeat(levelOf(element))} ${element.text}`);
    } else if (element.kind === 'code') parts.push(codeMarkdown(element.lines));
    else if (element.kind === 'table') {
      const known: readonly string[] | undefined = header ?? (before?.kind === 'table' ? before.rows[0] : undefined);
      header = continuesTable(element, before) && known?.join('\n') !== element.rows[0]?.join('\n') ? known : undefined;
      parts.push(tableMarkdown(element, header));
    } else parts.push(escaped(element.text));
  }
  return { markdown: parts.join(''), title: titleOf(elements, describedTitle, firstPageText) };
}

const comparable = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** The description's title where the first page says it too, else the largest text of that page, else the description's. */
function titleOf(elements: readonly Element[], describedTitle: string | undefined, firstPageText: string): string | undefined {
  const described = sensibleTitle(describedTitle);
  const firstPage = elements.filter(({ page }) => page === elements[0]?.page);
  const headings = firstPage.filter((element) => element.kind === 'heading');
  const said = `${firstPage.map((element) => ('text' in element ? element.text : '')).join(' ')} ${firstPageText}`;
  if (described && comparable(described).length > 2 && comparable(said).includes(comparable(described))) return described;
  const [first] = headings;
  const largest = headings.reduce((best, next) => (best && next.size > best.size * 1.02 ? next : best), first);
  return largest?.text ?? described;
}
