/** The values of the metrics, and that requests cannot create series. */
import { expect, it } from 'vitest';
import { Metrics } from '../../src/metrics.ts';
import { packageVersion } from '../../src/package.ts';
import { openStream, readChunks, serveOnLoopback } from '../support/event-stream.ts';
import { startFakeProvider } from '../support/fake-provider.ts';
import { startService, type TestService } from '../support/workspace.ts';

const refunds = {
  'docs/refunds.md': '# Refunds\n\nRefunds are paid within 30 days of purchase.\n',
};
const chat =
  'gen_ai_operation_name="chat",gen_ai_provider_name="openai",gen_ai_request_model="writer"';
const questionBody = {
  messages: '@agent how long do refunds take?',
  toolParams: { namespace: 'docs' },
};

/** Value of each series. */
function seriesIn(text: string): Readonly<Record<string, number>> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return Object.fromEntries(
    lines.map((line) => {
      const end = line.lastIndexOf(' ');
      return [line.slice(0, end), Number(line.slice(end + 1))];
    }),
  );
}
const seriesOf = async ({ get }: TestService, headers?: Record<string, string>) =>
  seriesIn((await get('/metrics', headers)).body);

it('counts requests, answers, searches, ingested rows and documents', async () => {
  const service = await startService({}, refunds);
  const { ingest, find, generate, get } = service;
  await generate(questionBody);
  await generate({ ...questionBody, messages: 'a message to a colleague' });
  await find({ query: 'refunds', namespace: 'docs' });
  const sources = [{ text: 'Shipping is free.' }, { path: './none.md' }];
  await ingest({ namespace: 'docs', sources });
  await get('/api/namespaces/none/documents');

  const { headers } = await get('/metrics');
  expect(headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const series = await seriesOf(service);
  expect(series).toMatchObject({
    'knowledge_requests_total{operation="generate",status="200"}': 2,
    'knowledge_caller_requests_total{operation="generate",caller="anonymous",namespace="docs"}': 2,
    'knowledge_requests_total{operation="listDocuments",status="404"}': 1,
    'knowledge_request_duration_seconds_count{operation="generate"}': 2,
    'knowledge_errors_total{code="namespace_not_found"}': 1,
    'knowledge_answers_total{reason="answered",degraded="false"}': 1,
    knowledge_repaired_sentences_total: 0,
    knowledge_coverage_count: 1,
    knowledge_search_duration_seconds_count: 2,
    'knowledge_stage_duration_seconds_count{stage="search"}': 2,
    'knowledge_ingest_rows_total{status="added",kind="text"}': 1,
    'knowledge_ingest_rows_total{status="failed",kind="file"}': 1,
    'knowledge_jobs{state="running"}': 0,
    knowledge_documents: 2,
  });
  // Unused features have no series.
  expect(Object.keys(series).join()).not.toMatch(/vector|mirror/);
});

it('counts model calls, tokens and failures of answers and streams', async () => {
  const provider = await startFakeProvider();
  const settings = { LLM_BASE_URL: provider.baseUrl, LLM_API_KEY: 'sk-key', LLM_MODEL: 'writer' };
  const service = await startService(settings, refunds);
  provider.reply(
    'Refunds are paid within 30 days of purchase [1]. The moon is made of cheese [1].',
  );
  await service.generate(questionBody);
  const url = await serveOnLoopback(service);
  await readChunks(await openStream(`${url}/api/agents/knowledge/stream`, questionBody));
  const before = await seriesOf(service);
  expect(before).toMatchObject({
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
  expect(Object.keys(before).join()).not.toMatch(/role="(fallback|judge)"/);
  provider.reply((_, response) => void response.writeHead(500).end());
  expect((await service.generate(questionBody)).status).toBe(502);
  const after = await seriesOf(service);
  const failures = after['knowledge_model_failures_total{model="writer",reason="http_5xx"}'];
  expect(failures).toBeGreaterThan(0);
  expect(after).toMatchObject({
    'knowledge_model_calls_total{model="writer",outcome="failed",purpose="answer"}': failures,
    'knowledge_errors_total{code="model_failed"}': 1,
    [`gen_ai_client_operation_duration_seconds_count{${chat},error_type="http_5xx"}`]: failures,
  });
  await service.generate(questionBody);
  expect(await seriesOf(service)).toMatchObject({ 'knowledge_model_circuit_open{role="main"}': 1 });
});

it('labels at most 50 callers and namespaces, and names only keys', async () => {
  const metrics = new Metrics(async () => ({ warnings: [], droppedLogLines: new Map() }), '1.2.3');
  const tokens = { inputTokens: 1, outputTokens: 1, isCounted: true };
  const call = { model: 'm', provider: 'p', outcome: 'answered', reason: undefined, ms: 1 };
  const modelCalled = (countedAs: string | undefined, namespace: string) =>
    metrics.modelCalled({ ...call, ...tokens }, { countedAs, namespace });
  for (const countedAs of ['jwt:ann', 'jwt', 'address:10.0.0.1', 'webhook:chat', undefined])
    modelCalled(countedAs, 'n');
  for (let number = 0; number < 100; number++) modelCalled(`key:${number}`, `n${number}`);
  const series = seriesIn(await metrics.read());
  const labels = (name: string) =>
    Object.keys(series).filter((one) => one.startsWith(name) && one.includes('direction="input"'));
  const callers = labels('knowledge_caller_tokens_total');
  expect([callers.length, labels('knowledge_namespace_tokens_total').length]).toEqual([51, 51]);
  expect(callers.join()).toMatch(/"key:0".*"key:46"/);
  expect(series).toMatchObject({
    'knowledge_caller_tokens_total{caller="other",direction="input"}': 53,
    'knowledge_caller_tokens_total{caller="jwt",direction="input"}': 2,
    'knowledge_caller_tokens_total{caller="anonymous",direction="input"}': 2,
    'knowledge_caller_tokens_total{caller="webhook",direction="input"}': 1,
  });
});

it('creates no series from paths, methods, namespaces, callers or texts', async () => {
  const boss = { 'x-api-key': 'boss' };
  const service = await startService({ API_KEYS: 'boss' }, refunds);
  const { get, post, request } = service;
  for (let number = 0; number < 2; number++) {
    const name = `zq${number}`;
    await get(`/${name}`, boss);
    await get(`/${name}`);
    await request('/health', { method: name.toUpperCase() });
    await get(`/api/namespaces/${name}/documents`, boss);
    await get('/api/agents', { 'x-api-key': name });
    const headers = { ...boss, 'x-request-id': name, traceparent: name };
    await post(`/api/tools/${name}/execute`, { data: { query: name } }, headers);
  }
  const series = Object.keys(await seriesOf(service, boss));
  expect(series.filter((one) => /zq/i.test(one))).toEqual([]);
});
