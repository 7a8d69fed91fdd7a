/**
 * `/v3/calls`, the calling service's own operation: who may ask, for whom, and what comes back; whether an upstream or the embedded call
 * log answers is not known here. And the chat tools over calls, for whoever builds a chat: scoped to the user who asks, as the agent's are.
 */
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { type CallsTools, listCallsInput, listCallsOutput, summarizeCallsInput, summarizeCallsOutput } from '../../app/user-calls.ts';
import { badRequest, CallsError } from '../../calls/errors.ts';
import type { CallAnswer, CallAnswers, CallsAsker } from '../../calls/proxy.ts';
import { isUid, parseCallsQuery } from '../../calls/query.ts';
import { callModes, callStatuses, callTypes, receiverTypes } from '../../calls/types.ts';
import { type AppEnv, callerActingUser } from '../auth/caller.ts';
import { serve, signalOf } from '../operation.ts';

/** The wire as it is documented; `calls/query.ts` is what reads a query. */
const participantOutput = z.looseObject({
  uid: z.string(),
  totalAudioMinutes: z.number(),
  totalVideoMinutes: z.number(),
  totalDuration: z.number().describe('minutes'),
  isJoined: z.boolean(),
  state: z.string().describe('ended, unanswered; others may come'),
  deviceId: z.string().optional(),
  joinedAt: z.number().optional(),
  leftAt: z.number().optional(),
  mid: z.string().optional(),
});

const callRecordOutput = z.looseObject({
  sessionId: z.string(),
  totalAudioMinutes: z.number(),
  totalVideoMinutes: z.number(),
  totalDuration: z.string().describe('HH:MM:SS'),
  totalDurationInMinutes: z.number(),
  hasRecording: z.boolean(),
  initiatedAt: z.number().describe('unix seconds'),
  startedAt: z.number().optional().describe('missing where the call never started'),
  endedAt: z.number().optional(),
  initiator: z.string(),
  mode: z.string(),
  receiver: z.string(),
  receiverType: z.string(),
  status: z.string(),
  totalParticipants: z.number(),
  type: z.string().describe('audio or video; others may come'),
  mid: z.string(),
  participants: z.array(participantOutput),
});

const callsOutput = z.object({
  data: z.array(callRecordOutput).describe('newest first by initiatedAt'),
  meta: z.looseObject({
    pagination: z.looseObject({
      total: z.number(),
      count: z.number(),
      per_page: z.number().optional(),
      current_page: z.number(),
      total_pages: z.number(),
    }),
  }),
});

type JsonSchema = Readonly<Record<string, unknown>>;

const query = (name: string, description: string, schema: JsonSchema, more: JsonSchema = {}) => ({
  name,
  in: 'query' as const,
  description,
  schema,
  ...more,
});

const one = (name: string, values: readonly string[], description: string) => query(name, description, { type: 'string', enum: values });

const several = (name: string, values: readonly string[]) =>
  query(
    name,
    `several, by commas (${name}=a,b) or as an array (${name}[]=a&${name}[]=b)`,
    { type: 'array', items: { type: 'string', enum: values } },
    { style: 'form', explode: false },
  );

/** `name=5` or `name[gte]=5&name[lt]=9`. */
const compared = (name: string, description: string, operand: JsonSchema) =>
  query(
    name,
    `${description}; bare for equal, or with operators that all have to hold: ${name}[gte]=…&${name}[lt]=…`,
    {
      oneOf: [
        operand,
        {
          type: 'object',
          additionalProperties: false,
          properties: Object.fromEntries(['eq', 'gt', 'gte', 'lt', 'lte'].map((operator) => [operator, operand])),
        },
      ],
    },
    { style: 'deepObject', explode: true },
  );

const unixSecond = { type: 'integer', minimum: 1_000_000_000, maximum: 9_999_999_999 };
const minutes = { type: 'number', minimum: 0 };
const count = { type: 'integer', minimum: 0 };

export const callsQueryParameters = [
  one('type', callTypes, 'voice finds records whose type is audio'),
  several('types', callTypes),
  one('mode', callModes, 'kind of call'),
  one('status', callStatuses, 'status of the call'),
  several('statuses', callStatuses),
  one('receiverType', receiverTypes, 'kind of receiver'),
  query('participantsCount', 'exactly this many participants', count),
  compared('totalParticipants', 'number of participants', count),
  compared('initiatedAt', 'unix second, 10 digits', unixSecond),
  compared('startedAt', 'unix second, 10 digits', unixSecond),
  compared('endedAt', 'unix second, 10 digits', unixSecond),
  compared('duration', 'minutes, decimals allowed', minutes),
  compared('voiceMinutes', 'minutes, decimals allowed', minutes),
  compared('videoMinutes', 'minutes, decimals allowed', minutes),
  query('hasRecording', 'whether there is a recording', { type: 'boolean' }),
  query('uid', 'a user who is initiator, receiver or participant', { type: 'string', minLength: 1, maxLength: 100 }),
  query('page', 'from 1', { type: 'integer', minimum: 1, default: 1 }),
  query('perPage', 'calls on a page', { type: 'integer', minimum: 1, maximum: 100, default: 30 }),
];

const callsHeaders = [
  {
    name: 'apikey',
    in: 'header' as const,
    description: 'the key of the calling service; not needed beside a key or token of this service',
    schema: { type: 'string' as const },
  },
  {
    name: 'onBehalfOf',
    in: 'header' as const,
    description: 'only calls of this user; of a token that names a user it may be no other',
    schema: { type: 'string' as const, minLength: 1, maxLength: 100 },
  },
];

/**
 * For whom the caller asks. A token that names a user speaks for that user alone; a key speaks for whomever its holder says.
 * @throws CallsError
 */
function onBehalfOf(c: Context<AppEnv>): string | undefined {
  const { subject } = c.get('caller');
  const asked = c.req.header('onBehalfOf');
  if (asked !== undefined && !isUid(asked)) {
    throw badRequest('The header onBehalfOf has to be the uid of a user: 1 to 100 characters without control characters.');
  }
  if (subject !== undefined && asked !== undefined && asked !== subject) {
    throw new CallsError('AUTH_ERR_NO_ACCESS', 'This token names a user, and may not ask on behalf of another.', { status: 403 });
  }
  if (subject !== undefined && !isUid(subject)) {
    throw new CallsError('AUTH_ERR_NO_ACCESS', 'The subject of this token is no uid.', { status: 403 });
  }
  return subject ?? asked;
}

/** @throws CallsError `AUTH_ERR_EMPTY_APIKEY` where nothing says who is asking */
function askerOf(c: Context<AppEnv>, signal: AbortSignal): CallsAsker {
  const { isAnonymous, callsApiKey, namespaces, subject } = c.get('caller');
  if (isAnonymous && callsApiKey === undefined) {
    throw new CallsError('AUTH_ERR_EMPTY_APIKEY', 'The header apikey is needed.', { status: 401 });
  }
  if (namespaces !== undefined && subject === undefined) {
    throw new CallsError('AUTH_ERR_NO_ACCESS', 'This key or token is limited to namespaces, and calls are in none of them.', {
      status: 403,
    });
  }
  return { apiKey: callsApiKey, onBehalfOf: onBehalfOf(c), signal };
}

function isKnown(header: string | undefined, etag: string): boolean {
  const tags = (header ?? '').split(',').map((tag) => tag.trim().replace(/^W\//, ''));
  return tags.includes('*') || tags.includes(etag);
}

function send(c: Context<AppEnv>, { body, etag, rateLimit }: CallAnswer): Response {
  if (rateLimit?.limit !== undefined) c.header('x-rate-limit', String(rateLimit.limit));
  if (rateLimit?.remaining !== undefined) c.header('x-rate-limit-remaining', String(rateLimit.remaining));
  if (rateLimit?.resetAt !== undefined) c.header('x-rate-limit-reset', String(rateLimit.resetAt));
  if (etag !== undefined) {
    c.header('etag', etag);
    c.header('cache-control', 'private, no-cache');
    if (isKnown(c.req.header('if-none-match'), etag)) return c.body(null, 304);
  }
  return c.body(body, 200, { 'content-type': 'application/json' });
}

export function addCallRoutes(app: Hono<AppEnv>, calls: CallAnswers): void {
  serve(app, 'listCalls', { output: callsOutput, parameters: [...callsQueryParameters, ...callsHeaders] }, async (c) => {
    const asker = askerOf(c, signalOf(c));
    return send(c, await calls.list(parseCallsQuery(new URL(c.req.url).search), asker));
  });

  serve(app, 'readCall', { output: z.object({ data: callRecordOutput }), parameters: callsHeaders }, async (c) => {
    const asker = askerOf(c, signalOf(c));
    if (new URL(c.req.url).search !== '') throw badRequest('This operation takes no parameters.');
    return send(c, await calls.get(c.req.param('sessionId') ?? '', asker));
  });
}

const userHeader = {
  name: 'onBehalfOf',
  in: 'header' as const,
  required: false,
  description: 'uid of the user who asks; only a key of CALLS_TRUSTED_KEYS may set it, a token speaks for its subject',
  schema: { type: 'string' as const },
};

export function addCallsToolRoutes(app: Hono<AppEnv>, { listCalls, summarizeCalls }: CallsTools): void {
  serve(app, 'listMyCalls', { output: listCallsOutput, body: listCallsInput, parameters: [userHeader] }, async (c, input) =>
    c.json(await listCalls(input, callerActingUser(c), signalOf(c))),
  );
  serve(app, 'summarizeCalls', { output: summarizeCallsOutput, body: summarizeCallsInput, parameters: [userHeader] }, async (c, input) =>
    c.json(await summarizeCalls(input, callerActingUser(c), signalOf(c))),
  );
}
