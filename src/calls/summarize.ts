/**
 * Counts and minutes of calls: total and by day, type, status and user. The size is limited;
 * omitted groups are counted.
 */
import { takesPart, toNumber, usersOf, wordOf } from '../../packages/calls/src/call-record.ts';
import type { CallsClient } from '../../packages/calls/src/client.ts';
import { badRequest, CallsError } from '../../packages/calls/src/errors.ts';
import {
  type CallRecord,
  type CallSource,
  type CallsFilter,
  type CallsRequestOptions,
  maxPerPage,
} from '../../packages/calls/src/types.ts';
import { TimeZone } from './period.ts';
import { type CallsSummary, summaryKeys } from './schemas.ts';

type SummaryKey = (typeof summaryKeys)[number];
type CallFigures = CallsSummary['total'];
export type SummaryPart = NonNullable<CallsSummary['by'][SummaryKey]>;

export type SummaryOptions = Readonly<{
  by?: readonly SummaryKey[] | undefined;
  timeZone?: string | undefined;
}>;

/** Calls of one user (`onBehalfOf`), for the chat tools. */
export interface UserCalls extends Pick<CallSource, 'list'> {
  summarize(
    filter: CallsFilter,
    options?: SummaryOptions & CallsRequestOptions,
  ): Promise<CallsSummary>;
}

const maxDays = 366;
const maxGroups = 50;

const minuteNames = ['voiceMinutes', 'videoMinutes', 'durationMinutes'] as const;
type Minutes = Pick<CallFigures, (typeof minuteNames)[number]>;

const noFigures = () => ({
  calls: 0,
  voiceMinutes: 0,
  videoMinutes: 0,
  durationMinutes: 0,
});

const roundingFactor = 10_000;

/** NaN, and a number that makes the sum infinite, count as 0, because JSON would show null. */
function addTo(sums: CallFigures, minutes: Minutes) {
  sums.calls++;
  for (const name of minuteNames) {
    const sum = sums[name] + minutes[name];
    if (Number.isFinite(sum * roundingFactor)) sums[name] = sum;
  }
}

function rounded(sums: CallFigures) {
  for (const name of minuteNames)
    sums[name] = Math.round(sums[name] * roundingFactor) / roundingFactor;
  return sums;
}

function partOf(by: SummaryKey, sums: ReadonlyMap<string, CallFigures>) {
  const all = [...sums].sort(([a, { calls }], [b, other]) => {
    const byCount = by === 'day' ? 0 : other.calls - calls;
    return byCount || (a < b ? -1 : 1);
  });
  const shown = by === 'day' ? all.slice(-maxDays) : all.slice(0, maxGroups);
  return {
    groups: shown.map(([key, group]) => ({ key, ...rounded(group) })),
    leftOut: all.length - shown.length,
  };
}

export async function summarizeCalls(
  records: AsyncIterable<CallRecord> | Iterable<CallRecord>,
  { by = summaryKeys, timeZone = 'UTC' }: SummaryOptions = {},
): Promise<CallsSummary> {
  const zone = new TimeZone(timeZone);
  const total = noFigures();
  const groups = new Map<SummaryKey, Map<string, CallFigures>>(by.map((key) => [key, new Map()]));

  function addToGroup(by: SummaryKey, key: string, minutes: Minutes) {
    const sumsByKey = groups.get(by);
    if (!sumsByKey) return;
    const sums = sumsByKey.get(key) ?? noFigures();
    sumsByKey.set(key, sums);
    addTo(sums, minutes);
  }

  for await (const record of records) {
    const minutes = {
      voiceMinutes: toNumber(record.totalAudioMinutes),
      videoMinutes: toNumber(record.totalVideoMinutes),
      durationMinutes: toNumber(record.totalDurationInMinutes),
    };
    addTo(total, minutes);
    addToGroup('day', zone.dayOf(toNumber(record.initiatedAt)), minutes);
    addToGroup('type', wordOf(record, 'type'), minutes);
    addToGroup('status', wordOf(record, 'status'), minutes);
    for (const { uid, ...minutesOfUser } of usersOf(record)) addToGroup('user', uid, minutesOfUser);
  }
  return {
    timeZone,
    total: rounded(total),
    by: Object.fromEntries([...groups].map(([key, sums]) => [key, partOf(key, sums)])),
  };
}

const maxSummaryPages = 100;

/**
 * @throws CallsError if the user has no part in the call: an upstream may ignore the header
 * `onBehalfOf`
 */
export function requireOwn(call: CallRecord, uid: string | undefined): CallRecord {
  if (uid === undefined || takesPart(call, uid)) return call;
  const notScoped =
    'The calling service returned calls of other users, so none are shown. Its API must support the header onBehalfOf.';
  throw new CallsError('ERR_UPSTREAM_NOT_SCOPED', notScoped, { status: 502 });
}

export function toUserCalls(client: CallsClient): UserCalls {
  async function* each(filter: CallsFilter, { onBehalfOf, signal }: CallsRequestOptions) {
    try {
      const asked = { onBehalfOf, signal, maxPages: maxSummaryPages };
      for await (const call of client.each(filter, asked)) yield requireOwn(call, onBehalfOf);
    } catch (error) {
      if (!(error instanceof CallsError) || error.code !== 'ERR_TOO_MANY_PAGES') throw error;
      const tooMany = `There are more than ${maxSummaryPages * maxPerPage} calls, too many for a summary. Ask for a shorter period.`;
      throw badRequest(tooMany, error);
    }
  }
  return {
    async list(filter, options = {}) {
      const page = await client.list(filter, options);
      // A page beyond the end has no calls to check, but its total may include other users' calls.
      // So page 1 is checked.
      const isBeyond = page.data.length === 0 && page.meta.pagination.total !== 0;
      const shown = isBeyond ? await client.list({ ...filter, page: 1 }, options) : page;
      for (const call of shown.data) requireOwn(call, options.onBehalfOf);
      return page;
    },
    summarize: (filter, { onBehalfOf, signal, ...by } = {}) =>
      summarizeCalls(each(filter, { onBehalfOf, signal }), by),
  };
}
