/**
 * Counts and minutes of calls, altogether and by day, type, status and user: what a person asks of a list of calls, so that nobody (and no
 * model) has to add up pages. Small whatever was asked: what is left out is said. Here over records one after another; the call log does
 * the same over its columns.
 */
import { createDayOf } from './day-of.ts';
import { type CallFields, toFields } from './log/call-fields.ts';
import type { CallRecord, CallSource, CallsFilter, CallsRequestOptions } from './types.ts';

export const summaryKeys = ['day', 'type', 'status', 'user'] as const;
export type SummaryKey = (typeof summaryKeys)[number];

export interface SummaryOptions {
  /** Default: all. */
  readonly by?: readonly SummaryKey[];
  /** IANA name of the zone whose days are meant; default: UTC. */
  readonly timeZone?: string | undefined;
}

/** Minutes are decimal, to four places. */
export interface CallFigures {
  readonly calls: number;
  /** Of all participants together (`totalAudioMinutes`); for a user their own. */
  readonly voiceMinutes: number;
  readonly videoMinutes: number;
  /** How long the calls took (`totalDurationInMinutes`); for a user how long they were in them. */
  readonly durationMinutes: number;
}

export interface SummaryGroup extends CallFigures {
  /** `2026-11-21`, `voice`, `ended`, a uid. */
  readonly key: string;
}

export interface SummaryPart {
  /** Days in their order, others by calls, most first. */
  readonly groups: readonly SummaryGroup[];
  /** Groups that there are besides: the oldest days, the users with the fewest calls. */
  readonly leftOut: number;
}

export interface CallsSummary {
  readonly timeZone: string;
  readonly total: CallFigures;
  /** A call counts for each of its users, so their calls add up to more than the total. */
  readonly by: Readonly<Partial<Record<SummaryKey, SummaryPart>>>;
}

/** What a chat tool asks: calls of one user (`onBehalfOf`), and what they add up to. */
export interface UserCalls extends CallSource {
  summarize(filter: CallsFilter, options?: SummaryOptions & CallsRequestOptions): Promise<CallsSummary>;
}

export const maxDays = 366;
export const maxGroups = 50;

interface Sums {
  calls: number;
  voiceMinutes: number;
  videoMinutes: number;
  durationMinutes: number;
}

export type Tally = ReturnType<typeof createTally>;

/** NaN counts as nothing. */
export function addTo(sums: Sums, voiceMinutes: number, videoMinutes: number, durationMinutes: number): void {
  sums.calls++;
  sums.voiceMinutes += voiceMinutes || 0;
  sums.videoMinutes += videoMinutes || 0;
  sums.durationMinutes += durationMinutes || 0;
}

const places = 10_000;
const rounded = (minutes: number) => Math.round(minutes * places) / places;
const figuresOf = ({ calls, voiceMinutes, videoMinutes, durationMinutes }: Sums): CallFigures => ({
  calls,
  voiceMinutes: rounded(voiceMinutes),
  videoMinutes: rounded(videoMinutes),
  durationMinutes: rounded(durationMinutes),
});

function partOf(by: SummaryKey, sums: ReadonlyMap<string, Sums>): SummaryPart {
  const all = [...sums].filter(([, { calls }]) => calls > 0);
  if (by === 'day') all.sort(([a], [b]) => (a < b ? -1 : 1));
  else all.sort(([a, { calls: aCalls }], [b, { calls: bCalls }]) => bCalls - aCalls || (a < b ? -1 : 1));
  const shown = by === 'day' ? all.slice(-maxDays) : all.slice(0, maxGroups);
  return { groups: shown.map(([key, group]) => ({ key, ...figuresOf(group) })), leftOut: all.length - shown.length };
}

/** What is being added up. */
export function createTally({ by = summaryKeys, timeZone = 'UTC' }: SummaryOptions) {
  const dayOf = createDayOf(timeZone);
  const total: Sums = { calls: 0, voiceMinutes: 0, videoMinutes: 0, durationMinutes: 0 };
  const groups = new Map<SummaryKey, Map<string, Sums>>(by.map((key) => [key, new Map()]));

  /** @returns undefined where the key is not asked for */
  function group(by: SummaryKey, key: string): Sums | undefined {
    const ofKey = groups.get(by);
    const known = ofKey?.get(key);
    if (!ofKey || known) return known;
    const sums = { calls: 0, voiceMinutes: 0, videoMinutes: 0, durationMinutes: 0 };
    ofKey.set(key, sums);
    return sums;
  }

  return {
    total,
    group,
    dayOf,
    add({ numbers, values, users }: CallFields): void {
      const { voiceMinutes, videoMinutes, duration } = numbers;
      const sums = [total, group('day', dayOf(numbers.initiatedAt)), group('type', values.type), group('status', values.status)];
      for (const one of sums) if (one) addTo(one, voiceMinutes, videoMinutes, duration);
      if (!groups.has('user')) return;
      for (const user of users) {
        const own = group('user', user.uid);
        if (own) addTo(own, user.voiceMinutes, user.videoMinutes, user.minutes);
      }
    },
    summary: (): CallsSummary => ({
      timeZone,
      total: figuresOf(total),
      by: Object.fromEntries([...groups].map(([key, sums]) => [key, partOf(key, sums)])),
    }),
  };
}

/** For an upstream: reads all of `records`, keeps none. Records without a session or a time are left out. */
export async function summarizeCalls(
  records: AsyncIterable<CallRecord> | Iterable<CallRecord>,
  options: SummaryOptions = {},
): Promise<CallsSummary> {
  const tally = createTally(options);
  for await (const record of records) {
    const fields = toFields(record);
    if (fields) tally.add(fields);
  }
  return tally.summary();
}
