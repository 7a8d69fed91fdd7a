import { expect, it } from 'vitest';
import { CallsError } from '../../packages/calls/src/errors.ts';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { parseConfig } from '../../src/config.ts';
import { createApp } from '../../src/http/app.ts';
import { listed } from '../support/listed.ts';
import { bodiesFor, operationsOf } from '../support/operation-bodies.ts';
import { startService } from '../support/workspace.ts';

type Api = Awaited<ReturnType<typeof startService>>['api'];
interface Operation {
  readonly operationId: string;
  readonly responses: Record<
    string,
    { content?: Record<string, { schema: { required?: string[] } }> }
  >;
}

const files = {
  'docs/refunds.md': '# Refunds\n\nRefunds are paid within 30 days.\n',
  'hr/pay.md': '# Pay\n\nSalaries are paid monthly.\n',
};
const settings = {
  API_KEYS: 'all-key,docs-key=docs,app-key',
  CALLS_TRUSTED_KEYS: 'app-key',
  CHAT_WEBHOOK_PASSWORD: 'p',
  CHAT_CALLBACK_URL: 'http://127.0.0.1/',
  MAX_BODY_BYTES: '2048',
};
const webhookId = 'receiveChatMessage';
const webhook = { authorization: `Basic ${btoa('u:p')}` };

interface Sent {
  readonly headers: Record<string, string>;
  readonly body?: string;
  readonly query?: string;
  readonly path: (template: string) => string;
}

const fillPath = (value: string) => (template: string) => template.replaceAll(/\{\w+\}/g, value);

/** Valid requests to an operation, and invalid ones of every kind that it may detect. */
function requestsTo(operationId: string): Sent[] {
  const json = { 'content-type': 'application/json' };
  const sent: Sent[] = [];
  const keys = ['all-key', 'docs-key', 'app-key', 'wrong'].map((key) => ({ 'x-api-key': key }));
  for (const namespace of ['docs', 'hr', 'none', 'A B']) {
    const body = bodiesFor(namespace)[operationId];
    const text = body === undefined ? {} : { body: JSON.stringify(body) };
    const path = fillPath(encodeURIComponent(namespace));
    for (const headers of namespace === 'docs'
      ? [...keys, webhook, {}]
      : [...keys.slice(0, 2), webhook])
      sent.push({ headers: { ...json, ...headers }, ...text, path });
    for (const onBehalfOf of namespace === 'docs' ? ['ann', '', 'x'.repeat(101)] : [])
      for (const key of keys.slice(1))
        sent.push({ headers: { ...json, ...key, onBehalfOf }, ...text, path });
  }
  const path = fillPath('docs');
  const allowed = operationId === webhookId ? webhook : { 'x-api-key': 'all-key' };
  if (bodiesFor('docs')[operationId] !== undefined)
    for (const body of [
      '',
      '{',
      'null',
      '[]',
      '{}',
      '7',
      JSON.stringify({ x: 'x'.repeat(3_000_000) }),
    ]) {
      sent.push({ headers: { ...json, ...allowed }, body, path });
      if (body === '{}')
        sent.push({ headers: { 'content-type': 'text/plain', ...allowed }, body, path });
    }
  else sent.push({ headers: { ...allowed, 'content-length': '3000000' }, path });
  if (operationId === 'uploadDocuments')
    for (const [name, type] of [
      ['a.md', 'multipart/form-data; boundary=b'],
      ['.a.md', 'multipart/form-data; boundary=b'],
      ['', 'multipart/form-data; boundary=b'],
      ['a.md', 'multipart/form-data'],
    ] as const) {
      const body = `--b\r\ncontent-disposition: form-data; name="files"; filename="${name}"\r\n\r\nRefunds.\r\n--b--\r\n`;
      sent.push({ headers: { ...allowed, 'content-type': type }, body, path });
    }
  for (const query of ['?page=x', '?limit=0', '?namespace=hr', '?namespace=A%20B', '?nothing=1']) {
    sent.push({ headers: allowed, query, path });
    sent.push({ headers: { 'x-api-key': 'docs-key' }, query, path });
  }
  return sent;
}

const failing = (api: Api, error: () => unknown): Api => {
  const fail = () => Promise.reject(error());
  const all = <Part extends object>(part: Part): Part =>
    new Proxy(part, {
      get: (of, name) =>
        typeof Reflect.get(of, name) === 'function' ? fail : Reflect.get(of, name),
    });
  return {
    ...api,
    ingestNow: fail,
    ingestUpload: fail,
    searchDocs: fail,
    ask: fail,
    // biome-ignore lint/correctness/useYield: it fails before its first value
    stream: async function* () {
      throw error();
    },
    jobs: all(api.jobs),
    documents: all(api.documents),
    answers: all(api.answers),
    staleAnswers: all(api.staleAnswers),
    conversations: all(api.conversations),
    calls: all(api.calls),
    callsTools: all(api.callsTools),
    takeChatMessage: fail,
  };
};

const writeOperations = new Set([
  ...listed(`
      ingestSources | uploadDocuments | deleteNamespace | deleteDocument | deleteSchedule | refreshNamespace | cancelJob
      readAnswer | giveFeedback | deleteMessages | deleteThread
    `),
]);
/** Operations whose namespace may be deleted during the write. */
const namespaceWrites = new Set([
  'ingestSources',
  'uploadDocuments',
  'refreshNamespace',
  'executeTool',
  'deleteDocument',
]);
const questionOperations = new Set([
  ...['generate', 'stream', 'generateVnext', 'streamVnext', 'generateLegacy', 'streamLegacy'],
  ...['createChatCompletion', 'createResponse', 'chat', 'runAgent'],
]);
const callsOperations = new Set([
  'listCalls',
  'summarizeAllCalls',
  'readCall',
  'listMyCalls',
  'summarizeCalls',
]);

/** Errors that an operation may encounter. */
function failuresOf(operationId: string): (() => unknown)[] {
  const callsError = (status: number) => () => new CallsError('ERR_X', 'It failed.', { status });
  return [
    () => new Error('unforeseen'),
    () => new KnowledgeError('stopping', 'The server is stopping.'),
    ...(writeOperations.has(operationId)
      ? [
          () => new KnowledgeError('storage_full', 'Full.'),
          () => new KnowledgeError('storage_unavailable', 'No.'),
        ]
      : []),
    ...(namespaceWrites.has(operationId)
      ? [() => new KnowledgeError('cancelled', 'Deleted.')]
      : []),
    ...(questionOperations.has(operationId)
      ? (['model_failed', 'model_unavailable', 'timeout', 'namespace_not_found'] as const).map(
          (code) => () => new KnowledgeError(code, 'No.'),
        )
      : []),
    ...(callsOperations.has(operationId) ? [400, 429, 499, 502, 503, 504].map(callsError) : []),
  ];
}

it('every status of an operation is documented with its body', async () => {
  const service = await startService(settings, files);
  const config = parseConfig({ RATE_LIMIT_PER_MINUTE: '0', ...settings });
  const app = createApp(config, service.api, service.logger);
  const { API_KEYS: _keys, CALLS_TRUSTED_KEYS: _trusted, ...openSettings } = settings;
  const anonymous = parseConfig({ RATE_LIMIT_PER_MINUTE: '0', ...openSettings });
  const openApp = createApp(anonymous, service.api, service.logger);
  const limited = parseConfig({ ...settings, RATE_LIMIT_PER_MINUTE: '1' });
  const starting = createApp(
    config,
    { ...service.api, isReady: () => false, whenReady: Promise.resolve() },
    service.logger,
  );

  const problems = new Set<string>();
  const seen = new Map<string, Set<number>>();
  for (const { template, method, operation } of await operationsOf(service)) {
    const { operationId, responses }: Operation = operation;
    const statuses = seen.get(operationId) ?? new Set<number>();
    seen.set(operationId, statuses);
    const ask = async (target: typeof app, { headers, body, query = '', path }: Sent) => {
      const init = {
        method,
        headers,
        ...(body === undefined || method === 'GET' ? {} : { body }),
      };
      const response = await target.request(`${path(template)}${query}`, init);
      const text = await response.text();
      statuses.add(response.status);
      const documented = responses[response.status];
      if (!documented) problems.add(`${operationId}: ${response.status} ${text.slice(0, 200)}`);
      for (const field of (response.status >= 400 &&
        documented?.content?.['application/json']?.schema.required) ||
        [])
        if (response.headers.get('content-type')?.includes('json') && !(field in JSON.parse(text)))
          problems.add(`${operationId}: ${response.status} has no ${field}`);
      return response;
    };
    const requests = requestsTo(operationId);
    for (const sent of requests) await ask(app, sent);
    const [right] = requests;
    if (!right) continue;
    const admitted = {
      ...right,
      headers: { ...right.headers, ...(operationId === webhookId ? webhook : {}) },
    };
    await ask(openApp, { ...admitted, headers: { ...admitted.headers, host: 'evil.example' } });
    await ask(openApp, {
      ...admitted,
      headers: { ...admitted.headers, origin: 'https://evil.example' },
    });
    const early = await ask(starting, admitted);
    if (early.status !== 200)
      expect([template, early.status, early.headers.get('retry-after')]).toEqual([
        ...[template, 503, '1'],
      ]);
    const limitedApp = createApp(limited, service.api, service.logger);
    for (let time = 0; time < 3; time++) await ask(limitedApp, admitted);
    for (const error of failuresOf(operationId))
      await ask(createApp(config, failing(service.api, error), service.logger), admitted);
  }
  expect([...problems]).toEqual([]);
  // Verifies the requests themselves: each protected operation must return each of the common
  // errors.
  for (const [operationId, statuses] of seen) {
    const wanted = ['health', 'ready', 'readWidget'].includes(operationId)
      ? [200, 421]
      : [401, 403, 421, 429, ...(operationId === 'readMetrics' ? [200] : [503])];
    expect([operationId, wanted.filter((status) => !statuses.has(status))]).toEqual([
      operationId,
      [],
    ]);
  }
  expect([...(seen.get('readAnswer') ?? [])]).toEqual(expect.arrayContaining([400, 403, 404]));
  expect([...(seen.get('giveFeedback') ?? [])]).toEqual(
    expect.arrayContaining([400, 403, 404, 413, 415, 507]),
  );
  expect([...(seen.get('uploadDocuments') ?? [])]).toEqual(
    expect.arrayContaining([200, 400, 403, 415, 422, 507]),
  );
  expect([...(seen.get(webhookId) ?? [])]).toEqual(expect.arrayContaining([200, 413, 500]));
});
