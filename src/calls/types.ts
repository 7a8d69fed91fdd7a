/** The glossary of the calls, and the port behind which the real service or the embedded log answers. Unknown fields and values pass through. */
import { z } from 'zod';
import { isTimeZone } from './period.ts';

/** `audio` is another word for `voice`. */
export const callTypes = ['voice', 'audio', 'video'] as const;
export const callModes = ['call', 'meet', 'presenter'] as const;
/** `canceled` is another spelling of `cancelled`. */
export const callStatuses = ['initiated', 'cancelled', 'canceled', 'unanswered', 'rejected', 'busy', 'ongoing', 'ended'] as const;
export const missedStatuses: readonly CallStatus[] = ['unanswered', 'cancelled', 'rejected', 'busy'];
export const receiverTypes = ['user', 'group'] as const;

export type CallType = (typeof callTypes)[number];
export type CallStatus = (typeof callStatuses)[number];

const maxUidChars = 100;
/** A header or a log line could be split by these. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what it looks for
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;

/** Whether a text can be a user's id: 1 to 100 characters, none of them a control character. */
export const isUid = (text: string): boolean => text !== '' && text.length <= maxUidChars && !controlCharacter.test(text);

export const listed = (values: readonly string[]) => values.join(', ').replace(/, ([^,]*)$/, ' or $1');

/** @param schema reads the text of the parameter @param wire its JSON schema, and how several values are written (OpenAPI) */
const parameter = <Schema extends z.ZodType>(schema: Schema, description: string, wire: Readonly<Record<string, unknown>>) =>
  schema.optional().meta({ description, ...wire });

const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values, description: string) =>
  parameter(z.enum(values, { error: `must be ${listed(values)}` }), description, { schema: { type: 'string', enum: values } });

const severalOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  parameter(
    z
      .array(z.enum(values, { error: `must be a list of ${listed(values)}` }))
      .transform((given): readonly Values[number][] => [...new Set(given)]),
    'several, by commas (name=a,b) or as an array (name[]=a&name[]=b)',
    { schema: { type: 'array', items: { type: 'string', enum: values } }, style: 'form', explode: false },
  );

/** A plus sign that was not percent-encoded comes out of a query as a space. */
const toFigure = (text: string) => Number(text.replace(' ', ''));
const number = (form: RegExp, message: string) => z.string().regex(form, message).transform(toFigure).refine(Number.isFinite, message);
const ranged = (description: string, maximum: number, usual: number) => {
  const message = `must be a whole number from 1 to ${maximum}`;
  const schema = number(/^\d{1,9}$/, message).refine((value) => value >= 1 && value <= maximum, message);
  return parameter(schema, description, { schema: { type: 'integer', minimum: 1, maximum, default: usual } });
};

const unixSecond = number(/^[1-9]\d{9}$/, 'must be a time in unix seconds, 10 digits').meta({
  wire: { type: 'integer', minimum: 1_000_000_000, maximum: 9_999_999_999 },
});
/** Every finite JSON number from 0, with as many digits as a record shows. */
const minutes = number(/^\d+(?:\.\d+)?(?:e[+ -]?\d+)?$/i, 'must be minutes such as 3, 1.5 or 1e-7').meta({
  wire: { type: 'number', minimum: 0 },
});
const count = number(/^\d{1,9}$/, 'must be a whole number').meta({ wire: { type: 'integer', minimum: 0 } });

/** Comparisons that all have to hold; `eq` is what a bare value means. */
export const operators = ['eq', 'gt', 'gte', 'lt', 'lte'] as const;
export type Comparison = { readonly [Operator in (typeof operators)[number]]?: number | undefined };

function compared(operand: z.ZodType<number, string>, description: string) {
  const wire = operand.meta()?.['wire'];
  const properties = Object.fromEntries(operators.map((operator) => [operator, wire]));
  const object = { type: 'object', additionalProperties: false, properties };
  const schema: z.ZodType<Comparison> = z.object(Object.fromEntries(operators.map((operator) => [operator, operand.optional()])));
  return parameter(schema, `${description}; bare for equal, or with operators that all have to hold: name[gte]=…&name[lt]=…`, {
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

export const usualPerPage = 30;
export const maxPerPage = 100;
export const usualTranscriptionsPerPage = 100;

/** What `GET /v3/calls` takes. Everything that is given has to hold; an empty list and a comparison without an operator ask nothing. */
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
  hideTranscription: flag('true leaves the transcriptions out of the records'),
  uid: parameter(
    z.string().refine(isUid, `must be 1 to ${maxUidChars} characters without control characters`),
    'a user who is initiator, receiver (where that is a user) or participant',
    { schema: { type: 'string', minLength: 1, maxLength: maxUidChars } },
  ),
  page: ranged('from 1', 999_999_999, 1),
  perPage: ranged('calls on a page', maxPerPage, usualPerPage),
});

/** Parameters that this client does not know, by name (`name` or `name[gte]`). They are sent unvalidated. */
export type ExtraParameters = Readonly<Record<string, string | readonly string[]>>;
export type CallsFilter = Readonly<z.output<typeof callsFilter>> & { readonly extra?: ExtraParameters | undefined };

const credentialName = /api_?key|token|secret|password|authori[sz]ation|onbehalfof/i;
/** Whether a name can be an extra parameter: letters, digits and `_`, and not the name of a credential. */
export const isExtraParameter = (name: string): boolean => /^[a-z]\w{0,39}$/i.test(name) && !credentialName.test(name);

export const transcriptionsQuery = z.object({
  page: ranged('from 1', 999_999_999, 1),
  perPage: ranged('transcriptions on a page', 1000, usualTranscriptionsPerPage),
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
  state: z.string().describe('ongoing, ended, unanswered, rejected; others may come'),
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
  startedAt: z.number().exactOptional().describe('missing where the call never started'),
  endedAt: z.number().exactOptional(),
  initiator: z.string(),
  mode: z.string(),
  receiver: z.string(),
  receiverType: z.string(),
  status: z.string(),
  totalParticipants: z.number(),
  type: z.string().describe('audio or video; others may come'),
  mid: z.string(),
  participants: z.array(participantSchema),
  recordings: z.array(recordingSchema).exactOptional(),
  transcriptions: z.array(transcriptionSchema).exactOptional().describe('the newest five'),
  metaData: z
    .union([z.record(z.string(), z.unknown()), z.array(z.unknown())])
    .exactOptional()
    .describe('an object; an empty one comes as []'),
  tags: z.array(z.string()).exactOptional(),
});
export type CallRecord = Readonly<z.output<typeof callRecordSchema>>;

export const paginationSchema = z.object({
  total: z.int(),
  count: z.int().describe('records on this page'),
  per_page: z.int(),
  current_page: z.int(),
  total_pages: z.int().describe('at least 1, also where nothing was found'),
});

export interface ListPage<Row> {
  readonly data: readonly Row[];
  readonly meta: { readonly pagination: Readonly<z.output<typeof paginationSchema>> };
}

/** Newest first by `initiatedAt`, then by `sessionId`, descending. A page beyond the end has no data, but correct figures. */
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

/** Minutes are decimal, to four places; of a user they are their own. */
const figures = {
  calls: z.int(),
  voiceMinutes: z.number().describe('of all participants together'),
  videoMinutes: z.number(),
  durationMinutes: z.number().describe('how long the calls took'),
};
const part = z.object({
  groups: z.array(z.object({ key: z.string().describe('2026-11-21, voice, ended, a uid'), ...figures })),
  leftOut: z.int().describe('groups that are not listed'),
});

/** A call counts for each of its users, so their calls add up to more than the total. Days in their order, others by calls, most first. */
export const summarySchema = z.object({ timeZone: z.string(), total: z.object(figures), by: z.partialRecord(z.enum(summaryKeys), part) });
export type CallsSummary = z.output<typeof summarySchema>;

/** What `GET /v3/calls/summary` takes: of the calls that a filter finds nobody adds up a page. */
export const callsSummaryQuery = callsFilter.omit({ page: true, perPage: true, hideTranscription: true }).extend({
  by: severalOf(summaryKeys),
  timeZone: parameter(
    z.string().max(60).refine(isTimeZone, 'must be the IANA name of a time zone such as Europe/Berlin'),
    'IANA name of the time zone whose days are meant; UTC where it is missing',
    { schema: { type: 'string', maxLength: 60 } },
  ),
});

export interface CallsRequestOptions {
  /** Only calls of this user, as the filter `uid` finds them; an empty one has none. Sent upstream as the header `onBehalfOf`. */
  readonly onBehalfOf?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface CallSource {
  list(filter: CallsFilter, options?: CallsRequestOptions): Promise<CallsPage>;
  get(sessionId: string, options?: CallsRequestOptions): Promise<CallRecord>;
  listTranscriptions(sessionId: string, query?: TranscriptionsQuery, options?: CallsRequestOptions): Promise<TranscriptionsPage>;
}
