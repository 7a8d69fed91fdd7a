import { Writable } from 'node:stream';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { bearerOf, jwtSecret } from '../support/tokens.ts';
import {
  callRecord,
  pageOf,
  refusal,
  send,
  startUpstream,
  type TestUpstream,
} from '../support/upstream.ts';
import { startService, type TestService } from '../support/workspace.ts';

const ownKey = 'operators-own-k3y';
/** Retries at once and allows enough time on a busy machine. */
const quickRetries = {
  attemptTimeoutMs: 30_000,
  totalTimeoutMs: 60_000,
  firstPauseMs: 2,
  maxPauseMs: 4,
};

interface Proxy extends TestService {
  readonly upstream: TestUpstream;
  readonly logged: () => string;
}

async function startProxy(
  answer: Parameters<typeof startUpstream>[0],
  settings: Record<string, string> = { CALLS_API_KEY: ownKey },
  retryOptions: object = quickRetries,
): Promise<Proxy> {
  const upstream = await startUpstream(answer);
  const lines: string[] = [];
  const sink = new Writable({
    write(line, _, done) {
      lines.push(String(line));
      done();
    },
  });
  const service = await startService(
    { CALLS_BASE_URL: upstream.baseUrl, ...settings },
    {},
    {
      callsUpstream: retryOptions,
      logger: pino(
        {
          customLevels: { audit: 55 },
          serializers: {
            err: (error: Error) => ({
              message: error.message,
              stack: error.stack,
              cause: String((error as Error).cause),
            }),
          },
        },
        sink,
      ),
    },
  );
  return { ...service, upstream, logged: () => lines.join('') };
}

const apikey = { apikey: 'callers-own-k3y' };
describe('an answer', () => {
  it('is returned byte for byte, and the query is normalized', async () => {
    const text =
      '{ "data" : [ {"sessionId":"a","totalAudioMinutes":"1.50","metaData":[],"status":"canceled","x":1e400,"y":"\\u00e9é"} ],\n"meta":{} }';
    const { request, upstream } = await startProxy((_, response) => send(response, 200, text));
    const response = await request(
      '/v3/calls?statuses%5B%5D=busy&statuses[]=ended&startedAt[gte]=1692368194&perPage=05',
      {
        headers: { ...apikey, onBehalfOf: 'alice', cookie: 'a=b', 'x-forwarded-for': '1.2.3.4' },
      },
    );
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(text);
    const [{ url, headers } = { url: '', headers: {} }] = upstream.requests;
    expect(decodeURIComponent(url)).toBe(
      '/v3/calls?perPage=5&startedAt[gte]=1692368194&statuses=busy,ended',
    );
    expect(headers).toMatchObject({ apikey: ownKey, onbehalfof: 'alice' });
    expect(JSON.stringify(headers)).not.toMatch(/callers-own|a=b|1\.2\.3\.4/);
  });
});

describe('transcriptions of a call', () => {
  it('are returned byte for byte, only from below the path of the call', async () => {
    const text =
      '{ "data" : [ {"tid":"t","transcriptUrl":"http://169.254.169.254/"} ],\n"meta":{"pagination":{"per_page":2}} }';
    const { request, get, upstream } = await startProxy((_, response) => send(response, 200, text));
    const response = await request('/v3/calls/a%20b/transcriptions?perPage=02', {
      headers: { ...apikey, onBehalfOf: 'alice' },
    });
    expect([response.status, await response.text()]).toEqual([200, text]);
    expect(upstream.requests).toHaveLength(1);
    expect(upstream.requests[0]).toMatchObject({
      url: '/v3/calls/a%20b/transcriptions?perPage=2',
      headers: { apikey: ownKey, onbehalfof: 'alice' },
    });
    for (const query of ['perPage=1001', 'page=0', 'status=ended'])
      expect((await get(`/v3/calls/a/transcriptions?${query}`, apikey)).status).toBe(400);
    expect((await get('/v3/calls/a/transcriptions')).status).toBe(401);
    expect(upstream.requests).toHaveLength(1);
  });
});

describe('a parameter', () => {
  const ok = (_: unknown, response: Parameters<typeof send>[0]) => send(response, 200, pageOf([]));
  const lastUrl = ({ upstream }: Proxy) => decodeURIComponent(upstream.requests.at(-1)?.url ?? '');

  it('in CALLS_EXTRA_PARAMETERS is sent unvalidated, also for a summary; an unlisted one returns 400', async () => {
    const proxy = await startProxy(ok, {
      CALLS_API_KEY: ownKey,
      CALLS_EXTRA_PARAMETERS: 'region, since',
    });
    expect((await proxy.get('/v3/calls?region=eu&since[gte]=1', apikey)).status).toBe(200);
    expect(lastUrl(proxy)).toBe('/v3/calls?region=eu&since[gte]=1');
    expect((await proxy.get('/v3/calls/summary?region=us', apikey)).status).toBe(200);
    expect(lastUrl(proxy)).toBe('/v3/calls?page=1&perPage=100&region=us');
    expect(await proxy.get('/v3/calls?colour=red', apikey)).toMatchObject({
      status: 400,
      body: { error: { message: expect.stringContaining('colour is not a parameter') } },
    });
    expect((await proxy.get('/v3/calls/a/transcriptions?region=eu', apikey)).status).toBe(400);
    const { parameters } = (await proxy.get('/api/openapi.json')).body.paths['/v3/calls'].get;
    expect(parameters.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(['region', 'since']),
    );
  });
});

describe('a 400 of the calling service', () => {
  const refuse = (_: unknown, response: Parameters<typeof send>[0]) =>
    send(response, 400, refusal('ERR_BAD_REGION', 'The parameter region is not valid.'));
  const extra = { CALLS_EXTRA_PARAMETERS: 'region' };

  it("is shown to a caller if it concerns the caller's own key", async () => {
    const { get } = await startProxy(refuse, extra);
    const message =
      'The calling service rejected the request: "The parameter region is not valid."';
    for (const path of ['/v3/calls?region=x', '/v3/calls/a', '/v3/calls/summary'])
      expect(await get(path, apikey)).toMatchObject({
        status: 400,
        body: { error: { code: 'ERR_BAD_REGION', message } },
      });
  });

  it("is not shown if the server's key was sent", async () => {
    const { get } = await startProxy(refuse, { CALLS_API_KEY: ownKey, ...extra });
    const { status, body } = await get('/v3/calls?region=x', apikey);
    expect({ status, code: body.error.code }).toEqual({ status: 400, code: 'ERR_BAD_REGION' });
    expect(body.error.message).not.toContain('region');
  });
});

describe('the key that is sent', () => {
  const ok = (_: unknown, response: Parameters<typeof send>[0]) =>
    send(response, 200, pageOf([]), { 'x-rate-limit-remaining': '7' });
  const sentKey = ({ upstream }: Proxy) => upstream.requests.at(-1)?.headers['apikey'];

  it("is the caller's if the server has none, and the rate limit headers are returned", async () => {
    const proxy = await startProxy(ok, {});
    const { headers } = await proxy.get('/v3/calls', apikey);
    expect(sentKey(proxy)).toBe('callers-own-k3y');
    expect(headers.get('x-rate-limit-remaining')).toBe('7');
    expect(await proxy.get('/v3/calls')).toMatchObject({
      status: 401,
      body: { error: { code: 'AUTH_ERR_EMPTY_APIKEY' } },
    });
    expect(await proxy.get('/v3/calls', { apikey: 'schl\u00fcssel' })).toMatchObject({
      status: 401,
    });
    expect(proxy.upstream.requests).toHaveLength(1);
  });

  it("is the server's if it has one, and its rate limit headers are removed", async () => {
    const proxy = await startProxy(ok);
    const { headers } = await proxy.get('/v3/calls', apikey);
    expect(sentKey(proxy)).toBe(ownKey);
    expect(headers.get('x-rate-limit-remaining')).toBeNull();
  });

  it("is never the server's for a caller without a valid key", async () => {
    const proxy = await startProxy(ok, { CALLS_API_KEY: ownKey, API_KEYS: 'service-key' });
    for (const headers of [
      {},
      apikey,
      { apikey: ownKey },
      { 'x-api-key': ownKey },
      { authorization: `Bearer ${ownKey}` },
    ] as Record<string, string>[]) {
      expect((await proxy.get('/v3/calls', headers)).status).toBe(401);
    }
    expect(proxy.upstream.requests).toHaveLength(0);
    for (const headers of [
      { apikey: 'service-key' },
      { 'x-api-key': 'service-key' },
      { 'x-api-key': 'service-key', ...apikey },
    ] as Record<string, string>[]) {
      expect((await proxy.get('/v3/calls', headers)).status).toBe(200);
      expect(sentKey(proxy)).toBe(ownKey);
    }
  });

  it('is never a key of this service', async () => {
    const proxy = await startProxy(ok, { API_KEYS: 'service-key' });
    for (const headers of [
      { apikey: 'service-key' },
      { 'x-api-key': 'service-key', apikey: 'service-key' },
      { 'x-api-key': 'service-key' },
    ] as Record<string, string>[]) {
      expect(await proxy.get('/v3/calls', headers)).toMatchObject({
        status: 401,
        body: { error: { code: 'AUTH_ERR_EMPTY_APIKEY' } },
      });
    }
    expect(proxy.upstream.requests).toHaveLength(0);
    await proxy.get('/v3/calls', { 'x-api-key': 'service-key', ...apikey });
    expect(sentKey(proxy)).toBe('callers-own-k3y');
  });

  it('comes with the user that a token names', async () => {
    const proxy = await startProxy(ok, { CALLS_API_KEY: ownKey, JWT_SECRET: jwtSecret });
    const bob = await bearerOf({ sub: 'bob' });
    await proxy.get('/v3/calls', bob);
    expect(proxy.upstream.requests[0]?.headers).toMatchObject({
      onbehalfof: 'bob',
      apikey: ownKey,
    });
    expect(proxy.upstream.requests[0]?.headers).not.toHaveProperty('authorization');
    expect((await proxy.get('/v3/calls', { ...bob, onBehalfOf: 'alice' })).status).toBe(403);
    expect(proxy.upstream.requests).toHaveLength(1);
  });
});

describe('identical requests in flight', () => {
  it('share one upstream request, except with another key, user or filter', async () => {
    const waiting: (() => void)[] = [];
    const proxy = await startProxy(
      ({ headers }, response) => {
        waiting.push(() =>
          send(
            response,
            200,
            pageOf([callRecord(1, { initiator: `${headers['apikey']}/${headers['onbehalfof']}` })]),
          ),
        );
      },
      {},
      quickRetries,
    );
    const responses = [
      proxy.get('/v3/calls?status=ended&page=1', apikey),
      proxy.get('/v3/calls?page=1&status=ended', apikey),
      proxy.get('/v3/calls?status=ended', apikey),
      proxy.get('/v3/calls?status=ended&page=1', { apikey: 'another' }),
      proxy.get('/v3/calls?status=ended&page=1', { ...apikey, onBehalfOf: 'alice' }),
    ];
    await proxy.upstream.until(() => waiting.length === 4);
    for (const answer of waiting) answer();
    const initiators = (await Promise.all(responses)).map(({ body }) => body.data[0].initiator);
    expect(initiators).toEqual([
      'callers-own-k3y/undefined',
      'callers-own-k3y/undefined',
      'callers-own-k3y/undefined',
      'another/undefined',
      'callers-own-k3y/alice',
    ]);
    const later = proxy.get('/v3/calls?status=ended&page=1', apikey);
    await proxy.upstream.until(() => waiting.length === 5);
    waiting[4]?.();
    expect((await later).status).toBe(200);
  });

  it('stop upstream only when the last waiting caller leaves', async () => {
    const proxy = await startProxy(
      () => undefined,
      {},
      { attemptTimeoutMs: 10_000, totalTimeoutMs: 10_000 },
    );
    const [first, second] = [new AbortController(), new AbortController()];
    const responses = [first, second].map(async ({ signal }) =>
      proxy.request('/v3/calls', { headers: apikey, signal }),
    );
    await proxy.upstream.until(() => proxy.upstream.requests.length === 1);
    first.abort();
    await responses[0];
    expect(proxy.upstream.abandoned()).toBe(0);
    second.abort();
    await responses[1];
    await proxy.upstream.until(() => proxy.upstream.abandoned() === 1);
    expect(proxy.upstream.requests).toHaveLength(1);
  });
});

describe('a call that has ended', () => {
  const startEnded = (settings?: Record<string, string>) =>
    startProxy(({ url, headers }, response) => {
      const status = url?.endsWith('open') ? 'ongoing' : 'ended';
      const key = headers['apikey'] === ownKey ? 'own' : headers['apikey'];
      send(response, 200, {
        data: callRecord(1, { status, initiator: `${key}/${headers['onbehalfof']}` }),
      });
    }, settings);

  it('is cached briefly with its ETag; an open call is not', async () => {
    const { get, request, upstream } = await startEnded();
    const first = await get('/v3/calls/done', apikey);
    const second = await get('/v3/calls/done', apikey);
    expect(second.body).toEqual(first.body);
    expect(upstream.requests).toHaveLength(1);
    const etag = first.headers.get('etag') ?? '';
    expect(
      (await request('/v3/calls/done', { headers: { ...apikey, 'if-none-match': etag } })).status,
    ).toBe(304);
    expect(upstream.requests).toHaveLength(1);
    await get('/v3/calls/open', apikey);
    await get('/v3/calls/open', apikey);
    expect(upstream.requests).toHaveLength(3);
  });

  it('is cached separately for each key and user', async () => {
    const { get, upstream } = await startEnded({});
    for (const headers of [
      apikey,
      { apikey: 'another' },
      { ...apikey, onBehalfOf: 'alice' },
      { ...apikey, onBehalfOf: 'bob' },
    ] as Record<string, string>[]) {
      const { body } = await get('/v3/calls/done', headers);
      expect(body.data.initiator).toBe(`${headers['apikey']}/${headers['onBehalfOf']}`);
    }
    expect(upstream.requests).toHaveLength(4);
  });
});

describe('a bad response of the calling service', () => {
  it.each([
    [401, ownKey, 502, 'ERR_UPSTREAM_KEY_REFUSED'],
    [401, '', 401, 'AUTH_ERR_APIKEY_NOT_FOUND'],
    [404, ownKey, 404, 'ERR_CALL_SESSION_NOT_FOUND'],
    [408, ownKey, 504, 'ERR_UPSTREAM_TIMEOUT'],
    [429, ownKey, 429, 'ERR_TOO_MANY_REQUESTS'],
    [500, ownKey, 502, 'ERR_UPSTREAM_FAILED'],
    [302, ownKey, 502, 'ERR_UPSTREAM_REDIRECT'],
  ])('%d, with the key %j, becomes %d %s', async (status, key, expectedStatus, code) => {
    const { get, logged } = await startProxy(
      (_, response) =>
        send(response, status, 'upstream-body-marker', {
          'retry-after': '7',
          location: 'http://127.0.0.1:1/',
        }),
      { CALLS_API_KEY: key },
    );
    const answer = await get('/v3/calls/x', apikey);
    expect(answer.status).toBe(expectedStatus);
    expect(answer.body).toEqual({
      error: { code, message: expect.stringMatching(/^[A-Z].*\. [A-Z].*\.$|^No call has/) },
    });
    expect(answer.headers.get('retry-after')).toBe(
      [408, 429, 500, 502, 503].includes(status) ? '7' : null,
    );
    const seen = JSON.stringify([answer.body, [...answer.headers]]) + logged();
    expect(seen).not.toMatch(/operators-own-k3y|callers-own-k3y|upstream-body-marker/);
  });

  it.each([
    [409, '', 'ERR_CALLING_SELF'],
    [404, ownKey, 'ERR_CALL_NOT_STARTED'],
    [403, '', 'AUTH_ERR_NO_ACCESS'],
    [403, ownKey, 'ERR_CALL_NOT_STARTED'],
  ])('%d, with the key %j, passes the code %s on', async (status, key, code) => {
    const { get } = await startProxy(
      (_, response) => send(response, status, refusal(code, 'upstream-body-marker')),
      { CALLS_API_KEY: key },
    );
    const answer = await get('/v3/calls/x', apikey);
    expect([answer.status, answer.body.error.code]).toEqual([status, code]);
    expect(answer.body.error.message).not.toContain('upstream-body-marker');
  });

  it('keeps url and metaData of a record, which newer versions have', async () => {
    const more = { url: 'https://call.example.com/1', metaData: { room: 'a' } };
    const { get } = await startProxy((_, response) =>
      send(response, 200, { data: callRecord(1, more) }),
    );
    expect((await get('/v3/calls/x', apikey)).body.data).toMatchObject(more);
  });

  it("is not returned if it contains the server's key", async () => {
    const { get } = await startProxy(({ headers }, response) =>
      send(response, 200, pageOf([callRecord(1, { headers })])),
    );
    const { status, body } = await get('/v3/calls', apikey);
    expect({ status, code: body.error.code }).toEqual({
      status: 502,
      code: 'ERR_UPSTREAM_MALFORMED',
    });
    expect(JSON.stringify(body)).not.toContain(ownKey);
  });
});
