/**
 * Parses webhook events of calls, merges them by session and stores them. The platform may repeat
 * and reorder events; neither changes the result.
 */

import {
  isJsonFields,
  type JsonFields,
  readFlag,
  toNumber,
} from '../../packages/calls/src/call-record.ts';
import type { CallRecord } from '../../packages/calls/src/types.ts';
import { createSerialQueue } from '../../packages/shared/src/concurrency/queue.ts';
import { parseLine } from '../disk/line-file.ts';

/** One stay of a user in a call. A user who rejoins has several stays. */
export interface Stay {
  /** Empty if the event has only a name. */
  readonly uid: string;
  readonly name: string;
  readonly joinedAt: number;
  readonly leftAt?: number | undefined;
  readonly isAudio?: boolean | undefined;
}

/**
 * Fields for which `mergeEvents` takes the smallest value, so the order of events has no effect.
 */
const smallestFields = [
  'sessionId',
  'initiatedAt',
  'startedAt',
  'type',
  'mode',
  'initiator',
  'receiver',
  'receiverType',
] as const;

/** Times are unix seconds. An event without `sessionId` has only a `conversation`. */
export interface CallEvents
  extends Readonly<{ [Name in (typeof smallestFields)[number]]?: CallRecord[Name] | undefined }> {
  readonly conversation?: string | undefined;
  readonly endedAt?: number | undefined;
  readonly isEnded?: boolean | undefined;
  readonly outcome?: { readonly status: string; readonly at: number } | undefined;
  readonly hasRecording?: boolean | undefined;
  /** Uid by name. */
  readonly names?: Readonly<Record<string, string>> | undefined;
  readonly stays?: readonly Stay[] | undefined;
}

const best = <T>(values: readonly T[], isBetter: (a: T, b: T) => boolean): T | undefined =>
  values.length === 0 ? undefined : values.reduce((a, b) => (isBetter(b, a) ? b : a));
const smallest = <T extends number | string>(values: readonly T[]) => best(values, (a, b) => a < b);
const largest = (values: readonly number[]) => best(values, (a, b) => a > b);

function joinStays(all: readonly Stay[]): Stay[] {
  const byStay = Map.groupBy(all, ({ uid, name, joinedAt }) =>
    JSON.stringify([uid, name, joinedAt]),
  );
  const joined = [...byStay].map(([key, same]) => {
    const { uid, name, joinedAt } = same[0] as Stay;
    const leftAt = largest(same.flatMap((stay) => stay.leftAt ?? []));
    const said = same.flatMap((stay) => stay.isAudio ?? []);
    return { key, stay: { uid, name, joinedAt, leftAt, isAudio: said.includes(true) || said[0] } };
  });
  return joined
    .sort((a, b) => a.stay.joinedAt - b.stay.joinedAt || (a.key < b.key ? -1 : 1))
    .map(({ stay }) => stay);
}

/** Merges the events of one session, in any order, even if they contradict each other. */
export function mergeEvents(events: readonly CallEvents[]): CallEvents {
  const all = <Name extends keyof CallEvents>(name: Name) =>
    events
      .map((event) => event[name])
      .filter((value): value is NonNullable<CallEvents[Name]> => value !== undefined);
  /** A name that two users share gets an empty uid. */
  const names = new Map<string, string>();
  for (const [name, uid] of all('names').flatMap((some) => Object.entries(some)))
    names.set(name, (names.get(name) ?? uid) === uid ? uid : '');
  const stays = all('stays').flatMap((some) =>
    some.map((stay) => ({ ...stay, uid: stay.uid || names.get(stay.name) || '' })),
  );
  return {
    ...Object.fromEntries(
      smallestFields.map((name) => [name, smallest<number | string>(all(name))]),
    ),
    endedAt: largest(all('endedAt')),
    isEnded: all('isEnded').includes(true),
    outcome: best(all('outcome'), (a, b) => a.at > b.at || (a.at === b.at && a.status < b.status)),
    hasRecording: all('hasRecording').includes(true),
    stays: joinStays(stays),
  };
}

// The parser tolerates quirks of the platform: numbers and flags as strings, `sessionid` deep
// inside ringing events and missing from busy, cancelled, rejected and unanswered ones, occupants
// without a uid, no `data`.

/** Larger numbers are milliseconds; seconds stay below until the year 5138. */
const firstMilliseconds = 1e11;
const outcomes = new Map(
  ['busy', 'cancelled', 'rejected', 'unanswered'].map((status) => [`call_${status}`, status]),
);
outcomes.set('call_canceled', 'cancelled');
const ofSession = /^(?:call|meeting)_(?:started|participant_joined|participant_left|(ended))$/;
const maxTextChars = 256;
const maxOccupants = 1_000;

const object = (value: unknown): JsonFields => (isJsonFields(value) ? value : {});
const text = (...values: readonly unknown[]): string | undefined =>
  values
    .map((value) => (typeof value === 'number' ? String(value) : value))
    .find(
      (value): value is string =>
        typeof value === 'string' && value !== '' && value.length <= maxTextChars,
    );

function seconds(...values: readonly unknown[]): number | undefined {
  for (const value of values) {
    const number = toNumber(value);
    if (Number.isFinite(number) && number > 0)
      return Math.floor(number >= firstMilliseconds ? number / 1000 : number);
  }
  return undefined;
}

function toStay(value: unknown): Stay | undefined {
  const occupant = object(value);
  const joinedAt = seconds(occupant['joined_at'], occupant['joinedAt']);
  const [uid, name] = [
    text(occupant['uid'], occupant['user_id']) ?? '',
    text(occupant['name']) ?? '',
  ];
  if (joinedAt === undefined || (uid === '' && name === '')) return undefined;
  const leftAt = seconds(occupant['left_at'], occupant['leftAt']);
  return { uid, name, joinedAt, leftAt, isAudio: readFlag(occupant['audio_call']) };
}

/**
 * Parses `call_initiated` and outcomes of a ringing call. The platform sends them as a chat message
 * that contains the call.
 */
function fromRinging(trigger: string, call: JsonFields): CallEvents {
  const entities = object(object(call['data'])['entities']);
  const entity = (name: string) => object(object(entities[name])['entity']);
  const on = entity('on');
  const at = seconds(call['sentAt'], call['updatedAt']);
  const named = [entity('by'), entity('for')].flatMap(({ uid, name }): [string, string][] => {
    const [who, called] = [text(uid), text(name)];
    return who !== undefined && called !== undefined ? [[called, who]] : [];
  });
  const [by, to] = named;
  const status = outcomes.get(trigger);
  return {
    sessionId: text(on['sessionid'], on['sessionId'], call['sessionid'], call['sessionId']),
    conversation: text(call['conversationId'], on['conversationId']),
    names: by?.[0] === to?.[0] ? undefined : Object.fromEntries(named),
    outcome: status !== undefined && at !== undefined ? { status, at } : undefined,
    initiatedAt: seconds(on['initiatedAt'], status === undefined ? at : undefined),
    initiator: text(on['sender'], status === undefined ? call['sender'] : undefined),
    receiver: text(on['receiver'], status === undefined ? call['receiver'] : undefined),
    receiverType: text(call['receiverType'], on['receiverType']),
    type: text(call['type'], on['type']),
    mode: 'call',
  };
}

function fromSession(trigger: string, body: JsonFields, data: JsonFields): CallEvents {
  const occupants = Array.isArray(data['all_occupants'])
    ? data['all_occupants'].slice(0, maxOccupants)
    : [];
  const stays = [data['occupant'], ...occupants].flatMap((occupant) => toStay(occupant) ?? []);
  const isEnded = ofSession.exec(trigger)?.[1] !== undefined;
  return {
    sessionId: text(data['sessionId'], data['sessionid'], data['session_id']),
    startedAt: seconds(data['created_at']),
    endedAt: isEnded ? seconds(data['destroyed_at']) : undefined,
    isEnded: isEnded || undefined,
    mode: text(body['type']) ?? (trigger.startsWith('meeting_') ? 'meet' : 'call'),
    stays,
  };
}

/** @returns undefined for other events; an error would make the platform send them again */
export function parseCallEvent(payload: unknown): CallEvents | undefined {
  const body = object(payload);
  const trigger = text(body['trigger']) ?? '';
  const data = object(body['data']);
  let events: CallEvents;
  if (trigger === 'call_initiated' || outcomes.has(trigger))
    events = fromRinging(trigger, object(data['call']));
  else if (ofSession.test(trigger)) events = fromSession(trigger, body, data);
  else if (trigger === 'recording_generated')
    events = { sessionId: text(data['sessionId'], data['sessionid']), hasRecording: true };
  else return undefined;
  const isPlaced =
    events.sessionId !== undefined ||
    (events.conversation !== undefined && events.outcome !== undefined);
  return isPlaced ? JSON.parse(JSON.stringify(events)) : undefined;
}

const maxRingSeconds = 600;
const maxUnplaced = 1_000;

/**
 * Whether an outcome without a session may belong to `ring`: same conversation, and `ring` was at
 * most 10 minutes earlier.
 */
const rangBefore = (
  { conversation, outcome }: CallEvents,
  ring: CallEvents,
  at = ring.initiatedAt ?? Number.NaN,
) =>
  conversation === ring.conversation &&
  outcome !== undefined &&
  at <= outcome.at &&
  outcome.at - at <= maxRingSeconds;

interface EventIndex {
  /** Returns undefined for a known event. */
  add(event: CallEvents): CallEvents | undefined;
  of(sessionId: string): CallEvents | undefined;
  /** Sessions, the last changed one at the end. */
  sessions(): Iterable<string>;
}

function createEventIndex(): EventIndex {
  const eventsOf = new Map<string, Map<string, CallEvents>>();
  const rings = new Map<string, CallEvents[]>();
  const unplaced = new Map<string, CallEvents>();

  function sessionFor(event: CallEvents): string | undefined {
    const before = rings.get(event.conversation ?? '')?.filter((ring) => rangBefore(event, ring));
    return best(before ?? [], (a, b) => (a.initiatedAt ?? 0) > (b.initiatedAt ?? 0))?.sessionId;
  }

  function place(given: CallEvents, sessionId: string): CallEvents | undefined {
    const event = { ...given, sessionId };
    const events = eventsOf.get(sessionId) ?? new Map<string, CallEvents>();
    const text = JSON.stringify(event);
    if (events.has(text)) return undefined;
    // Moved to the end, so a running loop over `sessions()` reaches it.
    eventsOf.delete(sessionId);
    eventsOf.set(sessionId, events.set(text, event));
    const { conversation, initiatedAt } = event;
    if (conversation === undefined || initiatedAt === undefined) return event;
    const rung = rings.get(conversation);
    if (rung) rung.push(event);
    else rings.set(conversation, [event]);
    for (const [text, other] of unplaced)
      if (rangBefore(other, event) && unplaced.delete(text)) place(other, sessionId);
    return event;
  }

  function add(event: CallEvents): CallEvents | undefined {
    const sessionId = event.sessionId ?? sessionFor(event);
    if (sessionId !== undefined) return place(event, sessionId);
    const text = JSON.stringify(event);
    if (unplaced.has(text)) return undefined;
    unplaced.set(text, event);
    const [oldest = ''] = unplaced.keys();
    if (unplaced.size > maxUnplaced) unplaced.delete(oldest);
    return event;
  }

  return {
    add,
    of(sessionId: string): CallEvents | undefined {
      const events = eventsOf.get(sessionId);
      return events && mergeEvents([...events.values()]);
    },
    sessions: () => eventsOf.keys(),
  };
}

/** Stores events as text, each once. Appending a known text is not an error. */
export interface EventJournal {
  /**
   * The first call returns all texts in any order. Later calls return at least the new texts of all
   * servers.
   */
  news(): Promise<readonly string[]>;
  append(texts: readonly string[]): Promise<void>;
}

export interface EventLog extends EventIndex {
  /** Reads new texts of the journal. @returns sessions with new events */
  poll(): Promise<string[]>;
  /** Stores an event and retries earlier events whose write failed. */
  keep(event: CallEvents | undefined): Promise<void>;
  settled(): Promise<void>;
}

export function createEventLog(journal: EventJournal | undefined): EventLog {
  const serially = createSerialQueue();
  const index = createEventIndex();
  let unwritten: string[] = [];
  let nextWrite: Promise<void> | undefined;

  async function write(): Promise<void> {
    nextWrite = undefined;
    const texts = [...unwritten];
    if (texts.length > 0) await journal?.append(texts);
    unwritten = unwritten.slice(texts.length);
  }

  return {
    ...index,
    async poll() {
      const texts = (await journal?.news()) ?? [];
      return texts.flatMap((text) => {
        const event: CallEvents | undefined = parseLine(text);
        return (event && index.add(event)?.sessionId) ?? [];
      });
    },
    async keep(event) {
      if (!journal) return;
      if (event) unwritten.push(JSON.stringify(event));
      // Events that arrive during a write share the next write, so each waits for at most two
      // writes.
      nextWrite ??= serially(write);
      await nextWrite;
    },
    settled: () => serially(async () => undefined),
  };
}
