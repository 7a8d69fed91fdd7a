/**
 * JSON and NDJSON → Markdown; what is no JSON is refused with its line. Objects become sections below headings of their keys, lists of
 * alike objects become records, leaves become list items. Keys stay as they are written, because people search for them; a heading says
 * them in words as well.
 */
import { KnowledgeError } from '../../errors.ts';
import { withoutInvisible } from '../../language/invisible.ts';
import type { ParsedSource } from '../source.ts';
import { blockValue, field, inlineValue, joinFields, namingKeys, recordsToMarkdown } from './records-markdown.ts';

/*
 * JSON → values that keep what JSON.parse loses: every digit of a number, keys that occur twice, keys in their order, the line of an error.
 * Reads one document, or one on each line (NDJSON), without objects whose keys could mean something (`__proto__`).
 */

type Json = string | JsonLiteral | Json[] | JsonObject;
/** A number, `true`, `false` or `null`, as it is written. */
interface JsonLiteral {
  readonly kind: 'literal';
  readonly text: string;
}
interface JsonObject {
  readonly kind: 'object';
  readonly entries: [key: string, value: Json][];
}

/** Deeper is no document that anybody reads; the reader calls itself for each level. */
const maxDepth = 200;
const maxValues = 2_000_000;

const space = /[ \t\r\n]*/y;
const string = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"/y;
const literal = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they must be escaped in JSON
const escaped = /[\\\u0000-\u001f]/;

const memberOf = (object: JsonObject | undefined, key: string): Json | undefined => object?.entries.findLast(([name]) => name === key)?.[1];
const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && 'kind' in value && value.kind === 'object';

/** @throws KnowledgeError `unsupported_media_type`, `payload_too_large`, `empty_source` */
function readJson(text: string): Json[] {
  let at = 0;
  let values = 0;
  const failure = (what = 'The file is not valid JSON') =>
    new KnowledgeError('unsupported_media_type', `${what} (line ${text.slice(0, at).split('\n').length}).`);
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? '';
    at += found.length;
    return found;
  };
  const takeSign = (sign: string): boolean => {
    take(space);
    const isNext = text[at] === sign;
    if (isNext) at++;
    return isNext;
  };
  const readString = (): string => {
    take(space);
    const quoted = take(string);
    try {
      return withoutInvisible(quoted === '' || escaped.test(quoted) ? String(JSON.parse(quoted)).toWellFormed() : quoted.slice(1, -1));
    } catch {
      at -= quoted.length;
      throw failure();
    }
  };
  const readItems = <Item>(end: string, depth: number, read: () => Item): Item[] => {
    const items: Item[] = [];
    if (depth > maxDepth) throw failure(`The JSON is nested deeper than ${maxDepth} levels`);
    if (takeSign(end)) return items;
    do items.push(read());
    while (takeSign(','));
    if (!takeSign(end)) throw failure();
    return items;
  };
  const readEntry = (depth: number): [string, Json] => {
    const key = readString();
    if (!takeSign(':')) throw failure();
    return [key, readValue(depth)];
  };
  const readValue = (depth: number): Json => {
    if (++values > maxValues) throw new KnowledgeError('payload_too_large', `The JSON holds more than ${maxValues} values.`);
    if (takeSign('{')) return { kind: 'object', entries: readItems('}', depth, () => readEntry(depth + 1)) };
    if (takeSign('[')) return readItems(']', depth, () => readValue(depth + 1));
    const written = take(literal);
    return written === '' ? readString() : { kind: 'literal', text: written };
  };
  const documents: Json[] = [];
  for (let white = `\n${take(space)}`; at < text.length; white = take(space)) {
    // Another document begins on a line of its own.
    if (!white.includes('\n')) throw failure();
    documents.push(readValue(1));
  }
  if (documents.length === 0) throw new KnowledgeError('empty_source', 'The source holds no text.');
  return documents;
}

/* Values → Markdown. */

/** Below it, keys are joined (`a.b.c`): Markdown has six levels of headings. */
const maxHeadingLevel = 6;
const maxRecordColumns = 40;
/** More than this is no cell of a table. */
const maxListInCell = 20;

const isLeaf = (value: Json | undefined): boolean => value !== undefined && !isJsonObject(value) && !Array.isArray(value);
const isLeafList = (value: Json): boolean => Array.isArray(value) && value.every(isLeaf);
const isShortList = (value: Json): boolean =>
  Array.isArray(value) && isLeafList(value) && value.length <= maxListInCell && value.every((item) => leafText(item).length <= 80);

const leafText = (value: Json | undefined): string => (typeof value === 'string' ? value : value && 'text' in value ? value.text : '');

/** `refundWindowDays` → `Refund window days`; identifiers and what is written in words already stay. */
function humanised(key: string): string {
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
function rowOf(object: JsonObject): ReadonlyMap<string, string> | undefined {
  const row = new Map<string, string>();
  for (const [key, value] of object.entries) {
    const inner = isJsonObject(value)
      ? value.entries.map(([name, nested]) => [`${key}.${name}`, nested] as const)
      : [[key, value] as const];
    for (const [name, nested] of inner) {
      const cell = cellOf(nested);
      if (cell === undefined) return undefined;
      const before = row.get(name);
      row.set(name, before ? `${before}; ${cell}` : cell);
    }
  }
  return row;
}

function records(objects: readonly JsonObject[], level: number): string | undefined {
  const rows = objects.map(rowOf).filter((row) => row !== undefined);
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  if (rows.length < objects.length || columns.length > maxRecordColumns) return undefined;
  const cells = rows.map((row) => columns.map((name) => row.get(name) ?? ''));
  return recordsToMarkdown({ columns, rows: cells }, Math.min(level, maxHeadingLevel));
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
function jsonToMarkdown(value: Json, level: number, label = ''): string {
  if (isJsonObject(value)) return objectToMarkdown(value, level);
  if (Array.isArray(value)) return listToMarkdown(value, level, label);
  return blockValue(leafText(value));
}

const longestTitle = 200;

function titleOf(document: Json): string | undefined {
  if (!isJsonObject(document)) return undefined;
  const title = ['title', 'name', 'headline'].map((key) => inlineValue(leafText(memberOf(document, key)))).find((text) => text !== '');
  return title !== undefined && title.length <= longestTitle ? title : undefined;
}

/** @throws KnowledgeError `unsupported_media_type`, `payload_too_large` */
export async function parseJson(text: string): Promise<ParsedSource> {
  const documents = readJson(text.replace(/^\uFEFF/, ''));
  const [first] = documents;
  const document: Json = documents.length === 1 && first !== undefined ? first : documents;
  return { title: titleOf(document), markdown: jsonToMarkdown(document, 2) };
}
