/**
 * What a component of MDX says by its name and properties: titles, labels of callouts, the line of a parameter, tables that it is handed as
 * a value. Everything else of it is layout. Of values only strings, numbers and switches are read, nothing is evaluated.
 */
import { decodeAll } from './entities.ts';
import { literalText } from './markup-scan.ts';

export interface Lead {
  /** The line that stands before the content. */
  readonly line: string;
  /** What joins the line and content that follows as plain text; undefined: the content is a paragraph of its own. */
  readonly glue: string | undefined;
  /** Paragraphs that follow. */
  readonly texts: readonly string[];
  readonly isItem: boolean;
}

const callout = /^(?:Note|Tip|Info|Warning|Caution|Danger|Important|Success|Error|Alert|Callout|Admonition|Aside|Hint|Banner)$/;
const field = /^(?:\w*(?:Param|Field|Property|Argument|Attribute)|Prop|Option|Parameter)s?$/;
const card = /^(?:\w*Card|Feature|LinkBox|Tile)$/;
const titles = ['title', 'heading', 'label', 'header', 'question', 'summary', 'caption'];
const texts = ['subtitle', 'description', 'answer', 'text', 'content', 'message', 'body', 'alt'];
const places = ['path', 'query', 'body', 'header', 'form', 'cookie'];
const longestTitle = 300;

const flat = (value: string | undefined) => (value === undefined ? '' : decodeAll(value).replace(/\s+/g, ' ').trim());

/** What a component says under these names, without what is empty. */
const saidIn = (attributes: ReadonlyMap<string, string>, ...keys: readonly string[]): string[] =>
  keys.map((key) => flat(attributes.get(key))).filter((text) => text !== '');

function fieldLine(attributes: ReadonlyMap<string, string>): string | undefined {
  const place = places.find((key) => saidIn(attributes, key).length > 0);
  const [name] = saidIn(attributes, place ?? 'name', 'attribute', 'id');
  if (name === undefined) return undefined;
  const switches = ['required', 'deprecated'].filter((key) => (attributes.get(key) ?? 'false') !== 'false');
  const [initial] = saidIn(attributes, 'default', 'initialvalue');
  const details = [...saidIn(attributes, 'type'), ...(place ? [place] : []), ...switches, ...(initial ? [`default ${initial}`] : [])];
  return `- \`${name.replaceAll('`', '')}\`${details.length === 0 ? '' : ` (${details.join(', ')})`}`;
}

/** Text properties of a component without content that stands inside a line. */
export const inlineText = (attributes: ReadonlyMap<string, string>): string => saidIn(attributes, 'alt', 'label', 'text', 'title')[0] ?? '';

function calloutLine(name: string, type: string | undefined, title: string): string {
  const kind = type ?? (/^(?:Callout|Admonition|Aside|Alert|Banner|Hint)$/.test(name) ? '' : name);
  const label = [kind.slice(0, 1).toUpperCase() + kind.slice(1, 30).toLowerCase(), title].filter((part) => part !== '').join(': ');
  return label === '' ? '' : `**${label}${/[.!?]$/.test(label) ? '' : ':'}**`;
}

/** Undefined where a component says nothing by itself. @param entries of tables that it is handed */
export function leadOf(name: string, attributes: ReadonlyMap<string, string>, entries: readonly string[]): Lead | undefined {
  const table = entries.length === 0 ? [] : [entries.join('\n')];
  const parameter = field.test(name) ? fieldLine(attributes) : undefined;
  if (parameter !== undefined)
    return { line: parameter, glue: ': ', texts: [...saidIn(attributes, 'description'), ...table], isItem: true };
  const following = [...new Set(saidIn(attributes, ...texts)), ...table];
  const [written = ''] = saidIn(attributes, ...titles, ...(name.startsWith('Tab') ? ['value'] : []));
  const title = written.slice(0, longestTitle).replaceAll('**', '');
  if (card.test(name) && title !== '')
    return { line: `- **${title}**`, glue: /[.!?:]$/.test(title) ? ' ' : ': ', texts: following, isItem: true };
  const isCallout = callout.test(name);
  const line = isCallout ? calloutLine(name, saidIn(attributes, 'type')[0], title) : title && `**${title}**`;
  return line === '' && following.length === 0 ? undefined : { line, glue: isCallout ? ' ' : undefined, texts: following, isItem: false };
}

/** One entry: its key, if it has one, and everything between its braces that nests no further. */
const entry =
  /(?:([\w$]{1,100})|'([^'\n]{1,100})'|"([^"\n]{1,100})")\s*:\s*\{((?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`|[^{}"'`]){0,4000})\}|\{((?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`|[^{}"'`]){0,4000})\}/g;
const member =
  /(?:^|[\s,])([\w$]{1,60}|'[^'\n]{1,60}'|"[^"\n]{1,60}")\s*:\s*("(?:[^"\\\n]|\\.){0,2000}"|'(?:[^'\\\n]|\\.){0,2000}'|`[^`$]{0,2000}`|-?\d{1,20}(?:\.\d{1,20})?|true|false)/g;
const entryNames = ['name', 'property', 'prop', 'param', 'parameter', 'title', 'label', 'key', 'option'];
const descriptions = ['description', 'desc', 'details', 'content', 'text', 'answer'];
/** Say how an entry looks or where it leads. */
const layout = /^(?:href|link|url|icon|img|image|src|className|class|style|color|id|typeDescriptionLink|typeLink)$/;

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
  const details = others.map(([name, value]) => detailOf(name, value)).filter((detail) => detail !== undefined);
  const shown = /^[\w$.[\]-]+$/.test(label) ? `\`${label}\`` : `**${label.replaceAll('**', '')}**`;
  const description = members.get(described) ?? '';
  return `- ${shown}${details.length === 0 ? '' : ` (${details.join(', ')})`}${description === '' ? '' : `: ${description}`}`;
}

/** List items of a value's source; empty for what is no table. */
export function entriesOf(expression: string): string[] {
  if (!/^\s*[[{]/.test(expression)) return [];
  const lines: string[] = [];
  for (const match of expression.trim().slice(1).matchAll(entry)) {
    const line = entryLine(match[1] ?? match[2] ?? match[3] ?? '', match[4] ?? match[5] ?? '');
    if (line !== undefined) lines.push(line);
  }
  return lines;
}
