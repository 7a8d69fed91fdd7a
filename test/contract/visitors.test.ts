/**
 * `ALLOW_ANONYMOUS=read`, and the agent of `DIRECT_AGENT_ID`. `authorization.test.ts` tests which
 * operations a visitor may call.
 */
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config.ts';
import { createApp } from '../../src/http/app.ts';
import { sharedModel, sharedService, startService } from '../support/workspace.ts';

const files = {
  'help/refunds.md': '# Refunds\n\nFull refunds are granted within 30 days of purchase.\n',
  'hr/pay.md': '# Pay\n\nSalaries are paid on the last working day of the month.\n',
};
const generate = '/api/agents/knowledge/generate';
const open = { ALLOW_ANONYMOUS: 'read', ANONYMOUS_NAMESPACES: 'help' };
const question = 'what about refunds?';
const bodyOf = (messages: string, namespace = 'help') => ({ messages, toolParams: { namespace } });
const body = bodyOf(`@agent ${question}`);

describe('a caller without a key', () => {
  it('is answered in the listed namespaces, and other namespaces do not exist for it', async () => {
    const { post, find, get } = await sharedService({ ...open, API_KEYS: 'operator' }, files);
    expect((await post(generate, body)).body.text).toContain('30 days of purchase. [1]');
    expect((await post(generate, bodyOf('@agent when are salaries paid?', 'hr'))).body.code).toBe(
      'namespace_not_found',
    );
    expect((await find({ query: 'salaries', namespace: 'hr' })).status).toBe(404);
    expect((await get('/api/namespaces/help/documents')).body).toMatchObject({
      code: 'right_missing',
      error: 'Callers without a key do not have the right "read".',
    });
    expect((await get('/api/state')).body.caller).toEqual({
      namespaces: ['help'],
      rights: ['ask', 'search'],
      isAnonymous: true,
    });
    expect(
      (await get('/api/namespaces', { 'x-api-key': 'operator' })).body.namespaces.map(
        ({ name }: any) => name,
      ),
    ).toContain('hr');
  });

  it('has a limit for its address, also with RATE_LIMIT_PER_MINUTE=0', async () => {
    const settings = {
      ...open,
      API_KEYS: 'operator',
      RATE_LIMIT_PER_MINUTE: '0,visitor=2',
      TRUSTED_PROXIES: '10.0.0.1',
    };
    const service = await startService(settings, files);
    const app = createApp(parseConfig(settings), service.api, service.logger);
    const search = (address: string, more = {}) => {
      const headers = { 'content-type': 'application/json', 'x-forwarded-for': address, ...more };
      const init = {
        method: 'POST',
        headers,
        body: JSON.stringify({ query: 'refunds', namespace: 'help' }),
      };
      return app.request('/api/tools/searchDocs', init, {
        incoming: { socket: { remoteAddress: '10.0.0.1' } },
      });
    };
    const statuses = [];
    for (const address of ['203.0.113.9', '203.0.113.9', '203.0.113.9', '203.0.113.10'])
      statuses.push((await search(address)).status);
    expect(statuses).toEqual([200, 200, 429, 200]);
    expect((await search('203.0.113.9', { 'x-api-key': 'operator' })).status).toBe(200);
    const state = async (headers = {}) => (await service.get('/api/state', headers)).body;
    expect((await state()).limits.rateLimitPerMinute).toBe(2);
    const operator = await state({ 'x-api-key': 'operator' });
    expect(operator.limits.rateLimitPerMinute).toBe(0);
    expect(
      operator.settings.find(({ name }: any) => name === 'RATE_LIMIT_PER_MINUTE').isDefault,
    ).toBe(false);
    const limitOf = (rate: string) =>
      parseConfig({ ...open, RATE_LIMIT_PER_MINUTE: rate }).rateLimitPerMinute.visitor;
    expect(['0', '7', '7,visitor=2'].map(limitOf)).toEqual([120, 7, 2]);
  });

  it('spends a token budget of its own, and callers with a key are still answered', async () => {
    const settings = { ...open, API_KEYS: 'operator', ANONYMOUS_TOKENS_PER_DAY: '18' };
    const { provider, service } = await sharedModel(settings, files);
    const { post } = service;
    provider.reply('Full refunds are granted within 30 days of purchase. [1]');
    expect((await post(generate, body)).status).toBe(200);
    expect((await post(generate, body)).body.code).toBe('budget_spent');
    expect((await post(generate, body, { 'x-api-key': 'operator' })).status).toBe(200);
  });

  it('reaches the server by the name of PUBLIC_URL, but not by another name', async () => {
    const { request } = await sharedService(
      { ...open, PUBLIC_URL: 'https://help.example.com' },
      files,
    );
    const named = async (host: string) =>
      (await request('/api/agents', { headers: { host } })).status;
    expect([await named('help.example.com'), await named('evil.example.com')]).toEqual([200, 421]);
  });

  it('does not change by which names a caller with a key reaches the server', async () => {
    const { request } = await sharedService({ ...open, API_KEYS: 'operator' }, files);
    const statusOf = async (path: string, headers: Record<string, string>) =>
      (await request(path, { headers: { host: 'agent.example.com', ...headers } })).status;
    expect(await statusOf('/api/namespaces', { 'x-api-key': 'operator' })).toBe(200);
    expect(await statusOf('/v3/calls', { apikey: 'operator' })).toBe(200);
    expect(await statusOf('/api/namespaces', { authorization: 'Bearer guessed' })).toBe(401);
    // Only below /v3 is the header apikey a credential.
    expect([
      await statusOf('/api/agents', { apikey: 'operator' }),
      await statusOf('/api/agents', {}),
    ]).toEqual([421, 421]);
  });
});

it.each([
  [{ ALLOW_ANONYMOUS: 'read' }, 'ANONYMOUS_NAMESPACES: is missing'],
  [{ ANONYMOUS_NAMESPACES: 'help' }, 'ANONYMOUS_NAMESPACES: needs ALLOW_ANONYMOUS=read'],
  [
    { ...open, ALLOWED_NAMESPACES: 'docs' },
    'ANONYMOUS_NAMESPACES: help is not in ALLOWED_NAMESPACES',
  ],
  [
    { ...open, PATH_PREFIX: `/k/${'x'.repeat(20)}`, PATH_PREFIX_RIGHTS: 'read' },
    'PATH_PREFIX_RIGHTS: cannot be combined',
  ],
  [{ ALLOW_ANONYMOUS: 'write' }, 'ALLOW_ANONYMOUS: must be true, false or read; got "write"'],
  [{ DIRECT_AGENT_ID: 'knowledge' }, 'DIRECT_AGENT_ID: must differ from knowledge'],
])('the settings %j are refused', (settings, problem) => {
  expect(() => parseConfig(settings)).toThrow(problem);
});

describe('mentions', () => {
  const direct = '/api/agents/knowledge-direct';

  it('are not needed by the agent of DIRECT_AGENT_ID, on any path', async () => {
    const { post } = await sharedService({ DIRECT_AGENT_ID: 'knowledge-direct' }, files);
    const plain = bodyOf(question);
    expect((await post(generate, plain)).body.reason).toBe('not_mentioned');
    for (const path of ['/generate', '/generate/vnext', '/generate-legacy'])
      expect((await post(direct + path, plain)).body.reason).toBe('answered');
    for (const path of ['/stream', '/stream/vnext', '/stream-legacy'])
      expect((await post(direct + path, plain)).body).toContain('30 days');
    expect((await post('/api/agents/other/generate', plain)).body.code).toBe('agent_not_found');
  });

  it('are listed with each agent', async () => {
    const { get } = await sharedService({ DIRECT_AGENT_ID: 'knowledge-direct' }, files);
    const mentions = ['@agent', '<@uid:knowledge>'];
    const { body: agents } = await get('/api/agents');
    expect(agents).toMatchObject({
      knowledge: { id: 'knowledge', requiresMention: true, mentions },
      'knowledge-direct': { id: 'knowledge-direct', requiresMention: false, mentions },
    });
    expect((await get(direct)).body.id).toBe('knowledge-direct');
    expect((await get('/api/state')).body.agents).toEqual([
      { id: 'knowledge', requiresMention: true, mentions },
      { id: 'knowledge-direct', requiresMention: false, mentions },
    ]);
    const always = await sharedService({ REQUIRE_MENTION: 'false' }, files);
    expect((await always.get('/api/agents')).body.knowledge.requiresMention).toBe(false);
  });
});
