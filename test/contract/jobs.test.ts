import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseConfig } from '../../src/config.ts';
import { Context } from '../../src/context.ts';
import { Job } from '../../src/ingest/jobs/job.ts';
import { JobRows } from '../../src/records/job-tables.ts';
import { page, startSite } from '../support/site.ts';
import { storeIn } from '../support/state.ts';
import { reopened, startService, type TestService, writeFiles } from '../support/workspace.ts';

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
const cancel = async (service: TestService, id: string) =>
  (await service.delete(`/api/jobs/${id}`)).body;
/** Events of a stream, as [name, parsed data]. */
const eventsOf = (text: string) =>
  text
    .split('\n\n')
    .filter((event) => event.startsWith('event:'))
    .map(
      (event) =>
        [
          /^event: (.*)$/m.exec(event)?.[1],
          JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? 'null'),
        ] as const,
    );

/** Accepts requests and never answers. */
const startHangingSite = () => startSite({}, () => () => undefined);

describe('"wait": false', () => {
  it('returns a job at once that ends with the same rows as the waiting call', async () => {
    const service = await startService();
    const sources = [
      'The first text.',
      { text: 'The second text.', title: 'Second' },
      './refused.md',
    ];
    const id = await start(service, { sources });
    const done = await ended(service, id);
    expect(done).toMatchObject({
      id,
      namespace: 'docs',
      status: 'completed',
      added: 2,
      failed: 1,
      current: null,
    });
    expect(done.stages).toEqual({
      waiting: 0,
      loading: 0,
      parsing: 0,
      storing: 0,
      indexing: 0,
      done: 3,
    });
    expect(Date.parse(done.finishedAt)).toBeGreaterThanOrEqual(Date.parse(done.startedAt));
    const { body } = await service.ingest({ namespace: 'docs', sources });
    const withoutStatus = (rows: { status: string }[]) => rows.map(({ status: _, ...row }) => row);
    expect(withoutStatus(done.results)).toEqual(withoutStatus(body.results));
    expect((await service.find({ namespace: 'docs', query: 'second' })).body.results).toHaveLength(
      1,
    );
  });
});

describe('a running job', () => {
  it('reports stages and the current source; DELETE stops it and keeps stored documents', async () => {
    const silent = await startHangingSite();
    const service = await startService({ ALLOWED_URL_HOSTS: silent.host });
    const id = await start(service, { sources: ['A text that is done.', `${silent.url}/`] });
    for (;;) {
      const current = await job(service, id);
      if (current.added === 1 && silent.requests.length > 0) break;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const current = await job(service, id);
    expect(current).toMatchObject({
      status: 'running',
      current: `${silent.url}/`,
      finishedAt: null,
    });
    expect(current.stages).toMatchObject({ waiting: 0, loading: 1, done: 1 });
    expect(await cancel(service, id)).toMatchObject({ status: 'cancelled', added: 1, failed: 0 });
    expect((await job(service, id)).status).toBe('cancelled');
    expect((await cancel(service, id)).status).toBe('cancelled');
    expect((await service.find({ namespace: 'docs', query: 'text' })).body.results).toHaveLength(1);
  });

  it('streams earlier rows first, then its progress, and ends the stream with its final state', async () => {
    const site = await startSite({}, (path) =>
      path.startsWith('/p')
        ? page(path, `Text of ${path}.`, [`${path}1`, `${path}2`])
        : path === '/'
          ? page('Home', 'Welcome.', ['/p'])
          : undefined,
    );
    const service = await startService({ ALLOWED_URL_HOSTS: site.host });
    const id = await start(service, {
      sources: [{ url: `${site.url}/`, crawl: { maxPages: 12, maxDepth: 5 } }],
    });
    const response = await service.request(`/api/jobs/${id}/events`);
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    const events = eventsOf(await response.text());
    const names = events.map(([name]) => name);
    expect(names.filter((name) => name === 'result')).toHaveLength(12);
    expect(names.at(-1)).toBe('end');
    expect(
      new Set(events.filter(([name]) => name === 'result').map(([, row]) => row.source)).size,
    ).toBe(12);
    expect(events.at(-1)?.[1]).toMatchObject({ id, status: 'completed', added: 12 });
    const late = eventsOf(await (await service.request(`/api/jobs/${id}/events`)).text());
    expect(late.map(([name]) => name)).toEqual([
      ...Array.from({ length: 12 }, () => 'result'),
      'end',
    ]);
  });
});

describe('a job that two crashes interrupted', () => {
  it('fails the source that was read on its own and reads the others', async () => {
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
    const lines = await kept.query<{ line: string }>(
      'SELECT line FROM job_lines ORDER BY position',
    );
    const begun = lines.filter(({ line }) => line.includes('"line":"begun"'));
    expect(begun).toHaveLength(4);
  });
});

describe('a job is not found', () => {
  it('under an unknown id, for a caller without its namespace, or through a path', async () => {
    const service = await startService({ API_KEYS: 'all,one=hr' });
    const id = await start(service, { sources: ['A text.'] }, { 'x-api-key': 'all' });
    const code = async (path: string, method: string, key: string) => {
      const response = await service.request(path, { method, headers: { 'x-api-key': key } });
      return [response.status, JSON.parse(await response.text()).code];
    };
    for (const [path, method] of [
      [`/api/jobs/${id}`, 'GET'],
      [`/api/jobs/${id}`, 'DELETE'],
      [`/api/jobs/${id}/events`, 'GET'],
    ] as const)
      expect(await code(path, method, 'one')).toEqual([404, 'job_not_found']);
    for (const unknown of [
      'nothing',
      '..%2f..%2fetc%2fpasswd',
      '00000000-0000-0000-0000-000000000000',
    ])
      expect(await code(`/api/jobs/${unknown}`, 'GET', 'all')).toEqual([404, 'job_not_found']);
  });
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
    const schedules = async () =>
      (await service.get('/api/namespaces')).body.namespaces.find(
        (namespace: { name: string }) => namespace.name === 'docs',
      ).schedules;
    await schedule('/a', '24h');
    await schedule('/b', '90m');
    expect(await schedules()).toMatchObject([
      { source: `${site.url}/a`, refreshEvery: '1d' },
      { source: `${site.url}/b`, refreshEvery: '90m' },
    ]);
    await schedule('/a', 'off');
    expect(await schedules()).toMatchObject([{ source: `${site.url}/b` }]);
    const [{ id } = { id: '' }] = (
      await service.get('/api/namespaces/docs/documents')
    ).body.documents.filter((document: { title: string }) => document.title === 'B');
    await service.delete(`/api/namespaces/docs/documents/${id}`);
    expect(await schedules()).toEqual([]);
    for (const wrong of ['1s', '0h', 'daily', '99999d'])
      expect((await schedule('/a', wrong)).status).toBe(400);
  });

  it('ends by the id of its schedule, for callers with the namespace; the document stays', async () => {
    const site = await startSite({ '/a': page('A', 'Alpha.') });
    const service = await startService({
      ALLOWED_URL_HOSTS: site.host,
      API_KEYS: 'all,own=docs,other=hr',
    });
    const sources = [{ url: `${site.url}/a`, refreshEvery: '24h' }];
    await service.ingest({ namespace: 'docs', sources }, { 'x-api-key': 'own' });
    const shown = async () =>
      (await service.get('/api/namespaces', { 'x-api-key': 'own' })).body.namespaces[0];
    const [{ id, source }] = (await shown()).schedules;
    const end = (namespace: string, scheduleId: string, key: string) =>
      service.delete(`/api/namespaces/${namespace}/schedules/${scheduleId}`, { 'x-api-key': key });
    const codeOf = async (...parameters: Parameters<typeof end>) =>
      (await end(...parameters)).body.code;
    expect(await codeOf('docs', id, 'other')).toBe('namespace_not_allowed');
    expect(await codeOf('docs', '..%2f..%2f', 'own')).toBe('schedule_not_found');
    expect(await codeOf('default', id, 'all')).toBe('schedule_not_found');
    expect((await shown()).schedules).toHaveLength(1);
    expect(await end('docs', id, 'own')).toMatchObject({
      status: 200,
      body: { namespace: 'docs', deleted: { id, source: `${site.url}/a` } },
    });
    expect(source).toBe(`${site.url}/a`);
    expect(await shown()).toMatchObject({ documents: 1, schedules: [] });
  });

  it('survives the loss of INDEX_DIR, and rejects texts and failed sources', async () => {
    const service = await startService();
    await writeFiles(service.folder, { 'files/a.md': '# A\n\nText.' });
    const other = await startService({ ALLOWED_FILE_ROOTS: `${service.folder}/files` });
    const post = (source: object) => other.ingest({ namespace: 'docs', sources: [source] });
    await post({ path: `${service.folder}/files/a.md`, refreshEvery: '1h' });
    await post({ path: `${service.folder}/files/none.md`, refreshEvery: '1h' });
    expect((await post({ text: 'x', refreshEvery: '1h' })).status).toBe(400);
    await other.close();
    const restarted = new Context(
      parseConfig({
        KNOWLEDGE_DIR: other.knowledgeDir,
        STATE_DIR: `${other.folder}/index`,
        INDEX_DIR: `${other.folder}/elsewhere`,
        LOG_LEVEL: 'silent',
      }),
    );
    onTestFinished(() => restarted.close());
    await restarted.open();
    expect((await restarted.api.documents.schedules()).get('docs')).toMatchObject([
      { source: 'a.md', refreshEvery: '1h' },
    ]);
  });
});

describe('the result of a cancelled job', () => {
  it('has a row for every stored document, and nothing is stored after the response', async () => {
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
    await ended(service, await start(service, { sources: ['Another text.'] }));
    expect(await stored()).toBe(results.length + 1);
  });
});

describe('deleting a namespace', () => {
  it('deletes its jobs, even before they store anything', async () => {
    const silent = await startHangingSite();
    const service = await startService({ ALLOWED_URL_HOSTS: silent.host });
    const id = await start(service, { sources: [`${silent.url}/`] });
    expect((await service.delete('/api/namespaces/docs')).status).toBe(200);
    expect((await job(service, id)).code).toBe('job_not_found');
    expect((await service.get('/api/namespaces')).body.namespaces).toMatchObject([
      { name: 'default' },
    ]);
  });
});

describe('GET /api/namespaces/{namespace}/jobs', () => {
  it('returns jobs newest first with the failed sources that no newer job has read', async () => {
    const service = await startService({}, { 'other/a.md': '# A\n\nText.' });
    const first = await start(service, {
      sources: ['The first text.', './refused.md', './other.md'],
    });
    await ended(service, first);
    const second = await start(service, { sources: ['./refused.md'] });
    await ended(service, second);
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
    const sources = [`${site.url}/a`, 'Another text.'];
    await ended(service, await start(service, { sources }));
    const { documents } = (await service.get('/api/namespaces/docs/documents?query=a')).body;
    const { id } = documents.find(({ kind }: { kind: string }) => kind === 'url');
    await site.close();
    await ended(service, await start(service, { sources: [`${site.url}/a`] }));
    const { jobs } = (await service.get(`/api/namespaces/docs/jobs?document=${id}`)).body;
    expect(
      jobs.map(({ results }: { results: { status: string }[] }) =>
        results.map(({ status }) => status),
      ),
    ).toEqual([['failed'], ['added']]);
  });
});
