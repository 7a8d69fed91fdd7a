import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { CallRecord } from '../../../packages/calls/src/types.ts';
import { toJsonLines } from '../../../scripts/call-records.ts';
import { createCallLog } from '../../../src/calls/call-log.ts';
import {
  cameOrWent,
  ended,
  initiated,
  occupant,
  recorded,
  rung,
  started,
} from '../../support/call-events.ts';
import { cases } from '../../support/depth.ts';
import { eventsIn } from '../../support/state.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const at = 1_696_934_199;

async function openLog(records: readonly Partial<CallRecord>[] = []) {
  const folder = await temporaryFolder();
  const [file, journal] = [join(folder, 'calls.jsonl'), join(folder, 'state')];
  await writeFile(file, toJsonLines(records as CallRecord[]));
  const start = async () => {
    const log = createCallLog({ file, journal: eventsIn(journal) });
    await log.open();
    onTestFinished(() => log.close());
    return log;
  };
  return { folder, file, journal, start, log: await start() };
}

const wholeCall = [
  initiated({ at }),
  started('call', at + 10),
  cameOrWent('call', occupant('ann A.', at + 10)),
  cameOrWent('call', occupant('bob B.', at + 12)),
  cameOrWent('call', occupant('ann A.', at + 10, at + 130)),
  ended('call', at + 10, at + 132, [
    occupant('ann A.', at + 10, at + 130),
    occupant('bob B.', at + 12, at + 132),
  ]),
  recorded(),
];

const wholeRecord = {
  sessionId: 's1',
  totalAudioMinutes: 4,
  totalVideoMinutes: 0,
  totalDuration: '00:02:02',
  totalDurationInMinutes: 2.03,
  hasRecording: true,
  initiatedAt: at,
  startedAt: at + 10,
  endedAt: at + 132,
  initiator: 'ann',
  mode: 'call',
  receiver: 'bob',
  receiverType: 'user',
  status: 'ended',
  totalParticipants: 2,
  type: 'audio',
  mid: '',
  participants: [
    {
      uid: 'ann',
      name: 'ann A.',
      totalAudioMinutes: 2,
      totalVideoMinutes: 0,
      totalDuration: 2,
      isJoined: true,
      state: 'ended',
      joinedAt: at + 10,
      leftAt: at + 130,
    },
    {
      uid: 'bob',
      name: 'bob B.',
      totalAudioMinutes: 2,
      totalVideoMinutes: 0,
      totalDuration: 2,
      isJoined: true,
      state: 'ended',
      joinedAt: at + 12,
      leftAt: at + 132,
    },
  ],
};

describe('the events of a call', () => {
  it('build its record step by step', async () => {
    const { log } = await openLog();
    const statuses: string[] = [];
    for (const event of wholeCall) {
      expect(await log.apply(event)).toBe('applied');
      statuses.push((await log.get('s1')).status);
    }
    expect(statuses).toEqual([
      'initiated',
      'ongoing',
      'ongoing',
      'ongoing',
      'ongoing',
      'ended',
      'ended',
    ]);
    expect(await log.get('s1')).toEqual(wholeRecord);
  });

  it('give the same record in any order and with repeats', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray([...wholeCall, ...wholeCall], { minLength: 14, maxLength: 14 }),
        async (events) => {
          const { log } = await openLog();
          for (const event of events) await log.apply(event);
          expect(await log.get('s1')).toEqual(wholeRecord);
        },
      ),
      { numRuns: cases(25) },
    );
  });

  it.each(['busy', 'cancelled', 'rejected', 'unanswered'] as const)(
    'find the session of an unplaced %s event',
    async (status) => {
      const { log } = await openLog();
      await log.apply(initiated({ sessionId: 'yesterday', at: at - 86_400 }));
      await log.apply(initiated({ sessionId: 'other', to: 'carl', at }));
      await log.apply(initiated({ at }));
      expect(await log.apply(rung(status, { at: at + 45 }))).toBe('applied');
      expect(await log.apply(rung(status, { at: at + 45 }))).toBe('unchanged');
      expect(await log.get('s1')).toMatchObject({
        status,
        totalDurationInMinutes: 0,
        participants: [{ state: status }, { state: status }],
      });
      expect((await log.get('s1')).startedAt).toBeUndefined();
      expect([(await log.get('yesterday')).status, (await log.get('other')).status]).toEqual([
        'initiated',
        'initiated',
      ]);
      expect((await log.list({ status })).meta.pagination.total).toBe(1);
    },
  );

  it('accept an outcome before the call_initiated event', async () => {
    const { log } = await openLog();
    await log.apply(rung('rejected', { at: at + 5 }));
    expect((await log.list({})).data).toEqual([]);
    await log.apply(initiated({ at }));
    expect((await log.get('s1')).status).toBe('rejected');
  });

  it('record a meeting with names, repeated stays and users without a uid', async () => {
    const { log } = await openLog();
    const [first, second] = [
      occupant('Andrew', at, at + 60, false),
      occupant('Andrew', at + 120, at + 180, false),
    ];
    await log.apply(started('meeting', at));
    await log.apply(cameOrWent('meeting', first));
    await log.apply(ended('meeting', at, at + 180, [first, second]));
    const record = await log.get('s1');
    expect(record).toMatchObject({
      mode: 'meet',
      type: 'video',
      status: 'ended',
      totalDurationInMinutes: 3,
      totalVideoMinutes: 2,
    });
    expect(record.participants).toEqual([
      expect.objectContaining({
        uid: '',
        name: 'Andrew',
        totalDuration: 2,
        joinedAt: at,
        leftAt: at + 180,
      }),
    ]);
    expect((await log.list({ uid: 'Andrew' })).data).toEqual([]);
    expect((await log.list({}, { onBehalfOf: '' })).data).toEqual([]);
  });

  it('assign a name of two users to neither', async () => {
    const { log } = await openLog();
    const event = initiated({ at });
    event.data.call.data.entities.for.entity.name = 'ann A.';
    await log.apply(event);
    await log.apply(cameOrWent('call', occupant('ann A.', at + 5)));
    expect((await log.get('s1')).participants.filter(({ isJoined }) => isJoined)).toEqual([
      expect.objectContaining({ uid: '', name: 'ann A.' }),
    ]);
  });

  it('accept numbers as text, milliseconds, and names such as constructor', async () => {
    const { log } = await openLog();
    const who = {
      name: 'constructor',
      joined_at: String(at),
      left_at: `${(at + 60) * 1000}`,
      audio_call: true,
    };
    await log.apply({
      trigger: 'call_ended',
      data: {
        session_id: 's1',
        created_at: String(at),
        destroyed_at: (at + 60) * 1000,
        all_occupants: [who, 7, null],
      },
    });
    expect(await log.get('s1')).toMatchObject({
      startedAt: at,
      endedAt: at + 60,
      participants: [{ uid: '', name: 'constructor', totalDuration: 1 }],
    });
  });

  it.each([
    [{ trigger: 'message_sent', data: {} }],
    [{ trigger: 'call_teleported', data: { sessionId: 's1' } }],
    [{ trigger: 'call_started', data: { created_at: 1 } }],
    [{ trigger: 'call_rejected' }],
    [{ trigger: { a: 1 } }],
    [['call_started']],
    ['text'],
    [null],
  ])('are ignored if invalid: %j', async (event) => {
    const { log } = await openLog();
    expect(await log.apply(event)).toBe('ignored');
    expect(log.status().calls).toBe(0);
  });
});

describe('a call of the file', () => {
  const listed: Partial<CallRecord> = {
    ...(wholeRecord as CallRecord),
    mid: 'm-1',
    totalAudioMinutes: 7,
    note: 'as the platform lists it',
    hasRecording: false,
  };

  it('keeps its figures and is not reopened after its end', async () => {
    const { log } = await openLog([listed]);
    for (const event of wholeCall) await log.apply(event);
    expect(await log.get('s1')).toEqual({ ...listed, hasRecording: true });
  });

  it('continues if it is open, and keeps unknown fields', async () => {
    const { endedAt: _ended, ...open } = listed;
    const { log } = await openLog([{ ...open, status: 'ongoing', participants: [] }]);
    for (const event of wholeCall) await log.apply(event);
    expect(await log.get('s1')).toEqual({
      ...wholeRecord,
      mid: 'm-1',
      note: 'as the platform lists it',
    });
  });

  it('counts in its latest version, with additions from events', async () => {
    const { log, file } = await openLog();
    for (const event of wholeCall) await log.apply(event);
    await writeFile(file, toJsonLines([listed as CallRecord]));
    await log.refresh();
    expect(await log.get('s1')).toEqual({ ...listed, hasRecording: true });
    expect(log.status().calls).toBe(1);
  });
});

describe('a stored event', () => {
  it('survives a restart', async () => {
    const { log, start } = await openLog();
    for (const event of wholeCall) await log.apply(event);
    await log.apply(rung('busy', { from: 'x', to: 'y', at: at + 5 }));
    await log.close();
    const again = await start();
    expect(await again.get('s1')).toEqual(wholeRecord);
    await again.apply(initiated({ sessionId: 's2', from: 'x', to: 'y', at }));
    expect((await again.get('s2')).status).toBe('busy');
    await again.close();
    expect((await (await start()).get('s2')).status).toBe('busy');
  });

  it('is written once the disk accepts writes again', async () => {
    const { log, folder, journal, start } = await openLog();
    await rm(join(folder, 'state'), { recursive: true, force: true });
    await writeFile(join(folder, 'state'), 'a file where the folder should be');
    await expect(log.apply(wholeCall[0])).rejects.toThrow();
    await rm(join(folder, 'state'));
    expect(await log.apply(wholeCall[0])).toBe('unchanged');
    expect(await eventsIn(journal).news()).toMatchObject([expect.stringContaining('"s1"')]);
    await log.close();
    expect((await (await start()).get('s1')).status).toBe('initiated');
  });
});
