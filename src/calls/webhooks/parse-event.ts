/**
 * The body of a call webhook → facts. Read tolerantly, after what the platform documents and its quirks: figures and flags as strings,
 * `sessionid` deep inside the ringing events and missing from those that say busy, cancelled, rejected and unanswered, occupants with a
 * name and no uid, a body without `data`. What is no event of a call is ignored, never an error: the platform would send it again.
 */
import { toNumber } from '../log/call-fields.ts';
import { type CallFacts, joinFacts, type Stay } from './call-facts.ts';

type Json = Readonly<Record<string, unknown>>;

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

const object = (value: unknown): Json => (typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {});
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

const flag = (value: unknown): boolean | undefined => {
  if (value === true || value === 'true' || value === 1 || value === '1') return true;
  return value === false || value === 'false' || value === 0 || value === '0' ? false : undefined;
};

function toStay(value: unknown): Stay | undefined {
  const occupant = object(value);
  const joinedAt = seconds(occupant['joined_at'], occupant['joinedAt']);
  const [uid, name] = [text(occupant['uid'], occupant['user_id']) ?? '', text(occupant['name']) ?? ''];
  if (joinedAt === undefined || (uid === '' && name === '')) return undefined;
  const leftAt = seconds(occupant['left_at'], occupant['leftAt']);
  return { uid, name, joinedAt, leftAt, isAudio: flag(occupant['audio_call']) };
}

/** `call_initiated` and how a ringing call ended: a message of the chat with the call inside. */
function ringingFacts(trigger: string, call: Json): CallFacts {
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

function sessionFacts(trigger: string, body: Json, data: Json): CallFacts {
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

/** @returns undefined for what says nothing of a call */
export function parseCallEvent(payload: unknown): CallFacts | undefined {
  const body = object(payload);
  const trigger = text(body['trigger']) ?? '';
  const data = object(body['data']);
  let facts: CallFacts;
  if (trigger === 'call_initiated' || outcomes.has(trigger)) facts = ringingFacts(trigger, object(data['call']));
  else if (triggers.has(trigger)) facts = sessionFacts(trigger, body, data);
  else if (trigger === 'recording_generated')
    facts = { sessionId: text(data['sessionId'], data['sessionid']), hasRecording: true, startedAt: undefined };
  else return undefined;
  const isPlaced = facts.sessionId !== undefined || (facts.conversation !== undefined && facts.outcome !== undefined);
  return isPlaced ? joinFacts(facts, {}) : undefined;
}
