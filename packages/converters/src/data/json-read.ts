/**
 * Reads JSON and NDJSON without losing digits of numbers, duplicate keys, key order or error lines.
 * `__proto__` is an ordinary key.
 */
import { KnowledgeError } from '../../../shared/src/errors.ts';
import { withoutInvisible } from '../../../shared/src/language/invisible.ts';

export type Json = string | JsonLiteral | Json[] | JsonObject;
/** A number, `true`, `false` or `null`, as written. */
export interface JsonLiteral {
  readonly kind: 'literal';
  readonly text: string;
}
export interface JsonObject {
  readonly kind: 'object';
  readonly entries: [key: string, value: Json][];
}

/** Limits the parser's recursion. */
const maxDepth = 200;
const maxValues = 2_000_000;

const space = /[ \t\r\n]*/y;
const string = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"/y;
const literal = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they must be escaped in JSON
const escaped = /[\\\u0000-\u001f]/;

export const memberOf = (object: JsonObject | undefined, key: string): Json | undefined =>
  object?.entries.findLast(([name]) => name === key)?.[1];
export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && 'kind' in value && value.kind === 'object';

/** @throws KnowledgeError `unsupported_media_type`, `payload_too_large`, `empty_source` */
export function readJson(text: string): Json[] {
  let at = 0;
  let values = 0;
  const failure = (problem = 'The file is not valid JSON') =>
    new KnowledgeError(
      'unsupported_media_type',
      `${problem} (line ${text.slice(0, at).split('\n').length}).`,
    );
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
      return withoutInvisible(
        quoted === '' || escaped.test(quoted)
          ? String(JSON.parse(quoted)).toWellFormed()
          : quoted.slice(1, -1),
      );
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
    if (++values > maxValues)
      throw new KnowledgeError(
        'payload_too_large',
        `The JSON has more than ${maxValues} values. Split the file.`,
      );
    if (takeSign('{'))
      return { kind: 'object', entries: readItems('}', depth, () => readEntry(depth + 1)) };
    if (takeSign('[')) return readItems(']', depth, () => readValue(depth + 1));
    const written = take(literal);
    return written === '' ? readString() : { kind: 'literal', text: written };
  };
  const documents: Json[] = [];
  for (let white = `\n${take(space)}`; at < text.length; white = take(space)) {
    // Each further document starts on a new line.
    if (!white.includes('\n')) throw failure();
    documents.push(readValue(1));
  }
  if (documents.length === 0)
    throw new KnowledgeError('empty_source', 'The source contains no text.');
  return documents;
}
