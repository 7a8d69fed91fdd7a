import { describe, expect, it, vi } from 'vitest';
import { type ScheduleStore, Schedules, scheduleIdOf } from '../../src/ingest/schedules.ts';
import { type IngestRequest, urlSource } from '../../src/ingest/source.ts';
import { ScheduleRows } from '../../src/records/schedule-table.ts';
import { postgres } from '../support/postgres.ts';
import { engines, placeInDatabase, placeInFile } from '../support/state.ts';

type SchedulingJobs = ConstructorParameters<typeof Schedules>[0]['jobs'];

const hourMs = 3_600_000;
const begin = Date.parse('2026-01-01T00:00:00Z');
const page = (name: string) => urlSource(`https://example.com/${name}`);
const urlsOf = (requests: readonly IngestRequest[]) =>
  requests.map((request) =>
    request.type === 'source' && request.source.kind === 'url' ? request.source.url : '',
  );

/** Started jobs that never end; the same id is the same job. */
function createStarted() {
  const started = new Map<string, readonly string[]>();
  const parts = { isBusy: false, isRefused: false, started };
  const jobs: SchedulingJobs = {
    isBusy: async () => parts.isBusy,
    start: async (namespace, requests, prune, _caller, id = '') => {
      if (parts.isRefused) throw new Error('refused');
      started.set(id, urlsOf(requests));
      return { id, namespace, prune } as never;
    },
  };
  return Object.assign(parts, { jobs });
}

function createSchedules(store: ScheduleStore, started = createStarted()) {
  const { jobs } = started;
  const time = { now: begin };
  const warnings: string[] = [];
  const schedules = new Schedules({
    store,
    jobs,
    clock: () => new Date(time.now),
    onWarning: (message) => void warnings.push(message),
  });
  return { schedules, started, time, warnings, fired: () => [...started.started.values()] };
}

describe.each(engines)('schedules in %s', (_, createPlace) => {
  const createStore = async () => new ScheduleRows((await createPlace())());

  it('are stored once per source until they or their namespace are removed', async () => {
    const store = await createStore();
    const { schedules, warnings } = createSchedules(store);
    const shown = async (namespace: string) =>
      (await schedules.list(namespace)).map(({ request, everyMs }) => [
        ...urlsOf([request]),
        everyMs,
      ]);
    await Promise.all(['a', 'b', 'c'].map((name) => schedules.set('docs', page(name), hourMs)));
    await schedules.set('docs', page('a#part'), 2 * hourMs);
    await schedules.set('other', page('a'), hourMs);
    expect((await shown('docs')).sort()).toEqual([
      ['https://example.com/a#part', 2 * hourMs],
      ['https://example.com/b', hourMs],
      ['https://example.com/c', hourMs],
    ]);
    await schedules.set('docs', page('b'), undefined);
    await schedules.forget(
      'docs',
      async (request) => urlsOf([request])[0] === 'https://example.com/c',
    );
    expect(await shown('docs')).toEqual([['https://example.com/a#part', 2 * hourMs]]);
    expect((await store.namespaces()).toSorted()).toEqual(['docs', 'other']);
    await schedules.forget('docs', async () => true);
    expect(await shown('docs')).toEqual([]);
    expect(await shown('other')).toHaveLength(1);
    await schedules.set('other', page('a'), undefined);
    expect(await store.read('other')).toBeUndefined();
    expect(warnings).toEqual([]);
  });

  it('are removed by ids that are stable and reveal nothing', async () => {
    const store = await createStore();
    const { schedules, time } = createSchedules(store);
    const folder: IngestRequest = { type: 'path', path: '/srv/secret/handbook', label: 'handbook' };
    for (const request of [page('a'), folder, { ...folder, glob: '*.md' }])
      await schedules.set('docs', request, hourMs);
    await schedules.set('other', page('a'), hourMs);
    const ids = (await schedules.list('docs')).map(scheduleIdOf);
    expect(new Set(ids).size).toBe(3);
    expect(ids.join()).toMatch(/^[0-9a-f]{16},[0-9a-f]{16},[0-9a-f]{16}$/);
    time.now += hourMs;
    await schedules.set('docs', page('a'), 2 * hourMs);
    expect((await schedules.list('docs')).map(scheduleIdOf).sort()).toEqual(ids.toSorted());
    const [first = '', ...others] = ids;
    expect((await schedules.remove('docs', first))?.request).toMatchObject({
      source: { url: 'https://example.com/a' },
    });
    for (const missing of [first, 'none', ''])
      expect(await schedules.remove('docs', missing)).toBeUndefined();
    expect(await schedules.remove('nowhere', first)).toBeUndefined();
    expect((await schedules.list('docs')).map(scheduleIdOf)).toEqual(others);
    for (const id of others) await schedules.remove('docs', id);
    expect(await store.read('docs')).toBeUndefined();
    expect(await schedules.list('other')).toHaveLength(1);
  });

  it('become one job when they are due, and another when they are due again', async () => {
    const store = await createStore();
    const { schedules, time, fired } = createSchedules(store);
    await schedules.set('docs', page('a'), hourMs);
    await schedules.set('docs', page('b'), hourMs);
    await schedules.set('docs', page('c'), 3 * hourMs);
    await schedules.runDue();
    expect(fired()).toEqual([]);
    time.now += hourMs;
    await Promise.all([schedules.runDue(), schedules.runDue()]);
    expect(fired()).toEqual([['https://example.com/a', 'https://example.com/b']]);
    time.now += hourMs;
    await schedules.runDue();
    expect(fired()).toHaveLength(2);
  });

  it('stay due while a job cannot start or another one is running', async () => {
    const store = await createStore();
    const { schedules, started, time, warnings, fired } = createSchedules(store);
    await schedules.set('docs', page('a'), hourMs);
    time.now += hourMs;
    started.isRefused = true;
    await schedules.runDue();
    expect(warnings).toHaveLength(1);
    Object.assign(started, { isRefused: false, isBusy: true });
    await schedules.runDue();
    expect(fired()).toEqual([]);
    started.isBusy = false;
    await schedules.runDue();
    expect(fired()).toHaveLength(1);
  });

  it('start one job even if the process ends before the next times are saved', async () => {
    const store = await createStore();
    const { schedules, started, time } = createSchedules(store);
    await schedules.set('docs', page('a'), hourMs);
    time.now += hourMs;
    const ended = new Error('the process ended');
    const change = store.change.bind(store);
    vi.spyOn(store, 'change').mockImplementationOnce((namespace, edit) =>
      change(namespace, (text) => edit(text).then(() => Promise.reject(ended))),
    );
    const first = createSchedules(store, started);
    first.time.now = time.now;
    await first.schedules.runDue();
    expect(first.warnings).toHaveLength(1);
    await schedules.runDue();
    expect(started.started.size).toBe(1);
    expect([...started.started.keys()][0]).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });
});

it('several servers start one job for due schedules', async () => {
  const place = await placeInDatabase();
  const started = createStarted();
  let count = 0;
  const { start } = started.jobs;
  const jobs: SchedulingJobs = {
    ...started.jobs,
    start: (...job) => {
      count++;
      return start(...job);
    },
  };
  const servers = await Promise.all(
    [1, 2, 3, 4].map(async () => createSchedules(new ScheduleRows(place()), { ...started, jobs })),
  );
  for (const name of ['a', 'b']) await servers[0]?.schedules.set(name, page('x'), hourMs);
  for (const { time } of servers) time.now += hourMs;
  await Promise.all(servers.map(({ schedules }) => schedules.runDue()));
  expect(count).toBe(2);
});

it('during a database outage the last known schedules are shown, and none is changed or started', async () => {
  const store = new ScheduleRows((await placeInDatabase())());
  const { schedules, time, warnings, fired } = createSchedules(store);
  await schedules.set('docs', page('a'), hourMs);
  const before = await schedules.list('docs');
  expect(before).toHaveLength(1);
  await postgres.kill();
  time.now += hourMs;
  expect(await schedules.list('docs')).toEqual(before);
  expect([...(await schedules.listAll())]).toEqual([['docs', before]]);
  await expect(schedules.set('docs', page('b'), hourMs)).rejects.toMatchObject({
    code: 'storage_unavailable',
  });
  await schedules.runDue();
  expect(warnings).toHaveLength(1);
  await postgres.start();
  await schedules.runDue();
  expect(fired()).toHaveLength(1);
});

it('a namespace whose folder was deleted on disk is not refreshed', async () => {
  let folders = ['docs', 'other'];
  const { schedules, time, fired } = createSchedules(
    new ScheduleRows((await placeInFile())(), async () => folders),
  );
  for (const name of folders) await schedules.set(name, page(name), hourMs);
  folders = ['other'];
  time.now += hourMs;
  await schedules.runDue();
  expect(fired()).toEqual([['https://example.com/other']]);
});

it('an edit may use the store', async () => {
  const store = (await placeInFile())();
  const schedules = new ScheduleRows(store);
  await schedules.change('docs', async () => {
    await store.transact(({ query }) => query('SELECT 1'));
    return '[]';
  });
  expect(await schedules.read('docs')).toBe('[]');
});

it('schedules of a shared database that hangs are listed as they were last read', async () => {
  const shared = (await placeInDatabase())();
  let queries = 0;
  let isHanging = false;
  const store = new ScheduleRows({
    ...shared,
    isShared: true,
    dialect: shared.dialect,
    transact: (work) => shared.transact(work),
    query: (...statement) => {
      queries++;
      return isHanging ? new Promise(() => undefined) : shared.query(...statement);
    },
  });
  await store.change('docs', async () => '[]');
  const before = await store.readAll();
  isHanging = true;
  expect([before.size, await store.readAll(), queries]).toEqual([1, before, 2]);
  // The next list does not wait for the database.
  expect([await store.readAll(), queries]).toEqual([before, 2]);
});
