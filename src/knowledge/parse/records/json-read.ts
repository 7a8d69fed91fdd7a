/**
 * JSON → values that keep what JSON.parse loses: every digit of a number, keys that occur twice, keys in their order, the line of an error.
 * Reads one document, or one on each line (NDJSON). Without recursion, and without objects whose keys could mean something (`__proto__`).
 */
import { KnowledgeError } from '../../../errors.ts';
import { withoutInvisible } from '../invisible.ts';

export type Json = string | JsonLiteral | JsonArray | JsonObject;
/** A number, `true`, `false` or `null`, as it is written. */
export interface JsonLiteral {
  readonly kind: 'literal';
  readonly text: string;
}
export interface JsonArray {
  readonly kind: 'array';
  readonly items: Json[];
}
export interface JsonObject {
  readonly kind: 'object';
  readonly entries: [key: string, value: Json][];
}

/** Deeper is no document that anybody reads. */
const maxDepth = 200;
const maxValues = 2_000_000;

const space = /[ \t\r\n]*/y;
const stringToken = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they must be escaped in JSON
const escaped = /[\\\u0000-\u001f]/;
const literalToken = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

export const memberOf = (object: JsonObject, key: string): Json | undefined => object.entries.findLast(([name]) => name === key)?.[1];
export const isObject = (value: Json | undefined): value is JsonObject => typeof value === 'object' && value.kind === 'object';
export const isArray = (value: Json | undefined): value is JsonArray => typeof value === 'object' && value.kind === 'array';

type Container = JsonArray | JsonObject;

/** @throws KnowledgeError `unsupported_media_type`, `payload_too_large`, `empty_source` */
export function readJson(text: string): Json[] {
  const documents: Json[] = [];
  const open: Container[] = [];
  let key: string | undefined;
  let index = 0;
  let values = 0;

  const failure = (what = 'The file is not valid JSON') => {
    const line = text.slice(0, index).split('\n').length;
    return new KnowledgeError('unsupported_media_type', `${what} (line ${line}).`);
  };
  const take = (pattern: RegExp): string => {
    pattern.lastIndex = index;
    const found = pattern.exec(text)?.[0] ?? '';
    index += found.length;
    return found;
  };
  const readString = (): string => {
    const token = take(stringToken);
    if (token === '') throw failure();
    if (!escaped.test(token)) return withoutInvisible(token.slice(1, -1));
    try {
      const value: unknown = JSON.parse(token);
      return typeof value === 'string' ? withoutInvisible(value.toWellFormed()) : '';
    } catch {
      throw failure();
    }
  };
  /** Where a value goes that was just read. */
  const put = (value: Json): void => {
    if (++values > maxValues) throw new KnowledgeError('payload_too_large', `The JSON holds more than ${maxValues} values.`);
    const container = open.at(-1);
    if (container === undefined) documents.push(value);
    else if (container.kind === 'array') container.items.push(value);
    else container.entries.push([key ?? '', value]);
    key = undefined;
  };

  for (let isFirst = true; ; ) {
    take(space);
    const container = open.at(-1);
    if (container === undefined && index >= text.length) break;
    const end = container?.kind === 'array' ? ']' : '}';
    if (container && text.charAt(index) === end) {
      open.pop();
      index++;
      isFirst = false;
    } else {
      if (container?.kind === 'object') {
        key = readString();
        take(space);
        if (text.charAt(index++) !== ':') throw failure();
        take(space);
      }
      const character = text.charAt(index);
      isFirst = character === '{' || character === '[';
      if (character === '"') put(readString());
      else if (isFirst) {
        if (open.length >= maxDepth) throw failure(`The JSON is nested deeper than ${maxDepth} levels`);
        const opened: Container = character === '{' ? { kind: 'object', entries: [] } : { kind: 'array', items: [] };
        put(opened);
        open.push(opened);
        index++;
      } else {
        const literal = take(literalToken);
        if (literal === '') throw failure();
        put({ kind: 'literal', text: literal });
      }
    }
    if (isFirst) continue;
    const around = open.at(-1);
    const white = take(space);
    const next = text.charAt(index);
    if (around === undefined) {
      // Another document begins on a line of its own.
      if (next !== '' && !white.includes('\n')) throw failure();
    } else if (next === ',') {
      index++;
      take(space);
      if (/[\]}]/.test(text.charAt(index))) throw failure();
    } else if (next !== (around.kind === 'array' ? ']' : '}')) throw failure();
  }
  if (documents.length === 0) throw new KnowledgeError('empty_source', 'The source holds no text.');
  return documents;
}
