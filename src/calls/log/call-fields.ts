/**
 * What a filter can ask of a record, read tolerantly: a figure may be a numeric string, `canceled` is `cancelled`, `audio` is `voice`.
 * The record itself is answered as it was written. Only a record without a session or a time of initiation is refused.
 */
import type { CallRecord, Participant } from '../types.ts';

export const numberNames = [
  'initiatedAt',
  'startedAt',
  'endedAt',
  'duration',
  'voiceMinutes',
  'videoMinutes',
  'totalParticipants',
] as const;
export const valueNames = ['type', 'mode', 'status', 'receiverType', 'hasRecording'] as const;
export type NumberName = (typeof numberNames)[number];
export type ValueName = (typeof valueNames)[number];

/** Something for each name. */
export const byName = <Name extends string, T>(names: readonly Name[], of: (name: Name) => T): Record<Name, T> =>
  Object.fromEntries(names.map((name) => [name, of(name)])) as Record<Name, T>;

/** A user of a call and what is theirs of it, in minutes. */
export interface CallUser {
  readonly uid: string;
  readonly voiceMinutes: number;
  readonly videoMinutes: number;
  readonly minutes: number;
}

export interface CallFields {
  readonly sessionId: string;
  /** NaN where the record has no such figure, which no comparison finds. */
  readonly numbers: Readonly<Record<NumberName, number>>;
  /** In the words of the filter. */
  readonly values: Readonly<Record<ValueName, string>>;
  /** Initiator, receiver where it is a user, participants; each once. */
  readonly users: readonly CallUser[];
}

export const toNumber = (value: unknown): number => {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && value.trim() !== '' ? Number(value) : Number.NaN;
};

const synonyms = new Map([
  ['audio', 'voice'],
  ['canceled', 'cancelled'],
]);
const toWord = (value: unknown) => (typeof value === 'string' ? (synonyms.get(value) ?? value) : '');
const toFlag = (value: unknown) => (value === true || value === 'true' || value === 1 ? 'true' : 'false');
/** Of what a Date can be (ECMA-262, 21.4.1.1). */
const lastSecond = 8.64e12;
const isUid = (value: unknown): value is string => typeof value === 'string' && value !== '';
const minutesOf = (value: unknown) => toNumber(value) || 0;

interface Tally {
  readonly uid: string;
  voiceMinutes: number;
  videoMinutes: number;
  minutes: number;
}

function usersOf(record: Readonly<Record<string, unknown>>): CallUser[] {
  const users: Tally[] = [];
  const add = (uid: unknown): Tally | undefined => {
    if (!isUid(uid)) return undefined;
    const known = users.find((user) => user.uid === uid);
    if (known) return known;
    const user = { uid, voiceMinutes: 0, videoMinutes: 0, minutes: 0 };
    users.push(user);
    return user;
  };
  add(record['initiator']);
  if (record['receiverType'] === 'user') add(record['receiver']);
  const participants: unknown = record['participants'];
  if (!Array.isArray(participants)) return users;
  for (const participant of participants as readonly unknown[]) {
    if (typeof participant !== 'object' || participant === null) continue;
    const { uid, totalAudioMinutes, totalVideoMinutes, totalDuration } = participant as Partial<Participant>;
    const user = add(uid);
    if (!user) continue;
    user.voiceMinutes += minutesOf(totalAudioMinutes);
    user.videoMinutes += minutesOf(totalVideoMinutes);
    user.minutes += minutesOf(totalDuration);
  }
  return users;
}

/** @returns undefined for what is no call record */
export function toFields(value: unknown): CallFields | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const record = value as Partial<CallRecord>;
  const initiatedAt = toNumber(record.initiatedAt);
  if (!isUid(record.sessionId) || !(Math.abs(initiatedAt) <= lastSecond)) return undefined;
  return {
    sessionId: record.sessionId,
    numbers: {
      initiatedAt,
      startedAt: toNumber(record.startedAt),
      endedAt: toNumber(record.endedAt),
      duration: toNumber(record.totalDurationInMinutes),
      voiceMinutes: toNumber(record.totalAudioMinutes),
      videoMinutes: toNumber(record.totalVideoMinutes),
      totalParticipants: toNumber(record.totalParticipants),
    },
    values: {
      type: toWord(record.type),
      mode: toWord(record.mode),
      status: toWord(record.status),
      receiverType: toWord(record.receiverType),
      hasRecording: toFlag(record.hasRecording),
    },
    users: usersOf(record),
  };
}
