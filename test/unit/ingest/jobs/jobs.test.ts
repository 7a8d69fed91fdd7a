import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { JobFiles } from '../../../../src/ingest/jobs/job-files.ts';
import { Jobs } from '../../../../src/ingest/jobs/jobs.ts';
import type { IngestRun, RunObserver } from '../../../../src/ingest/run.ts';
import { temporaryFolder } from '../../../support/workspace.ts';

const requests = [{ type: 'source' as const, source: { kind: 'text' as const, text: 'A text.', title: undefined, label: 'A text.' } }];

/** Works until it is told to stop. */
const hanging: IngestRun = ({ signal }) =>
  new Promise((_, reject) => {
    const stop = () => reject(signal?.reason);
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
  });

async function openJobs(run: IngestRun, folder?: string) {
  const journalFolder = folder ?? join(await temporaryFolder(), 'jobs');
  const runs: string[] = [];
  const jobs = new Jobs({
    ...{ maxRunning: 4, maxWaiting: 100 },
    run: (options) => {
      runs.push(options.namespace);
      return run(options);
    },
    store: new JobFiles({ folder: journalFolder, onUnexpected: () => undefined, onWarning: () => undefined }),
    clock: () => new Date(),
    onUnexpected: () => undefined,
  });
  await jobs.open();
  onTestFinished(() => jobs.close());
  const start = async (caller: string, namespace = caller) => (await jobs.start(namespace, requests, false, caller)).id;
  return {
    start,
    runs,
    folder: journalFolder,
    get: (id: string) => jobs.get(id),
    cancel: (id: string) => jobs.cancel(id),
    forgetDocument: (namespace: string, documentId: string) => jobs.forgetDocument(namespace, documentId),
    isLive: async (id: string) => (await jobs.progress(id, 0)).isLive,
    close: () => jobs.close(),
  };
}

const times = <T>(count: number, make: (number: number) => Promise<T>) => Promise.all(Array.from({ length: count }, (_, at) => make(at)));

describe('a job that was cancelled', () => {
  it('stays so in the next process, however many are cancelled at once', async () => {
    const first = await openJobs(hanging);
    const ids: string[] = [];
    for (let round = 0; round < 4; round++) {
      const started = await times(40, () => first.start('a'));
      for (const { status } of await Promise.all(started.map((id) => first.cancel(id)))) expect(status).toBe('cancelled');
      ids.push(...started);
    }
    await first.close();
    const next = await openJobs(hanging, first.folder);
    const statuses = await Promise.all(ids.map(async (id) => (await next.get(id)).status));
    expect(new Set(statuses)).toEqual(new Set(['cancelled']));
    expect(next.runs).toEqual([]);
  });

  it.each(['at work', 'waiting'])('is not answered as cancelled before that is on disk: %s', async (state) => {
    const jobs = await openJobs(hanging);
    const busy = state === 'waiting' ? await times(2, () => jobs.start('a')) : [];
    const id = await jobs.start('a');
    // Nothing is written down any more once the runs have begun.
    while (jobs.runs.length < Math.max(1, busy.length)) await new Promise((resolve) => setImmediate(resolve));
    await rename(jobs.folder, `${jobs.folder}.away`);
    await writeFile(jobs.folder, 'no folder');
    await expect(jobs.cancel(id)).rejects.toThrow(/EEXIST|ENOTDIR/);
    expect((await jobs.get(id)).status).toBe('cancelled');
    await rename(`${jobs.folder}.away`, `${jobs.folder}.back`);
    await rename(jobs.folder, `${jobs.folder}.file`);
    await rename(`${jobs.folder}.back`, jobs.folder);
    expect((await jobs.cancel(id)).status).toBe('cancelled');
    for (const other of busy) await jobs.cancel(other);
    await jobs.close();
    const next = await openJobs(hanging, jobs.folder);
    expect((await next.get(id)).status).toBe('cancelled');
    expect(next.runs).toEqual([]);
  });
});

it('a row is written down once, whatever is forgotten at the same moment', async () => {
  let observer: RunObserver | undefined;
  const jobs = await openJobs((options) => {
    observer = options.observer;
    return hanging(options);
  });
  const id = await jobs.start('a');
  const done = (task: number) => {
    const document = { id: `d${task}`, file: 'a.md', title: 'A', bytes: 1, chunks: 1, revision: 'sha256-0' };
    return observer?.onDone({ task, row: { source: `${task}`, kind: 'text', status: 'added', document } });
  };
  while (!observer) await new Promise((resolve) => setImmediate(resolve));
  await done(0);
  await Promise.all([jobs.forgetDocument('a', 'd0'), done(1)]);
  await jobs.close();
  const next = await openJobs(hanging, jobs.folder);
  expect((await next.get(id)).results.map(({ source }) => source)).toEqual(['(deleted)', '1']);
});

describe('jobs of one caller', () => {
  it('leave room for those of another: in the queue, and at work', async () => {
    const jobs = await openJobs(hanging);
    let refused: unknown;
    for (let count = 0; count < 200 && !refused; count++)
      await jobs.start('a', `a${count}`).catch((error: unknown) => {
        refused = error;
      });
    expect(refused).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 30 });
    const id = await jobs.start('b');
    expect((await jobs.get(id)).status).toBe('running');
    while (jobs.runs.length < 3) await new Promise((resolve) => setImmediate(resolve));
    expect(jobs.runs).toEqual(['a0', 'a1', 'b']);
  });

  it('take turns with those of another', async () => {
    const ends: (() => void)[] = [];
    const jobs = await openJobs(() => new Promise((resolve) => ends.push(resolve)));
    await times(12, () => jobs.start('a'));
    await times(3, () => jobs.start('b'));
    while (jobs.runs.length < 15) {
      ends.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    for (const end of ends) end();
    // In the order of their starts, all of the first caller's would come first.
    expect(jobs.runs.lastIndexOf('b')).toBeLessThan(jobs.runs.lastIndexOf('a'));
  });

  it('do not push the reports of another out', async () => {
    const jobs = await openJobs(async () => undefined);
    const id = await jobs.start('b');
    while (await jobs.isLive(id)) await new Promise((resolve) => setImmediate(resolve));
    for (let count = 0; count < 210; count++) {
      const other = await jobs.start('a');
      while (await jobs.isLive(other)) await new Promise((resolve) => setImmediate(resolve));
    }
    await jobs.close();
    expect((await jobs.get(id)).status).toBe('completed');
  });
});
