/** Calls that a tool found → passages that an answer can cite and is checked against, like those of documents. */
import { createHash, randomUUID } from 'node:crypto';
import { splitQuestion } from '../../calls/calls-question.ts';
import { type Described, describeCall, describeSummary } from '../../calls/describe.ts';
import { toSearchParams } from '../../calls/query.ts';
import { missedStatuses } from '../../calls/types.ts';
import type { Passage } from '../../documents/document.ts';
import { KnowledgeError } from '../../errors.ts';
import { inToolSpan } from '../../trace.ts';
import type { CallsTools, CallsUse } from '../user-calls.ts';
import { addRecords, type Turn } from './turn.ts';

const maxRecords = 10;

const recordPrefix = 'calls:';

/** Whether what an answer cites by this id is a record that a tool found, and no document. */
export const isRecordId = (documentId: string): boolean => documentId.startsWith(recordPrefix);

/** @param place path of the record, in place of a file */
function toCallPassage({ title, text }: Described, place: string, namespace: string): Passage {
  return {
    chunkId: `${recordPrefix}${place}`,
    text,
    score: 1,
    start: 0,
    end: text.length,
    headingPath: [],
    anchor: null,
    page: null,
    isRecord: true,
    document: {
      id: `${recordPrefix}${place}`,
      namespace,
      file: place,
      title,
      source: place,
      kind: 'text',
      revision: `sha256-${createHash('sha256').update(text).digest('hex')}`,
      bytes: Buffer.byteLength(text),
      textLanguage: 'en',
    },
  };
}

/** `last week, from 2026-11-09 to 2026-11-15`. */
function whenOf({ args, result: { from, to } }: CallsUse): string {
  if (from === null || to === null) return '';
  const days = from === to ? `on ${from}` : `from ${from} to ${to}`;
  return args.period === undefined ? days : `${args.period.replaceAll('_', ' ')} (${days})`;
}

const statusesOf = (statuses: readonly string[] = []) =>
  statuses.length === missedStatuses.length && missedStatuses.every((status) => statuses.includes(status))
    ? 'missed'
    : statuses.join(' or ');

const whichOf = ({ args: { statuses, type, hasRecording } }: CallsUse): string =>
  [hasRecording ? 'recorded' : '', statusesOf(statuses), type ?? ''].filter((word) => word !== '').join(' ');

function toPassages(use: CallsUse, namespace: string): Passage[] {
  if (use.toolName === 'summarizeCalls') {
    const { period: _, ...asked } = use.args;
    const { from, to } = use.result;
    const query = toSearchParams({ ...asked, from: from ?? undefined, to: to ?? undefined });
    return [toCallPassage(describeSummary(use.result, whenOf(use), whichOf(use)), `v3/calls?${query}`, namespace)];
  }
  const { total } = use.result.meta.pagination;
  const when = whenOf(use);
  const counted = {
    title: when === '' ? 'Your calls' : `Your calls ${when}`,
    text: `You had ${total} ${whichOf(use)} calls ${when}.`.replace(/\s+/g, ' ').replace(' .', '.'),
  };
  const records = use.result.data.slice(0, maxRecords);
  return [
    toCallPassage(counted, 'v3/calls', namespace),
    ...records.map((call) => toCallPassage(describeCall(call), `v3/calls/${encodeURIComponent(call.sessionId)}`, namespace)),
  ];
}

export const takeCalls = (turn: Turn, toolCallId: string, use: CallsUse): void =>
  addRecords(turn, { toolCallId, ...use }, toPassages(use, turn.namespace));

/** Remembers why calls could not be looked up; what a model asked wrongly is no failure of the calls. */
export function noteFailedLookup(turn: Turn, error: unknown): void {
  if (error instanceof KnowledgeError && error.code === 'invalid_request') return;
  turn.lookupError =
    error instanceof KnowledgeError
      ? error
      : new KnowledgeError('upstream_failed', 'The calls could not be looked up; try again in a moment.', { cause: error });
}

export async function takeCallsOf(turn: Turn, calls: CallsTools, actingUser: string | undefined, signal?: AbortSignal): Promise<void> {
  const { ofCalls } = splitQuestion(turn.question);
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
    takeCalls(turn, `call_${randomUUID()}`, use);
  } catch (error) {
    noteFailedLookup(turn, error);
  }
}
