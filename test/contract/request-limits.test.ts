/**
 * Limits of requests per caller and per address, with separate limits of questions, searches and
 * ingests over all endpoints.
 */
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config.ts';
import { dialects } from '../../src/http/agents/agent-routes.ts';
import { createApp } from '../../src/http/app.ts';
import { RequestLimits } from '../../src/http/auth/request-limits.ts';
import type { CountedWork } from '../../src/http/operations.ts';
import { createLogger } from '../../src/log.ts';
import { bodiesFor, mcpCall, operationsOf, pathOf } from '../support/operation-bodies.ts';
import { sharedService, startService } from '../support/workspace.ts';

const files = {
  'docs/refunds.md':
    '---\nsource: https://example.com/refunds\nkind: url\n---\n# Refunds\n\nRefunds are paid within 30 days.\n',
};
const keys = { API_KEYS: 'one-key,two-key' };
const one = { 'x-api-key': 'one-key' };
const two = { 'x-api-key': 'two-key' };

const limitsOf = (headers: Headers) =>
  ['', '-policy', '-limit', '-remaining', '-reset'].map((name) => headers.get(`ratelimit${name}`));

describe('the remaining requests', () => {
  it('are in every counted response of the same caller, and in a refusal', async () => {
    const { get } = await startService({ ...keys, RATE_LIMIT_PER_MINUTE: '3' }, files);
    const first = await get('/api/namespaces', one);
    expect(limitsOf(first.headers)).toEqual([
      ...['"default";r=2;t=20', '"default";q=3;w=60', '3', '2', '20'],
    ]);
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
    const RATE_LIMIT_PER_MINUTE = '60,search=4';
    const CORS_ORIGINS = 'https://chat.example.com';
    const { find, get } = await startService(
      { ...keys, RATE_LIMIT_PER_MINUTE, CORS_ORIGINS },
      files,
    );
    const found = await find({ query: 'refunds', namespace: 'docs' }, one);
    expect(limitsOf(found.headers)).toEqual([
      ...['"default";r=59;t=1, "search";r=3;t=15', '"default";q=60;w=60, "search";q=4;w=60'],
      ...['4', '3', '15'],
    ]);
    const fromPage = await get('/api/namespaces', { ...one, origin: CORS_ORIGINS });
    expect(fromPage.headers.get('access-control-expose-headers')?.toLowerCase()).toContain(
      'ratelimit-remaining',
    );
  });
});

describe('questions, searches and ingests', () => {
  it('are counted separately before their body is read, and other requests continue', async () => {
    const settings = { ...keys, RATE_LIMIT_PER_MINUTE: '0,ask=1,search=1,ingest=1' };
    const { post, get } = await startService(settings, files);
    const bodies = bodiesFor('docs');
    for (const [path, body, status, what] of [
      ['/api/agents/knowledge/generate', bodies['generate'], 200, 'questions'],
      ['/api/tools/searchDocs', bodies['searchDocs'], 200, 'searches'],
      ['/api/tools/ingestSources', bodies['ingestSources'], 202, 'ingests'],
    ] as const) {
      expect((await post(path, body, one)).status).toBe(status);
      expect(await post(path, 'no such body', one)).toMatchObject({
        status: 429,
        body: { code: 'rate_limited', error: expect.stringContaining(`More than 1 ${what} in a`) },
      });
      expect((await post(path, body, two)).status).toBe(status);
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
    const doing: Record<CountedWork, string[]> = { ask: [], search: [], ingest: [] };

    async function send(name: string, method: string, path: string, body: unknown): Promise<void> {
      reached.clear();
      const text = body === undefined ? {} : { body: JSON.stringify(body) };
      const json = { ...text, headers: { 'content-type': 'application/json' } };
      const init = body instanceof FormData ? { body } : json;
      const response = await app.request(path, { method, ...init });
      await response.text();
      const limits = response.headers.get('ratelimit') ?? '';
      const works = [...limits.matchAll(/"(\w+)"/g)].map(([, work]) => work);
      expect([name, response.status, works]).toEqual([name, response.status, [...reached]]);
      for (const work of reached) doing[work].push(name);
    }

    const upload = new FormData();
    upload.append('files', new File(['A note.'], 'note.md'));
    const bodies: Readonly<Record<string, unknown>> = {
      ...bodiesFor('docs'),
      refreshNamespace: {},
      uploadDocuments: upload,
    };
    // Deletions come last.
    for (const { template, method, operation } of (await operationsOf(service)).toSorted(
      (a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'),
    )) {
      const { operationId } = operation;
      await send(operationId, method, pathOf(template), bodies[operationId]);
    }
    for (const [tool, data] of [
      ['docsRetriever', bodies['searchDocs']],
      ['ingestSources', bodies['ingestSources']],
    ] as const)
      await send(`execute ${tool}`, 'POST', `/api/tools/${tool}/execute`, { data });
    for (const [tool, field] of [
      ['askKnowledge', 'question'],
      ['searchDocs', 'query'],
    ] as const) {
      const call = mcpCall(tool, { [field]: 'refunds?', namespace: 'docs' });
      await send(`mcp ${tool}`, 'POST', '/mcp', call);
    }
    const dialectIds = dialects.flatMap(({ operations }) => operations.map(({ card }) => card.id));
    expect(Object.values(doing).map((names) => names.toSorted())).toEqual([
      [...dialectIds, 'mcp askKnowledge'].sort(),
      ['execute docsRetriever', 'executeAgentTool', 'executeTool', 'mcp searchDocs', 'searchDocs'],
      ['execute ingestSources', 'ingestSources', 'refreshNamespace', 'uploadDocuments'],
    ]);
  });
});

describe('an address', () => {
  async function start(settings: Record<string, string>, logger = createLogger('silent')) {
    const { api } = await sharedService();
    const app = createApp(parseConfig(settings), api, logger);
    return (remoteAddress: string, headers: Record<string, string> = {}) =>
      app.request(
        '/api/namespaces',
        { headers: { host: 'localhost', ...headers } },
        { incoming: { socket: { remoteAddress } } },
      );
  }
  it('is counted with its /64 for all callers before they are authenticated, and reveals nothing about the others', async () => {
    const send = await start({ ...keys, RATE_LIMIT_PER_MINUTE: 'address=3' });
    const network = '2001:db8:1:2';
    for (const [place, caller] of [one, two].entries())
      expect((await send(`${network}::${place}`, caller)).headers.get('ratelimit')).toMatch(
        /^"default";r=119;t=1$/,
      );
    expect((await send(`${network}:3:4:5:6`, { 'x-api-key': 'guess' })).status).toBe(401);
    const refused = await send(`${network}::1`, one);
    expect([refused.status, ((await refused.json()) as any).error]).toEqual([
      429,
      expect.stringMatching(/^More than 3 requests from one address in a minute/),
    ]);
    expect(refused.headers.get('ratelimit')).toMatch(/^"address";r=0/);
    expect((await send('2001:db8:1:3::1', one)).status).toBe(200);
  });

  it.each([
    ['7', 70],
    ['0', 0],
    ['120,address=0', 0],
  ])('may send, with RATE_LIMIT_PER_MINUTE=%s, %i requests', (rate, limit) => {
    const config = parseConfig({ RATE_LIMIT_PER_MINUTE: rate });
    expect(config.rateLimitPerMinute.address).toBe(limit);
  });

  it('is logged once if it seems to be an untrusted proxy', async () => {
    const lines: string[] = [];
    const send = await start(keys, createLogger('warn', { write: (line) => lines.push(line) }));
    for (const address of ['203.0.113.9', '10.0.0.1', '127.0.0.1'])
      await send(address, { ...one, 'x-forwarded-for': '198.51.100.1' });
    expect(lines).toEqual([expect.stringMatching(/"10\.0\.0\.1".*TRUSTED_PROXIES/)]);
  });

  it('gets the same number of wrong keys through a proxy as without one', async () => {
    const send = await start({ ...keys, RATE_LIMIT_PER_MINUTE: '2', TRUSTED_PROXIES: 'loopback' });
    const statuses: number[] = [];
    for (const key of ['1', '2', '3']) {
      const forwarded = `${key}.1.1.1, 203.0.113.9`;
      const guess = { 'x-forwarded-for': forwarded, 'x-api-key': key };
      statuses.push((await send('127.0.0.1', guess)).status);
    }
    expect(statuses).toEqual([401, 401, 429]);
    const other = await send('127.0.0.1', { ...one, 'x-forwarded-for': '203.0.113.10' });
    expect(other.status).toBe(200);
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
