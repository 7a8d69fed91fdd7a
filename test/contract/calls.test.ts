import { describe, expect, it } from 'vitest';
import { callsQueryParameters } from '../../src/http/calls/call-routes.ts';
import { callLogOf } from '../support/call-log.ts';
import { bearerOf, jwtSecret } from '../support/tokens.ts';
import { callRecord } from '../support/upstream.ts';
import { sharedBy, startService } from '../support/workspace.ts';

const calls = [
  callRecord(3, { initiator: 'carol', receiver: 'dave', status: 'ongoing' }),
  callRecord(2, { initiator: 'alice', receiver: 'dave', metaData: [] }),
  callRecord(1, { initiator: 'alice', receiver: 'bob', status: 'unanswered' }),
];
const [open, ended] = calls.map(({ sessionId }) => `/v3/calls/${sessionId}`) as [string, string];
const summary = '/v3/calls/summary';
/** The tests of this file only read. */
const start = (settings: Record<string, string> = {}) =>
  sharedBy(JSON.stringify(settings), () =>
    startService(settings, {}, { callLog: callLogOf(calls) }),
  );
type Headers = Record<string, string>;
const apikey: Headers = { apikey: 'any' };
const as = (onBehalfOf: string) => ({ ...apikey, onBehalfOf });
const idsOf = (body: { data: { sessionId: string }[] }) =>
  body.data.map(({ sessionId }) => Number(sessionId.slice(-1)));

/** Checks that an error has only the fields of the calling service. */
async function expectError(response: Response, status: number, code: string): Promise<string> {
  const body: any = await response.json();
  expect([response.status, body]).toEqual([
    status,
    { error: { code, message: expect.stringMatching(/^[A-Z].*\.$/s) } },
  ]);
  expect(response.headers.get('x-request-id')).toBeTruthy();
  return body.error.message;
}

describe('200', () => {
  it('returns a page unchanged, including unknown fields', async () => {
    const { get } = await start();
    const { status, body, headers } = await get('/v3/calls?perPage=2', apikey);
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(headers.get('cache-control')).toBe('private, no-store');
    expect(body.data).toEqual(calls.slice(0, 2));
    expect(body.meta.pagination).toMatchObject({ total: 3, count: 2, per_page: 2 });
    expect(idsOf((await get('/v3/calls?status=ended', apikey)).body)).toEqual([2]);
    expect(idsOf((await get('/v3/calls?uid=bob', apikey)).body)).toEqual([1]);
  });

  it('returns an ETag for an ended call, and 304 if the caller sends it', async () => {
    const { get, request } = await start();
    const { headers } = await get(ended, apikey);
    const etag = headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{43}"$/);
    expect(headers.get('vary')).toContain('apikey');
    expect(headers.get('cache-control')).toBe('private, no-cache');
    for (const known of [`"x", W/${etag}`, '*']) {
      const response = await request(ended, { headers: { ...apikey, 'if-none-match': known } });
      const { status } = response;
      expect([status, response.headers.get('etag'), await response.text()]).toEqual([
        304,
        etag,
        '',
      ]);
    }
    expect((await get(ended, { ...apikey, 'if-none-match': '"other"' })).status).toBe(200);
    expect((await get(open, apikey)).headers.get('etag')).toBeNull();
  });

  it('returns only the calls of the user in onBehalfOf', async () => {
    const { get, request } = await start();
    expect(idsOf((await get('/v3/calls', as('dave'))).body)).toEqual([3, 2]);
    expect((await get(summary, as('dave'))).body.total.calls).toBe(2);
    const response = await request(open, { headers: as('bob') });
    await expectError(response, 404, 'ERR_CALL_SESSION_NOT_FOUND');
  });

  it('summarizes the filtered calls, in the days of a time zone', async () => {
    const { get } = await start();
    const { body } = await get(summary, apikey);
    expect(body).toMatchObject({ timeZone: 'UTC', total: { calls: 3, durationMinutes: 4.5 } });
    expect(Object.keys(body.by)).toEqual(['day', 'type', 'status', 'user']);
    expect((await get(`${summary}?status=ended`, apikey)).body.total.calls).toBe(1);
    const { timeZone, by } = (await get(`${summary}?by=day&timeZone=Asia/Tokyo`, apikey)).body;
    expect([timeZone, Object.keys(by)]).toEqual(['Asia/Tokyo', ['day']]);
  });
});

describe('400', () => {
  it('names every invalid parameter', async () => {
    const { request } = await start();
    for (const [path, ...names] of [
      ['/v3/calls?page=0&colour=s3cret', 'page', 'colour'],
      [`${open}?fields=all`],
      [`${summary}?page=1&colour=red&by=hour`, 'page ', 'colour ', 'by '],
      [`${summary}?timeZone=Mars/Olympus`, 'timeZone '],
    ] as const) {
      const response = await request(path, { headers: apikey });
      const message = await expectError(response, 400, 'ERR_BAD_REQUEST');
      for (const name of names) expect(message).toContain(name);
      expect(message).not.toContain('s3cret');
    }
  });

  it.each(['', 'a\u0001b'])('rejects onBehalfOf %j', async (user) => {
    const { request } = await start();
    const response = await request('/v3/calls', { headers: as(user) });
    await expectError(response, 400, 'ERR_BAD_REQUEST');
  });
});

describe('401, 403', () => {
  it('requires an apikey even if this service has no keys', async () => {
    const { request } = await start();
    for (const headers of [{}, { apikey: '  ' }, { 'x-api-key': 'k' }] as Headers[])
      for (const path of ['/v3/calls/x', '/v3/calls?page=0'])
        await expectError(await request(path, { headers }), 401, 'AUTH_ERR_EMPTY_APIKEY');
  });

  it('limits a token to its user', async () => {
    const { get, request } = await start({ JWT_SECRET: jwtSecret });
    const bob = await bearerOf({ sub: 'bob' });
    for (const own of [bob, { ...bob, onBehalfOf: 'bob' }]) {
      expect(idsOf((await get('/v3/calls', own)).body)).toEqual([1]);
      expect((await get(summary, own)).body.total.calls).toBe(1);
    }
    for (const [path, headers, status, code] of [
      ['/v3/calls', { ...bob, onBehalfOf: 'alice' }, 403, 'AUTH_ERR_NO_ACCESS'],
      [open, { ...bob, apikey: 'foreign' }, 404, 'ERR_CALL_SESSION_NOT_FOUND'],
      ['/v3/calls', await bearerOf({ sub: 'x'.repeat(101) }), 403, 'AUTH_ERR_NO_ACCESS'],
      ['/v3/calls', await bearerOf({ sub: '' }), 401, 'AUTH_ERR_APIKEY_NOT_FOUND'],
    ] as const)
      await expectError(await request(path, { headers }), status, code);
  });

  it('lets a key, and a token without a user, read all calls', async () => {
    const { get } = await start({ JWT_SECRET: jwtSecret, API_KEYS: 'own-key' });
    for (const headers of [await bearerOf(), { 'x-api-key': 'own-key' }] as Headers[])
      expect(idsOf((await get('/v3/calls', headers)).body)).toEqual([3, 2, 1]);
  });
});

describe('404, 405, 413, 500', () => {
  it('have the format of the calling service', async () => {
    const { request } = await start({ MAX_BODY_BYTES: '1024' });
    for (const path of ['/v3', '/v3/users', '/v3/calls/a/b'])
      await expectError(await request(path, { headers: apikey }), 404, 'ERR_NOT_FOUND');
    const none = await request('/v3/calls/none', { headers: apikey });
    await expectError(none, 404, 'ERR_CALL_SESSION_NOT_FOUND');
    const wrong = await request('/v3/calls', { method: 'DELETE', headers: apikey });
    await expectError(wrong, 405, 'ERR_METHOD_NOT_ALLOWED');
    expect(wrong.headers.get('allow')).toBe('GET');
    const headers = { ...apikey, 'content-type': 'application/json', 'content-length': '2000' };
    const large = { method: 'POST', headers, body: JSON.stringify('x'.repeat(1_998)) };
    await expectError(await request('/v3/calls', large), 413, 'ERR_PAYLOAD_TOO_LARGE');
  });

  it('hide internal errors', async () => {
    const list = () => Promise.reject(new Error('s3cret at /srv/app'));
    const { request } = await startService({}, {}, { callLog: { ...callLogOf([]), list } });
    const response = await request('/v3/calls', { headers: apikey });
    expect(await expectError(response, 500, 'ERR_INTERNAL')).not.toMatch(/s3cret|srv/);
  });
});

it('the OpenAPI document names every query parameter', async () => {
  const { get } = await start();
  const operation = (await get('/api/openapi.json')).body.paths['/v3/calls'].get;
  const named = operation.parameters
    .filter((parameter: { in: string }) => parameter.in === 'query')
    .map(({ name }: { name: string }) => name);
  expect(named).toEqual(callsQueryParameters.map(({ name }) => name));
  const { body } = await get(`/v3/calls?${named.join('=&')}=`, apikey);
  for (const name of named) expect(body.error.message).toContain(`${name} must`);
  expect(operation.responses['401'].content['application/json'].schema.required).toEqual(['error']);
  expect(operation.security).toContainEqual({ callsApiKey: [] });
});
