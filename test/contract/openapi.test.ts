import { cp } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { operationsOf } from '../support/operation-bodies.ts';
import { sharedService, startService, temporaryFolder } from '../support/workspace.ts';

/**
 * The request that Swagger UI sends with its prefilled values; `given` replaces values that only
 * the server knows.
 */
function prefilled(
  path: string,
  { parameters = [], requestBody }: any,
  given: Readonly<Record<string, string>>,
) {
  const url = new URL(path, 'http://localhost');
  const headers = new Headers();
  for (const { name, in: place, required, example } of parameters) {
    const value = given[name] ?? (example === undefined ? undefined : String(example));
    if (value === undefined || (example === undefined && !required)) continue;
    if (place === 'path') url.pathname = decodeURI(url.pathname).replace(`{${name}}`, value);
    if (place === 'query') url.searchParams.set(name, value);
    if (place === 'header') headers.set(name, value);
  }
  const address = url.pathname + url.search;
  if (requestBody?.content['multipart/form-data']) {
    // Only the file cannot be prefilled.
    const form = new FormData();
    form.append('files', new File(['Visitors sign in at the desk.'], 'visitors.md'));
    return { address, headers, body: form };
  }
  const example = requestBody?.content['application/json']?.example;
  if (example === undefined) return { address, headers, body: undefined };
  headers.set('content-type', 'application/json');
  return { address, headers, body: JSON.stringify(example) };
}

it('the prefilled requests of a trusted key work with the sample', async () => {
  const key = { 'x-api-key': 'key' };
  const settings = {
    API_KEYS: 'key',
    CALLS_TRUSTED_KEYS: 'key',
    CHAT_WEBHOOK_PASSWORD: 'password',
    CHAT_CALLBACK_URL: 'http://127.0.0.1/',
  };
  const folder = await temporaryFolder();
  await cp(fileURLToPath(new URL('../../knowledge', import.meta.url)), folder, { recursive: true });
  const service = await startService({ KNOWLEDGE_DIR: folder, ...settings });
  const { request, ingest } = service;
  const sources = ['Visitors sign in at the desk.'];
  const started = await ingest({ namespace: 'try', sources, wait: false }, key);
  const jobId = started.headers.get('location')?.split('/').at(-1) ?? '';
  const statuses: Record<string, number> = {};
  const bodies: Record<string, any> = {};
  const operations = await operationsOf(service);
  const isLast = ({ operation }: (typeof operations)[number]) =>
    ['deleteDocument', 'deleteNamespace'].indexOf(operation.operationId);
  for (const { template: path, method, operation } of operations.sort(
    (a, b) => isLast(a) - isLast(b),
  )) {
    const { operationId } = operation;
    const { address, headers, body } = prefilled(path, operation, {
      ...(path.includes('/jobs/') ? { id: jobId } : {}),
      ...{ scheduleId: 'none', gapId: 'none' },
      runId: bodies['generate']?.runId,
    });
    expect(method !== 'POST' || body !== undefined, `${operationId} has a body`).toBe(true);
    const basic = { authorization: `Basic ${btoa('user:password')}` };
    for (const [name, value] of Object.entries(path.includes('/webhooks/') ? basic : key))
      headers.set(name, value);
    const sent = body === undefined ? {} : { body };
    const response = await request(address, { method, headers, ...sent });
    statuses[operationId] = response.status;
    const answer = await response.text();
    if (response.headers.get('content-type')?.includes('json'))
      bodies[operationId] = JSON.parse(answer);
  }
  const failed = Object.entries(statuses).filter(([, status]) => status >= 400);
  // Only the server knows the id of a schedule or a gap.
  const ofKnownIds = operations.flatMap(({ template, operation }) =>
    /gapId|scheduleId/.test(template) ? [[operation.operationId, 404]] : [],
  );
  expect(Object.fromEntries(failed)).toEqual(Object.fromEntries(ofKnownIds));
  expect(bodies).toMatchObject({
    generate: { answered: true },
    createChatCompletion: { knowledge: { answered: true } },
    createResponse: { knowledge: { answered: true } },
    verifyAnswer: { citations: [{ index: 1, status: 'holds' }] },
    readDocument: { file: 'refund-policy.md' },
  });
  expect(bodies['searchDocs'].results.length).toBeGreaterThan(0);
  expect(bodies['listCalls'].data.length).toBeGreaterThan(0);
});

it('every operation belongs to a described group', async () => {
  const { get } = await sharedService();
  const { tags } = (await get('/api/openapi.json')).body;
  const names = tags.map(({ name }: { name: string }) => name);
  const used = (await operationsOf({ get })).map(({ operation }) => operation.tags?.join());
  expect([...new Set(used)].sort()).toEqual(names.toSorted());
  for (const { description } of tags) expect(description).toMatch(/\.$/);
  // The last one is folded.
  expect(names.at(-1)).toBe('Compatibility');
});

it('Swagger UI is served completely by this server, runs only its scripts and sends requests only to it', async () => {
  const { request } = await sharedService();
  const response = await request('/swagger-ui');
  const page = await response.text();
  expect(response.headers.get('content-security-policy')?.split('; ')).toEqual(
    expect.arrayContaining([
      ...["default-src 'none'", "script-src 'self'", "connect-src 'self'", "base-uri 'none'"],
      "frame-ancestors 'none'",
    ]),
  );
  expect(page).not.toMatch(/<script(?![^>]* src=)|\son\w+=|<style|javascript:/);
  // Only the page of @hono/swagger-ui contains this.
  expect(page).toContain('<meta name="description" content="SwaggerUI" />');
  expect(page).not.toMatch(/https?:/);
  const assets = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url = '']) => url);
  expect(assets.length).toBeGreaterThanOrEqual(2);
  for (const asset of assets) {
    // Relative to the page, whatever its path.
    expect(asset).toMatch(/^swagger-ui\//);
    expect((await request(`/${asset}`)).status).toBe(200);
  }
  expect(await (await request('/swagger-ui/start.js')).text()).toContain("'api/openapi.json'");
  for (const other of ['package.json', '..%2f..%2fhono%2fpackage.json'])
    expect((await request(`/swagger-ui/swagger-ui-dist/${other}`)).status).toBe(404);
});
