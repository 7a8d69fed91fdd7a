/**
 * The query of `GET /v3/calls`: text → filter and back. One schema for every parameter; what it
 * does not know, or what comes twice where once is meant, is refused by name and never dropped. Operators stand in brackets
 * (`startedAt[gte]=…`), lists by commas or as arrays.
 */
import { z } from 'zod';
import { numberNames } from './call-record.ts';
import { badRequest } from './errors.ts';
import { type CallsFilter, type Comparison, callModes, callStatuses, callTypes, receiverTypes } from './types.ts';

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

/**
 * Every finite JSON number from 0, with as many digits as a record shows; undefined for any other text. A plus sign that was not
 * percent-encoded comes out of a query as a space.
 */
export function parseMinutes(text: string): number | undefined {
  const value = /^\d+(?:\.\d+)?(?:e[+ -]?\d+)?$/i.test(text) ? Number(text.replace(' ', '')) : Number.NaN;
  return Number.isFinite(value) ? value : undefined;
}

const operators: readonly string[] = ['eq', 'gt', 'gte', 'lt', 'lte'] satisfies (keyof Comparison)[];
const compared = (operand: z.ZodType<number, string>) =>
  z.object(Object.fromEntries(operators.map((operator) => [operator, operand.optional()]))).optional();
const unixSecond = number(/^[1-9]\d{9}$/, 'must be a time in unix seconds, 10 digits');
const minutes = z.string().transform((text, context) => {
  const value = parseMinutes(text);
  if (value !== undefined) return value;
  context.addIssue({ code: 'custom', message: 'must be minutes such as 3, 1.5 or 1e-7' });
  return z.NEVER;
});
const count = number(/^\d{1,9}$/, 'must be a whole number');

const maxUidChars = 100;
/** A header or a log line could be split by these. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what it looks for
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;

/** Whether a text can be a user's id: 1 to 100 characters, none of them a control character. */
export const isUid = (text: string): boolean => text !== '' && text.length <= maxUidChars && !controlCharacter.test(text);

const usualPerPage = 30;
const maxPerPage = 100;

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
  perPage: ranged(1, maxPerPage),
} satisfies Record<keyof CallsFilter, z.ZodType>;

const schema = z.object(parameters);
const lists = new Set<string>(['types', 'statuses'] satisfies (keyof CallsFilter)[]);
const comparisons = new Set<string>(numberNames satisfies readonly (keyof CallsFilter)[]);

const maxNameChars = 40;
const maxProblems = 20;

/** A name that a caller chose, as it can stand in a sentence. */
const shown = (name: string) => {
  const plain = name.replace(/[^\w[\].-]/g, '?');
  return plain.length > maxNameChars ? `${plain.slice(0, maxNameChars)}…` : plain;
};

type Problems = Map<string, string>;
type Gathered = Record<string, string | string[] | Record<string, string>>;
const twice = 'is given twice';

/** @param inner what stands in the brackets @returns what is wrong with it */
function addToList(gathered: Gathered, name: string, inner: string | undefined, value: string, isRepeated: boolean): string | undefined {
  if (inner !== undefined && !/^\d{0,3}$/.test(inner)) return `is no form of a list; use ${name}=a,b or ${name}[]=a`;
  if (inner && isRepeated) return twice;
  gathered[name] = [...((gathered[name] as string[] | undefined) ?? []), ...value.split(',')];
  return undefined;
}

function add(gathered: Gathered, name: string, inner: string | undefined, value: string, isRepeated: boolean): string | undefined {
  if (!Object.hasOwn(parameters, name)) return 'is not a parameter of this operation';
  if (lists.has(name)) return addToList(gathered, name, inner, value, isRepeated);
  if (comparisons.has(name)) {
    const [operator, operands] = [inner ?? 'eq', (gathered[name] ?? {}) as Record<string, string>];
    if (!operators.includes(operator)) return `has no such operator; the operators are ${listed(operators)}`;
    gathered[name] = { ...operands, [operator]: value };
    return operator in operands ? twice : undefined;
  }
  if (inner !== undefined) return `takes one value and no brackets: ${name}=…`;
  if (name in gathered) return twice;
  gathered[name] = value;
  return undefined;
}

/** Sorts the pairs of a query to their parameters; @returns what the schema then reads */
function gather(query: URLSearchParams, problems: Problems): Gathered {
  const gathered: Gathered = {};
  const seen = new Set<string>();
  for (const [given, value] of query) {
    const [, name = '', inner] = /^([^[\]]*)(?:\[([^[\]]*)\])?$/.exec(given) ?? [];
    const problem = add(gathered, name, inner, value, seen.has(given));
    if (problem !== undefined) problems.set(shown(given), problem);
    seen.add(given);
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

function pairsOf(name: string, value: unknown): [string, string][] {
  if (Array.isArray(value)) return [[name, value.join(',')]];
  if (typeof value !== 'object' || value === null) return value === undefined ? [] : [[name, String(value)]];
  return Object.entries(value).flatMap(([operator, operand]) => pairsOf(operator === 'eq' ? name : `${name}[${operator}]`, operand));
}

/** The same filter gives the same text. What `parseCallsQuery` does not take is written all the same, so that it is refused by name. */
export function toSearchParams(filter: CallsFilter): URLSearchParams {
  const query = new URLSearchParams(Object.entries(filter).flatMap(([name, value]) => pairsOf(name, value)));
  query.sort();
  return query;
}

/** @throws CallsError `ERR_BAD_REQUEST` */
export function pageOf({ page = 1, perPage = usualPerPage }: CallsFilter): { readonly page: number; readonly perPage: number } {
  if (!Number.isSafeInteger(page) || page < 1) throw badRequest('The parameter page has to be a whole number from 1.');
  if (!Number.isSafeInteger(perPage) || perPage < 1 || perPage > maxPerPage)
    throw badRequest(`The parameter perPage has to be a whole number from 1 to ${maxPerPage}.`);
  return { page, perPage };
}
