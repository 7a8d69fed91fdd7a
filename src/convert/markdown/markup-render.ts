/**
 * The stream of markup → Markdown that a reader sees: tags become Markdown or go, hidden elements go with their content. What is in an
 * element is gathered and written into the element around it when it ends, without the indentation that it had for the element's sake. Code
 * stays a mark.
 */
import { type Cell, cellText, gridOf, joinLines, writeDataTable } from '../data/table-markdown.ts';
import { entriesOf, inlineText, type Lead, leadOf } from './components.ts';
import { decodeAll } from './entities.ts';
import { blockElements, codeSpan, headingLine, isHidden, listItem, optionalEnd, type Role, roleOf, wrapInline } from './markup-elements.ts';
import { codeMark, type Scanned, type Token } from './markup-scan.ts';

type Opening = Extract<Token, { kind: 'open' }>;

interface Frame {
  readonly name: string;
  readonly role: Role | 'component';
  readonly attributes: ReadonlyMap<string, string>;
  /** Of its tag, where that begins a line. */
  readonly column: number;
  /** What a component says before its content. */
  readonly lead: Lead | undefined;
  readonly parts: string[];
  /** How the line begins that is being written. */
  line: string;
  /** Items of a list. */
  count: number;
  readonly rows: Cell<string>[][];
  /** Of a description list: what the next description is about. */
  term: string;
}

/** Deeper elements lose their tags only. */
const maxDepth = 60;
/** As much of a line as is looked at. */
const maxLineChars = 100;
const holdsParagraphs = /\S\s*\n[ \t]*\n\s*\S/;
const isCode = /^(?:code|tt|samp|kbd)$/;
const startsBlock = /^(?:[-*+>]\s|[|#]|\d{1,9}[.)]\s|:::)/;
/** A line that a line break would end: a row of a table, a heading. */
const isOneLineOnly = /^\s*(?:\||#{1,6}\s)/;
const listMarker = /^(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
const spanOf = (attributes: ReadonlyMap<string, string>, key: string) => Number.parseInt(attributes.get(key) ?? '1', 10) || 1;
const widthOf = (white: string) => white.replaceAll('\t', '    ').length;

/** Code inside of code, or in a line of its own. */
const withoutFence = (code: string) => code.replace(/^[`~]{3,}[^\n]*\n|\n[`~]{3,}$|^`+ ?| `+$|(?<!`)`+$/g, '');

/** The content of an element at column 0. Columns mean something below an item of a list; elsewhere they are their author's. */
function outdented(text: string): string {
  const [first = '', ...lines] = text.split('\n');
  let outer: number | undefined;
  let isInList = false;
  const moved = lines.map((line) => {
    const content = line.trimStart();
    if (content === '') return '';
    const indent = widthOf(line.slice(0, line.length - content.length));
    outer ??= indent;
    if (listMarker.test(content)) isInList = true;
    else if (indent <= outer) isInList = false;
    return isInList ? ' '.repeat(Math.max(0, indent - outer)) + content : content;
  });
  return [first.trim(), ...moved].join('\n').trim();
}

const frameOf = (name: string, role: Frame['role'], attributes: Frame['attributes'], column = 0, lead?: Lead): Frame => {
  return { name, role, attributes, column, lead, parts: [], line: '', count: 0, rows: [], term: '' };
};

class MarkupRenderer {
  readonly #codeOf: (number: string | undefined) => string;
  readonly #root = frameOf('', 'none', new Map());
  readonly #frames = [this.#root];
  /** Elements beyond the depth, whose end tags end nothing. */
  readonly #beyondByName = new Map<string, number>();
  /** A component that says nothing by itself has ended on the line that it began: where nothing follows on it, it was a paragraph. */
  #isAfterLine = false;

  constructor(codes: readonly string[]) {
    this.#codeOf = (number) => codes[Number(number)] ?? '';
  }

  get markdown(): string {
    while (this.#frames.length > 1) this.#finish();
    return this.#root.parts.join('');
  }

  render(token: Token): void {
    if (token.kind === 'open') this.#open(token);
    else if (token.kind === 'close') this.#close(token.name);
    else if (this.#isHidden) return;
    else if (this.#isAfterLine && /^[ \t]*(?:\n|$)/.test(token.value)) this.#write(`\n${token.value}`);
    else this.#write(token.value);
  }

  get #frame(): Frame {
    return this.#frames.at(-1) ?? this.#root;
  }

  get #isHidden(): boolean {
    return this.#frames.some((frame) => frame.role === 'skip');
  }

  get #isOneLine(): boolean {
    return isOneLineOnly.test(this.#frame.line);
  }

  #write(text: string): void {
    const frame = this.#frame;
    // Where something was dropped, the spaces around it are one.
    this.#isAfterLine = false;
    const written = /[ \n]$/.test(frame.parts.at(-1) ?? '') ? text.replace(/^ +/, '') : text;
    if (written === '') return;
    const lineStart = written.lastIndexOf('\n') + 1;
    frame.parts.push(written);
    frame.line = (lineStart > 0 ? '' : frame.line) + written.slice(lineStart, lineStart + maxLineChars);
    if (frame.line.length > 2 * maxLineChars) frame.line = frame.line.slice(0, maxLineChars);
  }

  /** Ends the paragraph. */
  #endParagraph(): void {
    this.#write(this.#isOneLine ? ' ' : '\n\n');
  }

  /** Lines of their own. */
  #writeBlock(text: string, column = 0): void {
    if (text === '') this.#endParagraph();
    else if (this.#isOneLine) this.#write(` ${joinLines(text)} `);
    else this.#write(`\n\n${text.replace(/^(?=[^\n])/gm, ' '.repeat(column))}\n\n`);
  }

  #nearest(role: Role): Frame | undefined {
    return this.#frames.findLast((frame) => frame.role === role);
  }

  #plain(value: string): string {
    return value.replace(codeMark, (_, number) => withoutFence(this.#codeOf(number)));
  }

  #inOneLine(value: string): string {
    return value.replace(codeMark, (mark, number) => (this.#codeOf(number).includes('\n') ? codeSpan(this.#plain(mark).trim()) : mark));
  }

  #push(name: string, role: Frame['role'], attributes: Frame['attributes'], lead?: Lead): void {
    const { line } = this.#frame;
    const isPlaced = line.trim() === '' && role !== 'captured' && role !== 'table';
    const frame = frameOf(name, role, attributes, isPlaced ? widthOf(line) : 0, lead);
    if (this.#isOneLine) frame.line = line;
    this.#frames.push(frame);
  }

  #finish(): void {
    const frame = this.#frames.length > 1 ? this.#frames.pop() : undefined;
    if (frame === undefined) return;
    const { name, role, attributes, column } = frame;
    const inner = frame.parts.join('');
    if (role === 'skip') return;
    if (role === 'wrapped' && !holdsParagraphs.test(inner))
      this.#write(wrapInline(name, attributes, isCode.test(name) ? this.#plain(inner) : inner));
    else if (role === 'captured') this.#finishCaptured(frame, outdented(inner).replace(/\n{3,}/g, '\n\n'));
    else if (role === 'table') this.#finishTable(frame, outdented(inner));
    else if (role === 'component') this.#finishComponent(frame, inner);
    else this.#writeBlock(outdented(inner), column);
  }

  /** What it says by itself, and its content on the same line where that is text. */
  #finishComponent({ lead, column }: Frame, inner: string): void {
    if (lead === undefined && !inner.includes('\n')) {
      this.#write(inner);
      this.#isAfterLine = true;
      return;
    }
    const { line = '', glue, texts = [], isItem = false } = lead ?? {};
    const content = [...texts, outdented(inner)].filter((text) => text !== '').join('\n\n');
    const code = /^\ufdd0(\d+)/.exec(content)?.[1];
    const isApart = glue === undefined || startsBlock.test(content) || this.#codeOf(code).includes('\n');
    const text = [line, content].filter((part) => part !== '').join(isApart ? '\n\n' : glue);
    this.#writeBlock(isItem ? text.replace(/\n(?=[^\n])/g, '\n  ') : text, column);
  }

  #finishTable({ rows }: Frame, inner: string): void {
    this.#writeBlock(inner);
    const grid = gridOf(rows, (content, where) => (where === 'below' ? content : '')).filter((row) => row.some((cell) => cell !== ''));
    this.#writeBlock(grid.some((row) => row.length > 1) ? writeDataTable(grid) : grid.join('\n\n').replaceAll('\\|', '|'));
  }

  #finishCaptured(frame: Frame, inner: string): void {
    const { name, attributes } = frame;
    if (name === 'td' || name === 'th') this.#finishCell(attributes, inner);
    else if (inner === '') return;
    else if (name === 'li') this.#writeBlock(listItem(this.#nextMarker(), inner));
    else if (name === 'dt' || name === 'dd') this.#finishDescription(frame, inner);
    else if (name === 'blockquote') this.#writeBlock(inner.replace(/^/gm, '> '));
    else if (/^h\d$/.test(name)) this.#writeBlock(headingLine(Number(name.slice(1)), this.#inOneLine(inner), attributes.get('id')));
    else this.#writeBlock(this.#bold(inner));
  }

  #bold(text: string): string {
    return `**${joinLines(this.#inOneLine(text)).replaceAll('**', '')}**`;
  }

  #finishCell(attributes: Frame['attributes'], inner: string): void {
    const rows = this.#nearest('table')?.rows;
    if (rows?.length === 0) rows.push([]);
    const content = cellText(this.#inOneLine(inner));
    rows?.at(-1)?.push({ content, columns: spanOf(attributes, 'colspan'), rows: spanOf(attributes, 'rowspan') });
  }

  #nextMarker(): string {
    const list = this.#nearest('list');
    return list?.name === 'ol' ? `${(Number.parseInt(list.attributes.get('start') ?? '1', 10) || 1) + list.count++}.` : '-';
  }

  #finishDescription({ name }: Frame, inner: string): void {
    const list = this.#frames.findLast((frame) => frame.name === 'dl');
    if (name === 'dd') this.#writeBlock(list?.term ? listItem('-', `**${list.term}**: ${inner}`) : inner);
    else if (list) list.term = joinLines(inner).replaceAll('**', '');
    else this.#writeBlock(this.#bold(inner));
  }

  #open(token: Opening): void {
    const { name, attributes, isEmpty } = token;
    const role = /^[a-z][a-z0-9]*$/.test(name) ? roleOf(name) : 'component';
    const isDropped = this.#isHidden || isHidden(attributes) || role === 'skip';
    if (isEmpty && isDropped) return;
    if (!isDropped && optionalEnd.has(name)) this.#closeLeftOpen(name);
    const isBeyond = this.#frames.length > maxDepth && !isEmpty && (this.#isHidden || !isDropped);
    if (isBeyond) this.#beyond(name, 1);
    else if (isDropped) this.#push(name, 'skip', attributes);
    else if (role === 'component') this.#openComponent(token);
    else this.#openElement(token, role);
  }

  #openElement({ name, attributes, isEmpty }: Opening, role: Role): void {
    if (name === 'br') this.#write(this.#isOneLine ? '; ' : '\n');
    else if (name === 'img') this.#write(decodeAll(attributes.get('alt') ?? '').replace(/[[\]]/g, ''));
    else if (role === 'none' || name === 'p' || isEmpty || (this.#isOneLine && role !== 'wrapped') || !this.#isInPlace(name)) {
      if (blockElements.has(name)) this.#endParagraph();
    } else if (role === 'row') this.#nearest('table')?.rows.push([]);
    else this.#push(name, role, attributes);
  }

  /** A cell without a table around it is a line. */
  #isInPlace(name: string): boolean {
    if (/^t[dh]$/.test(name)) return this.#nearest('table') !== undefined;
    return !/^(?:li|d[dt])$/.test(name) || this.#frames.some((frame) => frame.role === 'list' || frame.name === 'dl');
  }

  /** What stands in a line and says nothing by itself leaves the line as it is. */
  #openComponent({ name, attributes, values, isEmpty }: Opening): void {
    const lead = leadOf(name, attributes, values.flatMap(entriesOf));
    const isInline = this.#frame.line.trim() !== '' || this.#isOneLine;
    if (isInline && isEmpty) this.#write(inlineText(attributes));
    else if (/^(?:Link|A)$/.test(name)) this.#push(name, 'wrapped', attributes);
    else if (!isInline && !(isEmpty && lead === undefined)) {
      this.#push(name, 'component', attributes, lead);
      if (isEmpty) this.#finish();
    }
  }

  /** A new item or cell ends the one before it. */
  #closeLeftOpen(name: string): void {
    if (name === 'p') return;
    const closes = /^(?:t[dhr]|tbody)$/.test(name) ? /^t[dh]$/ : /^d[dt]$/.test(name) ? /^d[dt]$/ : /^li$/;
    if (closes.test(this.#frame.name)) this.#finish();
  }

  /** Adds to the count of elements beyond the depth: what stands in a hidden one is counted by itself. */
  #beyond(name: string, more: number): number {
    const key = this.#isHidden ? `hidden ${name}` : name;
    const count = (this.#beyondByName.get(key) ?? 0) + more;
    this.#beyondByName.set(key, count);
    return count;
  }

  #close(name: string): void {
    const opened = this.#frames.findLastIndex((frame) => frame.name === name);
    if (this.#beyond(name, 0) > 0) this.#beyond(name, -1);
    else if (opened > 0) while (this.#frames.length > opened) this.#finish();
    else if (!this.#isHidden && blockElements.has(name)) {
      if (this.#isOneLine && name === 'li') this.#write('; ');
      else this.#endParagraph();
    }
  }
}

/** Markdown with the marks of the code in it. */
export function renderMarkup({ tokens, codes }: Scanned): string {
  const renderer = new MarkupRenderer(codes);
  for (const token of tokens) renderer.render(token);
  return renderer.markdown;
}
