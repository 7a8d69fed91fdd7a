import { describe, expect, it, vi } from 'vitest';
import { AnswerLog } from '../../src/records/answer-log.ts';
import { AnswerRows } from '../../src/records/answer-tables.ts';
import { GapDesk } from '../../src/records/gap-desk.ts';
import { createHandOffs } from '../../src/records/hand-off-table.ts';
import { answered, unanswered } from '../support/answer-entries.ts';
import { engines } from '../support/state.ts';
import { startService, type TestService } from '../support/workspace.ts';

const all = () => true;
const day = (number: number) => new Date(Date.UTC(2026, 0, number));

describe.each(engines)('gaps in %s', (_name, createPlace) => {
  async function setUp() {
    const place = await createPlace();
    const store = place();
    let now = day(1);
    const clock = () => now;
    const open = () =>
      new AnswerLog({
        rows: new AnswerRows(store),
        maxAnswers: 100,
        clock,
        onWarning: (message, error) => {
          throw error ?? new Error(message);
        },
      });
    const log = open();
    const keep = async (...entries: Parameters<AnswerLog['keep']>[0][]) => {
      for (const entry of entries) {
        log.keep(entry);
        await log.settled();
      }
    };
    let runs = 0;
    const ask = (...questions: string[]) =>
      keep(...questions.map((question) => unanswered(`ask-${runs++}`, question)));
    const gaps = () => log.gaps(all);
    return {
      ...{ store, log, keep, ask, gaps, open },
      desk: new GapDesk(store, clock),
      setDay: (number: number) => {
        now = day(number);
      },
    };
  }

  it('group questions that share most of their rare words, and no others', async () => {
    const { ask, gaps } = await setUp();
    await ask(
      'How do I remove paint from a wooden floor?',
      'how can I remove old paint from the wooden floors',
      'How do I remove paint from hair?',
    );
    expect((await gaps()).map(({ count }) => count)).toEqual([2, 1]);
  });

  it('keep namespaces apart, and name the entry points', async () => {
    const { keep, gaps } = await setUp();
    const question = 'how do I remove paint from a wooden floor?';
    await keep(
      unanswered('a', question, { entryPoint: 'generate' }),
      unanswered('b', question, { entryPoint: 'chat webhook' }),
      unanswered('c', `${question} please`, { entryPoint: 'chat webhook' }),
      unanswered('d', question, { namespace: 'hr', entryPoint: 'mcp' }),
    );
    const ways = [
      { entryPoint: 'chat webhook', count: 2 },
      { entryPoint: 'generate', count: 1 },
    ];
    expect(await gaps()).toMatchObject([
      { namespace: 'docs', ways },
      { namespace: 'hr', ways: [{ entryPoint: 'mcp', count: 1 }] },
    ]);
  });

  it('are merged and split by hand, and keep what was decided', async () => {
    const { ask, gaps, desk } = await setUp();
    await ask('who feeds the zebra at night?', 'where are vouchers sent?');
    const [one, other] = await gaps();
    await desk.draft(one?.id ?? '', { text: 'Ann does.', author: 'Bob' });
    await desk.merge(one?.id ?? '', other?.id ?? '');
    await ask('who feeds the zebra at night?');
    const [merged, ...none] = await gaps();
    expect(merged).toMatchObject({ count: 3, state: 'drafted', drafts: [{ text: 'Ann does.' }] });
    expect(none).toEqual([]);
    const id = merged?.id ?? '';
    const unknown = { code: 'invalid_request' };
    await expect(desk.split(id, ['something else'])).rejects.toMatchObject(unknown);
    const split = await desk.split(id, ['where are vouchers sent?']);
    await ask('where are the vouchers sent to?');
    expect(await gaps()).toMatchObject([
      { id: split, count: 2 },
      { id, count: 2 },
    ]);
    await expect(desk.merge(split, 'none')).rejects.toMatchObject({ code: 'gap_not_found' });
  });

  it('with drafts stay until a reviewer decides, and open again if the answer does not help', async () => {
    const { ask, gaps, desk, keep, log } = await setUp();
    await ask('who feeds the zebra?');
    const id = (await gaps())[0]?.id ?? '';
    await desk.draft(id, { text: 'Ann does.', author: 'Bob' });
    await keep(answered('later', { question: 'who feeds the zebra?' }));
    const [drafted] = await gaps();
    expect(drafted).toMatchObject({ state: 'drafted', drafts: [{ text: 'Ann does.' }] });
    const draftId = drafted?.drafts[0]?.id ?? '';
    await desk.approve(draftId, { document: 'doc', text: 'Ann feeds it.', author: 'Bob' });
    expect((await gaps())[0]).toMatchObject({
      state: 'answered',
      drafts: [{ text: 'Ann feeds it.', document: 'doc' }],
    });
    await ask('who feeds the zebra');
    expect((await gaps())[0]).toMatchObject({ state: 'open', count: 2 });
    await desk.setState(id, 'dismissed');
    await ask('who feeds the zebra');
    expect((await gaps())[0]).toMatchObject({ state: 'dismissed', count: 3 });
    await log.forgetDocument('doc');
    expect((await gaps())[0]?.drafts).toEqual([]);
  });

  it('are grouped at the start if an earlier version stored them', async () => {
    const { ask, gaps, store, open } = await setUp();
    await ask(
      'How do I remove paint from a wooden floor?',
      'removing old paint from the wooden floor',
    );
    await store.query('UPDATE gaps SET gap_group = NULL');
    await store.query('DELETE FROM gap_groups');
    await open().open();
    expect((await gaps()).map(({ id, count }) => [id.length > 9, count])).toEqual([[true, 2]]);
  });

  it('have a draft from a reply in the thread of a hand-off, once and within the hours', async () => {
    const { ask, gaps, desk, store, setDay, keep } = await setUp();
    await ask('who feeds the zebra?');
    const handOffs = createHandOffs(store);
    const handOff = {
      ...{ runId: 'run', namespace: 'docs', question: 'Who feeds the zebra?', closest: [] },
      ...{ thread: 't1', resource: 'carl', trigger: 'refusal', reason: 'no_context' },
    };
    await handOffs.keep(handOff, { caller: 'a', createdAt: day(1).toISOString() });
    const text = 'Carl, Ann does: ann@zoo.example';
    const reply = { id: 'm1', thread: 't1', text, author: 'Eve' };
    expect(await desk.addReply({ ...reply, thread: 't2' }, 24)).toBe(false);
    expect(await desk.addReply(reply, 24)).toBe(true);
    expect(await desk.addReply(reply, 24)).toBe(true);
    const draft = { author: 'Eve', personal: ['carl', 'ann@zoo.example'] };
    expect(await gaps()).toMatchObject([{ state: 'drafted', count: 1, drafts: [draft] }]);
    setDay(3);
    expect(await desk.addReply({ ...reply, id: 'm2' }, 24)).toBe(false);
    const answeredRun = { ...handOff, runId: 'shown', thread: 't3', question: 'where is the zoo?' };
    await handOffs.keep(answeredRun, { caller: 'a', createdAt: day(3).toISOString() });
    await keep(answered('shown', { question: 'where is the zoo?' }));
    expect(await desk.addReply({ ...reply, thread: 't3' }, 24)).toBe(true);
    expect((await gaps()).map(({ question }) => question)).toEqual([
      'where is the zoo?',
      'who feeds the zebra?',
    ]);
    expect(await desk.addReply({ ...reply, text: 'Bob does.', isEdited: true }, 24)).toBe(true);
    expect((await gaps())[1]?.drafts).toMatchObject([{ text: 'Bob does.' }]);
    expect([await desk.removeReply(reply), await desk.removeReply(reply)]).toEqual([true, false]);
    expect((await gaps())[1]).toMatchObject({ state: 'open', drafts: [] });
  });

  it('are counted per week and namespace like answers, without texts', async () => {
    const { ask, keep, log, store, desk, gaps, setDay } = await setUp();
    setDay(7);
    await ask('who feeds the zebra?');
    const request = {
      ...{ purpose: 'answer' as const, model: 'm', outcome: 'answered', ms: 1 },
      ...{ inputTokens: 1, outputTokens: 1 },
    };
    const of = (runId: string, requests: number, totalTokens: number) =>
      answered(runId, {
        answer: { reason: 'answered', text: 'x', citations: [], usage: { totalTokens } },
        check: { ...answered('x').check, requests: Array(requests).fill(request) },
      });
    await keep(of('a', 1, 1_234), of('b', 3, 5_678), of('c', 3, 5_700));
    await keep(answered('t', { answer: { reason: 'small_talk', text: 'Hi' } }));
    await log.addFeedback('a', 'x', { rating: 'down' });
    await log.addFeedback('a', 'x', { rating: 'up' });
    const handOffs = createHandOffs(store);
    const run = { runId: 'a', namespace: 'docs', question: 'q', closest: [], reason: 'answered' };
    const caller = { caller: 'x', createdAt: day(7).toISOString() };
    await handOffs.keep(run, caller);
    await handOffs.keep({ ...run, runId: 'held' }, { ...caller, holdMs: 1_000 });
    await handOffs.release('held');
    await desk.setState((await gaps())[0]?.id ?? '', 'dismissed');
    setDay(14);
    await keep(answered('d', { namespace: 'hr' }));
    const none = { questions: 0, answered: 0, closest: 0, refused: 0, handedOff: 0, rated: 0 };
    expect(await log.weeks(all)).toEqual([
      {
        ...{ ...none, namespace: 'hr', week: '2026-01-12', questions: 1, answered: 1 },
        ...{ medianRequests: 0, medianTokens: 0, resolved: 1, gapsOpened: 0, gapsClosed: 0 },
      },
      {
        ...{ ...none, namespace: 'docs', week: '2026-01-05', questions: 4, answered: 3 },
        ...{ refused: 1, handedOff: 1, rated: 1, medianRequests: 1, medianTokens: 1_200 },
        ...{ resolved: 0.5, gapsOpened: 2, gapsClosed: 2 },
      },
    ]);
    expect(await log.weeks((namespace) => namespace === 'hr')).toHaveLength(1);
    await log.forgetNamespace('docs');
    expect(await log.weeks(all)).toHaveLength(1);
  });
});

describe('a gap over HTTP', () => {
  const files = { 'docs/a.md': '# Parcels\n\nParcels are sent daily.', 'hr/b.md': 'B.' };
  const question = 'Who feeds the office zebra?';
  const settings = { API_KEYS: 'all,hr=hr:admin' };
  const headers = { 'x-api-key': 'all' };
  const send = (service: TestService, path: string, body: object = {}) =>
    service.post(path, body, headers);
  const generate = async (service: TestService) =>
    (
      await send(service, '/api/agents/knowledge/generate', {
        messages: `@agent ${question}`,
        toolParams: { namespace: 'docs' },
      })
    ).body;
  const documentsOf = async ({ get }: TestService) =>
    (await get('/api/namespaces/docs/documents', headers)).body.documents;
  const listed = async (service: TestService, state = 'all') =>
    (await service.get(`/api/gaps?state=${state}`, headers)).body.gaps;
  async function withGap() {
    const service = await startService(settings, files);
    await generate(service);
    const [{ id }] = await listed(service);
    const path = `/api/gaps/${id}`;
    const draft = (text: string) => send(service, `${path}/draft`, { text, author: 'Bob' });
    const approve = (body = {}) => send(service, `${path}/approve`, body);
    return { service, id, path, draft, approve };
  }
  const text = 'The zebra is fed by Ann: ann@zoo.example, +49 30 1234567.';

  it('goes from a draft over a review to an answer, and is hidden until then', async () => {
    const { service, id, draft, approve } = await withGap();
    const personal = ['ann@zoo.example', '+49 30 1234567'];
    expect((await draft(text)).body.gap).toMatchObject({
      ...{ id, state: 'drafted', ways: [{ entryPoint: 'generate', count: 1 }] },
      drafts: [{ text, author: 'Bob', document: null, personal }],
    });
    expect((await generate(service)).answered).toBe(false);
    const reviewed = 'The office zebra is fed by Ann.';
    // The draft has personal data, so its text must be reviewed.
    expect((await approve()).status).toBe(400);
    const { status, body } = await approve({ text: reviewed });
    expect([status, body.gap.state]).toEqual([200, 'answered']);
    const file = await service.storedText('docs', body.document.file);
    expect(body.document.file).toMatch(/^answers\/who-feeds-the-office-zebra-[0-9a-f]{12}\.md$/);
    expect(file).toContain(`question: ${question}\n`);
    expect(file).toContain('author: Bob\n');
    expect(file).not.toContain('zoo.example');
    expect(await generate(service)).toMatchObject({
      ...{ answered: true, text: expect.stringContaining(reviewed) },
      citations: [{ documentId: body.document.id }],
    });
    expect(await listed(service, 'unanswered')).toEqual([]);
    await draft('Carl feeds the office zebra.');
    await approve();
    const again = await service.storedText('docs', body.document.file);
    const [time] = /(?<=^fetchedAt: )\S+$/m.exec(file) ?? [];
    expect(again).toContain(`replaces: ${body.document.file}, ${time}\n`);
    expect(again).toContain('Carl feeds');
  });

  it('names the document that an approval replaces, and refuses an unknown one', async () => {
    const { service, draft, approve } = await withGap();
    await draft('Ann feeds the office zebra.');
    const unknown = await approve({ replaces: 'a'.repeat(12) });
    expect([unknown.status, unknown.body.code]).toEqual([404, 'document_not_found']);
    const [{ id }] = await documentsOf(service);
    const { body } = await approve({ replaces: id });
    const file = await service.storedText('docs', body.document.file);
    expect(file).toContain('replaces: a.md, undated\n');
  });

  it('is approved once after a crash between its document and its state', async () => {
    const { service, id, draft, approve } = await withGap();
    await draft(text);
    const killed = vi.spyOn(service.api.gapDesk, 'approve').mockRejectedValue(new Error('killed'));
    expect((await approve({ text })).status).toBe(500);
    killed.mockRestore();
    expect(await listed(service)).toMatchObject([{ id, state: 'drafted' }]);
    const { body } = await approve({ text });
    expect(body.gap).toMatchObject({ state: 'answered', drafts: [{ document: body.document.id }] });
    expect(await documentsOf(service)).toHaveLength(2);
  });

  it('keeps its draft while it is dismissed and opened again, and refuses an unknown draft', async () => {
    const { service, path, draft, approve } = await withGap();
    await draft(text);
    for (const [work, state] of [
      ['dismiss', 'dismissed'],
      ['reopen', 'drafted'],
    ])
      expect((await send(service, `${path}/${work}`)).body.gap.state).toBe(state);
    expect((await approve({ draft: 'none' })).body.code).toBe('draft_not_found');
  });

  it('is counted in the figures, as JSON and CSV', async () => {
    const { service } = await withGap();
    const read = (query: string, key = 'all') =>
      service.request(`/api/insights${query}`, { headers: { 'x-api-key': key } });
    const { weeks } = (await (await read('')).json()) as any;
    expect(weeks).toMatchObject([{ namespace: 'docs', questions: 1, refused: 1, gapsOpened: 1 }]);
    const csv = await read('?format=csv&namespace=docs');
    expect(csv.headers.get('content-type')).toContain('text/csv');
    expect((await csv.text()).split('\r\n')).toEqual([
      'namespace,week,questions,answered,closest,refused,handedOff,rated,medianRequests,medianTokens,resolved,gapsOpened,gapsClosed',
      `docs,${weeks[0].week},1,0,0,1,0,0,0,0,0,1,0`,
      '',
    ]);
    expect(((await (await read('', 'hr')).json()) as any).weeks).toEqual([]);
  });
});
