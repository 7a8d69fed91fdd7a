import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  type CallRecord,
  callModes,
  callStatuses,
  receiverTypes,
} from '../../../packages/calls/src/types.ts';
import { callRecords, toJsonLines } from '../../../scripts/call-records.ts';
import { sampleCalls } from '../../../scripts/sample-calls.ts';
import { CallLog } from '../../../src/calls/call-log.ts';
import { expectAsOracle } from '../../support/calls-oracle.ts';
import { randomFilters } from '../../support/random-filters.ts';
import { read } from '../../support/repository.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const until = Date.UTC(2026, 10, 21) / 1000;
/** Within two days, so that many calls start in the same second. */
const records = [...callRecords({ count: 5_000, seed: 11, until, days: 2, users: 200 })];

/** Opens a log of these lines until the test ends. */
async function openLog(content?: string) {
  const file = join(await temporaryFolder(), 'calls.jsonl');
  if (content !== undefined) await writeFile(file, content);
  const warnings: string[] = [];
  const log = new CallLog(file, (message) => warnings.push(message));
  await log.open();
  onTestFinished(() => log.close());
  return { file, warnings, log };
}

const ids = (calls: readonly CallRecord[]) => calls.map(({ sessionId }) => sessionId);
const small = (sessionId: string, more: Partial<CallRecord> = {}) => ({
  ...records[0]!,
  sessionId,
  ...more,
});

it('the sample of the repository is what its script writes, with every status, mode and receiver', async () => {
  const sample = read('samples/calls.jsonl');
  expect(sample).toBe(sampleCalls());
  const calls: CallRecord[] = sample
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  for (const [name, values] of [
    ['status', callStatuses],
    ['mode', callModes],
    ['receiverType', receiverTypes],
  ] as const)
    expect(new Set(calls.map((call) => call[name]))).toEqual(new Set(values));
});

it('the call log returns the calls, order and pages of the oracle for 400 random filters over 5,000 records', async () => {
  const { log, warnings } = await openLog(toJsonLines(records));
  expect(warnings).toEqual([]);
  await expectAsOracle(log, records, randomFilters(records, 400, 1));
});

it('the call log returns a record unchanged, with unknown fields and values', async () => {
  const strange = {
    ...small('strange'),
    ...{ status: 'on-hold', metaData: [], tags: { a: [1] }, totalAudioMinutes: '12.5' },
  };
  const { log } = await openLog(toJsonLines([small('plain'), strange as unknown as CallRecord]));
  expect(await log.get('strange')).toEqual(strange);
  expect(ids((await log.list({ voiceMinutes: { eq: 12.5 } })).data)).toEqual(['strange']);
});

it('a type with two spellings is audio, and a status keeps its spelling', async () => {
  const given = [
    { ...small('a'), type: 'audio', status: 'canceled' },
    { ...small('b'), type: 'voice', status: 'cancelled' },
  ];
  const { log } = await openLog(toJsonLines(given));
  const { data } = await log.list({ types: ['audio'], statuses: ['cancelled'] });
  expect(data.map(({ type }) => type)).toEqual(['audio', 'audio']);
  expect(data.map(({ status }) => status).sort()).toEqual(['canceled', 'cancelled']);
});

describe('transcriptions', () => {
  const transcriptions = Array.from({ length: 7 }, (_, number) => ({
    tid: `t${number}`,
    startTime: 1_692_368_000 + number,
  }));
  const transcribed = { ...small('a'), hasTranscription: true, transcriptions };
  const tids = (some: readonly { tid?: string }[] = []) => some.map(({ tid }) => tid);

  it('are listed in pages, newest first', async () => {
    const { log } = await openLog(toJsonLines([transcribed, small('b')]));
    const { data, meta } = await log.listTranscriptions('a', { page: 2, perPage: 3 });
    expect(tids(data)).toEqual(['t3', 't2', 't1']);
    const pagination = { total: 7, count: 3, per_page: 3, current_page: 2, total_pages: 3 };
    expect(meta.pagination).toEqual(pagination);
    expect((await log.listTranscriptions('a')).meta.pagination.per_page).toBe(100);
    expect((await log.listTranscriptions('b')).data).toEqual([]);
  });

  it('return 404 with their call for an unknown call and for another user', async () => {
    const { log } = await openLog(toJsonLines([transcribed]));
    const { initiator } = transcribed;
    expect((await log.listTranscriptions('a', {}, { onBehalfOf: initiator })).data).toHaveLength(7);
    const notFound = { code: 'ERR_CALL_SESSION_NOT_FOUND', status: 404 };
    for (const reading of [
      log.get('a', { onBehalfOf: 'other' }),
      log.listTranscriptions('a', {}, { onBehalfOf: 'other' }),
      log.listTranscriptions('z'),
    ])
      await expect(reading).rejects.toMatchObject(notFound);
  });

  it('appear in a record as the newest five, or are hidden', async () => {
    const { log } = await openLog(toJsonLines([transcribed, small('b')]));
    expect(tids((await log.get('a')).transcriptions)).toEqual(['t6', 't5', 't4', 't3', 't2']);
    expect(ids((await log.list({ hasTranscription: true })).data)).toEqual(['a']);
    expect(ids((await log.list({ hasTranscription: false })).data)).toEqual(['b']);
    const [shown] = (await log.list({ hasTranscription: true, hideTranscription: true })).data;
    expect(shown).toMatchObject({ sessionId: 'a', hasTranscription: true });
    expect(shown).not.toHaveProperty('transcriptions');
  });
});

describe('the calls file', () => {
  it('skips bad lines and reports their numbers', async () => {
    const lines = [
      '{"no":"session"}',
      JSON.stringify(small('a')),
      '{broken',
      '',
      '   ',
      '[1,2]',
      JSON.stringify(small('b')),
      'null',
      '7',
      '"x"',
    ];
    const { log, warnings } = await openLog(`\uFEFF${lines.join('\r\n')}`);
    expect(ids((await log.list({})).data).sort()).toEqual(['a', 'b']);
    expect(warnings).toContain('CALLS_FILE: line 3 is not valid JSON; it is skipped.');
    expect(warnings).toContain('CALLS_FILE: line 1 lacks sessionId or initiatedAt; it is skipped.');
    expect(warnings.at(-1)).toBe('CALLS_FILE: 6 lines are not call records.');
  });

  it('may have lines longer than a read chunk and a block', async () => {
    const long = small('long', { note: 'é'.repeat(700_000) });
    const { log } = await openLog(toJsonLines([small('a'), long, small('b')]));
    expect(await log.get('long')).toEqual(long);
    expect((await log.get('b')).sessionId).toBe('b');
  });

  it('may be created after the start', async () => {
    const { log, file, warnings } = await openLog();
    const notRead = { code: 'not_ready', retryAfterSeconds: 5 };
    for (const reading of [log.list({}), log.get('a'), log.summarize({})])
      await expect(reading).rejects.toMatchObject(notRead);
    await mkdir(file);
    for (let poll = 0; poll < 2; poll++) await log.refresh();
    expect(warnings).toEqual([
      'CALLS_FILE is missing; no calls are served.',
      'CALLS_FILE cannot be read (EISDIR); no calls are served.',
    ]);
    await rm(file, { recursive: true });
    await writeFile(file, toJsonLines([small('a')]));
    await log.refresh();
    expect(ids((await log.list({})).data)).toEqual(['a']);
  });

  it('is reloaded automatically when it is replaced', async () => {
    const { log, file } = await openLog(toJsonLines([small('a')]));
    await writeFile(`${file}.new`, toJsonLines([small('b')]));
    await rename(`${file}.new`, file);
    await vi.waitFor(async () => expect(ids((await log.list()).data)).toEqual(['b']), {
      timeout: 60_000,
    });
  });

  it.each([
    ['is deleted', (file: string) => rm(file), 'missing'],
    ['is empty', (file: string) => writeFile(file, ''), 'has no call record'],
    ['has no records', (file: string) => writeFile(file, '<html>\n'), 'has no call record'],
    [
      'is half-written',
      (file: string) => writeFile(file, `${toJsonLines([small('new')])}{"sessionId":"cut`),
      'middle of a record',
    ],
  ])('keeps the old calls and warns if it %s', async (_how, change, warning) => {
    const { log, file, warnings } = await openLog(toJsonLines([small('a'), small('b')]));
    await change(file);
    await log.refresh();
    expect(ids((await log.list({})).data).sort()).toEqual(['a', 'b']);
    expect(warnings.join('\n')).toContain(warning);
  });

  it('serves the old calls while it is reloaded', async () => {
    const { log, file } = await openLog(toJsonLines([small('a')]));
    await writeFile(file, toJsonLines(records));
    const reading = log.refresh();
    expect((await log.list({})).meta.pagination.total).toBe(1);
    await reading;
    expect((await log.list({})).meta.pagination.total).toBe(5_000);
  });
});
