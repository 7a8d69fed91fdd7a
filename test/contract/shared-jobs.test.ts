import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { Jobs } from '../../src/ingest/jobs/jobs.ts';
import type { Ingestion } from '../../src/ingest/run.ts';
import { JobRows } from '../../src/records/job-tables.ts';
import { Database } from '../../src/records/postgres/database.ts';
import { postgres } from '../support/postgres.ts';
import { documentWith } from '../support/state.ts';

const requests = [0, 1, 2, 3].map((number) => ({
  type: 'source' as const,
  source: { kind: 'text' as const, text: `Text ${number}.`, label: `source ${number}` },
}));

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(10);
}

const hasCode = (promise: Promise<unknown>, wanted: KnowledgeError['code']) =>
  promise.then(
    () => false,
    ({ code }) => code === wanted,
  );

const aborted = (signal: AbortSignal | undefined) =>
  new Promise<never>((_, reject) => {
    const stop = () => reject(signal?.reason);
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
  });

/** Returns the error code of a source, or undefined if it is stored. */
type Step = (task: number) => Promise<KnowledgeError['code'] | undefined>;
const never: Step = () => new Promise(() => undefined);
const stored: Step = async () => undefined;
/** Stores the first sources; the next one never ends. */
const hangingAt = (at: number) => (task: number) => (task < at ? stored(task) : never(task));
const stored4 = [0, 1, 2, 3].map((task) => `source ${task} added`);

/**
 * A server with a database. `pause` stops its statements like the end of its process or network.
 * By default a lease is longer than any test, so that only tests of a takeover have expired ones.
 */
async function startReplica(url: string, step: Step = never, leaseMs = 3_600_000) {
  const database = new Database({ url, timeoutMs: 30_000 });
  let gate = Promise.withResolvers<void>();
  gate.resolve();
  const transact = async (...work: Parameters<typeof database.transact>) => {
    await gate.promise;
    return database.transact(...work);
  };
  const gated = {
    ...database,
    query: async (...statement: Parameters<typeof database.query>) => {
      await gate.promise;
      return database.query(...statement);
    },
    transact,
    erase: transact,
  } as typeof database;
  /** Started tasks of this server as [namespace, task]. */
  const startedTasks: [string, number][] = [];
  let work = step;
  const run: Ingestion['run'] = async ({ namespace, history, observer, signal }) => {
    const done = new Set(history?.done.map(({ task }) => task));
    for (const task of requests.keys()) {
      if (done.has(task)) continue;
      startedTasks.push([namespace, task]);
      const code = await Promise.race([work(task), aborted(signal)]);
      const row = { source: `source ${task}`, kind: 'text' as const };
      await observer.onDone({
        task,
        row: code
          ? { ...row, status: 'failed', error: { code, message: '' } }
          : { ...row, status: 'added', document: documentWith(`document-${task}`) },
      });
    }
  };
  const unexpected: unknown[] = [];
  const reporting = {
    onUnexpected: (error: unknown) => void unexpected.push(error),
    onWarning: () => undefined,
  };
  const jobs = new Jobs({
    ...reporting,
    run,
    store: new JobRows({ ...reporting, store: gated, leaseMs, lookEveryMs: 30 }),
    clock: () => new Date(),
    maxRunning: 4,
    maxWaiting: 100,
  });
  onTestFinished(async () => {
    gate.resolve();
    await jobs.close();
    await database.close();
  });
  await jobs.open();
  return {
    jobs,
    unexpected,
    startedTasks,
    tasks: () => startedTasks.map(([, task]) => task),
    work: (next: Step) => {
      work = next;
    },
    pause() {
      gate = Promise.withResolvers();
    },
    resume: () => gate.resolve(),
    start: async (namespace = 'docs', caller = 'a') =>
      (await jobs.start(namespace, requests, false, caller)).id,
    status: async (id: string) => (await jobs.get(id)).status,
    rows: async (id: string) =>
      (await jobs.progress(id, 0)).rows.map(({ source, status }) => `${source} ${status}`).sort(),
    /** Number of its stored ends. */
    ends: async (id: string) => {
      const lines = `SELECT line FROM job_lines WHERE job = $1 AND line LIKE '{"line":"ended"%'`;
      return (await database.query(lines, [id])).length;
    },
  };
}

describe('jobs of several servers', () => {
  it('are each run once by one server', async () => {
    const url = await postgres.newMigrated();
    const step: Step = async () => void (await sleep(5));
    const replicas = await Promise.all([1, 2, 3].map(() => startReplica(url, step)));
    const ids = await Promise.all(
      replicas.flatMap(({ start }, server) =>
        [1, 2, 3, 4, 5, 6, 7, 8].map((at) => start(`n${server}${at}`, `caller ${at % 5}`)),
      ),
    );
    for (const id of ids) await until(async () => (await replicas[0]?.status(id)) === 'completed');
    const started = replicas.flatMap((replica) => replica.startedTasks.map(String));
    expect([started.length, new Set(started).size]).toEqual([24 * 4, 24 * 4]);
    expect(replicas.flatMap(({ unexpected }) => unexpected)).toEqual([]);
  });

  it('continue on another server after the first was killed, which then writes nothing', async () => {
    const url = await postgres.newMigrated();
    const late = Promise.withResolvers<undefined>();
    const step: Step = async (task) => (task === 2 ? late.promise : undefined);
    const one = await startReplica(url, step, 500);
    const id = await one.start();
    await until(() => one.startedTasks.length === 3);
    one.pause();
    const other = await startReplica(url, hangingAt(3));
    await until(() => other.startedTasks.length === 2);
    expect(other.tasks()).toEqual([2, 3]);
    // The first server finishes the task too, but can no longer record it.
    late.resolve(undefined);
    one.resume();
    await until(async () => (await one.rows(id)).length === 3);
    await one.jobs.close();
    expect(await other.rows(id)).toEqual(stored4.slice(0, 3));
    expect(one.tasks()).toEqual([0, 1, 2]);
    expect(await other.status(id)).toBe('running');
  });

  it('continue at once on another server when the first is closed', async () => {
    const url = await postgres.newMigrated();
    const one = await startReplica(url, hangingAt(2));
    const id = await one.start();
    await until(() => one.startedTasks.length === 3);
    const other = await startReplica(url, stored);
    await one.jobs.close();
    await until(async () => (await other.status(id)) === 'completed');
    expect(await other.rows(id)).toEqual(stored4);
    expect(other.tasks()).toEqual([2, 3]);
  });

  it('can be cancelled through any server, whether they run elsewhere or wait', async () => {
    const url = await postgres.newMigrated();
    const [one, other] = [await startReplica(url, hangingAt(1)), await startReplica(url)];
    await other.jobs.close();
    const ids = await Promise.all([1, 2, 3].map(() => one.start()));
    await until(() => one.startedTasks.length === 4);
    const states = await Promise.all(ids.map(one.status));
    // One caller gets half of the slots.
    expect(states.toSorted()).toEqual(['queued', 'running', 'running']);
    for (const state of ['queued', 'running'] as const) {
      const id = ids[states.indexOf(state)] ?? '';
      const added = state === 'running' ? 1 : 0;
      expect(await other.jobs.cancel(id)).toMatchObject({ status: 'cancelled', added });
      expect((await one.jobs.cancel(id)).status).toBe('cancelled');
      expect(await one.ends(id)).toBe(1);
    }
    expect(await one.status(ids[states.lastIndexOf('running')] ?? '')).toBe('running');
    expect(one.startedTasks).toHaveLength(4);
  });

  it('stop with their namespace and lose deleted documents, on any server', async () => {
    const url = await postgres.newMigrated();
    const one = await startReplica(url, hangingAt(2));
    const id = await one.start();
    await until(async () => (await one.rows(id)).length === 2);
    const other = await startReplica(url, stored);
    await other.jobs.forgetDocument('docs', 'document-1');
    const left = ['(deleted) added', 'source 0 added'];
    expect(await other.rows(id)).toEqual(left);
    await until(async () => String(await one.rows(id)) === String(left));
    expect(await other.jobs.isBusy('docs', 'a')).toBe(true);
    expect(await other.jobs.forgetNamespace('docs')).toBe(true);
    await until(() => hasCode(one.status(id), 'job_not_found'));
    expect(await other.jobs.isBusy('docs', 'a')).toBe(false);
  });

  it('start once under one id', async () => {
    const url = await postgres.newMigrated();
    const [one, other] = [await startReplica(url, stored), await startReplica(url, stored)];
    const id = randomUUID();
    const start = ({ jobs }: typeof one) => jobs.start('docs', requests, false, 'a', id);
    for (const server of [one, other, one]) expect((await start(server)).id).toBe(id);
    await until(async () => (await other.status(id)) === 'completed');
    expect((await start(other)).status).toBe('completed');
    expect([...one.startedTasks, ...other.startedTasks]).toHaveLength(4);
  });
});

it('during a database outage no source and no job fails; afterwards all jobs continue and end once', async () => {
  const url = await postgres.newMigrated();
  const outage = Promise.withResolvers<void>();
  /** The third source is stored during the outage; the fourth fails because of it. */
  const step: Step = async (task) => {
    if (task < 2) return undefined;
    await outage.promise;
    return task === 2 ? undefined : 'storage_unavailable';
  };
  const [one, other] = [await startReplica(url, step, 500), await startReplica(url, step, 500)];
  const ids = [await one.start('docs', 'a'), await other.start('docs', 'b')];
  await until(() => one.startedTasks.length + other.startedTasks.length === 6);
  await postgres.kill();
  outage.resolve();
  for (const { jobs } of [one, other]) {
    const away = { code: 'storage_unavailable', retryAfterSeconds: 5 };
    await expect(jobs.start('docs', requests, false, 'c')).rejects.toMatchObject(away);
    await expect(jobs.cancel(randomUUID())).rejects.toMatchObject(away);
    await until(() => hasCode(jobs.get(ids[0] ?? ''), 'storage_unavailable'));
  }
  for (const { work } of [one, other]) work(stored);
  await postgres.start();
  for (const id of ids) {
    // The server that runs the job is ahead of the database.
    await until(async () => (await one.ends(id)) > 0);
    expect(await one.status(id)).toBe('completed');
    expect(await other.rows(id)).toEqual(stored4);
    expect(await one.ends(id)).toBe(1);
  }
  expect([...one.unexpected, ...other.unexpected]).toEqual([]);
});
