/** Names that a caller chooses are no proof of a user, and a user's token keeps its own limits. */
import { text as textOf } from 'node:stream/consumers';
import { describe, expect, it, vi } from 'vitest';
import { startSite } from '../support/site.ts';
import { bearerOf, jwtSecret, signToken } from '../support/tokens.ts';
import { sharedService, startService } from '../support/workspace.ts';

const files = { 'docs/refunds.md': '# Refunds\n\nRefunds are paid within 30 days.\n' };
const keys = { API_KEYS: 'front,other=docs:read', JWT_SECRET: jwtSecret };

async function handedOff(settings: Record<string, string>, headers: Record<string, string>) {
  const sent: any[] = [];
  const site = await startSite({
    '/desk': async (request, response) => {
      sent.push(JSON.parse(await textOf(request)).data);
      response.end();
    },
  });
  const desk = { HANDOFF_WEBHOOK_URL: `${site.url}/desk`, ALLOWED_URL_HOSTS: site.host };
  const service = await startService({ ...desk, ...settings }, files, {
    handOff: { pollMs: 20, firstBackoffMs: 10, claimMs: 5_000 },
  });
  const body = {
    messages: '@agent what is the capital of France?',
    toolParams: { namespace: 'docs' },
    memory: { thread: 't', resource: 'ceo@example.com' },
  };
  await service.generate(body, headers);
  await vi.waitFor(() => expect(sent).toHaveLength(1), { timeout: 60_000, interval: 10 });
  return { user: sent[0].user, resource: sent[0].resource };
}

describe('the hand-off', () => {
  it('names no user for an anonymous caller, whatever resource it chooses', async () => {
    expect(await handedOff({}, {})).toEqual({ user: null, resource: 'ceo@example.com' });
  });

  it('names the subject of a token that has no right to calls', async () => {
    expect(await handedOff(keys, await bearerOf({ sub: 'alice', scope: 'read' }))).toEqual({
      user: 'alice',
      resource: 'ceo@example.com',
    });
  });
});

describe('a userToken', () => {
  const ask = async (claims: Record<string, unknown>, key = 'front') => {
    const { generate } = await sharedService(keys, files);
    const { status, body } = await generate(
      {
        messages: '@agent how long do refunds take?',
        toolParams: { namespace: 'docs' },
        requestContext: { userToken: await signToken({ sub: 'alice', ...claims }) },
      },
      { 'x-api-key': key },
    );
    return [status, body.code ?? 'answer'];
  };

  it.each([
    ['without limits', {}, [200, 'answer']],
    ['for the namespace', { namespaces: 'docs' }, [200, 'answer']],
    ['for another namespace', { namespaces: 'hr' }, [404, 'namespace_not_found']],
    ['with a scope that cannot ask', { scope: 'write' }, [403, 'right_missing']],
  ] as const)('%s limits the request of its key', async (_, claims, wanted) => {
    expect(await ask(claims)).toEqual(wanted);
    expect(await ask(claims, 'other')).toEqual(wanted);
  });
});

it('a visitor continues no thread, whatever name it chooses', async () => {
  const visitors = {
    API_KEYS: 'front',
    ALLOW_ANONYMOUS: 'read',
    ANONYMOUS_NAMESPACES: 'docs',
  };
  const { generate } = await startService(visitors, files);
  const followUp = async (headers: Record<string, string>) => {
    const ask = (messages: string) =>
      generate(
        {
          messages,
          toolParams: { namespace: 'docs' },
          memory: { thread: 't', resource: 'r' },
        },
        headers,
      );
    await ask('@agent how long do refunds take?');
    return (await ask('@agent and what about that?')).body.toolResults[0].result.results.length;
  };
  expect(await followUp({ 'x-api-key': 'front' })).toBe(1);
  expect(await followUp({})).toBe(0);
});

it.each(['a%2Fb', 'a%5Cb', 'a%3Fb', 'a%23b', 'a%00b', 'a..b', 'a%252Fb', '%252e%252e'])(
  'rejects the sessionId %s with 400',
  async (id) => {
    const { get } = await sharedService({}, files);
    const paths = [`/v3/calls/${id}`, `/v3/calls/${id}/transcriptions`];
    for (const path of paths) expect((await get(path, { apikey: 'k' })).status).toBe(400);
  },
);
