/**
 * JSON and NDJSON → Markdown. Objects become sections headed by their keys, lists of similar
 * objects become records, other values list items. Keys keep their spelling, because people search
 * for them; headings also contain them as words.
 */
import type { ParsedSource } from '../source.ts';
import { isJsonObject, type Json, type JsonObject, memberOf, readJson } from './json-read.ts';
import {
  blockValue,
  field,
  inlineValue,
  joinFields,
  namingKeys,
  recordsToMarkdown,
} from './records-markdown.ts';

/** Markdown has six heading levels; deeper keys are joined (`a.b.c`). */
const maxHeadingLevel = 6;
const maxRecordColumns = 40;
/** Longer lists do not fit into a table cell. */
const maxListInCell = 20;

const isLeaf = (value: Json | undefined): boolean =>
  value !== undefined && !isJsonObject(value) && !Array.isArray(value);
const isLeafList = (value: Json): boolean => Array.isArray(value) && value.every(isLeaf);
const isShortList = (value: Json): boolean =>
  Array.isArray(value) &&
  isLeafList(value) &&
  value.length <= maxListInCell &&
  value.every((item) => leafText(item).length <= 80);

const leafText = (value: Json | undefined): string =>
  typeof value === 'string' ? value : value && 'text' in value ? value.text : '';

/** `refundWindowDays` → `Refund window days`. Other spellings stay. */
function keyAsWords(key: string): string {
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
function cellOf(value: Json): string | undefined {
  if (isLeaf(value))
    return leafText(value) === 'null' && typeof value !== 'string' ? '' : leafText(value);
  return Array.isArray(value) && isShortList(value) ? value.map(leafText).join(', ') : undefined;
}

/**
 * Returns an object as one row with nested objects flattened once; undefined for deeper nesting.
 */
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

function nameOf(object: JsonObject): { readonly key: string; readonly text: string } | undefined {
  for (const name of [...namingKeys, 'key', 'id', 'slug', 'code']) {
    const found = object.entries.find(
      ([key, value]) => key.toLowerCase() === name && isLeaf(value),
    );
    const text = found ? inlineValue(leafText(found[1])) : '';
    if (found && text !== '' && text !== 'null' && text.length <= longestName)
      return { key: found[0], text };
  }
  return undefined;
}

/** Returns one line per leaf, labelled with its key path, for a value too deep for headings. */
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
    else
      lines.push(
        field(name, Array.isArray(current) ? current.map(leafText).join(', ') : leafText(current)),
      );
  }
  return lines;
}

function listToMarkdown(list: Json[], level: number, label: string): string {
  if (isLeafList(list))
    return joinFields(
      list.map((item) =>
        leafText(item).includes('\n')
          ? blockValue(leafText(item))
          : `- ${inlineValue(leafText(item))}`,
      ),
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
      const rest: Json =
        isJsonObject(item) && name
          ? { kind: 'object', entries: item.entries.filter(([key]) => key !== name.key) }
          : item;
      const title = name?.text ?? `${keyAsWords(label || 'Item')} ${index + 1}`;
      return `${heading(level, title)}\n\n${jsonToMarkdown(rest, level + 1, label)}`.trim();
    })
    .join('\n\n');
}

function objectToMarkdown(object: JsonObject, level: number): string {
  const fields: string[] = [];
  const sections: string[] = [];
  for (const [key, value] of object.entries) {
    const cell = cellOf(value);
    if (cell !== undefined)
      fields.push(field(inlineValue(key), cell === '' ? leafText(value) || '(empty)' : cell));
    else if (isJsonObject(value) && value.entries.length === 0)
      fields.push(field(inlineValue(key), '(empty)'));
    else if (level > maxHeadingLevel) fields.push(...flattened(value, key));
    else
      sections.push(
        `${heading(level, headingText(key))}\n\n${jsonToMarkdown(value, level + 1, key)}`.trim(),
      );
  }
  return [joinFields(fields), ...sections].filter((part) => part !== '').join('\n\n');
}

/** @param label key of the list: the value itself, or the list that contains the value */
function jsonToMarkdown(value: Json, level: number, label = ''): string {
  if (isJsonObject(value)) return objectToMarkdown(value, level);
  if (Array.isArray(value)) return listToMarkdown(value, level, label);
  return blockValue(leafText(value));
}

// OpenAPI and Swagger: one section per operation and schema. References are named but not resolved,
// which bounds the output.

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];
/** Maximum depth of inline schemas in the output. */
const maxDepth = 4;

const textOf = (object: JsonObject | undefined, key: string): string =>
  leafText(memberOf(object, key)).trim();
const objectOf = (value: Json | undefined): JsonObject | undefined =>
  isJsonObject(value) ? value : undefined;
const objectIn = (object: JsonObject | undefined, key: string) => objectOf(memberOf(object, key));
const entriesIn = (object: JsonObject | undefined, key: string) =>
  objectIn(object, key)?.entries ?? [];
const itemsIn = (object: JsonObject | undefined, key: string): readonly Json[] => {
  const value = memberOf(object, key);
  return Array.isArray(value) ? value : [];
};
const isSet = (object: JsonObject | undefined, key: string) => textOf(object, key) === 'true';
const joined = (parts: readonly string[]) => parts.filter((part) => part !== '').join('\n\n');
const referenceName = (object: JsonObject | undefined) =>
  textOf(object, '$ref').split('/').at(-1)?.replaceAll('~1', '/') ?? '';

const isOpenApi = (value: Json | undefined): value is JsonObject =>
  isJsonObject(value) &&
  (textOf(value, 'openapi') !== '' || textOf(value, 'swagger') !== '') &&
  objectIn(value, 'paths') !== undefined;

function typeOf(schema: JsonObject | undefined, depth = 0): string {
  if (schema === undefined) return '';
  const reference = referenceName(schema);
  if (reference !== '') return `\`${reference}\``;
  const types = itemsIn(schema, 'type').map(leafText);
  const type = textOf(schema, 'type') || types.join(' or ');
  if (type === 'array')
    return `array of ${(depth < maxDepth ? typeOf(objectIn(schema, 'items'), depth + 1) : '') || 'values'}`;
  const choices = ['oneOf', 'anyOf', 'allOf'].flatMap((key) => itemsIn(schema, key));
  if (type === '' && choices.length > 0 && depth < maxDepth) {
    const names = choices
      .map((choice) => typeOf(objectOf(choice), depth + 1))
      .filter((name) => name !== '');
    return [...new Set(names)].join(itemsIn(schema, 'allOf').length > 0 ? ' and ' : ' or ');
  }
  const format = textOf(schema, 'format');
  const named = type || (entriesIn(schema, 'properties').length > 0 ? 'object' : '');
  return format === '' ? named : `${named} (${format})`;
}

function limitsOf(schema: JsonObject | undefined): string[] {
  const choices = itemsIn(schema, 'enum').map((value) => `\`${leafText(value)}\``);
  const limits = [
    'default',
    'minimum',
    'maximum',
    'minLength',
    'maxLength',
    'minItems',
    'maxItems',
    'pattern',
    'example',
  ];
  return [
    choices.length > 0 ? `one of ${choices.join(', ')}` : '',
    ...limits.map((key) => (textOf(schema, key) === '' ? '' : `${key} \`${textOf(schema, key)}\``)),
  ].filter((limit) => limit !== '');
}

function detailLine(
  name: string,
  details: readonly string[],
  description: string,
  indent: number,
): string {
  const notes = details.filter((detail) => detail !== '').join(', ');
  const note = notes === '' ? '' : ` (${notes})`;
  const text = inlineValue(description);
  return `${'  '.repeat(indent)}- \`${name}\`${note}${text === '' ? '' : `: ${text}`}`;
}

/** @param described the parameter or property; it may be its own schema */
function valueLine(
  name: string,
  described: JsonObject | undefined,
  schema: JsonObject | undefined,
  isRequired: boolean,
  indent: number,
) {
  const marks = [isRequired ? 'required' : '', isSet(described, 'deprecated') ? 'deprecated' : ''];
  const details = [typeOf(schema), textOf(described, 'in'), ...marks, ...limitsOf(schema)];
  return detailLine(name, details, textOf(described, 'description'), indent);
}

function propertyLines(schema: JsonObject | undefined, indent: number): string[] {
  if (schema === undefined || indent > maxDepth) return [];
  const required = new Set(itemsIn(schema, 'required').map(leafText));
  const lines = entriesIn(schema, 'properties').flatMap(([name, value]) => {
    const property = objectOf(value);
    return [
      valueLine(name, property, property, required.has(name), indent),
      ...propertyLines(property, indent + 1),
    ];
  });
  const items = objectIn(schema, 'items');
  const parts = ['allOf', 'oneOf', 'anyOf'].flatMap((key) => itemsIn(schema, key).map(objectOf));
  return [
    ...lines,
    ...propertyLines(items, indent),
    ...parts.flatMap((part) =>
      part && referenceName(part) === ''
        ? propertyLines(part, indent + (lines.length > 0 ? 1 : 0))
        : [],
    ),
  ];
}

function parameterLine(parameter: JsonObject): string {
  const reference = referenceName(parameter);
  if (reference !== '') return `- \`${reference}\``;
  const schema = objectIn(parameter, 'schema') ?? parameter;
  return valueLine(textOf(parameter, 'name'), parameter, schema, isSet(parameter, 'required'), 0);
}

/** Lists media types and schemas of a body. Swagger 2 has one schema without a media type. */
function contentLines(body: JsonObject | undefined, indent: number): string[] {
  const direct = objectIn(body, 'schema');
  const contents = direct
    ? ([['', direct]] as const)
    : entriesIn(body, 'content').map(
        ([type, value]) => [type, objectIn(objectOf(value), 'schema')] as const,
      );
  const seen = new Set<string>();
  return contents.flatMap(([type, schema]) => {
    const lines = propertyLines(schema, indent + 1);
    const key = `${typeOf(schema)}\n${lines.join('\n')}`;
    if (seen.has(key)) return [];
    seen.add(key);
    const label = [type === '' ? '' : `\`${type}\``, typeOf(schema)]
      .filter((part) => part !== '')
      .join(': ');
    return label === '' ? lines : [`${'  '.repeat(indent)}- ${label}`, ...lines];
  });
}

function operationSection(
  path: string,
  method: string,
  operation: JsonObject,
  shared: readonly Json[],
): string {
  const summary = inlineValue(textOf(operation, 'summary'));
  const parameters = [...shared, ...itemsIn(operation, 'parameters')]
    .filter(isJsonObject)
    .map(parameterLine);
  const body = objectIn(operation, 'requestBody');
  const bodyLines = contentLines(body, 0);
  const responses = entriesIn(operation, 'responses').flatMap(([status, value]) => {
    const response = objectOf(value);
    const text = inlineValue(textOf(response, 'description')) || referenceName(response);
    return [`- \`${status}\`${text === '' ? '' : `: ${text}`}`, ...contentLines(response, 1)];
  });
  const id = textOf(operation, 'operationId');
  return joined([
    `## ${method.toUpperCase()} ${path}${summary === '' ? '' : `: ${summary}`}`,
    isSet(operation, 'deprecated') ? '**Deprecated.**' : '',
    blockValue(textOf(operation, 'description')),
    id === '' ? '' : `Operation: \`${id}\``,
    parameters.length > 0
      ? `**Parameters of ${method.toUpperCase()} ${path}:**\n\n${parameters.join('\n')}`
      : '',
    bodyLines.length > 0
      ? `**Request body${isSet(body, 'required') ? ' (required)' : ''}:**\n\n${bodyLines.join('\n')}`
      : '',
    responses.length > 0 ? `**Responses:**\n\n${responses.join('\n')}` : '',
  ]);
}

function schemaSection(name: string, schema: JsonObject): string {
  const lines = propertyLines(schema, 0);
  const type = [typeOf(schema), ...limitsOf(schema)].filter((part) => part !== '').join(', ');
  return joined([
    `## Schema ${name}`,
    blockValue(textOf(schema, 'description')),
    lines.length === 0 ? type && `Type: ${type}` : lines.join('\n'),
  ]);
}

function openApiToMarkdown(document: JsonObject): { title: string | undefined; markdown: string } {
  const information = objectIn(document, 'info');
  const title = inlineValue(textOf(information, 'title'));
  const version = textOf(information, 'version');
  const servers = itemsIn(document, 'servers').map((server) => textOf(objectOf(server), 'url'));
  const host = textOf(document, 'host');
  const addresses = host === '' ? servers : [`${host}${textOf(document, 'basePath')}`];
  const operations = entriesIn(document, 'paths').flatMap(([path, value]) => {
    const item = objectOf(value);
    return methods.flatMap((method) => {
      const operation = objectIn(item, method);
      return operation
        ? [operationSection(path, method, operation, itemsIn(item, 'parameters'))]
        : [];
    });
  });
  const components = objectIn(document, 'components');
  const schemas = [...entriesIn(components, 'schemas'), ...entriesIn(document, 'definitions')];
  const security = [
    ...entriesIn(components, 'securitySchemes'),
    ...entriesIn(document, 'securityDefinitions'),
  ];
  const securityLines = security.map(([name, value]) => {
    const scheme = objectOf(value);
    const details = [
      textOf(scheme, 'type'),
      textOf(scheme, 'scheme'),
      textOf(scheme, 'in'),
      textOf(scheme, 'name'),
    ];
    return detailLine(name, details, textOf(scheme, 'description'), 0);
  });
  const markdown = joined([
    title === '' ? '' : `# ${title}`,
    version === '' ? '' : `Version ${version}`,
    blockValue(textOf(information, 'description')),
    addresses.length > 0
      ? `**Servers:**\n\n${addresses.map((url) => `- ${inlineValue(url)}`).join('\n')}`
      : '',
    securityLines.length > 0 ? `## Authentication\n\n${securityLines.join('\n')}` : '',
    ...operations,
    ...schemas.flatMap(([name, value]) =>
      isJsonObject(value) ? [schemaSection(name, value)] : [],
    ),
  ]);
  return { title: title === '' ? undefined : title, markdown };
}

const longestTitle = 200;

function titleOf(document: Json): string | undefined {
  if (!isJsonObject(document)) return undefined;
  const title = ['title', 'name', 'headline']
    .map((key) => inlineValue(leafText(memberOf(document, key))))
    .find((text) => text !== '');
  return title !== undefined && title.length <= longestTitle ? title : undefined;
}

/** @throws KnowledgeError `unsupported_media_type`, `payload_too_large` */
export async function parseJson(text: string): Promise<ParsedSource> {
  const documents = readJson(text.replace(/^\uFEFF/, ''));
  const [first] = documents;
  if (documents.length === 1 && isOpenApi(first)) return openApiToMarkdown(first);
  const document: Json = documents.length === 1 && first !== undefined ? first : documents;
  return { title: titleOf(document), markdown: jsonToMarkdown(document, 2) };
}
