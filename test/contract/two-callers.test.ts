/** Two callers, each with its own namespace: a flood of one does not remove data of the other. */
import { expect, it } from 'vitest';
import { startService, type TestService } from '../support/workspace.ts';

const keys = 'root-key,ann-key=docs:read+write+calls,mallory-key=other:read+write+calls';
const generate = '/api/agents/knowledge/generate';
const ingest = '/api/tools/ingestSources';
const ann = { 'x-api-key': 'ann-key' };
const mallory = { 'x-api-key': 'mallory-key' };

const start = () =>
  startService(
    { API_KEYS: keys, LIMITS: 'answers=12,threads=10' },
    {
      'docs/refunds.md': '# Refunds\n\nRefunds are paid within 30 days of purchase.\n',
      'other/parking.md': '# Parking\n\nParking costs 4 euros an hour.\n',
    },
  );

async function finishedJob(service: TestService, id: string) {
  for (;;) {
    const { body } = await service.get(`/api/jobs/${id}`, ann);
    if (body.status !== 'queued' && body.status !== 'running') return body;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Stores data of Ann and returns the paths that read it. */
async function storeDataOfAnn(service: TestService) {
  const ask = (thread: string) => ({
    messages: '@agent within how many days are refunds paid?',
    toolParams: { namespace: 'docs' },
    memory: { thread },
  });
  const paths: string[] = [];
  for (const thread of ['one', 'two', 'three']) {
    const { body } = await service.post(generate, ask(thread), ann);
    expect(body.answered).toBe(true);
    await service.post(
      `/api/answers/${body.runId}/feedback`,
      { rating: 'up', comment: thread },
      ann,
    );
    paths.push(`/api/answers/${body.runId}`, `/api/memory/threads/${thread}/messages`);
  }
  const text = { title: 'Notice', text: 'The notice period is three months.' };
  const { body: report } = await service.post(ingest, { namespace: 'docs', sources: [text] }, ann);
  const { body: job } = await service.post(
    ingest,
    { namespace: 'docs', sources: ['A second text.'], wait: false },
    ann,
  );
  expect((await finishedJob(service, job.id)).status).toBe('completed');
  paths.push(
    `/api/namespaces/docs/documents/${report.results[0].document.id}`,
    '/api/namespaces/docs/documents',
    `/api/jobs/${job.id}`,
  );
  return paths;
}

const repeat = (times: number, work: (at: number) => Promise<unknown>) =>
  Promise.all(Array.from({ length: times }, (_, at) => work(at)));

const floods: Readonly<Record<string, (service: TestService) => Promise<unknown>>> = {
  'questions, each in its own thread': ({ post }) =>
    repeat(130, (at) =>
      post(
        generate,
        {
          messages: '@agent what does parking cost?',
          toolParams: { namespace: 'other' },
          memory: { thread: `t${at}` },
        },
        mallory,
      ),
    ),
  "questions under the names of the other caller's threads": ({ post }) =>
    repeat(30, () =>
      post(
        generate,
        {
          messages: '@agent what does parking cost?',
          toolParams: { namespace: 'other' },
          memory: { thread: 'one' },
        },
        mallory,
      ),
    ),
  "feedback on the other caller's answers": async ({ post }) =>
    repeat(30, () =>
      post(
        '/api/answers/not-known/feedback',
        { rating: 'down', comment: 'x'.repeat(2_000) },
        mallory,
      ),
    ),
  'jobs beyond the limit': ({ post }) =>
    repeat(110, (at) =>
      post(ingest, { namespace: 'other', sources: [`Text ${at}.`], wait: false }, mallory),
    ),
  'texts that are added and deleted with their namespace': async (service) => {
    const sources = Array.from({ length: 50 }, (_, at) => ({
      title: `Text ${at}`,
      text: `Content of text ${at}.`,
    }));
    await service.post(ingest, { namespace: 'other', sources }, mallory);
    await service.request('/api/namespaces/other', { method: 'DELETE', headers: mallory });
    await service.post(ingest, { namespace: 'other', sources }, mallory);
  },
  "deletions of the other caller's data": async ({ request }) => {
    const paths = [
      '/api/namespaces/docs',
      '/api/memory/threads/one',
      '/api/namespaces/docs/documents/x',
      '/api/namespaces/..%2fdocs',
    ];
    for (const path of paths)
      expect(
        (await request(path, { method: 'DELETE', headers: mallory })).status,
      ).toBeGreaterThanOrEqual(400);
  },
};

it.each(Object.keys(floods))(
  'all data of the other caller survives a flood of %s',
  async (name) => {
    const service = await start();
    const paths = await storeDataOfAnn(service);
    const read = () => Promise.all(paths.map((path) => service.get(path, ann)));
    const before = await read();
    expect(before.map(({ status }) => status)).toEqual(paths.map(() => 200));
    await floods[name]?.(service);
    expect((await read()).map(({ status, body }) => ({ status, body }))).toEqual(
      before.map(({ status, body }) => ({ status, body })),
    );
  },
);
