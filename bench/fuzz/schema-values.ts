/**
 * Draws values for a JSON Schema, ordinary ones and edge cases. The same seed gives the same
 * values.
 */
import type { Random } from '../retrieval/random.ts';
import type { Schema } from './openapi.ts';

/** Typical value of a field name if the schema alone does not say; undefined: use the schema. */
export type Hints = (name: string, random: Random) => unknown;

export const chance = (random: Random, share: number): boolean => random.next() < share;

const words =
  'refunds are paid within thirty days of purchase how long does the warranty last and who signs a contract'.split(
    ' ',
  );
export const sentence = (random: Random, length = 2 + random.below(8)): string =>
  Array.from({ length }, () => random.pick(words)).join(' ');

/** Texts that often break software. */
export const oddTexts: readonly string[] = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\udfff refunds \ud83d',
  'e\u0301\u0302\u0303\u0304 Z\u0351\u036b\u0343\u036a\u0302A\u0334\u0335L\u0325G\u0323O\u0358',
  '\u202eabc\u202c \u200f\u05e9\u05dc\u05d5\u05dd \u0645\u0631\u062d\u0628\u0627',
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466} \u{1f1e9}\u{1f1ea} \u{1f44d}\u{1f3fd}',
  '\ufeff\u200b\u2060\u00ad\u180e',
  '\u{e0041}\u{e0067}\u{e0065}\u{e006e}\u{e0074}',
  '返金は購入後三十日以内に行われますか？',
  'ﬁ Ⅷ ｆｕｌｌ ı İ ß ẞ K',
  '\r\n\r\nHTTP/1.1 200 OK\r\n\r\n',
  '../../../../etc/passwd',
  '%2e%2e%2f%00',
  '{{7*7}}<%= 7 %>#{7}',
  "' OR 1=1; DROP TABLE documents; --",
  '<script>alert(1)</script>',
  '$(id)`id`|id',
  '__proto__',
  'constructor',
  'toString',
  '-1',
  'NaN',
  'null',
  'undefined',
  '1e309',
  '@agent',
  '@agent '.repeat(300),
  '[1][1][1]',
  '```',
  '\u0007\u001b[31m',
  'https://evil.example/x',
  'file:///etc/passwd',
  'a'.repeat(65_536),
];

const extremeNumbers = [
  0,
  -0,
  -1,
  1,
  0.5,
  1e-300,
  1e21,
  2 ** 31,
  2 ** 32,
  2 ** 53,
  -(2 ** 53),
  2 ** 63,
  Number.MAX_VALUE,
  -1e300,
];

/** Maximum characters, except for values drawn to be huge. */
const usualLength = 200;
const hugeLength = 100_000;
const maxDepth = 7;
/** Fields that the server always refuses. */
const refused = new Set(['output', 'structuredOutput', 'experimental_output', 'response_format']);

const stretched = (text: string, least: number, most: number, filler: string): string => {
  const characters = [
    ...(text.length < least
      ? text + filler.repeat(Math.ceil((least - text.length) / filler.length))
      : text),
  ];
  return characters.length > most ? characters.slice(0, most).join('') : characters.join('');
};

function textFor(
  { minLength = 0, maxLength = hugeLength, pattern, format }: Schema,
  random: Random,
  isEdge: boolean,
): string {
  if (pattern?.includes('https?')) return 'https://127.0.0.1:1/page';
  if (format === 'date' || pattern?.includes('-02-29'))
    return random.pick(['2026-02-28', '2024-02-29', '2027-12-31']);
  const most = Math.min(maxLength, hugeLength);
  if (!isEdge)
    return stretched(
      sentence(random),
      minLength,
      Math.min(most, Math.max(usualLength, minLength)),
      'x',
    );
  const length = random.pick([minLength, minLength + 1, most, Math.min(most, usualLength)]);
  return stretched(
    random.pick(oddTexts),
    Math.min(length, most),
    most,
    random.pick(['x', '\u{1f600}', '\u0301', ' ', 'ש', '\u0000']),
  );
}

function numberFor(
  { minimum = -1e6, maximum = 1e6, type }: Schema,
  random: Random,
  isEdge: boolean,
): number {
  if (isEdge) {
    const within = [minimum, maximum, ...extremeNumbers].filter(
      (value) => value >= minimum && value <= maximum,
    );
    const value = random.pick(within);
    return type === 'integer' ? Math.trunc(value) : value;
  }
  const value = minimum + random.next() * Math.min(maximum - minimum, 50);
  return type === 'integer' ? Math.ceil(Math.min(value, maximum)) : value;
}

const anything = (random: Random): unknown =>
  random.pick<unknown>([null, true, 7, 'text', [], {}, { a: { b: [1, 'c'] } }]);

/** @param edges probability of an edge case, 0 to 1 */
export function createValues(random: Random, hints: Hints, edges: number) {
  const isEdge = () => chance(random, edges);

  function listFor({ items = {}, minItems = 0, maxItems = 100 }: Schema, depth: number): unknown[] {
    const length = isEdge()
      ? random.pick([minItems, Math.min(maxItems, 120)])
      : Math.min(maxItems, minItems + random.below(3));
    // Long lists of deep values would exceed the body limit.
    const count = depth > 3 ? Math.min(length, Math.max(minItems, 3)) : length;
    return Array.from({ length: count }, () => valueFor(items, depth + 1));
  }

  function objectFor(
    { properties = {}, required = [], additionalProperties }: Schema,
    depth: number,
  ): Record<string, unknown> {
    const given: Record<string, unknown> = {};
    for (const [name, schema] of Object.entries(properties)) {
      if (!required.includes(name) && (depth >= maxDepth || !chance(random, isEdge() ? 0.9 : 0.35)))
        continue;
      if (schema.not && Object.keys(schema.not).length === 0) continue;
      if (refused.has(name) && !chance(random, 0.05)) continue;
      const hinted = isEdge() ? undefined : hints(name, random);
      given[name] = hinted === undefined ? valueFor(schema, depth + 1) : hinted;
    }
    if (typeof additionalProperties === 'object' && chance(random, 0.1))
      given[random.pick(['extra', 'Ünï', 'x-y', ''])] = valueFor(additionalProperties, depth + 1);
    return given;
  }

  function ofType(type: string | undefined, schema: Schema, depth: number): unknown {
    if (type === 'object' || schema.properties) return objectFor(schema, depth);
    if (type === 'array') return listFor(schema, depth);
    if (type === 'string') return textFor(schema, random, isEdge());
    if (type === 'integer' || type === 'number')
      return numberFor({ ...schema, type }, random, isEdge());
    if (type === 'boolean') return chance(random, 0.5);
    return type === 'null' ? null : anything(random);
  }

  function valueFor(schema: Schema, depth = 0): unknown {
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return random.pick(schema.enum);
    if (schema.default !== undefined && chance(random, 0.1)) return schema.default;
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) return valueFor(random.pick(choices), depth + 1);
    if (schema.allOf)
      return Object.assign({}, ...schema.allOf.map((part) => valueFor(part, depth + 1)));
    const type = typeof schema.type === 'object' ? random.pick(schema.type) : schema.type;
    return ofType(type, schema, depth);
  }

  return (schema: Schema): unknown => valueFor(schema);
}
