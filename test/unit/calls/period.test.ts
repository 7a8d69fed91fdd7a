import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PeriodName, periodNames, TimeZone } from '../../../src/calls/period.ts';
import { dayIn } from '../../support/own-calls.ts';

const seconds = (iso: string) => Date.parse(iso) / 1000;

it.each<[string, PeriodName, string, string]>([
  ['2026-11-18T12:00:00Z', 'last_week', '2026-11-09', '2026-11-15'],
  ['2026-11-15T23:59:59Z', 'last_week', '2026-11-02', '2026-11-08'],
  ['2026-11-16T00:00:00Z', 'this_week', '2026-11-16', '2026-11-16'],
  ['2027-01-02T10:00:00Z', 'this_week', '2026-12-28', '2027-01-02'],
  ['2028-03-31T10:00:00Z', 'last_month', '2028-02-01', '2028-02-29'],
  ['2026-01-15T10:00:00Z', 'last_month', '2025-12-01', '2025-12-31'],
  ['2026-05-01T00:00:00Z', 'this_month', '2026-05-01', '2026-05-01'],
  ['2026-03-01T00:00:00Z', 'yesterday', '2026-02-28', '2026-02-28'],
  ['2026-03-03T00:00:00Z', 'last_7_days', '2026-02-25', '2026-03-03'],
  ['2026-03-03T00:00:00Z', 'last_30_days', '2026-02-02', '2026-03-03'],
])('at %s, %s lasts from %s to %s', (now, name, firstDay, lastDay) => {
  const period = new TimeZone('UTC').named(name, new Date(now));
  expect(period).toEqual({
    firstDay,
    lastDay,
    from: seconds(`${firstDay}T00:00:00Z`),
    to: seconds(`${lastDay}T00:00:00Z`) + 86_400,
  });
});

describe('a clock change', () => {
  it.each([
    ['Europe/Berlin', '2026-03-29', 23, '2026-03-28T23:00:00Z'],
    ['Europe/Berlin', '2026-10-25', 25, '2026-10-24T22:00:00Z'],
    // Clocks change from midnight to one, so the day starts at one.
    ['America/Havana', '2026-03-08', 23, '2026-03-08T05:00:00Z'],
    ['Australia/Lord_Howe', '2026-10-04', 23.5, '2026-10-03T13:30:00Z'],
  ])('in %s makes the day %s have %d hours from %s', (timeZone, day, length, start) => {
    const period = new TimeZone(timeZone).ofDays(day, day);
    expect([period.from, (period.to - period.from) / 3_600]).toEqual([seconds(start), length]);
  });

  it('leaves no second to a day that a zone skipped', () => {
    const zone = new TimeZone('Pacific/Apia');
    const [before, none, after] = ['2011-12-29', '2011-12-30', '2011-12-31'].map((day) =>
      zone.ofDays(day, day),
    );
    expect(none?.from).toBe(none?.to);
    expect([before?.to, none?.to]).toEqual([after?.from, after?.from]);
  });
});

it('a named period contains exactly the seconds of its days, in the days of its time zone', () => {
  const zone = fc.constantFrom(
    'UTC',
    'Europe/Berlin',
    'America/New_York',
    'Asia/Kathmandu',
    'Pacific/Chatham',
    'America/St_Johns',
  );
  const now = fc.integer({
    min: seconds('2001-10-01T00:00:00Z'),
    max: seconds('2060-01-01T00:00:00Z'),
  });
  fc.assert(
    fc.property(zone, now, fc.constantFrom(...periodNames), (timeZone, second, name) => {
      const { from, to, firstDay, lastDay } = new TimeZone(timeZone).named(
        name,
        new Date(second * 1000 + 999),
      );
      expect(dayIn(timeZone, from)).toBe(firstDay);
      expect(dayIn(timeZone, from - 1) < firstDay).toBe(true);
      expect(dayIn(timeZone, to - 1)).toBe(lastDay);
      expect(dayIn(timeZone, to) > lastDay).toBe(true);
      const isOver = ['yesterday', 'last_week', 'last_month'].includes(name);
      expect([from <= second, second < to]).toEqual([true, !isOver]);
      if (name.endsWith('week')) expect(new Date(firstDay).getUTCDay()).toBe(1);
      if (name.endsWith('month')) expect(firstDay.slice(8)).toBe('01');
    }),
  );
});

it('an unknown time zone is rejected', () => {
  for (const zone of ['Mars/Olympus', '', 'UTC+99', '../etc'])
    expect(() => new TimeZone(zone)).toThrowError(
      expect.objectContaining({ code: 'ERR_BAD_REQUEST', status: 400 }),
    );
});
