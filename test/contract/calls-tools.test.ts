import { describe, expect, it } from 'vitest';
import {
  callsOf,
  clock,
  countsOf,
  dayIn,
  daysOf,
  records,
  sumOf,
  tokenOf,
  trusted,
  users,
  withUsers,
  writeCalls,
} from '../support/own-calls.ts';
import { randomAsked } from '../support/random-asked.ts';
import { startService, type TestService } from '../support/workspace.ts';

const list = '/api/tools/listCalls';
const summarize = '/api/tools/summarizeCalls';
const both = [list, summarize];
const user = users[0] as string;
const other = users[1] as string;

const start = async (settings: Record<string, string> = withUsers) =>
  startService({ CALLS_FILE: await writeCalls(), ...settings }, {}, { clock });
const totalOf = ({ body }: Awaited<ReturnType<TestService['post']>>) => body.total?.calls ?? body.meta?.pagination.total;

describe('whose calls are shown', () => {
  it('those of the subject of the token, and no other', async () => {
    const { post } = await start();
    for (const subject of users) {
      const { status, body } = await post(list, { perPage: 100 }, await tokenOf(subject));
      expect(status).toBe(200);
      const own = callsOf(subject, {});
      expect(body.meta.pagination.total).toBe(own.length);
      expect(body.data).toEqual(own.slice(0, 100));
      expect((await post(summarize, {}, await tokenOf(subject))).body.total.calls).toBe(own.length);
    }
  });

  it('those of the user whom a trusted key names in the header', async () => {
    const { post } = await start();
    for (const path of both) expect(totalOf(await post(path, {}, trusted(user)))).toBe(callsOf(user, {}).length);
    for (const path of both) expect(totalOf(await post(path, {}, trusted('nobody')))).toBe(0);
    for (const headers of [trusted(''), trusted('x'.repeat(101))])
      for (const path of both) expect(await post(path, {}, headers)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  it.each([
    ['other-key', 'trusted-key'],
    ['trusted-key', 'other-key'],
    ['trusted-key', ''],
  ])('nobody’s to the key %s where the trusted ones are "%s"', async (presented, keys) => {
    const { post } = await start({ ...withUsers, CALLS_TRUSTED_KEYS: keys });
    const key: Record<string, string> = { 'x-api-key': presented };
    for (const path of both) {
      expect(await post(path, {}, { ...key, onBehalfOf: user })).toMatchObject({ status: 403, body: { code: 'acting_user_not_allowed' } });
      expect(await post(path, {}, key)).toMatchObject({ status: 403, body: { code: 'acting_user_required' } });
    }
  });

  it('a token cannot ask for another user, and may name its own', async () => {
    const { post } = await start();
    const token = await tokenOf(user);
    for (const path of both) {
      for (const named of [other, '', user.toUpperCase(), `${user},${other}`])
        expect(await post(path, {}, { ...token, onBehalfOf: named })).toMatchObject({
          status: 403,
          body: { code: 'acting_user_not_allowed' },
        });
      expect(totalOf(await post(path, {}, { ...token, onBehalfOf: user }))).toBe(callsOf(user, {}).length);
    }
  });

  it('a trusted key without a user and a token without a subject have none', async () => {
    const { post } = await start();
    for (const headers of [{ 'x-api-key': 'trusted-key' }, await tokenOf(undefined), await tokenOf('x'.repeat(101))])
      for (const path of both) expect(await post(path, {}, headers)).toMatchObject({ status: 403, body: { code: 'acting_user_required' } });
  });

  it('nobody’s where anybody may ask', async () => {
    const { post } = await start({});
    for (const path of both) {
      expect(await post(path, {})).toMatchObject({ status: 403, body: { code: 'acting_user_required' } });
      expect(await post(path, {}, { onBehalfOf: user })).toMatchObject({ status: 403, body: { code: 'acting_user_not_allowed' } });
      expect((await post(path, {}, { apikey: 'trusted-key' })).status).toBe(403);
    }
  });

  it('nobody’s without a credential where one is needed', async () => {
    const { post } = await start();
    for (const headers of [{}, { onBehalfOf: user }, { apikey: 'trusted-key', onBehalfOf: user }] as Record<string, string>[])
      for (const path of both) expect((await post(path, {}, headers)).status).toBe(401);
  });

  it.each(['uid', 'onBehalfOf', 'actingUser', 'user', 'userId', 'subject', 'sub', 'requestContext', 'resource', 'initiator', '__proto__x'])(
    'the field %s of a body is refused by name',
    async (name) => {
      const { post } = await start();
      const token = await tokenOf(user);
      for (const path of both) {
        const { status, body } = await post(path, { [name]: other }, token);
        expect([status, body.code]).toEqual([400, 'invalid_request']);
        expect(JSON.stringify(body)).toContain(name);
        expect(JSON.stringify(body)).not.toContain(other);
      }
    },
  );

  it('no query of the address has a say', async () => {
    const { post } = await start();
    for (const path of both)
      expect(totalOf(await post(`${path}?uid=${other}&onBehalfOf=${other}`, {}, await tokenOf(user)))).toBe(callsOf(user, {}).length);
  });

  it('withUser finds calls with another user among the own', async () => {
    const { post } = await start();
    for (const named of [...users, 'nobody']) {
      const { body } = await post(list, { withUser: named, perPage: 100 }, await tokenOf(user));
      expect(body.data.map(({ sessionId }: any) => sessionId)).toEqual(
        callsOf(user, { withUser: named })
          .slice(0, 100)
          .map(({ sessionId }) => sessionId),
      );
      expect(totalOf(await post(summarize, { withUser: named }, await tokenOf(user)))).toBe(callsOf(user, { withUser: named }).length);
    }
    expect(callsOf(user, { withUser: other }).length).toBeLessThan(callsOf(other, {}).length);
  });
});

describe('which days are looked at', () => {
  it.each([
    ['today', undefined, '2026-11-18', '2026-11-18'],
    ['yesterday', undefined, '2026-11-17', '2026-11-17'],
    ['this_week', undefined, '2026-11-16', '2026-11-18'],
    ['last_week', undefined, '2026-11-09', '2026-11-15'],
    ['this_month', undefined, '2026-11-01', '2026-11-18'],
    ['last_month', undefined, '2026-10-01', '2026-10-31'],
    ['last_7_days', undefined, '2026-11-12', '2026-11-18'],
    ['last_30_days', undefined, '2026-10-20', '2026-11-18'],
    ['today', 'Pacific/Kiritimati', '2026-11-19', '2026-11-19'],
    ['last_month', 'Europe/Berlin', '2026-10-01', '2026-10-31'],
  ])('%s in %s', async (period, timeZone, from, to) => {
    const { post } = await start();
    const asked = { period, ...(timeZone === undefined ? {} : { timeZone }) };
    const own = callsOf(user, asked);
    const { body } = await post(list, { ...asked, perPage: 100 }, await tokenOf(user));
    expect([body.from, body.to, body.meta.pagination.total]).toEqual([from, to, own.length]);
    const summary = (await post(summarize, asked, await tokenOf(user))).body;
    expect([summary.from, summary.to, summary.total.calls, summary.timeZone]).toEqual([from, to, own.length, timeZone ?? 'UTC']);
  });

  it('from and to, both of them in it; without a last day until today; without either all', async () => {
    const { post } = await start();
    const token = await tokenOf(user);
    for (const asked of [{ from: '2026-11-03', to: '2026-11-03' }, { from: '2026-10-10', to: '2026-11-05' }, { from: '2026-11-10' }]) {
      const { body } = await post(summarize, asked, token);
      expect([body.from, body.to]).toEqual(daysOf(asked));
      expect(body.total.calls).toBe(callsOf(user, asked).length);
    }
    expect((await post(summarize, {}, token)).body).toMatchObject({ from: null, to: null });
  });

  it.each<[string, unknown]>([
    ['a last day without a first one', { to: '2026-11-03' }],
    ['a last day before the first one', { from: '2026-11-03', to: '2026-11-02' }],
    ['a first day that is to come', { from: '2026-11-19' }],
    ['a period and days', { period: 'today', from: '2026-11-03' }],
    ['a day that there is not', { from: '2026-02-30' }],
    ['a time', { from: '2026-11-03T00:00:00Z' }],
    ['another form of a day', { from: '3.11.2026' }],
    ['a number', { from: 1_794_268_800 }],
    ['another period', { period: 'next_week' }],
    ['an unknown time zone', { timeZone: 'Mars/Olympus' }],
    ['an unknown time zone of a period', { period: 'today', timeZone: 'Mars/Olympus' }],
    ['an empty time zone', { period: 'today', timeZone: '' }],
    ['an unknown status', { statuses: ['missed'] }],
    ['no status', { statuses: [] }],
    ['negative minutes', { duration: { gte: -1 } }],
    ['an unknown comparison', { duration: { eq: 1 } }],
    ['an empty user', { withUser: '' }],
    ['a user with a control character', { withUser: 'a\u0000b' }],
    ['a half number of participants', { participantsCount: 1.5 }],
    ['a text', 'all'],
    ['a list', []],
  ])('%s is 400', async (_, body) => {
    const { post } = await start();
    for (const path of both) {
      const answer = await post(path, body, await tokenOf(user));
      expect([path, answer.status, answer.body.code]).toEqual([path, 400, 'invalid_request']);
    }
  });

  it.each([{ page: 0 }, { perPage: 0 }, { perPage: 101 }, { page: 1.5 }, { by: ['day'] }])('listCalls with %j is 400', async (body) => {
    const { post } = await start();
    expect((await post(list, body, await tokenOf(user))).status).toBe(400);
  });

  it.each([{ by: ['month'] }, { page: 1 }, { by: 'day' }])('summarizeCalls with %j is 400', async (body) => {
    const { post } = await start();
    expect((await post(summarize, body, await tokenOf(user))).status).toBe(400);
  });

  it('what is no JSON is refused as everywhere', async () => {
    const { request } = await start();
    for (const path of both) {
      const headers = { ...(await tokenOf(user)), 'content-type': 'application/json' };
      expect((await request(path, { method: 'POST', headers, body: '{' })).status).toBe(400);
      expect((await request(path, { method: 'POST', headers: { ...headers, 'content-type': 'text/plain' }, body: '{}' })).status).toBe(415);
      expect((await request(path, { method: 'PUT', headers })).status).toBe(405);
    }
  });
});

it('figures are those of a plain calculation, for fifty filters and users', async () => {
  const { post } = await start();
  let found = 0;
  for (const { subject, asked } of randomAsked(50, 3)) {
    const own = callsOf(subject, asked);
    found += own.length;
    const note = JSON.stringify({ subject, asked });
    const { status, body } = await post(summarize, asked, await tokenOf(subject));
    expect(status, note).toBe(200);
    const { timeZone = 'UTC' } = asked;
    const { total, by } = body;
    expect(total.calls, note).toBe(own.length);
    expect(total.durationMinutes, note).toBeCloseTo(sumOf(own, 'totalDurationInMinutes'), 3);
    expect(total.voiceMinutes, note).toBeCloseTo(sumOf(own, 'totalAudioMinutes'), 3);
    expect(total.videoMinutes, note).toBeCloseTo(sumOf(own, 'totalVideoMinutes'), 3);
    const counts = ({ groups }: any) => Object.fromEntries(groups.map(({ key, calls }: any) => [key, calls]));
    expect(counts(by.day), note).toEqual(countsOf(own, ({ initiatedAt }) => dayIn(timeZone, initiatedAt)));
    expect(counts(by.type), note).toEqual(countsOf(own, ({ type }) => (type === 'audio' ? 'voice' : type)));
    expect(counts(by.status), note).toEqual(countsOf(own, ({ status }) => (status === 'canceled' ? 'cancelled' : status)));
    for (const { key, durationMinutes } of by.day.groups)
      expect(durationMinutes, note).toBeCloseTo(
        sumOf(
          own.filter(({ initiatedAt }) => dayIn(timeZone, initiatedAt) === key),
          'totalDurationInMinutes',
        ),
        3,
      );
    for (const { key, calls } of by.user.groups) expect(calls, note).toBe(own.filter((call) => callsOf(key, {}, [call]).length > 0).length);
    const pages = await post(list, { ...asked, perPage: 7, page: 2 }, await tokenOf(subject));
    expect(pages.body.data, note).toEqual(own.slice(7, 14));
    expect(pages.body.meta.pagination.total, note).toBe(own.length);
  }
  expect(found).toBeGreaterThan(500);
});

it('only what is asked for is broken down', async () => {
  const { post } = await start();
  const { body } = await post(summarize, { by: ['status'] }, await tokenOf(user));
  expect(Object.keys(body.by)).toEqual(['status']);
  expect((await post(summarize, { by: [] }, await tokenOf(user))).body.by).toEqual({});
});

it('the sample of the repository is what is asked without a file', async () => {
  const { post } = await startService(withUsers);
  const { body } = await post(list, {}, trusted('liam.murphy'));
  expect(body.meta.pagination.total).toBeGreaterThan(0);
  for (const call of body.data) expect(callsOf('liam.murphy', {}, [call])).toHaveLength(1);
  expect(records.length).toBe(600);
});

it('both stand in the OpenAPI document, with what they take and how they fail', async () => {
  const { get } = await start();
  const { paths } = (await get('/api/openapi.json')).body;
  for (const path of both) {
    const { post } = paths[path];
    const { schema } = post.requestBody.content['application/json'];
    expect(Object.keys(schema.properties)).toEqual(expect.arrayContaining(['period', 'from', 'to', 'timeZone', 'statuses', 'withUser']));
    expect(schema.additionalProperties).toBe(false);
    expect(Object.keys(post.responses)).toEqual(
      expect.arrayContaining(['200', '400', '401', '403', '413', '415', '429', '502', '503', '504']),
    );
    expect(post.parameters).toMatchObject([{ name: 'onBehalfOf', in: 'header', required: false }]);
  }
  expect(paths[list].post.operationId).not.toBe(paths['/v3/calls'].get.operationId);
});

it('a record whose time is none spoils no figure of the others', async () => {
  const odd = { ...records[0], sessionId: 'odd', initiatedAt: 1e300, initiator: user };
  const file = await writeCalls([...records, odd as (typeof records)[number]]);
  const { post } = await startService({ ...withUsers, CALLS_FILE: file }, {}, { clock });
  for (const path of both) {
    const answer = await post(path, {}, await tokenOf(user));
    expect([path, answer.status, totalOf(answer)]).toEqual([path, 200, callsOf(user, {}).length]);
  }
});
