/**
 * Traces as a collector receives them: one per request, down to the model call, without user text.
 */
import { expect, it, onTestFinished, vi } from 'vitest';
import { createLogger } from '../../src/log.ts';
import { packageVersion } from '../../src/package.ts';
import { readTraceparent } from '../../src/tracing.ts';
import { type CollectedSpan, startCollector } from '../support/collector.ts';
import { openStream, serveOnLoopback } from '../support/event-stream.ts';
import { startFakeEmbeddings } from '../support/fake-embeddings.ts';
import { startFakeProvider } from '../support/fake-provider.ts';
import { event } from '../support/provider-wire.ts';
import { startSite } from '../support/site.ts';
import { startService } from '../support/workspace.ts';

const sentence = 'Refunds are paid within 30 days of purchase [1].';
const refunds = { 'docs/refunds.md': `# Refunds\n\n${sentence.replace(' [1]', '')}\n` };
const asked = { messages: '@agent how long do refunds take?', toolParams: { namespace: 'docs' } };
const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const traceparent = `00-${traceId}-00f067aa0ba902b7-01`;
const headers = { 'x-api-key': 'key-of-the-boss' };

async function stage(settings: Record<string, string> = {}) {
  vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'x-collector-key=secret%20of%20it');
  onTestFinished(() => void vi.unstubAllEnvs());
  const collector = await startCollector();
  const provider = await startFakeProvider();
  provider.reply(sentence);
  const all = {
    LLM_BASE_URL: provider.baseUrl,
    LLM_API_KEY: 'sk-key-of-the-model',
    LLM_MODEL: 'writer',
    OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`,
    API_KEYS: 'key-of-the-boss',
    ...settings,
  };
  const service = await startService(all, refunds);
  /** Closes the service, which sends its remaining spans. */
  async function collected(): Promise<readonly CollectedSpan[]> {
    await service.close();
    return collector.spans;
  }
  const url = () => serveOnLoopback(service, all);
  return { collector, provider, service, url, collected };
}

/** Returns the tree of names below a span, sorted by name. */
function treeOf(
  spans: readonly CollectedSpan[],
  { spanId }: { readonly spanId: string },
): Record<string, unknown> {
  const children = spans
    .filter(({ parentSpanId }) => parentSpanId === spanId)
    .sort((a, b) => a.name.localeCompare(b.name));
  return Object.fromEntries(children.map((child) => [child.name, treeOf(spans, child)]));
}

it.each(['generate', 'stream'] as const)(
  '%s is one trace from the request to the model, with each stage in its place',
  async (way) => {
    const { collector, url, collected } = await stage();
    const stream = await openStream(
      `${await url()}/api/agents/knowledge/${way}?secret=in-the-query`,
      { ...asked, memory: { thread: 'thread-of-ann', resource: 'ann' } },
      { ...headers, traceparent },
    );
    await stream.rest();
    const spans = (await collected()).filter((span) => span.traceId === traceId);
    const [root, ...others] = spans.filter(({ kind }) => kind === 2);
    expect(others).toEqual([]);
    expect(root).toMatchObject({
      ...{ name: way, parentSpanId: '00f067aa0ba902b7' },
      attributes: {
        'http.request.method': 'POST',
        'http.route': `/api/agents/:agentId/${way}`,
        'http.response.status_code': 200,
        'knowledge.namespace': 'docs',
        'knowledge.answer.reason': 'answered',
        'knowledge.run_id': expect.stringMatching(/^[0-9a-f-]{36}$/),
      },
    });
    expect(root && treeOf(spans, root)).toEqual({
      authenticate: {},
      recall: {},
      'invoke_agent knowledge': {
        'execute_tool docsRetriever': { search: {} },
        'chat writer': {},
        check: {},
      },
      keep: {},
    });
    const shared = {
      'gen_ai.conversation.id': expect.stringMatching(/^[0-9a-f]{40}$/),
      'gen_ai.usage.input_tokens': 11,
      'gen_ai.usage.output_tokens': 7,
    };
    const spanOf = (name: string) => spans.find((span) => span.name === name);
    expect(spanOf('chat writer')?.kind).toBe(3);
    expect(spanOf('chat writer')?.attributes).toEqual({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'writer',
      'gen_ai.response.model': 'writer',
      'gen_ai.response.finish_reasons': { values: [{ stringValue: 'stop' }] },
      ...shared,
    });
    expect(spanOf('invoke_agent knowledge')?.attributes).toEqual({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.id': 'knowledge',
      'gen_ai.agent.name': 'knowledge',
      ...shared,
    });
    expect(spanOf('execute_tool docsRetriever')?.attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'docsRetriever',
      'gen_ai.tool.type': 'function',
    });
    expect(collector.resources[0]).toMatchObject({
      'service.name': 'knowledge-agent',
      'service.version': packageVersion,
      'service.instance.id': expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(collector.headers[0]).toMatchObject({
      url: '/v1/traces',
      'x-collector-key': 'secret of it',
    });
    expect(collector.raw()).not.toMatch(
      /how long|30 days|boss|sk-|thread-of-ann|in-the-query|secret of it/,
    );
  },
);

it('a stream that fails after its headers marks its spans as errors', async () => {
  const { provider, url, collected } = await stage();
  provider.reply((request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(event(request, { content: `${sentence} And` }));
    return undefined;
  });
  const stream = await openStream(`${await url()}/api/agents/knowledge/stream`, asked, headers);
  expect((await stream.rest()).join()).toContain('"code":"model_failed"');
  expect(stream.status).toBe(200);
  const failed = (await collected()).filter(({ status }) => status.code === 2);
  expect(failed.map(({ name, attributes }) => [name, attributes['error.type']]).sort()).toEqual([
    ['chat writer', 'malformed'],
    ['invoke_agent knowledge', 'model_failed'],
    ['stream', 'model_failed'],
  ]);
});

it('the embedding of a question is part of its search, and an ingest has the stages of its sources', async () => {
  const embeddings = await startFakeEmbeddings();
  const { collected, service } = await stage({
    EMBEDDING_MODEL: 'meaning',
    LLM_BASE_URL: embeddings.baseUrl,
  });
  await service.ingest({ namespace: 'docs', sources: ['Shipping is free.'] }, headers);
  await expect
    .poll(() => service.api.metrics.read())
    .toContain('knowledge_chunks_without_vector 0');
  await service.find({ namespace: 'docs', query: 'shipping' }, headers);
  const spans = await collected();
  const stagesOf = (name: string) =>
    treeOf(spans, spans.find((span) => span.name === name && span.kind === 2) as CollectedSpan);
  const authenticate = {};
  expect(stagesOf('searchDocs')).toEqual({ authenticate, search: { embed: {} } });
  expect(stagesOf('ingestSources')).toEqual({ authenticate, convert: {}, fetch: {}, index: {} });
});

it('a failure has its code, an unknown route has no path, and some requests have no spans', async () => {
  const { service, collected } = await stage();
  const { get } = service;
  for (const path of ['/health', '/ready', '/metrics']) await get(path, headers);
  // Its caller does not record this trace.
  await get('/api/namespaces', { ...headers, traceparent: traceparent.replace(/01$/, '00') });
  await get('/somewhere/else?key=1', headers);
  await get('/api/namespaces/ghost/documents', headers);
  await get('/api/namespaces', { 'x-api-key': 'wrong' });
  const spans = await collected();
  expect(new Set(spans.map((span) => span.traceId)).size).toBe(3);
  const roots = spans.filter(({ kind }) => kind === 2);
  expect(
    roots.map(({ name, attributes }) => [name, attributes['http.route'], attributes['error.type']]),
  ).toEqual([
    ['none', undefined, 'not_found'],
    ['listDocuments', '/api/namespaces/:namespace/documents', 'namespace_not_found'],
    ['listNamespaces', '/api/namespaces', 'unauthorized'],
  ]);
});

it('an unreachable or hanging collector delays neither answers nor the shutdown, and is logged once', async () => {
  const hanging = await startSite({}, () => () => undefined);
  for (const endpoint of ['http://127.0.0.1:9', hanging.url]) {
    const lines: string[] = [];
    const logger = createLogger('warn', { write: (line) => void lines.push(line) });
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint };
    const service = await startService(settings, refunds, { logger });
    for (let number = 0; number < 1_200; number++) await service.request('/api/agents');
    expect((await service.generate(asked)).status).toBe(200);
    await service.close();
    const warnings = lines.filter((line) => line.includes('OTEL_EXPORTER_OTLP_ENDPOINT'));
    expect(warnings.length).toBeLessThanOrEqual(1);
    if (endpoint !== hanging.url) expect(warnings).toHaveLength(1);
  }
});

const parent = { traceId, spanId: '00f067aa0ba902b7', traceFlags: 1, isRemote: true };
it.each([
  [traceparent, parent],
  [traceparent.replace(/01$/, '00'), { ...parent, traceFlags: 0 }],
  [`cc${traceparent.slice(2)}-more`, parent],
  [`${traceparent}-more`, undefined],
  [`ff${traceparent.slice(2)}`, undefined],
  [`00-${traceId}-${'0'.repeat(16)}-01`, undefined],
  [traceparent.toUpperCase(), undefined],
  [undefined, undefined],
])('the traceparent %j is parsed as %j', (header, context) => {
  expect(readTraceparent(header)).toEqual(context);
});
