/**
 * A record and what the events say of its call → the record. Pure. What the platform's own list says of an ended call is more exact than
 * what events add up to, so an ended record only gains what it lacks, and nothing reopens it.
 */
import { toNumber } from '../log/call-fields.ts';
import type { CallRecord, Participant } from '../types.ts';
import { type CallFacts, type Stay, uidOfName } from './call-facts.ts';

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
function participantsOf(facts: CallFacts, isVideo: boolean, ended: number | undefined, absent: string): Participant[] {
  const stays = new Map<string, Stay[]>();
  for (const uid of [facts.initiator, facts.receiverType === 'user' ? facts.receiver : undefined]) if (uid) stays.set(uid, []);
  const nameless = new Map<string, Stay[]>();
  for (const stay of facts.stays ?? []) {
    const uid = stay.uid || uidOfName(facts.names ?? {}, stay.name) || '';
    const [key, of] = uid === '' ? ([stay.name, nameless] as const) : ([uid, stays] as const);
    of.set(key, [...(of.get(key) ?? []), stay]);
  }
  return [
    ...[...stays].map(([uid, theirs]) => toParticipant(uid, theirs, isVideo, ended, absent)),
    ...[...nameless.values()].map((theirs) => toParticipant('', theirs, isVideo, ended, absent)),
  ];
}

function recordOf(facts: CallFacts): CallRecord {
  const stays = facts.stays ?? [];
  const joined = stays.map((stay) => stay.joinedAt);
  const left = stays.flatMap((stay) => stay.leftAt ?? []);
  const startedAt = facts.startedAt ?? (joined.length > 0 ? Math.min(...joined) : undefined);
  const endedAt = facts.isEnded ? (facts.endedAt ?? (left.length > 0 ? Math.max(...left) : startedAt)) : undefined;
  const type = facts.type ?? (stays.length > 0 && stays.every((stay) => stay.isAudio) ? 'audio' : 'video');
  const status = facts.isEnded ? 'ended' : startedAt !== undefined ? 'ongoing' : (facts.outcome?.status ?? 'initiated');
  const participants = participantsOf(facts, type !== 'audio', endedAt, rankOf(status) === 1 ? status : 'unanswered');
  const lasted = startedAt !== undefined && endedAt !== undefined ? Math.max(0, endedAt - startedAt) : 0;
  return {
    sessionId: facts.sessionId ?? '',
    totalAudioMinutes: sumOf(participants, 'totalAudioMinutes'),
    totalVideoMinutes: sumOf(participants, 'totalVideoMinutes'),
    totalDuration: clock(lasted),
    totalDurationInMinutes: hundredths(lasted / 60),
    hasRecording: facts.hasRecording ?? false,
    initiatedAt: facts.initiatedAt ?? startedAt ?? endedAt ?? facts.outcome?.at ?? 0,
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(endedAt === undefined ? {} : { endedAt }),
    initiator: facts.initiator ?? '',
    mode: facts.mode ?? 'call',
    receiver: facts.receiver ?? '',
    receiverType: facts.receiverType ?? '',
    status,
    totalParticipants: participants.length,
    type,
    mid: '',
    participants,
  };
}

/** What a call is, and not how it went. */
const identity = ['initiator', 'mode', 'receiver', 'receiverType', 'type', 'mid', 'initiatedAt'] as const;

/** @returns undefined where there is nothing to tell yet: no record, and no time in the facts */
export function foldCall(listed: CallRecord | undefined, facts: CallFacts): CallRecord | undefined {
  if (!listed) {
    const told = recordOf(facts);
    return told.initiatedAt > 0 ? told : undefined;
  }
  // Of a file of somebody's making anything may be missing.
  const record = { ...listed, participants: Array.isArray(listed.participants) ? listed.participants : [] };
  const known = Object.fromEntries(identity.flatMap((name) => (record[name] ? [[name, record[name]]] : [])));
  const told = recordOf({
    ...facts,
    initiator: facts.initiator ?? record.initiator,
    receiver: facts.receiver ?? record.receiver,
    receiverType: facts.receiverType ?? record.receiverType,
    type: record.type,
    startedAt: facts.startedAt ?? record.startedAt,
  });
  const hasRecording = record.hasRecording || told.hasRecording;
  if (rankOf(record.status) >= rankOf(told.status)) {
    const times = {
      ...(told.startedAt === undefined ? {} : { startedAt: told.startedAt }),
      ...(told.endedAt === undefined ? {} : { endedAt: told.endedAt }),
    };
    // A call that is still open may gain participants; a closed one is as the platform lists it.
    const isOpen = rankOf(record.status) === rankOf(told.status) && record.status !== 'ended';
    const participants = isOpen ? joinParticipants(record.participants, told.participants) : record.participants;
    return {
      ...(isOpen || record.status === 'ended' ? times : {}),
      ...record,
      hasRecording,
      participants,
      totalParticipants: Math.max(toNumber(record.totalParticipants) || 0, participants.length),
    };
  }
  const participants = joinParticipants(record.participants, told.participants);
  return { ...record, ...told, ...known, hasRecording, participants, totalParticipants: participants.length };
}

function joinParticipants(known: readonly Participant[], told: readonly Participant[]): readonly Participant[] {
  const joined = [...known];
  for (const participant of told) {
    const place = joined.findIndex((other) => other.uid === participant.uid && (other.uid !== '' || other['name'] === participant['name']));
    if (place === -1) joined.push(participant);
    else if (participant.isJoined) joined[place] = { ...joined[place], ...participant };
  }
  return joined;
}
