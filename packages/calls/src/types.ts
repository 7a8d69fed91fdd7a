/**
 * Types, query parameters and fields of calls, for the real service and the embedded log. Unknown
 * fields and values pass through.
 */

/** `audio` means `voice`. */
export const callTypes = ['voice', 'audio', 'video'] as const;
export const callModes = ['call', 'meet', 'presenter'] as const;
/** `canceled` means `cancelled`. */
export const callStatuses = [
  'initiated',
  'cancelled',
  'canceled',
  'unanswered',
  'rejected',
  'busy',
  'ongoing',
  'ended',
] as const;
export const missedStatuses: NonNullable<CallsFilter['statuses']> = [
  'unanswered',
  'cancelled',
  'rejected',
  'busy',
];
export const receiverTypes = ['user', 'group'] as const;

const maxUidChars = 100;
/** Characters that could split a header or a log line. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: searched on purpose
const controlCharacter = /[\u0000-\u001f\u007f-\u009f]/;

/** Whether a text can be a user id: 1 to 100 characters, no control characters. */
export const isUid = (text: string): boolean =>
  text !== '' && text.length <= maxUidChars && !controlCharacter.test(text);

export const listed = (values: readonly string[]) =>
  values.join(', ').replace(/, ([^,]*)$/, ' or $1');

/**
 * `read` returns undefined for invalid text, which is refused with `message`. A `form` is a list, a
 * `deepObject` has comparisons.
 */
export interface Parameter<Value = unknown> {
  readonly description: string;
  readonly schema: object;
  readonly style?: 'form' | 'deepObject';
  /** Field of a record that it filters. */
  readonly of?: string;
  readonly message: string;
  readonly read: (text: string) => Value | undefined;
}

const oneOf = <const Value extends string>(values: readonly Value[], description: string) => ({
  description,
  schema: { type: 'string', enum: values },
  message: `must be ${listed(values)}`,
  read: (text: string) => values.find((value) => value === text),
});

export const severalOf = <const Value extends string>(values: readonly Value[]) => ({
  ...oneOf(values, 'comma-separated (name=a,b) or an array (name[]=a&name[]=b)'),
  schema: { type: 'array', items: { type: 'string', enum: values } },
  style: 'form' as const,
  message: `must be a list of ${listed(values)}`,
});

const figure = (
  form: RegExp,
  message: string,
  schema: { type: string; minimum: number; maximum?: number; default?: number },
) => ({
  schema,
  message,
  read(text: string) {
    // In a query, a plus sign that is not percent-encoded means a space.
    const value = form.test(text) ? Number(text.replace(' ', '')) : Number.NaN;
    return value >= schema.minimum && value <= (schema.maximum ?? Number.MAX_VALUE)
      ? value
      : undefined;
  },
});
const ranged = (description: string, maximum: number, fallback: number) => ({
  description,
  ...figure(/^\d{1,9}$/, `must be a whole number from 1 to ${maximum}`, {
    type: 'integer',
    minimum: 1,
    maximum,
    default: fallback,
  }),
});

const unixSecond = figure(/^[1-9]\d{9}$/, 'must be a time in unix seconds, 10 digits', {
  type: 'integer',
  minimum: 1_000_000_000,
  maximum: 9_999_999_999,
});
/** Accepts any finite JSON number from 0, because records contain all digits. */
const minutes = figure(
  /^\d+(?:\.\d+)?(?:e[+ -]?\d+)?$/i,
  'must be minutes such as 3, 1.5 or 1e-7',
  { type: 'number', minimum: 0 },
);
const count = figure(/^\d{1,9}$/, 'must be a whole number', { type: 'integer', minimum: 0 });

/** All given comparisons must hold. A value without an operator means `eq`. */
export const operators = ['eq', 'gt', 'gte', 'lt', 'lte'] as const;
export type Comparison = { readonly [Operator in (typeof operators)[number]]?: number | undefined };

function compared(
  of: string,
  { schema, ...operand }: Omit<Parameter<number>, 'description'>,
  description: string,
) {
  const properties = Object.fromEntries(operators.map((operator) => [operator, schema]));
  return {
    description: `${description}; a plain value means equal; several operators must all hold: name[gte]=…&name[lt]=…`,
    schema: { oneOf: [schema, { type: 'object', additionalProperties: false, properties }] },
    ...operand,
    of,
    style: 'deepObject' as const,
  };
}

const comparedTime = (of: string) => compared(of, unixSecond, 'unix second, 10 digits');
const comparedMinutes = (of: string) => compared(of, minutes, 'minutes, decimals allowed');

const flag = (description: string) => ({
  ...oneOf(['true', 'false'], description),
  schema: { type: 'boolean' },
  read: (text: string) => text === 'true' || (text === 'false' ? false : undefined),
});

export const defaultPerPage = 30;
export const maxPerPage = 100;
export const defaultTranscriptionsPerPage = 100;

const page = ranged('page number from 1', 999_999_999, 1);

/** Parameters of `GET /v3/calls`. All must hold; an empty list or comparison has no effect. */
export const callsParameters = {
  type: { of: 'type', ...oneOf(callTypes, 'voice and audio are the same') },
  types: { of: 'type', ...severalOf(callTypes) },
  mode: { of: 'mode', ...oneOf(callModes, 'kind of call') },
  status: {
    of: 'status',
    ...oneOf(callStatuses, 'status of the call; cancelled and canceled are the same'),
  },
  statuses: { of: 'status', ...severalOf(callStatuses) },
  receiverType: { of: 'receiverType', ...oneOf(receiverTypes, 'kind of receiver') },
  participantsCount: {
    of: 'totalParticipants',
    ...count,
    description: 'exactly this many participants',
  },
  totalParticipants: compared('totalParticipants', count, 'number of participants'),
  initiatedAt: comparedTime('initiatedAt'),
  startedAt: comparedTime('startedAt'),
  endedAt: comparedTime('endedAt'),
  duration: comparedMinutes('totalDurationInMinutes'),
  voiceMinutes: comparedMinutes('totalAudioMinutes'),
  videoMinutes: comparedMinutes('totalVideoMinutes'),
  hasRecording: { of: 'hasRecording', ...flag('whether there is a recording') },
  hasTranscription: { of: 'hasTranscription', ...flag('whether there is a transcription') },
  hideTranscription: flag('true omits the transcriptions of the records'),
  uid: {
    description: 'user who is initiator, receiver (if that is a user) or participant',
    schema: { type: 'string', minLength: 1, maxLength: maxUidChars },
    message: `must be 1 to ${maxUidChars} characters without control characters`,
    read: (text: string) => (isUid(text) ? text : undefined),
  },
  page,
  perPage: ranged('calls on a page; also per_page', maxPerPage, defaultPerPage),
};

export const transcriptionsParameters = {
  page,
  perPage: ranged('transcriptions on a page; also per_page', 1000, defaultTranscriptionsPerPage),
};

/** Other names of parameters, as answers spell them. */
export const otherNames: ReadonlyMap<string, string> = new Map([['per_page', 'perPage']]);

type Read<Given> =
  Given extends Parameter<infer Value>
    ? Given extends { style: infer Style }
      ? { form: readonly Value[]; deepObject: Comparison }[Style & ('form' | 'deepObject')]
      : Value
    : never;
export type QueryOf<Parameters> = {
  readonly [Name in keyof Parameters]?: Read<Parameters[Name]> | undefined;
};

/** Unknown parameters by name (`name` or `name[gte]`), sent unvalidated. */
export type ExtraParameters = Readonly<Record<string, string | readonly string[]>>;
export interface CallsFilter extends QueryOf<typeof callsParameters> {
  readonly extra?: ExtraParameters | undefined;
}
export interface TranscriptionsQuery extends QueryOf<typeof transcriptionsParameters> {}

const credentialName = /api_?key|token|secret|password|authori[sz]ation|onbehalfof/i;
/** Whether a name can be an extra parameter: letters, digits and `_`, but no credential. */
export const isExtraParameter = (name: string): boolean =>
  /^[a-z]\w{0,39}$/i.test(name) && !credentialName.test(name);

export interface RecordField {
  /** `union`: an object or a list. */
  readonly kind: 'string' | 'number' | 'boolean' | 'array' | 'union';
  readonly description: string;
  readonly isOptional: boolean;
  /** Fields of the entries of a list; without them, the entries are text. */
  readonly items?: RecordFields;
}
export type RecordFields = Readonly<Record<string, RecordField>>;

const required = <const Kind extends RecordField['kind']>(kind: Kind, description = '') =>
  ({ kind, description, isOptional: false }) as const;
const optional = <const Kind extends RecordField['kind']>(kind: Kind, description = '') =>
  ({ kind, description, isOptional: true }) as const;

/** Fields of the objects in a record's lists. The client never fetches a URL of them. */
export const partFields = {
  participants: {
    uid: required('string'),
    totalAudioMinutes: required('number'),
    totalVideoMinutes: required('number'),
    totalDuration: required('number', 'minutes'),
    isJoined: required('boolean'),
    totalDurationInMinutes: optional('number', 'same as totalDuration'),
    state: required('string', 'ongoing, ended, unanswered, rejected; more values are possible'),
    deviceId: optional('string'),
    joinedAt: optional('number'),
    leftAt: optional('number'),
    mid: optional('string'),
  },
  recordings: {
    rid: optional('string'),
    duration: optional('number', 'minutes'),
    startTime: optional('number', 'unix seconds'),
    endTime: optional('number'),
    recording_url: optional('string'),
  },
  transcriptions: {
    roomName: optional('string'),
    mid: optional('string', 'missing if the transcription covers the whole session'),
    tid: optional('string'),
    startTime: optional('number', 'unix seconds'),
    endTime: optional('number'),
    transcriptDate: optional('string', 'ISO 8601'),
    transcriptUrl: optional('string'),
  },
};

export const callFields = {
  sessionId: required('string'),
  totalAudioMinutes: required('number'),
  totalVideoMinutes: required('number'),
  totalDuration: required('string', 'HH:MM:SS'),
  totalDurationInMinutes: required('number'),
  hasRecording: required('boolean'),
  hasTranscription: optional('boolean'),
  initiatedAt: required('number', 'unix seconds'),
  startedAt: optional('number', 'missing if the call never started'),
  endedAt: optional('number'),
  initiator: required('string'),
  mode: required('string'),
  receiver: required('string'),
  receiverType: required('string'),
  status: required('string'),
  totalParticipants: required('number'),
  type: required('string', 'audio or video; more values are possible'),
  mid: required('string'),
  participants: { ...required('array'), items: partFields.participants },
  recordings: { ...optional('array'), items: partFields.recordings },
  transcriptions: { ...optional('array', 'the newest five'), items: partFields.transcriptions },
  url: optional('string', 'address of the call'),
  metaData: optional('union', 'an object; [] if empty'),
  tags: optional('array'),
};

type Plain = {
  string: string;
  number: number;
  boolean: boolean;
  array: string[];
  union: Record<string, unknown> | unknown[];
};
type ValueOf<Field extends RecordField> = Field extends { items: infer Items extends RecordFields }
  ? RecordOf<Items>[]
  : Plain[Field['kind']];
type RecordOf<Fields extends RecordFields> = {
  readonly [Name in keyof Fields as Fields[Name] extends { isOptional: true }
    ? never
    : Name]: ValueOf<Fields[Name]>;
} & {
  readonly [Name in keyof Fields as Fields[Name] extends { isOptional: true }
    ? Name
    : never]?: ValueOf<Fields[Name]>;
} & { readonly [unknownField: string]: unknown };

export interface CallRecord extends RecordOf<typeof callFields> {}
export interface Participant extends RecordOf<typeof partFields.participants> {}
export interface Transcription extends RecordOf<typeof partFields.transcriptions> {}

export interface ListPage<Row> {
  readonly data: readonly Row[];
  readonly meta: {
    readonly pagination: Readonly<
      Record<'total' | 'count' | 'per_page' | 'current_page' | 'total_pages', number>
    >;
  };
}

/**
 * Sorted by `initiatedAt`, then `sessionId`, descending. A page beyond the end has no data, but
 * correct totals.
 */
export type CallsPage = ListPage<CallRecord>;

export type TranscriptionsPage = ListPage<Transcription>;

export interface CallsRequestOptions {
  /**
   * Restricts the result to calls of this user, as the filter `uid` does; empty: no calls. Sent
   * upstream as header `onBehalfOf`.
   */
  readonly onBehalfOf?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Each throws CallsError; `ERR_CALL_SESSION_NOT_FOUND` for an unknown session. */
export interface CallSource {
  /** One page, newest first. */
  list(filter?: CallsFilter, options?: CallsRequestOptions): Promise<CallsPage>;
  get(sessionId: string, options?: CallsRequestOptions): Promise<CallRecord>;
  /** One page, newest first. The URLs in it are never fetched. */
  listTranscriptions(
    sessionId: string,
    query?: TranscriptionsQuery,
    options?: CallsRequestOptions,
  ): Promise<TranscriptionsPage>;
}
