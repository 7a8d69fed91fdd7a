import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { ChatDeliveryRows } from '../../src/records/chat-delivery-table.ts';
import { JobRows } from '../../src/records/job-tables.ts';
import { ScheduleRows } from '../../src/records/schedule-table.ts';
import { cases } from '../support/depth.ts';
import { createRandom } from '../support/ledger.ts';
import { storeIn } from '../support/state.ts';
import { temporaryFolder } from '../support/workspace.ts';

const script = fileURLToPath(new URL('../support/write-state.ts', import.meta.url));
const kills = cases(5);

/**
 * Kills the writer after `count` acknowledged writes. @returns the lines of all acknowledged writes
 */
function writeUntilKilled(folder: string, first: number, count: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, folder, String(first)]);
    let [output, errors] = ['', ''];
    child.stderr.on('data', (part) => (errors += part));
    child.stdout.on('data', (part) => {
      output += part;
      if (output.split('\n').length > count) child.kill('SIGKILL');
    });
    child.on('close', (_, signal) =>
      signal === 'SIGKILL'
        ? resolve(output.split('\n').slice(0, -1))
        : reject(new Error(errors || 'it ended')),
    );
  });
}

it(`loses no acknowledged state of any kind when its process is killed ${kills} times`, async () => {
  const folder = join(await temporaryFolder(), 'state');
  const random = createRandom(11);
  const acknowledged: string[] = [];
  for (let kill = 0; kill < kills; kill++)
    acknowledged.push(
      ...(await writeUntilKilled(folder, kill * 100_000, 20 + Math.floor(random() * 200))),
    );
  const store = storeIn(folder);
  const [deliveries, schedules] = [new ChatDeliveryRows(store), new ScheduleRows(store)];
  const jobs = new JobRows({ store, onUnexpected: () => undefined, onWarning: () => undefined });
  const isKept: Readonly<Record<string, (number: string) => Promise<boolean>>> = {
    message: async (number) => (await deliveries.stateOf([`n${number}`])) === 'settled',
    schedule: async (number) => (await schedules.read(`n${number}`)) === `n${number}`,
    job: async (number) =>
      (await jobs.read(`00000000-0000-4000-8000-${number.padStart(12, '0')}`))?.job.rows()[0]
        ?.source === `n${number}`,
  };
  const lost: string[] = [];
  for (const line of acknowledged) {
    const [kind = '', number = ''] = line.split(' ');
    if (!(await isKept[kind]?.(number))) lost.push(line);
  }
  await store.close();
  expect(lost).toEqual([]);
  expect(new Set(acknowledged.map((line) => line.split(' ')[0]))).toEqual(
    new Set(Object.keys(isKept)),
  );
});
