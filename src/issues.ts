/**
 * Replaces zod's messages, which name zod's types. Schemas may set their own. Messages repeat no
 * values, only names of fields.
 */
import { z } from 'zod';

const types: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
};

const formats: Readonly<Record<string, string>> = {
  url: 'a URL',
  datetime: 'a time such as 2026-11-09T08:30:00Z',
};

/** Units of sizes; other bounds limit the number itself. */
const sizes: Readonly<Record<string, readonly [one: string, many: string]>> = {
  string: ['character', 'characters'],
  array: ['entry', 'entries'],
  object: ['field', 'fields'],
};

function boundMessage(
  bound: number | bigint,
  { origin, inclusive }: { readonly origin: string; readonly inclusive?: boolean | undefined },
  word: 'least' | 'most',
) {
  const size = sizes[origin];
  if (size) return `must have at ${word} ${bound} ${size[Number(bound) === 1 ? 0 : 1]}`;
  if (inclusive === false) return `must be ${word === 'least' ? 'more' : 'less'} than ${bound}`;
  return `must be at ${word} ${bound}`;
}

const maxNamedKeys = 5;

function messageOf(issue: z.core.$ZodRawIssue) {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'is missing'
        : `must be ${types[issue.expected] ?? 'of another type'}`;
    case 'invalid_value':
      return `must be ${issue.values.length === 1 ? '' : 'one of '}${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return boundMessage(issue.minimum, issue, 'least');
    case 'too_big':
      return boundMessage(issue.maximum, issue, 'most');
    case 'invalid_format':
      return formats[issue.format] ? `must be ${formats[issue.format]}` : 'has a wrong format';
    case 'unrecognized_keys':
      return `has unknown fields: ${issue.keys
        .slice(0, maxNamedKeys)
        .map((key: string) => JSON.stringify(key.slice(0, 50)))
        .join(', ')}`;
    case 'invalid_union':
      return 'has none of the accepted types';
    default:
      return 'is not valid';
  }
}

z.config({ customError: messageOf });
