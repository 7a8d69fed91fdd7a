/**
 * JSON values → Markdown: objects become sections below headings of their keys, lists of alike objects become records, leaves become list
 * items. Keys stay as they are written, because people search for them; a heading says them in words as well.
 */
import { isJsonObject, type Json, type JsonObject } from './json-read.ts';
import { blockValue, field, inlineValue, joinFields, namingKeys, recordsToMarkdown } from './records-markdown.ts';

/** Below it, keys are joined (`a.b.c`): Markdown has six levels of headings. */
const maxHeadingLevel = 6;
const maxRecordColumns = 40;
/** More than this is no cell of a table. */
const maxListInCell = 20;

const isLeaf = (value: Json | undefined): boolean => value !== undefined && !isJsonObject(value) && !Array.isArray(value);
const isLeafList = (value: Json): boolean => Array.isArray(value) && value.every(isLeaf);
const isShortList = (value: Json): boolean =>
  Array.isArray(value) && isLeafList(value) && value.length <= maxListInCell && value.every((item) => leafText(item).length <= 80);

export const leafText = (value: Json | undefined): string =>
  typeof value === 'string' ? value : value && 'text' in value ? value.text : '';

/** `refundWindowDays` → `Refund window days`; identifiers and what is written in words already stay. */
export function humanised(key: string): string {
  if (!/^[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)*$/.test(key)) return /[_*]/.test(key) && !/[\s`]/.test(key) ? `\`${key}\`` : key;
  const words = key
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .replace(/[_-]+/g, ' ')
    .split(' ')
    .map((word) => (/^[A-Z\d]+$/.test(word) && word.length > 1 ? word : word.toLowerCase()))
    .join(' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const headingText = (key: string) => {
  const words = humanised(key);
  return words.toLowerCase() === key.toLowerCase() || words.includes('`') ? words : `${words} (\`${key}\`)`;
};
const heading = (level: number, text: string) =>
  `${'#'.repeat(Math.min(level, maxHeadingLevel))} ${text.includes('`') ? text : inlineValue(text)}`;

/** The text of a value that fits into one cell; undefined for anything nested. */
function cellOf(value: Json): string | undefined {
  if (isLeaf(value)) return leafText(value) === 'null' && typeof value !== 'string' ? '' : leafText(value);
  return Array.isArray(value) && isShortList(value) ? value.map(leafText).join(', ') : undefined;
}

/** An object as one row, objects in it flattened once; undefined where it holds more. */
function rowOf(object: JsonObject): [string, string][] | undefined {
  const row: [string, string][] = [];
  for (const [key, value] of object.entries) {
    const inner = isJsonObject(value)
      ? value.entries.map(([name, nested]) => [`${key}.${name}`, nested] as const)
      : [[key, value] as const];
    for (const [name, nested] of inner) {
      const cell = cellOf(nested);
      if (cell === undefined) return undefined;
      row.push([name, cell]);
    }
  }
  return row;
}

function records(objects: readonly JsonObject[], level: number): string | undefined {
  const rows: [string, string][][] = [];
  const columns = new Map<string, number>();
  for (const object of objects) {
    const row = rowOf(object);
    if (row === undefined) return undefined;
    for (const [name] of row) if (!columns.has(name)) columns.set(name, columns.size);
    if (columns.size > maxRecordColumns) return undefined;
    rows.push(row);
  }
  const cells = rows.map((row) => {
    const found = Array<string>(columns.size).fill('');
    for (const [name, cell] of row) {
      const column = columns.get(name) ?? 0;
      found[column] = found[column] ? `${found[column]}; ${cell}` : cell;
    }
    return found;
  });
  return recordsToMarkdown({ columns: [...columns.keys()], rows: cells }, Math.min(level, maxHeadingLevel));
}

const longestName = 200;

/** Which entry says what an object is, and how it says it. */
function nameOf(object: JsonObject): { readonly key: string; readonly text: string } | undefined {
  for (const name of [...namingKeys, 'key', 'id', 'slug', 'code']) {
    const found = object.entries.find(([key, value]) => key.toLowerCase() === name && isLeaf(value));
    const text = found ? inlineValue(leafText(found[1])) : '';
    if (found && text !== '' && text !== 'null' && text.length <= longestName) return { key: found[0], text };
  }
  return undefined;
}

/** Values too deep for headings: each leaf on a line, with all keys that lead to it. */
function flattened(value: Json, path: string): string[] {
  const lines: string[] = [];
  const stack: [Json, string][] = [[value, path]];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const [current, name] = next;
    const children: [Json, string][] = isJsonObject(current)
      ? current.entries.map(([key, child]) => [child, name === '' ? key : `${name}.${key}`])
      : Array.isArray(current) && !isShortList(current)
        ? current.map((child, index) => [child, `${name}[${index}]`])
        : [];
    if (children.length > 0) stack.push(...children.reverse());
    else lines.push(field(name, Array.isArray(current) ? current.map(leafText).join(', ') : leafText(current)));
  }
  return lines;
}

function listToMarkdown(list: Json[], level: number, label: string): string {
  if (isLeafList(list))
    return joinFields(
      list.map((item) => (leafText(item).includes('\n') ? blockValue(leafText(item)) : `- ${inlineValue(leafText(item))}`)),
    );
  const objects = list.filter(isJsonObject);
  if (objects.length === list.length) {
    const table = records(objects, level);
    if (table !== undefined) return table;
  }
  if (level > maxHeadingLevel) return joinFields(flattened(list, label));
  return list
    .map((item, index) => {
      const name = isJsonObject(item) ? nameOf(item) : undefined;
      const rest: Json = isJsonObject(item) && name ? { kind: 'object', entries: item.entries.filter(([key]) => key !== name.key) } : item;
      return `${heading(level, name?.text ?? `${humanised(label || 'Item')} ${index + 1}`)}\n\n${jsonToMarkdown(rest, level + 1, label)}`.trim();
    })
    .join('\n\n');
}

function objectToMarkdown(object: JsonObject, level: number): string {
  const fields: string[] = [];
  const sections: string[] = [];
  for (const [key, value] of object.entries) {
    const cell = cellOf(value);
    if (cell !== undefined) fields.push(field(inlineValue(key), cell === '' ? leafText(value) || '(empty)' : cell));
    else if (isJsonObject(value) && value.entries.length === 0) fields.push(field(inlineValue(key), '(empty)'));
    else if (level > maxHeadingLevel) fields.push(...flattened(value, key));
    else sections.push(`${heading(level, headingText(key))}\n\n${jsonToMarkdown(value, level + 1, key)}`.trim());
  }
  return [joinFields(fields), ...sections].filter((part) => part !== '').join('\n\n');
}

/** @param label of the list that the value stands in or is */
export function jsonToMarkdown(value: Json, level: number, label = ''): string {
  if (isJsonObject(value)) return objectToMarkdown(value, level);
  if (Array.isArray(value)) return listToMarkdown(value, level, label);
  return blockValue(leafText(value));
}
