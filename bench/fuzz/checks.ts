/** Checks a response against its operation: status, headers, media type, body schema, and leaks. */

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { LeakFinder } from './leaks.ts';
import type { Operation, Schema } from './openapi.ts';
import type { FuzzRequest } from './requests.ts';
import type { Answer } from './send.ts';

export interface Problem {
  /** Identical for problems with the same cause. */
  readonly cause: string;
  readonly check: 'status 500' | 'leak' | 'undocumented' | 'invalid body' | 'no answer' | 'header';
}

/** Returns the validator of a schema; compiles each schema once for all operations. */
export type ValidatorOf = (schema: Schema) => ValidateFunction;

export function createValidators(): ValidatorOf {
  const compiled = new Map<string, ValidateFunction>();
  return (schema) => {
    const text = JSON.stringify(schema);
    const known = compiled.get(text);
    if (known) return known;
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    const validate = ajv.compile(schema);
    compiled.set(text, validate);
    return validate;
  };
}

const typeOf = (header: string | undefined) => header?.split(';')[0]?.trim().toLowerCase() ?? '';

const errorBody: Schema = {
  type: 'object',
  required: ['error', 'code', 'requestId'],
  properties: {
    error: { type: 'string' },
    code: { type: 'string' },
    requestId: { type: 'string' },
  },
};
const callsErrorBody: Schema = {
  type: 'object',
  required: ['error'],
  properties: { error: { type: 'object', required: ['code', 'message'] } },
};

const parse = (text: string): { readonly value?: unknown; readonly isJson: boolean } => {
  try {
    return { value: JSON.parse(text), isJson: true };
  } catch {
    return { isJson: false };
  }
};

/**
 * Checks server-sent events, or lines of the AI SDK 4. @returns the problem; an unfinished stream
 * may end with a partial line
 */
function streamProblem(text: string, isWhole: boolean, type: string): string | undefined {
  const lines = text.split('\n').slice(0, isWhole ? undefined : -1);
  for (const line of lines) {
    if (type === 'text/event-stream' && (line === '' || /^(?::|event: |id: |retry: )/.test(line)))
      continue;
    const data =
      type === 'text/event-stream'
        ? /^data: ?(.*)$/.exec(line)?.[1]
        : /^(?:\w:(.*)|)$/.exec(line)?.[1];
    if (line === '' && type !== 'text/event-stream') continue;
    if (data === undefined || (data !== '[DONE]' && !parse(data).isJson))
      return `a line of the stream is not an event: ${line.slice(0, 80)}`;
  }
  return undefined;
}

const bodiless = new Set([204, 205, 304]);
/** Statuses of Node's HTTP parser. */
const belowHttp = new Set([400, 408, 413, 414, 417, 431, 505]);

export function createChecks(
  validatorOf: (schema: Schema) => ValidateFunction,
  leaksIn: LeakFinder,
) {
  /** @returns undefined if the operation documents this response */
  function mismatch(
    { responses }: Operation,
    { status, headers, text, isWhole }: Answer,
    isHead: boolean,
  ): string | undefined {
    const documented = responses[status];
    if (!documented) return `${status} is not documented`;
    if (isHead) return text === '' ? undefined : 'HEAD response has a body';
    const contents = Object.entries(documented.content ?? {});
    if (contents.length === 0)
      return text === '' ? undefined : `${status} has an undocumented body`;
    const type = typeOf(headers['content-type']);
    const content = documented.content?.[type];
    if (!content)
      return `${status} has type ${type || 'none'}; documented: ${contents.map(([one]) => one).join(', ')}`;
    if (type === 'text/javascript') return undefined;
    if (type !== 'application/json') return streamProblem(text, isWhole, type);
    if (!isWhole) return `${status} breaks off`;
    const { value, isJson } = parse(text);
    if (!isJson) return `${status} is not JSON`;
    const validate = validatorOf(content.schema);
    if (validate(value)) return undefined;
    const [first] = validate.errors ?? [];
    return `${status} violates its schema: ${first?.instancePath.replaceAll(/\/\d+/g, '/0')} ${first?.message}`;
  }

  /**
   * Checks paths without an operation: the page, Swagger UI, or an error in one of the two forms.
   */
  function mismatchElsewhere(
    { status, headers, text }: Answer,
    path: string,
    isHead: boolean,
  ): string | undefined {
    if (bodiless.has(status) || isHead || (status >= 300 && status < 400)) return undefined;
    if (status < 300)
      return /json/.test(typeOf(headers['content-type']))
        ? `${status} on a path without an operation`
        : undefined;
    const { value, isJson } = parse(text);
    if (!isJson) return `${status} on a path without an operation is not JSON`;
    const isError =
      validatorOf(errorBody)(value) ||
      validatorOf(callsErrorBody)(value) ||
      isJsonRpc(value) ||
      path.includes('/v1/');
    return isError ? undefined : `${status} on a path without an operation is not an error`;
  }

  const isJsonRpc = (value: unknown) =>
    typeof value === 'object' && value !== null && 'jsonrpc' in value && 'error' in value;

  /** @param candidates operations that may have handled the request */
  return (request: FuzzRequest, answer: Answer, candidates: readonly Operation[]): Problem[] => {
    const { status, headers, text } = answer;
    const problems: Problem[] = [];
    const isHead = request.method === 'HEAD';
    const { location, ...others } = headers;
    const said = [...Object.entries(others).map(([name, value]) => `${name}: ${value}`), text].join(
      '\n',
    );
    const { reads } = request.caller;
    const leaked = new Set([
      ...leaksIn(said, reads, request.operation.id),
      ...leaksIn(location ?? '', reads, 'location'),
    ]);
    for (const name of leaked) problems.push({ check: 'leak', cause: `${name} in ${status}` });
    if (status === 500)
      return [
        ...problems,
        { check: 'status 500', cause: text.slice(0, 300).replaceAll(/[0-9a-f-]{36}/g, 'ID') },
      ];
    if (
      request.isBelowHttp &&
      belowHttp.has(status) &&
      headers['x-request-id'] === undefined &&
      text === ''
    )
      return problems;
    if (headers['x-request-id'] === undefined)
      problems.push({ check: 'header', cause: `${status} has no x-request-id` });
    const mismatches = candidates.map((operation) => mismatch(operation, answer, isHead));
    const elsewhere = mismatchElsewhere(answer, request.path, isHead);
    const isElsewhere = candidates.length === 0 || status === 404 || status === 405;
    const isRight = mismatches.includes(undefined) || (isElsewhere && elsewhere === undefined);
    if (!isRight) {
      const cause = mismatches[0] ?? elsewhere ?? '';
      problems.push({
        check: cause.includes('not documented') ? 'undocumented' : 'invalid body',
        cause,
      });
    }
    return problems;
  };
}
