import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { CallRecord } from '../../../packages/calls/src/types.ts';
import { callRecords, toJsonLines } from '../../../scripts/call-records.ts';
import { importCalls } from '../../../src/calls/import-calls.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const records = [
  ...callRecords({ count: 40, seed: 3, until: Date.UTC(2026, 10, 21) / 1000, days: 9 }),
];

async function take(name: string, content: string, stored?: string) {
  const folder = await temporaryFolder();
  const [from, into] = [join(folder, name), join(folder, 'log', 'calls.jsonl')];
  await writeFile(from, content);
  if (stored !== undefined) {
    const seed = join(folder, 'stored.jsonl');
    await writeFile(seed, stored);
    await importCalls({ from: seed, into });
  }
  const report = await importCalls({ from, into });
  const text = await readFile(into, 'utf8').catch(() => '');
  const calls = text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as CallRecord);
  return { report, calls, text, folder };
}
const page = (data: readonly CallRecord[]) => ({ data, meta: { pagination: { total: 40 } } });

describe('importCalls', () => {
  it.each([
    ['JSON Lines', 'calls.jsonl', toJsonLines(records)],
    ['a JSON array', 'calls.json', JSON.stringify(records)],
    ['a page', 'calls.json', JSON.stringify(page(records), undefined, 1)],
    [
      'a page on each line',
      'calls.json',
      [page(records.slice(0, 30)), page(records.slice(30))]
        .map((one) => JSON.stringify(one))
        .join('\n'),
    ],
    [
      'an array of pages',
      'calls.json',
      JSON.stringify([page(records.slice(0, 30)), page(records.slice(30))]),
    ],
  ])('imports %s', async (_what, name, content) => {
    const { report, calls, folder } = await take(name, content);
    expect(report).toEqual({ added: 40, updated: 0, unchanged: 0, failed: 0, problems: [] });
    expect(calls).toEqual(records);
    expect(await readdir(join(folder, 'log'))).toEqual(['calls.jsonl']);
  });

  it('imports CSV with other titles, written dates and empty cells', async () => {
    const csv = [
      'Session ID,initiated_at,status,type,Initiator,receiver,receiverType,mode,totalDurationInMinutes,hasRecording,participants,team',
      's1,2026-11-20T10:00:00Z,ended,audio,ann,bob,user,call,2.5,yes,"[{""uid"":""ann""},{""uid"":""bob""}]",north',
      's2,1795168800,busy,video,"cy, jr",bob,user,call,0,false,,',
    ].join('\r\n');
    expect((await take('calls.csv', csv)).calls).toEqual([
      {
        sessionId: 's1',
        initiatedAt: Date.UTC(2026, 10, 20, 10) / 1000,
        status: 'ended',
        type: 'audio',
        initiator: 'ann',
        receiver: 'bob',
        receiverType: 'user',
        mode: 'call',
        totalDurationInMinutes: 2.5,
        hasRecording: true,
        participants: [{ uid: 'ann' }, { uid: 'bob' }],
        team: 'north',
      },
      {
        sessionId: 's2',
        initiatedAt: 1_795_168_800,
        status: 'busy',
        type: 'video',
        initiator: 'cy, jr',
        receiver: 'bob',
        receiverType: 'user',
        mode: 'call',
        totalDurationInMinutes: 0,
        hasRecording: false,
        participants: [],
      },
    ]);
    expect((await take('calls.tsv', 'sessionId\tinitiatedAt\ns1\t1795168800')).report.added).toBe(
      1,
    );
  });

  it('updates records by session and keeps all other lines', async () => {
    const changed = { ...records[1]!, status: 'ended', note: 'new' };
    const { report, calls } = await take(
      'more.jsonl',
      toJsonLines([records[0]!, changed, { ...records[2]!, sessionId: 'new' }]),
      toJsonLines(records.slice(0, 5)),
    );
    expect(report).toMatchObject({ added: 1, updated: 1, unchanged: 1, failed: 0 });
    expect(calls).toHaveLength(6);
    expect(calls.find(({ sessionId }) => sessionId === changed.sessionId)).toEqual(changed);
    expect(calls.slice(0, 1)).toEqual(records.slice(0, 1));
  });
});

describe('an invalid record', () => {
  it('is reported with its line, and all others are imported', async () => {
    const good = records[0]!;
    const rows = [
      good,
      { ...good, sessionId: '' },
      { ...good, sessionId: 'a', initiatedAt: undefined },
      { ...good, sessionId: 'b', totalAudioMinutes: 'many' },
      { ...good, sessionId: 'c', startedAt: 1_795_168_800_000 },
      { ...good, sessionId: 'd', hasRecording: 'perhaps' },
      { ...good, sessionId: 'e', participants: 'ann' },
      { ...good, sessionId: 'f', status: 7 },
      7,
      { ...good, sessionId: 'last' },
    ];
    const { report, calls } = await take(
      'calls.jsonl',
      `${rows.map((row) => JSON.stringify(row)).join('\n')}\n{broken`,
    );
    expect(calls.map(({ sessionId }) => sessionId)).toEqual([good.sessionId, 'last']);
    expect(report.problems).toEqual([
      { where: 'line 2', problem: 'sessionId is missing.' },
      { where: 'line 3', problem: 'initiatedAt is missing.' },
      { where: 'line 4', problem: 'totalAudioMinutes must be a number from 0.' },
      { where: 'line 5', problem: 'startedAt must be unix seconds with ten digits.' },
      { where: 'line 6', problem: 'hasRecording must be true or false.' },
      { where: 'line 7', problem: 'participants must be a list of objects.' },
      { where: 'line 8', problem: 'status must be a text.' },
      { where: 'line 9', problem: 'This is not a call record.' },
      { where: 'line 11', problem: 'This is not valid JSON.' },
    ]);
  });

  it('does not change the calls file if no record is valid', async () => {
    const { report, text } = await take(
      'calls.html',
      '<html>\n<p>"quoted"</p>\n',
      toJsonLines(records),
    );
    expect([report.added, report.failed]).toEqual([0, 2]);
    expect(text).toBe(toJsonLines(records));
  });

  it('in a table is reported with its line', async () => {
    const { report } = await take(
      'calls.csv',
      'sessionId,initiatedAt\ns1,soon\ns2,1795168800\n,1795168800\n',
    );
    expect(report).toMatchObject({ added: 1, failed: 2 });
    expect(report.problems[0]).toEqual({
      where: 'line 2',
      problem: 'initiatedAt must be a number from 0.',
    });
    await expect(
      take('calls.csv', 'sessionId,initiatedAt\n"s1,1795168800\n'),
    ).rejects.toMatchObject({ code: 'ERR_BAD_REQUEST' });
  });
});
