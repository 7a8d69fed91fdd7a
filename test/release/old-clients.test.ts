/** Clients that `test/contract/client-scenarios.test.ts` leaves out: old ones and LangChain's. */
import { MastraClient } from 'client-js-0.17';
import { expect, it } from 'vitest';
import { clientsIn, testClients } from '../support/client-scenarios.ts';
import { serveOnLoopback } from '../support/event-stream.ts';
import { startService } from '../support/workspace.ts';

testClients(await clientsIn(new URL('./clients/', import.meta.url)));

it('version 0.17 of the client of Mastra can call every method that this service supports', async () => {
  const sentence = 'Full refunds are granted within 30 days of purchase.';
  const settings = { API_KEYS: 'key' };
  const service = await startService(settings, {
    'default/refunds.md': `# Refunds\n\n${sentence}\n`,
  });
  const client = new MastraClient({
    baseUrl: await serveOnLoopback(service, settings),
    retries: 0,
    headers: { authorization: 'Bearer key' },
  });
  const agent = client.getAgent('knowledge');
  const messages = '@agent what about refunds?';
  const memory = { threadId: 'thread-1', resourceId: 'user-1' };
  const answer = await agent.generateLegacy({ messages, ...memory });
  expect(answer).toMatchObject({ text: expect.stringContaining(sentence), answered: true });
  const texts: string[] = [];
  const finished = Promise.withResolvers<unknown>();
  void (await agent.streamLegacy({ messages })).processDataStream({
    onTextPart: (part) => void texts.push(part),
    onFinishMessagePart: finished.resolve,
  });
  expect(await finished.promise).toMatchObject({ finishReason: 'stop' });
  expect(texts.join('')).toContain(sentence);
  const output: any = { type: 'object', properties: {} };
  await expect(agent.generateLegacy({ messages, output })).rejects.toThrow('invalid_request');

  expect(await agent.details()).toMatchObject({ name: 'Knowledge Agent' });
  expect(Object.keys(await client.getAgents())).toEqual(['knowledge']);
  expect(Object.keys(await client.getTools())).toContain('searchDocs');
  const tool = client.getTool('searchDocs');
  expect(JSON.parse((await tool.details()).inputSchema ?? '').json).toMatchObject({
    properties: { query: { type: 'string' } },
  });
  const data = { query: 'full refunds' };
  const found = { results: [{ file: 'refunds.md' }] };
  const runtimeContext = {} as any;
  expect(await tool.execute({ data, runId: 'any', runtimeContext })).toMatchObject(found);
  expect(await agent.executeTool('docsRetriever', { data, runtimeContext })).toMatchObject(found);

  const thread = client.getMemoryThread('thread-1', 'knowledge');
  const expected = { id: 'thread-1', resourceId: 'user-1', metadata: { namespace: 'default' } };
  expect(await thread.get()).toMatchObject(expected);
  expect(
    await client.getMemoryThreads({ resourceId: 'user-1', agentId: 'knowledge' }),
  ).toMatchObject([expected]);
  const { uiMessages, legacyMessages } = await thread.getMessages({ limit: 2 });
  expect(uiMessages).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: expect.stringContaining(sentence), parts: [{}] },
  ]);
  expect(legacyMessages).toEqual(uiMessages);
  const paged: any = { threadId: 'thread-1', selectBy: { pagination: { page: 1, perPage: 1 } } };
  const [, second] = uiMessages as readonly { id: string }[];
  expect(await thread.getMessagesPaginated(paged)).toMatchObject({
    messages: [{ id: second?.id }],
    total: 2,
    hasMore: false,
  });
  expect(await thread.deleteMessages({ id: second?.id ?? '' })).toMatchObject({
    deleted: { messages: 1 },
  });
});
