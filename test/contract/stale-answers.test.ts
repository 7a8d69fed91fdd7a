import { describe, expect, it } from 'vitest';
import { readCursor } from '../../src/records/cursor.ts';
import { StaleAnswers } from '../../src/records/stale-answers.ts';
import { bearerOf, jwtSecret } from '../support/tokens.ts';
import { startService, type TestService, writeFiles } from '../support/workspace.ts';

const refunds = (days: string) =>
  `# Refunds\n\n## Window\n\nRefunds are paid within ${days} of purchase. Write to billing@example.com.\n\n## Fees\n\nA handling fee of 3 EUR is kept back.\n`;
const files = {
  'docs/refunds.md': refunds('30 days'),
  'docs/leave.md': '# Leave\n\nEmployees have 26 days of paid leave per year.\n',
};
const ask = async (
  service: TestService,
  question: string,
  headers: Record<string, string> = {},
  namespace = 'docs',
) =>
  (await service.generate({ messages: `@agent ${question}`, toolParams: { namespace } }, headers))
    .body;

/** Rewrites a file of the namespace, and waits until the server has read it. */
async function write(service: TestService, file: string, text: string): Promise<void> {
  await writeFiles(service.knowledgeDir, { [`docs/${file}`]: text });
  await (await service.namespaces.get('docs')).refresh(file);
}

async function setUp(settings: Record<string, string> = {}) {
  const service = await startService(settings, files);
  const list = async (query = '', headers: Record<string, string> = {}) =>
    (await service.get(`/api/answers${query}`, headers)).body;
  return { service, list };
}

describe('stored answers', () => {
  it('are listed newest first with their ratings, without refusals and small talk', async () => {
    const { service, list } = await setUp();
    const first = await ask(service, 'how long do refunds take?');
    for (const question of ['who feeds the office cat?', 'thank you so much!'])
      await ask(service, question);
    const second = await ask(service, 'how many days of paid leave do employees have?');
    await service.post(`/api/answers/${first.runId}/feedback`, { rating: 'down' });
    const { answers, ...rest } = await list();
    expect(rest).toEqual({ lookedAt: 2, isPartial: false });
    expect(answers).toEqual([
      expect.objectContaining({
        runId: second.runId,
        state: 'holds',
        feedback: { up: 0, down: 0 },
        changed: [],
      }),
      {
        runId: first.runId,
        namespace: 'docs',
        askedAt: expect.stringMatching(/^20\d\d-/),
        question: 'how long do refunds take?',
        text: first.text,
        state: 'holds',
        feedback: { up: 0, down: 1 },
        changed: [],
      },
    ]);
    const [{ id }] = (await service.get('/api/namespaces/docs/documents?query=leave')).body
      .documents;
    expect((await list(`?document=${id}`)).answers).toMatchObject([{ runId: second.runId }]);
    expect((await list('?document=unknown')).answers).toEqual([]);
    expect(await list('?limit=1')).toMatchObject({
      answers: [{ runId: second.runId }],
      lookedAt: 1,
      isPartial: true,
    });
    expect(await list('?state=stale')).toEqual({ answers: [], lookedAt: 2, isPartial: false });
  });

  it('are checked without reading unchanged documents, and each changed one is read once', async () => {
    const { service } = await setUp();
    for (const question of [
      'how long do refunds take?',
      'within how many days are refunds paid?',
      'how many days of paid leave do employees have?',
    ])
      await ask(service, question);
    await write(service, 'refunds.md', refunds('14 days'));
    const read: string[] = [];
    const { documents, answers } = service.api;
    const listing = new StaleAnswers(answers, {
      find: (...which) => documents.find(...which),
      readIfThere(namespace, id) {
        read.push(id);
        return documents.readIfThere(namespace, id);
      },
    });
    const { answers: found } = await listing.list({
      namespaces: undefined,
      callerId: '',
      state: 'all',
      limit: 50,
    });
    expect(found.map(({ state }) => state)).toEqual(['holds', 'stale', 'stale']);
    expect(read).toHaveLength(1);
  });

  it('continue after the last answer that was read, even without a listed one', async () => {
    const { service } = await setUp();
    for (const question of ['how long do refunds take?', 'who feeds the office cat?'])
      await ask(service, question);
    const { documents, answers } = service.api;
    const leaving = new AbortController();
    async function* newest(...asked: Parameters<typeof answers.newest>) {
      for await (const one of answers.newest(...asked)) {
        yield one;
        leaving.abort();
      }
    }
    const all = { namespaces: undefined, callerId: '', state: 'all', limit: 50 } as const;
    const listing = new StaleAnswers({ newest }, documents);
    const { nextCursor = '', ...first } = await listing.list({ ...all, signal: leaving.signal });
    expect(first).toEqual({ answers: [], lookedAt: 0, isPartial: true });
    const cursor = readCursor('listAnswers', nextCursor);
    expect(cursor).toHaveLength(1);
    const next = await listing.list({ ...all, cursor });
    expect([next.answers.length, next.isPartial]).toEqual([1, false]);
  });
});

describe('access to stored answers', () => {
  it('is limited to the namespaces of a key', async () => {
    const service = await startService(
      { API_KEYS: 'docs-key=docs:read+admin,hr-key=hr:admin,all-key' },
      { ...files, 'hr/leave.md': files['docs/leave.md'] },
    );
    const list = async (query: string, key: string) =>
      service.get(`/api/answers${query}`, { 'x-api-key': key });
    for (const namespace of ['docs', 'hr'])
      await ask(service, 'how many days of paid leave?', { 'x-api-key': 'all-key' }, namespace);
    for (const [key, namespaces] of [
      ['docs-key', ['docs']],
      ['hr-key', ['hr']],
      ['all-key', ['hr', 'docs']],
    ] as const)
      expect((await list('', key)).body.answers).toMatchObject(
        namespaces.map((namespace) => ({ namespace })),
      );
    for (const name of ['hr', 'none'])
      expect((await list(`?namespace=${name}`, 'docs-key')).body.code).toBe('namespace_not_found');
    expect((await list('?namespace=hr', 'all-key')).body.answers).toHaveLength(1);
  });

  it('is limited to the user for an answer about calls, which never becomes stale', async () => {
    const service = await startService({ JWT_SECRET: jwtSecret, CALLS_TOOLS: 'true' }, files);
    const alice = await bearerOf({ sub: 'elena.petrova' });
    const answer = await ask(service, 'how many calls did I have?', alice);
    expect(answer).toMatchObject({
      answered: true,
      citations: [{ documentId: expect.stringMatching(/^calls:/) }],
    });
    const listed = async (headers: Record<string, string>) =>
      (await service.get('/api/answers', headers)).body.answers;
    expect(await listed(alice)).toMatchObject([{ runId: answer.runId, state: 'holds' }]);
    expect(await listed(await bearerOf({ sub: 'liam.murphy' }))).toEqual([]);
  });
});
