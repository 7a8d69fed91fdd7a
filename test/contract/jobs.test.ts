import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Job } from '../../src/ingest/jobs/job.ts';
import { JobRows } from '../../src/records/job-tables.ts';
import { page, startSite } from '../support/site.ts';
import { storeIn } from '../support/state.ts';
import { reopened, startService, type TestService } from '../support/workspace.ts';

const start = async (service: TestService, body: object, headers = {}) => {
  const answer = await service.ingest({ namespace: 'docs', wait: false, ...body }, headers);
  expect(answer.status).toBe(202);
  expect(answer.headers.get('location')).toBe(`/api/jobs/${answer.body.id}`);
  return answer.body.id as string;
};
const job = async (service: TestService, id: string) => (await service.get(`/api/jobs/${id}`)).body;
async function ended(service: TestService, id: string) {
  for (;;) {
    const current = await job(service, id);
    if (current.status !== 'queued' && current.status !== 'running') return current;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
/** Runs a job to its end. @returns its id */
async function run(service: TestService, ...sources: unknown[]) {
  const id = await start(service, { sources });
  await ended(service, id);
  return id;
}
const schedulesOf = async (service: TestService) =>
  (await service.get('/api/namespaces')).body.namespaces.find(
    ({ name }: { name: string }) => name === 'docs',
  ).schedules;
const cancel = async (service: TestService, id: string) =>
  (await service.delete(`/api/jobs/${id}`)).body;
/** Accepts requests and never answers. */
const startHangingSite = () => startSite({}, () => () => undefined);

it('a job ends with a row for each source in order, with its times and no current source', async () => {
  const service = await startService();
  const sources = [
    'The first text.',
    './refused.md',
    { text: 'The second text.', title: 'Second' },
  ];
  const done = await job(service, await run(service, ...sources));
  const stages = { waiting: 0, loading: 0, parsing: 0, storing: 0, indexing: 0, done: 3 };
  expect(done).toMatchObject({ namespace: 'docs', status: 'completed', current: null, stages });
  expect(done.results).toMatchObject([
    { source: 'The first text.', status: 'added' },
    { source: './refused.md', status: 'failed' },
    { source: 'Second', status: 'added' },
  ]);
  expect(Date.parse(done.finishedAt)).toBeGreaterThanOrEqual(Date.parse(done.startedAt));
});

it('a running job reports stages and the current source; DELETE stops it and keeps stored documents', async () => {
  const silent = await startHangingSite();
  const service = await startService({ ALLOWED_URL_HOSTS: silent.host });
  const id = await start(service, { sources: ['A text that is done.', `${silent.url}/`] });
  await expect
    .poll(() => job(service, id))
    .toMatchObject({
      ...{ status: 'running', added: 1, current: `${silent.url}/`, finishedAt: null },
      stages: { waiting: 0, loading: 1, done: 1 },
    });
  expect(await cancel(service, id)).toMatchObject({ status: 'cancelled', added: 1, failed: 0 });
  expect((await cancel(service, id)).status).toBe('cancelled');
  expect((await service.find({ namespace: 'docs', query: 'text' })).body.results).toHaveLength(1);
});

it('a job that two crashes interrupted fails the source that was read on its own and reads the others', async () => {
  const first = await startService();
  await first.close();
  const id = randomUUID();
  const at = '2026-01-01T00:00:00.000Z';
  const sources = ['A bad text.', 'A good text.', 'Another text.'].map((text) => ({
    type: 'source' as const,
    source: { kind: 'text' as const, text, label: text },
  }));
  const store = storeIn(join(first.folder, 'index'));
  const fail = () => expect.unreachable();
  const rows = new JobRows({ store, onUnexpected: fail, onWarning: fail });
  const asked = { id, namespace: 'docs', prune: false, at, owner: '', requests: sources };
  await rows.add(new Job(asked), () => undefined);
  await rows.claim(id, 'run');
  await rows.append(id, { line: 'started', at, start: '1' });
  await rows.append(id, { line: 'started', at, start: '2' });
  await rows.append(id, { line: 'begun', task: 0 });
  await store.close();
  const again = reopened(first);
  await again.open();
  while ((await again.api.jobs.progress(id, 0)).isLive)
    await new Promise((resolve) => setTimeout(resolve, 10));
  const done = await again.api.jobs.get(id);
  expect(done).toMatchObject({ status: 'completed', added: 2, failed: 1 });
  expect(done.results[0]).toMatchObject({ source: 'A bad text.', error: { code: 'crashed' } });
  expect(await again.api.metrics.read()).toContain(
    'knowledge_jobs_ended_total{status="completed"} 1',
  );
  await again.close();
  const kept = storeIn(join(first.folder, 'index'));
  onTestFinished(() => kept.close());
  const begun = `SELECT line FROM job_lines WHERE line LIKE '%"line":"begun"%'`;
  expect(await kept.query(begun)).toHaveLength(4);
});

it('a job is not found under an unknown id, for a caller without its namespace, or through a path', async () => {
  const service = await startService({ API_KEYS: 'all,one=hr' });
  const id = await start(service, { sources: ['A text.'] }, { 'x-api-key': 'all' });
  for (const [path, method, key] of [
    [id, 'GET', 'one'],
    [id, 'DELETE', 'one'],
    [`${id}/events`, 'GET', 'one'],
    ['nothing', 'GET', 'all'],
    ['..%2f..%2fetc%2fpasswd', 'GET', 'all'],
    [randomUUID(), 'GET', 'all'],
  ] as const) {
    const init = { method, headers: { 'x-api-key': key } };
    const response = await service.request(`/api/jobs/${path}`, init);
    expect([response.status, await response.json()]).toMatchObject([
      404,
      { code: 'job_not_found' },
    ]);
  }
});

describe('"refreshEvery"', () => {
  it('refreshes a source automatically, appears with its namespace, and ends with "off" or with its document', async () => {
    const site = await startSite({ '/a': page('A', 'Alpha.'), '/b': page('B', 'Beta.') });
    const service = await startService({ ALLOWED_URL_HOSTS: site.host });
    const schedule = (path: string, refreshEvery: string) =>
      service.ingest({
        namespace: 'docs',
        sources: [{ url: site.url + path, refreshEvery }],
      });
    await schedule('/a', '24h');
    const { body } = await schedule('/b', '90m');
    expect(await schedulesOf(service)).toMatchObject([
      { source: `${site.url}/a`, refreshEvery: '1d' },
      { source: `${site.url}/b`, refreshEvery: '90m' },
    ]);
    await schedule('/a', 'off');
    expect(await schedulesOf(service)).toMatchObject([{ source: `${site.url}/b` }]);
    await service.delete(`/api/namespaces/docs/documents/${body.results[0].document.id}`);
    expect(await schedulesOf(service)).toEqual([]);
    for (const wrong of ['1s', '0h', 'daily', '99999d'])
      expect((await schedule('/a', wrong)).status).toBe(400);
  });

  it('ends by the id of its schedule in its namespace; the document stays', async () => {
    const site = await startSite({ '/a': page('A', 'Alpha.') });
    const service = await startService({ ALLOWED_URL_HOSTS: site.host });
    const source = `${site.url}/a`;
    const sources = [{ url: source, refreshEvery: '24h' }];
    await service.ingest({ namespace: 'docs', sources });
    const [{ id }] = await schedulesOf(service);
    const end = async (path: string) => (await service.delete(`/api/namespaces/${path}`)).body;
    for (const unknown of ['docs/schedules/..%2f..%2f', `default/schedules/${id}`])
      expect((await end(unknown)).code).toBe('schedule_not_found');
    const deleted = { id, source };
    expect(await end(`docs/schedules/${id}`)).toEqual({ namespace: 'docs', deleted });
    expect(await schedulesOf(service)).toEqual([]);
    expect((await service.get('/api/namespaces/docs/documents')).body.total).toBe(1);
  });

  it('rejects texts and failed sources', async () => {
    const service = await startService();
    const post = (source: object) => service.ingest({ namespace: 'docs', sources: [source] });
    expect((await post({ text: 'x', refreshEvery: '1h' })).status).toBe(400);
    expect((await post({ path: 'none.md', refreshEvery: '1h' })).body.failed).toBe(1);
    await service.ingest({ namespace: 'docs', sources: ['A text.'] });
    expect(await schedulesOf(service)).toEqual([]);
  });
});

it('the result of a cancelled job has a row for every stored document, and nothing is stored after the response', async () => {
  const service = await startService();
  const sources = Array.from({ length: 60 }, (_, number) => ({
    text: `Text number ${number}. ${'Filling. '.repeat(200)}`,
    title: `T${number}`,
  }));
  const id = await start(service, { sources });
  await expect.poll(async () => (await job(service, id)).added).toBeGreaterThan(0);
  const { results } = await cancel(service, id);
  const stored = async () =>
    (await service.get('/api/namespaces/docs/documents?perPage=500')).body.total;
  expect(results.length).toBe(await stored());
  await run(service, 'Another text.');
  expect(await stored()).toBe(results.length + 1);
});

it('deleting a namespace deletes its jobs, even before they store anything', async () => {
  const silent = await startHangingSite();
  const service = await startService({ ALLOWED_URL_HOSTS: silent.host });
  const id = await start(service, { sources: [`${silent.url}/`] });
  expect((await service.delete('/api/namespaces/docs')).status).toBe(200);
  expect((await job(service, id)).code).toBe('job_not_found');
  expect((await service.get('/api/namespaces')).body.namespaces).toMatchObject([
    { name: 'default' },
  ]);
});

describe('GET /api/namespaces/{namespace}/jobs', () => {
  it('returns jobs newest first with the failed sources that no newer job has read', async () => {
    const service = await startService({}, { 'other/a.md': '# A\n\nText.' });
    const first = await run(service, 'The first text.', './refused.md', './other.md');
    const second = await run(service, './refused.md');
    const { jobs } = (await service.get('/api/namespaces/docs/jobs')).body;
    expect(jobs).toMatchObject([
      { id: second, failed: 1, results: [{ source: './refused.md', status: 'failed' }] },
      { id: first, added: 1, failed: 2, results: [{ source: './other.md', status: 'failed' }] },
    ]);
    expect((await service.get('/api/namespaces/other/jobs')).body.jobs).toEqual([]);
  });

  it('returns the reads of one document, failed ones included', async () => {
    const site = await startSite({ '/a': page('A', '<p>Offers end in May.</p>') });
    const service = await startService({ ALLOWED_URL_HOSTS: site.host });
    await run(service, `${site.url}/a`, 'Another text.');
    const { documents } = (await service.get('/api/namespaces/docs/documents?query=a')).body;
    const { id } = documents.find(({ kind }: { kind: string }) => kind === 'url');
    await site.close();
    await run(service, `${site.url}/a`);
    const { jobs } = (await service.get(`/api/namespaces/docs/jobs?document=${id}`)).body;
    expect(
      jobs.map(({ results }: { results: { status: string }[] }) =>
        results.map(({ status }) => status),
      ),
    ).toEqual([['failed'], ['added']]);
  });
});
