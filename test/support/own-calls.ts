/**
 * Generated calls, and a reference for the chat tools that checks every record and uses calendar
 * days (Intl).
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallRecord, CallsFilter } from '../../packages/calls/src/types.ts';
import { callRecords, toJsonLines } from '../../scripts/call-records.ts';
import { byNewest, fitsPlainly } from './calls-oracle.ts';
import { bearerOf, jwtSecret } from './tokens.ts';
import { temporaryFolder } from './workspace.ts';

/** A Wednesday; the previous week is 2026-11-09 to 2026-11-15. */
export const now = new Date('2026-11-18T12:00:00Z');
export const clock = () => now;

export const records: readonly CallRecord[] = [
  ...callRecords({
    count: 600,
    seed: 11,
    until: Date.UTC(2026, 10, 19) / 1000,
    days: 42,
    users: 8,
  }),
];
export const users = [...new Set(records.map(({ initiator }) => initiator))].sort();

export async function writeCalls(calls: readonly CallRecord[] = records): Promise<string> {
  const file = join(await temporaryFolder(), 'calls.jsonl');
  await writeFile(file, toJsonLines(calls));
  return file;
}

/** Settings with tokens, a trusted key and an untrusted one. */
export const withUsers = {
  JWT_SECRET: jwtSecret,
  API_KEYS: 'trusted-key,other-key',
  CALLS_TRUSTED_KEYS: 'trusted-key',
};

export const tokenOf = (subject: string | undefined, claims: Record<string, unknown> = {}) =>
  bearerOf(subject === undefined ? claims : { ...claims, sub: subject });

export const trusted = (onBehalfOf: string): Record<string, string> => ({
  'x-api-key': 'trusted-key',
  onBehalfOf,
});

/** Tool arguments that select calls. */
export interface ToolArguments extends CallsFilter {
  readonly period?: string;
  readonly from?: string;
  readonly to?: string;
  readonly withUser?: string;
}

const calendars = new Map<string, Intl.DateTimeFormat>();

/** Calendar day in the time zone, such as `2026-11-21`. */
export function dayIn(timeZone: string, seconds: number): string {
  const calendar =
    calendars.get(timeZone) ??
    new Intl.DateTimeFormat('en-CA', {
      timeZone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
    });
  calendars.set(timeZone, calendar);
  return calendar.format(seconds * 1000);
}

const plus = (day: string, days: number) =>
  new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);

/** First and last day of the requested period. */
export function daysOf({ period, from, to }: ToolArguments): readonly [string, string] | undefined {
  const today = dayIn('UTC', now.getTime() / 1000);
  if (from !== undefined) return [from, to ?? today];
  const sinceMonday = (new Date(today).getUTCDay() + 6) % 7;
  if (period === 'yesterday') return [plus(today, -1), plus(today, -1)];
  if (period === 'last_week') return [plus(today, -sinceMonday - 7), plus(today, -sinceMonday - 1)];
  if (period !== undefined) throw new Error(`no days of ${period}`);
  return undefined;
}

export function callsOf(
  user: string,
  asked: ToolArguments,
  calls: readonly CallRecord[] = records,
): CallRecord[] {
  const { period: _period, from: _from, to: _to, withUser, ...filter } = asked;
  const days = daysOf(asked);
  return calls
    .filter((call) =>
      fitsPlainly(call, withUser === undefined ? filter : { ...filter, uid: withUser }, user),
    )
    .filter(({ initiatedAt }) => {
      if (days === undefined) return true;
      const day = dayIn('UTC', initiatedAt);
      return days[0] <= day && day <= days[1];
    })
    .sort(byNewest);
}

export const sumOf = (
  calls: readonly CallRecord[],
  name: 'totalDurationInMinutes' | 'totalAudioMinutes' | 'totalVideoMinutes',
): number => Math.round(calls.reduce((sum, call) => sum + call[name], 0) * 100) / 100;

export const countsOf = (calls: readonly CallRecord[], keyOf: (call: CallRecord) => string) =>
  Object.fromEntries(Array.from(Map.groupBy(calls, keyOf), ([key, { length }]) => [key, length]));
