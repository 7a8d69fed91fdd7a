import { randomUUID } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Job, type JobEnd, type JobLine } from '../../../../src/ingest/jobs/job.ts';
import { Jobs } from '../../../../src/ingest/jobs/jobs.ts';
import type { Ingestion, RunObserver } from '../../../../src/ingest/run.ts';
import { JobRows } from '../../../../src/records/job-tables.ts';
import { storeIn } from '../../../support/state.ts';
import { temporaryFolder } from '../../../support/workspace.ts';

function rowsIn(folder: string): JobRows {
  const store = storeIn(folder);
  onTestFinished(() => store.close());
  return new JobRows({ store, onUnexpected: () => undefined, onWarning: () => undefined });
}

const requests = [
  {
    type: 'source' as const,
    source: { kind: 'text' as const, text: 'A text.', title: undefined, label: 'A text.' },
  },
];

async function until(isTrue: () => boolean | Promise<boolean>) {
  while (!(await isTrue())) await new Promise((resolve) => setImmediate(resolve));
}

/** Runs until it is aborted. */
const hanging: Ingestion['run'] = ({ signal }) =>
  new Promise((_, reject) => {
    const stop = () => reject(signal?.reason);
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
  });

async function openJobs(
  run: Ingestion['run'],
  folder?: string,
  onEnded?: (status: JobEnd) => void,
) {
  const journalFolder = folder ?? join(await temporaryFolder(), 'state');
  const runs: string[] = [];
  const warnings: string[] = [];
  const jobs = new Jobs({
    ...{ maxRunning: 4, maxWaiting: 100 },
    run: (options) => {
      runs.push(options.namespace);
      return run(options);
    },
    store: rowsIn(journalFolder),
    clock: () => new Date(),
    onUnexpected: () => undefined,
    onWarning: (message) => warnings.push(message),
    ...(onEnded && { onEnded }),
  });
  await jobs.open();
  onTestFinished(() => jobs.close());
  const start = async (caller: string, namespace = caller) =>
    (await jobs.start(namespace, requests, false, caller)).id;
  return {
    start,
    runs,
    warnings,
    folder: journalFolder,
    get: (id: string) => jobs.get(id),
    cancel: (id: string) => jobs.cancel(id),
    forgetDocument: (namespace: string, documentId: string) =>
      jobs.forgetDocument(namespace, documentId),
    hasEnded: async (id: string) => !(await jobs.progress(id, 0)).isLive,
    close: () => jobs.close(),
  };
}

const times = <T>(count: number, make: (number: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, at) => make(at)));

describe('a cancelled job', () => {
  it.each(['running', 'waiting'])(
    'is not reported as cancelled before the cancellation is saved: %s job',
    async (state) => {
      const jobs = await openJobs(hanging);
      const busy = state === 'waiting' ? await times(2, () => jobs.start('a')) : [];
      const id = await jobs.start('a');
      // Nothing more is saved once the runs have begun.
      await until(() => jobs.runs.length >= Math.max(1, busy.length));
      await rename(jobs.folder, `${jobs.folder}.away`);
      await writeFile(jobs.folder, 'no folder');
      await expect(jobs.cancel(id)).rejects.toThrow(/EEXIST|ENOTDIR/);
      if (state === 'running') expect((await jobs.get(id)).status).toBe('cancelled');
      await rename(`${jobs.folder}.away`, `${jobs.folder}.back`);
      await rename(jobs.folder, `${jobs.folder}.file`);
      await rename(`${jobs.folder}.back`, jobs.folder);
      expect((await jobs.cancel(id)).status).toBe('cancelled');
      for (const other of busy) await jobs.cancel(other);
      await jobs.close();
      const next = await openJobs(hanging, jobs.folder);
      expect((await next.get(id)).status).toBe('cancelled');
      expect(next.runs).toEqual([]);
    },
  );
});

/** Starts a job. @returns `done` ends one of its tasks */
async function startObserved() {
  let observer: RunObserver | undefined;
  const jobs = await openJobs((options) => {
    observer = options.observer;
    return hanging(options);
  });
  const id = await jobs.start('a');
  const done = (task: number) => {
    const document = {
      id: `d${task}`,
      file: 'a.md',
      title: 'A',
      bytes: 1,
      chunks: 1,
      revision: 'sha256-0',
    };
    return observer?.onDone({
      task,
      row: { source: `${task}`, kind: 'text', status: 'added', document },
    });
  };
  await until(() => observer !== undefined);
  return { jobs, id, done };
}

it('fails to delete a document from job reports until the reports can be saved', async () => {
  const { jobs, id, done } = await startObserved();
  await done(0);
  await rename(jobs.folder, `${jobs.folder}.away`);
  await writeFile(jobs.folder, 'no folder');
  for (let times = 0; times < 2; times++)
    await expect(jobs.forgetDocument('a', 'd0')).rejects.toThrow(/EEXIST|ENOTDIR/);
  await rename(jobs.folder, `${jobs.folder}.file`);
  await rename(`${jobs.folder}.away`, jobs.folder);
  await jobs.forgetDocument('a', 'd0');
  const next = await openJobs(hanging, jobs.folder);
  expect((await next.get(id)).results.map(({ source }) => source)).toEqual(['(deleted)']);
});

describe('the jobs of one caller', () => {
  it('leave queue places and slots for the jobs of another caller', async () => {
    const jobs = await openJobs(hanging);
    let refused: unknown;
    for (let count = 0; count < 200 && !refused; count++)
      await jobs.start('a', `a${count}`).catch((error: unknown) => {
        refused = error;
      });
    expect(refused).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 30 });
    const id = await jobs.start('b');
    expect((await jobs.get(id)).status).toBe('running');
    await until(() => jobs.runs.length >= 3);
    expect(jobs.runs).toEqual(['a0', 'a1', 'b']);
  });
});

describe('a job that was running when its process was killed', () => {
  const at = '2026-01-01T00:00:00.000Z';
  const folderOf = async () => join(await temporaryFolder(), 'state');
  const added = { source: 'A text.', kind: 'text', status: 'added' } as const;

  const start = (id?: string) => ({ line: 'started' as const, at, ...(id && { start: id }) });
  const done = (task: number) => ({ line: 'done' as const, task, row: added });
  const stopped = (id: string) => ({ line: 'stopped' as const, start: id });
  const begun = { line: 'begun' as const, task: 1 };

  /** Saves a job with two sources like a killed process does. */
  async function leave(
    folder: string,
    namespace: string,
    lines: readonly JobLine[],
  ): Promise<string> {
    const store = rowsIn(folder);
    const job = new Job({
      id: randomUUID(),
      namespace,
      prune: false,
      at,
      owner: namespace,
      requests: [...requests, ...requests],
    });
    await store.add(job, () => undefined);
    await store.claim(job.asked.id, 'run');
    for (const line of lines) await store.append(job.asked.id, line);
    return job.asked.id;
  }

  it.each([
    [
      'no source if the start before finished one',
      [start('1'), begun, start('2'), done(0)],
      undefined,
    ],
    ['no source without one that ran alone', [done(0), start('1'), start('2')], undefined],
    [
      'no source after one start without a finished one',
      [start('1'), done(0), start('2'), begun],
      undefined,
    ],
    ['no source after a clean stop', [start('1'), start('2'), begun, stopped('2')], undefined],
    [
      'the source that ran alone after two starts without a finished one',
      [start('1'), start('2'), begun],
      1,
    ],
  ])('runs again and fails %s', async (_, lines, failed) => {
    const folder = await folderOf();
    const id = await leave(folder, 'a', lines);
    const crashes: unknown[] = [];
    const jobs = await openJobs(async ({ history }) => void crashes.push(history?.crash), folder);
    await until(() => jobs.hasEnded(id));
    expect(crashes).toEqual([{ failed }]);
    expect((await jobs.get(id)).status).toBe('completed');
  });

  it('fails as crashed after five starts without any source, and does not start again', async () => {
    const folder = await folderOf();
    const id = await leave(folder, 'a', [done(0), ...['1', '2', '3', '4', '5'].map(start)]);
    const ended: string[] = [];
    const jobs = await openJobs(
      async () => undefined,
      folder,
      (status) => ended.push(status),
    );
    await until(() => jobs.hasEnded(id));
    expect([jobs.runs, ended]).toEqual([[], ['failed']]);
    const message = expect.stringContaining('The server stopped unexpectedly five times');
    const failed = {
      status: 'failed',
      added: 1,
      results: [added],
      error: { code: 'crashed', message },
    };
    expect(await jobs.get(id)).toMatchObject(failed);
    expect((await jobs.get(id)).stages).toMatchObject({ waiting: 0, done: 1 });
    expect(jobs.warnings).toEqual([expect.stringContaining(id)]);
    await jobs.close();
    const next = await openJobs(hanging, folder);
    expect(await next.get(id)).toMatchObject(failed);
    expect([next.runs, next.warnings]).toEqual([[], []]);
  });

  it('restarts after any number of clean stops, and after starts without an id', async () => {
    const folder = await folderOf();
    const id = await leave(folder, 'docs', [start(), start(), start(), start('1')]);
    for (let round = 0; round < 4; round++) {
      const jobs = await openJobs(hanging, folder);
      await until(() => jobs.runs.length > 0);
      await jobs.close();
    }
    expect((await (await openJobs(hanging, folder)).get(id)).error).toBeUndefined();
  });

  it('does not run at the same time as another such job, so that the next kill counts for only one of them', async () => {
    const folder = await folderOf();
    const ids = [
      await leave(folder, 'a', [start('1')]),
      await leave(folder, 'b', [start('1')]),
      await leave(folder, 'c', [start('1')]),
    ];
    const ends: (() => void)[] = [];
    const run: Ingestion['run'] = (options) =>
      Promise.race([new Promise<void>((resolve) => ends.push(resolve)), hanging(options)]);
    const jobs = await openJobs(run, folder);
    await jobs.start('new');
    await until(() => jobs.runs.length >= 2);
    expect(jobs.runs.toSorted()).toEqual([expect.stringMatching(/^[abc]$/), 'new']);
    const waiting = ids.filter((_, number) => !jobs.runs.includes('abc'[number] ?? ''));
    expect((await jobs.cancel(waiting[0] ?? '')).status).toBe('cancelled');
    expect(jobs.runs).toHaveLength(2);
    for (const end of ends) end();
    await until(() => jobs.runs.length >= 3);
    for (const end of ends) end();
    await until(() => jobs.hasEnded(waiting[1] ?? ''));
    expect((await jobs.get(waiting[1] ?? '')).status).toBe('completed');
  });
});
