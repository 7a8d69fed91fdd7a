/**
 * Unix seconds → the calendar day in a time zone, quickly: the zone's offset is asked once for each UTC day, and only on a day on which
 * clocks are changed for each moment.
 */
import { CallsError } from './errors.ts';

const secondsPerDay = 86_400;

/** `2026-11-21`. */
export type DayOf = (seconds: number) => string;

const dayText = (localSeconds: number) => new Date(localSeconds * 1000).toISOString().slice(0, 10);

/** @param timeZone an IANA name @throws CallsError `ERR_BAD_REQUEST` for a zone that there is not */
export function createDayOf(timeZone = 'UTC'): DayOf {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch (error) {
    throw new CallsError('ERR_BAD_REQUEST', 'The time zone is not known; an example of one is Europe/Berlin.', {
      status: 400,
      cause: error,
    });
  }
  const offsetAt = (seconds: number): number => {
    const parts = new Map(format.formatToParts(seconds * 1000).map(({ type, value }) => [type, Number(value)]));
    const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    const local = Date.UTC(part('year'), part('month') - 1, part('day'), part('hour'), part('minute'), part('second')) / 1000;
    return local - Math.floor(seconds);
  };
  /** Undefined: it changes on that day. */
  const offsets = new Map<number, number | undefined>();
  const days = new Map<number, string>();
  return (seconds) => {
    const utcDay = Math.floor(seconds / secondsPerDay);
    if (!offsets.has(utcDay)) {
      const [first, last] = [offsetAt(utcDay * secondsPerDay), offsetAt((utcDay + 1) * secondsPerDay)];
      offsets.set(utcDay, first === last ? first : undefined);
    }
    const local = Math.floor((seconds + (offsets.get(utcDay) ?? offsetAt(seconds))) / secondsPerDay);
    const known = days.get(local);
    if (known !== undefined) return known;
    const day = dayText(local * secondsPerDay);
    days.set(local, day);
    return day;
  };
}
