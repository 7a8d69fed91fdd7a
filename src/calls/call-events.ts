/**
 * What the platform's webhooks say of calls: the body of an event → what it says, joining what several say, and keeping it by session and
 * on disk. Nothing is overwritten: in any order, any number of times, the result is the same, because the platform delivers again after a
 * slow answer and keeps no order.
 */
import { LineFile, linesOf, parseLine } from '../disk/line-file.ts';
import { isJsonFields, type JsonFields, readFlag, toNumber } from './call-record.ts';

/** One time of being in a call; who comes back has another one. */
export interface Stay {
  /** Empty where the event gives a name alone. */
  readonly uid: string;
  readonly name: string;
  readonly joinedAt: number;
  readonly leftAt?: number | undefined;
  readonly isAudio?: boolean | undefined;
}

/** How a call ended that never started. */
export interface EventOutcome {
  readonly status: string;
  readonly at: number;
}

/** Times are unix seconds. */
export interface CallEvents {
  /** Undefined where the event names the conversation alone. */
  readonly sessionId?: string | undefined;
  readonly conversation?: string | undefined;
  readonly initiatedAt?: number | undefined;
  readonly startedAt?: number | undefined;
  readonly endedAt?: number | undefined;
  readonly isEnded?: boolean | undefined;
  readonly outcome?: EventOutcome | undefined;
  readonly type?: string | undefined;
  readonly mode?: string | undefined;
  readonly initiator?: string | undefined;
  readonly receiver?: string | undefined;
  readonly receiverType?: string | undefined;
  readonly hasRecording?: boolean | undefined;
  /** Who is called what; a name of two users belongs to none of them. */
  readonly names?: Readonly<Record<string, string>> | undefined;
  readonly stays?: readonly Stay[] | undefined;
}

const pick = <T>(a: T | undefined, b: T | undefined, better: (a: T, b: T) => T): T | undefined =>
  a === undefined || b === undefined ? (a ?? b) : better(a, b);
const earlier = (a: number | undefined, b: number | undefined) => pick(a, b, Math.min);
const later = (a: number | undefined, b: number | undefined) => pick(a, b, Math.max);
/** Two events that contradict one another have to be settled the same way in both orders. */
const either = (a: string | undefined, b: string | undefined) => pick(a, b, (one, other) => (one < other ? one : other));
const any = (a: boolean | undefined, b: boolean | undefined) => (a || b ? true : undefined);

const lastOutcome = (a: EventOutcome, b: EventOutcome) => (a.at > b.at || (a.at === b.at && a.status < b.status) ? a : b);

const stayKey = ({ uid, name, joinedAt }: Stay) => JSON.stringify([uid, name, joinedAt]);

function joinStays(a: readonly Stay[], b: readonly Stay[]): Stay[] {
  const stays = new Map<string, Stay>();
  for (const stay of [...a, ...b]) {
    const known = stays.get(stayKey(stay));
    const { uid, name, joinedAt } = stay;
    const leftAt = later(known?.leftAt, stay.leftAt);
    const isAudio = pick(known?.isAudio, stay.isAudio, (one, other) => one || other);
    stays.set(stayKey(stay), { uid, name, joinedAt, leftAt, isAudio });
  }
  return [...stays]
    .sort(([one, oneStay], [other, otherStay]) => oneStay.joinedAt - otherStay.joinedAt || (one < other ? -1 : 1))
    .map(([, stay]) => stay);
}

/** People choose their names: `constructor` is one. */
export const uidOfName = (names: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(names, name) ? names[name] : undefined;

function joinNames(a: Readonly<Record<string, string>>, b: Readonly<Record<string, string>>): Record<string, string> {
  const names = new Map(Object.entries(a));
  for (const [name, uid] of Object.entries(b)) names.set(name, names.has(name) && names.get(name) !== uid ? '' : uid);
  return Object.fromEntries([...names].sort());
}

function joinEvents(a: CallEvents, b: CallEvents): CallEvents {
  const names = joinNames(a.names ?? {}, b.names ?? {});
  const stays = joinStays(a.stays ?? [], b.stays ?? []);
  const joined: CallEvents = {
    sessionId: a.sessionId ?? b.sessionId,
    conversation: either(a.conversation, b.conversation),
    initiatedAt: earlier(a.initiatedAt, b.initiatedAt),
    startedAt: earlier(a.startedAt, b.startedAt),
    endedAt: later(a.endedAt, b.endedAt),
    isEnded: any(a.isEnded, b.isEnded),
    outcome: pick(a.outcome, b.outcome, lastOutcome),
    type: either(a.type, b.type),
    mode: either(a.mode, b.mode),
    initiator: either(a.initiator, b.initiator),
    receiver: either(a.receiver, b.receiver),
    receiverType: either(a.receiverType, b.receiverType),
    hasRecording: any(a.hasRecording, b.hasRecording),
    names: Object.keys(names).length > 0 ? names : undefined,
    stays: stays.length > 0 ? stays : undefined,
  };
  // In one form, so that two that say the same are written the same.
  return JSON.parse(JSON.stringify(joined));
}

// Bodies are read tolerantly, after what the platform documents and its quirks: figures and flags as strings, `sessionid` deep inside the
// ringing events and missing from those that say busy, cancelled, rejected and unanswered, occupants with a name and no uid, no `data`.

/** Milliseconds are above it, seconds below until the year 5138. */
const firstMilliseconds = 1e11;
const outcomes = new Map([
  ['call_busy', 'busy'],
  ['call_cancelled', 'cancelled'],
  ['call_canceled', 'cancelled'],
  ['call_rejected', 'rejected'],
  ['call_unanswered', 'unanswered'],
]);
const ended = new Set(['call_ended', 'meeting_ended']);
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
  const namesakes = named.length === 2 && named[0]?.[0] === named[1]?.[0];
  const names = Object.fromEntries(namesakes ? [] : named);
  const status = outcomes.get(trigger);
  return {
    sessionId: text(on['sessionid'], on['sessionId'], call['sessionid'], call['sessionId']),
    conversation: text(call['conversationId'], on['conversationId']),
    names,
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
  const isEnded = ended.has(trigger);
  return {
    sessionId: text(data['sessionId'], data['sessionid'], data['session_id']),
    startedAt: seconds(data['created_at']),
    endedAt: isEnded ? seconds(data['destroyed_at']) : undefined,
    isEnded: isEnded || undefined,
    mode: text(body['type']) ?? (trigger.startsWith('meeting_') ? 'meet' : 'call'),
    stays,
  };
}

const triggers = new Set([
  'call_started',
  'call_participant_joined',
  'call_participant_left',
  'meeting_started',
  'meeting_participant_joined',
  'meeting_participant_left',
  ...ended,
]);

/** @returns undefined for what says nothing of a call: it is ignored, never an error, because the platform would send it again */
export function parseCallEvent(payload: unknown): CallEvents | undefined {
  const body = object(payload);
  const trigger = text(body['trigger']) ?? '';
  const data = object(body['data']);
  let events: CallEvents;
  if (trigger === 'call_initiated' || outcomes.has(trigger)) events = fromRinging(trigger, object(data['call']));
  else if (triggers.has(trigger)) events = fromSession(trigger, body, data);
  else if (trigger === 'recording_generated')
    events = { sessionId: text(data['sessionId'], data['sessionid']), hasRecording: true, startedAt: undefined };
  else return undefined;
  const isPlaced = events.sessionId !== undefined || (events.conversation !== undefined && events.outcome !== undefined);
  return isPlaced ? joinEvents(events, {}) : undefined;
}

export type EventLog = ReturnType<typeof createEventLog>;

/** A phone does not ring longer. */
const ringsAtMostSeconds = 600;
/** Events that have found no call yet. */
const maxUnplaced = 1_000;

const isSame = (a: CallEvents | undefined, b: CallEvents) => a !== undefined && JSON.stringify(a) === JSON.stringify(b);

/** A ringing event that names its conversation and no session belongs to the last call of that conversation that rang shortly before. */
const rangBefore = ({ conversation, outcome }: CallEvents, { conversation: other, initiatedAt }: CallEvents) =>
  conversation === other &&
  outcome !== undefined &&
  initiatedAt !== undefined &&
  initiatedAt <= outcome.at &&
  outcome.at - initiatedAt <= ringsAtMostSeconds;

/** @param path of JSON Lines, one for each event; undefined: what is said is forgotten with the process */
export function createEventLog(path: string | undefined) {
  const file = path === undefined ? undefined : new LineFile(path);
  const said = new Map<string, CallEvents>();
  const sessionsOf = new Map<string, Set<string>>();
  let unplaced: CallEvents[] = [];
  let unwritten: CallEvents[] = [];
  let writing: Promise<void> = Promise.resolve();

  function sessionFor(events: CallEvents): string | undefined {
    const rang = [...(sessionsOf.get(events.conversation ?? '') ?? [])].filter((id) => rangBefore(events, said.get(id) ?? {}));
    return rang.sort((a, b) => (said.get(b)?.initiatedAt ?? 0) - (said.get(a)?.initiatedAt ?? 0))[0];
  }

  function joinPlaced(sessionId: string, events: CallEvents): CallEvents | undefined {
    const known = said.get(sessionId);
    let joined = joinEvents(known ?? {}, { ...events, sessionId });
    if (isSame(known, joined)) return undefined;
    if (joined.conversation !== undefined) {
      const sessions = sessionsOf.get(joined.conversation) ?? new Set();
      sessionsOf.set(joined.conversation, sessions.add(sessionId));
      for (const waiting of unplaced.filter((other) => rangBefore(other, joined))) {
        unplaced = unplaced.filter((other) => other !== waiting);
        joined = joinEvents(joined, { ...waiting, sessionId });
      }
    }
    said.set(sessionId, joined);
    return { ...events, sessionId };
  }

  /** Joins what was said. @returns what of it is new; undefined where nothing is */
  function join(events: CallEvents): CallEvents | undefined {
    const sessionId = events.sessionId ?? sessionFor(events);
    if (sessionId !== undefined) return joinPlaced(sessionId, events);
    if (unplaced.some((other) => isSame(other, events))) return undefined;
    unplaced = [...unplaced, events].slice(-maxUnplaced);
    return events;
  }

  /** What is written twice, after a failure, says the same. */
  async function write(to: LineFile): Promise<void> {
    const lines = [...unwritten];
    await Promise.all(lines.map((events) => to.append(JSON.stringify(events))));
    unwritten = unwritten.slice(lines.length);
  }

  return {
    /** Reads what was kept before, in whatever order. */
    async open(): Promise<void> {
      for (const line of linesOf((await file?.read()) ?? Buffer.alloc(0))) {
        const events = parseLine(line);
        if (events) join(events as CallEvents);
      }
    },
    join,
    /** Resolves when the news are with the system, and with them what could not be written before. */
    async keep(news: CallEvents | undefined): Promise<void> {
      if (!file) return;
      if (news) unwritten.push(news);
      const next = writing.then(() => write(file));
      writing = next.catch(() => undefined);
      await next;
    },
    of: (sessionId: string) => said.get(sessionId),
    /** All of which something was said. */
    sessions: () => said.keys(),
    /** Resolves when nothing waits to be written. */
    settled: () => writing,
  };
}
