/**
 * Counts and minutes of calls, altogether and by day, type, status and user: what a person asks of a list of calls, so that nobody (and no
 * model) has to add up pages. Small whatever was asked: what is left out is said.
 */
import { figureOf, usersOf, wordOf } from './call-record.ts';
import { createDayOf } from './period.ts';
import { type CallRecord, type CallSource, type CallsFilter, type CallsRequestOptions, type CallsSummary, summaryKeys } from './types.ts';

type SummaryKey = (typeof summaryKeys)[number];
type CallFigures = CallsSummary['total'];
export type SummaryPart = NonNullable<CallsSummary['by'][SummaryKey]>;

export interface SummaryOptions {
  readonly by?: readonly SummaryKey[] | undefined;
  readonly timeZone?: string | undefined;
}

/** What a chat tool asks: calls of one user (`onBehalfOf`), and what they add up to. */
export interface UserCalls extends Pick<CallSource, 'list'> {
  summarize(filter: CallsFilter, options?: SummaryOptions & CallsRequestOptions): Promise<CallsSummary>;
}

const maxDays = 366;
const maxGroups = 50;

const minuteNames = ['voiceMinutes', 'videoMinutes', 'durationMinutes'] as const;
type Minutes = Pick<CallFigures, (typeof minuteNames)[number]>;

const noFigures = (): CallFigures => ({ calls: 0, voiceMinutes: 0, videoMinutes: 0, durationMinutes: 0 });

/** NaN counts as nothing. */
function addTo(sums: CallFigures, minutes: Minutes): void {
  sums.calls++;
  for (const name of minuteNames) sums[name] += minutes[name] || 0;
}

const places = 10_000;

function rounded(sums: CallFigures): CallFigures {
  for (const name of minuteNames) sums[name] = Math.round(sums[name] * places) / places;
  return sums;
}

function partOf(by: SummaryKey, sums: ReadonlyMap<string, CallFigures>): SummaryPart {
  const all = [...sums];
  if (by === 'day') all.sort(([a], [b]) => (a < b ? -1 : 1));
  else all.sort(([a, { calls: aCalls }], [b, { calls: bCalls }]) => bCalls - aCalls || (a < b ? -1 : 1));
  const shown = by === 'day' ? all.slice(-maxDays) : all.slice(0, maxGroups);
  return { groups: shown.map(([key, group]) => ({ key, ...rounded(group) })), leftOut: all.length - shown.length };
}

/** Reads all of `records`, keeps none. */
export async function summarizeCalls(
  records: AsyncIterable<CallRecord> | Iterable<CallRecord>,
  { by = summaryKeys, timeZone = 'UTC' }: SummaryOptions = {},
): Promise<CallsSummary> {
  const dayOf = createDayOf(timeZone);
  const total = noFigures();
  const groups = new Map<SummaryKey, Map<string, CallFigures>>(by.map((key) => [key, new Map()]));

  function addToGroup(by: SummaryKey, key: string, minutes: Minutes): void {
    const ofKey = groups.get(by);
    if (!ofKey) return;
    const sums = ofKey.get(key) ?? noFigures();
    ofKey.set(key, sums);
    addTo(sums, minutes);
  }

  for await (const record of records) {
    const [voiceMinutes, videoMinutes] = [figureOf(record, 'voiceMinutes'), figureOf(record, 'videoMinutes')];
    const minutes = { voiceMinutes, videoMinutes, durationMinutes: figureOf(record, 'duration') };
    addTo(total, minutes);
    addToGroup('day', dayOf(figureOf(record, 'initiatedAt')), minutes);
    addToGroup('type', wordOf(record, 'type'), minutes);
    addToGroup('status', wordOf(record, 'status'), minutes);
    for (const { uid, ...ofUser } of usersOf(record)) addToGroup('user', uid, ofUser);
  }
  return { timeZone, total: rounded(total), by: Object.fromEntries([...groups].map(([key, sums]) => [key, partOf(key, sums)])) };
}
