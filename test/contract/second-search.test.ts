import { describe, expect, it } from 'vitest';
import { expectProof } from '../support/citations.ts';
import { openStream, readChunks, serveOnLoopback, textOf } from '../support/event-stream.ts';
import { callSearch, lastText, type ProviderRequest } from '../support/fake-provider.ts';
import { calling } from '../support/provider-wire.ts';
import { sharedModel } from '../support/workspace.ts';

const files = {
  'docs/refunds.md': '# Refunds\n\nRefunds are paid within 30 days of purchase.\n',
  'docs/calls.md': '# Calls\n\nRecordings of calls are kept for 90 days.\n',
  'docs/office.md': '# Office\n\nThe bicycle cellar is locked at eight.\n',
  'hr/pay.md': '# Pay\n\nSalaries and bonus payments are paid on the last day of the month.\n',
};
const path = '/api/agents/knowledge/generate';
const bodyOf = (content: string, more = {}) => ({
  messages: [{ role: 'user', content }],
  toolParams: { namespace: 'docs' },
  ...more,
});
/** Shares one word with the documents. */
const poorlyCovered = '@agent when do customers get money back after a purchase?';
const wellCovered = '@agent within how many days are refunds paid?';
const paid = 'Refunds are paid within 30 days of purchase.';

const withProvider = (settings: Record<string, string> = { SECOND_SEARCH: 'true' }) =>
  sharedModel(settings, files);

const numberOf = (request: ProviderRequest, words: string): string =>
  lastText(request)
    .split('<<<')
    .find((passage) => passage.includes(words))
    ?.match(/\[(\d+)\]/)?.[1] ?? 'none';
const toolsOf = (requests: readonly ProviderRequest[]) =>
  requests.map(({ body }) => body.tools !== undefined);
/** Searches once, then cites the result. */
const searching =
  (query: string) => (request: ProviderRequest, response: Parameters<typeof callSearch>[1]) =>
    request.body.tools === undefined
      ? `${paid} [${numberOf(request, paid)}]`
      : callSearch(request, response, { query });

describe('a poorly covered question', () => {
  it("is answered from the model's search, and both searches are shown", async () => {
    const { provider, service } = await withProvider();
    provider.reply(searching('refunds paid purchase'));
    const { status, body } = await service.post(path, bodyOf(poorlyCovered));
    expect(status).toBe(200);
    expect(body).toMatchObject({ answered: true, reason: 'answered', finishReason: 'stop' });
    expect(body.text).toMatch(
      /^Refunds are paid within 30 days of purchase\. \[1\]\n\nSources:\n\[1\] Refunds \(refunds\.md\)$/,
    );
    expect(body.citations).toMatchObject([{ index: 1, file: 'refunds.md', quote: paid }]);
    expect(
      body.toolCalls.map(({ toolName, args }: any) => [toolName, args.query, args.namespace]),
    ).toEqual([
      ['docsRetriever', poorlyCovered.replace('@agent ', ''), 'docs'],
      ['docsRetriever', 'refunds paid purchase', 'docs'],
    ]);
    expect(body.toolResults.map(({ toolCallId }: any) => toolCallId)).toEqual(
      body.toolCalls.map(({ toolCallId }: any) => toolCallId),
    );
    expect(new Set(body.toolCalls.map(({ toolCallId }: any) => toolCallId)).size).toBe(2);
    expect(body.toolResults[1].result.results[0].file).toBe('refunds.md');
    expect(toolsOf(provider.requests)).toEqual([true, false]);
    expect(lastText(provider.requests[1]!)).toContain(paid);
    expect(lastText(provider.requests[1]!)).toMatch(/Question: when do customers get money back/);
    expect(body.usage.totalTokens).toBe(36);
    await expectProof(service, { ...body, toolResults: body.toolResults.toReversed() }, true);
  });

  it('needs one model call if the model does not search again', async () => {
    const { provider, service } = await withProvider();
    provider.reply('NO_ANSWER');
    const { body } = await service.post(path, bodyOf(poorlyCovered));
    expect(body).toMatchObject({ answered: false, reason: 'no_context' });
    expect(body.toolCalls).toHaveLength(1);
    expect(provider.requests).toHaveLength(1);
  });

  it('is refused if the second search finds nothing either', async () => {
    const { provider, service } = await withProvider();
    provider.reply((request, response) =>
      request.body.tools === undefined ? paid : callSearch(request, response, { query: 'zzz qqq' }),
    );
    const { status, body } = await service.post(path, bodyOf('@agent xxx yyy'));
    expect(status).toBe(200);
    expect(body).toMatchObject({ answered: false, reason: 'no_context', citations: [] });
    expect(body.text).toMatch(/Sources: none$/);
    expect(provider.requests.length).toBeLessThanOrEqual(2);
  });

  it("hides the model's text before its search", async () => {
    const { provider, service } = await withProvider();
    const url = (await serveOnLoopback(service)) + path.replace('generate', 'stream');
    provider.reply((request, response) => {
      if (request.body.tools === undefined) return `${paid} [${numberOf(request, paid)}]`;
      return callSearch(
        request,
        response,
        { query: 'refunds paid purchase' },
        { text: 'Recordings of calls are kept for 90 days. [1] I search.' },
      );
    });
    const text = textOf(await readChunks(await openStream(url, bodyOf(poorlyCovered))));
    expect(text).toMatch(/^Refunds are paid/);
    expect(text).not.toMatch(/Recordings|I search/);
  });
});

describe('a model that searches again', () => {
  it('gets no third call', async () => {
    const { provider, service } = await withProvider();
    let calls = 0;
    provider.reply((request, response) =>
      callSearch(request, response, { query: 'refunds' }, { id: `call_${calls++}` }),
    );
    const { status, body } = await service.post(path, bodyOf(poorlyCovered));
    expect(status).toBe(200);
    expect(body).toMatchObject({ answered: false, reason: 'no_context' });
    expect(body.toolCalls).toHaveLength(2);
    expect(provider.requests).toHaveLength(2);
    expect(toolsOf(provider.requests)).toEqual([true, false]);
  });

  it.each([
    ['another namespace', { query: 'salaries bonus payments', namespace: 'hr' }],
    ['a namespace in the query', { query: 'namespace:hr salaries bonus payments ../hr' }],
  ])('cannot leave the namespace: %s', async (_, input) => {
    const { provider, service } = await withProvider();
    provider.reply((request, response) =>
      request.body.tools === undefined ? 'NO_ANSWER' : callSearch(request, response, input),
    );
    const { status, body } = await service.post(
      path,
      bodyOf('@agent when do employees get wages?'),
    );
    expect(status).toBe(200);
    expect(
      JSON.stringify([
        body.text,
        body.toolResults,
        provider.requests.map((request) => lastText(request)),
      ]),
    ).not.toContain('last day of the month');
    for (const { args } of body.toolCalls) expect(args.namespace).toBe('docs');
  });

  it.each([
    ['a query that is not a string', { query: { $ne: 1 } }],
    ['a query of 5,000 characters', { query: 'refunds '.repeat(625) }],
    ['no object', 'refunds'],
  ])('with %s gets no more than one further call and no error', async (_, input) => {
    const { provider, service } = await withProvider();
    provider.reply((request, response) =>
      request.body.tools === undefined
        ? 'NO_ANSWER'
        : callSearch(request, response, input as object),
    );
    const { status, body } = await service.post(path, bodyOf(poorlyCovered));
    expect([status, body.reason]).toEqual([200, 'no_context']);
    expect(provider.requests.length).toBeLessThanOrEqual(2);
  });

  it('with an unknown tool gets no result', async () => {
    const { provider, service } = await withProvider();
    provider.reply((request, response) => {
      if (request.body.tools === undefined) return 'NO_ANSWER';
      return calling([{ name: 'ingestSources', args: '{"sources":["x"]}' }])(request, response);
    });
    const { status, body } = await service.post(path, bodyOf(poorlyCovered));
    expect([status, body.reason]).toEqual([200, 'no_context']);
    expect(provider.requests).toHaveLength(1);
    expect((await service.get('/api/namespaces/docs/documents')).body.total).toBe(3);
  });
});

describe('no tool is offered', () => {
  it('if the first search covers the question well', async () => {
    const { provider, service } = await withProvider();
    provider.reply(`${paid} [1]`);
    const { body } = await service.post(path, bodyOf(wellCovered));
    expect(body.answered).toBe(true);
    expect(toolsOf(provider.requests)).toEqual([false]);
    expect(JSON.stringify(provider.requests[0]?.body.messages)).not.toContain('docsRetriever');
  });

  it.each([{}, { SECOND_SEARCH: 'false' }])('without the setting: %j', async (settings) => {
    const { provider, service } = await withProvider(settings);
    for (const question of [
      wellCovered,
      poorlyCovered,
      '@agent xxx yyy',
      '@agent reimbursed refunds deal',
    ])
      await service.post(
        path,
        bodyOf(question, { toolChoice: 'required', activeTools: ['docsRetriever'], maxSteps: 5 }),
      );
    expect(toolsOf(provider.requests)).not.toContain(true);
    expect(provider.requests.length).toBeGreaterThan(0);
  });
});
