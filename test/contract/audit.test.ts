/**
 * The log line `audit`: one per write over any endpoint and one per refusal, at every LOG_LEVEL
 * except `silent`.
 */
import { expect, it } from 'vitest';
import { dialects } from '../../src/http/agents/agent-routes.ts';
import { isWrite, type OperationCard, operations } from '../../src/http/operations.ts';
import { createLogger } from '../../src/log.ts';
import { bodiesFor, mcpCall, pathOf } from '../support/operation-bodies.ts';
import { startService } from '../support/workspace.ts';

type Line = Record<string, unknown>;

const refunds = {
  'docs/refunds.md': '# Refunds\n\nRefunds are paid within 30 days of purchase.\n',
};

async function stage(
  settings: Record<string, string> = {},
  level: 'warn' | 'error' | 'silent' = 'warn',
) {
  const all = {
    API_KEYS: 'boss,limited=docs:read+write,reader=docs:read',
    RATE_LIMIT_PER_MINUTE: '0',
    CHAT_WEBHOOK_PASSWORD: 'p',
    CHAT_CALLBACK_URL: 'http://127.0.0.1/',
    ...settings,
  };
  const lines: string[] = [];
  const logger = createLogger(level, { write: (line) => void lines.push(line) });
  const { request } = await startService(all, refunds, { logger });
  async function audited(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = { 'x-api-key': 'boss' },
  ) {
    lines.length = 0;
    const isJson = body !== undefined && !(body instanceof FormData);
    const response = await request(path, {
      method,
      headers: { ...headers, ...(isJson ? { 'content-type': 'application/json' } : {}) },
      ...(body === undefined ? {} : { body: isJson ? JSON.stringify(body) : body }),
    });
    const text = await response.text();
    const audits: Line[] = lines
      .map((line) => JSON.parse(line))
      .filter(({ msg }) => msg === 'audit');
    return {
      audits,
      status: response.status,
      body: text.startsWith('{') ? JSON.parse(text) : undefined,
    };
  }
  return { audited, lines };
}

/** Questions, and reads that have a request body. */
const reads = new Set([
  ...['searchDocs', 'verifyAnswer', 'listMyCalls', 'summarizeCalls', 'receiveChatMessage'],
  ...['mcp', 'executeTool', 'executeAgentTool'],
  ...dialects.flatMap((dialect) => dialect.operations.map(({ card }) => card.id)),
]);

it('each operation that writes logs one line', async () => {
  const { audited } = await stage();
  const upload = new FormData();
  upload.append('files', new File(['A note.'], 'note.md'));
  for (const [id, card] of Object.entries<OperationCard>(operations)) {
    const [method = '', path = ''] = card.at.split(' ');
    const address = pathOf(path.replaceAll(/:(\w+)/g, '{$1}'));
    const body = id === 'uploadDocuments' ? upload : bodiesFor('docs')[id];
    const { audits, status } = await audited(method, address, body);
    const writes = method !== 'GET' && !reads.has(id);
    const isUnknownWebhook = id === 'receiveChatMessage';
    expect([id, isWrite(id, card, undefined)]).toEqual([id, writes]);
    if (isUnknownWebhook) continue;
    expect([
      id,
      audits.map(({ audit, operation, status: lineStatus }) => ({ audit, operation, lineStatus })),
    ]).toEqual([id, writes ? [{ audit: 'write', operation: id, lineStatus: status }] : []]);
  }
});

it('the line names the caller, the target and the number of changes', async () => {
  const { audited } = await stage();
  const sources = [{ text: 'Shipping is free.' }, { path: './none.md' }];
  const ingested = await audited('POST', '/api/tools/ingestSources', {
    namespace: 'docs',
    sources,
  });
  expect(ingested.audits).toMatchObject([
    {
      ...{ level: 'audit', audit: 'write', operation: 'ingestSources', namespace: 'docs' },
      ...{ status: 200, changed: { added: 1, failed: 1 } },
      caller: expect.stringMatching(/^key:[0-9a-f]{12}$/),
      requestId: expect.stringMatching(/./),
    },
  ]);
  const { id } = ingested.body.results[0].document;
  expect((await audited('DELETE', `/api/namespaces/docs/documents/${id}`)).audits).toMatchObject([
    { changed: { document: id } },
  ]);
  expect((await audited('DELETE', '/api/namespaces/docs/documents/none')).audits).toMatchObject([
    { audit: 'write', status: 404, code: 'document_not_found' },
  ]);
  const job = await audited('POST', '/api/namespaces/docs/refresh', { wait: false });
  expect(job.audits).toMatchObject([
    { operation: 'refreshNamespace', status: 202, changed: { job: job.body.id } },
  ]);
  const { body } = await audited('POST', '/api/agents/knowledge/generate', {
    ...(bodiesFor('docs')['generate'] as object),
    memory: { thread: 'a', resource: 'b' },
  });
  const feedback = await audited('POST', `/api/answers/${body.runId}/feedback`, { rating: 'up' });
  expect(feedback.audits).toMatchObject([
    { operation: 'giveFeedback', namespace: 'docs', changed: { answer: body.runId } },
  ]);
  expect((await audited('DELETE', '/api/memory/threads/a')).audits).toMatchObject([
    { operation: 'deleteThread', changed: { deleted: 1 } },
  ]);
  expect((await audited('DELETE', '/api/namespaces/docs')).audits).toMatchObject([
    { namespace: 'docs', changed: { deleted: 1 } },
  ]);
});

const shipping = { namespace: 'docs', sources: [{ text: 'Shipping is free.', title: 'Shipping' }] };
const search = { query: 'refunds', namespace: 'docs' };
it.each<[string, object, string | undefined]>([
  ['/api/tools/ingestSources/execute', { data: shipping }, 'executeTool'],
  ['/api/tools/searchDocs/execute', { data: search }, undefined],
  ['/mcp', mcpCall('ingestSources', shipping), 'mcp'],
  ['/mcp', mcpCall('searchDocs', search), undefined],
])(
  'the line of %s with %j names a tool that writes, and none that reads: %s',
  async (path, body, operation) => {
    const { audited } = await stage();
    const tool = { audit: 'write', operation, tool: 'ingestSources', namespace: 'docs' };
    expect((await audited('POST', path, body)).audits).toMatchObject(
      operation ? [{ ...tool, changed: { added: 1 } }] : [],
    );
  },
);

it('each refusal logs a line, even if the response hides the reason', async () => {
  const { audited } = await stage({ JWT_SECRET: 'a-secret-of-thirty-two-characters-or-more' });
  const limited = { 'x-api-key': 'limited' };
  const acting = { ...limited, onBehalfOf: 'ann' };
  const { body: job } = await audited('POST', '/api/tools/ingestSources', {
    namespace: 'payroll',
    sources: ['Pay.'],
    wait: false,
  });
  const reader = { 'x-api-key': 'reader' };
  const wrong = { authorization: `Basic ${btoa('u:wrong')}` };
  const generate = '/api/agents/knowledge/generate';
  const asked = { messages: '@agent pay?', toolParams: { namespace: 'payroll' } };
  const { createChatCompletion: completion, verifyAnswer: verified } = bodiesFor('payroll');
  const searchPay = mcpCall('searchDocs', { query: 'pay', namespace: 'payroll' });
  const refused: [
    at: string,
    headers: Record<string, string>,
    code: string | undefined,
    namespace?: string | undefined,
    body?: unknown,
  ][] = [
    ['GET /nowhere', { authorization: 'Bearer wrong' }, 'unauthorized'],
    ['GET /v3/calls', {}, 'unauthorized'],
    ['POST /api/webhooks/chat', wrong, 'unauthorized', undefined, {}],
    ['GET /api/gaps', limited, 'right_missing'],
    ['GET /v3/calls', limited, 'right_missing'],
    ['DELETE /api/namespaces/payroll', limited, 'namespace_not_allowed', 'payroll'],
    ['GET /api/namespaces/payroll/documents', limited, 'namespace_not_found', 'payroll'],
    [`POST ${generate}`, limited, 'namespace_not_found', 'payroll', asked],
    ['POST /v1/chat/completions', limited, 'namespace_not_found', 'payroll', completion],
    [`GET /api/jobs/${job.id}`, limited, 'job_not_found', 'payroll'],
    ['POST /api/answers/verify', limited, undefined, 'payroll', verified],
    [`POST ${generate}`, acting, 'acting_user_not_allowed', 'docs', bodiesFor('docs')['generate']],
    ['POST /mcp', limited, 'namespace_not_found', 'payroll', searchPay],
    ['POST /mcp', reader, 'right_missing', undefined, mcpCall('listCalls', {})],
  ];
  for (const [at, headers, code, namespace, body] of refused) {
    const [method = '', path = ''] = at.split(' ');
    const { audits } = await audited(method, path, body, headers);
    expect([at, audits.map((line) => [line['audit'], line['code'], line['namespace']])]).toEqual([
      at,
      [['refused', code, namespace]],
    ]);
  }
  // A missing namespace is not a refusal if the caller may use it.
  expect((await audited('GET', '/api/namespaces/ghost/documents')).audits).toEqual([]);
});

it('the line appears at every level except silent', async () => {
  const loud = await stage({}, 'error');
  expect((await loud.audited('DELETE', '/api/namespaces/docs')).audits).toHaveLength(1);
  expect(loud.lines).toHaveLength(1);
  const silent = await stage({}, 'silent');
  expect((await silent.audited('DELETE', '/api/namespaces/docs')).audits).toEqual([]);
});
