/**
 * Merges a listed record with the events of its call. The platform's figures of an ended call are
 * more exact than the events, so an ended record only gains missing fields and is never reopened.
 * Pure.
 */

import { toNumber } from '../../packages/calls/src/call-record.ts';
import type { CallRecord, Participant } from '../../packages/calls/src/types.ts';
import type { CallEvents, Stay } from './call-events.ts';

const rankOf = (status: string) =>
  status === 'ended' ? 3 : status === 'ongoing' ? 2 : status === 'initiated' ? 0 : 1;

const hundredths = (minutes: number) => Math.round(minutes * 100) / 100;
const sumOf = (
  participants: readonly Participant[],
  name: 'totalAudioMinutes' | 'totalVideoMinutes',
) => hundredths(participants.reduce((sum, participant) => sum + participant[name], 0));

function clock(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

function toParticipant(
  uid: string,
  stays: readonly Stay[],
  isVideo: boolean,
  ended: number | undefined,
  absent: string,
): Participant {
  const [first] = stays;
  const name = stays.find((stay) => stay.name !== '')?.name;
  const who = { uid, ...(name === undefined ? {} : { name }) };
  if (!first)
    return {
      ...who,
      totalAudioMinutes: 0,
      totalVideoMinutes: 0,
      totalDuration: 0,
      isJoined: false,
      state: absent,
    };
  const leftAt = (stay: Stay) => stay.leftAt ?? ended ?? stay.joinedAt;
  const minutesOf = (some: readonly Stay[]) =>
    some.reduce((sum, stay) => sum + Math.max(0, leftAt(stay) - stay.joinedAt) / 60, 0);
  const isOver = ended !== undefined || stays.every((stay) => stay.leftAt !== undefined);
  const audio = minutesOf(stays.filter((stay) => stay.isAudio ?? !isVideo));
  const total = minutesOf(stays);
  return {
    ...who,
    totalAudioMinutes: hundredths(audio),
    totalVideoMinutes: hundredths(total - audio),
    totalDuration: hundredths(total),
    isJoined: true,
    state: isOver ? 'ended' : 'ongoing',
    joinedAt: first.joinedAt,
    ...(isOver ? { leftAt: Math.max(...stays.map(leftAt)) } : {}),
  };
}

/** Users who joined, and invited users who did not. An event may give a name without a uid. */
function participantsOf(
  { initiator, receiver, receiverType, stays = [] }: CallEvents,
  ...how: [boolean, number | undefined, string]
) {
  const keyOf = (uid: string, name: string) => (uid === '' ? `name ${name}` : `uid ${uid}`);
  const invited = [initiator, receiverType === 'user' ? receiver : undefined].filter(
    (uid) => uid !== undefined && uid !== '',
  );
  const theirs = Map.groupBy(stays, ({ uid, name }) => keyOf(uid, name));
  const everyone = new Map([
    ...invited.map((uid = '') => [keyOf(uid, ''), uid] as const),
    ...stays.map(({ uid, name }) => [keyOf(uid, name), uid] as const),
  ]);
  return [...everyone].map(([key, uid]) => toParticipant(uid, theirs.get(key) ?? [], ...how));
}

function timesOf({
  stays = [],
  isEnded,
  ...said
}: CallEvents): Pick<CallRecord, 'startedAt' | 'endedAt'> {
  const startedAt = said.startedAt ?? stays[0]?.joinedAt;
  const lastLeft = Math.max(0, ...stays.map((stay) => stay.leftAt ?? 0)) || startedAt;
  const endedAt = isEnded ? (said.endedAt ?? lastLeft) : undefined;
  return {
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(endedAt === undefined ? {} : { endedAt }),
  };
}

function statusOf({ isEnded, outcome }: CallEvents, startedAt: number | undefined): string {
  if (isEnded) return 'ended';
  return startedAt === undefined ? (outcome?.status ?? 'initiated') : 'ongoing';
}

function recordOf(events: CallEvents): CallRecord {
  const { stays = [] } = events;
  const times = timesOf(events);
  const { startedAt, endedAt } = times;
  const type =
    events.type ?? (stays.length > 0 && stays.every((stay) => stay.isAudio) ? 'audio' : 'video');
  const status = statusOf(events, startedAt);
  const participants = participantsOf(
    events,
    type !== 'audio',
    endedAt,
    rankOf(status) === 1 ? status : 'unanswered',
  );
  const lasted = Math.max(0, (endedAt ?? 0) - (startedAt ?? endedAt ?? 0));
  return {
    sessionId: events.sessionId ?? '',
    totalAudioMinutes: sumOf(participants, 'totalAudioMinutes'),
    totalVideoMinutes: sumOf(participants, 'totalVideoMinutes'),
    totalDuration: clock(lasted),
    totalDurationInMinutes: hundredths(lasted / 60),
    hasRecording: events.hasRecording ?? false,
    initiatedAt: events.initiatedAt ?? startedAt ?? endedAt ?? events.outcome?.at ?? 0,
    ...times,
    initiator: events.initiator ?? '',
    mode: events.mode ?? 'call',
    receiver: events.receiver ?? '',
    receiverType: events.receiverType ?? '',
    status,
    totalParticipants: participants.length,
    type,
    mid: '',
    participants,
  };
}

function joinParticipants(
  known: readonly Participant[],
  projected: readonly Participant[],
): Participant[] {
  const joined = [...known];
  for (const participant of projected) {
    const place = joined.findIndex(
      (other) =>
        other.uid === participant.uid &&
        (other.uid !== '' || other['name'] === participant['name']),
    );
    if (place === -1) joined.push(participant);
    else if (participant.isJoined) joined[place] = { ...joined[place], ...participant };
  }
  return joined;
}

const identity = [
  'initiator',
  'mode',
  'receiver',
  'receiverType',
  'type',
  'mid',
  'initiatedAt',
] as const;

/** @returns undefined if there is no listed record and no time in the events */
export function projectCall(
  listed: CallRecord | undefined,
  events: CallEvents,
): CallRecord | undefined {
  if (!listed) {
    const projected = recordOf(events);
    return projected.initiatedAt > 0 ? projected : undefined;
  }
  // Records of an imported file may lack any field.
  const record = {
    ...listed,
    participants: Array.isArray(listed.participants) ? listed.participants : [],
  };
  const known = Object.fromEntries(
    identity.flatMap((name) => (record[name] ? [[name, record[name]]] : [])),
  );
  const { initiator, receiver, receiverType, type, startedAt } = record;
  const said = Object.fromEntries(
    Object.entries(events).filter(([, value]) => value !== undefined),
  );
  const given = { initiator, receiver, receiverType, startedAt, ...said, type };
  const projected = recordOf(given);
  const news = rankOf(projected.status) - rankOf(record.status);
  const isOpen = news >= 0 && record.status !== 'ended';
  const participants = isOpen
    ? joinParticipants(record.participants, projected.participants)
    : record.participants;
  return {
    ...(news > 0 ? { ...record, ...projected, ...known } : { ...timesOf(given), ...record }),
    hasRecording: record.hasRecording || projected.hasRecording,
    participants,
    totalParticipants: Math.max(toNumber(record.totalParticipants) || 0, participants.length),
  };
}
