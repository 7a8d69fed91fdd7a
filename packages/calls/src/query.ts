/**
 * Parses and writes the query of `GET /v3/calls`. Unknown and repeated parameters are refused by
 * name. Operators are in brackets (`startedAt[gte]=…`); lists are comma-separated or arrays.
 */
import { badRequest } from './errors.ts';
import {
  type CallsFilter,
  callsParameters,
  type ExtraParameters,
  isExtraParameter,
  listed,
  operators,
  otherNames,
  type Parameter,
  type QueryOf,
} from './types.ts';

const maxNameChars = 40;
const maxProblems = 20;
const maxExtraChars = 1_000;

/** A caller's parameter name, safe and short enough for an error message. */
const shown = (name: string) => {
  const plain = name.replace(/[^\w[\].-]/g, '?');
  return plain.length > maxNameChars ? `${plain.slice(0, maxNameChars)}…` : plain;
};

type Parameters = Readonly<Record<string, Parameter>>;
type Problems = Map<string, string>;
type Given = string | string[] | Record<string, string>;
type Gathered = Record<string, Given>;
const givenTwice = 'is given twice';

function addToList(
  gathered: Gathered,
  name: string,
  inner: string | undefined,
  value: string,
  isRepeated: boolean,
) {
  if (inner !== undefined && !/^\d{0,3}$/.test(inner))
    return `is not a list; use ${name}=a,b or ${name}[]=a`;
  if (inner && isRepeated) return givenTwice;
  gathered[name] = [...((gathered[name] as string[] | undefined) ?? []), ...value.split(',')];
  return undefined;
}

function add(
  parameters: Parameters,
  gathered: Gathered,
  [given, value]: readonly [string, string],
  isRepeated: boolean,
) {
  const [, written = '', inner] = /^([^[\]]*)(?:\[([^[\]]*)\])?$/.exec(given) ?? [];
  const name = otherNames.get(written) ?? written;
  const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
  if (!parameter) return 'is not a parameter of this operation';
  if (parameter.style === 'form') return addToList(gathered, name, inner, value, isRepeated);
  if (parameter.style === 'deepObject') {
    const operator = inner ?? 'eq';
    const operands = (gathered[name] ?? {}) as Record<string, string>;
    if (!operators.some((one) => one === operator))
      return `has an unknown operator; use ${listed(operators)}`;
    gathered[name] = { ...operands, [operator]: value };
    return operator in operands ? givenTwice : undefined;
  }
  if (inner !== undefined) return `takes one value and no brackets: ${written}=…`;
  if (name in gathered) return givenTwice;
  gathered[name] = value;
  return undefined;
}

const extraForm = /^(\w+)(?:\[\w*\])?$/;

function addExtra(
  extra: Map<string, string[]>,
  [given, value]: readonly [string, string],
): string | undefined {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: searched on purpose
  if (value.length > maxExtraChars || /[\u0000-\u001f\u007f]/.test(value))
    return `must be at most ${maxExtraChars} characters without control characters`;
  extra.set(given, [...(extra.get(given) ?? []), value]);
  return undefined;
}

const nameOf = (name: string, operator: string) =>
  operator === 'eq' ? name : `${name}[${operator}]`;

/** Adds a problem for each invalid text. */
function readGiven({ message, read }: Parameter, name: string, given: Given, problems: Problems) {
  const readText = (text = '', shownName = name) => {
    const value = read(text);
    if (value === undefined && !problems.has(shownName)) problems.set(shownName, message);
    return value;
  };
  if (typeof given === 'string') return readText(given);
  if (Array.isArray(given)) return [...new Set(given.map((text) => readText(text)))];
  const compared = operators.filter((operator) => operator in given);
  return Object.fromEntries(
    compared.map((operator) => [operator, readText(given[operator], nameOf(name, operator))]),
  );
}

function refusalOf(problems: Problems) {
  const sentences = [...problems]
    .slice(0, maxProblems)
    .map(([name, message]) => `${name} ${message}`);
  const more = problems.size > maxProblems ? `; and ${problems.size - maxProblems} more` : '';
  return badRequest(`The query is not valid: ${sentences.join('; ')}${more}.`);
}

/**
 * @param extraNames pass unvalidated @throws CallsError `ERR_BAD_REQUEST` with every wrong
 * parameter, but no value
 */
export function parseQuery<const Known extends Parameters>(
  parameters: Known,
  query: URLSearchParams | string,
  extraNames: readonly string[] = [],
): QueryOf<Known> & { readonly extra?: ExtraParameters } {
  const problems: Problems = new Map();
  const extra = new Map<string, string[]>();
  const seen = new Set<string>();
  const gathered: Gathered = {};
  const unknownNames = extraNames.filter((name) => !Object.hasOwn(parameters, name));
  for (const pair of new URLSearchParams(query)) {
    const [given] = pair;
    const isExtra = unknownNames.includes(extraForm.exec(given)?.[1] ?? '');
    const problem = isExtra
      ? addExtra(extra, pair)
      : add(parameters, gathered, pair, seen.has(given));
    if (problem !== undefined) problems.set(shown(given), problem);
    seen.add(given);
  }
  const read: Record<string, unknown> = {};
  // In the order of the parameters, which is the order of the problems.
  for (const [name, parameter] of Object.entries(parameters)) {
    const given = Object.hasOwn(gathered, name) ? gathered[name] : undefined;
    if (given === undefined) continue;
    const written = [...seen].find((one) => otherNames.get(one) === name) ?? name;
    read[name] = readGiven(parameter, written, given, problems);
  }
  if (problems.size > 0) throw refusalOf(problems);
  return {
    ...(read as QueryOf<Known>),
    ...(extra.size > 0 && { extra: Object.fromEntries(extra) }),
  };
}

/** A filter from a query string. @throws CallsError as `parseQuery` */
export const parseCallsQuery = (
  query: URLSearchParams | string,
  extraNames?: readonly string[],
): CallsFilter => parseQuery(callsParameters, query, extraNames);

export const extraNamesOf = ({ extra = {} }: Pick<CallsFilter, 'extra'>): string[] =>
  Object.keys(extra)
    .flatMap((given) => extraForm.exec(given)?.[1] ?? [])
    .filter(isExtraParameter);

const extraPairsOf = (extra: ExtraParameters = {}): [string, string][] =>
  Object.entries(extra).flatMap(([name, values]) =>
    [values].flat().map((value): [string, string] => [name, value]),
  );

function pairsOf(name: string, value: unknown): [string, string][] {
  if (Array.isArray(value)) return [[name, value.join(',')]];
  if (typeof value !== 'object' || value === null)
    return value === undefined ? [] : [[name, String(value)]];
  return Object.entries(value).flatMap(([operator, operand]) =>
    pairsOf(nameOf(name, operator), operand),
  );
}

/**
 * Equal filters give equal text. Unknown fields are written too, so that `parseCallsQuery` refuses
 * them by name.
 */
export function toSearchParams(filter: object): URLSearchParams {
  const { extra, ...named }: Pick<CallsFilter, 'extra'> = filter;
  const pairs = Object.entries(named).flatMap(([name, value]) => pairsOf(name, value));
  const query = new URLSearchParams([...pairs, ...extraPairsOf(extra)]);
  query.sort();
  return query;
}
