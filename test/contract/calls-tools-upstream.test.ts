import { describe, expect, it } from 'vitest';
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
import { callRecord, pageOf, refusal, send, startUpstream } from '../support/upstream.ts';
import { startService } from '../support/workspace.ts';

const both = ['/api/tools/listCalls', '/api/tools/summarizeCalls'];
const user = users[0] as string;
const ownKey = 'operators-own-k3y';
/** Retries at once and allows enough time on a busy machine. */
const quickRetries = {
  attemptTimeoutMs: 30_000,
  totalTimeoutMs: 60_000,
  firstPauseMs: 2,
  maxPauseMs: 4,
};

async function startTools(
  answer: Parameters<typeof startUpstream>[0],
  settings: Record<string, string> = { CALLS_API_KEY: ownKey },
  callsUpstream = quickRetries,
) {
  const upstream = await startUpstream(answer);
  const service = await startService(
    { CALLS_BASE_URL: upstream.baseUrl, ...withUsers, ...settings },
    {},
    { clock, callsUpstream },
  );
  return { ...service, upstream };
}

type Request = Parameters<Parameters<typeof startUpstream>[0]>[0];
const requestedPage = ({ url }: Request) => {
  const { searchParams } = new URL(url ?? '', 'http://upstream');
  return {
    page: Number(searchParams.get('page') ?? 1),
    perPage: Number(searchParams.get('perPage') ?? 30),
  };
};
/** Returns only the calls of the user in the header; ignores other filters. */
const respectHeader = (request: Request, response: Parameters<typeof send>[0]) =>
  send(
    response,
    200,
    pageByOracle(records, requestedPage(request), request.headers['onbehalfof'] as string),
  );
const ignoreHeader = (request: Request, response: Parameters<typeof send>[0]) =>
  send(response, 200, pageByOracle(records, requestedPage(request)));

describe('with an upstream', () => {
  it("requests carry the user in a header and the server's key, and nothing else of the caller", async () => {
    const { post, upstream } = await startTools(respectHeader);
    const token = await tokenOf(user);
    const own = callsOf(user, {});
    const listed = await post(
      both[0]!,
      { perPage: 100, withUser: 'b c&d', period: 'last_week', statuses: ['ended', 'busy'] },
      token,
    );
    expect([listed.status, listed.body.meta.pagination.total]).toEqual([200, own.length]);
    const [first] = upstream.requests;
    expect(first?.headers).toMatchObject({ onbehalfof: user, apikey: ownKey });
    expect(JSON.stringify(first?.headers)).not.toMatch(/Bearer|trusted-key/);
    const sentFilters = Object.fromEntries(
      new URL(first?.url ?? '', 'http://upstream').searchParams,
    );
    expect(sentFilters).toEqual({
      'initiatedAt[gte]': String(Date.UTC(2026, 10, 9) / 1000),
      'initiatedAt[lt]': String(Date.UTC(2026, 10, 16) / 1000),
      statuses: 'ended,busy',
      uid: 'b c&d',
      page: '1',
      perPage: '100',
    });
    expect(upstream.requests).toHaveLength(1);
  });

  it.each<[string, object]>([
    ['the first page', {}],
    ['a page of one', { perPage: 1 }],
    ['a page beyond the end, which has no calls but the total of all users', { page: 9_999 }],
  ])('returns no calls if the upstream sends calls of others: %s', async (_, body) => {
    const { post } = await startTools(ignoreHeader);
    for (const path of 'page' in body || 'perPage' in body ? both.slice(0, 1) : both) {
      const answer = await post(path, body, await tokenOf('user-without-calls'));
      expect([path, answer.status, answer.body.code]).toEqual([path, 502, 'upstream_failed']);
      expect(Object.keys(answer.body).sort()).toEqual(['code', 'error', 'requestId']);
      expect(answer.body.error).not.toMatch(/v1\.us|600|amara|data/);
    }
  });

  it("a group with the user's name is not the user", async () => {
    const { post } = await startTools((_, response) =>
      send(
        response,
        200,
        pageOf([callRecord(1, { initiator: 'eve', receiver: 'alice', receiverType: 'group' })]),
      ),
    );
    for (const path of both)
      expect((await post(path, {}, await tokenOf('alice'))).status).toBe(502);
  });

  it.each([
    [401, 502, 'upstream_failed'],
    [429, 429, 'rate_limited'],
    [500, 502, 'upstream_failed'],
  ])('upstream status %d becomes %d %s', async (upstreamStatus, status, code) => {
    const { post } = await startTools((_, response) =>
      send(response, upstreamStatus, refusal('ERR_X'), { 'retry-after': '7' }),
    );
    for (const path of both) {
      const answer = await post(path, {}, await tokenOf(user));
      expect([answer.status, answer.body.code]).toEqual([status, code]);
      expect(JSON.stringify(answer.body)).not.toMatch(
        /upstream-body-marker|upstream sentence|operators-own/,
      );
    }
  });

  it('a server without a key sends no requests, whatever the caller sends', async () => {
    const { post, upstream } = await startTools(respectHeader, {});
    for (const headers of [
      await tokenOf(user),
      trusted(user),
      { ...trusted(user), apikey: 'callers-own' },
    ])
      for (const path of both)
        expect(await post(path, {}, headers)).toMatchObject({
          status: 503,
          body: { code: 'calls_unavailable' },
        });
    for (const path of both)
      expect((await post(path, {}, { 'x-api-key': 'trusted-key' })).body.code).toBe(
        'acting_user_required',
      );
    expect(upstream.requests).toHaveLength(0);
  });

  it('rejects a subject that does not fit into a header', async () => {
    const { post, upstream } = await startTools(respectHeader);
    for (const path of both)
      expect((await post(path, {}, await tokenOf('日本'))).body.code).toBe('invalid_request');
    expect(upstream.requests).toHaveLength(0);
  });
});
