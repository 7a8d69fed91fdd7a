/**
 * Tags and text → Markdown. Code stays masked. A tag inside a table row or heading of Markdown is
 * written on that line.
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

type Opening = Extract<Token, { kind: 'open' }>;
type Element = Opening & { readonly children: (Element | string)[] };

/** Other names are those of HTML. */
const component = /[^a-z0-9]|^$/;
const elementOf = (opening: Opening): Element => ({ ...opening, children: [] });
const root: Opening = { kind: 'open', name: '', attributes: new Map(), values: [], isEmpty: false };

/** Names that end an open list item, entry or cell whose end tag is missing. */
const endsBefore = (open: string, next: string) =>
  /^(?:li li|d[dt] d[dt]|t[dh] t[dh]|(?:t[dh]|tr) t(?:r|body|foot))$/.test(`${open} ${next}`);

function treeOf(tokens: readonly Token[]) {
  const top = elementOf(root);
  const open = [top];
  const innermost = () => open.at(-1) ?? top;
  const append = (child: Element | string) => innermost().children.push(child);
  const enter = (token: Opening) => {
    while (endsBefore(innermost().name, token.name)) open.pop();
    const element = elementOf(token);
    append(element);
    // Deeper elements lose their tags.
    if (!token.isEmpty && open.length <= 60) open.push(element);
  };
  const leave = (name: string) => {
    const at = open.findLastIndex((element) => element.name === name);
    if (at > 0) open.length = at;
    else append(elementOf({ ...root, name, isEmpty: true }));
  };
  for (const token of tokens) {
    if (token.kind === 'text') append(token.value);
    else if (token.kind === 'open') enter(token);
    else leave(token.name);
  }
  return top;
}

// MDX components: their titles and descriptions become text, and lists of objects in their
// properties become items. Only literal values are read; nothing is evaluated.

const titles =
  'title heading label header question summary caption alt path query body name attribute'.split(
    ' ',
  );
const texts = 'subtitle description answer text content message'.split(' ');
const callout = /^(?:Note|Tip|Info|Warning|Caution|Danger|Important)$/;

const valuesOf = ({ attributes }: Opening, keys: readonly string[]) =>
  keys
    .map((key) =>
      decodeAll(attributes.get(key) ?? '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter(Boolean);

/** An object without objects in it, and the key before it. */
const object =
  /(?:([\w$]{1,100}|'[^'\n]{1,100}'|"[^"\n]{1,100}")\s*:\s*)?\{((?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`|[^{}"'`]){0,4000})\}/g;
const member =
  /(?:^|[\s,])([\w$]{1,60}|'[^'\n]{1,60}'|"[^"\n]{1,60}")\s*:\s*("(?:[^"\\\n]|\\.){0,2000}"|'(?:[^'\\\n]|\\.){0,2000}'|`[^`$]{0,2000}`|-?\d{1,20}(?:\.\d{1,20})?|true)/g;
/** Members that affect only appearance or links. */
const layout = /^(?:\w*(?:href|link|url|icon|image|img|src|className|class|style|color|id))$/i;
const unquoted = (text: string) => literalText(text) ?? text;

const memberText = (name: string, value: string) =>
  /^(?:type|desc\w*)$/.test(name) ? value : value === 'true' ? name : `${name}: ${value}`;

/** Returns an item for each object in the source of a value. */
function itemsIn(source: string) {
  return [...source.matchAll(object)].flatMap(([, key = '', inner = '']) => {
    const members = [...inner.matchAll(member)].flatMap(([, written = '', value = '']) => {
      const name = unquoted(written);
      const text = unquoted(value).replace(/\s+/g, ' ').trim();
      return layout.test(name) || text === '' ? [] : [[name, text] as const];
    });
    const named = key === '' ? members.shift()?.[1].replaceAll('**', '') : undefined;
    if (members.length === 0) return [];
    const label = named === undefined ? `\`${unquoted(key)}\`` : `**${named}**`;
    return `- ${label}: ${members.map(([name, text]) => memberText(name, text)).join('; ')}`;
  });
}

/** Text of a component's properties: a title, then paragraphs. */
function leadOf(component: Opening) {
  const { name, attributes, values } = component;
  const keys = name.startsWith('Tab') ? [...titles, 'value'] : titles;
  const [title = callout.test(name) ? `${name}:` : ''] = valuesOf(component, keys);
  const shown = title.slice(0, 300).replaceAll('**', '');
  const isRequired = (attributes.get('required') ?? 'false') !== 'false';
  const details = /(?:Param|Field|Property|Argument|Attribute|Prop|Option|Parameter)s?$/.test(name)
    ? [...valuesOf(component, ['type']), ...(isRequired ? ['required'] : [])].join(', ')
    : '';
  return [
    shown && `**${shown}**${details && ` (${details})`}`,
    ...new Set(valuesOf(component, texts)),
    values.flatMap(itemsIn).join('\n'),
  ].filter(Boolean);
}

/** Characters of a line inspected. */
const maxLineChars = 100;
const widthOf = (white: string) => white.replaceAll('\t', '    ').length;

/** Returns code without fence or backticks, for use inside other code or on one line. */
const withoutFence = (code: string) =>
  code.replace(/^[`~]{3,}[^\n]*\n|\n[`~]{3,}$|^`+ ?| `+$|(?<!`)`+$/g, '');

/** Moves an element's content to column 0. Keeps indentation only inside list items. */
function outdented(text: string) {
  const [first = '', ...lines] = text.split('\n');
  let outer: number | undefined;
  let isInList = false;
  const moved = lines.map((line) => {
    const content = line.trimStart();
    if (!content) return '';
    const indent = widthOf(line.slice(0, line.length - content.length));
    outer ??= indent;
    if (/^(?:[-*+]|\d{1,9}[.)])(?:\s|$)/.test(content)) isInList = true;
    else if (indent <= outer) isInList = false;
    return isInList ? ' '.repeat(Math.max(0, indent - outer)) + content : content;
  });
  return [first.trim(), ...moved].join('\n').trim();
}

/** Written text, with the start of its last line. */
class Output {
  readonly parts: string[] = [];
  line = '';

  add(text: string) {
    // Removing an element must not leave two spaces.
    const written = /[ \n]$/.test(this.parts.at(-1) ?? '') ? text.replace(/^ +/, '') : text;
    if (!written) return;
    const start = written.lastIndexOf('\n') + 1;
    this.parts.push(written);
    const line = (start > 0 ? '' : this.line) + written.slice(start, start + maxLineChars);
    this.line = line.slice(0, 2 * maxLineChars);
  }

  get isOneLine() {
    // Table rows and headings must stay on one line.
    return /^\s*(?:\||#{1,6}\s)/.test(this.line);
  }

  /** Columns before a tag that starts a line. */
  get column() {
    return this.line.trim() === '' ? widthOf(this.line) : 0;
  }

  addBlock(text: string, column = 0) {
    if (this.isOneLine) this.add(` ${joinLines(text)} `);
    else
      this.add(
        text === '' ? '\n\n' : `\n\n${text.replace(/^(?=[^\n])/gm, ' '.repeat(column))}\n\n`,
      );
  }
}

/** Code stays masked in the result. */
export function renderMarkup({ tokens, codes }: Scanned): string {
  const plain = (value: string) =>
    value.replace(codeMark, (_, number) => withoutFence(codes[number] ?? ''));
  const inOneLine = (value: string) =>
    value.replace(codeMark, (mark, number) =>
      codes[number]?.includes('\n') ? codeSpan(plain(mark).trim()) : mark,
    );
  const inside = ({ children }: Pick<Element, 'children'>, line = '') => {
    const out = new Output();
    out.line = line;
    for (const child of children)
      if (typeof child === 'string') out.add(child);
      else write(child, out);
    return out.parts.join('');
  };
  const blockIn = (element: Pick<Element, 'children'>) =>
    outdented(inside(element)).replace(/\n{3,}/g, '\n\n');

  function rowsIn({ name, children }: Element): Cell<string>[][] {
    const elements = children.filter((child) => typeof child !== 'string');
    const cells = elements.filter(({ name }) => /^t[dh]$/.test(name));
    const row = cells.map((cell) => {
      const spanOf = (key: string) => Number.parseInt(cell.attributes.get(key) ?? '1', 10) || 1;
      const content = cellText(inOneLine(blockIn(cell)));
      return { content, columns: spanOf('colspan'), rows: spanOf('rowspan') };
    });
    const inner = elements.flatMap((one) =>
      /^t(?:r|head|body|foot)$/.test(one.name) ? rowsIn(one) : [],
    );
    return name === 'tr' || row.length > 0 ? [row, ...inner] : inner;
  }

  function writeTable(table: Element, out: Output) {
    const isRest = (child: Element | string) =>
      typeof child === 'string' || !/^t(?:[dhr]|head|body|foot)$/.test(child.name);
    out.addBlock(blockIn({ children: table.children.filter(isRest) }));
    const grid = expandSpans(rowsIn(table), (content, where) =>
      where === 'below' ? content : '',
    ).filter((row) => row.some(Boolean));
    const isTable = grid.some((row) => row.length > 1);
    out.addBlock(isTable ? writeDataTable(grid) : grid.join('\n\n').replaceAll('\\|', '|'));
  }

  function writeComponent(element: Element, out: Output) {
    const isInline = out.line.trim() !== '' || out.isOneLine;
    const { column } = out;
    const lead = leadOf(element);
    if (isInline && element.isEmpty) out.add(lead[0]?.replaceAll('**', '') ?? '');
    else if (isInline) out.add(inside(element, out.line));
    else {
      const content = inside(element);
      if (lead.length === 0 && !content.includes('\n')) out.add(content);
      else out.addBlock([...lead, outdented(content)].join('\n\n').trim(), column);
    }
  }

  function writeList({ name, attributes, children }: Element, out: Output) {
    const { column } = out;
    let number = Number.parseInt(attributes.get('start') ?? '1', 10) || 1;
    const items = children.map((child) => {
      if (typeof child === 'string') return child.trim();
      if (child.name !== 'li') return blockIn({ children: [child] });
      const text = blockIn(child);
      return text && listItem(name === 'ol' ? `${number++}.` : '-', text);
    });
    out.addBlock(items.filter(Boolean).join('\n\n'), column);
  }

  function writeBlock(element: Element, out: Output) {
    const { name, attributes } = element;
    const { column } = out;
    const text = blockIn(element);
    if (!text) out.addBlock('');
    else if (/^h[1-6]$/.test(name))
      out.addBlock(headingLine(Number(name.slice(1)), inOneLine(text), attributes.get('id')));
    else if (/^(?:summary|legend|caption|dt)$/.test(name))
      out.addBlock(`**${joinLines(inOneLine(text)).replaceAll('**', '')}**`);
    else if (name === 'blockquote') out.addBlock(text.replace(/^/gm, '> '));
    else out.addBlock(text, column);
  }

  function writeInline(element: Element, out: Output) {
    const { name, attributes } = element;
    const text = inside(element, out.isOneLine ? out.line : '');
    const shown = /^(?:code|tt|samp|kbd)$/.test(name) ? plain(text) : text;
    if (/\S\s*\n[ \t]*\n\s*\S/.test(text)) out.addBlock(outdented(text));
    else out.add(wrapInline(name, attributes, shown, out.parts.at(-1) ?? ''));
  }

  const writers: readonly (readonly [RegExp, (element: Element, out: Output) => void])[] = [
    [/^(?:b|strong|i|em|code|tt|samp|kbd|var|q|a|sup|sub|A|Link)$/, writeInline],
    [component, writeComponent],
    [/^br$/, (_, out) => out.add(out.isOneLine ? '; ' : '\n')],
    [
      /^img$/,
      ({ attributes }, out) =>
        out.add(decodeAll(attributes.get('alt') ?? '').replace(/[[\]]/g, '')),
    ],
    [/^table$/, writeTable],
    [/^(?:ul|ol|menu)$/, writeList],
  ];

  function write(element: Element, out: Output) {
    const writer = writers.find(([names]) => names.test(element.name))?.[1];
    if (writer) writer(element, out);
    else if (blockElements.has(element.name)) writeBlock(element, out);
    else out.add(inside(element, out.line));
  }

  return inside(treeOf(tokens));
}
