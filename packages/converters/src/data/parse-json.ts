/**
 * JSON and NDJSON → Markdown. Objects become sections headed by their keys, lists of similar
 * objects become records, other values list items. Keys keep their spelling, because people search
 * for them; headings also contain them as words.
 */
import { withoutInvisible } from '../../../shared/src/language/invisible.ts';
import { overLimit, type ParsedSource, refused } from '../source.ts';
import {
  blockValue,
  field,
  inlineValue,
  joinFields,
  namingKeys,
  recordsToMarkdown,
} from './records-markdown.ts';

/** Numbers are kept as text, with every digit. */
type Json = string | boolean | null | Json[] | JsonObject;
interface JsonObject {
  readonly [key: string]: Json;
}

/** Limits the recursion of later steps. */
const maxDepth = 200;
const maxValues = 2_000_000;

const tooDeep = () => refused(`The JSON is nested deeper than ${maxDepth} levels.`);

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const checkDepth = (value: Json, depth = 0) => {
  if (depth > maxDepth) throw tooDeep();
  if (typeof value === 'object' && value !== null)
    for (const inner of Object.values(value)) checkDepth(inner, depth + 1);
};

const isJson = (text: string) => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/**
 * Reads one document, or one a line (NDJSON). @throws KnowledgeError `unsupported_media_type`,
 * `payload_too_large`
 */
function readJson(text: string) {
  let values = 0;
  const readMember = (_key: string, value: unknown, { source }: { source?: string }) => {
    if (++values > maxValues)
      throw overLimit(`The JSON has more than ${maxValues} values. Split the file.`);
    return typeof value === 'number' ? source : value;
  };
  const readDocument = (document: string): Json => JSON.parse(document, readMember as () => Json);
  const lines = text.split('\n').filter((line) => line.trim());
  // The caller refuses an empty text.
  if (lines.length === 0) return '';
  try {
    const isList = lines.length > 1 && isJson(lines[0] ?? '');
    const json = isList ? lines.map(readDocument) : readDocument(text);
    checkDepth(json);
    return json;
  } catch (error) {
    if (error instanceof RangeError) throw tooDeep();
    if (!(error instanceof SyntaxError)) throw error;
    const problem = error.message.replace(/ is not valid JSON$/, '').replace(/\s+/g, ' ');
    throw refused(`The file is not valid JSON: ${problem}.`);
  }
}

/** Markdown has six heading levels; deeper keys are joined (`a.b.c`). */
const maxHeadingLevel = 6;

const isLeaf = (value: Json | undefined) =>
  value !== undefined && (typeof value !== 'object' || value === null);
const isShortList = (value: Json) =>
  Array.isArray(value) &&
  // Longer lists do not fit into a table cell.
  value.length <= 20 &&
  value.every((item) => isLeaf(item) && leafText(item).length <= 80);

const leafText = (value: Json | undefined) => (isLeaf(value) ? String(value) : '');

/** `refundWindowDays` → `Refund window days`. Other spellings stay. */
function keyAsWords(key: string) {
  if (!/^[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)*$/.test(key))
    return /[_*]/.test(key) && !/[\s`]/.test(key) ? `\`${key}\`` : key;
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
  const words = keyAsWords(key);
  return words.toLowerCase() === key.toLowerCase() || words.includes('`')
    ? words
    : `${words} (\`${key}\`)`;
};
const heading = (level: number, text: string) =>
  `${'#'.repeat(Math.min(level, maxHeadingLevel))} ${text.includes('`') ? text : inlineValue(text)}`;

/** Returns a value's text for one table cell; undefined for nested values. */
function cellOf(value: Json) {
  if (isLeaf(value)) return value === null ? '' : leafText(value);
  return Array.isArray(value) && isShortList(value) ? value.map(leafText).join(', ') : undefined;
}

/**
 * Returns an object as one row with nested objects flattened once; undefined for deeper nesting.
 */
function rowOf(object: JsonObject) {
  const row = new Map<string, string>();
  for (const [key, value] of Object.entries(object))
    for (const [name, inner] of isObject(value) ? Object.entries(value) : [['', value] as const]) {
      const cell = cellOf(inner);
      if (cell === undefined) return undefined;
      row.set(name ? `${key}.${name}` : key, cell);
    }
  return row;
}

function records(objects: readonly JsonObject[], level: number) {
  const rows = objects.map(rowOf).filter((row) => row !== undefined);
  const columns = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  if (rows.length < objects.length || columns.length > 40) return undefined;
  const cells = rows.map((row) => columns.map((name) => row.get(name) ?? ''));
  return recordsToMarkdown({ columns, rows: cells }, Math.min(level, maxHeadingLevel));
}

function nameOf(object: JsonObject) {
  for (const name of [...namingKeys, 'key', 'id', 'slug', 'code']) {
    const key = Object.keys(object).find((one) => one.toLowerCase() === name);
    const text = key === undefined ? '' : inlineValue(leafText(object[key] ?? ''));
    if (key !== undefined && text !== '' && text.length <= 200) return { key, text };
  }
  return undefined;
}

/** Returns one line per leaf, labelled with its key path, for a value too deep for headings. */
function flattened(value: Json, path: string): string[] {
  const children: [string, Json][] = isObject(value)
    ? Object.entries(value).map(([key, child]) => [path ? `${path}.${key}` : key, child])
    : Array.isArray(value) && !isShortList(value)
      ? value.map((child, index) => [`${path}[${index}]`, child])
      : [];
  if (children.length > 0) return children.flatMap(([name, child]) => flattened(child, name));
  return [field(path, Array.isArray(value) ? value.map(leafText).join(', ') : leafText(value))];
}

function listToMarkdown(list: Json[], level: number, label: string) {
  if (list.every(isLeaf))
    return joinFields(
      list
        .map(leafText)
        .map((text) => (text.includes('\n') ? blockValue(text) : `- ${inlineValue(text)}`)),
    );
  const table = list.every(isObject) ? records(list, level) : undefined;
  if (table !== undefined) return table;
  if (level > maxHeadingLevel) return joinFields(flattened(list, label));
  return list
    .map((item, index) => {
      const name = isObject(item) ? nameOf(item) : undefined;
      const rest =
        isObject(item) && name
          ? Object.fromEntries(Object.entries(item).filter(([key]) => key !== name.key))
          : item;
      const title = name?.text ?? `${keyAsWords(label || 'Item')} ${index + 1}`;
      return `${heading(level, title)}\n\n${jsonToMarkdown(rest, level + 1, label)}`.trim();
    })
    .join('\n\n');
}

function objectToMarkdown(object: JsonObject, level: number) {
  const fields: string[] = [];
  const sections: string[] = [];
  for (const [key, value] of Object.entries(object)) {
    const isEmpty = isObject(value) && Object.keys(value).length === 0;
    const cell = isEmpty ? '' : cellOf(value);
    if (cell !== undefined)
      fields.push(field(inlineValue(key), cell || leafText(value) || '(empty)'));
    else if (level > maxHeadingLevel) fields.push(...flattened(value, key));
    else
      sections.push(
        `${heading(level, headingText(key))}\n\n${jsonToMarkdown(value, level + 1, key)}`.trim(),
      );
  }
  return [joinFields(fields), ...sections].filter(Boolean).join('\n\n');
}

/** @param label key of the list: the value itself, or the list that contains the value */
function jsonToMarkdown(value: Json, level: number, label = ''): string {
  if (isObject(value)) return objectToMarkdown(value, level);
  if (Array.isArray(value)) return listToMarkdown(value, level, label);
  return blockValue(leafText(value));
}

// OpenAPI and Swagger: one section per operation and schema, headed as people search for them. Their
// contents are written like any other object. References are not resolved, which bounds the output.

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];

const objectOf = (value: Json | undefined) => (isObject(value) ? value : {});
const textOf = (value: Json | undefined) => leafText(value ?? '').trim();

const section = (title: string, value: Json) =>
  `## ${inlineValue(title)}\n\n${jsonToMarkdown(value, 3)}`.trim();

function operationSections(path: string, item: JsonObject) {
  const { parameters: shared = [] } = item;
  return methods.flatMap((method) => {
    const operation = item[method];
    if (!isObject(operation)) return [];
    const { summary, parameters = [], ...others } = operation;
    const name = `${method.toUpperCase()} ${path}`;
    const title = textOf(summary) ? `${name}: ${textOf(summary)}` : name;
    return section(title, { ...others, parameters: [shared, parameters].flat() });
  });
}

function openApiToMarkdown(document: JsonObject) {
  const { openapi: _, swagger: __, info, paths, components, definitions, ...others } = document;
  const { title, ...about } = objectOf(info);
  const { schemas, ...shared } = objectOf(components);
  const name = inlineValue(textOf(title));
  const markdown = [
    name && `# ${name}`,
    jsonToMarkdown({ ...about, ...others, ...shared }, 2),
    ...Object.entries(objectOf(paths)).flatMap(([path, item]) =>
      operationSections(path, objectOf(item)),
    ),
    ...Object.entries({ ...objectOf(schemas), ...objectOf(definitions) }).map(([schema, value]) =>
      section(`Schema ${schema}`, value),
    ),
  ].filter(Boolean);
  return { title: name || undefined, markdown: markdown.join('\n\n') };
}

const isOpenApi = (value: Json): value is JsonObject =>
  isObject(value) &&
  textOf(value['openapi'] ?? value['swagger']) !== '' &&
  isObject(value['paths']);

function titleOf(document: Json) {
  const { title, name, headline } = objectOf(document);
  const text = [title, name, headline].map((value) => inlineValue(textOf(value))).find(Boolean);
  return text && text.length <= 200 ? text : undefined;
}

/** @throws KnowledgeError `unsupported_media_type`, `payload_too_large` */
export async function parseJson(text: string): Promise<ParsedSource> {
  const json = readJson(text);
  const { title, markdown } = isOpenApi(json)
    ? openApiToMarkdown(json)
    : { title: titleOf(json), markdown: jsonToMarkdown(json, 2) };
  const visible = (written: string) => withoutInvisible(written).toWellFormed();
  return { title: title && visible(title), markdown: visible(markdown) };
}
