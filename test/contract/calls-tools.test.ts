import { describe, expect, it } from 'vitest';
import {
  callsOf,
  clock,
  countsOf,
  daysOf,
  tokenOf,
  trusted,
  users,
  withUsers,
  writeCalls,
} from '../support/own-calls.ts';
import { sharedBy, startService, type TestService } from '../support/workspace.ts';

const list = '/api/tools/listCalls';
const summarize = '/api/tools/summarizeCalls';
const both = [list, summarize];
const [user, other] = users as [string, string];

/** The tests of this file only read. */
const start = (more: Record<string, string> = {}) =>
  sharedBy(JSON.stringify(more), async () => {
    const settings = { CALLS_FILE: await writeCalls(), ...withUsers, ...more };
    return startService(settings, {}, { clock });
  });
const totalOf = ({ body }: Awaited<ReturnType<TestService['post']>>) =>
  body.total?.calls ?? body.meta?.pagination.total;

describe('access to calls', () => {
  it('shows a token only the calls of its subject', async () => {
    const { post } = await start();
    for (const subject of users) {
      const token = await tokenOf(subject);
      const { body } = await post(list, { perPage: 100 }, token);
      const own = callsOf(subject, {});
      expect(body.meta.pagination.total).toBe(own.length);
      expect(body.data).toEqual(own.slice(0, 100));
      const { total, by } = (await post(summarize, {}, token)).body;
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

  it('is refused for a user that the credential does not prove', async () => {
    const token = await tokenOf(user);
    const untrusted = { 'x-api-key': 'other-key' };
    const refused: [headers: Record<string, string>, code: string, trustedKeys?: string][] = [
      [{ ...untrusted, onBehalfOf: user }, 'acting_user_not_allowed'],
      [untrusted, 'acting_user_required'],
      [trusted(user), 'acting_user_not_allowed', 'other-key'],
      [{ 'x-api-key': 'trusted-key' }, 'acting_user_required'],
      [trusted(''), 'invalid_request'],
      [trusted('x'.repeat(101)), 'invalid_request'],
      [await tokenOf(undefined), 'acting_user_required'],
      [await tokenOf('x'.repeat(101)), 'acting_user_required'],
      [{ ...token, onBehalfOf: '' }, 'acting_user_not_allowed'],
      [{ ...token, onBehalfOf: other }, 'acting_user_not_allowed'],
      [{ ...token, onBehalfOf: user.toUpperCase() }, 'acting_user_not_allowed'],
    ];
    for (const [headers, code, keys] of refused) {
      const { post } = await start(keys === undefined ? {} : { CALLS_TRUSTED_KEYS: keys });
      for (const path of both) {
        const { status, body } = await post(path, {}, headers);
        const expected = code === 'invalid_request' ? 400 : 403;
        expect([headers, status, body.code]).toEqual([headers, expected, code]);
      }
    }
    const { post } = await start();
    expect(totalOf(await post(list, {}, { ...token, onBehalfOf: user }))).toBe(
      callsOf(user, {}).length,
    );
  });

  it("filters the user's calls by another participant with withUser", async () => {
    const { post } = await start();
    const token = await tokenOf(user);
    for (const withUser of [other, 'unknown-user']) {
      const wanted = callsOf(user, { withUser });
      const { body } = await post(list, { withUser, per_page: 100 }, token);
      expect(body.data).toEqual(wanted.slice(0, 100));
      expect(totalOf(await post(summarize, { withUser }, token))).toBe(wanted.length);
    }
    expect(callsOf(user, { withUser: other }).length).toBeLessThan(callsOf(other, {}).length);
  });
});

it('the days of a query include from and to; to defaults to today; without both, all days count', async () => {
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

it.each<[unknown, (readonly string[])?]>([
  [{ to: '2026-11-03' }],
  [{ period: 'today', from: '2026-11-03' }],
  [{ from: '2026-02-30' }],
  [{ timeZone: 'Mars/Olympus' }],
  [{ statuses: ['missed'] }],
  ['all'],
  [{ page: 0 }, [list]],
  [{ perPage: 101 }, [list]],
  [{ by: ['month'] }, [summarize]],
  // No field names a user.
  [{ onBehalfOf: other }],
  [{ requestContext: other }],
])('rejects %j', async (body, paths = both) => {
  const { post } = await start();
  for (const path of paths) {
    const answer = await post(path, body, await tokenOf(user));
    expect([path, answer.status, answer.body.code]).toEqual([path, 400, 'invalid_request']);
    expect(JSON.stringify(answer.body)).not.toContain(other);
  }
});

it('a server without CALLS_FILE shows a trusted key the calls of the named user in the sample of the repository', async () => {
  const { post } = await startService(withUsers);
  const { body } = await post(list, {}, trusted('liam.murphy'));
  expect(body.meta.pagination.total).toBeGreaterThan(0);
  expect(callsOf('liam.murphy', {}, body.data)).toEqual(body.data);
});
