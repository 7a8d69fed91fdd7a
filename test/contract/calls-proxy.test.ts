/** `/v3/calls` and the tools for calls, answered by a calling service. */
import { describe, expect, it } from 'vitest';
import { parseCallsQuery } from '../../packages/calls/src/query.ts';
import { createLogger } from '../../src/log.ts';
import { pageByOracle } from '../support/calls-oracle.ts';
import {
  callsOf,
  clock,
  records,
  tokenOf,
  trusted,
  users,
  withUsers,
} from '../support/own-calls.ts';
import { bearerOf, jwtSecret } from '../support/tokens.ts';
import {
  callRecord,
  pageOf,
  quickRetries,
  refusal,
  send,
  startUpstream,
} from '../support/upstream.ts';
import { startService } from '../support/workspace.ts';

type Answer = Parameters<typeof startUpstream>[0];
type Headers = Record<string, string>;
const ownKey = 'operators-own-k3y';
const apikey: Headers = { apikey: 'callers-own-k3y' };
const empty: Answer = (_, response) => send(response, 200, pageOf([]));
const tools = ['/api/tools/listCalls', '/api/tools/summarizeCalls'];
const user = users[0] as string;

async function startProxy(answer: Answer, settings: Headers = { CALLS_API_KEY: ownKey }) {
  const upstream = await startUpstream(answer);
  const lines: string[] = [];
  const service = await startService(
    { CALLS_BASE_URL: upstream.baseUrl, ...settings },
    {},
    {
      clock,
      callsUpstream: quickRetries,
      logger: createLogger('debug', { write: (line) => void lines.push(line) }),
    },
  );
  const last = () => upstream.requests.at(-1) ?? { url: '', headers: {} };
  return { ...service, upstream, last, logged: () => lines.join('') };
}
const startTools = (answer: Answer, settings: Headers = { CALLS_API_KEY: ownKey }) =>
  startProxy(answer, { ...withUsers, ...settings });
const urlOf = ({ url }: { url?: string }) => new URL(url ?? '', 'http://upstream');

it.each([
  [
    'with calls',
    '/v3/calls?statuses%5B%5D=busy&statuses[]=ended&startedAt[gte]=1692368194&perPage=05',
    '/v3/calls?perPage=5&startedAt[gte]=1692368194&statuses=busy,ended',
    '{ "data" : [ {"sessionId":"a","totalAudioMinutes":"1.50","metaData":[],"status":"canceled","x":1e400,"y":"\\u00e9é"} ],\n"meta":{} }',
  ],
  [
    'with transcriptions',
    '/v3/calls/a%20b/transcriptions?perPage=02',
    '/v3/calls/a b/transcriptions?perPage=2',
    '{ "data" : [ {"tid":"t","transcriptUrl":"http://169.254.169.254/"} ],\n"meta":{"pagination":{"per_page":2}} }',
  ],
])(
  'an answer %s is returned byte for byte, and the query is normalized',
  async (_, path, sent, text) => {
    const { request, get, last, upstream } = await startProxy((_request, response) =>
      send(response, 200, text),
    );
    const response = await request(path, {
      headers: { ...apikey, onBehalfOf: 'alice', cookie: 'a=b', 'x-forwarded-for': '1.2.3.4' },
    });
    expect([response.status, await response.text()]).toEqual([200, text]);
    expect((await get(path)).status).toBe(401);
    expect((await get(path.replace('perPage=0', 'perPage=100'), apikey)).status).toBe(400);
    expect(upstream.requests).toHaveLength(1);
    expect(decodeURIComponent(last().url)).toBe(sent);
    expect(last().headers).toMatchObject({ apikey: ownKey, onbehalfof: 'alice' });
    expect(JSON.stringify(last().headers)).not.toMatch(/callers-own|a=b|1\.2\.3\.4/);
  },
);

it('a parameter in CALLS_EXTRA_PARAMETERS is sent unvalidated, also for a summary', async () => {
  const { get, last } = await startProxy(empty, {
    CALLS_API_KEY: ownKey,
    CALLS_EXTRA_PARAMETERS: 'region, since',
  });
  for (const [path, sent] of [
    ['/v3/calls?region=eu&since[gte]=1', '/v3/calls?region=eu&since[gte]=1'],
    ['/v3/calls/summary?region=us', '/v3/calls?page=1&perPage=100&region=us'],
  ] as const) {
    expect((await get(path, apikey)).status).toBe(200);
    expect(decodeURIComponent(last().url)).toBe(sent);
  }
  const { parameters } = (await get('/api/openapi.json')).body.paths['/v3/calls'].get;
  expect(parameters.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(['region', 'since']),
  );
});

it('a 400 of the calling service is quoted only to the caller whose own key was sent', async () => {
  const refuse: Answer = (_, response) =>
    send(response, 400, refusal('ERR_BAD_REQUEST', 'The parameter region is not valid.'));
  const refused = async (settings: Headers, path = '/v3/calls') =>
    (await (await startProxy(refuse, settings)).get(path, apikey)).body.error.message;
  for (const path of ['/v3/calls', '/v3/calls/summary'])
    expect(await refused({}, path)).toContain('"The parameter region is not valid."');
  expect(await refused({ CALLS_API_KEY: ownKey })).not.toContain('region');
});

describe('the key that is sent', () => {
  const ok: Answer = (_, response) =>
    send(response, 200, pageOf([]), { 'x-rate-limit-remaining': '7' });
  const service = { 'x-api-key': 'service-key' };
  const key = (text: string) => ({ apikey: text });

  it.each<[string, Headers, Headers[], [Headers, string][]]>([
    [
      "is the caller's if the server has none",
      {},
      [{}, key('schl\u00fcssel')],
      [[apikey, 'callers-own-k3y']],
    ],
    ["is the server's if it has one", { CALLS_API_KEY: ownKey }, [], [[apikey, ownKey]]],
    [
      "is never the server's for a caller without a valid key",
      { CALLS_API_KEY: ownKey, API_KEYS: 'service-key' },
      [{}, apikey, key(ownKey), { 'x-api-key': ownKey }, { authorization: `Bearer ${ownKey}` }],
      [
        [key('service-key'), ownKey],
        [service, ownKey],
        [{ ...service, ...apikey }, ownKey],
      ],
    ],
    [
      'is never a key of this service',
      { API_KEYS: 'service-key' },
      [key('service-key'), { ...service, ...key('service-key') }, service],
      [[{ ...service, ...apikey }, 'callers-own-k3y']],
    ],
  ])('%s', async (_, settings, refused, passed) => {
    const { get, upstream, last } = await startProxy(ok, settings);
    for (const headers of refused) expect((await get('/v3/calls', headers)).status).toBe(401);
    expect(upstream.requests).toEqual([]);
    for (const [headers, sent] of passed) {
      const answer = await get('/v3/calls', headers);
      expect([answer.status, last().headers['apikey']]).toEqual([200, sent]);
      // The limit of the server's key is no business of its callers.
      expect(answer.headers.get('x-rate-limit-remaining')).toBe(sent === ownKey ? null : '7');
    }
  });

  it('comes with the user that a token names', async () => {
    const { get, last } = await startProxy(ok, { CALLS_API_KEY: ownKey, JWT_SECRET: jwtSecret });
    await get('/v3/calls', await bearerOf({ sub: 'bob' }));
    expect(last().headers).toMatchObject({ onbehalfof: 'bob', apikey: ownKey });
    expect(last().headers).not.toHaveProperty('authorization');
  });
});

it('a request upstream ends when its caller leaves', async () => {
  const { request, upstream } = await startProxy(() => undefined);
  const leaving = new AbortController();
  const response = request('/v3/calls', { headers: apikey, signal: leaving.signal });
  await upstream.until(() => upstream.requests.length === 1);
  leaving.abort();
  await response;
  await upstream.until(() => upstream.abandoned() === 1);
  // A timeout would be retried.
  expect(upstream.requests).toHaveLength(1);
});

describe('a bad response of the calling service', () => {
  it.each([
    [401, ownKey, 502, 'ERR_UPSTREAM_KEY_REFUSED'],
    [401, '', 401, 'AUTH_ERR_APIKEY_NOT_FOUND'],
    [408, ownKey, 504, 'ERR_UPSTREAM_TIMEOUT'],
    [429, ownKey, 429, 'ERR_TOO_MANY_REQUESTS'],
    [500, ownKey, 502, 'ERR_UPSTREAM_FAILED'],
  ])('%d, with the key %j, becomes %d %s', async (status, key, expectedStatus, code) => {
    const headers = { 'retry-after': '7' };
    const { get, logged } = await startProxy(
      (_, response) => send(response, status, 'upstream-body-marker', headers),
      { CALLS_API_KEY: key },
    );
    const answer = await get('/v3/calls/x', apikey);
    expect([answer.status, answer.body]).toEqual([
      expectedStatus,
      { error: { code, message: expect.stringMatching(/^[A-Z].*\. [A-Z].*\.$/) } },
    ]);
    expect(answer.headers.get('retry-after')).toBe([408, 429, 500].includes(status) ? '7' : null);
    const seen = JSON.stringify([answer.body, [...answer.headers]]) + logged();
    expect(seen).not.toMatch(/operators-own-k3y|callers-own-k3y|upstream-body-marker/);
  });

  it.each([
    [429, '60'],
    [503, '5'],
  ])('%d without Retry-After gets the default', async (status, seconds) => {
    const { get, post } = await startTools((_, response) => send(response, status, 'no'));
    const { headers } = await get('/v3/calls', { 'x-api-key': 'other-key' });
    expect(headers.get('retry-after')).toBe(seconds);
    const tool = await post(tools[0]!, {}, await tokenOf(user));
    expect(tool.headers.get('retry-after')).toBe(tool.status === status ? seconds : null);
  });

  it('403 that is not about the key passes its code on', async () => {
    const { get } = await startProxy((_, response) =>
      send(response, 403, refusal('ERR_CALL_NOT_STARTED')),
    );
    const { status, body } = await get('/v3/calls/x', apikey);
    expect([status, body.error.code]).toEqual([403, 'ERR_CALL_NOT_STARTED']);
    expect(body.error.message).not.toMatch(/upstream sentence|upstream-body-marker/);
  });

  it.each(['/v3/calls', '/v3/calls/summary'])(
    "is not returned if it contains the server's key: %s",
    async (path) => {
      const { get } = await startProxy(({ headers }, response) =>
        send(response, 200, pageOf([callRecord(1, { initiator: headers['apikey'] })])),
      );
      const { status, body } = await get(path, apikey);
      expect([status, body.error.code]).toEqual([502, 'ERR_UPSTREAM_MALFORMED']);
      expect(JSON.stringify(body)).not.toContain(ownKey);
    },
  );
});

it("a token never gets calls that its user has no part in, also after a key's request", async () => {
  const beyond = pageOf([], { total: 1, current_page: 2 });
  const { get } = await startProxy(
    ({ url = '' }, response) => {
      const page = url.includes('page=2') ? beyond : pageOf([callRecord(1)]);
      send(response, 200, /calls\/./.test(url) ? { data: callRecord(1) } : page);
    },
    { CALLS_API_KEY: ownKey, JWT_SECRET: jwtSecret, API_KEYS: 'own-key' },
  );
  for (const path of ['/v3/calls', '/v3/calls?page=2', '/v3/calls/a']) {
    const key = { 'x-api-key': 'own-key', onBehalfOf: 'eve' };
    expect([path, (await get(path, key)).status]).toEqual([path, 200]);
    expect(await get(path, await bearerOf({ sub: 'eve' }))).toMatchObject({
      status: 502,
      body: { error: { code: 'ERR_UPSTREAM_NOT_SCOPED' } },
    });
    expect((await get(path, await bearerOf({ sub: 'bob' }))).status).toBe(200);
  }
  const transcriptions = await get('/v3/calls/a/transcriptions', await bearerOf({ sub: 'eve' }));
  expect(transcriptions.body.error.code).toBe('ERR_UPSTREAM_NOT_SCOPED');
});

describe('a summary', () => {
  it('covers the filtered calls of the named user', async () => {
    const own = pageOf([callRecord(1, { receiver: 'dave' })]);
    const { get, last } = await startProxy((_, response) => send(response, 200, own));
    const asked = { ...apikey, onBehalfOf: 'dave' };
    const { body } = await get('/v3/calls/summary?status=ended', asked);
    expect(body.total.calls).toBe(1);
    expect(last().headers).toMatchObject({ onbehalfof: 'dave' });
    expect(urlOf(last()).searchParams.get('status')).toBe('ended');
  });

  it('fails above 10,000 calls instead of leaving some out', async () => {
    let number = 0;
    const { get, upstream } = await startProxy((_, response) => {
      const data = Array.from({ length: 100 }, () => callRecord(number++));
      send(response, 200, pageOf(data, { total: 20_000, total_pages: 200, per_page: 100 }));
    });
    const { status, body } = await get('/v3/calls/summary', apikey);
    expect([status, body.error.message]).toEqual([
      400,
      expect.stringMatching(/more than 10000 calls.*shorter period/),
    ]);
    expect(upstream.requests.length).toBeLessThanOrEqual(101);
  });
});

describe('the tools', () => {
  /** Returns the calls of the user; ignores other filters. */
  const pageFor = (url: string | undefined, uid?: string) => {
    const asked = parseCallsQuery(urlOf({ url: url ?? '' }).search);
    return pageByOracle(records, { page: asked.page ?? 1, perPage: asked.perPage ?? 30 }, uid);
  };
  const respectHeader: Answer = ({ url, headers }, response) =>
    send(response, 200, pageFor(url, headers['onbehalfof'] as string));

  it("send the user in a header and the server's key, and nothing else of the caller", async () => {
    const { post, upstream, last } = await startTools(respectHeader);
    const asked = { withUser: 'b c&d', period: 'last_week', statuses: ['ended', 'busy'] };
    const { status, body } = await post(tools[0]!, { perPage: 100, ...asked }, await tokenOf(user));
    expect([status, body.meta.pagination.total]).toEqual([200, callsOf(user, {}).length]);
    expect(last().headers).toMatchObject({ onbehalfof: user, apikey: ownKey });
    expect(JSON.stringify(last().headers)).not.toMatch(/Bearer|trusted-key/);
    expect(Object.fromEntries(urlOf(last()).searchParams)).toEqual({
      'initiatedAt[gte]': String(Date.UTC(2026, 10, 9) / 1000),
      'initiatedAt[lt]': String(Date.UTC(2026, 10, 16) / 1000),
      ...{ statuses: 'ended,busy', uid: 'b c&d', page: '1', perPage: '100' },
    });
    expect(upstream.requests).toHaveLength(1);
  });

  it('send only times with ten digits, which the calling service requires', async () => {
    const { post, last } = await startTools(respectHeader);
    const asked = { from: '2000-01-01', to: '2300-01-01' };
    for (const path of tools) {
      expect((await post(path, asked, await tokenOf(user))).status).toBe(200);
      const { searchParams } = urlOf(last());
      expect(searchParams.get('initiatedAt[gte]')).toBe('1000000000');
      expect(searchParams.get('initiatedAt[lt]')).toBe('9999999999');
    }
  });

  it('return nothing if the calling service sends calls of others', async () => {
    const { post } = await startTools(({ url }, response) => send(response, 200, pageFor(url)));
    // A page beyond the end has no calls, but the total of all users.
    for (const [path, body] of [
      [tools[0]!, {}],
      [tools[1]!, {}],
      [tools[0]!, { page: 9_999 }],
    ] as const) {
      const answer = await post(path, body, await tokenOf('user-without-calls'));
      expect([path, answer.status, answer.body.code]).toEqual([path, 502, 'upstream_failed']);
      expect(Object.keys(answer.body).sort()).toEqual(['code', 'error', 'requestId']);
      expect(answer.body.error).not.toMatch(/v1\.us|600|amara|data/);
    }
  });

  it.each([
    [401, 502, 'upstream_failed'],
    [429, 429, 'rate_limited'],
    [500, 502, 'upstream_failed'],
  ])('turn status %d into %d %s', async (upstreamStatus, status, code) => {
    const { post } = await startTools((_, response) =>
      send(response, upstreamStatus, refusal('ERR_X'), { 'retry-after': '7' }),
    );
    for (const path of tools) {
      const { status: given, body } = await post(path, {}, await tokenOf(user));
      expect([given, body.code]).toEqual([status, code]);
      expect(body.error.includes('must check CALLS_API_KEY')).toBe(upstreamStatus === 401);
      expect(JSON.stringify(body)).not.toMatch(/upstream-body-marker|upstream sentence|own-k3y/);
    }
  });

  it('send no request without a key of the server, or a subject that fits into a header', async () => {
    const keyless = await startTools(respectHeader, {});
    const keyed = await startTools(respectHeader);
    for (const [{ post, upstream }, headers, code] of [
      [keyless, await tokenOf(user), 'calls_unavailable'],
      [keyless, { ...trusted(user), ...apikey }, 'calls_unavailable'],
      [keyed, await tokenOf('日本'), 'invalid_request'],
    ] as const)
      for (const path of tools) {
        expect((await post(path, {}, headers)).body.code).toBe(code);
        expect(upstream.requests).toEqual([]);
      }
  });
});
