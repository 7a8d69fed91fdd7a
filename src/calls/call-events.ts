/**
 * What the platform's webhooks say of calls: the body of an event → what it says, joining what several say, and keeping it by session and
 * on disk. Nothing is overwritten: in any order, any number of times, the result is the same, because the platform delivers again after a
 * slow answer and keeps no order.
 */
import { createSerialQueue } from '../concurrency/queue.ts';
import { parseLine } from '../disk/line-file.ts';
import { isJsonFields, type JsonFields, readFlag, toNumber } from './call-record.ts';
import type { CallRecord } from './types.ts';

/** One time of being in a call; who comes back has another one. */
export interface Stay {
  /** Empty where the event gives a name alone. */
  readonly uid: string;
  readonly name: string;
  readonly joinedAt: number;
  readonly leftAt?: number | undefined;
  readonly isAudio?: boolean | undefined;
}

/** Of which the earliest, or the first in the alphabet, counts: a choice that is the same in any order. */
const ofRecord = ['sessionId', 'initiatedAt', 'startedAt', 'type', 'mode', 'initiator', 'receiver', 'receiverType'] as const;

/** Times are unix seconds. Without `sessionId` the event names the conversation alone. */
export interface CallEvents extends Readonly<{ [Name in (typeof ofRecord)[number]]?: CallRecord[Name] | undefined }> {
  readonly conversation?: string | undefined;
  readonly endedAt?: number | undefined;
  readonly isEnded?: boolean | undefined;
  readonly outcome?: { readonly status: string; readonly at: number } | undefined;
  readonly hasRecording?: boolean | undefined;
  /** Who is called what; a name of two users belongs to none of them. */
  readonly names?: Readonly<Record<string, string>> | undefined;
  readonly stays?: readonly Stay[] | undefined;
}

const best = <T>(values: readonly T[], isBetter: (a: T, b: T) => boolean): T | undefined =>
  values.length === 0 ? undefined : values.reduce((a, b) => (isBetter(b, a) ? b : a));
const least = <T extends number | string>(values: readonly T[]) => best(values, (a, b) => a < b);
const most = (values: readonly number[]) => best(values, (a, b) => a > b);

function joinStays(all: readonly Stay[]): Stay[] {
  const byStay = Map.groupBy(all, ({ uid, name, joinedAt }) => JSON.stringify([uid, name, joinedAt]));
  const joined = [...byStay].map(([key, same]) => {
    const { uid, name, joinedAt } = same[0] as Stay;
    const leftAt = most(same.flatMap((stay) => stay.leftAt ?? []));
    const said = same.flatMap((stay) => stay.isAudio ?? []);
    return { key, stay: { uid, name, joinedAt, leftAt, isAudio: said.includes(true) || said[0] } };
  });
  return joined.sort((a, b) => a.stay.joinedAt - b.stay.joinedAt || (a.key < b.key ? -1 : 1)).map(({ stay }) => stay);
}

/** What events of one session say together: the same in any order, also where they contradict one another. */
export function mergeEvents(events: readonly CallEvents[]): CallEvents {
  const all = <Name extends keyof CallEvents>(name: Name) =>
    events.map((event) => event[name]).filter((value): value is NonNullable<CallEvents[Name]> => value !== undefined);
  const names = new Map<string, string>();
  for (const [name, uid] of all('names').flatMap((some) => Object.entries(some)))
    names.set(name, (names.get(name) ?? uid) === uid ? uid : '');
  const stays = all('stays').flatMap((some) => some.map((stay) => ({ ...stay, uid: stay.uid || names.get(stay.name) || '' })));
  return {
    ...Object.fromEntries(ofRecord.map((name) => [name, least<number | string>(all(name))])),
    endedAt: most(all('endedAt')),
    isEnded: all('isEnded').includes(true),
    outcome: best(all('outcome'), (a, b) => a.at > b.at || (a.at === b.at && a.status < b.status)),
    hasRecording: all('hasRecording').includes(true),
    stays: joinStays(stays),
  };
}

// Bodies are read tolerantly, after what the platform documents and its quirks: figures and flags as strings, `sessionid` deep inside the
// ringing events and missing from those that say busy, cancelled, rejected and unanswered, occupants with a name and no uid, no `data`.

/** Milliseconds are above it, seconds below until the year 5138. */
const firstMilliseconds = 1e11;
const outcomes = new Map(['busy', 'cancelled', 'rejected', 'unanswered'].map((status) => [`call_${status}`, status]));
outcomes.set('call_canceled', 'cancelled');
const ofSession = /^(?:call|meeting)_(?:started|participant_joined|participant_left|(ended))$/;
const maxTextChars = 256;
const maxOccupants = 1_000;

const object = (value: unknown): JsonFields => (isJsonFields(value) ? value : {});
const text = (...values: readonly unknown[]): string | undefined =>
  values
    .map((value) => (typeof value === 'number' ? String(value) : value))
    .find((value): value is string => typeof value === 'string' && value !== '' && value.length <= maxTextChars);

function seconds(...values: readonly unknown[]): number | undefined {
  for (const value of values) {
    const number = toNumber(value);
    if (Number.isFinite(number) && number > 0) return Math.floor(number >= firstMilliseconds ? number / 1000 : number);
  }
  return undefined;
}

function toStay(value: unknown): Stay | undefined {
  const occupant = object(value);
  const joinedAt = seconds(occupant['joined_at'], occupant['joinedAt']);
  const [uid, name] = [text(occupant['uid'], occupant['user_id']) ?? '', text(occupant['name']) ?? ''];
  if (joinedAt === undefined || (uid === '' && name === '')) return undefined;
  const leftAt = seconds(occupant['left_at'], occupant['leftAt']);
  return { uid, name, joinedAt, leftAt, isAudio: readFlag(occupant['audio_call']) };
}

/** `call_initiated` and how a ringing call ended: a message of the chat with the call inside. */
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
  const everybody = Array.isArray(data['all_occupants']) ? data['all_occupants'].slice(0, maxOccupants) : [];
  const stays = [data['occupant'], ...everybody].flatMap((occupant) => toStay(occupant) ?? []);
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

/** @returns undefined for what says nothing of a call: it is ignored, never an error, because the platform would send it again */
export function parseCallEvent(payload: unknown): CallEvents | undefined {
  const body = object(payload);
  const trigger = text(body['trigger']) ?? '';
  const data = object(body['data']);
  let events: CallEvents;
  if (trigger === 'call_initiated' || outcomes.has(trigger)) events = fromRinging(trigger, object(data['call']));
  else if (ofSession.test(trigger)) events = fromSession(trigger, body, data);
  else if (trigger === 'recording_generated') events = { sessionId: text(data['sessionId'], data['sessionid']), hasRecording: true };
  else return undefined;
  const isPlaced = events.sessionId !== undefined || (events.conversation !== undefined && events.outcome !== undefined);
  // As it is read again from a file.
  return isPlaced ? JSON.parse(JSON.stringify(events)) : undefined;
}

export type EventLog = ReturnType<typeof createEventLog>;

const ringsAtMostSeconds = 600;
const maxUnplaced = 1_000;

/** A ringing event that names its conversation and no session belongs to the last call of that conversation that rang shortly before. */
const rangBefore = ({ conversation, outcome }: CallEvents, ring: CallEvents, at = ring.initiatedAt ?? Number.NaN) =>
  conversation === ring.conversation && outcome !== undefined && at <= outcome.at && outcome.at - at <= ringsAtMostSeconds;

function createEventIndex() {
  const said = new Map<string, Map<string, CallEvents>>();
  const rings = new Map<string, CallEvents[]>();
  const unplaced = new Map<string, CallEvents>();

  function sessionFor(event: CallEvents): string | undefined {
    const before = rings.get(event.conversation ?? '')?.filter((ring) => rangBefore(event, ring));
    return best(before ?? [], (a, b) => (a.initiatedAt ?? 0) > (b.initiatedAt ?? 0))?.sessionId;
  }

  function place(given: CallEvents, sessionId: string): CallEvents | undefined {
    const event = { ...given, sessionId };
    const events = said.get(sessionId) ?? new Map<string, CallEvents>();
    const text = JSON.stringify(event);
    if (events.has(text)) return undefined;
    // At the end, for whoever is reading all of them.
    said.delete(sessionId);
    said.set(sessionId, events.set(text, event));
    const { conversation, initiatedAt } = event;
    if (conversation === undefined || initiatedAt === undefined) return event;
    const rung = rings.get(conversation);
    if (rung) rung.push(event);
    else rings.set(conversation, [event]);
    for (const [text, other] of unplaced) if (rangBefore(other, event) && unplaced.delete(text)) place(other, sessionId);
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
      const events = said.get(sessionId);
      return events && mergeEvents([...events.values()]);
    },
    sessions: () => said.keys(),
  };
}

/** Where the texts of events are kept, each once: what is there already is no error. */
export interface EventJournal {
  /** In any order: everything that was kept, and at later looks what has come since, at least; also from other servers that share it. */
  news(): Promise<readonly string[]>;
  append(texts: readonly string[]): Promise<void>;
}

export function createEventLog(journal: EventJournal | undefined) {
  const inOrder = createSerialQueue();
  const said = createEventIndex();
  let unwritten: string[] = [];
  let nextWrite: Promise<void> | undefined;

  async function write(): Promise<void> {
    nextWrite = undefined;
    const texts = [...unwritten];
    if (texts.length > 0) await journal?.append(texts);
    unwritten = unwritten.slice(texts.length);
  }

  return {
    ...said,
    /** Reads what was kept since the last look, and at first everything. @returns sessions of which it says something new */
    async look(): Promise<string[]> {
      const texts = (await journal?.news()) ?? [];
      return texts.flatMap((text) => {
        const event: CallEvents | undefined = parseLine(text);
        return (event && said.add(event)?.sessionId) ?? [];
      });
    },
    async keep(news: CallEvents | undefined): Promise<void> {
      if (!journal) return;
      if (news) unwritten.push(JSON.stringify(news));
      // Who comes while one write is at work goes with the next, so that nobody waits for more than two.
      nextWrite ??= inOrder(write);
      await nextWrite;
    },
    settled: () => inOrder(async () => undefined),
  };
}
