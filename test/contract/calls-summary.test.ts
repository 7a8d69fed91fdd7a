import { describe, expect, it } from 'vitest';
import { parseCallsQuery } from '../../packages/calls/src/query.ts';
import type { CallRecord } from '../../packages/calls/src/types.ts';
import { callLogOf } from '../support/call-log.ts';
import { bearerOf, jwtSecret } from '../support/tokens.ts';
import { callRecord, pageOf, send, startUpstream } from '../support/upstream.ts';
import { startService } from '../support/workspace.ts';

const path = '/v3/calls/summary';
const apikey = { apikey: 'callers-own-k3y' };
const ownKey = 'operators-own-k3y';
const calls = [
  callRecord(3, {
    initiator: 'carol',
    receiver: 'dave',
    status: 'ongoing',
    type: 'video',
    initiatedAt: 1_692_399_600,
  }),
  callRecord(2, { initiator: 'alice', receiver: 'dave' }),
  callRecord(1, { initiator: 'alice', receiver: 'bob', status: 'unanswered' }),
];
const quick = { attemptTimeoutMs: 30_000, totalTimeoutMs: 60_000, firstPauseMs: 2, maxPauseMs: 4 };

const startLog = (settings: Record<string, string> = {}) =>
  startService(settings, {}, { callLog: callLogOf(calls) });

/** A calling service with these calls that respects the header onBehalfOf. */
async function startProxy(
  records: readonly CallRecord[],
  settings: Record<string, string> = { CALLS_API_KEY: ownKey },
) {
  const log = callLogOf(records);
  const upstream = await startUpstream(async ({ url = '', headers }, response) => {
    const onBehalfOf = headers['onbehalfof'] as string | undefined;
    send(
      response,
      200,
      await log.list(parseCallsQuery(new URL(url, 'http://localhost').search), { onBehalfOf }),
    );
  });
  const service = await startService(
    { CALLS_BASE_URL: upstream.baseUrl, ...settings },
    {},
    { callsUpstream: quick },
  );
  return { ...service, upstream };
}

const backends: readonly [
  string,
  () => Promise<Pick<Awaited<ReturnType<typeof startService>>, 'get'>>,
][] = [
  ['the embedded log', () => startLog()],
  ['a calling service', () => startProxy(calls)],
];

describe.each(backends)('a summary from %s', (_name, start) => {
  it('totals the calls by every requested dimension', async () => {
    const { get } = await start();
    const { status, body } = await get(path, apikey);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      timeZone: 'UTC',
      total: { calls: 3, voiceMinutes: 4.5, videoMinutes: 0, durationMinutes: 4.5 },
    });
    expect(Object.keys(body.by)).toEqual(['day', 'type', 'status', 'user']);
    expect(
      body.by.status.groups.map(({ key, calls }: { key: string; calls: number }) => [key, calls]),
    ).toEqual([
      ['ended', 1],
      ['ongoing', 1],
      ['unanswered', 1],
    ]);
  });

  it('covers the filtered calls of the named user, in the days of a time zone', async () => {
    const { get } = await start();
    expect((await get(`${path}?status=ended`, apikey)).body.total.calls).toBe(1);
    expect((await get(path, { ...apikey, onBehalfOf: 'dave' })).body.total.calls).toBe(2);
    const { timeZone, by } = (await get(`${path}?by=day&timeZone=Asia/Tokyo`, apikey)).body;
    expect([timeZone, by.day.groups.map(({ key }: { key: string }) => key)]).toEqual([
      'Asia/Tokyo',
      ['2023-08-18', '2023-08-19'],
    ]);
  });

  it('names every invalid parameter, including page', async () => {
    const { get } = await start();
    for (const [query, name] of [
      ['page=1', 'page'],
      ['colour=red', 'colour'],
      ['by=hour', 'by'],
      ['timeZone=Mars/Olympus', 'timeZone'],
      ['timeZone=UTC&timeZone=UTC', 'timeZone'],
    ]) {
      const { status, body } = await get(`${path}?${query}`, apikey);
      expect([query, status, body.error.code]).toEqual([query, 400, 'ERR_BAD_REQUEST']);
      expect(body.error.message).toContain(`${name} `);
    }
  });
});

describe('access to a summary', () => {
  it('is limited to the user of a token, which cannot name another', async () => {
    const { get } = await startLog({ JWT_SECRET: jwtSecret });
    const bob = await bearerOf({ sub: 'bob' });
    expect((await get(path, bob)).body.total.calls).toBe(1);
    expect(await get(path, { ...bob, onBehalfOf: 'alice' })).toMatchObject({
      status: 403,
      body: { error: { code: 'AUTH_ERR_NO_ACCESS' } },
    });
  });

  it('fails if the calling service returns calls of other users', async () => {
    const upstream = await startUpstream((_, response) => send(response, 200, pageOf(calls)));
    const { get } = await startService(
      { CALLS_BASE_URL: upstream.baseUrl, CALLS_API_KEY: ownKey },
      {},
      { callsUpstream: quick },
    );
    expect(await get(path, { ...apikey, onBehalfOf: 'bob' })).toMatchObject({
      status: 502,
      body: { error: { code: 'ERR_UPSTREAM_NOT_SCOPED' } },
    });
  });
});

describe('a summary from a calling service', () => {
  it('fails above 10,000 calls instead of leaving some out', async () => {
    let number = 0;
    const upstream = await startUpstream((_, response) => {
      const data = Array.from({ length: 100 }, () => callRecord(number++));
      send(response, 200, pageOf(data, { total: 20_000, total_pages: 200, per_page: 100 }));
    });
    const { get } = await startService(
      { CALLS_BASE_URL: upstream.baseUrl, CALLS_API_KEY: ownKey },
      {},
      { callsUpstream: quick },
    );
    const { status, body } = await get(path, apikey);
    expect([status, body.error.message]).toEqual([
      400,
      expect.stringMatching(/more than 10000 calls.*shorter period/),
    ]);
    expect(upstream.requests.length).toBeLessThanOrEqual(101);
  });

  it("hides the server's key if it appears as a user id", async () => {
    const { get } = await startProxy([callRecord(1, { initiator: ownKey })]);
    const { status, body } = await get(path, apikey);
    expect([status, body.error.code]).toEqual([502, 'ERR_UPSTREAM_MALFORMED']);
    expect(JSON.stringify(body)).not.toContain(ownKey);
  });
});
