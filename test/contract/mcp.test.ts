import { StreamableHTTPClientTransport as ModernTransport } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { parseConfig } from '../../src/config.ts';
import { createApp } from '../../src/http/app.ts';
import { serveOnLoopback } from '../support/event-stream.ts';
import { startFakeProvider } from '../support/fake-provider.ts';
import { callTool, connectMcp, connectModernMcp } from '../support/mcp-client.ts';
import { mcpCall } from '../support/operation-bodies.ts';
import { clock, trusted, users, withUsers, writeCalls } from '../support/own-calls.ts';
import {
  sharedModel,
  sharedService,
  startService,
  type TestService,
} from '../support/workspace.ts';

const files = {
  'default/refunds.md': '# Refunds\n\nFull refunds are granted within 30 days of purchase.\n',
  'hr/pay.md': '# Pay\n\nSalaries are paid monthly.\n',
};
const rpc = (method: string, params?: object) => ({ jsonrpc: '2.0', id: 1, method, params });
const ask = (input: object = {}) =>
  mcpCall('askKnowledge', { question: 'what about refunds?', ...input });

const send = async ({ post }: TestService, message: unknown, headers?: Record<string, string>) =>
  (await post('/mcp', message, headers)).body;

it('answers without a mention, with links to the page or the source', async () => {
  const service = await sharedService({}, files);
  const from2025 = { 'mcp-protocol-version': '2025-06-18' };
  const { result } = await send(service, ask(), from2025);
  const [said, link] = result.content;
  const { answered, text, citations } = result.structuredContent;
  expect([answered, said]).toEqual([true, { type: 'text', text }]);
  const [{ documentId, start, end, revision }] = citations;
  const span = new URLSearchParams({ start, end, revision });
  expect(link).toEqual({
    type: 'resource_link',
    uri: `http://localhost/#/documents/default/${documentId}?${span}`,
    name: 'refunds.md',
    title: 'Refunds',
  });
  expect((await send(service, ask())).result.content).toHaveLength(1);
  const source = '---\ntitle: Refunds\nsource: https://example.com/refunds\nkind: url\n---\n';
  const web = await startService(
    { PUBLIC_URL: 'https://agent.example.com' },
    { ...files, 'default/refunds.md': source + files['default/refunds.md'] },
  );
  const uriIn = async (input: object) =>
    (await send(web, ask(input), from2025)).result.content[1].uri;
  expect(await uriIn({})).toBe('https://example.com/refunds#refunds');
  expect(await uriIn({ namespace: 'hr', question: 'when are salaries paid?' })).toMatch(
    /^https:\/\/agent\.example\.com\/#\/documents\/hr\/[^/]+\?start=/,
  );
});

const connections = {
  '@modelcontextprotocol/sdk, 2025-11-25': async (url: URL, requestInit: RequestInit) => {
    const transport = new StreamableHTTPClientTransport(url, { requestInit });
    const client = await connectMcp(transport);
    return { client, version: transport.protocolVersion };
  },
  '@modelcontextprotocol/client, 2026-07-28': async (url: URL, requestInit: RequestInit) => {
    const client = await connectModernMcp(new ModernTransport(url, { requestInit }));
    return { client, version: client.getNegotiatedProtocolVersion() };
  },
};

it.each(Object.entries(connections))(
  '%s: calls every tool, streams, fails and leaves',
  async (name, connect) => {
    const provider = await startFakeProvider();
    const settings = {
      CALLS_FILE: await writeCalls(),
      LLM_BASE_URL: provider.baseUrl,
      ...withUsers,
    };
    const service = await startService(settings, files, { clock });
    const url = new URL('/mcp', await serveOnLoopback(service, settings));
    const { client, version } = await connect(url, { headers: trusted(users[0] as string) });
    onTestFinished(() => client.close());
    expect(name).toContain(`, ${version}`);
    expect(client.getServerVersion()).toMatchObject({ name: 'knowledge-agent' });
    provider.reply('Full refunds are granted within 30 days of purchase. [1]');
    // The client checks each result against the schema of its tool.
    for (const [tool, input] of [
      ['searchDocs', { query: 'refunds' }],
      ['listCalls', {}],
      ['summarizeCalls', {}],
      ['ingestSources', { sources: ['Salaries are paid monthly.'] }],
    ] as const)
      expect((await callTool(client, tool, input)).isError ?? false, tool).toBe(false);
    const seen: string[] = [];
    const asked = { question: 'how long are refunds granted?' };
    const { content, structuredContent } = await callTool(client, 'askKnowledge', asked, {
      onprogress: ({ message = '' }) => void seen.push(message),
    });
    expect(content).toMatchObject([{ type: 'text' }, { type: 'resource_link' }]);
    expect([structuredContent.answered, seen.at(-1)]).toEqual([true, content[0].text]);
    expect(await callTool(client, 'searchDocs', { query: '' })).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('(invalid_request)') }],
    });
    await expect(callTool(client, 'noSuchTool', {})).rejects.toMatchObject({
      code: -32602,
      data: { code: 'not_found' },
    });
    const live = provider.nextLive();
    const left = callTool(client, 'askKnowledge', { question: 'are full refunds granted?' });
    left.catch(() => undefined);
    const { closed } = await live;
    await client.close();
    await closed;
  },
);

describe('a running request', () => {
  const accept = { accept: 'application/json, text/event-stream' };

  it.each([accept, { accept: 'application/json' }])(
    'fails with a message when the server stops: %j',
    async (headers) => {
      const { provider, service } = await sharedModel({}, files);
      const stopping = new AbortController();
      const { signal } = stopping;
      const config = parseConfig({ RATE_LIMIT_PER_MINUTE: '0' });
      const signals = { draining: signal, stopping: signal };
      const app = createApp(config, service.api, service.logger, signals);
      const live = provider.nextLive();
      const answer = app.request('/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(ask()),
      });
      await live;
      stopping.abort(new KnowledgeError('stopping', 'The server is stopping.'));
      expect(await (await answer).text()).toContain('The server is stopping. (stopping)');
    },
  );

  it('sends a comment every 15 seconds while the model works', async () => {
    const { provider, service } = await sharedModel({}, files);
    const live = provider.nextLive();
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const { body } = await service.send('/mcp', ask(), accept);
    const { reset } = await live;
    const reader = body?.getReader();
    const first = reader?.read();
    vi.advanceTimersByTime(15_000);
    expect(new TextDecoder().decode((await first)?.value)).toMatch(/^:.*\n\n$/);
    reset();
    await reader?.cancel();
  });
});

it('a refused request is a JSON-RPC error with its status', async () => {
  const keys = { API_KEYS: 'all-key' };
  const service = await sharedService(keys, files);
  const post = (body: string, headers: Record<string, string> = {}) =>
    service.request('/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': 'all-key', ...headers },
      body,
    });
  const list = JSON.stringify(rpc('tools/list'));
  for (const [answered, status, code, number] of [
    [await post(list, { 'x-api-key': 'wrong' }), 401, 'unauthorized', -32000],
    [await post('{'), 400, 'invalid_json', -32700],
    [await post(`[${list}]`), 400, 'invalid_request', -32600],
  ] as const) {
    const error = { code: number, message: expect.stringMatching(/\.$/), data: { code } };
    const body = { jsonrpc: '2.0', id: null, error };
    expect([answered.status, await answered.json()]).toEqual([status, body]);
  }
});

it('GET and DELETE are rejected, and notifications accepted', async () => {
  const service = await sharedService({}, files);
  for (const method of ['GET', 'DELETE']) {
    const headers = { accept: 'text/event-stream' };
    const answered = await service.request('/mcp', { method, headers });
    expect([answered.status, answered.headers.get('allow')]).toEqual([405, 'POST']);
    const error = { data: { code: 'method_not_allowed' } };
    expect(await answered.json()).toMatchObject({ error });
  }
  const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
  expect(await service.post('/mcp', initialized)).toMatchObject({ status: 202, body: undefined });
});

it('a failed call is a JSON-RPC error or a tool result', async () => {
  const service = await sharedService({}, files);
  for (const [method, params, code] of [
    ['no/such', undefined, -32601],
    ['resources/list', undefined, -32601],
    ['tools/call', undefined, -32602],
    ['tools/call', { name: 7 }, -32602],
  ] as const)
    expect(await send(service, rpc(method, params))).toMatchObject({ error: { code } });
  expect((await send(service, ask({ namespace: 'nowhere' }))).result.content[0].text).toMatch(
    /\. \(namespace_not_found\)$/,
  );
  const unknown = { 'mcp-protocol-version': '1999-01-01' };
  const { status, body } = await service.post('/mcp', rpc('tools/list'), unknown);
  expect([status, body.error.code]).toEqual([400, -32000]);
});
