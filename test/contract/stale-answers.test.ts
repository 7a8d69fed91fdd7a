import { describe, expect, it } from 'vitest';
import { readCursor } from '../../src/records/cursor.ts';
import { StaleAnswers } from '../../src/records/stale-answers.ts';
import { bearerOf, jwtSecret } from '../support/tokens.ts';
import { startService, type TestService, writeFiles } from '../support/workspace.ts';

const refunds = (days: string) =>
  `# Refunds\n\nRefunds are paid within ${days} of purchase. Write to billing@example.com.\n`;
const files = {
  'docs/refunds.md': refunds('30 days'),
  'docs/leave.md': '# Leave\n\nEmployees have 26 days of paid leave per year.\n',
};
const refundsQuestion = 'how long do refunds take?';
const leaveQuestion = 'how many days of paid leave do employees have?';
const unanswerable = 'who feeds the office cat?';
const everything = { namespaces: undefined, callerId: '', state: 'all', limit: 50 } as const;

const ask = async (service: TestService, question: string, headers = {}, namespace = 'docs') =>
  (await service.generate({ messages: `@agent ${question}`, toolParams: { namespace } }, headers))
    .body;
const list = async ({ get }: TestService, query = '', headers = {}) =>
  (await get(`/api/answers${query}`, headers)).body;

describe('stored answers', () => {
  it('are listed newest first with their ratings, without refusals and small talk', async () => {
    const service = await startService({}, files);
    const first = await ask(service, refundsQuestion);
    for (const question of [unanswerable, 'thank you so much!']) await ask(service, question);
    const second = await ask(service, leaveQuestion);
    await service.post(`/api/answers/${first.runId}/feedback`, { rating: 'down' });
    const newest = { runId: second.runId, state: 'holds', feedback: { up: 0, down: 0 } };
    const { runId, text } = first;
    const rated = {
      ...{ runId, namespace: 'docs', question: refundsQuestion, text, changed: [] },
      ...{ askedAt: expect.stringMatching(/^20/), state: 'holds', feedback: { up: 0, down: 1 } },
    };
    const answers = [expect.objectContaining(newest), rated];
    expect(await list(service)).toEqual({ answers, lookedAt: 2, isPartial: false });
    const [{ id }] = (await service.get('/api/namespaces/docs/documents?query=leave')).body
      .documents;
    expect((await list(service, `?document=${id}`)).answers).toMatchObject([newest]);
    expect(await list(service, '?state=stale')).toMatchObject({ answers: [], lookedAt: 2 });
  });

  it('are checked without reading unchanged documents, and each changed one is read once', async () => {
    const service = await startService({}, files);
    for (const question of [refundsQuestion, 'within how many days are refunds paid?'])
      await ask(service, question);
    await ask(service, leaveQuestion);
    await writeFiles(service.knowledgeDir, { 'docs/refunds.md': refunds('14 days') });
    await (await service.namespaces.get('docs')).refresh('refunds.md');
    const read: string[] = [];
    const { documents, answers } = service.api;
    const listing = new StaleAnswers(answers, {
      find: (...which) => documents.find(...which),
      readIfThere(namespace, id) {
        read.push(id);
        return documents.readIfThere(namespace, id);
      },
    });
    const { answers: found } = await listing.list(everything);
    expect(found.map(({ state }) => state)).toEqual(['holds', 'stale', 'stale']);
    expect(read).toHaveLength(1);
  });

  it('continue after the last answer that was read, even without a listed one', async () => {
    const service = await startService({}, files);
    for (const question of [refundsQuestion, unanswerable]) await ask(service, question);
    const { documents, answers } = service.api;
    const leaving = new AbortController();
    async function* newest(...asked: Parameters<typeof answers.newest>) {
      for await (const one of answers.newest(...asked)) {
        yield one;
        leaving.abort();
      }
    }
    const listing = new StaleAnswers({ newest }, documents);
    const { signal } = leaving;
    const { nextCursor = '', ...first } = await listing.list({ ...everything, signal });
    expect(first).toEqual({ answers: [], lookedAt: 0, isPartial: true });
    const cursor = readCursor('listAnswers', nextCursor);
    expect(cursor).toHaveLength(1);
    const next = await listing.list({ ...everything, cursor });
    expect([next.answers.length, next.isPartial]).toEqual([1, false]);
  });
});

describe('access to stored answers', () => {
  it('is limited to the namespaces of a key', async () => {
    const service = await startService(
      { API_KEYS: 'hr=hr:admin,all' },
      { ...files, 'hr/leave.md': files['docs/leave.md'] },
    );
    const all = { 'x-api-key': 'all' };
    for (const namespace of ['docs', 'hr']) await ask(service, leaveQuestion, all, namespace);
    const [docs, hr] = [{ namespace: 'docs' }, { namespace: 'hr' }];
    expect((await list(service, '', { 'x-api-key': 'hr' })).answers).toMatchObject([hr]);
    expect((await list(service, '', all)).answers).toMatchObject([hr, docs]);
    expect((await list(service, '?namespace=docs', all)).answers).toMatchObject([docs]);
  });

  it('is limited to the user for an answer about calls, which never becomes stale', async () => {
    const service = await startService({ JWT_SECRET: jwtSecret, CALLS_TOOLS: 'true' }, files);
    const elena = await bearerOf({ sub: 'elena.petrova' });
    const { runId, citations } = await ask(service, 'how many calls did I have?', elena);
    expect(citations).toMatchObject([{ documentId: expect.stringMatching(/^calls:/) }]);
    expect((await list(service, '', elena)).answers).toMatchObject([{ runId, state: 'holds' }]);
    const liam = await bearerOf({ sub: 'liam.murphy' });
    expect((await list(service, '', liam)).answers).toEqual([]);
  });
});
