import { expect, it } from 'vitest';
import { CallsError } from '../../packages/calls/src/errors.ts';
import { type ErrorCode, KnowledgeError } from '../../packages/shared/src/errors.ts';
import { parseConfig } from '../../src/config.ts';
import { dialects } from '../../src/http/agents/agent-routes.ts';
import { createApp } from '../../src/http/app.ts';
import { listed } from '../support/listed.ts';
import { bodiesFor, operationsOf } from '../support/operation-bodies.ts';
import { startService, type TestService } from '../support/workspace.ts';

type Api = TestService['api'];

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
  /** In place of the parameters of the path. */
  readonly value: string;
}

/** Valid requests to an operation, and invalid ones of every kind that it may detect. */
function requestsTo(operationId: string): Sent[] {
  const sent: Sent[] = [];
  const send = (namespace: string, headers: object, more: Partial<Sent> = {}) => {
    const body = bodiesFor(namespace)[operationId];
    sent.push({
      headers: { 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...{ value: namespace, ...more },
    });
  };
  const keyOf = (key: string) => ({ 'x-api-key': key });
  const [all, docs] = [keyOf('all-key'), keyOf('docs-key')];
  const keys = [all, docs, keyOf('app-key'), keyOf('wrong')];
  for (const headers of [...keys, webhook, {}]) send('docs', headers);
  for (const namespace of ['hr', 'none', 'A B'])
    for (const headers of [all, docs, webhook]) send(namespace, headers);
  for (const onBehalfOf of ['ann', '', 'x'.repeat(101)])
    for (const key of keys.slice(1)) send('docs', { ...key, onBehalfOf });
  const allowed = operationId === webhookId ? webhook : all;
  if (bodiesFor('docs')[operationId] === undefined)
    send('docs', { ...allowed, 'content-length': '3000000' });
  else {
    const large = JSON.stringify({ x: 'x'.repeat(3_000_000) });
    for (const body of ['', '{', 'null', '[]', '{}', '7', large]) send('docs', allowed, { body });
    send('docs', { ...allowed, 'content-type': 'text/plain' }, { body: '{}' });
  }
  if (operationId === 'uploadDocuments')
    for (const [name, boundary] of [
      ['a.md', '; boundary=b'],
      ['.a.md', '; boundary=b'],
      ['', '; boundary=b'],
      ['a.md', ''],
    ] as const) {
      const body = `--b\r\ncontent-disposition: form-data; name="files"; filename="${name}"\r\n\r\nRefunds.\r\n--b--\r\n`;
      send('docs', { ...allowed, 'content-type': `multipart/form-data${boundary}` }, { body });
    }
  for (const query of ['?page=x', '?limit=0', '?namespace=hr', '?namespace=A%20B', '?nothing=1'])
    for (const headers of [allowed, docs]) send('docs', headers, { query });
  return sent;
}

const failing = (api: Api, error: () => unknown): Api => {
  const fail = () => Promise.reject(error());
  const failIn = (part: object) =>
    new Proxy(part, {
      get: (of, name) =>
        typeof Reflect.get(of, name) === 'function' ? fail : Reflect.get(of, name),
    });
  const parts = (
    [
      'jobs',
      'documents',
      'answers',
      'staleAnswers',
      'conversations',
      'calls',
      'callsTools',
    ] as const
  ).map((name) => [name, failIn(api[name])]);
  return {
    ...api,
    ...Object.fromEntries(parts),
    ...{ ingestNow: fail, ingestUpload: fail, searchDocs: fail, ask: fail, takeChatMessage: fail },
    // biome-ignore lint/correctness/useYield: it fails before its first value
    stream: async function* () {
      throw error();
    },
  };
};

const writeOperations = listed(`
  ingestSources | uploadDocuments | deleteNamespace | deleteDocument | deleteSchedule | refreshNamespace | cancelJob
  readAnswer | giveFeedback | deleteMessages | deleteThread
`);
/** Operations whose namespace may be deleted during the write. */
const namespaceWrites = listed(
  'ingestSources | uploadDocuments | refreshNamespace | executeTool | deleteDocument',
);
const questionOperations = dialects.flatMap(({ operations }) =>
  operations.map(({ card }) => card.id),
);
const callsOperations = listed(
  'listCalls | summarizeAllCalls | readCall | listMyCalls | summarizeCalls',
);

/** Errors that an operation may encounter. */
function failuresOf(operationId: string): (() => unknown)[] {
  const failuresIf = (operations: readonly string[], ...codes: ErrorCode[]) =>
    operations.includes(operationId)
      ? codes.map((code) => () => new KnowledgeError(code, 'No.'))
      : [];
  const statuses = callsOperations.includes(operationId) ? [400, 429, 499, 502, 503, 504] : [];
  return [
    () => new Error('unforeseen'),
    ...failuresIf([operationId], 'stopping'),
    ...failuresIf(writeOperations, 'storage_full', 'storage_unavailable'),
    ...failuresIf(namespaceWrites, 'cancelled'),
    ...failuresIf(
      questionOperations,
      ...(['model_failed', 'model_unavailable', 'timeout', 'namespace_not_found'] as const),
    ),
    ...statuses.map((status) => () => new CallsError('ERR_X', 'It failed.', { status })),
  ];
}

/** Statuses that the requests must reach besides the common ones. */
const reached: Readonly<Record<string, readonly number[]>> = {
  readAnswer: [400, 404],
  giveFeedback: [400, 404, 413, 415, 507],
  uploadDocuments: [200, 400, 415, 422, 507],
  [webhookId]: [200, 413, 500],
};

it('every status of an operation is documented with its body', async () => {
  const service = await startService(settings, files);
  const appOf = (own: Record<string, string> = {}, api: Api = service.api) =>
    createApp(
      parseConfig({ RATE_LIMIT_PER_MINUTE: '0', ...settings, ...own }),
      api,
      service.logger,
    );
  const app = appOf();
  const openApp = appOf({ API_KEYS: '', CALLS_TRUSTED_KEYS: '' });
  const whenReady = Promise.resolve();
  const starting = appOf({}, { ...service.api, isReady: () => false, whenReady });

  const problems = new Set<string>();
  for (const { template, method, operation } of await operationsOf(service)) {
    const { operationId, responses } = operation;
    const statuses = new Set<number>();
    const ask = async (target: typeof app, { headers, body, query = '', value }: Sent) => {
      const path = template.replaceAll(/\{\w+\}/g, encodeURIComponent(value));
      const sent = body === undefined || method === 'GET' ? {} : { body };
      const response = await target.request(`${path}${query}`, { method, headers, ...sent });
      const text = await response.text();
      statuses.add(response.status);
      const documented = responses[response.status];
      if (!documented) problems.add(`${operationId}: ${response.status} ${text.slice(0, 200)}`);
      const isJson = response.headers.get('content-type')?.includes('json') === true;
      const { required = [] } = documented?.content?.['application/json']?.schema ?? {};
      for (const field of response.status >= 400 && isJson ? required : [])
        if (!(field in JSON.parse(text)))
          problems.add(`${operationId}: ${response.status} has no ${field}`);
      return response;
    };
    const requests = requestsTo(operationId);
    for (const sent of requests) await ask(app, sent);
    const [right] = requests;
    if (!right) continue;
    const admitted = (more: Record<string, string> = {}) => ({
      ...right,
      headers: { ...right.headers, ...(operationId === webhookId ? webhook : {}), ...more },
    });
    await ask(openApp, admitted({ host: 'evil.example' }));
    await ask(openApp, admitted({ origin: 'https://evil.example' }));
    const early = await ask(starting, admitted());
    if (early.status !== 200)
      expect([template, early.status, early.headers.get('retry-after')]).toEqual([
        ...[template, 503, '1'],
      ]);
    const limited = appOf({ RATE_LIMIT_PER_MINUTE: '1' });
    for (let time = 0; time < 3; time++) await ask(limited, admitted());
    for (const error of failuresOf(operationId))
      await ask(appOf({}, failing(service.api, error)), admitted());
    // Verifies the requests themselves: each protected operation must return each of the common
    // errors.
    const common = ['health', 'ready', 'readWidget'].includes(operationId)
      ? [200, 421]
      : [401, 403, 421, 429, operationId === 'readMetrics' ? 200 : 503];
    const wanted = [...common, ...(reached[operationId] ?? [])];
    const missing = wanted.filter((status) => !statuses.has(status));
    expect([operationId, missing]).toEqual([operationId, []]);
  }
  expect([...problems]).toEqual([]);
});
