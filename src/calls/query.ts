/**
 * The query of `GET /v3/calls`: text → filter and back. One schema for every parameter; what it does not know, or what comes twice where
 * once is meant, is refused by name and never dropped. Operators stand in brackets (`startedAt[gte]=…`), lists by commas or as arrays.
 */
import { z } from 'zod';
import { badRequest } from './errors.ts';
import { type CallsFilter, callModes, callStatuses, callTypes, receiverTypes } from './types.ts';

const listed = (values: readonly string[]) => values.join(', ').replace(/, ([^,]*)$/, ' or $1');

const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z.enum(values, { error: `must be ${listed(values)}` }).optional();

const severalOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  z
    .array(z.enum(values, { error: `must be a list of ${listed(values)}` }))
    .transform((given) => [...new Set(given)])
    .optional();

const number = (form: RegExp, message: string) => z.string().regex(form, message).transform(Number);
const ranged = (min: number, max: number) =>
  number(/^\d{1,9}$/, `must be a whole number from ${min} to ${max}`)
    .refine((value) => value >= min && value <= max, `must be a whole number from ${min} to ${max}`)
    .optional();

const compared = (operand: ReturnType<typeof number>) =>
  z
    .object({
      eq: operand.optional(),
      gt: operand.optional(),
      gte: operand.optional(),
      lt: operand.optional(),
      lte: operand.optional(),
    })
    .optional();

const operators: readonly string[] = ['eq', 'gt', 'gte', 'lt', 'lte'];
const unixSecond = number(/^[1-9]\d{9}$/, 'must be a time in unix seconds, 10 digits');
const minutes = number(/^\d{1,10}(?:\.\d{1,9})?$/, 'must be minutes such as 3 or 1.5');
const count = number(/^\d{1,9}$/, 'must be a whole number');

const maxUidChars = 100;
/** A header or a log line could be split by these. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what it looks for
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;

/** Whether a text can be a user's id: 1 to 100 characters, none of them a control character. */
export const isUid = (text: string): boolean => text !== '' && text.length <= maxUidChars && !controlCharacter.test(text);

const parameters = {
  type: oneOf(callTypes),
  types: severalOf(callTypes),
  mode: oneOf(callModes),
  status: oneOf(callStatuses),
  statuses: severalOf(callStatuses),
  receiverType: oneOf(receiverTypes),
  participantsCount: count.optional(),
  totalParticipants: compared(count),
  initiatedAt: compared(unixSecond),
  startedAt: compared(unixSecond),
  endedAt: compared(unixSecond),
  duration: compared(minutes),
  voiceMinutes: compared(minutes),
  videoMinutes: compared(minutes),
  hasRecording: z
    .enum(['true', 'false'], { error: 'must be true or false' })
    .transform((value) => value === 'true')
    .optional(),
  uid: z.string().refine(isUid, `must be 1 to ${maxUidChars} characters without control characters`).optional(),
  page: ranged(1, 999_999_999),
  perPage: ranged(1, 100),
} satisfies Record<keyof CallsFilter, z.ZodType>;

const schema = z.object(parameters);
const lists = new Set<string>(['types', 'statuses'] satisfies (keyof CallsFilter)[]);
const comparisons = new Set<string>([
  'totalParticipants',
  'initiatedAt',
  'startedAt',
  'endedAt',
  'duration',
  'voiceMinutes',
  'videoMinutes',
] satisfies (keyof CallsFilter)[]);

const maxNameChars = 40;
const maxProblems = 20;

/** A name that a caller chose, as it can stand in a sentence. */
const shown = (name: string) => {
  const plain = name.replace(/[^\w[\].-]/g, '?');
  return plain.length > maxNameChars ? `${plain.slice(0, maxNameChars)}…` : plain;
};

type Problems = Map<string, string>;

/** Sorts the pairs of a query to their parameters; @returns what the schema then reads */
function gather(query: URLSearchParams, problems: Problems): Record<string, string | string[] | Record<string, string>> {
  const gathered: Record<string, string | string[] | Record<string, string>> = {};
  const seen = new Set<string>();
  for (const [given, value] of query) {
    const [, name = '', inner] = /^([^[\]]*)(?:\[([^[\]]*)\])?$/.exec(given) ?? [];
    if (!Object.hasOwn(parameters, name)) problems.set(shown(given), 'is not a parameter of this operation');
    else if (lists.has(name)) {
      if (inner !== undefined && !/^\d{0,3}$/.test(inner))
        problems.set(shown(given), `is no form of a list; use ${name}=a,b or ${name}[]=a`);
      else if (inner && seen.has(given)) problems.set(shown(given), 'is given twice');
      else gathered[name] = [...((gathered[name] as string[] | undefined) ?? []), ...value.split(',')];
      seen.add(given);
    } else if (comparisons.has(name)) {
      const operator = inner ?? 'eq';
      const operands = (gathered[name] ?? {}) as Record<string, string>;
      if (!operators.includes(operator)) problems.set(shown(given), `has no such operator; the operators are ${listed(operators)}`);
      else if (operator in operands) problems.set(shown(given), 'is given twice');
      else gathered[name] = { ...operands, [operator]: value };
    } else if (inner !== undefined) problems.set(shown(given), `takes one value and no brackets: ${name}=…`);
    else if (name in gathered) problems.set(name, 'is given twice');
    else gathered[name] = value;
  }
  return gathered;
}

function nameOf([name, inner]: readonly PropertyKey[]): string {
  return typeof inner === 'string' && inner !== 'eq' ? `${String(name)}[${inner}]` : String(name);
}

/**
 * @param query what stands behind the `?`, percent-encoded as it came, or read already
 * @throws CallsError `ERR_BAD_REQUEST` naming every parameter that is wrong and what would be right, never a value
 */
export function parseCallsQuery(query: URLSearchParams | string): CallsFilter {
  const problems: Problems = new Map();
  const parsed = schema.safeParse(gather(typeof query === 'string' ? new URLSearchParams(query) : query, problems));
  for (const { path, message } of parsed.error?.issues ?? []) if (!problems.has(nameOf(path))) problems.set(nameOf(path), message);
  if (parsed.success && problems.size === 0) return parsed.data as CallsFilter;
  const sentences = [...problems].slice(0, maxProblems).map(([name, message]) => `${name} ${message}`);
  const more = problems.size > maxProblems ? `; and ${problems.size - maxProblems} more` : '';
  throw badRequest(`The query is not valid: ${sentences.join('; ')}${more}.`);
}

/** The same filter gives the same text. What `parseCallsQuery` does not take is written all the same, so that it is refused by name. */
export function toSearchParams(filter: CallsFilter): URLSearchParams {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(filter)) {
    if (value === undefined) continue;
    if (Array.isArray(value)) query.append(name, value.join(','));
    else if (typeof value === 'object' && value !== null) {
      for (const [operator, operand] of Object.entries(value)) {
        if (operand !== undefined) query.append(operator === 'eq' ? name : `${name}[${operator}]`, String(operand));
      }
    } else query.append(name, String(value));
  }
  query.sort();
  return query;
}
