/**
 * `/v3/calls`: the calling service's own operations, answered by the embedded call log or by the
 * calling service.
 */
import { z } from 'zod';
import { badRequest, CallsError } from '../../../packages/calls/src/errors.ts';
import { parseCallsQuery, parseQuery } from '../../../packages/calls/src/query.ts';
import {
  callsParameters,
  isUid,
  type Parameter,
  transcriptionsParameters,
} from '../../../packages/calls/src/types.ts';
import type { CallAnswers } from '../../calls/proxy.ts';
import {
  callRecordSchema,
  paginationSchema,
  summaryParameters,
  summarySchema,
  transcriptionSchema,
} from '../../calls/schemas.ts';
import { type App, type AppContext, noUid } from '../auth/caller.ts';
import { parameter, serve, signalOf, type Wire } from '../operation.ts';
import type { OperationId } from '../operations.ts';

/** The documented form; the pagination of an upstream service may differ. */
const meta = z.looseObject({
  pagination: z.looseObject(paginationSchema.partial({ per_page: true }).shape),
});
const callsOutput = z.object({
  data: z.array(callRecordSchema).describe('newest first by initiatedAt'),
  meta,
});
const transcriptionsOutput = z.object({
  data: z.array(transcriptionSchema).describe('newest first'),
  meta,
});

const queryParametersOf = (parameters: Readonly<Record<string, Parameter>>) =>
  Object.entries(parameters).map(([name, { description, schema, style }]) => ({
    name,
    in: 'query' as const,
    description: description.replaceAll(/\bname(?=[[=])/g, name),
    schema,
    ...(style && { style, explode: style === 'deepObject' }),
  }));
export const callsQueryParameters = queryParametersOf(callsParameters);
const callsHeaders = [
  parameter(
    'header',
    'apikey',
    'key of the calling service; not needed with a key or token of this service',
  ),
  parameter(
    'header',
    'onBehalfOf',
    'return only calls of this user; a token of a user accepts only that user',
    { minLength: 1, maxLength: 100 },
  ),
];

const noAccess = (message: string) =>
  new CallsError('AUTH_ERR_NO_ACCESS', message, { status: 403 });

function onBehalfOf(c: AppContext) {
  const { subject } = c.get('caller');
  const asked = c.req.header('onBehalfOf');
  if (asked !== undefined && !isUid(asked)) throw badRequest(noUid);
  if (subject !== undefined && asked !== undefined && asked !== subject)
    throw noAccess('This token names a user and may not act for another one.');
  if (subject !== undefined && !isUid(subject))
    throw noAccess('The subject of this token is not a uid.');
  return subject ?? asked;
}

const unsafeInPath = /[/\\?#\p{Cc}]|\.\./u;

/** The id of the path. It becomes a part of the upstream's path, so nothing may leave that part. */
function sessionIdOf(c: AppContext) {
  const id = c.req.param('sessionId') ?? '';
  let decoded = id;
  try {
    decoded = decodeURIComponent(id);
  } catch {
    // A single percent sign is part of the id.
  }
  if (unsafeInPath.test(id) || unsafeInPath.test(decoded))
    throw badRequest(
      'The sessionId must not contain "/", "\\", "?", "#", ".." or control characters.',
    );
  return id;
}

function askerOf(c: AppContext) {
  const { isAnonymous, callsApiKey, readsAllCalls, subject } = c.get('caller');
  if (isAnonymous && callsApiKey === undefined) {
    throw new CallsError(
      'AUTH_ERR_EMPTY_APIKEY',
      'Send the key of the calling service in the header apikey.',
      { status: 401 },
    );
  }
  if (!readsAllCalls && subject === undefined)
    throw noAccess(
      'This key or token is limited to namespaces, so it cannot read calls. Add the right "calls".',
    );
  return {
    apiKey: callsApiKey,
    onBehalfOf: onBehalfOf(c),
    isProven: subject !== undefined,
    signal: signalOf(c),
  };
}

function isKnown(header: string | undefined, etag: string) {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}

function send(c: AppContext, { body, etag, rateLimit }: Awaited<ReturnType<CallAnswers['get']>>) {
  const { limit, remaining, resetAt } = rateLimit ?? {};
  const rates = { '': limit, '-remaining': remaining, '-reset': resetAt };
  for (const [name, value] of Object.entries(rates))
    if (value !== undefined) c.header(`x-rate-limit${name}`, String(value));
  if (etag !== undefined) {
    c.header('etag', etag);
    c.header('cache-control', 'private, no-cache');
    if (isKnown(c.req.header('if-none-match'), etag)) return c.body(null, 304);
  }
  return c.body(body, 200, { 'content-type': 'application/json' });
}

export function addCallRoutes(app: App, calls: CallAnswers, extraNames: readonly string[]): void {
  /** @param ask gets the query of the URL */
  const serveCalls = (
    id: OperationId,
    output: z.ZodType,
    parameters: NonNullable<Wire<z.ZodType>['parameters']>,
    ask: (
      query: string,
      asker: ReturnType<typeof askerOf>,
      c: AppContext,
    ) => ReturnType<CallAnswers['get']>,
  ) =>
    serve(app, id, { output, parameters: [...parameters, ...callsHeaders] }, async (c) => {
      const asker = askerOf(c);
      return send(c, await ask(new URL(c.req.url).search, asker, c));
    });
  const passedOn = extraNames.map((name) =>
    parameter('query', name, 'sent to the calling service unvalidated (CALLS_EXTRA_PARAMETERS)'),
  );
  serveCalls('listCalls', callsOutput, [...callsQueryParameters, ...passedOn], (query, asker) =>
    calls.list(parseCallsQuery(query, extraNames), asker),
  );
  // Registered before readCall, which would read "summary" as a sessionId.
  const summarized = [...queryParametersOf(summaryParameters), ...passedOn];
  serveCalls('summarizeAllCalls', summarySchema, summarized, (query, asker) => {
    const { by, timeZone, ...filter } = parseQuery(summaryParameters, query, extraNames);
    return calls.summarize(filter, { by, timeZone }, asker);
  });
  serveCalls('readCall', z.object({ data: callRecordSchema }), [], (query, asker, c) => {
    if (query !== '') throw badRequest('This operation takes no parameters.');
    return calls.get(sessionIdOf(c), asker);
  });
  const pages = queryParametersOf(transcriptionsParameters);
  serveCalls('listTranscriptions', transcriptionsOutput, pages, (query, asker, c) => {
    const asked = parseQuery(transcriptionsParameters, query);
    return calls.listTranscriptions(sessionIdOf(c), asked, asker);
  });
}
