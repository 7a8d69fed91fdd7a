import { expect, it } from 'vitest';
import { startService } from '../support/workspace.ts';

it('the document has every operation and no other', async () => {
  const { get } = await startService();
  const { body } = await get('/api/openapi.json');
  expect(body.openapi).toMatch(/^3\.1/);
  const operations = Object.entries<Record<string, { operationId: string }>>(body.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId }]) => `${method.toUpperCase()} ${path} ${operationId}`),
  );
  expect(operations.sort()).toEqual([
    'DELETE /api/jobs/{id} cancelJob',
    'DELETE /api/namespaces/{namespace} deleteNamespace',
    'DELETE /api/namespaces/{namespace}/documents/{id} deleteDocument',
    'GET /api/agents listAgents',
    'GET /api/answers/{runId} readAnswer',
    'GET /api/gaps listGaps',
    'GET /api/jobs/{id} readJob',
    'GET /api/jobs/{id}/events followJob',
    'GET /api/namespaces listNamespaces',
    'GET /api/namespaces/{namespace}/documents listDocuments',
    'GET /api/namespaces/{namespace}/documents/{id} readDocument',
    'GET /health health',
    'GET /ready ready',
    'GET /v3/calls listCalls',
    'GET /v3/calls/{sessionId} readCall',
    'POST /api/agents/{agentId}/generate generate',
    'POST /api/agents/{agentId}/stream stream',
    'POST /api/answers/verify verifyAnswer',
    'POST /api/answers/{runId}/feedback giveFeedback',
    'POST /api/namespaces/{namespace}/refresh refreshNamespace',
    'POST /api/tools/ingestSources ingestSources',
    'POST /api/tools/listCalls listMyCalls',
    'POST /api/tools/searchDocs searchDocs',
    'POST /api/tools/summarizeCalls summarizeCalls',
    'POST /v3/webhooks/calls receiveCallEvent',
  ]);
});

it('every operation says what it takes, what it gives, and how it fails', async () => {
  const { get } = await startService();
  const { body } = await get('/api/openapi.json');
  for (const [path, method] of [
    ['/api/tools/ingestSources', 'post'],
    ['/api/tools/searchDocs', 'post'],
    ['/api/agents/{agentId}/generate', 'post'],
  ] as const) {
    const operation = body.paths[path][method];
    expect(operation.requestBody.content['application/json'].schema.properties).toBeDefined();
    expect(operation.responses[200].content['application/json'].schema.properties).toBeDefined();
    for (const status of [400, 401, 403, 413, 415, 429])
      expect(operation.responses[status].content['application/json'].schema.required).toEqual(['error', 'code', 'requestId']);
  }
  expect(body.paths['/api/agents/{agentId}/generate'].post.parameters).toMatchObject([{ name: 'agentId', in: 'path', required: true }]);
});

it('Swagger UI comes whole from this server', async () => {
  const { request } = await startService();
  const page = await (await request('/swagger-ui')).text();
  const assets = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url = '']) => url);
  expect(assets.length).toBeGreaterThanOrEqual(2);
  for (const asset of assets) {
    expect(asset).toMatch(/^\/swagger-ui\//);
    expect((await request(asset)).status).toBe(200);
  }
  expect(page).toContain('/api/openapi.json');
  expect((await request('/swagger-ui/swagger-ui-dist/package.json')).status).toBe(404);
  expect((await request('/swagger-ui/swagger-ui-dist/..%2f..%2fhono%2fpackage.json')).status).toBe(404);
});

it('the agents are listed with their tools, never with their instructions', async () => {
  const { get } = await startService();
  const { body } = await get('/api/agents');
  expect(body).toMatchObject({ knowledge: { id: 'knowledge', tools: { docsRetriever: { id: 'docsRetriever' } } } });
  expect(Object.keys(body.knowledge).sort()).toEqual(['description', 'id', 'name', 'tools']);
  expect(JSON.stringify(body)).not.toContain('You answer');
});
