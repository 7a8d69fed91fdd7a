import { describe, expect, it } from 'vitest';
import { answered } from '../support/answer-entries.ts';
import { sharedService, startService, type TestService } from '../support/workspace.ts';

const refunds =
  '# Refunds\n\nRefunds are paid within 30 days of purchase.\n\n# Fees\n\nThe fee is 5 euros.\n';

const verify = (service: TestService, answer: unknown, headers?: Record<string, string>) =>
  service.post('/api/answers/verify', answer, headers);

const cited = { index: 1, documentId: 'x', quote: 'Pay.', start: 0, end: 4, revision: 'x' };

async function withAnswer(settings: Record<string, string> = {}) {
  const service = await startService(settings, {
    'docs/refunds.md': refunds,
    'hr/pay.md': '# Pay\n\nPay is monthly.\n',
  });
  const { body: answer } = await service.generate({
    messages: '@agent how long do refunds take?',
    toolParams: { namespace: 'docs' },
  });
  expect(answer.citations).toMatchObject([{ index: 1, file: 'refunds.md' }]);
  return { service, answer, citation: answer.citations[0] };
}

describe('POST /api/answers/verify', () => {
  it('returns holds for each citation of a new answer', async () => {
    const { service, answer, citation } = await withAnswer();
    const { status, body } = await verify(service, answer);
    expect([status, body]).toEqual([
      200,
      { citations: [{ index: 1, status: 'holds', start: citation.start, end: citation.end }] },
    ]);
  });

  it('returns gone for a missing namespace or document, and reads no file that the body names', async () => {
    const { service, answer, citation } = await withAnswer();
    const gone = [{ index: 1, status: 'gone' }];
    const elsewhere = { ...citation, documentId: '0'.repeat(20), file: 'refunds.md' };
    for (const more of [{ namespace: 'nowhere' }, { namespace: 'hr' }, { citations: [elsewhere] }])
      expect((await verify(service, { ...answer, ...more })).body.citations).toEqual(gone);
    const renamed = { ...citation, file: '../../../etc/passwd', source: 'x' };
    expect(
      (await verify(service, { namespace: 'docs', citations: [renamed] })).body.citations,
    ).toMatchObject([{ status: 'holds' }]);
  });

  it.each([
    ['no citations', {}],
    ['51 citations', { citations: Array(51).fill(cited) }],
    ['no document', { citations: [{ ...cited, documentId: undefined }] }],
  ])('rejects %s', async (_, body) => {
    const service = await sharedService();
    expect(await verify(service, body)).toMatchObject({
      status: 400,
      body: { code: 'invalid_request' },
    });
  });

  it('rejects an invalid namespace; citations of a forbidden namespace are gone, as in a missing one', async () => {
    const service = await startService({ API_KEYS: 'one=docs' }, { 'hr/pay.md': 'Pay.' });
    const verified = async (namespace: string) =>
      (await verify(service, { namespace, citations: [cited] }, { 'x-api-key': 'one' })).body;
    expect((await verified('../hr')).code).toBe('invalid_namespace');
    for (const namespace of ['hr', 'none', 'docs'])
      expect(await verified(namespace)).toEqual({ citations: [{ index: 1, status: 'gone' }] });
  });
});

describe('GET /api/answers/{runId}', () => {
  it('returns the unchanged answer with its check scores and feedback', async () => {
    const service = await startService();
    const entry = answered('run-1');
    service.api.answers.keep(entry);
    const { status, body } = await service.get('/api/answers/run-1');
    expect(status).toBe(200);
    expect(body).toEqual({
      runId: 'run-1',
      askedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      question: entry.question,
      answer: entry.answer,
      check: entry.check,
      feedback: [],
    });
  });

  it('returns the same 404 for a missing answer and for one in a forbidden namespace, which cannot be rated', async () => {
    const service = await startService({ API_KEYS: 'all,one=hr' });
    service.api.answers.keep(answered('run-1'));
    const read = async (runId: string, key: string) => {
      const { status, body } = await service.get(`/api/answers/${runId}`, { 'x-api-key': key });
      return [status, body.code, body.error];
    };
    const rated = { rating: 'up' };
    const { body } = await service.post('/api/answers/run-1/feedback', rated, {
      'x-api-key': 'one',
    });
    expect(body.code).toBe('answer_not_found');
    const kept = await service.get('/api/answers/run-1', { 'x-api-key': 'all' });
    expect([kept.status, kept.body.feedback]).toEqual([200, []]);
    expect(await read('run-1', 'one')).toEqual(await read('none', 'all'));
    expect(await read('none', 'all')).toEqual([
      404,
      'answer_not_found',
      expect.stringContaining('1000'),
    ]);
    expect((await read('..%2f..%2fx', 'all')).slice(0, 2)).toEqual([404, 'answer_not_found']);
  });
});

describe('POST /api/answers/{runId}/feedback', () => {
  it.each([
    ['no rating', {}],
    ['another rating', { rating: 'meh' }],
    ['a comment over 2,000 characters', { rating: 'up', comment: 'x'.repeat(2_001) }],
  ])('rejects %s', async (_, body) => {
    const service = await sharedService();
    service.api.answers.keep(answered('run-1'));
    expect((await service.post('/api/answers/run-1/feedback', body)).body.code).toBe(
      'invalid_request',
    );
  });
});
