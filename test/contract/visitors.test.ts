/**
 * `ALLOW_ANONYMOUS=read`, and the agent of `DIRECT_AGENT_ID`. `authorization.test.ts` tests which
 * operations and namespaces a visitor may use, `site-guard.test.ts` by which names of the server.
 */
import { describe, expect, it } from 'vitest';
import { parseConfig } from '../../src/config.ts';
import { createApp } from '../../src/http/app.ts';
import { sharedModel, sharedService, startService } from '../support/workspace.ts';

const files = {
  'help/refunds.md': '# Refunds\n\nFull refunds are granted within 30 days of purchase.\n',
  'hr/pay.md': '# Pay\n\nSalaries are paid monthly.\n',
};
const generate = '/api/agents/knowledge/generate';
const open = { ALLOW_ANONYMOUS: 'read', ANONYMOUS_NAMESPACES: 'help' };
const withKey = { ...open, API_KEYS: 'operator' };
const operator = { 'x-api-key': 'operator' };
const question = 'what about refunds?';
const toolParams = { namespace: 'help' };
const plain = { messages: question, toolParams };
const body = { messages: `@agent ${question}`, toolParams };

describe('a caller without a key', () => {
  it('finds a namespace only if it is listed', async () => {
    const { find } = await sharedService(withKey, files);
    for (const [namespace, status] of Object.entries({ help: 200, hr: 404 }))
      expect((await find({ query: 'refunds', namespace })).status).toBe(status);
  });

  it('has a limit for its address, also with RATE_LIMIT_PER_MINUTE=0', async () => {
    const settings = {
      ...withKey,
      RATE_LIMIT_PER_MINUTE: '0,visitor=2',
      TRUSTED_PROXIES: '10.0.0.1',
    };
    const service = await startService(settings, files);
    const app = createApp(parseConfig(settings), service.api, service.logger);
    const socket = { incoming: { socket: { remoteAddress: '10.0.0.1' } } };
    const statusOf = async (address: string, more = {}) => {
      const headers = { 'x-forwarded-for': address, ...more };
      return (await app.request('/api/agents', { headers }, socket)).status;
    };
    const statuses = [];
    for (const address of ['203.0.113.9', '203.0.113.9', '203.0.113.9', '203.0.113.10'])
      statuses.push(await statusOf(address));
    expect(statuses).toEqual([200, 200, 429, 200]);
    expect(await statusOf('203.0.113.9', operator)).toBe(200);
    const limitShown = async (headers = {}) =>
      (await service.get('/api/state', headers)).body.limits.rateLimitPerMinute;
    expect([await limitShown(), await limitShown(operator)]).toEqual([2, 0]);
    const limitOf = (rate: string) =>
      parseConfig({ ...open, RATE_LIMIT_PER_MINUTE: rate }).rateLimitPerMinute.visitor;
    expect(['0', '7', '7,visitor=2'].map(limitOf)).toEqual([120, 7, 2]);
  });

  it('spends a token budget of its own, and callers with a key are still answered', async () => {
    const settings = { ...withKey, ANONYMOUS_TOKENS_PER_DAY: '18' };
    const { provider, service } = await sharedModel(settings, files);
    const { post } = service;
    provider.reply('Full refunds are granted within 30 days of purchase. [1]');
    expect((await post(generate, body)).status).toBe(200);
    expect((await post(generate, body)).body.code).toBe('budget_spent');
    expect((await post(generate, body, operator)).status).toBe(200);
  });
});

it.each<[string, Record<string, string>, number]>([
  ['/api/namespaces', operator, 200],
  ['/v3/calls', { apikey: 'operator' }, 200],
  ['/api/namespaces', { authorization: 'Bearer guessed' }, 401],
  // Only below /v3 is the header apikey a credential.
  ['/api/agents', { apikey: 'operator' }, 421],
  ['/api/agents', {}, 421],
])('by another name of the server, %s with %j returns %i', async (path, headers, status) => {
  const { get } = await sharedService(withKey, files);
  expect((await get(path, { host: 'agent.example.com', ...headers })).status).toBe(status);
});

it.each([
  [{ ALLOW_ANONYMOUS: 'read' }, 'ANONYMOUS_NAMESPACES: is missing'],
  [{ ANONYMOUS_NAMESPACES: 'help' }, 'ANONYMOUS_NAMESPACES: needs ALLOW_ANONYMOUS=read'],
  [{ ...open, ALLOWED_NAMESPACES: 'docs' }, 'help is not in ALLOWED_NAMESPACES'],
  [
    { ...open, PATH_PREFIX: `/k/${'x'.repeat(20)}`, PATH_PREFIX_RIGHTS: 'read' },
    'PATH_PREFIX_RIGHTS: cannot be combined',
  ],
  [{ DIRECT_AGENT_ID: 'knowledge' }, 'DIRECT_AGENT_ID: must differ from knowledge'],
])('the settings %j are refused', (settings, problem) => {
  expect(() => parseConfig(settings)).toThrow(problem);
});

it('the agent of DIRECT_AGENT_ID needs no mention, on any path', async () => {
  const direct = '/api/agents/knowledge-direct';
  const { post } = await sharedService({ DIRECT_AGENT_ID: 'knowledge-direct' }, files);
  expect((await post(generate, plain)).body.reason).toBe('not_mentioned');
  for (const path of ['/generate', '/generate/vnext', '/generate-legacy'])
    expect((await post(direct + path, plain)).body.reason).toBe('answered');
  for (const path of ['/stream', '/stream/vnext', '/stream-legacy'])
    expect((await post(direct + path, plain)).body).toContain('30 days');
});
