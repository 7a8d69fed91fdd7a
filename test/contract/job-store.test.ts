import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { Job, type JobLine, type JobStore } from '../../src/ingest/jobs/job.ts';
import { JobRows } from '../../src/records/job-tables.ts';
import { documentWith, engines, placeInFile } from '../support/state.ts';

const unexpected = (error: unknown) => {
  throw error;
};
const at = '2026-01-01T00:00:00.000Z';
const requests = ['one', 'two\0'].map((text) => ({
  type: 'source' as const,
  source: { kind: 'text' as const, text, label: text },
}));
const createJob = (owner = 'a', namespace = 'docs', createdAt = at) =>
  new Job({ id: randomUUID(), namespace, prune: false, at: createdAt, owner, requests });
const doneLine = (task: number): JobLine => ({
  line: 'done',
  task,
  row: {
    source: `source ${task}`,
    kind: 'text',
    status: 'added',
    document: documentWith(`document-${task}`),
  },
});
const endedLine: JobLine = { line: 'ended', at, status: 'completed', tasks: 2 };

describe.each(engines)('jobs in %s', (_, createPlace) => {
  async function open() {
    const openStore = await createPlace();
    const place = (): JobStore =>
      new JobRows({ store: openStore(), onUnexpected: unexpected, onWarning: () => undefined });
    const store = place();
    const add = async (job: Job, to = store) => {
      await to.add(job, () => undefined);
      return job.asked.id;
    };
    const record = async (job: Job, line: JobLine) => {
      job.apply(line);
      return store.append(job.asked.id, line);
    };
    const claim = async (id: string) => {
      const claimed = await store.claim(id, 'run');
      if (!claimed) throw new Error('not claimed');
      return claimed.job;
    };
    const end = (job: Job) => {
      job.apply(endedLine);
      return store.end(job);
    };
    const waiting = async () => (await store.waiting()).map(({ id }) => id);
    const reportOf = async (id: string, from = store) => (await from.read(id))?.job.report();
    return { place, store, add, record, claim, end, waiting, reportOf };
  }

  it('wait until they are claimed, and every reader sees their current lines', async () => {
    const { store, add, waiting, claim, record, end, reportOf } = await open();
    const id = await add(createJob());
    expect(await waiting()).toEqual([id]);
    expect(await store.isBusy('docs', 'a')).toBe(true);
    expect(await reportOf(id)).toMatchObject({ id, status: 'queued', createdAt: at, results: [] });
    const job = await claim(id);
    expect(job.asked.requests).toEqual(requests);
    expect(await record(job, { line: 'started', at })).toBe(true);
    expect(await record(job, doneLine(1))).toBe(true);
    const results = [{ source: 'source 1' }];
    expect((await store.read(id))?.isLive).toBe(true);
    expect(await reportOf(id)).toMatchObject({ status: 'running', added: 1, results });
    expect(await end(job)).toBe(true);
    const ended = { status: 'completed', added: 1, finishedAt: at };
    expect(await reportOf(id)).toMatchObject(ended);
    expect(await store.read(id)).toMatchObject({ isLive: false, job: { asked: { requests: [] } } });
    expect(await waiting()).toEqual([]);
    expect(await store.isBusy('docs', 'a')).toBe(false);
  });

  it('can be read while lines are added and removed concurrently', async () => {
    const { store, add, claim, record, reportOf } = await open();
    const job = await claim(await add(createJob()));
    const { id } = job.asked;
    const shown = () => reportOf(id);
    await record(job, { line: 'started', at });
    for (let round = 0; round < 5; round++) {
      const tasks = Array.from({ length: 8 }, (_, number) => round * 8 + number);
      await Promise.all(tasks.flatMap((task) => [record(job, doneLine(task)), shown()]));
      expect(await shown()).toMatchObject({ status: 'running', added: (round + 1) * 8 });
    }
    await store.forgetDocument('docs', 'document-3');
    const { results = [] } = (await shown()) ?? {};
    expect(results.map(({ source }) => source)).toEqual(
      Array.from({ length: 40 }, (_, task) => (task === 3 ? '(deleted)' : `source ${task}`)),
    );
    await record(job, doneLine(40));
    expect(await shown()).toMatchObject({ added: 41 });
  });

  it('can be neither claimed nor changed after their end', async () => {
    const { store, add, claim, end } = await open();
    const id = await add(createJob());
    const job = await claim(id);
    await end(job);
    expect(await store.claim(id, 'run')).toBeUndefined();
    expect(await store.claim(id, 'cancel')).toBeUndefined();
    expect(await store.append(id, doneLine(0))).toBe(false);
    expect(await store.end(job)).toBe(false);
    expect((await store.read(id))?.job.rows()).toEqual([]);
  });

  it('are not found under another id', async () => {
    const { store } = await open();
    for (const id of [randomUUID(), '', '../x', 'a\0b', '-'.repeat(36)]) {
      expect(await store.read(id)).toBeUndefined();
      expect(await store.claim(id, 'cancel')).toBeUndefined();
    }
  });

  it('alternate between owners: running one costs a turn, cancelling does not', async () => {
    const { store, add, waiting, claim } = await open();
    const ids: string[] = [];
    for (const owner of ['a', 'a', 'a', 'b', 'b']) ids.push(await add(createJob(owner)));
    const [a1 = '', a2, a3, b1, b2 = ''] = ids;
    await claim(a1);
    const others = async () => (await waiting()).filter((id) => id !== a1 && id !== b2);
    expect(await others()).toEqual([b1, a2, a3]);
    expect((await store.claim(b2, 'cancel'))?.isCancelled).toBe(true);
    const c1 = await add(createJob('c'));
    expect(await others()).toEqual([b1, a2, a3, c1]);
  });

  it('continue in the next process after their last line', async () => {
    const { place, store, add, claim, record, reportOf } = await open();
    const id = await add(createJob());
    const job = await claim(id);
    await record(job, { line: 'started', at });
    await record(job, { line: 'writing', task: 0, status: 'updated' });
    await record(job, doneLine(1));
    await store.hold([]);
    const next = place();
    expect(await reportOf(id, next)).toMatchObject({ status: 'queued', added: 1 });
    const claimed = await next.claim(id, 'run');
    expect(claimed?.isCancelled).toBe(false);
    expect(claimed?.job.history.done.map(({ task }) => task)).toEqual([1]);
    expect([...(claimed?.job.history.writing ?? [])]).toEqual([[0, 'updated']]);
    expect(await next.hold([id])).toEqual([{ id, isCancelled: false, forgotten: [] }]);
  });

  it('keep unfinished starts through deletions, until each is stopped without the claim', async () => {
    const { place, store, add, claim, record, reportOf } = await open();
    const job = await claim(await add(createJob()));
    const { id } = job.asked;
    for (const start of ['1', '2', '3']) await record(job, { line: 'started', at, start });
    await record(job, doneLine(1));
    await record(job, { line: 'started', at, start: '4' });
    await record(job, { line: 'begun', task: 0 });
    await record(job, { line: 'stopped', start: '2' });
    await store.forgetDocument('docs', 'document-1');
    const other = place();
    expect((await other.read(id))?.job).toMatchObject({ unended: 3, fruitless: 1, begun: 0 });
    for (let times = 0; times < 2; times++)
      expect(await other.append(id, { line: 'stopped', start: '1' })).toBe(true);
    const next = place();
    expect((await next.read(id))?.job.unended).toBe(2);
    expect((await reportOf(id, next))?.results).toMatchObject([{ source: '(deleted)' }]);
  });

  it('are deleted with their namespace, even while a server runs them', async () => {
    const { store, add, claim, end, waiting } = await open();
    const ended = await add(createJob());
    const running = await add(createJob());
    const queued = await add(createJob());
    const other = await add(createJob('a', 'other'));
    await end(await claim(ended));
    const job = await claim(running);
    expect(await store.forgetNamespace('docs')).toBe(true);
    expect(await store.append(running, doneLine(0))).toBe(false);
    expect(await end(job)).toBe(false);
    for (const id of [ended, running, queued]) expect(await store.read(id)).toBeUndefined();
    expect(await waiting()).toEqual([other]);
    expect(await store.forgetNamespace('docs')).toBe(false);
  });

  it('contain nothing of a deleted document, even after their end', async () => {
    const { store, add, claim, record, end } = await open();
    const ended = await claim(await add(createJob()));
    await record(ended, doneLine(1));
    await end(ended);
    const running = await claim(await add(createJob()));
    await record(running, doneLine(1));
    await record(running, doneLine(0));
    await store.forgetDocument('other', 'document-1');
    await store.forgetDocument('docs', 'document-1');
    await end(running);
    const shown = async ({ asked }: Job) =>
      (await store.read(asked.id))?.job
        .rows()
        .map(({ source, document }) => `${source} ${document?.id}`);
    expect(await shown(ended)).toEqual(['(deleted) undefined']);
    expect(await shown(running)).toEqual(['(deleted) undefined', 'source 0 document-0']);
  });

  it('are removed long after their end, first those of the owner with the most jobs', async () => {
    const { store, add, claim, end } = await open();
    const ids: string[] = [];
    for (let number = 0; number <= 201; number++) {
      const createdAt = new Date(Date.parse(at) + number).toISOString();
      const id = await add(createJob(number === 0 ? 'b' : 'a', 'docs', createdAt));
      ids.push(id);
      await end(await claim(id));
    }
    const read = await Promise.all(ids.slice(0, 4).map((id) => store.read(id)));
    expect(read.map((found) => found !== undefined)).toEqual([true, false, false, true]);
  });
});

it('a job of a single server continues after a restart with an earlier clock', async () => {
  const store = (await placeInFile())();
  const create = () => new JobRows({ store, onUnexpected: unexpected, onWarning: () => undefined });
  const job = createJob();
  await create().add(job, () => undefined, { line: 'started', at, start: 'a' });
  await store.query('UPDATE jobs SET leased_until = leased_until + 86400000');
  expect(await create().waiting()).toMatchObject([{ id: job.asked.id }]);
});
