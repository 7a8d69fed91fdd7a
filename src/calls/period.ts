/**
 * Stretches of time as people name them ("last week"), in unix seconds of a time zone, so that neither a person nor a model has to know
 * what day it is. A week begins on Monday (ISO 8601); a stretch that goes on ends with the day that it is.
 */
import { createDayOf } from './day-of.ts';

export const periodNames = [
  'today',
  'yesterday',
  'this_week',
  'last_week',
  'this_month',
  'last_month',
  'last_7_days',
  'last_30_days',
] as const;
export type PeriodName = (typeof periodNames)[number];

export interface Period {
  /** The first second, and the first after it. */
  readonly from: number;
  readonly to: number;
  /** `2026-11-09`, both of them in it. */
  readonly firstDay: string;
  readonly lastDay: string;
}

const dayMs = 86_400_000;
const dayText = (dayNumber: number) => new Date(dayNumber * dayMs).toISOString().slice(0, 10);
const dayNumberOf = (day: string) => Math.round(Date.parse(`${day}T00:00:00Z`) / dayMs);

/** First and last day, as days since 1970. */
function daysOf(name: PeriodName, today: number): readonly [number, number] {
  const monday = today - ((today + 3) % 7);
  const date = new Date(today * dayMs);
  const monthStart = (months: number) => Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1) / dayMs;
  switch (name) {
    case 'today':
      return [today, today];
    case 'yesterday':
      return [today - 1, today - 1];
    case 'this_week':
      return [monday, today];
    case 'last_week':
      return [monday - 7, monday - 1];
    case 'this_month':
      return [monthStart(0), today];
    case 'last_month':
      return [monthStart(-1), monthStart(0) - 1];
    case 'last_7_days':
      return [today - 6, today];
    case 'last_30_days':
      return [today - 29, today];
  }
}

/** Clocks are at most this far from UTC. */
const maxOffsetSeconds = 15 * 3_600;

/** @throws CallsError `ERR_BAD_REQUEST` for a time zone that there is not */
export function createPeriods(timeZone = 'UTC') {
  const dayOf = createDayOf(timeZone);

  /** The first second of a day: found by halving, because a day may begin at any offset, and twice a year at another one. */
  function startOf(day: number): number {
    const wanted = dayText(day);
    let before = (day * dayMs) / 1_000 - maxOffsetSeconds;
    let at = (day * dayMs) / 1_000 + maxOffsetSeconds;
    while (at - before > 1) {
      const middle = Math.floor((before + at) / 2);
      if (dayOf(middle) < wanted) before = middle;
      else at = middle;
    }
    return at;
  }

  const between = (first: number, last: number): Period => ({
    from: startOf(first),
    to: startOf(last + 1),
    firstDay: dayText(first),
    lastDay: dayText(last),
  });

  return {
    named: (name: PeriodName, now: Date): Period => between(...daysOf(name, dayNumberOf(dayOf(Math.floor(now.getTime() / 1_000))))),
    /** @param first `2026-11-09` @param last the same or later */
    ofDays: (first: string, last: string): Period => between(dayNumberOf(first), dayNumberOf(last)),
    dayOf,
  };
}
