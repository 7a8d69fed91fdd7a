import { cp, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ScheduleRows } from '../../src/records/schedule-table.ts';
import { operationsOf } from '../support/operation-bodies.ts';
import { storeIn } from '../support/state.ts';
import { sharedService, startService, temporaryFolder } from '../support/workspace.ts';

const samples = fileURLToPath(new URL('../../knowledge', import.meta.url));

interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly example?: string | number;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: {
    readonly content: {
      readonly 'application/json'?: { readonly example?: unknown };
      readonly 'multipart/form-data'?: unknown;
    };
  };
}

/**
 * The request that Swagger UI sends with its prefilled values; `given` replaces values that only
 * the server knows.
 */
function prefilled(
  path: string,
  method: string,
  { parameters = [], requestBody }: Operation,
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
  if (requestBody?.content['multipart/form-data']) {
    // Only the file cannot be prefilled.
    const form = new FormData();
    form.append('files', new File(['Visitors sign in at the desk.'], 'visitors.md'));
    return { address: url.pathname, init: { method, headers, body: form } };
  }
  const body = requestBody?.content['application/json']?.example;
  if (body !== undefined) headers.set('content-type', 'application/json');
  return {
    address: url.pathname + url.search,
    init: { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) },
  };
}

describe.each<{
  who: string;
  settings: Record<string, string>;
  credentials: Record<string, string>;
  refused: string[];
}>([
  {
    who: 'a caller without a key',
    settings: {},
    credentials: {},
    refused: ['listMyCalls', 'summarizeCalls', 'receiveChatMessage'],
  },
  {
    who: 'a trusted key',
    settings: {
      API_KEYS: 'key',
      CALLS_TRUSTED_KEYS: 'key',
      CHAT_WEBHOOK_PASSWORD: 'password',
      CHAT_CALLBACK_URL: 'http://127.0.0.1/',
    },
    credentials: { 'x-api-key': 'key' },
    refused: [],
  },
])('a prefilled request of $who', ({ settings, credentials, refused }) => {
  it('works for every operation with the sample', async () => {
    const folder = await temporaryFolder();
    await cp(samples, folder, { recursive: true });
    const scheduled = {
      request: { type: 'path', path: 'faq.md', label: 'faq.md' },
      everyMs: 60_000,
      nextAt: '2999-01-01T00:00:00Z',
    };
    await mkdir(join(folder, 'try'));
    const stateDir = await temporaryFolder();
    const store = storeIn(stateDir);
    await new ScheduleRows(store).change('try', async () => JSON.stringify([scheduled]));
    await store.close();
    const folders = { KNOWLEDGE_DIR: folder, STATE_DIR: stateDir };
    const { request, get, post } = await startService({ ...folders, ...settings });
    const operations = await operationsOf({ get });
    const isLast = ({ operation }: (typeof operations)[number]) =>
      ['deleteDocument', 'deleteNamespace'].indexOf(operation.operationId);
    const statuses: Record<string, number> = {};
    const bodies: Record<string, any> = {};
    const send = async (path: string, init: RequestInit) => {
      const basic = path.includes('/webhooks/')
        ? { authorization: `Basic ${btoa('user:password')}` }
        : credentials;
      for (const [name, value] of Object.entries(basic)) (init.headers as Headers).set(name, value);
      return request(path, init);
    };
    const sources = ['Visitors sign in at the desk.'];
    const ingest = { namespace: 'try', sources, wait: false };
    const started = await post('/api/tools/ingestSources', ingest, credentials);
    const id = started.headers.get('location')?.split('/').at(-1) ?? '';
    const { namespaces } = (await get('/api/namespaces', credentials)).body;
    const scheduleId = namespaces.find(({ name }: { name: string }) => name === 'try').schedules[0]
      .id;
    const unanswered = { messages: '@agent who feeds the zebra?' };
    await post('/api/agents/knowledge/generate', unanswered, credentials);
    const { gaps } = (await get('/api/gaps', credentials)).body;
    for (const { template: path, method, operation } of operations.sort(
      (a, b) => isLast(a) - isLast(b),
    )) {
      const jobId = path.includes('/jobs/') ? { id } : {};
      const { address, init } = prefilled(path, method, operation, {
        ...jobId,
        scheduleId,
        gapId: gaps[0].id,
        runId: bodies['generate']?.runId,
      });
      expect(
        init.method !== 'POST' || init.body !== undefined,
        `${operation.operationId} has a body`,
      ).toBe(true);
      const response = await send(address, init);
      statuses[operation.operationId] = response.status;
      const answer = await response.text();
      if (response.headers.get('content-type')?.includes('json'))
        bodies[operation.operationId] = JSON.parse(answer);
    }
    const failed = Object.entries(statuses).filter(([, status]) => status >= 400);
    expect(Object.fromEntries(failed)).toEqual(
      // Only the server knows another gap, and the wordings of one.
      Object.fromEntries([
        ...refused.map((name) => [name, 403] as const),
        ...Object.entries({ mergeGaps: 404, splitGap: 400 }),
      ]),
    );
    expect(bodies['generate']).toMatchObject({ answered: true });
    expect(bodies['createChatCompletion'].knowledge).toMatchObject({ answered: true });
    expect(bodies['createResponse'].knowledge).toMatchObject({ answered: true });
    expect(bodies['searchDocs'].results.length).toBeGreaterThan(0);
    expect(bodies['verifyAnswer']).toMatchObject({ citations: [{ index: 1, status: 'holds' }] });
    expect(bodies['readDocument']).toMatchObject({ file: 'refund-policy.md' });
    expect(bodies['listCalls'].data.length).toBeGreaterThan(0);
  });
});

it('every operation belongs to a described group', async () => {
  const { get } = await sharedService();
  const { tags } = (await get('/api/openapi.json')).body;
  const used = (await operationsOf({ get })).map(({ operation }) => operation.tags?.join());
  expect([...new Set(used)].sort()).toEqual(tags.map(({ name }: { name: string }) => name).sort());
  for (const { description } of tags) expect(description).toMatch(/\.$/);
  // By use; the last one is folded.
  expect(tags.map(({ name }: { name: string }) => name)).toEqual([
    ...['Ask', 'Ingest', 'Search', 'Documents', 'Jobs', 'Answers', 'Calls', 'Server'],
    'Compatibility',
  ]);
});

it('Swagger UI is served completely by this server', async () => {
  const { request } = await sharedService();
  const page = await (await request('/swagger-ui')).text();
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
  expect((await request('/swagger-ui/swagger-ui-dist/package.json')).status).toBe(404);
  expect((await request('/swagger-ui/swagger-ui-dist/..%2f..%2fhono%2fpackage.json')).status).toBe(
    404,
  );
});

it("the page of Swagger UI runs only this server's scripts and sends requests only to it", async () => {
  const { request } = await sharedService();
  const response = await request('/swagger-ui');
  const policy = new Map(
    (response.headers.get('content-security-policy') ?? '').split('; ').map((rule) => {
      const [name = '', ...sources] = rule.split(' ');
      return [name, sources.join(' ')] as const;
    }),
  );
  expect(Object.fromEntries(policy)).toMatchObject({
    'default-src': "'none'",
    'script-src': "'self'",
    'connect-src': "'self'",
    'base-uri': "'none'",
    'frame-ancestors': "'none'",
  });
  expect(await response.text()).not.toMatch(/<script(?![^>]* src=)|\son\w+=|<style|javascript:/);
});
