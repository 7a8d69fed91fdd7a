/**
 * JSON → values that keep what JSON.parse loses: every digit of a number, keys that occur twice, keys in their order, the line of an error.
 * Reads one document, or one on each line (NDJSON). Without recursion, and without objects whose keys could mean something (`__proto__`).
 */
import { KnowledgeError } from '../../errors.ts';
import { withoutInvisible } from '../../language/invisible.ts';

export type Json = string | JsonLiteral | Json[] | JsonObject;
/** A number, `true`, `false` or `null`, as it is written. */
export interface JsonLiteral {
  readonly kind: 'literal';
  readonly text: string;
}
export interface JsonObject {
  readonly kind: 'object';
  readonly entries: [key: string, value: Json][];
}

/** Deeper is no document that anybody reads. */
const maxDepth = 200;
const maxValues = 2_000_000;

const space = '[ \\t\\r\\n]*';
const string = '"[^"\\\\]*(?:\\\\[\\s\\S][^"\\\\]*)*"';
const literal = '-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?|true|false|null';
/** White space, and what stands after it: a bracket, a comma, a string (with a colon where it is a key), another value. */
const token = new RegExp(`(${space})(?:([[{])|([\\]}])|(,)|(${string})(?:${space}(:))?|(${literal}))`, 'y');
const whiteOnly = new RegExp(`${space}$`, 'y');
// biome-ignore lint/suspicious/noControlCharactersInRegex: they must be escaped in JSON
const escaped = /[\\\u0000-\u001f]/;

export const memberOf = (object: JsonObject | undefined, key: string): Json | undefined =>
  object?.entries.findLast(([name]) => name === key)?.[1];
export const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && 'kind' in value && value.kind === 'object';

function textOf(quoted: string): string {
  if (!escaped.test(quoted)) return withoutInvisible(quoted.slice(1, -1));
  const value: unknown = JSON.parse(quoted);
  return typeof value === 'string' ? withoutInvisible(value.toWellFormed()) : '';
}

/** What is open while tokens are read; it stands in a list, not on the stack of calls. */
class JsonReader {
  readonly documents: Json[] = [];
  readonly #open: (Json[] | JsonObject)[] = [];
  #key: string | undefined;
  /** What stood before the token. */
  #before: 'bracket' | 'comma' | 'value' = 'value';
  #values = 0;

  get isOpen(): boolean {
    return this.#open.length > 0;
  }

  /** Whether the token may stand where it does. */
  read([, white = '', opening, closing, comma, quoted, colon, plain]: RegExpExecArray): boolean {
    const container = this.#open.at(-1);
    if (closing !== undefined) return this.#close(closing);
    if (comma !== undefined) {
      const isBetween = container !== undefined && this.#before === 'value';
      this.#before = 'comma';
      return isBetween;
    }
    // Another document begins on a line of its own.
    if (container === undefined ? this.documents.length > 0 && !white.includes('\n') : this.#before === 'value') return false;
    if ((colon !== undefined) !== (isJsonObject(container) && this.#key === undefined)) return false;
    if (colon !== undefined) this.#key = textOf(quoted ?? '');
    else this.#put(opening, quoted === undefined ? { kind: 'literal', text: plain ?? '' } : textOf(quoted));
    return true;
  }

  #close(bracket: string): boolean {
    const container = this.#open.pop();
    const isWhole = this.#before !== 'comma' && this.#key === undefined;
    this.#before = 'value';
    return isWhole && container !== undefined && bracket === (Array.isArray(container) ? ']' : '}');
  }

  #put(opening: string | undefined, leaf: Json): void {
    if (++this.#values > maxValues) throw new KnowledgeError('payload_too_large', `The JSON holds more than ${maxValues} values.`);
    const opened: Json[] | JsonObject | undefined = opening === '{' ? { kind: 'object', entries: [] } : opening === '[' ? [] : undefined;
    const value = opened ?? leaf;
    const container = this.#open.at(-1);
    if (container === undefined) this.documents.push(value);
    else if (Array.isArray(container)) container.push(value);
    else container.entries.push([this.#key ?? '', value]);
    this.#key = undefined;
    this.#before = opened === undefined ? 'value' : 'bracket';
    if (opened === undefined) return;
    if (this.#open.length >= maxDepth) throw new RangeError(`The JSON is nested deeper than ${maxDepth} levels`);
    this.#open.push(opened);
  }
}

/** @throws KnowledgeError `unsupported_media_type`, `payload_too_large`, `empty_source` */
export function readJson(text: string): Json[] {
  const reader = new JsonReader();
  let at = 0;
  const next = () => {
    token.lastIndex = at;
    return token.exec(text);
  };
  try {
    for (let found = next(); found !== null && reader.read(found); found = next()) at = token.lastIndex;
  } catch (error) {
    if (error instanceof KnowledgeError) throw error;
    throw failure(text, at, error instanceof RangeError ? error.message : undefined);
  }
  whiteOnly.lastIndex = at;
  if (reader.isOpen || !whiteOnly.test(text)) throw failure(text, at);
  if (reader.documents.length === 0) throw new KnowledgeError('empty_source', 'The source holds no text.');
  return reader.documents;
}

function failure(text: string, at: number, what = 'The file is not valid JSON'): KnowledgeError {
  const line = `${text.slice(0, at)}${/^\s*/.exec(text.slice(at))?.[0] ?? ''}`.split('\n').length;
  return new KnowledgeError('unsupported_media_type', `${what} (line ${line}).`);
}
