import { describe, expect, it } from 'vitest';
import { callsQueryParameters } from '../../src/http/calls/call-routes.ts';
import { callLogOf } from '../support/call-log.ts';
import { bearerOf, jwtSecret } from '../support/tokens.ts';
import { callRecord } from '../support/upstream.ts';
import { forFile } from '../support/when-done.ts';
import { startService, type TestService } from '../support/workspace.ts';

const calls = [
  callRecord(3, { initiator: 'carol', receiver: 'dave', status: 'ongoing' }),
  callRecord(2, { initiator: 'alice', receiver: 'dave', metaData: [] }),
  callRecord(1, { initiator: 'alice', receiver: 'bob', status: 'unanswered' }),
];
let sharedServer: Promise<TestService> | undefined;
/** Tests without their own settings share this server: they only read. */
const start = (settings?: Record<string, string>) => {
  if (settings) return startService(settings, {}, { callLog: callLogOf(calls) });
  sharedServer ??= forFile(() => startService({}, {}, { callLog: callLogOf(calls) }));
  return sharedServer;
};
const apikey = { apikey: 'any' };
const idsOf = (body: { data: { sessionId: string }[] }) =>
  body.data.map(({ sessionId }) => Number(sessionId.slice(-1)));

const bearer = (sub?: string) => bearerOf(sub === undefined ? {} : { sub });

/** Checks that an error has only the fields of the calling service. */
function expectEnvelope(
  { status, body, headers }: { status: number; body: any; headers: Headers },
  expected: number,
  code: string,
): void {
  expect({ status, code: body.error?.code }).toEqual({ status: expected, code });
  expect(Object.keys(body)).toEqual(['error']);
  expect(Object.keys(body.error)).toEqual(['code', 'message']);
  expect(body.error.message).toMatch(/^[A-Z].*\.$/s);
  expect(headers.get('x-request-id')).toBeTruthy();
}

describe('200', () => {
  it('returns a page unchanged, including unknown fields', async () => {
    const { get } = await start();
    const { status, body, headers } = await get('/v3/calls?perPage=2', apikey);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(body).toEqual({
      data: calls.slice(0, 2),
      meta: { pagination: { total: 3, count: 2, per_page: 2, current_page: 1, total_pages: 2 } },
    });
    expect(idsOf((await get('/v3/calls?status=ended', apikey)).body)).toEqual([2]);
    expect(idsOf((await get('/v3/calls?uid=bob', apikey)).body)).toEqual([1]);
  });

  it('returns an ETag for an ended call, and 304 if the caller sends it', async () => {
    const { get, request } = await start();
    const ended = `/v3/calls/${calls[1]?.sessionId}`;
    const { headers } = await get(ended, apikey);
    const etag = headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    expect(headers.get('vary')).toContain('apikey');
    expect(headers.get('cache-control')).toBe('private, no-cache');
    for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
      const response = await request(ended, { headers: { ...apikey, 'if-none-match': known } });
      expect({
        status: response.status,
        etag: response.headers.get('etag'),
        body: await response.text(),
      }).toEqual({
        status: 304,
        etag,
        body: '',
      });
    }
    expect((await get(ended, { ...apikey, 'if-none-match': '"other"' })).status).toBe(200);
    expect((await get(`/v3/calls/${calls[0]?.sessionId}`, apikey)).headers.get('etag')).toBeNull();
    expect((await get('/v3/calls', apikey)).headers.get('cache-control')).toBe('private, no-store');
  });

  it('returns only the calls of the user in onBehalfOf', async () => {
    const { get } = await start();
    expect(idsOf((await get('/v3/calls', { ...apikey, onBehalfOf: 'dave' })).body)).toEqual([3, 2]);
    expectEnvelope(
      await get(`/v3/calls/${calls[0]?.sessionId}`, { ...apikey, onBehalfOf: 'bob' }),
      404,
      'ERR_CALL_SESSION_NOT_FOUND',
    );
  });
});

describe('400', () => {
  it('names every invalid parameter', async () => {
    const { get } = await start();
    const answer = await get('/v3/calls?page=0&colour=s3cret&startedAt[gte]=yesterday', apikey);
    expectEnvelope(answer, 400, 'ERR_BAD_REQUEST');
    for (const name of ['page', 'colour', 'startedAt[gte]'])
      expect(answer.body.error.message).toContain(name);
    expect(answer.body.error.message).not.toContain('s3cret');
    expectEnvelope(
      await get(`/v3/calls/${calls[0]?.sessionId}?fields=all`, apikey),
      400,
      'ERR_BAD_REQUEST',
    );
  });

  it.each(['', 'x'.repeat(101), 'a\u0001b', 'a\u007fb'])(
    'rejects onBehalfOf %j',
    async (onBehalfOf) => {
      const { get } = await start();
      expectEnvelope(await get('/v3/calls', { ...apikey, onBehalfOf }), 400, 'ERR_BAD_REQUEST');
    },
  );
});

describe('401, 403', () => {
  it('requires an apikey even if this service has no keys', async () => {
    const { get } = await start();
    for (const headers of [
      {},
      { apikey: '' },
      { apikey: '  ' },
      { 'x-api-key': 'k' },
      { authorization: 'Bearer k' },
    ] as Record<string, string>[]) {
      for (const path of ['/v3/calls', '/v3/calls/x', '/v3/calls?page=0']) {
        expectEnvelope(await get(path, headers), 401, 'AUTH_ERR_EMPTY_APIKEY');
      }
    }
  });

  it('limits a token to its user', async () => {
    const { get } = await start({ JWT_SECRET: jwtSecret });
    const bob = await bearer('bob');
    expect(idsOf((await get('/v3/calls', bob)).body)).toEqual([1]);
    expect(idsOf((await get('/v3/calls', { ...bob, onBehalfOf: 'bob' })).body)).toEqual([1]);
    expectEnvelope(
      await get('/v3/calls', { ...bob, onBehalfOf: 'alice' }),
      403,
      'AUTH_ERR_NO_ACCESS',
    );
    expectEnvelope(
      await get(`/v3/calls/${calls[0]?.sessionId}`, { ...bob, apikey: 'foreign' }),
      404,
      'ERR_CALL_SESSION_NOT_FOUND',
    );
    expectEnvelope(
      await get('/v3/calls', await bearer('x'.repeat(101))),
      403,
      'AUTH_ERR_NO_ACCESS',
    );
    expectEnvelope(await get('/v3/calls', await bearer('')), 401, 'AUTH_ERR_APIKEY_NOT_FOUND');
  });

  it('lets a key, and a token without a user, read all calls', async () => {
    const { get } = await start({ JWT_SECRET: jwtSecret, API_KEYS: 'own-key' });
    const machine = await bearer();
    for (const headers of [machine, { 'x-api-key': 'own-key' }] as Record<string, string>[]) {
      expect(idsOf((await get('/v3/calls', headers)).body)).toEqual([3, 2, 1]);
      expect(idsOf((await get('/v3/calls', { ...headers, onBehalfOf: 'bob' })).body)).toEqual([1]);
    }
  });
});

describe('404, 405, 413, 500', () => {
  it('have the format of the calling service', async () => {
    const { get, request, post } = await start({ MAX_BODY_BYTES: '1024' });
    for (const path of ['/v3', '/v3/', '/v3/users', '/v3/calls/a/b', '/v3/calls/%2e%2e/users']) {
      expectEnvelope(await get(path, apikey), 404, 'ERR_NOT_FOUND');
    }
    expectEnvelope(await get('/v3/calls/none', apikey), 404, 'ERR_CALL_SESSION_NOT_FOUND');
    const wrong = await request('/v3/calls', { method: 'DELETE', headers: apikey });
    expectEnvelope(
      { status: wrong.status, headers: wrong.headers, body: await wrong.json() },
      405,
      'ERR_METHOD_NOT_ALLOWED',
    );
    expect(wrong.headers.get('allow')).toBe('GET');
    const large = await post(
      '/v3/calls',
      { text: 'x'.repeat(2000) },
      { ...apikey, 'content-length': '2011' },
    );
    expectEnvelope(large, 413, 'ERR_PAYLOAD_TOO_LARGE');
  });

  it('hide internal errors', async () => {
    const callLog = {
      ...callLogOf([]),
      list: async () => Promise.reject(new Error('s3cret at /srv/app')),
    };
    const { get } = await startService({}, {}, { callLog });
    const answer = await get('/v3/calls', apikey);
    expectEnvelope(answer, 500, 'ERR_INTERNAL');
    expect(JSON.stringify(answer.body)).not.toMatch(/s3cret|srv/);
  });
});

it('the OpenAPI document names every query parameter', async () => {
  const { get } = await start();
  const { body } = await get('/api/openapi.json');
  const operation = body.paths['/v3/calls'].get;
  const named = operation.parameters
    .filter((parameter: { in: string }) => parameter.in === 'query')
    .map(({ name }: { name: string }) => name);
  expect(named).toEqual(callsQueryParameters.map(({ name }) => name));
  for (const name of named) {
    const { body: answer } = await get(`/v3/calls?${name}=`, apikey);
    expect(answer.error.message).toContain(`${name} must`);
  }
  expect(operation.responses['401'].content['application/json'].schema.required).toEqual(['error']);
  expect(operation.security).toContainEqual({ callsApiKey: [] });
});
