/**
 * A call record as it came → as the types say. Only `sessionId` is required. Unknown fields and values pass; a number or flag that was
 * sent as text is read; an optional field that is null or unreadable is left out; a required one that is not there is 0, '', false or [].
 */
import type { Drift } from './drift.ts';
import { type CallRecord, type CallsPage, callModes, callStatuses, type Participant, receiverTypes } from './types.ts';

type Fields = Readonly<Record<string, unknown>>;
type Kind = 'text' | 'number' | 'flag';

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null && !Array.isArray(value);

interface Shape {
  readonly required: Readonly<Record<string, Kind>>;
  readonly optional: Readonly<Record<string, Kind>>;
  readonly closed: Readonly<Record<string, ReadonlySet<string>>>;
}

const callShape: Shape = {
  required: {
    sessionId: 'text',
    totalAudioMinutes: 'number',
    totalVideoMinutes: 'number',
    totalDuration: 'text',
    totalDurationInMinutes: 'number',
    hasRecording: 'flag',
    initiatedAt: 'number',
    initiator: 'text',
    mode: 'text',
    receiver: 'text',
    receiverType: 'text',
    status: 'text',
    totalParticipants: 'number',
    type: 'text',
    mid: 'text',
  },
  optional: { startedAt: 'number', endedAt: 'number' },
  closed: {
    mode: new Set<string>(callModes),
    status: new Set<string>(callStatuses),
    receiverType: new Set<string>(receiverTypes),
    type: new Set(['audio', 'video']),
  },
};

const participantShape: Shape = {
  required: {
    uid: 'text',
    totalAudioMinutes: 'number',
    totalVideoMinutes: 'number',
    totalDuration: 'number',
    isJoined: 'flag',
    state: 'text',
  },
  optional: { deviceId: 'text', joinedAt: 'number', leftAt: 'number', mid: 'text' },
  closed: { state: new Set(['ended', 'unanswered']) },
};

const empty = { text: '', number: 0, flag: false } as const;

const readers: Readonly<Record<Kind, (value: unknown) => string | number | boolean | undefined>> = {
  text: (value) => (typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined),
  number: (value) => {
    if (typeof value === 'number') return value;
    return typeof value === 'string' && /^-?\d+(?:\.\d+)?$/.test(value.trim()) ? Number(value) : undefined;
  },
  flag: (value) => {
    if (typeof value === 'boolean') return value;
    if (value === 1 || value === '1' || value === 'true') return true;
    return value === 0 || value === '0' || value === 'false' ? false : undefined;
  },
};

/** @param prefix of the path of each field */
function readFields(raw: Fields, shape: Shape, prefix: string, drift: Drift): Record<string, unknown> {
  const read: Record<string, unknown> = { ...raw };
  for (const [fields, isRequired] of [
    [shape.required, true],
    [shape.optional, false],
  ] as const) {
    for (const name of Object.keys(fields)) {
      const kind = fields[name] as Kind;
      const given = raw[name];
      const value = readers[kind](given);
      if (given === undefined || given === null) {
        if (isRequired) drift.count('missingFields', prefix + name);
      } else if (value !== given) drift.count('otherTypes', prefix + name);
      if (value !== undefined) read[name] = value;
      else if (isRequired) read[name] = empty[kind];
      else delete read[name];
      const closed = shape.closed[name];
      if (closed && typeof value === 'string' && !closed.has(value)) drift.count('unknownValues', `${prefix}${name}=${value}`);
    }
  }
  return read;
}

function countUnknown(raw: Fields, shape: Shape, prefix: string, drift: Drift, also?: string): void {
  for (const name of Object.keys(raw)) {
    if (name !== also && !Object.hasOwn(shape.required, name) && !Object.hasOwn(shape.optional, name))
      drift.count('unknownFields', prefix + name);
  }
}

function parseParticipants(given: unknown, drift: Drift): Participant[] {
  if (given === undefined || given === null) drift.count('missingFields', 'participants');
  else if (!Array.isArray(given)) drift.count('otherTypes', 'participants');
  if (!Array.isArray(given)) return [];
  return given.flatMap((raw: unknown) => {
    if (!isFields(raw)) {
      drift.count('otherTypes', 'participants[]');
      return [];
    }
    countUnknown(raw, participantShape, 'participants[].', drift);
    return [readFields(raw, participantShape, 'participants[].', drift) as Participant];
  });
}

/** @returns undefined for what has no `sessionId`, which is counted */
export function parseCallRecord(raw: unknown, drift: Drift): CallRecord | undefined {
  const hasSessionId = isFields(raw) && typeof raw['sessionId'] === 'string' && raw['sessionId'] !== '';
  drift.countRecord(hasSessionId);
  if (!hasSessionId) return undefined;
  countUnknown(raw, callShape, '', drift, 'participants');
  const record = readFields(raw, callShape, '', drift);
  return { ...record, participants: parseParticipants(raw['participants'], drift) } as unknown as CallRecord;
}

export interface ReadPage {
  readonly page: CallsPage;
  /** Rows as they came, those without a `sessionId` too. */
  readonly rows: number;
  /** What the answer itself says; undefined where it does not, or not readably. */
  readonly claimed: { readonly total: number | undefined; readonly totalPages: number | undefined; readonly perPage: number | undefined };
}

/**
 * The answer to a list. What the pagination leaves out is filled in from what was asked and what came.
 * @returns undefined where `data` is no list
 */
export function parsePage(json: unknown, asked: { page: number; perPage: number }, drift: Drift): ReadPage | undefined {
  const data = isFields(json) ? json['data'] : undefined;
  if (!isFields(json) || !Array.isArray(data)) return undefined;
  const meta = isFields(json['meta']) ? json['meta'] : {};
  const pagination = isFields(meta['pagination']) ? meta['pagination'] : {};
  const claim = (name: string): number | undefined => {
    const value = readers.number(pagination[name]);
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  };
  const records = data.flatMap((raw: unknown) => parseCallRecord(raw, drift) ?? []);
  const perPage = claim('per_page') ?? asked.perPage;
  const currentPage = claim('current_page') ?? asked.page;
  const total = claim('total') ?? (currentPage - 1) * perPage + data.length;
  return {
    page: {
      data: records,
      meta: {
        pagination: {
          total,
          count: claim('count') ?? data.length,
          per_page: perPage,
          current_page: currentPage,
          total_pages: claim('total_pages') ?? Math.ceil(total / Math.max(1, perPage)),
        },
      },
    },
    rows: data.length,
    claimed: { total: claim('total'), totalPages: claim('total_pages'), perPage: claim('per_page') },
  };
}

/** The answer to one call. @returns undefined where it holds none */
export const parseCallAnswer = (json: unknown, drift: Drift): CallRecord | undefined =>
  isFields(json) ? parseCallRecord(json['data'], drift) : undefined;
