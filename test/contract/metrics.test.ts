/** Tests access to the metrics, their values, and that requests cannot create series. */
import { expect, it, onTestFinished } from 'vitest';
import { parseConfig } from '../../src/config.ts';
import { Context } from '../../src/context.ts';
import { createApp } from '../../src/http/app.ts';
import { Metrics } from '../../src/metrics.ts';
import { packageVersion } from '../../src/package.ts';
import { openStream, readChunks, serveOnLoopback } from '../support/event-stream.ts';
import { startFakeProvider } from '../support/fake-provider.ts';
import { startService, temporaryFolder } from '../support/workspace.ts';

const refunds = {
  'docs/refunds.md': '# Refunds\n\nRefunds are paid within 30 days of purchase.\n',
};
const chat =
  'gen_ai_operation_name="chat",gen_ai_provider_name="openai",gen_ai_request_model="writer"';
const questionBody = {
  messages: '@agent how long do refunds take?',
  toolParams: { namespace: 'docs' },
};

async function seriesOf(response: Response): Promise<Map<string, number>> {
  const lines = (await response.text())
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}

it('counts requests, answers, searches, ingested rows and documents', async () => {
  const { ingest, find, generate, get, request } = await startService({}, refunds);
  await generate(questionBody);
  await generate({
    ...questionBody,
    messages: 'a message to a colleague',
  });
  await find({ query: 'refunds', namespace: 'docs' });
  await ingest({
    namespace: 'docs',
    sources: [{ text: 'Shipping is free.' }, { path: './none.md' }],
  });
  await get('/api/namespaces/none/documents');

  const response = await request('/metrics');
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const series = await seriesOf(response);
  expect(Object.fromEntries(series)).toMatchObject({
    'knowledge_requests_total{operation="generate",status="200"}': 2,
    'knowledge_caller_requests_total{operation="generate",caller="anonymous",namespace="docs"}': 2,
    'knowledge_requests_total{operation="searchDocs",status="200"}': 1,
    'knowledge_requests_total{operation="ingestSources",status="200"}': 1,
    'knowledge_requests_total{operation="listDocuments",status="404"}': 1,
    'knowledge_request_duration_seconds_count{operation="generate"}': 2,
    'knowledge_errors_total{code="namespace_not_found"}': 1,
    'knowledge_answers_total{reason="answered",degraded="false"}': 1,
    'knowledge_answers_total{reason="not_mentioned",degraded="false"}': 1,
    knowledge_dropped_sentences_total: 0,
    knowledge_repaired_sentences_total: 0,
    knowledge_coverage_count: 1,
    knowledge_search_duration_seconds_count: 2,
    'knowledge_stage_duration_seconds_count{stage="search"}': 2,
    'knowledge_ingest_rows_total{status="added",kind="text"}': 1,
    'knowledge_ingest_rows_total{status="failed",kind="file"}': 1,
    'knowledge_jobs{state="waiting"}': 0,
    'knowledge_jobs{state="running"}': 0,
    knowledge_documents: 2,
  });
  // Unused features have no series.
  expect([...series.keys()].filter((name) => /vector|mirror/.test(name))).toEqual([]);
});

it('counts model calls, tokens and failures of answers and streams', async () => {
  const provider = await startFakeProvider();
  const settings = { LLM_BASE_URL: provider.baseUrl, LLM_API_KEY: 'sk-key', LLM_MODEL: 'writer' };
  const service = await startService(settings, refunds);
  const { generate, request } = service;
  provider.reply(
    'Refunds are paid within 30 days of purchase [1]. The moon is made of cheese [1].',
  );
  await generate(questionBody);
  const url = await serveOnLoopback(service);
  await readChunks(await openStream(`${url}/api/agents/knowledge/stream`, questionBody));
  const before = await seriesOf(await request('/metrics'));
  expect(Object.fromEntries(before)).toMatchObject({
    'knowledge_model_calls_total{model="writer",outcome="answered",purpose="answer"}': 2,
    'knowledge_model_tokens_total{model="writer",direction="input"}': 22,
    'knowledge_model_tokens_total{model="writer",direction="output"}': 14,
    'knowledge_model_call_duration_seconds_count{model="writer"}': 2,
    'knowledge_stage_duration_seconds_count{stage="model"}': 2,
    knowledge_dropped_sentences_total: 2,
    'knowledge_caller_tokens_total{caller="anonymous",direction="input"}': 22,
    'knowledge_namespace_tokens_total{namespace="docs",direction="output"}': 14,
    'knowledge_model_circuit_open{role="main"}': 0,
    [`gen_ai_client_token_usage_sum{${chat},gen_ai_token_type="input"}`]: 22,
    [`gen_ai_client_token_usage_bucket{le="16",${chat},gen_ai_token_type="output"}`]: 2,
    [`gen_ai_client_operation_duration_seconds_count{${chat}}`]: 2,
    [`knowledge_build_info{version="${packageVersion}",node="${process.version}"}`]: 1,
  });
  expect([...before.keys()].filter((name) => /role="(fallback|judge)"/.test(name))).toEqual([]);
  provider.reply((_, response) => void response.writeHead(500).end());
  expect((await generate(questionBody)).status).toBe(502);
  const after = await seriesOf(await request('/metrics'));
  const failures = after.get('knowledge_model_failures_total{model="writer",reason="http_5xx"}');
  expect(failures).toBeGreaterThan(0);
  expect(Object.fromEntries(after)).toMatchObject({
    'knowledge_model_calls_total{model="writer",outcome="failed",purpose="answer"}': failures,
    'knowledge_errors_total{code="model_failed"}': 1,
    [`gen_ai_client_operation_duration_seconds_count{${chat},error_type="http_5xx"}`]: failures,
  });
  await generate(questionBody);
  const open = await seriesOf(await request('/metrics'));
  expect(open.get('knowledge_model_circuit_open{role="main"}')).toBe(1);
});

it('labels at most 50 callers and namespaces, and names only keys', async () => {
  const metrics = new Metrics(async () => ({ warnings: [], droppedLogLines: new Map() }), '1.2.3');
  const call = {
    model: 'm',
    provider: 'p',
    outcome: 'answered',
    reason: undefined,
    ms: 1,
    inputTokens: 1,
    outputTokens: 1,
    isCounted: true,
  };
  for (const countedAs of ['jwt:ann', 'jwt', 'address:10.0.0.1', 'webhook:chat', undefined])
    metrics.modelCalled(call, { countedAs, namespace: 'n' });
  for (let number = 0; number < 100; number++)
    metrics.modelCalled(call, { countedAs: `key:${number}`, namespace: `n${number}` });
  const series = await seriesOf(new Response(await metrics.read()));
  const labels = (name: string) =>
    [...series.keys()].filter((one) => one.startsWith(name) && one.includes('direction="input"'));
  const callers = labels('knowledge_caller_tokens_total');
  expect([callers.length, labels('knowledge_namespace_tokens_total').length]).toEqual([51, 51]);
  expect(series.get('knowledge_caller_tokens_total{caller="other",direction="input"}')).toBe(53);
  expect(callers.join()).toMatch(/"key:0".*"key:46"/);
  expect(Object.fromEntries(series)).toMatchObject({
    'knowledge_caller_tokens_total{caller="jwt",direction="input"}': 2,
    'knowledge_caller_tokens_total{caller="anonymous",direction="input"}': 2,
    'knowledge_caller_tokens_total{caller="webhook",direction="input"}': 1,
  });
});

it('creates no series from paths, methods, namespaces, callers or texts', async () => {
  const { post, request } = await startService({ API_KEYS: 'boss' }, refunds);
  const boss = { 'x-api-key': 'boss' };
  await request('/metrics', { headers: boss });
  const before = [...(await seriesOf(await request('/metrics', { headers: boss }))).keys()];
  for (let number = 0; number < 12; number++) {
    await request(`/zq${number}`, { headers: boss });
    await request(`/zq${number}`);
    await request('/health', { method: `ZQ${number}` });
    await request(`/api/namespaces/zq${number}/documents`, { headers: boss });
    await request('/api/agents', { headers: { 'x-api-key': `zq${number}` } });
    await post(
      `/api/tools/zq${number}/execute`,
      { data: { query: `zq${number}` } },
      { ...boss, 'x-request-id': `zq${number}`, traceparent: `zq${number}` },
    );
  }
  const after = [...(await seriesOf(await request('/metrics', { headers: boss }))).keys()];
  expect(after.filter((series) => /zq/i.test(series))).toEqual([]);
  const added = after.filter(
    (series) => !before.includes(series) && series.startsWith('knowledge_requests_total'),
  );
  expect(added.length).toBeLessThan(10);
});

it('responds during startup without the series that are not known yet', async () => {
  const folder = await temporaryFolder();
  const config = parseConfig({
    KNOWLEDGE_DIR: folder,
    INDEX_DIR: folder,
    LOG_LEVEL: 'silent',
    API_KEYS: 'boss',
  });
  const parts = new Context(config);
  onTestFinished(() => parts.close());
  const app = createApp(config, parts.api, parts.logger);
  const response = await app.request('/metrics', { headers: { 'x-api-key': 'boss' } });
  expect(response.status).toBe(200);
  expect(
    [...(await seriesOf(response)).keys()].filter((name) => name.startsWith('knowledge_documents')),
  ).toEqual([]);
  expect((await app.request('/metrics')).status).toBe(401);
});
