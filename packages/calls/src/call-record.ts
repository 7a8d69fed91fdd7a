/**
 * Parses and filters call records. Only `sessionId` is required; other missing fields become 0, '',
 * false or []. Unknown fields pass, numbers and flags may be text, unreadable optional fields are
 * omitted. Deviations from the published schema are counted, not refused.
 */
import {
  type CallRecord,
  type CallsFilter,
  type Comparison,
  callFields,
  callModes,
  callStatuses,
  callsParameters,
  type ListPage,
  type Parameter,
  partFields,
  type RecordField,
  type RecordFields,
  receiverTypes,
  type Transcription,
} from './types.ts';

export type JsonFields = Readonly<Record<string, unknown>>;

const publishedValues: Readonly<Record<string, readonly string[]>> = {
  mode: callModes,
  receiverType: receiverTypes,
  status: callStatuses,
  type: ['audio', 'video'],
  state: ['ongoing', 'ended', 'unanswered', 'rejected'],
};

/**
 * Counted by path (`platform`, `participants[].platform`) or by path and value (`status=missed`).
 */
const driftKinds = ['unknownFields', 'unknownValues', 'otherTypes', 'missingFields'] as const;
type DriftKind = (typeof driftKinds)[number];
type NameCounts = Readonly<Record<string, number>>;
/** `withoutSessionId`: skipped records. `uncounted`: deviations after the lists were full. */
export type DriftReport = Readonly<
  Record<'records' | 'withoutSessionId' | 'uncounted', number> & Record<DriftKind, NameCounts>
>;

/** Names come from outside, so their number is limited. */
const maxNamesPerKind = 200;
const maxNameChars = 80;

export class Drift {
  readonly #counts = new Map<DriftKind, Map<string, number>>();
  #records = 0;
  #withoutSessionId = 0;
  #uncounted = 0;

  countRecord(hasSessionId: boolean): void {
    if (hasSessionId) this.#records++;
    else this.#withoutSessionId++;
  }

  count(kind: DriftKind, path: string): void {
    const name = path.slice(0, maxNameChars).replace(/[^\x20-\x7e]/g, '?');
    const names = this.#counts.get(kind) ?? new Map<string, number>();
    this.#counts.set(kind, names);
    if (names.size < maxNamesPerKind || names.has(name))
      names.set(name, (names.get(name) ?? 0) + 1);
    else this.#uncounted++;
  }

  report(): DriftReport {
    const names = driftKinds.map((kind) => [
      kind,
      Object.fromEntries(this.#counts.get(kind) ?? []),
    ]);
    return {
      records: this.#records,
      withoutSessionId: this.#withoutSessionId,
      ...(Object.fromEntries(names) as Record<DriftKind, NameCounts>),
      uncounted: this.#uncounted,
    };
  }
}

export const isJsonFields = (value: unknown): value is JsonFields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** Fields of a JSON object; none of other values. */
export const fieldsOf = (value: unknown): JsonFields => (isJsonFields(value) ? value : {});
export function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const empty = { string: '', number: 0, boolean: false, array: [], union: [] } as const;

const readers: Readonly<Record<RecordField['kind'], (value: unknown) => unknown>> = {
  string: (value) =>
    typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined,
  number: readNumber,
  boolean: readFlag,
  array: (value) => (Array.isArray(value) ? value : undefined),
  union: (value) => (typeof value === 'object' ? value : undefined),
};

function readFlag(value: unknown) {
  if (value === true || value === 'true' || value === 1 || value === '1') return true;
  return value === false || value === 'false' || value === 0 || value === '0' ? false : undefined;
}

function readNumber(value: unknown) {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(value.trim())
    ? Number(value)
    : undefined;
}

/** NaN if the value is not a number; no comparison matches NaN. */
export const toNumber = (value: unknown): number => readNumber(value) ?? Number.NaN;

function readField(
  path: string,
  name: string,
  { kind, isOptional }: RecordField,
  given: unknown,
  drift: Drift,
): unknown {
  const value = readers[kind](given);
  if (given === undefined && !isOptional) drift.count('missingFields', path);
  if (value !== given) drift.count('otherTypes', path);
  if (typeof value === 'string' && publishedValues[name]?.includes(value) === false)
    drift.count('unknownValues', `${path}=${value}`);
  return value ?? (isOptional ? undefined : empty[kind]);
}

function readFields(raw: JsonFields, fields: RecordFields, prefix: string, drift: Drift) {
  const read: Record<string, unknown> = { ...raw };
  for (const name of Object.keys(raw))
    if (!Object.hasOwn(fields, name)) drift.count('unknownFields', prefix + name);
  for (const [name, field] of Object.entries(fields)) {
    read[name] = readField(prefix + name, name, field, raw[name] ?? undefined, drift);
    if (read[name] === undefined) delete read[name];
  }
  return read;
}

/** The service uses one of two field names for a participant's minutes. */
const minutesOf = (participant: JsonFields) =>
  participant['totalDuration'] ?? participant['totalDurationInMinutes'];

/**
 * @param name list field of a record @returns undefined if `raw` is not an object; this is counted
 */
function parsePart(name: keyof typeof partFields, raw: unknown, drift: Drift) {
  if (!isJsonFields(raw)) return void drift.count('otherTypes', `${name}[]`);
  const minutes = name === 'participants' ? minutesOf(raw) : undefined;
  return readFields(
    minutes === undefined ? raw : { ...raw, totalDuration: minutes },
    partFields[name],
    `${name}[].`,
    drift,
  );
}

export const parseTranscription = (raw: unknown, drift: Drift): Transcription | undefined =>
  parsePart('transcriptions', raw, drift);

export function parseCallRecord(raw: unknown, drift: Drift): CallRecord | undefined {
  const hasSessionId =
    isJsonFields(raw) && typeof raw['sessionId'] === 'string' && raw['sessionId'] !== '';
  drift.countRecord(hasSessionId);
  if (!hasSessionId) return undefined;
  const record = readFields(raw, callFields, '', drift);
  for (const name of Object.keys(partFields) as (keyof typeof partFields)[]) {
    const parts = record[name];
    if (Array.isArray(parts))
      record[name] = parts.flatMap((part: unknown) => parsePart(name, part, drift) ?? []);
  }
  return record as CallRecord;
}

/**
 * `rows`: number of rows, including unreadable ones. `claimed`: pagination figures in the answer.
 */
export type ReadPage<Row = CallRecord> = Readonly<{
  page: ListPage<Row>;
  rows: number;
  claimed: Readonly<Record<'total' | 'totalPages' | 'perPage', number | undefined>>;
}>;

/** Parses a list answer; computes missing figures. @returns undefined if `data` is not a list */
export function parsePage<Row>(
  json: unknown,
  asked: { page: number; perPage: number },
  parseRow: (raw: unknown) => Row | undefined,
): ReadPage<Row> | undefined {
  const { data, meta } = fieldsOf(json);
  if (!Array.isArray(data)) return undefined;
  const pagination = fieldsOf(fieldsOf(meta)['pagination']);
  const claim = (name: string) => {
    const value = readNumber(pagination[name]);
    return value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  };
  const claimed = {
    total: claim('total'),
    totalPages: claim('total_pages'),
    perPage: claim('per_page'),
  };
  const perPage = claimed.perPage ?? asked.perPage;
  const currentPage = claim('current_page') ?? asked.page;
  const total = claimed.total ?? (currentPage - 1) * perPage + data.length;
  const filled = {
    total,
    count: claim('count') ?? data.length,
    per_page: perPage,
    current_page: currentPage,
    total_pages: claimed.totalPages ?? Math.ceil(total / Math.max(1, perPage)),
  };
  const rows = data.map(parseRow).filter((row) => row !== undefined);
  return { page: { data: rows, meta: { pagination: filled } }, rows: data.length, claimed };
}

export const parseCallAnswer = (json: unknown, drift: Drift): CallRecord | undefined =>
  isJsonFields(json) ? parseCallRecord(json['data'], drift) : undefined;

const synonyms = new Map([
  ['audio', 'voice'],
  ['canceled', 'cancelled'],
]);

const wordFor = (value: string) => synonyms.get(value) ?? value;

/** Text of a field, with one word for synonyms; empty for other values. */
export function wordOf(record: JsonFields, field: string): string {
  const value = record[field];
  return typeof value === 'string' ? wordFor(value) : '';
}

/** Maximum seconds of a Date (ECMA-262, 21.4.1.1). */
export const lastSecond = 8.64e12;
const isUid = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** The log requires `sessionId` and `initiatedAt`. */
export const isCallRecord = (value: unknown): value is CallRecord =>
  isJsonFields(value) &&
  isUid(value['sessionId']) &&
  Math.abs(toNumber(value['initiatedAt'])) <= lastSecond;

type UserMinutes = {
  readonly uid: string;
  voiceMinutes: number;
  videoMinutes: number;
  durationMinutes: number;
};

/** Initiator, receiver (if a user) and participants, each once with their own minutes. */
export function usersOf(record: JsonFields): readonly UserMinutes[] {
  const users: UserMinutes[] = [];
  const add = (uid: unknown, given: JsonFields = {}) => {
    if (!isUid(uid)) return;
    const known = users.find((user) => user.uid === uid);
    const user = known ?? { uid, voiceMinutes: 0, videoMinutes: 0, durationMinutes: 0 };
    if (!known) users.push(user);
    user.voiceMinutes += toNumber(given['totalAudioMinutes']) || 0;
    user.videoMinutes += toNumber(given['totalVideoMinutes']) || 0;
    user.durationMinutes += toNumber(minutesOf(given)) || 0;
  };
  add(record['initiator']);
  if (record['receiverType'] === 'user') add(record['receiver']);
  const participants: unknown = record['participants'];
  for (const participant of Array.isArray(participants) ? participants : [])
    if (isJsonFields(participant)) add(participant['uid'], participant);
  return users;
}

export const takesPart = (record: JsonFields, uid: string): boolean =>
  usersOf(record).some((user) => user.uid === uid);

type Test = (record: CallRecord) => boolean;

/** All return false for NaN. */
const comparisons: Readonly<Record<keyof Comparison, (figure: number, bound: number) => boolean>> =
  {
    eq: (figure, bound) => figure === bound,
    gt: (figure, bound) => figure > bound,
    gte: (figure, bound) => figure >= bound,
    lt: (figure, bound) => figure < bound,
    lte: (figure, bound) => figure <= bound,
  };

/** Tests of a record's field by one value of a filter. Empty comparisons and lists have none. */
function testsOf(field: string, given: unknown): Test[] {
  if (typeof given === 'boolean') return [(record) => (readFlag(record[field]) ?? false) === given];
  if (typeof given === 'number') return testsOf(field, { eq: given });
  if (isJsonFields(given))
    return Object.entries(given as Comparison).flatMap(([operator, bound]) => {
      const holds = comparisons[operator as keyof Comparison];
      return bound === undefined
        ? []
        : [(record: CallRecord) => holds(toNumber(record[field]), bound)];
    });
  const wanted = [given].flat().map((value) => wordFor(String(value)));
  return wanted.length === 0 ? [] : [(record) => wanted.includes(wordOf(record, field))];
}

/** Compiles a filter, because it runs on every record. @param onBehalfOf user who must take part */
export function compileFilter(filter: CallsFilter, onBehalfOf?: string): Test {
  const parameters: Readonly<Record<string, Parameter>> = callsParameters;
  const tests = Object.entries(filter).flatMap(([name, given]) => {
    const field = parameters[name]?.of;
    return field === undefined || given === undefined ? [] : testsOf(field, given);
  });
  for (const uid of [onBehalfOf, filter.uid])
    if (uid !== undefined) tests.push((record) => takesPart(record, uid));
  return (record) => tests.every((test) => test(record));
}
