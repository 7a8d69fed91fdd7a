/**
 * Tables that an MDX page hands to a component as a value (`<TypeTable type={{ id: { type: 'string', description: '…' } }} />`,
 * `<Table rows={[{ name: 'id', … }]} />`) → a list item for each entry. Only strings, numbers and switches are read, nothing is evaluated.
 */
import { literalText } from './jsx-source.ts';

/** One entry: its key, if it has one, and everything between its braces that nests no further. */
const entry =
  /(?:([\w$]{1,100})|'([^'\n]{1,100})'|"([^"\n]{1,100})")\s*:\s*\{((?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`|[^{}"'`]){0,4000})\}|\{((?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`[^`]*`|[^{}"'`]){0,4000})\}/g;
const member =
  /(?:^|[\s,])([\w$]{1,60}|'[^'\n]{1,60}'|"[^"\n]{1,60}")\s*:\s*("(?:[^"\\\n]|\\.){0,2000}"|'(?:[^'\\\n]|\\.){0,2000}'|`[^`$]{0,2000}`|-?\d{1,20}(?:\.\d{1,20})?|true|false)/g;
const names = ['name', 'property', 'prop', 'param', 'parameter', 'title', 'label', 'key', 'option'];
const descriptions = ['description', 'desc', 'details', 'content', 'text', 'answer'];
/** Say how an entry looks or where it leads. */
const layout = /^(?:href|link|url|icon|img|image|src|className|class|style|color|id|typeDescriptionLink|typeLink)$/;

const plain = (text: string) => text.replace(/\s+/g, ' ').trim();

function lineOf(key: string, source: string): string | undefined {
  const found = new Map<string, string>();
  for (const [, name = '', value = ''] of source.matchAll(member)) {
    const text = plain(literalText(value) ?? value);
    if (text !== '') found.set(name.replace(/^['"]|['"]$/g, ''), text);
  }
  const named = key === '' ? names.find((name) => found.has(name)) : undefined;
  const label = named === undefined ? key : (found.get(named) ?? '');
  const described = descriptions.find((name) => found.has(name));
  const said = described === undefined ? '' : (found.get(described) ?? '');
  if (label === '' || found.size < (named === undefined ? 1 : 2)) return undefined;
  const details = [...found].flatMap(([name, value]) => {
    if (name === named || name === described || layout.test(name) || value === 'false') return [];
    return value === 'true' ? [name] : [name === 'type' ? value : `${name} ${value}`];
  });
  const shown = /^[\w$.[\]-]+$/.test(label) ? `\`${label}\`` : `**${label.replaceAll('**', '')}**`;
  return `- ${shown}${details.length === 0 ? '' : ` (${details.join(', ')})`}${said === '' ? '' : `: ${said}`}`;
}

/** List items of a value's source; empty for what is no table. */
export function entriesOf(expression: string): string[] {
  if (!/^\s*[[{]/.test(expression)) return [];
  const lines: string[] = [];
  for (const match of expression.trim().slice(1).matchAll(entry)) {
    const line = lineOf(match[1] ?? match[2] ?? match[3] ?? '', match[4] ?? match[5] ?? '');
    if (line !== undefined) lines.push(line);
  }
  return lines;
}
