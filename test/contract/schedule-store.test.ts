import { describe, expect, it, vi } from 'vitest';
import { type ScheduleStore, Schedules, scheduleIdOf } from '../../src/ingest/schedules.ts';
import { type IngestRequest, urlSource } from '../../src/ingest/source.ts';
import { ScheduleRows } from '../../src/records/schedule-table.ts';
import { postgres } from '../support/postgres.ts';
import { engines, placeInDatabase, placeInFile } from '../support/state.ts';

const hourMs = 3_600_000;
const site = 'https://example.com/';
const page = (name: string) => urlSource(site + name);
const nameOf = (request: IngestRequest) =>
  request.type === 'source' && request.source.kind === 'url'
    ? request.source.url.replace(site, '')
    : '';

/** Started jobs that never end; the same id is the same job. */
function createStarted() {
  const parts = {
    isBusy: false,
    isRefused: false,
    starts: 0,
    /** Pages by the id of their job. */
    started: new Map<string, readonly string[]>(),
  };
  const jobs: ConstructorParameters<typeof Schedules>[0]['jobs'] = {
    isBusy: async () => parts.isBusy,
    start: async (namespace, requests, prune, _caller, id = '') => {
      if (parts.isRefused) throw new Error('refused');
      parts.starts++;
      parts.started.set(id, requests.map(nameOf));
      return { id, namespace, prune } as never;
    },
  };
  return Object.assign(parts, { jobs });
}

function createSchedules(store: ScheduleStore, started = createStarted()) {
  const time = { now: Date.parse('2026-01-01T00:00:00Z') };
  const warnings: string[] = [];
  const schedules = new Schedules({
    store,
    jobs: started.jobs,
    clock: () => new Date(time.now),
    onWarning: (message) => void warnings.push(message),
  });
  return { schedules, started, time, warnings, fired: () => [...started.started.values()] };
}

describe.each(engines)('schedules in %s', (_, createPlace) => {
  async function setUp() {
    const store = new ScheduleRows((await createPlace())());
    return { store, ...createSchedules(store) };
  }

  it('are stored once per source until they or their namespace are removed', async () => {
    const { store, schedules, warnings } = await setUp();
    const shown = async (namespace: string) =>
      (await schedules.list(namespace)).map(({ request, everyMs }) => [nameOf(request), everyMs]);
    await Promise.all(['a', 'b', 'c'].map((name) => schedules.set('docs', page(name), hourMs)));
    await schedules.set('docs', page('a#part'), 2 * hourMs);
    await schedules.set('other', page('a'), hourMs);
    expect((await shown('docs')).sort()).toEqual([
      ['a#part', 2 * hourMs],
      ['b', hourMs],
      ['c', hourMs],
    ]);
    await schedules.set('docs', page('b'), undefined);
    await schedules.forget('docs', async (request) => nameOf(request) === 'c');
    expect(await shown('docs')).toEqual([['a#part', 2 * hourMs]]);
    expect((await store.namespaces()).toSorted()).toEqual(['docs', 'other']);
    await schedules.forget('docs', async () => true);
    expect([await shown('docs'), await shown('other')]).toEqual([[], [['a', hourMs]]]);
    await schedules.set('other', page('a'), undefined);
    expect([await store.read('other'), warnings]).toEqual([undefined, []]);
  });

  it('are removed by ids that are stable and reveal nothing', async () => {
    const { schedules, time } = await setUp();
    const folder: IngestRequest = { type: 'path', path: '/srv/secret/handbook', label: 'handbook' };
    for (const request of [page('a'), folder, { ...folder, glob: '*.md' }])
      await schedules.set('docs', request, hourMs);
    const listedIds = async () => (await schedules.list('docs')).map(scheduleIdOf);
    const ids = await listedIds();
    expect(new Set(ids).size).toBe(3);
    expect(ids.join()).toMatch(/^[0-9a-f]{16},[0-9a-f]{16},[0-9a-f]{16}$/);
    time.now += hourMs;
    await schedules.set('docs', page('a'), 2 * hourMs);
    expect((await listedIds()).sort()).toEqual(ids.toSorted());
    const [first = '', ...others] = ids;
    await schedules.remove('docs', first);
    expect(await listedIds()).toEqual(others);
  });

  it('become one job when they are due, and another when they are due again', async () => {
    const { schedules, time, fired } = await setUp();
    for (const name of ['a', 'b']) await schedules.set('docs', page(name), hourMs);
    await schedules.set('docs', page('c'), 3 * hourMs);
    await schedules.runDue();
    expect(fired()).toEqual([]);
    time.now += hourMs;
    await Promise.all([schedules.runDue(), schedules.runDue()]);
    expect(fired()).toEqual([['a', 'b']]);
    time.now += hourMs;
    await schedules.runDue();
    expect(fired()).toHaveLength(2);
  });

  it('stay due while a job cannot start or another one is running', async () => {
    const { schedules, started, time, warnings } = await setUp();
    await schedules.set('docs', page('a'), hourMs);
    time.now += hourMs;
    started.isRefused = true;
    await schedules.runDue();
    expect(warnings).toHaveLength(1);
    Object.assign(started, { isRefused: false, isBusy: true });
    await schedules.runDue();
    expect(started.starts).toBe(0);
    started.isBusy = false;
    await schedules.runDue();
    expect(started.starts).toBe(1);
  });

  it('start one job even if the process ends before the next times are saved', async () => {
    const { store, schedules, started, time, warnings } = await setUp();
    await schedules.set('docs', page('a'), hourMs);
    time.now += hourMs;
    const change = store.change.bind(store);
    const ended = new Error('the process ended');
    vi.spyOn(store, 'change').mockImplementationOnce((namespace, edit) =>
      change(namespace, (text) => edit(text).then(() => Promise.reject(ended))),
    );
    await schedules.runDue();
    expect(warnings).toHaveLength(1);
    await schedules.runDue();
    expect([started.starts, started.started.size]).toEqual([2, 1]);
    expect([...started.started.keys()][0]).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  });
});

it('several servers start one job for due schedules', async () => {
  const place = await placeInDatabase();
  const started = createStarted();
  const servers = [1, 2, 3, 4].map(() => createSchedules(new ScheduleRows(place()), started));
  for (const name of ['a', 'b']) await servers[0]?.schedules.set(name, page('x'), hourMs);
  for (const { time } of servers) time.now += hourMs;
  await Promise.all(servers.map(({ schedules }) => schedules.runDue()));
  expect(started.starts).toBe(2);
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
  const unavailable = { code: 'storage_unavailable' };
  await expect(schedules.set('docs', page('b'), hourMs)).rejects.toMatchObject(unavailable);
  await schedules.runDue();
  expect(warnings).toHaveLength(1);
  await postgres.start();
  await schedules.runDue();
  expect(fired()).toEqual([['a']]);
});

it('a namespace whose folder was deleted on disk is not refreshed', async () => {
  let folders = ['docs', 'other'];
  const store = new ScheduleRows((await placeInFile())(), async () => folders);
  const { schedules, time, fired } = createSchedules(store);
  for (const name of folders) await schedules.set(name, page(name), hourMs);
  folders = ['other'];
  time.now += hourMs;
  await schedules.runDue();
  expect(fired()).toEqual([['other']]);
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
  const store = new ScheduleRows(shared);
  await store.change('docs', async () => '[]');
  const before = await store.readAll();
  expect(before.size).toBe(1);
  const query = vi.spyOn(shared, 'query').mockReturnValue(new Promise<never>(() => undefined));
  expect(await store.readAll()).toEqual(before);
  // The next list does not wait for the database.
  expect(await store.readAll()).toEqual(before);
  expect(query).toHaveBeenCalledTimes(1);
});
