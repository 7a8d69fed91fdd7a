/**
 * Generates realistic call records from a seed, oldest first, for the sample, tests and benches.
 * Users who never joined have zeros and no `deviceId`, `joinedAt`, `mid` or `leftAt`. Calls that
 * never started have no `startedAt` and `endedAt`.
 */
import type { CallRecord, Participant } from '../packages/calls/src/types.ts';

export interface CallRecordOptions {
  readonly count: number;
  readonly seed: number;
  /** Unix seconds of a midnight (UTC); every call starts before it. */
  readonly until: number;
  readonly days: number;
  /**
   * Number of users; those after the named ones are `user-00001` …; default: only the named ones.
   */
  readonly users?: number;
}

const secondsPerDay = 86_400;

const names = (
  'amara.okafor ben.tanaka carla.rossi dmitri.volkov elena.petrova farid.haddad grace.lin hugo.meyer ines.costa jonas.weber ' +
  'keiko.sato liam.murphy maya.lindqvist noor.aziz oscar.diaz priya.nair quinn.baker rosa.jimenez samir.khan tess.dubois ' +
  'uma.reddy viktor.novak wen.zhao yara.silva'
).split(' ');

const groups = [
  'support-desk',
  'sales-emea',
  'engineering',
  'design-review',
  'all-hands',
  'billing',
];

type Outcome =
  | 'ended'
  | 'unanswered'
  | 'cancelled'
  | 'canceled'
  | 'rejected'
  | 'busy'
  | 'ongoing'
  | 'initiated';
type Weighted<T> = readonly (readonly [value: T, share: number])[];

// The platform uses both spellings.
const rungOutcomes: Weighted<Outcome> = [
  ['ended', 60],
  ['unanswered', 13],
  ['cancelled', 8],
  ['canceled', 1],
  ['rejected', 8],
  ['busy', 5],
];
const metOutcomes: Weighted<Outcome> = [['ended', 1]];
/** Statuses of the last day: calls that have not ended. */
const openOutcomes: Weighted<Outcome> = [
  ['ongoing', 2],
  ['initiated', 1],
];
const openShare = 0.5;
const modes: Weighted<string> = [
  ['call', 74],
  ['meet', 20],
  ['presenter', 6],
];
/** Calls by hour of the day, UTC. */
const hours: Weighted<number> = [
  0, 0, 0, 1, 1, 2, 4, 8, 14, 18, 18, 14, 10, 16, 18, 16, 12, 8, 5, 3, 2, 1, 1, 0,
].map((share, hour) => [hour, share]);

interface Random {
  /** In [0, 1). */
  next(): number;
  below(end: number): number;
  pick<T>(values: readonly T[]): T;
  weighted<T>(values: Weighted<T>): T;
  hex(digits: number): string;
}

/** mulberry32 (public domain). */
function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (end: number) => Math.floor(next() * end);
  const pick = <T>(values: readonly T[]) => values[below(values.length)] as T;
  return {
    next,
    below,
    pick,
    weighted(values) {
      let left = next() * values.reduce((sum, [, share]) => sum + share, 0);
      for (const [value, share] of values) {
        left -= share;
        if (left < 0) return value;
      }
      return pick(values)[0];
    },
    hex(digits) {
      let text = '';
      while (text.length < digits)
        text += below(2 ** 32)
          .toString(16)
          .padStart(8, '0');
      return text.slice(0, digits);
    },
  };
}

const minutesOf = (seconds: number) => Math.round((seconds / 60) * 100) / 100;
const sum = (values: readonly number[]) =>
  Math.round(values.reduce((total, value) => total + value, 0) * 100) / 100;

function clock(seconds: number): string {
  const parts = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(part).padStart(2, '0')).join(':');
}

const uuid = ({ hex }: Random) => `${hex(8)}-${hex(4)}-4${hex(3)}-a${hex(3)}-${hex(12)}`;

interface Plan {
  readonly type: string;
  readonly outcome: Outcome;
  readonly startedAt: number | undefined;
  /** Set if the call has ended. */
  readonly endedAt: number | undefined;
}

function participantOf(
  uid: string,
  joins: boolean,
  { type, outcome, startedAt, endedAt }: Plan,
  random: Random,
): Participant {
  if (!joins || startedAt === undefined) {
    const state =
      startedAt !== undefined || outcome === 'initiated' || outcome === 'ongoing'
        ? 'unanswered'
        : outcome;
    return {
      uid,
      totalAudioMinutes: 0,
      totalVideoMinutes: 0,
      totalDuration: 0,
      isJoined: false,
      state,
    };
  }
  const longest = endedAt === undefined ? 600 : endedAt - startedAt;
  const joinedAt = startedAt + random.below(Math.min(40, Math.ceil(longest / 4)));
  const leftAt =
    endedAt === undefined
      ? undefined
      : Math.max(joinedAt + 1, endedAt - random.below(Math.min(90, Math.ceil(longest / 4))));
  const minutes = leftAt === undefined ? 0 : minutesOf(leftAt - joinedAt);
  return {
    uid,
    totalAudioMinutes: type === 'audio' ? minutes : 0,
    totalVideoMinutes: type === 'video' ? minutes : 0,
    totalDuration: minutes,
    isJoined: true,
    state: leftAt === undefined ? 'ongoing' : 'ended',
    deviceId: `${random.pick(['web', 'ios', 'android'])}-${random.hex(12)}`,
    joinedAt,
    ...(leftAt === undefined ? {} : { leftAt }),
    mid: uuid(random),
  };
}

function recordAt(
  initiatedAt: number,
  { users = names.length, until }: CallRecordOptions,
  random: Random,
): CallRecord {
  const someone = () => {
    const number = random.below(users);
    return names[number] ?? `user-${String(number - names.length + 1).padStart(5, '0')}`;
  };
  const mode = random.weighted(modes);
  const isGroup = mode !== 'call' || random.next() < 0.12;
  const type = random.next() < (mode === 'call' ? 0.45 : 0.85) ? 'video' : 'audio';
  const isOpen = initiatedAt >= until - secondsPerDay && random.next() < openShare;
  const outcome = random.weighted(
    isOpen ? openOutcomes : mode === 'call' ? rungOutcomes : metOutcomes,
  );
  const initiator = someone();
  const invited = new Set([initiator]);
  const size = isGroup ? 3 + random.below(mode === 'call' ? 4 : 6) : 2;
  while (invited.size < Math.min(size, users)) invited.add(someone());
  const uids = [...invited];

  const starts = outcome === 'ended' || outcome === 'ongoing';
  const startedAt = starts
    ? initiatedAt + (mode === 'call' ? 2 + random.below(28) : random.below(4))
    : undefined;
  // Most calls are short.
  const seconds = Math.ceil(20 + -Math.log(1 - random.next()) * (isGroup ? 1500 : 420));
  const endedAt =
    outcome === 'ended' && startedAt !== undefined
      ? startedAt + Math.min(seconds, 4 * 3600)
      : undefined;
  const plan = { type, outcome, startedAt, endedAt };
  const participants = uids.map((uid, place) =>
    participantOf(uid, place < 2 || random.next() < 0.8, plan, random),
  );
  const lasted = endedAt === undefined || startedAt === undefined ? 0 : endedAt - startedAt;
  return {
    sessionId: `v1.us.26a7f3c1d2e4.${initiatedAt.toString(16)}${random.hex(20)}`,
    totalAudioMinutes: sum(participants.map((participant) => participant.totalAudioMinutes)),
    totalVideoMinutes: sum(participants.map((participant) => participant.totalVideoMinutes)),
    totalDuration: clock(lasted),
    totalDurationInMinutes: minutesOf(lasted),
    hasRecording: lasted > 60 && random.next() < 0.2,
    initiatedAt,
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(endedAt === undefined ? {} : { endedAt }),
    initiator,
    mode,
    receiver: isGroup ? random.pick(groups) : (uids[1] ?? initiator),
    receiverType: isGroup ? 'group' : 'user',
    status: outcome,
    totalParticipants: participants.length,
    type,
    mid: uuid(random),
    participants,
  };
}

export function* callRecords(options: CallRecordOptions): Generator<CallRecord> {
  const { count, seed, until, days } = options;
  const random = createRandom(seed);
  const times = Float64Array.from({ length: count }, () => {
    const day = until - secondsPerDay * (1 + random.below(days));
    return day + random.weighted(hours) * 3600 + random.below(3600);
  }).sort();
  for (const time of times) yield recordAt(time, options, random);
}

export const toJsonLines = (records: Iterable<CallRecord>): string => {
  let text = '';
  for (const record of records) text += `${JSON.stringify(record)}\n`;
  return text;
};
