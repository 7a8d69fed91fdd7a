import { describe, expect, it } from 'vitest';
import {
  callsOf,
  clock,
  countsOf,
  daysOf,
  records,
  tokenOf,
  trusted,
  users,
  withUsers,
  writeCalls,
} from '../support/own-calls.ts';
import { forFile } from '../support/when-done.ts';
import { startService, type TestService } from '../support/workspace.ts';

const list = '/api/tools/listCalls';
const summarize = '/api/tools/summarizeCalls';
const both = [list, summarize];
const user = users[0] as string;
const other = users[1] as string;

const open = async (settings: Record<string, string>) =>
  startService({ CALLS_FILE: await writeCalls(), ...settings }, {}, { clock });
let sharedServer: Promise<TestService> | undefined;
/** Tests without their own settings share this server: they only read. */
const start = (settings?: Record<string, string>) => {
  if (settings) return open(settings);
  sharedServer ??= forFile(() => open(withUsers));
  return sharedServer;
};
const totalOf = ({ body }: Awaited<ReturnType<TestService['post']>>) =>
  body.total?.calls ?? body.meta?.pagination.total;

describe('access to calls', () => {
  it('shows a token only the calls of its subject', async () => {
    const { post } = await start();
    for (const subject of users) {
      const { status, body } = await post(list, { perPage: 100 }, await tokenOf(subject));
      expect(status).toBe(200);
      const own = callsOf(subject, {});
      expect(body.meta.pagination.total).toBe(own.length);
      expect(body.data).toEqual(own.slice(0, 100));
      const { total, by } = (await post(summarize, {}, await tokenOf(subject))).body;
      expect(total.calls).toBe(own.length);
      const counts = ({ groups }: any) =>
        Object.fromEntries(groups.map(({ key, calls }: any) => [key, calls]));
      expect(counts(by.type)).toEqual(
        countsOf(own, ({ type }) => (type === 'audio' ? 'voice' : type)),
      );
      expect(counts(by.status)).toEqual(
        countsOf(own, ({ status }) => (status === 'canceled' ? 'cancelled' : status)),
      );
    }
  });

  it('shows a trusted key the calls of the user in the header', async () => {
    const { post } = await start();
    for (const path of both)
      expect(totalOf(await post(path, {}, trusted(user)))).toBe(callsOf(user, {}).length);
    for (const path of both) expect(totalOf(await post(path, {}, trusted('unknown-user')))).toBe(0);
    for (const headers of [trusted(''), trusted('x'.repeat(101))])
      for (const path of both)
        expect(await post(path, {}, headers)).toMatchObject({
          status: 400,
          body: { code: 'invalid_request' },
        });
  });

  it.each([
    ['other-key', 'trusted-key'],
    ['trusted-key', 'other-key'],
    ['trusted-key', ''],
  ])('shows the key %s no calls if the trusted keys are "%s"', async (presented, keys) => {
    const { post } = await start({ ...withUsers, CALLS_TRUSTED_KEYS: keys });
    const key: Record<string, string> = { 'x-api-key': presented };
    for (const path of both) {
      expect(await post(path, {}, { ...key, onBehalfOf: user })).toMatchObject({
        status: 403,
        body: { code: 'acting_user_not_allowed' },
      });
      expect(await post(path, {}, key)).toMatchObject({
        status: 403,
        body: { code: 'acting_user_required' },
      });
    }
  });

  it('lets a token name only its own user', async () => {
    const { post } = await start();
    const token = await tokenOf(user);
    for (const path of both) {
      for (const named of [other, '', user.toUpperCase(), `${user},${other}`])
        expect(await post(path, {}, { ...token, onBehalfOf: named })).toMatchObject({
          status: 403,
          body: { code: 'acting_user_not_allowed' },
        });
      expect(totalOf(await post(path, {}, { ...token, onBehalfOf: user }))).toBe(
        callsOf(user, {}).length,
      );
    }
  });

  it('shows no calls to a trusted key without a user or a token without a subject', async () => {
    const { post } = await start();
    for (const headers of [
      { 'x-api-key': 'trusted-key' },
      await tokenOf(undefined),
      await tokenOf('x'.repeat(101)),
    ])
      for (const path of both)
        expect(await post(path, {}, headers)).toMatchObject({
          status: 403,
          body: { code: 'acting_user_required' },
        });
  });

  it('rejects body fields that name a user', async () => {
    const { post } = await start();
    const token = await tokenOf(user);
    for (const name of [
      'uid',
      'onBehalfOf',
      'actingUser',
      'user',
      'userId',
      'subject',
      'sub',
      'requestContext',
      'resource',
      '__proto__x',
    ])
      for (const path of both) {
        const { status, body } = await post(path, { [name]: other }, token);
        expect([name, status, body.code]).toEqual([name, 400, 'invalid_request']);
        expect(JSON.stringify(body)).toContain(name);
        expect(JSON.stringify(body)).not.toContain(other);
      }
  });

  it("filters the user's calls by another participant with withUser", async () => {
    const { post } = await start();
    for (const named of [...users, 'unknown-user']) {
      const { body } = await post(list, { withUser: named, per_page: 100 }, await tokenOf(user));
      expect(body.data.map(({ sessionId }: any) => sessionId)).toEqual(
        callsOf(user, { withUser: named })
          .slice(0, 100)
          .map(({ sessionId }) => sessionId),
      );
      expect(totalOf(await post(summarize, { withUser: named }, await tokenOf(user)))).toBe(
        callsOf(user, { withUser: named }).length,
      );
    }
    expect(callsOf(user, { withUser: other }).length).toBeLessThan(callsOf(other, {}).length);
  });
});

describe('the days of a query', () => {
  it('include from and to; to defaults to today; without both, all days count', async () => {
    const { post } = await start();
    const token = await tokenOf(user);
    for (const filters of [
      { from: '2026-11-03', to: '2026-11-03' },
      { from: '2026-10-10', to: '2026-11-05' },
      { from: '2026-11-10' },
    ]) {
      const { body } = await post(summarize, filters, token);
      expect([body.from, body.to]).toEqual(daysOf(filters));
      expect(body.total.calls).toBe(callsOf(user, filters).length);
    }
    expect((await post(summarize, {}, token)).body).toMatchObject({ from: null, to: null });
  });

  it.each<[string, unknown]>([
    ['a last day without a first one', { to: '2026-11-03' }],
    ['a period and days', { period: 'today', from: '2026-11-03' }],
    ['a day that does not exist', { from: '2026-02-30' }],
    ['an unknown time zone', { timeZone: 'Mars/Olympus' }],
    ['an unknown status', { statuses: ['missed'] }],
    ['a text', 'all'],
  ])('reject %s', async (_, body) => {
    const { post } = await start();
    for (const path of both) {
      const answer = await post(path, body, await tokenOf(user));
      expect([path, answer.status, answer.body.code]).toEqual([path, 400, 'invalid_request']);
    }
  });

  it('reject invalid pages and groups', async () => {
    const { post } = await start();
    for (const [path, body] of [
      ...[{ page: 0 }, { perPage: 0 }, { perPage: 101 }, { page: 1.5 }, { by: ['day'] }].map(
        (one) => [list, one] as const,
      ),
      ...[{ by: ['month'] }, { page: 1 }, { by: 'day' }].map((one) => [summarize, one] as const),
    ])
      expect([body, (await post(path, body, await tokenOf(user))).status]).toEqual([body, 400]);
  });
});

it('a server without CALLS_FILE uses the sample of the repository', async () => {
  const { post } = await startService(withUsers);
  const { body } = await post(list, {}, trusted('liam.murphy'));
  expect(body.meta.pagination.total).toBeGreaterThan(0);
  for (const call of body.data) expect(callsOf('liam.murphy', {}, [call])).toHaveLength(1);
  expect(records.length).toBe(600);
});
