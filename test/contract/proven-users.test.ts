/** Names that a caller chooses are no proof of a user, and a user's token keeps its own limits. */
import { expect, it, vi } from 'vitest';
import { startReceiver } from '../support/site.ts';
import { bearerOf, jwtSecret, signToken } from '../support/tokens.ts';
import { sharedService, startService } from '../support/workspace.ts';

const files = { 'docs/refunds.md': '# Refunds\n\nRefunds are paid within 30 days.\n' };
const keys = { API_KEYS: 'front,other=docs:read', JWT_SECRET: jwtSecret };
const bodyOf = (messages: string, more: object = {}) => ({
  ...{ messages, toolParams: { namespace: 'docs' } },
  ...more,
});

it('a hand-off names the subject of a token that has no right to calls', async () => {
  const { url, host, delivered } = await startReceiver();
  const { generate } = await startService(
    { HANDOFF_WEBHOOK_URL: `${url}/desk`, ALLOWED_URL_HOSTS: host, ...keys },
    files,
    { handOff: { pollMs: 20, firstBackoffMs: 10, claimMs: 5_000 } },
  );
  const memory = { thread: 't', resource: 'ceo@example.com' };
  await generate(
    bodyOf('@agent what is the capital of France?', { memory }),
    await bearerOf({ sub: 'alice', scope: 'read' }),
  );
  await vi.waitFor(() => expect(delivered).toHaveLength(1), { timeout: 60_000, interval: 10 });
  expect(delivered[0]?.body.data).toMatchObject({ user: 'alice', resource: 'ceo@example.com' });
});

it.each([
  ['without limits', {}, [200, 'answer']],
  ['for the namespace', { namespaces: 'docs' }, [200, 'answer']],
  ['for another namespace', { namespaces: 'hr' }, [404, 'namespace_not_found']],
  ['with a scope that cannot ask', { scope: 'write' }, [403, 'right_missing']],
])('a userToken %s limits the request of its key', async (_, claims, wanted) => {
  const { generate } = await sharedService(keys, files);
  const requestContext = { userToken: await signToken({ sub: 'alice', ...claims }) };
  const asked = bodyOf('@agent how long do refunds take?', { requestContext });
  for (const key of ['front', 'other']) {
    const { status, body } = await generate(asked, { 'x-api-key': key });
    expect([status, body.code ?? 'answer']).toEqual(wanted);
  }
});

it.each(['a%2Fb', 'a%5Cb', 'a%3Fb', 'a%23b', 'a%00b', 'a..b', 'a%252Fb', '%252e%252e'])(
  'rejects the sessionId %s with 400',
  async (id) => {
    const { get } = await sharedService({}, files);
    for (const path of [`/v3/calls/${id}`, `/v3/calls/${id}/transcriptions`])
      expect((await get(path, { apikey: 'k' })).status).toBe(400);
  },
);
