import { appendFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { callRecords, toJsonLines } from '../../../scripts/call-records.ts';
import { CallLog } from '../../../src/calls/call-log.ts';
import { temporaryFolder } from '../../support/workspace.ts';

const lines = (seed: number) =>
  toJsonLines([
    ...callRecords({ count: 1, seed, until: Date.UTC(2026, 10, 21) / 1000, days: 2, users: 2 }),
  ]);

it('the server reloads a call file automatically when it changes', async () => {
  const file = join(await temporaryFolder(), 'calls.jsonl');
  await writeFile(file, lines(1));
  const log = new CallLog(file);
  onTestFinished(() => log.close());
  await log.open();
  await appendFile(file, lines(2));
  const expectCalls = (count: number) =>
    vi.waitFor(async () => expect((await log.list()).data).toHaveLength(count), {
      timeout: 60_000,
    });
  await expectCalls(2);
  await writeFile(`${file}.new`, lines(3));
  await rename(`${file}.new`, file);
  await expectCalls(1);
});
