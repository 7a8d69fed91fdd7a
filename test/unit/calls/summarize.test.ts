import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CallRecord } from '../../../packages/calls/src/types.ts';
import { callRecords, toJsonLines } from '../../../scripts/call-records.ts';
import { CallLog } from '../../../src/calls/call-log.ts';
import type { CallsSummary } from '../../../src/calls/schemas.ts';
import { summarizeCalls } from '../../../src/calls/summarize.ts';
import { fitsPlainly } from '../../support/calls-oracle.ts';
import { randomFilters } from '../../support/random-filters.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const until = Date.UTC(2026, 10, 21) / 1000;
const records = [...callRecords({ count: 3_000, seed: 5, until, days: 500, users: 90 })];

async function openLog(calls: readonly CallRecord[] = records) {
  const file = join(await temporaryFolder(), 'calls.jsonl');
  await writeFile(file, toJsonLines(calls));
  const log = new CallLog(file);
  await log.open();
  onTestFinished(() => log.close());
  return log;
}

const near = (summary: CallsSummary) =>
  JSON.parse(JSON.stringify(summary), (_key, value) =>
    typeof value === 'number' ? Math.round(value * 100) / 100 : value,
  );
const sumOf = (
  calls: readonly CallRecord[],
  name: 'totalDurationInMinutes' | 'totalAudioMinutes',
) => calls.reduce((sum, call) => sum + call[name], 0);
const call = (more: Partial<CallRecord>): CallRecord => ({ ...records[0]!, ...more });

describe('a summary', () => {
  it('equals the sum of the matching records for any filter', async () => {
    const log = await openLog();
    for (const { filter, onBehalfOf } of randomFilters(records, 40, 8)) {
      const { page: _page, perPage: _perPage, ...conditions } = filter;
      const fitting = records.filter((record) => fitsPlainly(record, conditions, onBehalfOf));
      const [ofLog, ofRecords] = [
        await log.summarize(conditions, { onBehalfOf }),
        await summarizeCalls(fitting),
      ];
      expect(near(ofLog), JSON.stringify(filter)).toEqual(near(ofRecords));
      expect(ofLog.total.calls).toBe(fitting.length);
      expect(ofLog.total.durationMinutes).toBeCloseTo(sumOf(fitting, 'totalDurationInMinutes'), 3);
      expect(ofLog.total.voiceMinutes).toBeCloseTo(sumOf(fitting, 'totalAudioMinutes'), 3);
    }
  });

  it('leaves out minutes that make a sum infinite', async () => {
    const huge = [Number.POSITIVE_INFINITY, 1e305, 1.5].map((minutes) =>
      call({ totalDurationInMinutes: minutes, totalAudioMinutes: 1e303 * minutes }),
    );
    const { total, by } = await summarizeCalls([...huge, ...huge]);
    expect([total.calls, total.durationMinutes]).toEqual([6, 3]);
    expect(JSON.stringify([total, by])).not.toContain('null');
  });

  it('counts a call of an impossible time under no day', async () => {
    const impossible = [call({ initiatedAt: 1.7e15 }), call({ initiatedAt: Number.NaN })];
    const { by } = await summarizeCalls(impossible, { by: ['day'] });
    expect(by.day?.groups).toMatchObject([{ key: '', calls: 2 }]);
  });

  it('has the latest 366 days and the 50 users with most calls, and counts omitted groups', async () => {
    const log = await openLog();
    const { by } = await log.summarize({});
    const days = new Set(
      records.map(({ initiatedAt }) => new Date(initiatedAt * 1000).toISOString().slice(0, 10)),
    );
    expect([by.day?.groups.length, by.day?.leftOut]).toEqual([366, days.size - 366]);
    expect(by.day?.groups.at(-1)?.key).toBe([...days].sort().at(-1));
    expect([by.user?.groups.length, by.user?.leftOut]).toEqual([50, 40]);
    const calls = by.user?.groups.map((group) => group.calls) ?? [];
    expect(calls).toEqual(calls.toSorted((a, b) => b - a));
  });

  it('counts a call for each of its users, with their own minutes', async () => {
    const participant = (uid: string, minutes: number) => ({
      ...{ uid, totalAudioMinutes: minutes, totalVideoMinutes: 0, totalDuration: minutes },
      ...{ isJoined: true, state: 'ended' },
    });
    const summary = await summarizeCalls([
      call({
        initiator: 'ann',
        receiver: 'desk',
        receiverType: 'group',
        totalAudioMinutes: 5,
        totalVideoMinutes: 0,
        totalDurationInMinutes: 3,
        participants: [participant('ann', 3), participant('bob', 2)],
      }),
    ]);
    const total = { calls: 1, voiceMinutes: 5, videoMinutes: 0, durationMinutes: 3 };
    expect(summary.total).toEqual(total);
    expect(summary.by.user?.groups).toEqual([
      { key: 'ann', calls: 1, voiceMinutes: 3, videoMinutes: 0, durationMinutes: 3 },
      { key: 'bob', calls: 1, voiceMinutes: 2, videoMinutes: 0, durationMinutes: 2 },
    ]);
  });
});
