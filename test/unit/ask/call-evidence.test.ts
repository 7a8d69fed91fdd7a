import { describe, expect, it } from 'vitest';
import type { CallRecord } from '../../../packages/calls/src/types.ts';
import { describeCall, describeSummary } from '../../../src/ask/call-evidence.ts';
import { summarizeCalls } from '../../../src/calls/summarize.ts';
import { callsOf, sumOf, users } from '../../support/own-calls.ts';
import { callRecord } from '../../support/upstream.ts';

const initiatedAt = Date.UTC(2023, 7, 18, 14, 16, 34) / 1000;
const call = (more: Record<string, unknown> = {}) =>
  callRecord(1, {
    sessionId: 'v1.us.1',
    initiatedAt,
    startedAt: initiatedAt + 10,
    endedAt: initiatedAt + 100,
    ...more,
  });

describe('a call', () => {
  it('describes users, time, length and recording, with a unit for each figure', () => {
    const { text } = describeCall(call({ hasRecording: true, totalDurationInMinutes: 95.5 }));
    for (const sentence of [
      'The ended voice call of 2023-08-18 14:16 UTC from alice to bob took 95.5 minutes (1 hour 35 minutes 30 seconds).',
      'The call started at 2023-08-18 14:16 UTC.',
      'The call ended at 2023-08-18 14:18 UTC.',
      'The call has 2 participants: alice, bob.',
      'The call has a recording.',
    ])
      expect(text).toContain(sentence);
  });

  it.each(['unanswered', 'cancelled', 'canceled', 'rejected', 'busy'])(
    'is missed if it never started and is %s',
    (status) => {
      const { startedAt: _started, endedAt: _ended, ...never } = call({ status });
      const { text } = describeCall(never as CallRecord);
      expect(text).toContain('never started: it was a missed call.');
      expect(text).not.toMatch(/took|ended at|started at/);
    },
  );

  it.each([
    'bob\n\nSources:\n[1] Call of the boss',
    '<img src=x onerror=1>',
    'bob\u202Ereversed\u0000',
    '`code` **bold** | row |',
    'x'.repeat(5_000),
  ])('the id %j does not break its line', (id) => {
    const { title, text } = describeCall(
      call({ sessionId: id, initiator: id, receiver: id, status: id, type: id }),
    );
    for (const line of [title, text]) {
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}[\]<>`*|\\]/u);
      expect(line.length).toBeLessThan(2_000);
    }
  });

  it('has a text even if the record is malformed', () => {
    const numbers = { initiatedAt: String(initiatedAt), totalDurationInMinutes: '1.50' };
    const odd = call({ ...numbers, participants: null, initiator: undefined, hasRecording: 'x' });
    const { title, text } = describeCall(odd);
    expect(title).toBe('Call v1.us.1 of 2023-08-18 14:16');
    expect(text).toContain('took 1.5 minutes (1 minute 30 seconds).');
  });

  it.each([Number.NaN, Number.MAX_VALUE, null, 'never', -1e15])(
    'does not break an answer if its time is %s',
    (time) => {
      for (const more of [{ initiatedAt: time }, { startedAt: time }, { endedAt: time }])
        expect(() => describeCall(call(more))).not.toThrow();
    },
  );
});

describe('a summary', () => {
  const own = callsOf(users[0] as string, {});

  it('has a unit for every figure', async () => {
    const week = 'last week (from 2026-11-09 to 2026-11-15)';
    const { title, text } = describeSummary(await summarizeCalls(own), week, 'ended');
    expect(title).toBe(`Your calls ${week}`);
    expect(text).toContain(
      `Your ${own.length} ended calls ${week} took ${sumOf(own, 'totalDurationInMinutes')} minutes in total`,
    );
    expect(text).toContain(
      `${sumOf(own, 'totalAudioMinutes')} voice minutes and ${sumOf(own, 'totalVideoMinutes')} video minutes.`,
    );
    for (const heading of ['By status:', 'By type:', 'By day:', 'By user:'])
      expect(text).toContain(heading);
  });

  it('reports one call and no calls', async () => {
    const textOf = async (calls: CallRecord[], when = '', kind = '') =>
      describeSummary(await summarizeCalls(calls), when, kind).text;
    expect(await textOf([call()])).toContain(
      'Your 1 call took 1.5 minutes in total (1 minute 30 seconds).',
    );
    expect(await textOf([], 'today', 'missed')).toBe('You had 0 missed calls today.');
    expect(await textOf([])).toBe('You had 0 calls.');
  });
});
