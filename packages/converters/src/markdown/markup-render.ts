/**
 * Text and tags → Markdown. An element's content is buffered without its indentation, then written
 * to its parent. Code stays masked.
 */
import {
  type Cell,
  cellText,
  expandSpans,
  joinLines,
  writeDataTable,
} from '../data/table-markdown.ts';
import {
  blockElements,
  codeSpan,
  decodeAll,
  headingLine,
  listItem,
  wrapInline,
} from './markup-elements.ts';
import { codeMark, literalText, type Scanned, type Token } from './markup-scan.ts';

// MDX components: titles, parameter lines and tables in their properties become text. Only literal
// values are read; nothing is evaluated.

export interface Lead {
  /** Text before the component's content. */
  readonly line: string;
  /** Further paragraphs. */
  readonly texts: readonly string[];
  readonly isItem: boolean;
}

const callout = /^(?:Note|Tip|Info|Warning|Caution|Danger|Important)$/;
const field = /^(?:\w*(?:Param|Field|Property|Argument|Attribute)|Prop|Option|Parameter)s?$/;
const titles = ['title', 'heading', 'label', 'header', 'question', 'summary', 'caption', 'alt'];
const texts = ['subtitle', 'description', 'answer', 'text', 'content', 'message'];
const names = ['path', 'query', 'body', 'header', 'name', 'attribute', 'id'];
const longestTitle = 300;

/** Non-empty values of these properties. */
const valuesOf = (attributes: ReadonlyMap<string, string>, keys: readonly string[]): string[] =>
  keys
    .map((key) =>
      decodeAll(attributes.get(key) ?? '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((text) => text !== '');

/**
 * Returns the text of a component's properties, if any. @param entries list items of tables in
 * property values
 */
export function leadOf(
  name: string,
  attributes: ReadonlyMap<string, string>,
  entries: readonly string[],
): Lead | undefined {
  const following = [
    ...new Set(valuesOf(attributes, texts)),
    ...(entries.length === 0 ? [] : [entries.join('\n')]),
  ];
  const [parameter] = field.test(name) ? valuesOf(attributes, names) : [];
  if (parameter !== undefined) {
    const isRequired = (attributes.get('required') ?? 'false') !== 'false';
    const details = [...valuesOf(attributes, ['type']), ...(isRequired ? ['required'] : [])];
    const note = details.length === 0 ? '' : ` (${details.join(', ')})`;
    const line = `- \`${parameter.replaceAll('`', '')}\`${note}`;
    return { line, texts: following, isItem: true };
  }
  const [written = callout.test(name) ? `${name}:` : ''] = valuesOf(
    attributes,
    name.startsWith('Tab') ? [...titles, 'value'] : titles,
  );
  const title = written.slice(0, longestTitle).replaceAll('**', '');
  if (title === '' && following.length === 0) return undefined;
  return { line: title && `**${title}**`, texts: following, isItem: false };
}

/** A table entry: its key, if any, and the text between its braces without nested braces. */
const entry =
  /(?:([\w$]{1,100})|'([^'\n]{1,100})'|"([^"\n]{1,100})")\s*:\s*\{((?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`|[^{}"'`]){0,4000})\}|\{((?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`|[^{}"'`]){0,4000})\}/g;
const member =
  /(?:^|[\s,])([\w$]{1,60}|'[^'\n]{1,60}'|"[^"\n]{1,60}")\s*:\s*("(?:[^"\\\n]|\\.){0,2000}"|'(?:[^'\\\n]|\\.){0,2000}'|`[^`$]{0,2000}`|-?\d{1,20}(?:\.\d{1,20})?|true|false)/g;
const entryNames = [
  'name',
  'property',
  'prop',
  'param',
  'parameter',
  'title',
  'label',
  'key',
  'option',
];
const descriptions = ['description', 'desc', 'details', 'content', 'text', 'answer'];
/** Members that affect only appearance or links. */
const layout =
  /^(?:href|link|url|icon|img|image|src|className|class|style|color|id|typeDescriptionLink|typeLink)$/;

function membersOf(source: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [, name = '', value = ''] of source.matchAll(member)) {
    const text = (literalText(value) ?? value).replace(/\s+/g, ' ').trim();
    if (text !== '') found.set(name.replace(/^['"]|['"]$/g, ''), text);
  }
  return found;
}

function detailOf(name: string, value: string): string | undefined {
  if (layout.test(name) || value === 'false') return undefined;
  if (value === 'true') return name;
  return name === 'type' ? value : `${name} ${value}`;
}

function entryLine(key: string, source: string): string | undefined {
  const members = membersOf(source);
  const named = key === '' ? entryNames.find((name) => members.has(name)) : undefined;
  const described = descriptions.find((name) => members.has(name)) ?? '';
  const label = named === undefined ? key : (members.get(named) ?? '');
  if (label === '' || members.size < (named === undefined ? 1 : 2)) return undefined;
  const others = [...members].filter(([name]) => name !== named && name !== described);
  const details = others
    .map(([name, value]) => detailOf(name, value))
    .filter((detail) => detail !== undefined);
  const shown = /^[\w$.[\]-]+$/.test(label) ? `\`${label}\`` : `**${label.replaceAll('**', '')}**`;
  const description = members.get(described) ?? '';
  const note = details.length === 0 ? '' : ` (${details.join(', ')})`;
  return `- ${shown}${note}${description === '' ? '' : `: ${description}`}`;
}

/** Returns list items for a table in a value's source; empty for other values. */
export function entriesOf(expression: string): string[] {
  if (!/^\s*[[{]/.test(expression)) return [];
  const lines: string[] = [];
  for (const match of expression.trim().slice(1).matchAll(entry)) {
    const line = entryLine(match[1] ?? match[2] ?? match[3] ?? '', match[4] ?? match[5] ?? '');
    if (line !== undefined) lines.push(line);
  }
  return lines;
}

type Opening = Extract<Token, { kind: 'open' }>;

interface Frame {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** Column of the tag, if it starts a line. */
  readonly column: number;
  readonly lead: Lead | undefined;
  readonly parts: string[];
  /** Start of the current line. */
  line: string;
  /** List items so far. */
  count: number;
  readonly rows: Cell<string>[][];
}

/** Deeper elements lose their tags. */
const maxDepth = 60;
/** Characters of a line inspected. */
const maxLineChars = 100;
const holdsParagraphs = /\S\s*\n[ \t]*\n\s*\S/;
/** Table rows and headings must stay on one line. */
const isOneLineOnly = /^\s*(?:\||#{1,6}\s)/;
const listMarker = /^(?:[-*+]|\d{1,9}[.)])(?:\s|$)/;
const wrapped = /^(?:b|strong|i|em|code|tt|samp|kbd|var|q|a|sup|sub|A|Link)$/;
const captured = /^(?:h[1-6]|li|blockquote|summary|legend|caption|dt|dd|td|th)$/;
const isList = /^(?:ul|ol|menu)$/;
const isComponent = (name: string) => !/^[a-z][a-z0-9]*$/.test(name);
const widthOf = (white: string) => white.replaceAll('\t', '    ').length;

/** Returns code without fence or backticks, for use inside other code or on one line. */
const withoutFence = (code: string) =>
  code.replace(/^[`~]{3,}[^\n]*\n|\n[`~]{3,}$|^`+ ?| `+$|(?<!`)`+$/g, '');

/** Moves an element's content to column 0. Keeps indentation only inside list items. */
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

const frameOf = (
  name: string,
  attributes: Frame['attributes'],
  column = 0,
  lead?: Lead,
  line = '',
): Frame => {
  return { name, attributes, column, lead, parts: [], line, count: 0, rows: [] };
};

class MarkupRenderer {
  readonly #codes: readonly string[];
  readonly #root = frameOf('', new Map());
  readonly #frames = [this.#root];

  constructor(codes: readonly string[]) {
    this.#codes = codes;
  }

  #top() {
    return this.#frames.at(-1) ?? this.#root;
  }

  #isOneLine() {
    return isOneLineOnly.test(this.#top().line);
  }

  #nearest(names: RegExp) {
    return this.#frames.findLast(({ name }) => names.test(name));
  }

  #plain(value: string) {
    return value.replace(codeMark, (_, number) => withoutFence(this.#codes[number] ?? ''));
  }

  #inOneLine(value: string) {
    return value.replace(codeMark, (mark, number) =>
      this.#codes[number]?.includes('\n') ? codeSpan(this.#plain(mark).trim()) : mark,
    );
  }

  #bold(text: string) {
    return `**${joinLines(this.#inOneLine(text)).replaceAll('**', '')}**`;
  }

  #write(text: string) {
    const frame = this.#top();
    // Removing an element must not leave two spaces.
    const written = /[ \n]$/.test(frame.parts.at(-1) ?? '') ? text.replace(/^ +/, '') : text;
    if (written === '') return;
    const lineStart = written.lastIndexOf('\n') + 1;
    frame.parts.push(written);
    frame.line =
      (lineStart > 0 ? '' : frame.line) + written.slice(lineStart, lineStart + maxLineChars);
    if (frame.line.length > 2 * maxLineChars) frame.line = frame.line.slice(0, maxLineChars);
  }

  #endParagraph() {
    this.#write(this.#isOneLine() ? ' ' : '\n\n');
  }

  #writeBlock(text: string, column = 0) {
    if (text === '') this.#endParagraph();
    else if (this.#isOneLine()) this.#write(` ${joinLines(text)} `);
    else this.#write(`\n\n${text.replace(/^(?=[^\n])/gm, ' '.repeat(column))}\n\n`);
  }

  #finishCell({ attributes }: Frame, inner: string) {
    const rows = this.#nearest(/^table$/)?.rows;
    if (rows?.length === 0) rows.push([]);
    const spanOf = (key: string) => Number.parseInt(attributes.get(key) ?? '1', 10) || 1;
    rows?.at(-1)?.push({
      content: cellText(this.#inOneLine(inner)),
      columns: spanOf('colspan'),
      rows: spanOf('rowspan'),
    });
  }

  #finishItem(inner: string) {
    const list = this.#nearest(isList);
    const start = Number.parseInt(list?.attributes.get('start') ?? '1', 10) || 1;
    this.#writeBlock(listItem(list?.name === 'ol' ? `${start + list.count++}.` : '-', inner));
  }

  #finishCaptured(frame: Frame, inner: string) {
    const { name, attributes } = frame;
    if (/^t[dh]$/.test(name)) this.#finishCell(frame, inner);
    else if (inner === '') return;
    else if (name === 'li') this.#finishItem(inner);
    else if (name === 'dd') this.#writeBlock(inner);
    else if (name === 'blockquote') this.#writeBlock(inner.replace(/^/gm, '> '));
    else if (/^h\d$/.test(name))
      this.#writeBlock(
        headingLine(Number(name.slice(1)), this.#inOneLine(inner), attributes.get('id')),
      );
    else this.#writeBlock(this.#bold(inner));
  }

  #finishTable({ rows }: Frame, inner: string) {
    this.#writeBlock(inner);
    const grid = expandSpans(rows, (content, where) => (where === 'below' ? content : '')).filter(
      (row) => row.some((cell) => cell !== ''),
    );
    this.#writeBlock(
      grid.some((row) => row.length > 1)
        ? writeDataTable(grid)
        : grid.join('\n\n').replaceAll('\\|', '|'),
    );
  }

  #finishComponent({ lead, column }: Frame, inner: string) {
    const { line = '', texts = [], isItem = false } = lead ?? {};
    const text = [line, ...texts, outdented(inner)].filter((part) => part !== '').join('\n\n');
    if (lead === undefined && !inner.includes('\n')) this.#write(inner);
    else this.#writeBlock(isItem ? text.replace(/\n(?=[^\n])/g, '\n  ') : text, column);
  }

  #finish() {
    const frame = this.#frames.length > 1 ? this.#frames.pop() : undefined;
    if (frame === undefined) return;
    const { name, attributes, column } = frame;
    const inner = frame.parts.join('');
    if (wrapped.test(name) && !holdsParagraphs.test(inner))
      this.#write(
        wrapInline(
          name,
          attributes,
          /^(?:code|tt|samp|kbd)$/.test(name) ? this.#plain(inner) : inner,
          this.#top().parts.at(-1) ?? '',
        ),
      );
    else if (captured.test(name))
      this.#finishCaptured(frame, outdented(inner).replace(/\n{3,}/g, '\n\n'));
    else if (name === 'table') this.#finishTable(frame, outdented(inner));
    else if (isComponent(name)) this.#finishComponent(frame, inner);
    else this.#writeBlock(outdented(inner), column);
  }

  #push({ name, attributes }: Opening, lead?: Lead) {
    const { line } = this.#top();
    const isPlaced = line.trim() === '' && !captured.test(name) && name !== 'table';
    const column = isPlaced ? widthOf(line) : 0;
    const kept = this.#isOneLine() ? line : '';
    this.#frames.push(frameOf(name, attributes, column, lead, kept));
  }

  /** Closes a list item or cell whose end tag is missing. */
  #closeLeftOpen(name: string) {
    const closes = [/^t[dh]$/, /^d[dt]$/, /^li$/].find((names) => names.test(this.#top().name));
    const isNext = closes?.test(name) || (/^t(?:r|body)$/.test(name) && closes?.test('td'));
    if (isNext) this.#finish();
  }

  #openComponent(tag: Opening) {
    const lead = leadOf(tag.name, tag.attributes, tag.values.flatMap(entriesOf));
    const isInline = this.#top().line.trim() !== '' || this.#isOneLine();
    if (isInline && tag.isEmpty) this.#write(lead?.line.replace(/^- |\*\*/g, '') ?? '');
    else if (wrapped.test(tag.name)) this.#push(tag);
    else if (!isInline && (!tag.isEmpty || lead !== undefined)) {
      this.#push(tag, lead);
      if (tag.isEmpty) this.#finish();
    }
  }

  /** Whether a cell or list item has the parent that it requires. */
  #isInPlace(name: string) {
    return /^t[dh]$/.test(name)
      ? this.#nearest(/^table$/) !== undefined
      : name !== 'li' || this.#nearest(isList) !== undefined;
  }

  #keepsFrame(name: string) {
    if (wrapped.test(name) || this.#isOneLine() || !this.#isInPlace(name))
      return wrapped.test(name);
    return blockElements.has(name) && !/^(?:p|hr|colgroup|t(?:body|foot|head))$/.test(name);
  }

  #open(tag: Opening) {
    const { name, attributes, isEmpty } = tag;
    this.#closeLeftOpen(name);
    if (isComponent(name)) this.#openComponent(tag);
    else if (name === 'br') this.#write(this.#isOneLine() ? '; ' : '\n');
    else if (name === 'img')
      this.#write(decodeAll(attributes.get('alt') ?? '').replace(/[[\]]/g, ''));
    else if (name === 'tr') this.#nearest(/^table$/)?.rows.push([]);
    else if (!isEmpty && this.#keepsFrame(name) && this.#frames.length <= maxDepth) this.#push(tag);
    else if (blockElements.has(name)) this.#endParagraph();
  }

  #close(name: string) {
    const opened = this.#frames.findLastIndex((frame) => frame.name === name);
    if (opened > 0) while (this.#frames.length > opened) this.#finish();
    else if (this.#isOneLine() && name === 'li') this.#write('; ');
    else if (blockElements.has(name) && name !== 'tr') this.#endParagraph();
  }

  render(token: Token): void {
    if (token.kind === 'open') this.#open(token);
    else if (token.kind === 'close') this.#close(token.name);
    else this.#write(token.value);
  }

  get markdown(): string {
    while (this.#frames.length > 1) this.#finish();
    return this.#root.parts.join('');
  }
}

/** Code stays masked in the result. */
export function renderMarkup({ tokens, codes }: Scanned): string {
  const renderer = new MarkupRenderer(codes);
  for (const token of tokens) renderer.render(token);
  return renderer.markdown;
}
