/**
 * Writes every kind of state until killed and prints a line per acknowledged write. Arguments:
 * folder, first number.
 */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { Job } from '../../src/ingest/jobs/job.ts';
import { ChatDeliveryRows } from '../../src/records/chat-delivery-table.ts';
import { JobRows } from '../../src/records/job-tables.ts';
import { ScheduleRows } from '../../src/records/schedule-table.ts';
import { SqliteStore } from '../../src/records/sqlite-store.ts';

const fail = (error: unknown) => {
  throw error;
};
const [folder = '', first = '0'] = process.argv.slice(2);
const store = new SqliteStore({ path: join(folder, 'state.db'), onWarning: fail });
const jobs = new JobRows({ store, onUnexpected: fail, onWarning: fail });
const [deliveries, schedules] = [new ChatDeliveryRows(store), new ScheduleRows(store)];
const at = '2026-01-01T00:00:00.000Z';

const writers: Readonly<Record<string, (name: string, id: string) => Promise<unknown>>> = {
  message: (name) => deliveries.end([name], true),
  schedule: (name) => schedules.change(name, async () => name),
  async job(name, id) {
    await jobs.add(
      new Job({ id, namespace: 'docs', prune: false, at, owner: name, requests: [] }),
      () => undefined,
    );
    await jobs.claim(id, 'run');
    await jobs.append(id, {
      line: 'done',
      task: 0,
      row: { source: name, kind: 'text', status: 'added' },
    });
  },
};

for (let number = Number(first); ; number++) {
  const id = `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`;
  await Promise.all(
    Object.entries(writers).map(async ([kind, write]) => {
      await write(`n${number}`, id);
      // Synchronous: a stream could still buffer lines when the process is killed.
      writeSync(1, `${kind} ${number}\n`);
    }),
  );
}
