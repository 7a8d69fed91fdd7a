/**
 * A record and what the events say of its call → the record. Pure. What the platform's own list says of an ended call is more exact than
 * what events add up to, so an ended record only gains what it lacks, and nothing reopens it.
 */
import { type CallEvents, type Stay, uidOfName } from './call-events.ts';
import { toNumber } from './call-record.ts';
import type { CallRecord, Participant } from './types.ts';

const rankOf = (status: string) => (status === 'ended' ? 3 : status === 'ongoing' ? 2 : status === 'initiated' ? 0 : 1);

const hundredths = (minutes: number) => Math.round(minutes * 100) / 100;
const sumOf = (participants: readonly Participant[], name: 'totalAudioMinutes' | 'totalVideoMinutes') =>
  hundredths(participants.reduce((sum, participant) => sum + participant[name], 0));

function clock(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

function toParticipant(uid: string, stays: readonly Stay[], isVideo: boolean, ended: number | undefined, absent: string): Participant {
  const [first] = stays;
  const name = stays.find((stay) => stay.name !== '')?.name;
  const who = { uid, ...(name === undefined ? {} : { name }) };
  if (!first) return { ...who, totalAudioMinutes: 0, totalVideoMinutes: 0, totalDuration: 0, isJoined: false, state: absent };
  const minutes = (stay: Stay) => Math.max(0, (stay.leftAt ?? ended ?? stay.joinedAt) - stay.joinedAt) / 60;
  const isOver = ended !== undefined || stays.every((stay) => stay.leftAt !== undefined);
  const audio = stays.filter((stay) => stay.isAudio ?? !isVideo).reduce((sum, stay) => sum + minutes(stay), 0);
  const total = stays.reduce((sum, stay) => sum + minutes(stay), 0);
  return {
    ...who,
    totalAudioMinutes: hundredths(audio),
    totalVideoMinutes: hundredths(total - audio),
    totalDuration: hundredths(total),
    isJoined: true,
    state: isOver ? 'ended' : 'ongoing',
    joinedAt: first.joinedAt,
    ...(isOver ? { leftAt: Math.max(...stays.map((stay) => stay.leftAt ?? ended ?? stay.joinedAt)) } : {}),
  };
}

/** Who was there, and who was asked and did not come. A name alone is nobody's uid, unless the call itself says whose it is. */
function participantsOf(events: CallEvents, isVideo: boolean, ended: number | undefined, absent: string): Participant[] {
  const stays = new Map<string, Stay[]>();
  for (const uid of [events.initiator, events.receiverType === 'user' ? events.receiver : undefined]) if (uid) stays.set(uid, []);
  const nameless = new Map<string, Stay[]>();
  for (const stay of events.stays ?? []) {
    const uid = stay.uid || uidOfName(events.names ?? {}, stay.name) || '';
    const [key, of] = uid === '' ? ([stay.name, nameless] as const) : ([uid, stays] as const);
    of.set(key, [...(of.get(key) ?? []), stay]);
  }
  return [
    ...[...stays].map(([uid, theirs]) => toParticipant(uid, theirs, isVideo, ended, absent)),
    ...[...nameless.values()].map((theirs) => toParticipant('', theirs, isVideo, ended, absent)),
  ];
}

function timesOf({ stays = [], isEnded, ...said }: CallEvents): Pick<CallRecord, 'startedAt' | 'endedAt'> {
  const joined = stays.map((stay) => stay.joinedAt);
  const left = stays.flatMap((stay) => stay.leftAt ?? []);
  const startedAt = said.startedAt ?? (joined.length > 0 ? Math.min(...joined) : undefined);
  const endedAt = isEnded ? (said.endedAt ?? (left.length > 0 ? Math.max(...left) : startedAt)) : undefined;
  return timesIn({ startedAt, endedAt });
}

function statusOf({ isEnded, outcome }: CallEvents, startedAt: number | undefined): string {
  if (isEnded) return 'ended';
  return startedAt === undefined ? (outcome?.status ?? 'initiated') : 'ongoing';
}

function recordOf(events: CallEvents): CallRecord {
  const { stays = [] } = events;
  const times = timesOf(events);
  const { startedAt, endedAt } = times;
  const type = events.type ?? (stays.length > 0 && stays.every((stay) => stay.isAudio) ? 'audio' : 'video');
  const status = statusOf(events, startedAt);
  const participants = participantsOf(events, type !== 'audio', endedAt, rankOf(status) === 1 ? status : 'unanswered');
  const lasted = startedAt !== undefined && endedAt !== undefined ? Math.max(0, endedAt - startedAt) : 0;
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

/** What a call is, and not how it went. */
const identity = ['initiator', 'mode', 'receiver', 'receiverType', 'type', 'mid', 'initiatedAt'] as const;

/** @returns undefined where that is not enough for a record: no record, and no time in the events */
export function projectCall(listed: CallRecord | undefined, events: CallEvents): CallRecord | undefined {
  if (listed) return projectOver(listed, events);
  const projected = recordOf(events);
  return projected.initiatedAt > 0 ? projected : undefined;
}

function projectOver(listed: CallRecord, events: CallEvents): CallRecord {
  // Of a file of somebody's making anything may be missing.
  const record = { ...listed, participants: Array.isArray(listed.participants) ? listed.participants : [] };
  const known = Object.fromEntries(identity.flatMap((name) => (record[name] ? [[name, record[name]]] : [])));
  const { initiator, receiver, receiverType, type, startedAt } = record;
  const said = Object.fromEntries(Object.entries(events).filter(([, value]) => value !== undefined));
  const projected = recordOf({ initiator, receiver, receiverType, startedAt, ...said, type });
  const hasRecording = record.hasRecording || projected.hasRecording;
  const [rank, newRank] = [rankOf(record.status), rankOf(projected.status)];
  const participants = joinParticipants(record.participants, projected.participants);
  if (newRank > rank) return { ...record, ...projected, ...known, hasRecording, participants, totalParticipants: participants.length };
  const isEnded = record.status === 'ended';
  // A call that is still open may gain participants; a closed one is as the platform lists it.
  const isOpen = rank === newRank && !isEnded;
  const shown = isOpen ? participants : record.participants;
  return {
    ...(isOpen || isEnded ? timesIn(projected) : {}),
    ...record,
    hasRecording,
    participants: shown,
    totalParticipants: Math.max(toNumber(record.totalParticipants) || 0, shown.length),
  };
}

const timesIn = ({ startedAt, endedAt }: { readonly startedAt?: number | undefined; readonly endedAt?: number | undefined }) => ({
  ...(startedAt === undefined ? {} : { startedAt }),
  ...(endedAt === undefined ? {} : { endedAt }),
});

function joinParticipants(known: readonly Participant[], projected: readonly Participant[]): readonly Participant[] {
  const joined = [...known];
  for (const participant of projected) {
    const place = joined.findIndex((other) => other.uid === participant.uid && (other.uid !== '' || other['name'] === participant['name']));
    if (place === -1) joined.push(participant);
    else if (participant.isJoined) joined[place] = { ...joined[place], ...participant };
  }
  return joined;
}
