/**
 * Tests the methods of Mastra's client, the refused ones too. No response may contain the
 * instructions. `test/release/old-clients.test.ts` tests version 0.17.
 */
import { MastraClient } from '@mastra/client-js';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { renderInstructions } from '../../src/ask/prompt.ts';
import { serveOnLoopback } from '../support/event-stream.ts';
import { sharedService } from '../support/workspace.ts';

const url = 'https://example.com/refunds';
const sentence = 'Full refunds are granted within 30 days of purchase.';
const files = {
  'default/refunds.md': `---\ntitle: Refunds\nsource: ${url}\nkind: url\n---\n# Refunds\n\n${sentence}\n`,
  'default/desk.md': '# Desk\n\nThe help desk opens at nine.\n',
};
const settings = {
  API_KEYS: 'first,app-key',
  CALLS_TRUSTED_KEYS: 'app-key',
  CALLS_TOOLS: 'true',
};
const question = '@agent what about refunds?';
const text = `**Refunds**\n\n${sentence} [1]\n\nSources:\n[1] Refunds (${url}#refunds)`;

async function start(key = 'first', more: Record<string, string> = {}) {
  const service = await sharedService(settings, files);
  const baseUrl = await serveOnLoopback(service, settings);
  const bodies: string[] = [];
  const recorder = async (...asked: Parameters<typeof fetch>) => {
    const response = await fetch(...asked);
    bodies.push(await response.clone().text());
    return response;
  };
  const headers = { authorization: `Bearer ${key}`, ...more };
  const client = new MastraClient({ baseUrl, retries: 0, headers, fetch: recorder });
  return { service, bodies, client, agent: client.getAgent('knowledge') };
}

const idsOf = (messages: readonly any[]): string[] => messages.map(({ id }) => id);

const statusOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'answered',
    (error: Error) =>
      /status: (\d+).*?"code":"(\w+)"/.exec(error.message)?.slice(1).join(' ') ?? error.message,
  );

describe('a question', () => {
  it('through generateLegacy returns the fields of AI SDK 4 and of this service', async () => {
    const { agent } = await start();
    const args = { namespace: 'default' };
    expect(await agent.generateLegacy({ messages: question })).toMatchObject({
      text,
      finishReason: 'stop',
      usage: { promptTokens: 0, completionTokens: 0, totalTokens: 0 },
      sources: [{ sourceType: 'url', id: '1', url, title: 'Refunds' }],
      steps: [],
      toolCalls: [{ toolName: 'docsRetriever', args }],
      toolResults: [
        { ...{ toolName: 'docsRetriever', args }, result: { results: expect.any(Array) } },
      ],
      response: { messages: [{ role: 'assistant', content: text }] },
      reason: 'answered',
      citations: [{ index: 1, quote: sentence }],
    });
    const silent = await agent.generateLegacy({ messages: 'what about refunds?' });
    expect(silent).toMatchObject({ text: '', sources: [], response: { messages: [] } });
  });

  it('through streamLegacy sends the search and the proof as separate parts', async () => {
    const { agent } = await start();
    const response = await agent.streamLegacy({ messages: question });
    expect(response.headers.get('x-vercel-ai-data-stream')).toBe('v1');
    const parts: unknown[] = [];
    const add = (part: unknown) => void parts.push(part);
    const finished = Promise.withResolvers<unknown>();
    void response.processDataStream({
      onToolCallPart: add,
      onToolResultPart: add,
      onSourcePart: add,
      onMessageAnnotationsPart: add,
      onFinishMessagePart: finished.resolve,
    });
    expect(await finished.promise).toMatchObject({ finishReason: 'stop' });
    expect(parts).toMatchObject([
      { toolName: 'docsRetriever', args: {} },
      { result: { results: expect.any(Array) } },
      { url, providerMetadata: { knowledge: { quote: sentence } } },
      [{ reason: 'answered', namespace: 'default' }],
    ]);
  });

  it('is rejected with structured output under any of its names', async () => {
    const { agent } = await start();
    const schema = z.object({ days: z.number() });
    const output: any = { type: 'object', properties: {} };
    const refused = [
      agent.generate(question, { structuredOutput: { schema } } as any),
      agent.generateLegacy({ messages: question, output }),
      agent.generateLegacy({ messages: question, experimental_output: output }),
    ];
    expect(await Promise.all(refused.map(statusOf))).toEqual(
      refused.map(() => '400 invalid_request'),
    );
  });
});

describe('the description of the agent and the tools', () => {
  it('contains details, lists and schemas, and no instructions', async () => {
    const { client, agent, bodies } = await start();
    const details = await agent.details();
    expect(details).toMatchObject({ name: 'Knowledge Agent', modelId: 'extractive' });
    expect(details).not.toHaveProperty('instructions');
    expect(Object.keys(details.tools).sort()).toEqual([
      'docsRetriever',
      'listCalls',
      'summarizeCalls',
    ]);
    expect(Object.keys(await client.listAgents())).toEqual(['knowledge']);
    const tools = Object.entries(await client.listTools());
    expect(tools.map(([name]) => name).sort()).toEqual([
      ...['docsRetriever', 'ingestSources', 'listCalls', 'searchDocs', 'summarizeCalls'],
    ]);
    for (const [name, { id, description, inputSchema, outputSchema }] of tools) {
      expect([name, description]).toEqual([id, expect.stringMatching(/\.$/)]);
      for (const schema of [inputSchema, outputSchema])
        expect(JSON.parse(schema ?? '').json).toMatchObject({ type: 'object' });
    }
    const tool = await client.getTool('searchDocs').details();
    expect(JSON.parse(tool.inputSchema ?? '').json.properties).toMatchObject({
      query: { type: 'string' },
    });
    const instructions = renderInstructions();
    const lines = instructions.split('\n').filter((line) => line.length > 40);
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(bodies.join()).not.toContain(line);
  });

  it('returns 404 for missing agents and tools', async () => {
    const { client, agent } = await start();
    const other = client.getAgent('other');
    const refused: [Promise<unknown>, string][] = [
      [client.getTool('other').details(), 'tool_not_found'],
      [client.getTool('constructor').execute({ data: {} }), 'tool_not_found'],
      [other.details(), 'agent_not_found'],
      [other.executeTool('docsRetriever', { data: {} }), 'agent_not_found'],
      // A tool of this service that the agent does not have.
      [agent.executeTool('ingestSources', { data: { sources: ['x'] } }), 'tool_not_found'],
    ];
    expect(await Promise.all(refused.map(([asked]) => statusOf(asked)))).toEqual(
      refused.map(([, code]) => `404 ${code}`),
    );
  });
});

describe('lists that only a Mastra server has', () => {
  it('are empty in the form of the client', async () => {
    const { client } = await start();
    const pagination = { total: 0, page: 0, perPage: 10, hasMore: false };
    const lists: [Promise<unknown>, object][] = [
      [client.listWorkflows(), {}],
      [client.listScores({ pagination: { page: 0, perPage: 5 } }), { scores: [], pagination }],
      [client.listLogs({ transportId: 'any' }), { logs: [], ...pagination }],
      [client.listLogTransports(), { transports: [] }],
      [client.getMcpServers(), { servers: [], total_count: 0, next: null }],
    ];
    expect(await Promise.all(lists.map(([list]) => list))).toEqual(
      lists.map(([, wanted]) => wanted),
    );
  });
});

describe('tools', () => {
  it('return the same over execute as over their own paths', async () => {
    const { service, client, agent } = await start('app-key', {
      onBehalfOf: 'elena.petrova',
    });
    const headers = { 'x-api-key': 'app-key', onBehalfOf: 'elena.petrova' };
    for (const [id, data] of [
      ['searchDocs', { query: 'refunds', maxResults: 2 }],
      ['listCalls', { perPage: 2 }],
    ] as const) {
      const { body, status } = await service.post(`/api/tools/${id}`, data, headers);
      expect(status).toBe(200);
      expect(await client.getTool(id).execute({ data, runId: 'any' })).toEqual(body);
    }
    const found = { results: [{ file: 'refunds.md' }], mode: 'lexical' };
    const data = { query: 'full refunds' };
    for (const result of [
      await agent.executeTool('docsRetriever', { data }),
      await client.getTool('docsRetriever').execute({ data }),
    ])
      expect(result).toMatchObject(found);
    expect(await agent.executeTool('listCalls', { data: {} })).toHaveProperty('data');
  });
});

describe("the caller's conversations", () => {
  const ask = (client: MastraClient, content: string) => {
    const options: any = { memory: { thread: 'thread-1', resource: 'user-1' } };
    return client.getAgent('knowledge').generate(content, options);
  };

  it('can be listed, read, and deleted message by message', async () => {
    const { client } = await start();
    await ask(client, question);
    await ask(client, '@agent when does the help desk open?');
    const named = { threadId: 'thread-1', agentId: 'knowledge' };
    const thread = client.getMemoryThread(named);
    const expected = { id: 'thread-1', resourceId: 'user-1', metadata: { namespace: 'default' } };
    expect(await thread.get()).toMatchObject(expected);
    expect(
      (await client.listMemoryThreads({ resourceId: 'user-1', agentId: 'knowledge' })).threads,
    ).toMatchObject([expected]);

    const all = await thread.listMessages();
    expect(all).toMatchObject({ total: 4, hasMore: false });
    const content = { format: 2, parts: [{ type: 'text', text }], content: text };
    expect(all.messages.slice(0, 2)).toMatchObject([
      { role: 'user' },
      { role: 'assistant', content },
    ]);
    const newest = await thread.listMessages({
      perPage: 1,
      orderBy: { field: 'createdAt', direction: 'DESC' },
    });
    expect(newest).toMatchObject({ messages: [{ id: all.messages[3]?.id }], hasMore: true });
    expect(await client.listThreadMessages('thread-1', { agentId: 'knowledge' })).toEqual(all);
    const [first, ...rest] = idsOf(all.messages);
    expect(await thread.deleteMessages([first as string])).toMatchObject({
      success: true,
      deleted: { messages: 1 },
    });
    expect(idsOf((await thread.listMessages()).messages)).toEqual(rest);
    await thread.deleteMessages(rest);
    expect(await statusOf(thread.get())).toBe('404 thread_not_found');
  });
});
