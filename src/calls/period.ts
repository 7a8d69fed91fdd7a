/**
 * Named periods ("last week") in unix seconds of a time zone, so a model need not know the date. A
 * week begins on Monday (ISO 8601). A current period ends with today.
 */
import { lastSecond } from '../../packages/calls/src/call-record.ts';
import { badRequest } from '../../packages/calls/src/errors.ts';

const dayMs = 86_400_000;
const secondsPerDay = dayMs / 1_000;
const dayText = (dayNumber: number) => new Date(dayNumber * dayMs).toISOString().slice(0, 10);
const dayNumberOf = (day: string) => Math.round(Date.parse(`${day}T00:00:00Z`) / dayMs);

const mondayOf = (day: number) => day - ((day + 3) % 7);

function monthStart(day: number, months: number) {
  const date = new Date(day * dayMs);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1) / dayMs;
}

/** First and last day, in days since 1970. */
const periods = {
  today: (today) => [today, today],
  yesterday: (today) => [today - 1, today - 1],
  this_week: (today) => [mondayOf(today), today],
  last_week: (today) => [mondayOf(today) - 7, mondayOf(today) - 1],
  this_month: (today) => [monthStart(today, 0), today],
  last_month: (today) => [monthStart(today, -1), monthStart(today, 0) - 1],
  last_7_days: (today) => [today - 6, today],
  last_30_days: (today) => [today - 29, today],
} satisfies Readonly<Record<string, (today: number) => [number, number]>>;
export type PeriodName = keyof typeof periods;
export const periodNames = Object.keys(periods) as PeriodName[];

/** Maximum difference of any zone from UTC. */
const maxOffsetSeconds = 15 * 3_600;

/** The nearest unix second with ten digits, because the calls API refuses all others. */
export const toCallTime = (seconds: number): number =>
  Math.min(9_999_999_999, Math.max(1_000_000_000, seconds));

export class TimeZone {
  readonly #format: Intl.DateTimeFormat;

  /** @param name IANA name @throws CallsError `ERR_BAD_REQUEST` if it is unknown */
  constructor(name = 'UTC') {
    try {
      // The locale en-CA formats days as in ISO 8601.
      this.#format = new Intl.DateTimeFormat('en-CA', {
        timeZone: name,
        year: 'numeric',
        month: '2-digit',
        day: '2-digit',
      });
    } catch (error) {
      throw badRequest('The time zone is unknown. Use an IANA name such as Europe/Berlin.', error);
    }
  }

  /** The day of unix seconds, `2026-11-21`; empty beyond the dates of JavaScript. */
  dayOf(seconds: number): string {
    return Math.abs(seconds) <= lastSecond ? this.#format.format(seconds * 1_000) : '';
  }

  named(name: PeriodName, now: Date) {
    const today = dayNumberOf(this.dayOf(Math.floor(now.getTime() / 1_000)));
    return this.#between(...periods[name](today));
  }

  /** From the start of `first` to the end of `last`, each `2026-11-09`. */
  ofDays(first: string, last: string) {
    return this.#between(dayNumberOf(first), dayNumberOf(last));
  }

  #between(first: number, last: number) {
    return {
      from: this.#startOf(first),
      to: this.#startOf(last + 1),
      firstDay: dayText(first),
      lastDay: dayText(last),
    };
  }

  /** First second of a day, by binary search, because offsets differ and change twice a year. */
  #startOf(day: number) {
    const wanted = dayText(day);
    let before = day * secondsPerDay - maxOffsetSeconds;
    let at = day * secondsPerDay + maxOffsetSeconds;
    while (at - before > 1) {
      const middle = Math.floor((before + at) / 2);
      if (this.dayOf(middle) < wanted) before = middle;
      else at = middle;
    }
    return at;
  }
}

export function isTimeZone(name: string): boolean {
  try {
    new TimeZone(name);
    return true;
  } catch {
    return false;
  }
}
