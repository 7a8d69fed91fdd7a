/**
 * Paragraphs and tables of a Word document → HTML that fits Markdown: one-line cells, no spans.
 * Layout tables become paragraphs.
 */
import type { Label } from './computed-text.ts';

/** Text with uniform formatting. */
export interface DocxRun {
  readonly text: string;
  /** Opening tags without brackets, outermost first: `a href="…"`, `code`, `strong`, `em`. */
  readonly tags: readonly string[];
}

export type DocxParagraph = Readonly<{
  kind: 'paragraph';
  role: 'heading' | 'item' | 'code' | 'quote' | 'text';
  /** Heading level from 1, or nesting depth of an item from 0. */
  level: number;
  label: Label | undefined;
  runs: readonly DocxRun[];
}>;

export interface DocxCell {
  readonly columns: number;
  /** Vertically merged with the cell above. */
  readonly isContinued: boolean;
  readonly blocks: DocxBlock[];
}

export interface DocxTable {
  readonly kind: 'table';
  readonly rows: { readonly isHeader: boolean; readonly cells: readonly DocxCell[] }[];
}

/** `import`: HTML of a part that the document imports. */
export type DocxBlock = DocxParagraph | DocxTable | Readonly<{ kind: 'import'; html: string }>;

const plain = (text: string): DocxRun => ({ text, tags: [] });
export const textOfRuns = (runs: readonly DocxRun[]) => runs.map(({ text }) => text).join('');
/** Label of an item outside a list. */
export const labelText = (label: Label | undefined): string =>
  !label || label.kind === 'bullet' ? '' : `${label.text} `;

export function docxTextOf(block: DocxBlock): string {
  if (block.kind === 'import') return block.html;
  if (block.kind === 'paragraph') return labelText(block.label) + textOfRuns(block.runs);
  return block.rows.flatMap(({ cells }) => cells.map(textOfCell)).join(' ');
}
const textOfCell = ({ blocks }: DocxCell) => blocks.map(docxTextOf).join(' ');
const isBlank = (cell: DocxCell) => textOfCell(cell).trim() === '';

const isBold = (block: DocxBlock | undefined) =>
  block?.kind === 'paragraph' &&
  labelText(block.label) === '' &&
  docxTextOf(block).trim() !== '' &&
  block.runs.every(({ text, tags }) => !text.trim() || tags.includes('strong'));

/** All paragraphs, including those in table cells. */
export const paragraphsIn = (blocks: readonly DocxBlock[]): DocxParagraph[] =>
  blocks.flatMap((block) => {
    if (block.kind === 'table')
      return paragraphsIn(block.rows.flatMap(({ cells }) => cells.flatMap((cell) => cell.blocks)));
    return block.kind === 'import' || docxTextOf(block).trim() === '' ? [] : [block];
  });

/** Joins paragraphs and line breaks of a cell into one line. */
const inOneLine = (paragraphs: readonly DocxParagraph[]) =>
  paragraphs.flatMap(({ label, runs }, index) => {
    const before = paragraphs[index - 1];
    const isEnded = before && /[.,:;!?]$/.test(docxTextOf(before).trimEnd());
    return [
      plain(before ? (isEnded ? ' ' : '; ') : ''),
      plain(labelText(label)),
      ...runs.map(({ text, tags }) => ({ text: text.replaceAll('\n', ' '), tags })),
    ];
  });

/** Whether a table only serves layout. */
export function isFrame(rows: DocxTable['rows']): boolean {
  const filled = rows.map(({ cells }) => cells.filter((cell) => !isBlank(cell)));
  return (
    filled.every((cells) => cells.length <= 1) ||
    // A wider table is page layout. Also limits the cost of column spans.
    rows.some(({ cells }) => cells.reduce((sum, { columns }) => sum + columns, 0) > 60)
  );
}

// Writes HTML in segments, because the DOM of a whole book needs too much memory. A gap in list
// numbers starts a new list.

export const escapeHtml = (text: string) =>
  text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
const closing = (tags: readonly string[]) =>
  tags.reduce((html, tag) => `</${tag.split(' ', 1)[0]}>${html}`, '');

/** Runs with their tags; white space moves outside emphasis. */
function inlineHtml(runs: readonly DocxRun[], lineBreak = '<br>') {
  let html = '';
  let space = '';
  let open: readonly string[] = [];
  const written = (text: string) => escapeHtml(text).replaceAll('\n', lineBreak);
  for (const { text, tags } of runs) {
    const middle = text.trim();
    const start = text.length - text.trimStart().length;
    space += text.slice(0, start);
    if (!middle) continue;
    const differs = tags.findIndex((tag, index) => tag !== open[index]);
    const shared = differs < 0 ? tags.length : differs;
    const opened = tags.slice(shared).reduce((before, tag) => `${before}<${tag}>`, '');
    html += closing(open.slice(shared)) + written(space) + opened + written(middle);
    space = text.slice(start + middle.length);
    open = tags;
  }
  return html + closing(open) + written(space);
}

/** Removes code tags if the whole element is code. */
const withoutCode = (runs: readonly DocxRun[]) =>
  runs.map(({ text, tags }) => ({ text, tags: tags.filter((tag) => tag !== 'code') }));

function tableHtml(rows: DocxTable['rows']) {
  const heads = Math.max(
    1,
    rows.findIndex(({ isHeader }) => !isHeader),
  );
  let above: readonly string[] = [];
  const written = rows.map(({ cells }, index) => {
    const tag = index < heads ? 'th' : 'td';
    const texts: string[] = [];
    const html = cells.map(({ blocks, columns, isContinued }) => {
      const continued = isContinued ? above[texts.length] : undefined;
      const text = continued ?? inlineHtml(inOneLine(paragraphsIn(blocks)));
      texts.push(...Array<string>(columns).fill(text));
      return `<${tag} colspan="${columns}">${text}</${tag}>`;
    });
    above = texts;
    return `<tr>${html.join('')}</tr>`;
  });
  written.splice(heads, 0, '</thead><tbody>');
  return `<table><thead>${written.join('')}</tbody></table>`;
}

interface List {
  readonly tag: 'ol' | 'ul';
  next: number;
}

class HtmlWriter {
  readonly #parts: string[] = [];
  readonly #lists: List[] = [];
  /** Element around consecutive paragraphs of one kind. */
  #group: 'pre' | 'blockquote' | undefined;
  #chars = 0;

  #put(html: string) {
    this.#parts.push(html);
    this.#chars += html.length;
  }

  #closeLists(depth: number) {
    while (this.#lists.length > depth) this.#put(`</li></${this.#lists.pop()?.tag}>`);
  }

  #close() {
    this.#closeLists(0);
    if (this.#group) this.#put(`</${this.#group}>`);
    this.#group = undefined;
  }

  #openList(tag: List['tag'], number: number) {
    this.#lists.push({ tag, next: number + 1 });
    this.#put(`<${tag}${tag === 'ol' && number !== 1 ? ` start="${number}"` : ''}><li>`);
  }

  #item({ label, level, runs }: DocxParagraph) {
    if (this.#lists.length === 0) this.#close();
    const tag = label?.kind === 'number' ? 'ol' : 'ul';
    const number = label?.kind === 'number' ? label.value : 1;
    this.#closeLists(level + 1);
    const list = this.#lists[level];
    if (list && list.tag === tag && (tag === 'ul' || list.next === number)) {
      this.#put('</li><li>');
      list.next = number + 1;
    } else {
      this.#closeLists(level);
      while (this.#lists.length < level) this.#openList('ul', 1);
      this.#openList(tag, number);
    }
    this.#put(escapeHtml(label?.kind === 'text' ? labelText(label) : '') + inlineHtml(runs));
  }

  /** Appends a paragraph to the open element, or opens one. */
  #appendToGroup(around: 'pre' | 'blockquote', runs: readonly DocxRun[]) {
    const continues = this.#group === around;
    if (!continues) {
      this.#close();
      this.#put(`<${around}>`);
      this.#group = around;
    }
    if (around === 'blockquote') this.#put(`<p>${inlineHtml(runs)}</p>`);
    else this.#put((continues ? '\n' : '') + inlineHtml(withoutCode(runs), '\n'));
  }

  write(block: DocxBlock) {
    if (block.kind === 'table') this.#table(block);
    else if (block.kind === 'import') {
      this.#close();
      this.#put(block.html);
    } else if (block.role === 'item') this.#item(block);
    else if (block.role === 'code') this.#appendToGroup('pre', block.runs);
    else if (block.role === 'quote') this.#appendToGroup('blockquote', block.runs);
    else {
      this.#close();
      // HTML has six levels.
      const tag = block.role === 'heading' ? `h${Math.min(block.level, 6)}` : 'p';
      this.#put(`<${tag}>${inlineHtml(block.runs)}</${tag}>`);
    }
  }

  #table(table: DocxTable) {
    const rows = table.rows.filter(({ cells }) => cells.some((cell) => !isBlank(cell)));
    if (isFrame(rows)) {
      for (const { blocks } of rows.flatMap(({ cells }) => cells))
        for (const block of blocks) this.write(block);
      return;
    }
    this.#close();
    this.#put(tableHtml(rows));
  }

  get isFull() {
    // Minimum HTML characters per segment; a segment never ends inside a list. Its DOM takes about
    // 10 MB.
    return this.#chars >= 100_000 && this.#lists.length === 0 && this.#group === undefined;
  }

  /** Closes and returns the current segment. */
  flush() {
    this.#close();
    this.#chars = 0;
    return this.#parts.splice(0).join('');
  }
}

/** In a document without headings, treats short bold lines between paragraphs as headings. */
function withBoldHeadings(blocks: readonly DocxBlock[]): DocxBlock[] {
  return blocks.map((block, index) => {
    const next = blocks[index + 1];
    const text = docxTextOf(block).trim();
    const isHeading =
      block.kind === 'paragraph' &&
      block.role !== 'item' &&
      isBold(block) &&
      // Longer bold lines are sentences.
      text.length <= 100 &&
      !/[.,;:]$/.test(text) &&
      next &&
      !isBold(next);
    return isHeading ? { ...block, role: 'heading', level: 2, runs: [plain(text)] } : block;
  });
}

export function* htmlOf(blocks: readonly DocxBlock[], hasHeadings: boolean): Generator<string> {
  const writer = new HtmlWriter();
  for (const block of hasHeadings ? blocks : withBoldHeadings(blocks)) {
    writer.write(block);
    if (writer.isFull) yield writer.flush();
  }
  yield writer.flush();
}
