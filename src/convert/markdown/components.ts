/**
 * What a component of MDX says by its name and properties: a title, the line of a parameter, tables that it is handed as a value. The rest
 * of it is layout. Of values only strings, numbers and switches are read, nothing is evaluated.
 */
import { decodeAll } from './markup-elements.ts';
import { literalText } from './markup-scan.ts';

export interface Lead {
  /** The line before the content. */
  readonly line: string;
  /** Paragraphs that follow. */
  readonly texts: readonly string[];
  readonly isItem: boolean;
}

const callout = /^(?:Note|Tip|Info|Warning|Caution|Danger|Important)$/;
const field = /^(?:\w*(?:Param|Field|Property|Argument|Attribute)|Prop|Option|Parameter)s?$/;
const titles = ['title', 'heading', 'label', 'header', 'question', 'summary', 'caption', 'alt'];
const texts = ['subtitle', 'description', 'answer', 'text', 'content', 'message'];
const names = ['path', 'query', 'body', 'header', 'name', 'attribute', 'id'];
const longestTitle = 300;

/** Values of these properties, without empty ones. */
const saidIn = (attributes: ReadonlyMap<string, string>, keys: readonly string[]): string[] =>
  keys
    .map((key) =>
      decodeAll(attributes.get(key) ?? '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((text) => text !== '');

/** Undefined if a component says nothing by itself. @param entries of tables that it is handed */
export function leadOf(name: string, attributes: ReadonlyMap<string, string>, entries: readonly string[]): Lead | undefined {
  const following = [...new Set(saidIn(attributes, texts)), ...(entries.length === 0 ? [] : [entries.join('\n')])];
  const [parameter] = field.test(name) ? saidIn(attributes, names) : [];
  if (parameter !== undefined) {
    const isRequired = (attributes.get('required') ?? 'false') !== 'false';
    const details = [...saidIn(attributes, ['type']), ...(isRequired ? ['required'] : [])];
    const line = `- \`${parameter.replaceAll('`', '')}\`${details.length === 0 ? '' : ` (${details.join(', ')})`}`;
    return { line, texts: following, isItem: true };
  }
  const [written = callout.test(name) ? `${name}:` : ''] = saidIn(attributes, name.startsWith('Tab') ? [...titles, 'value'] : titles);
  const title = written.slice(0, longestTitle).replaceAll('**', '');
  if (title === '' && following.length === 0) return undefined;
  return { line: title && `**${title}**`, texts: following, isItem: false };
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
