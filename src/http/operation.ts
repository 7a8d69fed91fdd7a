/**
 * Registers an operation: its route, checks and documentation. Errors never repeat values of the
 * request.
 */
import { bodyLimit } from 'hono/body-limit';
import {
  type ContentWithResolver,
  type DescribeRouteOptions,
  describeRoute,
  resolver,
  validator,
} from 'hono-openapi';
import { z } from 'zod';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { readCursor } from '../records/cursor.ts';
import '../issues.ts';
import type { Right } from '../rights.ts';
import { type App, type AppContext, type Middleware, requireRight } from './auth/caller.ts';
import { countWork } from './auth/counting.ts';
import { errorOutput } from './error-body.ts';
import { isCallsPath } from './error-response.ts';
import {
  type CountedWork,
  type NamedCard,
  type OperationCard,
  type OperationId,
  operations,
  pathParameters,
  type ToolName,
  toolCards,
} from './operations.ts';

type Parameter = NonNullable<DescribeRouteOptions['parameters']>[number];

export const parameter = (
  place: 'query' | 'header',
  name: string,
  description: string,
  limits = {},
): Parameter => ({
  name,
  in: place,
  required: false,
  description,
  schema: { type: 'string', ...limits },
});

export const text = z.string();
export const isoTime = text.describe('ISO 8601');

/** Query of operations on several namespaces. */
export const anyNamespace = text.optional().describe('omitted: all that the caller may use');

export const limit = z.coerce.number().int().min(1).max(500);

/** @param list operation that issues the cursors @param form of their places; default: any */
export const paged = (list: string, form = /(?:)/) => ({
  limit: limit.optional().describe('maximum number of entries, 1 to 500'),
  cursor: text
    .max(4_000)
    .transform((text, context) => {
      const place = readCursor(list, text);
      if (place && form.test(place.join())) return place;
      context.addIssue({ code: 'custom', message: `must be a nextCursor that ${list} returned` });
      return z.NEVER;
    })
    .optional()
    .describe('nextCursor of the previous page'),
});

export const nextCursor = text.optional().describe('omitted on the last page');

/** A response as the OpenAPI document describes it. */
export interface DescribedResponse {
  readonly description: string;
  readonly content: ContentWithResolver;
}

export const json = (description: string, schema: z.ZodType): DescribedResponse => ({
  description,
  content: { 'application/json': { schema: resolver(schema) } },
});

export const textResponse = (
  description: string,
  contentType = 'text/event-stream',
): DescribedResponse => ({
  description,
  content: { [contentType]: { schema: { type: 'string' } } },
});

const problems: Readonly<Record<number, string>> = {
  400: 'The request is not valid; the message names what is wrong',
  401: 'No valid key or token',
  403: 'The caller lacks the right, or may not use the namespace or the user, or the request comes from a page of another site',
  404: 'What the request names was not found',
  409: 'The namespace was deleted during the request',
  413: 'The body is too large',
  415: 'The body is not JSON',
  421: 'The Host header names another server',
  429: 'Too many requests; see Retry-After',
  500: 'The server failed',
  502: 'The model or the calling service failed',
  503: 'The server is starting, stopping, overloaded or cannot write, or the model or the calling service is unreachable; see Retry-After',
  504: 'The model or the calling service timed out',
  507: "The server's disk is full",
};

const callsErrorOutput = z.object({ error: z.object({ code: text, message: text }) });

export function signalOf(c: AppContext): AbortSignal {
  const stopping = c.get('stopping');
  return stopping ? AbortSignal.any([c.req.raw.signal, stopping]) : c.req.raw.signal;
}

/** Frees a request whose work takes minutes from the server's limit for silent sockets. */
export const allowSilence = (c: AppContext): void => void c.env?.incoming?.socket.setTimeout(0);

/** Request and responses of an operation. */
export type Wire<Input extends z.ZodType> = Readonly<{
  output: z.ZodType | DescribedResponse;
  others?: Readonly<Record<number, { readonly description: string }>>;
  body?: Input;
  isBodyOptional?: boolean;
  query?: Input;
  parameters?: readonly Parameter[];
  before?: Middleware;
  tool?: (c: AppContext) => ToolName;
  /**
   * Bodies of failures. Default: the error body of this server or, below `/v3`, that of the calling
   * service. `isText`: the body may be a text.
   */
  errors?: Readonly<{ output: z.ZodType; isText?: boolean }> | undefined;
  requestBody?: DescribeRouteOptions['requestBody'];
}>;

const parametersOf = (path: string): Parameter[] =>
  [...path.matchAll(/\w+\/:(\w+)/g)].map(([place, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: pathParameters[place] ?? '',
    schema: { type: 'string' },
  }));

const isPublic = ({ group, right }: OperationCard) => group === 'Server' && right === 'nothing';

function securityOf(
  id: string,
  card: OperationCard,
  path: string,
): Pick<DescribeRouteOptions, 'security'> {
  if (isPublic(card)) return { security: [] };
  if (id === 'receiveChatMessage') return { security: [{ basic: [] }, { signature: [] }] };
  return isCallsPath(path)
    ? { security: [{ callsApiKey: [] }, { bearer: [] }, { apiKey: [] }] }
    : {};
}

function failuresOf<Input extends z.ZodType>(
  method: string,
  path: string,
  card: OperationCard,
  { body, query, errors }: Wire<Input>,
) {
  const output = errors?.output ?? (isCallsPath(path) ? callsErrorOutput : errorOutput);
  const statuses = [
    ...[421, 500],
    ...(isPublic(card) ? [] : [401, 403, 429]),
    // The operation needs the documents or the state.
    ...(card.group === 'Server' ? [] : [503]),
    ...(method === 'GET' ? [] : [413]),
    ...(body || query ? [400] : []),
    ...(body ? [415] : []),
    ...card.fails,
  ];
  const plain = errors?.isText ? textResponse('', 'text/plain').content : {};
  return Object.fromEntries(
    statuses.map((status) => {
      const { description, content } = json(problems[status] ?? '', output);
      return [status, { description, content: { ...content, ...plain } }];
    }),
  );
}

/**
 * Checks the right and counts the request before its body is read; undefined if the operation is
 * open.
 */
function guardOf(
  { id, right, work }: NamedCard,
  tool: Wire<z.ZodType>['tool'],
): Middleware | undefined {
  if (right === 'nothing') return undefined;
  if (right === 'that of the tool' && !tool) throw new Error(`${id} has no tool()`);
  return async (c, next) => {
    const called = tool?.(c);
    const needed = called ? toolCards[called] : { right, work };
    requireRight(c.get('caller'), needed.right as Right);
    await countWork(c, needed.work as CountedWork | undefined);
    return next();
  };
}

const describeRight = ({ right }: OperationCard) =>
  right === 'nothing'
    ? {}
    : {
        description: `Requires the right ${right === 'that of the tool' ? 'of the tool' : `\`${right}\``}.`,
      };

/**
 * Documents and serves an operation. @param which an id of `operations`, or a card @throws
 * KnowledgeError `right_missing` per request
 */
export function serve<Input extends z.ZodType>(
  app: App,
  which: OperationId | NamedCard,
  wire: Wire<Input>,
  handle: (c: AppContext, input: z.output<Input>) => Response | Promise<Response>,
): void {
  const card: NamedCard = typeof which === 'string' ? { id: which, ...operations[which] } : which;
  const { id } = card;
  const [method = '', path = ''] = card.at.split(' ');
  const { output, others, body, isBodyOptional, query, before, requestBody } = wire;
  const parameters = [...parametersOf(path), ...(wire.parameters ?? [])];
  const input = body ?? query;
  const from = body ? 'json' : 'query';
  const steps: (Middleware | undefined)[] = [
    describeRoute({
      operationId: id,
      // Lists that are always empty help no reader.
      hide: 'emptyList' in card,
      tags: [card.group],
      summary: card.summary,
      ...describeRight(card),
      responses: {
        200: 'content' in output ? output : json('Done', output),
        ...others,
        ...failuresOf(method, path, card, wire),
      },
      ...(parameters.length > 0 ? { parameters } : {}),
      ...(requestBody ? { requestBody } : {}),
      ...securityOf(id, card, path),
    }),
    guardOf(card, wire.tool),
    before,
    body && (isBodyOptional ? optionalJson : requireJson),
    input && validator(from, input, rejectInvalid),
  ];
  app.on(method, [path], ...steps.filter((step) => step !== undefined), (c) =>
    handle(c, c.req.valid(from as never)),
  );
}

const jsonType = /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i;

const requireJson: Middleware = async (c, next) => {
  if (!jsonType.test(c.req.header('content-type') ?? '')) {
    throw new KnowledgeError(
      'unsupported_media_type',
      'Send the body as JSON, with the header content-type: application/json.',
    );
  }
  try {
    await c.req.json();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new KnowledgeError('invalid_json', 'The body is not valid JSON.', { cause: error });
  }
  return next();
};

const optionalJson: Middleware = async (c, next) => {
  if ((await c.req.text()).trim() !== '') return requireJson(c, next);
  // Contrary to its type, Hono stores promises here.
  (c.req.bodyCache as { text?: unknown }).text = Promise.resolve('{}');
  return next();
};

/** Rejects larger bodies with `payload_too_large`. */
export const limitBody = (maxSize: number): Middleware =>
  bodyLimit({
    maxSize,
    onError: () => {
      throw new KnowledgeError(
        'payload_too_large',
        `The request body is larger than ${maxSize} bytes.`,
      );
    },
  });

const maxDetails = 20;

const pathOf = (path: readonly unknown[]) =>
  path
    .map((part) =>
      String(typeof part === 'object' && part !== null && 'key' in part ? part.key : part),
    )
    .join('.');

/** @param below path of the field that was validated; empty: the whole input */
export function invalidRequest(
  issues: readonly Readonly<{ path?: readonly unknown[] | undefined; message: string }>[],
  below: readonly string[] = [],
): KnowledgeError {
  const details = issues
    .slice(0, maxDetails)
    .map(({ path = [], message }) => ({ path: pathOf([...below, ...path]), message }));
  const [first] = details;
  const where = first && first.path !== '' ? `${first.path}: ` : '';
  return new KnowledgeError(
    'invalid_request',
    `The request is not valid: ${where}${first?.message ?? 'wrong value'}.`,
    { details },
  );
}

function rejectInvalid(result: Parameters<NonNullable<Parameters<typeof validator>[2]>>[0]) {
  if (!result.success) throw invalidRequest(result.error);
}
