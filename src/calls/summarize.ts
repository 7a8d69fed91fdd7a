/**
 * Counts and minutes of calls, altogether and by day, type, status and user: what a person asks of a list of calls, so that nobody (and no
 * model) has to add up pages. Small whatever was asked: what is left out is said.
 */
import { figureOf, usersOf, wordOf } from './call-record.ts';
import { createDayOf } from './period.ts';
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
  readonly groups: SummaryGroup[];
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

const maxDays = 366;
const maxGroups = 50;

type Sums = { -readonly [Name in keyof CallFigures]: number };
type Minutes = Omit<CallFigures, 'calls'>;

const noSums = (): Sums => ({ calls: 0, voiceMinutes: 0, videoMinutes: 0, durationMinutes: 0 });

/** NaN counts as nothing. */
function addTo(sums: Sums, { voiceMinutes, videoMinutes, durationMinutes }: Minutes): void {
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
  const all = [...sums];
  if (by === 'day') all.sort(([a], [b]) => (a < b ? -1 : 1));
  else all.sort(([a, { calls: aCalls }], [b, { calls: bCalls }]) => bCalls - aCalls || (a < b ? -1 : 1));
  const shown = by === 'day' ? all.slice(-maxDays) : all.slice(0, maxGroups);
  return { groups: shown.map(([key, group]) => ({ key, ...figuresOf(group) })), leftOut: all.length - shown.length };
}

/** Reads all of `records`, keeps none. */
export async function summarizeCalls(
  records: AsyncIterable<CallRecord> | Iterable<CallRecord>,
  { by = summaryKeys, timeZone = 'UTC' }: SummaryOptions = {},
): Promise<CallsSummary> {
  const dayOf = createDayOf(timeZone);
  const total = noSums();
  const groups = new Map<SummaryKey, Map<string, Sums>>(by.map((key) => [key, new Map()]));

  /** Adds nothing where the key is not asked for. */
  function addToGroup(by: SummaryKey, key: string, minutes: Minutes): void {
    const ofKey = groups.get(by);
    if (!ofKey) return;
    const sums = ofKey.get(key) ?? noSums();
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
  return { timeZone, total: figuresOf(total), by: Object.fromEntries([...groups].map(([key, sums]) => [key, partOf(key, sums)])) };
}
