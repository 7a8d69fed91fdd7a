/**
 * Limits of requests per caller and per address, with separate limits of questions, searches and
 * ingests over all endpoints.
 */
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config.ts';
import { Context } from '../../src/context.ts';
import { dialects } from '../../src/http/agents/agent-routes.ts';
import { createApp } from '../../src/http/app.ts';
import { RequestLimits } from '../../src/http/auth/request-limits.ts';
import { type CountedWork, toolCards } from '../../src/http/operations.ts';
import { bodiesFor, operationsOf } from '../support/operation-bodies.ts';
import { startService, temporaryFolder } from '../support/workspace.ts';

const files = {
  'docs/refunds.md':
    '---\nsource: https://example.com/refunds\nkind: url\n---\n# Refunds\n\nRefunds are paid within 30 days.\n',
};
const keys = { API_KEYS: 'one-key,two-key' };
const one = { 'x-api-key': 'one-key' };
const two = { 'x-api-key': 'two-key' };

const limitsOf = (headers: Headers) =>
  Object.fromEntries(
    ['policy', 'limit', 'remaining', 'reset'].map((name) => [
      name,
      headers.get(`ratelimit-${name}`),
    ]),
  );
const ask = { messages: '@agent refunds?', toolParams: { namespace: 'docs' } };

describe('the remaining requests', () => {
  it('are in every counted response of the same caller, and in a refusal', async () => {
    const { get } = await startService({ ...keys, RATE_LIMIT_PER_MINUTE: '3' }, files);
    const first = await get('/api/namespaces', one);
    expect(first.headers.get('ratelimit')).toBe('"default";r=2;t=20');
    expect(limitsOf(first.headers)).toEqual({
      policy: '"default";q=3;w=60',
      limit: '3',
      remaining: '2',
      reset: '20',
    });
    const missing = await get('/api/namespaces/none/documents', one);
    expect([missing.status, missing.headers.get('ratelimit-remaining')]).toEqual([404, '1']);
    await get('/api/namespaces', one);
    const refused = await get('/api/namespaces', one);
    expect(refused).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
    expect(refused.body.error).toMatch(
      /^More than 3 requests in a minute\. Retry in (?:20|19|18) seconds\.$/,
    );
    expect(refused.headers.get('ratelimit')).toMatch(/^"default";r=0;t=(?:60|59|58)$/);
    expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(20);
    expect((await get('/api/namespaces', two)).headers.get('ratelimit-remaining')).toBe('2');
    expect((await get('/health')).headers.get('ratelimit')).toBeNull();
  });

  it('are listed for each limit, and as one number for the tightest', async () => {
    const { find, request } = await startService(
      {
        ...keys,
        RATE_LIMIT_PER_MINUTE: '60,search=4',
        CORS_ORIGINS: 'https://chat.example.com',
      },
      files,
    );
    const found = await find({ query: 'refunds', namespace: 'docs' }, one);
    expect(found.headers.get('ratelimit')).toBe('"default";r=59;t=1, "search";r=3;t=15');
    expect(limitsOf(found.headers)).toEqual({
      policy: '"default";q=60;w=60, "search";q=4;w=60',
      limit: '4',
      remaining: '3',
      reset: '15',
    });
    const fromPage = await request('/api/namespaces', {
      headers: { ...one, origin: 'https://chat.example.com' },
    });
    expect(fromPage.headers.get('access-control-expose-headers')?.toLowerCase()).toContain(
      'ratelimit-remaining',
    );
  });
});

describe('questions, searches and ingests', () => {
  it('are counted separately before their body is read, and other requests continue', async () => {
    const settings = { ...keys, RATE_LIMIT_PER_MINUTE: '0,ask=1,search=1,ingest=1' };
    const { post, get } = await startService(settings, files);
    for (const [path, body, what] of [
      ['/api/agents/knowledge/generate', ask, 'questions'],
      ['/api/tools/searchDocs', { query: 'refunds', namespace: 'docs' }, 'searches'],
      ['/api/tools/ingestSources', { namespace: 'docs', sources: ['A text.'] }, 'ingests'],
    ] as const) {
      expect((await post(path, body, one)).status).toBe(200);
      const refused = await post(path, 'no such body', one);
      expect(refused).toMatchObject({
        status: 429,
        body: { code: 'rate_limited', error: expect.stringContaining(`More than 1 ${what} in a`) },
      });
      expect((await post(path, body, two)).status).toBe(200);
    }
    expect((await get('/api/namespaces', one)).status).toBe(200);
  });

  it('are counted by every operation that asks, searches or ingests', async () => {
    const settings = { RATE_LIMIT_PER_MINUTE: '0,ask=1000,search=1000,ingest=1000' };
    const service = await startService(settings, files);
    const reached = new Set<CountedWork>();
    const { api } = service;
    const recording =
      <Given extends unknown[], Done>(work: CountedWork, action: (...given: Given) => Done) =>
      (...given: Given): Done => {
        reached.add(work);
        return action(...given);
      };
    const start = recording('ingest', (...asked: Parameters<typeof api.jobs.start>) =>
      api.jobs.start(...asked),
    );
    const watched: typeof api = {
      ...api,
      ask: recording('ask', api.ask),
      stream: recording('ask', api.stream),
      searchDocs: recording('search', api.searchDocs),
      ingestNow: recording('ingest', (options) => api.ingestNow({ ...options, requests: [] })),
      ingestUpload: recording('ingest', api.ingestUpload),
      jobs: Object.assign(Object.create(api.jobs), { start }),
    };
    const app = createApp(parseConfig(settings), watched, service.logger);
    const upload = new FormData();
    upload.append('files', new File(['A note.'], 'note.md'));
    const seen: Record<string, readonly string[]> = {};

    async function send(name: string, method: string, path: string, body: unknown): Promise<void> {
      reached.clear();
      const init =
        body instanceof FormData
          ? { body }
          : body === undefined
            ? {}
            : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
      const response = await app.request(path, { method, ...init });
      await response.text();
      const limits = (response.headers.get('ratelimit') ?? '')
        .split(', ')
        .flatMap((item) => /^"(\w+)"/.exec(item)?.[1] ?? []);
      expect([name, response.status, limits]).toEqual([name, response.status, [...reached]]);
      seen[name] = limits;
    }

    const values: Readonly<Record<string, string>> = {
      namespace: 'docs',
      agentId: 'knowledge',
      model: 'knowledge/docs',
    };
    const bodies = { ...bodiesFor('docs'), refreshNamespace: {}, uploadDocuments: upload };
    // Deletions come last.
    for (const { template, method, operation } of (await operationsOf(service)).toSorted(
      (a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'),
    )) {
      const { operationId } = operation;
      const to = (toolId: string) =>
        template.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
          name === 'toolId' ? toolId : (values[name] ?? 'none'),
        );
      const toolIds = operationId.startsWith('execute')
        ? Object.keys(toolCards).filter((id) => /search|docs/.test(id))
        : ['searchDocs'];
      for (const toolId of toolIds.filter(
        (id) => operationId !== 'executeAgentTool' || id === 'docsRetriever',
      ))
        await send(
          operationId.startsWith('execute') ? `${operationId} ${toolId}` : operationId,
          method,
          to(toolId),
          bodies[operationId as never],
        );
    }
    await send('executeTool ingestSources', 'POST', '/api/tools/ingestSources/execute', {
      data: bodiesFor('docs')['ingestSources'],
    });
    for (const name of ['askKnowledge', 'searchDocs'])
      await send(`mcp ${name}`, 'POST', '/mcp', {
        ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
        params: {
          name,
          arguments: {
            [name === 'searchDocs' ? 'query' : 'question']: 'refunds?',
            namespace: 'docs',
          },
        },
      });
    const doing = (work: CountedWork) =>
      Object.keys(seen)
        .filter((name) => seen[name]?.includes(work))
        .sort();
    expect(doing('ask')).toEqual(
      [
        ...dialects.flatMap(({ operations }) => operations.map(({ card }) => card.id)),
        'mcp askKnowledge',
      ].sort(),
    );
    expect(doing('search')).toEqual([
      'executeAgentTool docsRetriever',
      'executeTool docsRetriever',
      'executeTool searchDocs',
      'mcp searchDocs',
      'searchDocs',
    ]);
    expect(doing('ingest')).toEqual([
      'executeTool ingestSources',
      'ingestSources',
      'refreshNamespace',
      'uploadDocuments',
    ]);
  });
});

describe('an address', () => {
  async function start(settings: Record<string, string>) {
    const folder = await temporaryFolder();
    const config = parseConfig({
      KNOWLEDGE_DIR: folder,
      INDEX_DIR: `${folder}/index`,
      LOG_LEVEL: 'silent',
      ...settings,
    });
    const { api, logger } = new Context(config);
    const app = createApp(config, { ...api, isReady: () => true }, logger);
    return (remoteAddress: string, headers: Record<string, string> = {}) =>
      app.request(
        '/api/namespaces',
        { headers: { host: 'localhost', ...headers } },
        { incoming: { socket: { remoteAddress } } },
      );
  }
  const statuses = async (asked: readonly (Response | Promise<Response>)[]) =>
    (await Promise.all(asked)).map(({ status }) => status);

  it('is counted for all its callers before they are authenticated, and reveals nothing about the others', async () => {
    const send = await start({ ...keys, RATE_LIMIT_PER_MINUTE: 'address=3' });
    expect((await send('203.0.113.9', one)).headers.get('ratelimit')).toMatch(
      /^"default";r=119;t=1$/,
    );
    expect((await send('203.0.113.9', two)).headers.get('ratelimit')).toMatch(
      /^"default";r=119;t=1$/,
    );
    expect((await send('203.0.113.9', { 'x-api-key': 'guess' })).status).toBe(401);
    const refused = await send('203.0.113.9', one);
    expect([refused.status, ((await refused.json()) as any).error]).toEqual([
      429,
      expect.stringMatching(/^More than 3 requests from one address in a minute/),
    ]);
    expect(refused.headers.get('ratelimit')).toMatch(/^"address";r=0/);
    expect((await send('203.0.113.10', one)).status).toBe(200);
  });

  it('may send ten times as many requests as a caller by default; 0 disables the limit', async () => {
    expect(parseConfig({ RATE_LIMIT_PER_MINUTE: '7' }).rateLimitPerMinute.address).toBe(70);
    expect(parseConfig({ RATE_LIMIT_PER_MINUTE: '0' }).rateLimitPerMinute.address).toBe(0);
    expect(parseConfig({ RATE_LIMIT_PER_MINUTE: '120,address=0' }).rateLimitPerMinute.address).toBe(
      0,
    );
    const send = await start({ ...keys, RATE_LIMIT_PER_MINUTE: '0,address=0' });
    expect((await send('203.0.113.9', one)).headers.get('ratelimit')).toBeNull();
  });

  it('covers a /64, and IPv4 in IPv6', async () => {
    const send = await start({ RATE_LIMIT_PER_MINUTE: '2' });
    const v6 = ['2001:db8:1:2::1', '2001:db8:1:2:ffff::2', '2001:db8:1:2:3:4:5:6'].map((address) =>
      send(address),
    );
    expect(await statuses(v6)).toEqual([200, 200, 429]);
    expect((await send('2001:db8:1:3::1')).status).toBe(200);
    expect(
      await statuses(
        ['203.0.113.9', '::ffff:203.0.113.9', '203.0.113.9'].map((address) => send(address)),
      ),
    ).toEqual([200, 200, 429]);
  });

  it('is logged once if it seems to be an untrusted proxy', async () => {
    const { api } = await startService({}, files);
    const warnings: unknown[] = [];
    const ignore = () => undefined;
    const logger = {
      debug: ignore,
      info: ignore,
      warn: (...parts: unknown[]) => warnings.push(parts),
      error: ignore,
      audit: ignore,
    };
    const app = createApp(parseConfig(keys), api, logger);
    const send = (remoteAddress: string) =>
      app.request(
        '/health',
        { headers: { 'x-forwarded-for': '198.51.100.1' } },
        { incoming: { socket: { remoteAddress } } },
      );
    await send('203.0.113.9');
    expect(warnings).toEqual([]);
    for (const proxy of ['10.0.0.1', '127.0.0.1']) await send(proxy);
    expect(warnings).toEqual([
      [{ address: '10.0.0.1' }, expect.stringContaining('TRUSTED_PROXIES')],
    ]);
  });

  it('gets the same number of wrong keys through a proxy as without one', async () => {
    const send = await start({ ...keys, RATE_LIMIT_PER_MINUTE: '2', TRUSTED_PROXIES: 'loopback' });
    const guess = (key: string) =>
      send('127.0.0.1', { 'x-forwarded-for': `${key}.1.1.1, 203.0.113.9`, 'x-api-key': key });
    expect(await statuses(['1', '2', '3'].map(guess))).toEqual([401, 401, 429]);
    expect((await send('127.0.0.1', { ...one, 'x-forwarded-for': '203.0.113.10' })).status).toBe(
      200,
    );
  });
});

it.each([
  ['RATE_LIMIT_PER_MINUTE', 'many', 'must begin with a whole number'],
  ['RATE_LIMIT_PER_MINUTE', '120,ask=0', 'ask must be a whole number from 1'],
  ['RATE_LIMIT_PER_MINUTE', '120,ask=1,ask=2', 'must not name ask twice'],
  ['LIMITS', 'huge', 'must begin with one of small, medium, large'],
  ['LIMITS', 'small,models=0', 'models must be a whole number from 1'],
])('%s=%s stops the start', (name, value, problem) => {
  expect(() => parseConfig({ [name]: value })).toThrow(new RegExp(`${name}: ${problem}`));
});

it('refusals are delayed for a caller with more than three hundred in a minute, and for no other', async () => {
  let late = 0;
  const limits = new RequestLimits(parseConfig({ RATE_LIMIT_PER_MINUTE: '1' }), async () => late++);
  const lateAfter = async (caller: string, times: number) => {
    for (let time = 0; time < times; time++) await limits.take('default', caller);
    return late;
  };
  expect(await lateAfter('hostile', 301)).toBe(0);
  const afterHostile = await lateAfter('hostile', 1_000);
  expect(afterHostile).toBeGreaterThan(0);
  expect(await lateAfter('honest', 301)).toBe(afterHostile);
});
