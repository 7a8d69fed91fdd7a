/** Calls and what they add up to, as sentences that can be quoted: each figure stands beside what it counts. */
import { figureOf, toNumber, usersOf, wordOf } from './call-record.ts';
import type { SummaryPart } from './summarize.ts';
import { type CallRecord, type CallsSummary, missedStatuses } from './types.ts';

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
/** Ids come from outside: what would break a line, open markup or hide is left out. */
const plain = (text: unknown) =>
  String(text ?? '')
    .replace(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Variation_Selector}\s]+/gu, ' ')
    .replace(/[[\]()<>`*|\\]/g, '')
    .trim()
    .slice(0, 200);

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

export function describeCall(call: CallRecord): Described {
  const [initiatedAt, startedAt, endedAt] = [timeOf(call.initiatedAt), timeOf(call.startedAt), timeOf(call.endedAt)];
  const [status, type] = [plain(wordOf(call, 'status')), plain(wordOf(call, 'type')) || 'voice'];
  const [from, to] = [plain(call.initiator), plain(call.receiver)];
  const minutes = figureOf(call, 'duration') || 0;
  const users = usersOf(call).map(({ uid }) => plain(uid));
  const named = `The ${status} ${type} call of ${moment(initiatedAt)} from ${from} to ${call.receiverType === 'group' ? 'the group ' : ''}${to}`;
  function outcome(): string {
    if (startedAt === undefined && status === 'initiated') return `${named} has not started yet.`;
    if (startedAt === undefined)
      return `${named} never started${missedStatuses.some((missed) => missed === status) ? ': it was a missed call' : ''}.`;
    if (endedAt === undefined && status !== 'ended') return `${named} has not ended yet.`;
    return `${named} took ${decimal(minutes)} minutes (${inWords(minutes)}).`;
  }
  const sentences = [
    outcome(),
    ...(startedAt === undefined ? [] : [`The call started at ${moment(startedAt)}.`]),
    ...(endedAt === undefined ? [] : [`The call ended at ${moment(endedAt)}.`]),
    `The call has ${plural(Number(call.totalParticipants), 'participant')}: ${users.join(', ')}.`,
    call.hasRecording ? 'The call has a recording.' : 'The call has no recording.',
  ];
  return { title: `Call ${plain(call.sessionId)} of ${short(initiatedAt)}`, text: sentences.join(' ') };
}

const maxListed = 10;
const listed = (groups: SummaryPart['groups']) =>
  groups
    .slice(0, maxListed)
    .map(({ key, calls, durationMinutes }) => `- ${plain(key)}: ${plural(calls, 'call')}, ${decimal(durationMinutes)} minutes`)
    .join('\n');

/** @param when `last week, from 2026-11-09 to 2026-11-15`; empty: all calls @param which `ended video`; empty: any */
export function describeSummary({ total, by }: CallsSummary, when: string, which: string): Described {
  const what = [which, total.calls === 1 ? 'call' : 'calls'].filter((word) => word !== '').join(' ');
  const time = when === '' ? '' : ` ${when}`;
  const { calls, durationMinutes, voiceMinutes, videoMinutes } = total;
  const sums = [
    `Your ${calls} ${what}${time} took ${decimal(durationMinutes)} minutes in total (${inWords(durationMinutes)}).`,
    `Of all participants together they took ${decimal(voiceMinutes)} voice minutes and ${decimal(videoMinutes)} video minutes.`,
  ];
  const parts = (['status', 'type', 'day', 'user'] as const).flatMap((key) => {
    const groups = by[key]?.groups ?? [];
    return groups.length > 1 ? [`By ${key}:\n\n${listed(groups)}`] : [];
  });
  return { title: `Your calls${time}`, text: [...(calls === 0 ? [`You had 0 ${what}${time}.`] : sums), ...parts].join('\n\n') };
}
