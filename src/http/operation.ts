/** How an operation is declared: its answers, its errors and the request that it takes. What was sent is never echoed. */
import type { Context, Hono, MiddlewareHandler } from 'hono';
import { type DescribeRouteOptions, describeRoute, resolver, validator } from 'hono-openapi';
import { z } from 'zod';
import { readCursor } from '../app/cursor.ts';
import { KnowledgeError } from '../errors.ts';
import '../issues.ts';
import type { Right } from '../rights.ts';
import { type AppEnv, requireRight } from './auth/caller.ts';
import { countWork } from './auth/counting.ts';
import { errorOutput } from './error-body.ts';
import { isCallsPath } from './error-response.ts';
import {
  type CountedWork,
  type OperationCard,
  type OperationId,
  operations,
  pathParameters,
  type ToolName,
  toolRights,
  toolWorks,
} from './operations.ts';

type Parameter = NonNullable<DescribeRouteOptions['parameters']>[number];

export const queryParameter = (name: string, description: string): Parameter => ({
  name,
  in: 'query',
  required: false,
  description,
  schema: { type: 'string' },
});

export const isoTime = z.string().describe('ISO 8601');

export const limit = z.coerce.number().int().min(1).max(500);

/** @param list the operation that gives the cursors */
export const paged = (list: string) => ({
  limit: limit.optional().describe('maximum entries'),
  cursor: z
    .string()
    .max(4_000)
    .transform((text, context) => {
      const place = readCursor(list, text);
      if (!place) context.addIssue({ code: 'custom', message: `must be the nextCursor of an answer of ${list}` });
      return place ?? z.NEVER;
    })
    .optional()
    .describe('nextCursor of the page before'),
});

export const nextCursor = z.string().optional().describe('cursor of the next page; absent: this is the last');

const callsErrorOutput = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

export const json = (description: string, schema: z.ZodType) => ({
  description,
  content: { 'application/json': { schema: resolver(schema) } },
});

export const eventStream = (description: string, contentType = 'text/event-stream') => ({
  description,
  content: { [contentType]: { schema: { type: 'string' as const } } },
});

const problems: Readonly<Record<number, string>> = {
  400: 'The request is not valid',
  401: 'No valid key or token',
  403: 'The caller does not have the right, the namespace or the user is not for them, or a page of another site asks',
  404: 'There is no such agent, model, tool, namespace, document, schedule, job, answer or thread',
  409: 'The namespace was deleted meanwhile',
  413: 'The body is too large',
  415: 'The body is not JSON',
  421: 'The header Host names another server',
  429: 'Too many requests; see Retry-After',
  500: 'Something went wrong on the server',
  502: 'The model failed',
  503: 'The server is starting or stopping, or cannot write, or the model cannot be reached, or too much goes on at once; see Retry-After',
  504: 'The model took too long',
  507: "The server's disk is full",
};

/** What every request can come to, whichever operation it asks for. */
const ofEverything = [421, 500];
/** And where it passes authentication. */
const ofTheDoor = [401, 403, 429];
/** And where it needs what is opened at the start. */
const untilOpen = [503];

/** @param said what the statuses mean, where that is another thing than with the others */
const failuresIn =
  (schema: z.ZodType, said: Readonly<Record<number, string>> = {}, isText = false) =>
  (statuses: readonly number[]) =>
    Object.fromEntries(
      statuses.map((status) => {
        const { description, content } = json(said[status] ?? problems[status] ?? '', schema);
        return [status, { description, content: isText ? { ...content, 'text/plain': { schema: { type: 'string' as const } } } : content }];
      }),
    );

const failures = failuresIn(errorOutput);
const callsFailures = failuresIn(callsErrorOutput, {
  400: 'A parameter is unknown or wrong; the message names it',
  401: 'No apikey, or one that is not known',
  403: 'The key or token may not read these calls, or a page of another site asks',
  404: 'There is no call with this sessionId',
  502: 'The calling service failed, or refuses the key of this server',
  503: 'The calling service is not available, or this server is starting or stopping; see Retry-After',
  504: 'The calling service did not answer in time',
});

export function signalOf(c: Context<AppEnv>): AbortSignal {
  const stopping = c.get('stopping');
  return stopping ? AbortSignal.any([c.req.raw.signal, stopping]) : c.req.raw.signal;
}

export interface Wire<Input extends z.ZodType> {
  readonly output: z.ZodType | ReturnType<typeof eventStream | typeof json>;
  readonly others?: Readonly<Record<number, { readonly description: string }>>;
  readonly body?: Input;
  readonly isBodyOptional?: boolean;
  readonly query?: Input;
  readonly parameters?: readonly Parameter[];
  readonly before?: MiddlewareHandler<AppEnv>;
  readonly tool?: (c: Context<AppEnv>) => ToolName;
  readonly failure?: z.ZodType | undefined;
  readonly isFailureText?: boolean | undefined;
  readonly requestBody?: DescribeRouteOptions['requestBody'];
}

const parametersOf = (path: string): Parameter[] =>
  [...path.matchAll(/\w+\/:(\w+)/g)].map(([place, name = '']) => ({
    name,
    in: 'path',
    required: true,
    description: pathParameters[place] ?? '',
    schema: { type: 'string' },
  }));

export const isOpenToEverybody = ({ group, right }: OperationCard): boolean => group === 'Server' && right === 'nothing';

function securityOf(id: string, card: OperationCard, path: string): Pick<DescribeRouteOptions, 'security'> {
  if (isOpenToEverybody(card)) return { security: [] };
  if (id === 'receiveCallEvent') return { security: [{ basic: [] }] };
  if (id === 'receiveChatMessage') return { security: [{ basic: [] }, { signature: [] }] };
  return isCallsPath(path) ? { security: [{ callsApiKey: [] }, { bearer: [] }, { apiKey: [] }] } : {};
}

function failuresOf<Input extends z.ZodType>(method: string, path: string, card: OperationCard, wire: Wire<Input>) {
  const { body, query, failure, isFailureText = false } = wire;
  const statuses = [
    ...ofEverything,
    ...(isOpenToEverybody(card) ? [] : ofTheDoor),
    ...(card.group === 'Server' ? [] : untilOpen),
    ...(method === 'GET' ? [] : [413]),
    ...(body || query ? [400] : []),
    ...(body ? [415] : []),
    ...card.fails,
  ];
  if (failure) return failuresIn(failure, {}, isFailureText)(statuses);
  return isCallsPath(path) ? callsFailures(statuses) : failures(statuses);
}

/** What a request has to pass before anything of its body is read; undefined where nothing is asked. */
function guardOf({ id, right, work }: OperationCard & { readonly id: string }, tool: Wire<z.ZodType>['tool']) {
  if (right === 'nothing') return undefined;
  if (right === 'that of the tool' && !tool) throw new Error(`${id} does not say which tool it calls`);
  const guard: MiddlewareHandler<AppEnv> = async (c, next) => {
    const called = tool?.(c);
    const [needed, counted] = called ? [toolRights[called], toolWorks[called]] : [right, work];
    requireRight(c.get('caller'), needed as Right);
    await countWork(c, counted as CountedWork | undefined);
    return next();
  };
  return guard;
}

const describeRight = ({ right }: OperationCard) =>
  right === 'nothing'
    ? {}
    : { description: right === 'that of the tool' ? 'Takes the right of the tool.' : `Takes the right \`${right}\`.` };

/** Documents and serves an operation: one of the list, or one that brings its own card. Whoever has not its right reaches nothing of it. */
export function serve<Input extends z.ZodType>(
  app: Hono<AppEnv>,
  which: OperationId | (OperationCard & { readonly id: string }),
  wire: Wire<Input>,
  handle: (c: Context<AppEnv>, input: z.output<Input>) => Response | Promise<Response>,
): void {
  const card: OperationCard & { readonly id: string } = typeof which === 'string' ? { id: which, ...operations[which] } : which;
  const { id } = card;
  const [method = '', path = ''] = card.at.split(' ');
  const { output, others, body, isBodyOptional, query, before, requestBody } = wire;
  const parameters = [...parametersOf(path), ...(wire.parameters ?? [])];
  const input = body ?? query;
  const from = body ? 'json' : 'query';
  const steps: (MiddlewareHandler<AppEnv> | undefined)[] = [
    describeRoute({
      operationId: id,
      tags: [card.group],
      summary: card.summary,
      ...describeRight(card),
      responses: { 200: 'content' in output ? output : json('Done', output), ...others, ...failuresOf(method, path, card, wire) },
      ...(parameters.length > 0 ? { parameters } : {}),
      ...(requestBody ? { requestBody } : {}),
      ...securityOf(id, card, path),
    }),
    guardOf(card, wire.tool),
    before,
    body && (isBodyOptional ? optionalJson : requireJson),
    input && validator(from, input, rejectInvalid),
  ];
  app.on(method, [path], ...steps.filter((step) => step !== undefined), (c) => handle(c, c.req.valid(from as never)));
}

const isJson = (contentType: string | undefined) => /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(contentType ?? '');

const requireJson: MiddlewareHandler<AppEnv> = async (c, next) => {
  if (!isJson(c.req.header('content-type'))) {
    throw new KnowledgeError('unsupported_media_type', 'Send the body as JSON, with the header content-type: application/json.');
  }
  try {
    await c.req.json();
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    throw new KnowledgeError('invalid_json', 'The body is not valid JSON.', { cause: error });
  }
  return next();
};

const optionalJson: MiddlewareHandler<AppEnv> = async (c, next) => {
  if ((await c.req.text()).trim() !== '') return requireJson(c, next);
  // Hono keeps promises there, whatever its type says.
  (c.req.bodyCache as { text?: unknown }).text = Promise.resolve('{}');
  return next();
};

const maxDetails = 20;

const pathOf = (path: readonly unknown[]) =>
  path.map((part) => String(typeof part === 'object' && part !== null && 'key' in part ? part.key : part)).join('.');

type Issue = Readonly<{ path?: readonly unknown[] | undefined; message: string }>;

/** @param below the field that the issues are about, where that is not the whole input */
export function invalidRequest(issues: readonly Issue[], below: readonly string[] = []): KnowledgeError {
  const details = issues.slice(0, maxDetails).map(({ path = [], message }) => ({ path: pathOf([...below, ...path]), message }));
  const [first] = details;
  const where = first && first.path !== '' ? `${first.path}: ` : '';
  return new KnowledgeError('invalid_request', `The request is not valid: ${where}${first?.message ?? 'wrong value'}.`, { details });
}

function rejectInvalid(result: Parameters<NonNullable<Parameters<typeof validator>[2]>>[0]): void {
  if (!result.success) throw invalidRequest(result.error);
}
