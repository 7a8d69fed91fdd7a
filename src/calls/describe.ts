/** Calls and what they add up to, as sentences that can be quoted: each figure stands beside what it counts. */
import { toFields, toNumber } from './log/call-fields.ts';
import type { CallsSummary, SummaryGroup } from './summarize.ts';
import type { CallRecord } from './types.ts';

export interface Described {
  readonly title: string;
  readonly text: string;
}

/** Unix seconds; undefined for what is no time, as an upstream may send it. */
const timeOf = (value: unknown): Date | undefined => {
  const time = new Date(toNumber(value) * 1_000);
  return Number.isNaN(time.getTime()) ? undefined : time;
};
const short = (time: Date | undefined) => time?.toISOString().slice(0, 16).replace('T', ' ') ?? 'an unknown time';
const moment = (time: Date | undefined) => (time ? `${short(time)} UTC` : short(time));
const decimal = (minutes: number) => String(Math.round(minutes * 100) / 100);
const plural = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`;
/** Ids come from outside: what would break a line or open markup is left out. */
const plain = (text: unknown) =>
  String(text ?? '')
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replace(/[[\]()<>`*|\\]/g, '')
    .trim()
    .slice(0, 200);

/** `1 hour 35 minutes 30 seconds`. */
function inWords(minutes: number): string {
  const seconds = Math.round(minutes * 60);
  const parts = [
    [Math.floor(seconds / 3_600), 'hour'],
    [Math.floor((seconds % 3_600) / 60), 'minute'],
    [seconds % 60, 'second'],
  ] as const;
  const said = parts.filter(([count]) => count > 0).map(([count, word]) => plural(count, word));
  return said.length === 0 ? '0 minutes' : said.join(' ');
}

/** What a status means to somebody who missed a call. */
const missed = new Set(['unanswered', 'cancelled', 'rejected', 'busy']);

export function describeCall(call: CallRecord): Described {
  const { numbers, values, users } = toFields(call) ?? { numbers: undefined, values: undefined, users: [] };
  const [initiatedAt, startedAt, endedAt] = [timeOf(call.initiatedAt), timeOf(call.startedAt), timeOf(call.endedAt)];
  const status = plain(values?.status ?? call.status);
  const [type, from, to] = [plain(values?.type) || 'voice', plain(call.initiator), plain(call.receiver)];
  const minutes = numbers?.duration ?? 0;
  const named = `The ${status} ${type} call of ${moment(initiatedAt)} from ${from} to ${call.receiverType === 'group' ? 'the group ' : ''}${to}`;
  function outcome(): string {
    if (startedAt === undefined && status === 'initiated') return `${named} has not started yet.`;
    if (startedAt === undefined) return `${named} never started${missed.has(status) ? ': it was a missed call' : ''}.`;
    if (endedAt === undefined && status !== 'ended') return `${named} has not ended yet.`;
    return `${named} took ${decimal(minutes)} minutes (${inWords(minutes)}).`;
  }
  const sentences = [
    outcome(),
    ...(startedAt === undefined ? [] : [`The call started at ${moment(startedAt)}.`]),
    ...(endedAt === undefined ? [] : [`The call ended at ${moment(endedAt)}.`]),
    `The call has ${plural(Number(call.totalParticipants), 'participant')}: ${users.map(({ uid }) => plain(uid)).join(', ')}.`,
    call.hasRecording ? 'The call has a recording.' : 'The call has no recording.',
  ];
  return { title: `Call ${plain(call.sessionId)} of ${short(initiatedAt)}`, text: sentences.join(' ') };
}

const listed = (groups: readonly SummaryGroup[], name: (key: string) => string, most = 10) =>
  groups
    .slice(0, most)
    .map(({ key, calls, durationMinutes }) => `- ${name(plain(key))}: ${plural(calls, 'call')}, ${decimal(durationMinutes)} minutes`);

/** @param when `last week, from 2026-11-09 to 2026-11-15`; empty: all calls @param which `ended video`; empty: any */
export function describeSummary({ total, by }: CallsSummary, when: string, which: string): Described {
  const what = [which, total.calls === 1 ? 'call' : 'calls'].filter((word) => word !== '').join(' ');
  const time = when === '' ? '' : ` ${when}`;
  const named = when === '' ? 'Your calls' : `Your calls ${when}`;
  const lines = [
    total.calls === 0
      ? `You had 0 ${what}${time}.`
      : `Your ${total.calls} ${what}${time} took ${decimal(total.durationMinutes)} minutes in total (${inWords(total.durationMinutes)}).`,
    ...(total.calls === 0
      ? []
      : [
          `Of all participants together they took ${decimal(total.voiceMinutes)} voice minutes and ${decimal(total.videoMinutes)} video minutes.`,
        ]),
  ];
  const parts = [
    ['By status:', by.status, (key: string) => key],
    ['By type:', by.type, (key: string) => key],
    ['By day:', by.day, (key: string) => key],
    ['By user:', by.user, (key: string) => key],
  ] as const;
  for (const [heading, part, name] of parts) {
    if (part && part.groups.length > 1) lines.push(`${heading}\n\n${listed(part.groups, name).join('\n')}`);
  }
  return { title: named, text: lines.join('\n\n') };
}
