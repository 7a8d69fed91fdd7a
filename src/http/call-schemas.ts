/** The wire of `/v3/calls` as it is documented; `calls/query.ts` is what reads a query. */
import { z } from 'zod';
import { callModes, callStatuses, callTypes, receiverTypes } from '../calls/types.ts';

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

export const callOutput = z.object({ data: callRecordOutput });

export const callsOutput = z.object({
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

export const callsErrorOutput = z.object({ error: z.object({ code: z.string(), message: z.string() }) });

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

export const callsHeaders = [
  {
    name: 'onBehalfOf',
    in: 'header' as const,
    description: 'only calls of this user; of a token that names a user it may be no other',
    schema: { type: 'string' as const, minLength: 1, maxLength: 100 },
  },
];
