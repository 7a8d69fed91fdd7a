/**
 * Converts calls into passages, so that answers about calls are cited and checked like those about
 * documents.
 */
import { randomUUID } from 'node:crypto';
import { toNumber, usersOf, wordOf } from '../../packages/calls/src/call-record.ts';
import { toSearchParams } from '../../packages/calls/src/query.ts';
import { type CallRecord, missedStatuses } from '../../packages/calls/src/types.ts';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { splitQuestion } from '../calls/calls-question.ts';
import type { CallsSummary } from '../calls/schemas.ts';
import type { SummaryPart } from '../calls/summarize.ts';
import { type CallsTools, type CallsUse, recordPrefix } from '../calls/user-calls.ts';
import type { Passage } from '../documents/document.ts';
import { inToolSpan } from '../trace.ts';
import type { Question } from './question.ts';
import { passageOfText } from './reply/checked-passage.ts';

type Described = Readonly<{ title: string; text: string }>;

/** Undefined if the value is not in unix seconds; upstreams may send anything. */
const timeOf = (value: unknown) => {
  const time = new Date(toNumber(value) * 1_000);
  return Number.isNaN(time.getTime()) ? undefined : time;
};
const short = (time: Date | undefined) =>
  time?.toISOString().slice(0, 16).replace('T', ' ') ?? 'an unknown time';
const moment = (time: Date | undefined) => (time ? `${short(time)} UTC` : short(time));
const decimal = (minutes: number) => String(Math.round(minutes * 100) / 100);
const plural = (count: number, word: string) => `${count} ${word}${count === 1 ? '' : 's'}`;
/** Removes line breaks, markup and invisible characters from ids, which come from outside. */
const plain = (text: unknown) =>
  String(text ?? '')
    .replace(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\p{Variation_Selector}\s]+/gu, ' ')
    .replace(/[[\]()<>`*|\\]/g, '')
    .trim()
    .slice(0, 200);

function inWords(minutes: number) {
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
  const initiatedAt = timeOf(call.initiatedAt);
  const startedAt = timeOf(call.startedAt);
  const endedAt = timeOf(call.endedAt);
  const [status, type] = [plain(wordOf(call, 'status')), plain(wordOf(call, 'type')) || 'voice'];
  const from = plain(call.initiator);
  const to = plain(call.receiver);
  const minutes = toNumber(call.totalDurationInMinutes) || 0;
  const users = usersOf(call).map(({ uid }) => plain(uid));
  const named = `The ${status} ${type} call of ${moment(initiatedAt)} from ${from} to ${call.receiverType === 'group' ? 'the group ' : ''}${to}`;
  function outcome() {
    if (startedAt === undefined && status === 'initiated') return `${named} has not started yet.`;
    if (startedAt === undefined)
      return `${named} never started${missedStatuses.some((missed) => missed === status) ? ': it was a missed call' : ''}.`;
    if (endedAt === undefined && status !== 'ended') return `${named} has not ended yet.`;
    return `${named} took ${decimal(minutes)} minutes (${inWords(minutes)}).`;
  }
  const sentences = [
    outcome(),
    startedAt && `The call started at ${moment(startedAt)}.`,
    endedAt && `The call ended at ${moment(endedAt)}.`,
    `The call has ${plural(Number(call.totalParticipants), 'participant')}: ${users.join(', ')}.`,
    `The call has ${call.hasRecording ? 'a' : 'no'} recording.`,
  ];
  return {
    title: `Call ${plain(call.sessionId)} of ${short(initiatedAt)}`,
    text: sentences.filter(Boolean).join(' '),
  };
}

const maxListed = 10;
const toItem = ({ key, calls, durationMinutes }: SummaryPart['groups'][number]) =>
  `- ${plain(key)}: ${plural(calls, 'call')}, ${decimal(durationMinutes)} minutes`;

/**
 * @param when `last week, from 2026-11-09 to 2026-11-15`; empty: all calls @param which `ended
 * video`; empty: any
 */
export function describeSummary(
  { total, by }: CallsSummary,
  when: string,
  which: string,
): Described {
  const what = [which, total.calls === 1 ? 'call' : 'calls'].filter(Boolean).join(' ');
  const time = when === '' ? '' : ` ${when}`;
  const { calls, durationMinutes, voiceMinutes, videoMinutes } = total;
  const sums = [
    `Your ${calls} ${what}${time} took ${decimal(durationMinutes)} minutes in total (${inWords(durationMinutes)}).`,
    `Of all participants together they took ${decimal(voiceMinutes)} voice minutes and ${decimal(videoMinutes)} video minutes.`,
  ];
  const parts = (['status', 'type', 'day', 'user'] as const).flatMap((key) => {
    const groups = by[key]?.groups ?? [];
    const listed = groups.slice(0, maxListed).map(toItem).join('\n');
    return groups.length > 1 ? [`By ${key}:\n\n${listed}`] : [];
  });
  return {
    title: `Your calls${time}`,
    text: [...(calls === 0 ? [`You had 0 ${what}${time}.`] : sums), ...parts].join('\n\n'),
  };
}

const maxRecords = 10;

function toCallPassage({ title, text }: Described, file: string, namespace: string): Passage {
  const document = { id: `${recordPrefix}${file}`, namespace, file, title };
  return { ...passageOfText(text, document), isRecord: true };
}

function whenOf({ args, result: { from, to } }: CallsUse) {
  if (from === null || to === null) return '';
  const days = from === to ? `on ${from}` : `from ${from} to ${to}`;
  return args.period === undefined ? days : `${args.period.replaceAll('_', ' ')} (${days})`;
}

const statusesOf = (statuses: readonly string[] = []) =>
  statuses.length === missedStatuses.length &&
  missedStatuses.every((status) => statuses.includes(status))
    ? 'missed'
    : statuses.join(' or ');

const whichOf = ({ args: { statuses, type, hasRecording } }: CallsUse) =>
  [hasRecording ? 'recorded' : '', statusesOf(statuses), type].filter(Boolean).join(' ');

function toPassages(use: CallsUse, namespace: string) {
  if (use.toolName === 'summarizeCalls') {
    const { period: _, ...asked } = use.args;
    const { from, to } = use.result;
    const query = toSearchParams({ ...asked, from: from ?? undefined, to: to ?? undefined });
    const described = describeSummary(use.result, whenOf(use), whichOf(use));
    return [toCallPassage(described, `v3/calls?${query}`, namespace)];
  }
  const { total } = use.result.meta.pagination;
  const when = whenOf(use);
  const counted = {
    title: when === '' ? 'Your calls' : `Your calls ${when}`,
    text: `You had ${total} ${whichOf(use)} calls ${when}.`.replace(/\s+/g, ' ').replace(' .', '.'),
  };
  const records = use.result.data.slice(0, maxRecords).map((call) => {
    const path = `v3/calls/${encodeURIComponent(call.sessionId)}`;
    return toCallPassage(describeCall(call), path, namespace);
  });
  return [toCallPassage(counted, 'v3/calls', namespace), ...records];
}

export const addCalls = (question: Question, toolCallId: string, use: CallsUse) =>
  question.addRecords({ toolCallId, ...use }, toPassages(use, question.namespace));

/** Stores why a call lookup failed. Invalid requests of a model do not count. */
export function noteFailedLookup(question: Question, error: unknown) {
  if (error instanceof KnowledgeError && error.code === 'invalid_request') return;
  question.lookupError =
    error instanceof KnowledgeError
      ? error
      : new KnowledgeError(
          'upstream_failed',
          'The calls could not be looked up. Retry in a moment.',
          { cause: error },
        );
}

export async function lookUpCalls(question: Question, calls: CallsTools, signal?: AbortSignal) {
  const { actingUser } = question.asker;
  const { ofCalls } = splitQuestion(question.text);
  if (!ofCalls || actingUser === undefined) return;
  const { tool, ...asked } = ofCalls;
  const args = { ...asked, statuses: asked.statuses && [...asked.statuses] };
  try {
    const use = await inToolSpan(
      tool,
      async (): Promise<CallsUse> =>
        tool === 'listCalls'
          ? { toolName: tool, args, result: await calls.listCalls(args, actingUser, signal) }
          : { toolName: tool, args, result: await calls.summarizeCalls(args, actingUser, signal) },
    );
    addCalls(question, `call_${randomUUID()}`, use);
  } catch (error) {
    noteFailedLookup(question, error);
  }
}
