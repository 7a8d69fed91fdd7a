/** Types and schemas of calls, for the real service and the embedded log. Unknown fields and values pass through. */
import { z } from 'zod';
import { isTimeZone } from './period.ts';

/** `audio` means `voice`. */
export const callTypes = ['voice', 'audio', 'video'] as const;
export const callModes = ['call', 'meet', 'presenter'] as const;
/** `canceled` means `cancelled`. */
export const callStatuses = ['initiated', 'cancelled', 'canceled', 'unanswered', 'rejected', 'busy', 'ongoing', 'ended'] as const;
export const missedStatuses: readonly CallStatus[] = ['unanswered', 'cancelled', 'rejected', 'busy'];
export const receiverTypes = ['user', 'group'] as const;

export type CallType = (typeof callTypes)[number];
export type CallStatus = (typeof callStatuses)[number];

const maxUidChars = 100;
/** Characters that could split a header or a log line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: searched on purpose
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;

/** Whether a text can be a user id: 1 to 100 characters, no control characters. */
export const isUid = (text: string): boolean => text !== '' && text.length <= maxUidChars && !controlCharacter.test(text);

export const listed = (values: readonly string[]) => values.join(', ').replace(/, ([^,]*)$/, ' or $1');

/** @param wire OpenAPI schema and style */
const parameter = <Schema extends z.ZodType>(schema: Schema, description: string, wire: Readonly<Record<string, unknown>>) =>
  schema.optional().meta({ description, ...wire });

const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values, description: string) =>
  parameter(z.enum(values, { error: `must be ${listed(values)}` }), description, { schema: { type: 'string', enum: values } });

const severalOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  parameter(
    z
      .array(z.enum(values, { error: `must be a list of ${listed(values)}` }))
      .transform((given): readonly Values[number][] => [...new Set(given)]),
    'comma-separated (name=a,b) or an array (name[]=a&name[]=b)',
    { schema: { type: 'array', items: { type: 'string', enum: values } }, style: 'form', explode: false },
  );

/** In a query, a plus sign that is not percent-encoded means a space. */
const toFigure = (text: string) => Number(text.replace(' ', ''));
const number = (form: RegExp, message: string) => z.string().regex(form, message).transform(toFigure).refine(Number.isFinite, message);
const ranged = (description: string, maximum: number, fallback: number) => {
  const message = `must be a whole number from 1 to ${maximum}`;
  const schema = number(/^\d{1,9}$/, message).refine((value) => value >= 1 && value <= maximum, message);
  return parameter(schema, description, { schema: { type: 'integer', minimum: 1, maximum, default: fallback } });
};

const unixSecond = number(/^[1-9]\d{9}$/, 'must be a time in unix seconds, 10 digits').meta({
  wire: { type: 'integer', minimum: 1_000_000_000, maximum: 9_999_999_999 },
});
/** Accepts any finite JSON number from 0, because records contain all digits. */
const minutes = number(/^\d+(?:\.\d+)?(?:e[+ -]?\d+)?$/i, 'must be minutes such as 3, 1.5 or 1e-7').meta({
  wire: { type: 'number', minimum: 0 },
});
const count = number(/^\d{1,9}$/, 'must be a whole number').meta({ wire: { type: 'integer', minimum: 0 } });

/** All given comparisons must hold. A value without an operator means `eq`. */
export const operators = ['eq', 'gt', 'gte', 'lt', 'lte'] as const;
export type Comparison = { readonly [Operator in (typeof operators)[number]]?: number | undefined };

function compared(operand: z.ZodType<number, string>, description: string) {
  const wire = operand.meta()?.['wire'];
  const properties = Object.fromEntries(operators.map((operator) => [operator, wire]));
  const object = { type: 'object', additionalProperties: false, properties };
  const schema: z.ZodType<Comparison> = z.object(Object.fromEntries(operators.map((operator) => [operator, operand.optional()])));
  return parameter(schema, `${description}; a plain value means equal; several operators must all hold: name[gte]=…&name[lt]=…`, {
    schema: { oneOf: [wire, object] },
    style: 'deepObject',
    explode: true,
  });
}

const flag = (description: string) =>
  parameter(
    z.enum(['true', 'false'], { error: 'must be true or false' }).transform((value) => value === 'true'),
    description,
    {
      schema: { type: 'boolean' },
    },
  );

export const defaultPerPage = 30;
export const maxPerPage = 100;
export const defaultTranscriptionsPerPage = 100;

/** Parameters of `GET /v3/calls`. All must hold; an empty list or comparison has no effect. */
export const callsFilter = z.object({
  type: oneOf(callTypes, 'voice and audio are the same'),
  types: severalOf(callTypes),
  mode: oneOf(callModes, 'kind of call'),
  status: oneOf(callStatuses, 'status of the call; cancelled and canceled are the same'),
  statuses: severalOf(callStatuses),
  receiverType: oneOf(receiverTypes, 'kind of receiver'),
  participantsCount: parameter(count, 'exactly this many participants', { schema: count.meta()?.['wire'] }),
  totalParticipants: compared(count, 'number of participants'),
  initiatedAt: compared(unixSecond, 'unix second, 10 digits'),
  startedAt: compared(unixSecond, 'unix second, 10 digits'),
  endedAt: compared(unixSecond, 'unix second, 10 digits'),
  duration: compared(minutes, 'minutes, decimals allowed'),
  voiceMinutes: compared(minutes, 'minutes, decimals allowed'),
  videoMinutes: compared(minutes, 'minutes, decimals allowed'),
  hasRecording: flag('whether there is a recording'),
  hasTranscription: flag('whether there is a transcription'),
  hideTranscription: flag('true omits the transcriptions of the records'),
  uid: parameter(
    z.string().refine(isUid, `must be 1 to ${maxUidChars} characters without control characters`),
    'user who is initiator, receiver (if that is a user) or participant',
    { schema: { type: 'string', minLength: 1, maxLength: maxUidChars } },
  ),
  page: ranged('page number from 1', 999_999_999, 1),
  perPage: ranged('calls on a page', maxPerPage, defaultPerPage),
});

/** Unknown parameters by name (`name` or `name[gte]`), sent unvalidated. */
export type ExtraParameters = Readonly<Record<string, string | readonly string[]>>;
export type CallsFilter = Readonly<z.output<typeof callsFilter>> & { readonly extra?: ExtraParameters | undefined };

const credentialName = /api_?key|token|secret|password|authori[sz]ation|onbehalfof/i;
/** Whether a name can be an extra parameter: letters, digits and `_`, but no credential. */
export const isExtraParameter = (name: string): boolean => /^[a-z]\w{0,39}$/i.test(name) && !credentialName.test(name);

export const transcriptionsQuery = z.object({
  page: ranged('page number from 1', 999_999_999, 1),
  perPage: ranged('transcriptions on a page', 1000, defaultTranscriptionsPerPage),
});
export type TranscriptionsQuery = Readonly<z.output<typeof transcriptionsQuery>>;

export type ParameterSchema<Query> = z.ZodType<Query> & { readonly shape: Readonly<Record<string, z.ZodType>> };

export const participantSchema = z.looseObject({
  uid: z.string(),
  totalAudioMinutes: z.number(),
  totalVideoMinutes: z.number(),
  totalDuration: z.number().describe('minutes'),
  isJoined: z.boolean(),
  totalDurationInMinutes: z.number().exactOptional().describe('same as totalDuration'),
  state: z.string().describe('ongoing, ended, unanswered, rejected; more values are possible'),
  deviceId: z.string().exactOptional(),
  joinedAt: z.number().exactOptional(),
  leftAt: z.number().exactOptional(),
  mid: z.string().exactOptional(),
});
export type Participant = Readonly<z.output<typeof participantSchema>>;

const recordingSchema = z.looseObject({
  rid: z.string().exactOptional(),
  duration: z.number().exactOptional().describe('minutes'),
  startTime: z.number().exactOptional().describe('unix seconds'),
  endTime: z.number().exactOptional(),
  recording_url: z.string().exactOptional(),
});

/** The server never fetches `transcriptUrl`. */
export const transcriptionSchema = z.looseObject({
  roomName: z.string().exactOptional(),
  mid: z.string().exactOptional().describe('missing if the transcription covers the whole session'),
  tid: z.string().exactOptional(),
  startTime: z.number().exactOptional().describe('unix seconds'),
  endTime: z.number().exactOptional(),
  transcriptDate: z.string().exactOptional().describe('ISO 8601'),
  transcriptUrl: z.string().exactOptional(),
});
export type Transcription = Readonly<z.output<typeof transcriptionSchema>>;

export const callRecordSchema = z.looseObject({
  sessionId: z.string(),
  totalAudioMinutes: z.number(),
  totalVideoMinutes: z.number(),
  totalDuration: z.string().describe('HH:MM:SS'),
  totalDurationInMinutes: z.number(),
  hasRecording: z.boolean(),
  hasTranscription: z.boolean().exactOptional(),
  initiatedAt: z.number().describe('unix seconds'),
  startedAt: z.number().exactOptional().describe('missing if the call never started'),
  endedAt: z.number().exactOptional(),
  initiator: z.string(),
  mode: z.string(),
  receiver: z.string(),
  receiverType: z.string(),
  status: z.string(),
  totalParticipants: z.number(),
  type: z.string().describe('audio or video; more values are possible'),
  mid: z.string(),
  participants: z.array(participantSchema),
  recordings: z.array(recordingSchema).exactOptional(),
  transcriptions: z.array(transcriptionSchema).exactOptional().describe('the newest five'),
  metaData: z
    .union([z.record(z.string(), z.unknown()), z.array(z.unknown())])
    .exactOptional()
    .describe('an object; [] if empty'),
  tags: z.array(z.string()).exactOptional(),
});
export type CallRecord = Readonly<z.output<typeof callRecordSchema>>;

export const paginationSchema = z.object({
  total: z.int(),
  count: z.int().describe('records on this page'),
  per_page: z.int(),
  current_page: z.int(),
  total_pages: z.int().describe('at least 1, even without records'),
});

export interface ListPage<Row> {
  readonly data: readonly Row[];
  readonly meta: { readonly pagination: Readonly<z.output<typeof paginationSchema>> };
}

/** Sorted by `initiatedAt`, then `sessionId`, descending. A page beyond the end has no data, but correct totals. */
export type CallsPage = ListPage<CallRecord>;

export type TranscriptionsPage = ListPage<Transcription>;

export interface RecordField {
  /** `union`: an object or a list. */
  readonly kind: 'string' | 'number' | 'boolean' | 'array' | 'union';
  readonly isOptional: boolean;
}

const fieldsOf = ({ shape }: z.ZodObject): Readonly<Record<string, RecordField>> =>
  Object.fromEntries(
    Object.entries(shape).map(([name, field]) => {
      const required = field instanceof z.ZodExactOptional ? field.unwrap() : field;
      return [name, { kind: required.def.type, isOptional: required !== field }];
    }),
  );

export const callFields = fieldsOf(callRecordSchema);
export const partFields = {
  participants: fieldsOf(participantSchema),
  recordings: fieldsOf(recordingSchema),
  transcriptions: fieldsOf(transcriptionSchema),
} as const;

export const summaryKeys = ['day', 'type', 'status', 'user'] as const;

/** Minutes have four decimal places. In groups by user they are the user's own minutes. */
const figures = {
  calls: z.int(),
  voiceMinutes: z.number().describe('sum of all participants'),
  videoMinutes: z.number(),
  durationMinutes: z.number().describe('length of the calls'),
};
const part = z.object({
  groups: z.array(z.object({ key: z.string().describe('2026-11-21, voice, ended, a uid'), ...figures })),
  leftOut: z.int().describe('number of groups that are not listed'),
});

/** A call counts for each of its users, so the groups by user may exceed the total. Days are in order, other groups by number of calls. */
export const summarySchema = z.object({ timeZone: z.string(), total: z.object(figures), by: z.partialRecord(z.enum(summaryKeys), part) });
export type CallsSummary = z.output<typeof summarySchema>;

export const callsSummaryQuery = callsFilter.omit({ page: true, perPage: true, hideTranscription: true }).extend({
  by: severalOf(summaryKeys),
  timeZone: parameter(
    z.string().max(60).refine(isTimeZone, 'must be the IANA name of a time zone such as Europe/Berlin'),
    'IANA time zone of the days; default UTC',
    { schema: { type: 'string', maxLength: 60 } },
  ),
});

export interface CallsRequestOptions {
  /** Restricts the result to calls of this user, as the filter `uid` does; empty: no calls. Sent upstream as header `onBehalfOf`. */
  readonly onBehalfOf?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface CallSource {
  list(filter: CallsFilter, options?: CallsRequestOptions): Promise<CallsPage>;
  get(sessionId: string, options?: CallsRequestOptions): Promise<CallRecord>;
  listTranscriptions(sessionId: string, query?: TranscriptionsQuery, options?: CallsRequestOptions): Promise<TranscriptionsPage>;
}
