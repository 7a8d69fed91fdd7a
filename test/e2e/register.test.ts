import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../support/run-command.ts';
import { type Page, startSite } from '../support/site.ts';

const key = 'rest-api-key-1';
const agentsPath = '/v3/ai-agents/agents';

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly body: any;
}

const agentAt = (uid: string, agentId: string, baseUrl: string, more: object = {}) => ({
  uid,
  integrateWith: 'mastra',
  integrationMeta: { baseUrl, agentId },
  metaData: {},
  deletedAt: null,
  ...more,
});

/**
 * The agents part of the platform's REST API. @param listing response to `GET`, by page @param
 * confirmed response to all other methods
 */
async function startPlatform(listing: (page: number) => unknown = () => [], confirmed?: Page) {
  const sent: Sent[] = [];
  const answer: RequestListener = async (request, response) => {
    const url = new URL(request.url ?? '', 'http://platform');
    const body = await text(request);
    const { method = '' } = request;
    sent.push({
      method,
      path: url.pathname + url.search,
      body: body === '' ? undefined : JSON.parse(body),
    });
    const reply = (status: number, content: unknown) =>
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(JSON.stringify(content));
    if (request.headers['apikey'] !== key) {
      const message = `The key ${request.headers['apikey']} is not known. ${'Ask an admin. '.repeat(100)}`;
      return reply(401, { error: { code: 'AUTH_ERR_APIKEY_NOT_FOUND', message } });
    }
    if (method === 'GET') return reply(200, listing(Number(url.searchParams.get('page') ?? 1)));
    if (confirmed)
      return response.writeHead(confirmed.status ?? 200, confirmed.headers).end(confirmed.body);
    if (method === 'POST') return reply(201, { agent: { uid: 'uid-new', ...JSON.parse(body) } });
    if (method === 'PATCH') return reply(200, { success: true });
    return reply(405, { error: { code: 'ERR_METHOD', message: 'Not allowed.' } });
  };
  const site = await startSite();
  const pages = Array.from({ length: 60 }, (_, at) => `${agentsPath}?page=${at + 1}`);
  for (const path of [agentsPath, ...pages, `${agentsPath}/uid-1`, `${agentsPath}/uid-2`])
    site.set(path, answer);
  return { ...site, sent };
}

const json = (body: unknown, status = 200) => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

const agentCard = {
  id: 'knowledge',
  requiresMention: true,
  mentions: ['@agent', '<@uid:knowledge>'],
};

const startServerLookalike = (pages: Record<string, Page> = {}) =>
  startSite({
    '/ready': json({ status: 'ready' }),
    '/api/agents': json({ knowledge: agentCard }),
    '/api/agents/knowledge/generate': json({ text: 'In ten days. [1]', reason: 'answered' }),
    ...pages,
  });

const registered = (
  args: readonly string[],
  settings: Record<string, string> = { CHAT_API_KEY: key },
) => runCommand(['register', '--provider', 'mastra', ...args], settings);
const own = ['--url', 'https://agent.example.com'];
/** Applies without asking the public URL. */
const apply = (
  platform: { readonly url: string },
  url: string,
  more: readonly string[] = [],
  settings?: Record<string, string>,
) => {
  const args = ['--api-base', platform.url, '--url', url, '--apply', '--unchecked', ...more];
  return registered(args, settings);
};
const icon = ['--icon', 'https://agent.example.com/icon.png'];
const ownUrl = own[1] ?? '';

describe('npm run register --apply', () => {
  it('updates an existing agent on any page, keeps dashboard texts', async () => {
    const metaData = {
      greetingMessage: 'Written by hand',
      suggestedMessages: ['How?', 'When, <@uid:knowledge>?', '@agent who?'],
    };
    const platform = await startPlatform((page) => ({
      data:
        page === 1
          ? ['odd', { uid: 7 }, agentAt('uid-9', 'knowledge', ownUrl, { deletedAt: '2026-01-01' })]
          : [agentAt('uid-1', 'knowledge', 'https://old.example', { metaData })],
      meta: { pagination: { total: 2, current_page: page, total_pages: 2 } },
    }));
    const { code, out } = await apply(platform, ownUrl, ['--json']);
    expect([code, JSON.parse(out)]).toMatchObject([
      0,
      { done: 'updated', uid: 'uid-1', requests: [] },
    ]);
    const updated = {
      integrateWith: 'mastra',
      integrationType: 'agent',
      isActive: true,
      integrationMeta: { baseUrl: ownUrl, agentId: 'knowledge' },
      metaData,
    };
    expect(platform.sent.slice(1)).toEqual([
      { method: 'GET', path: `${agentsPath}?page=2`, body: undefined },
      { method: 'PATCH', path: `${agentsPath}/uid-1`, body: updated },
    ]);
    await apply(platform, ownUrl, ['--name', 'Docs']);
    expect(platform.sent.at(-1)?.body).toEqual({ ...updated, name: 'Docs' });
  });

  it('updates the agent with this URL if several share the id, and changes nothing if no URL matches', async () => {
    const others = [
      agentAt('uid-1', 'knowledge', 'https://a.example'),
      agentAt('uid-2', 'knowledge', 'https://b.example'),
    ];
    const unclear = await startPlatform(() => ({ agents: others }));
    expect(await apply(unclear, ownUrl)).toMatchObject({
      code: 1,
      err: expect.stringContaining('Delete all but one agent knowledge'),
    });
    expect(unclear.sent.map(({ method }) => method)).toEqual(['GET']);
    const clear = await startPlatform(() => ({
      agents: [others[0], agentAt('uid-2', 'knowledge', `${ownUrl}/`)],
    }));
    expect((await apply(clear, ownUrl)).code).toBe(0);
    expect(clear.sent.at(-1)).toMatchObject({ method: 'PATCH', path: `${agentsPath}/uid-2` });
  });
});

describe('npm run register without --apply', () => {
  it('sends nothing to the platform and prints the requests without the key', async () => {
    const server = await startServerLookalike();
    const platform = await startPlatform();
    const plan = ['--api-base', platform.url, '--url', server.url];
    const { code, out, err } = await registered(plan);
    expect([code, platform.sent]).toEqual([0, []]);
    for (const part of [
      `sends to ${platform.url}/v3, as far as needed:\n  POST            /ai-agents/agents  {`,
      `  PATCH           /ai-agents/agents/{uid}  {`,
      `  Full endpoint   ${server.url}/api/agents/knowledge/generate\n`,
    ])
      expect(out).toContain(part);
    expect(out + err).not.toContain(key);
  });

  it('prints the requests as JSON with --json', async () => {
    const server = await startServerLookalike();
    const app = ['--app-id', 'App1', '--region', 'EU', '--url', server.url, '--json'];
    const { code, out, err } = await registered(app, {});
    expect([code, err]).toEqual([0, '']);
    const integrationMeta = { baseUrl: server.url, agentId: 'knowledge' };
    expect(JSON.parse(out)).toMatchObject({
      done: 'nothing',
      requests: [
        ['POST', '/ai-agents/agents', { integrationMeta }],
        ['PATCH', '/ai-agents/agents/{uid}', {}],
      ],
      dashboard: expect.arrayContaining([['Deployment URL', server.url]]),
    });
  });
});

describe('npm run register checks that the public URL', () => {
  const asks = (page: Page) => ({ '/api/agents/knowledge/generate': page });
  it.each<[string, Page, string]>([
    [
      'needs no key',
      json({ code: 'unauthorized', error: 'No key.' }, 401),
      '401: No key. This provider sends no key: set PATH_PREFIX',
    ],
    [
      'has a server behind it',
      { status: 502, body: '<h1>Bad gateway' },
      '502: the server or its proxy failed.',
    ],
    [
      'has a known host name',
      json({ error: 'Set ALLOWED_HOSTS.' }, 421),
      '421: Set ALLOWED_HOSTS.',
    ],
    ['is this server', { body: '<p>hi' }, '200: a proxy or another program answers'],
    [
      'does not redirect',
      { status: 302, headers: { location: 'https://example.com/' } },
      '302: a proxy or another program answers, or redirects.',
    ],
    [
      'is ready',
      json({ code: 'not_ready', error: 'It is starting.' }, 503),
      '503: It is starting.',
    ],
  ])('%s, and otherwise reports it and sends nothing', async (_what, page, sentence) => {
    const server = await startServerLookalike(asks(page));
    const platform = await startPlatform();
    const args = ['--api-base', platform.url, '--url', server.url, '--apply', '--json'];
    const { code, out } = await registered(args);
    expect([code, platform.sent]).toEqual([1, []]);
    const { done, checks } = JSON.parse(out);
    expect([done, checks[0].text]).toEqual(['nothing', expect.stringContaining(sentence)]);
  });

  it('is reachable', async () => {
    const site = await startSite();
    await site.close();
    const platform = await startPlatform();
    const args = ['--api-base', platform.url, '--url', site.url, '--apply'];
    const { code, err } = await registered(args);
    expect([code, platform.sent]).toEqual([1, []]);
    expect(err).toContain('is unreachable: the connection was refused.');
  });

  it('uses TLS with --apply, unless the platform is also loopback', async () => {
    const platform = await startPlatform();
    const server = await startServerLookalike();
    const app = ['--app-id', 'a', '--region', 'us', '--url', server.url, '--apply'];
    expect(await registered(app)).toMatchObject({
      code: 2,
      err: expect.stringContaining(`${server.url} is not https, which the platform requires.`),
    });
    expect(await apply(platform, 'http://agent.example.com')).toMatchObject({
      code: 2,
      err: expect.stringContaining('is not https, which the platform requires.'),
    });
    expect(platform.sent).toEqual([]);
  });
});

describe('npm run register', () => {
  it('prints the error text of the platform, shortened and without the key', async () => {
    const platform = await startPlatform();
    const wrong = { CHAT_API_KEY: 'wrong-key' };
    const { code, out, err } = await apply(platform, ownUrl, [], wrong);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(
      'The chat platform answered with status 401: The key [key] is not known. Ask an admin.',
    );
    expect(err.length).toBeLessThan(600);
  });

  const endless = (page: number) => ({
    data: [],
    meta: { pagination: { current_page: page, total_pages: 51 } },
  });
  it.each<[string, (page: number) => unknown, string]>([
    ['an object instead of a list', () => ({ hello: 1 }), 'did not return a list of agents'],
    ['null', () => null, 'did not return a list of agents'],
    ['more pages than it reads', endless, 'did not return a list of agents'],
  ])('reports %s and creates nothing', async (_what, listing, sentence) => {
    const platform = await startPlatform(listing);
    const { code, err } = await apply(platform, ownUrl);
    expect([code, new Set(platform.sent.map(({ method }) => method))]).toEqual([
      1,
      new Set(['GET']),
    ]);
    expect(err).toContain(sentence);
  });

  const known = agentAt('uid-1', 'knowledge', ownUrl);
  it.each<[string, string, Page, boolean]>([
    ['a page', 'PATCH', { headers: { 'content-type': 'text/html' }, body: '<p>Hi' }, false],
    ['a failed creation', 'POST', json({ success: false, data: { uid: 'uid-7' } }), false],
    ['an agent', 'POST', json({ uid: 'uid-7', name: 'Knowledge' }), true],
    ['success', 'POST', json({ success: true }), true],
    ['data', 'POST', json({ data: { message: 'created' } }), true],
  ])('takes %s for a confirmation of the %s or not', async (_what, method, page, isConfirmed) => {
    const platform = await startPlatform(() => (method === 'PATCH' ? [known] : []), page);
    const { code, out, err } = await apply(platform, ownUrl, icon);
    expect([code, platform.sent.at(-1)?.method]).toEqual([isConfirmed ? 0 : 1, method]);
    expect(isConfirmed ? out : err).toMatch(
      isConfirmed
        ? /^The agent is created/
        : /^The chat platform did not confirm the change\. .*\.\n$/,
    );
  });

  it('does not follow a redirect, because it would forward the key', async () => {
    const platform = await startPlatform();
    const other = await startSite({
      [agentsPath]: { status: 302, headers: { location: `${platform.url}${agentsPath}` } },
    });
    const { code, err } = await apply(other, ownUrl);
    expect([code, platform.sent]).toEqual([1, []]);
    expect(err).toContain('a redirect, which is not followed');
  });
});

describe('npm run register accepts pasted addresses:', () => {
  const app = 'https://platform.example.com/x';
  it.each([
    [' https://agent.example.com/docs/ \n', app],
    ['https://agent.example.com/docs/api/agents/knowledge/generate/', ` ${app}/v3/ `],
  ])('%j and %j', async (url, base) => {
    const args = ['--url', url, '--api-base', base, '--unchecked', '--json'];
    const { code, out } = await registered(args, {});
    expect([code, JSON.parse(out).dashboard]).toEqual([
      0,
      expect.arrayContaining([['Deployment URL', 'https://agent.example.com/docs']]),
    ]);
    expect((await registered(args.slice(0, -1), {})).out).toContain(`--apply sends to ${app}/v3,`);
  });
});

describe('npm run register with wrong arguments', () => {
  const url = [...own, '--unchecked'];
  const app = [...url, '--app-id', 'a'];
  it.each([
    [[], 'PUBLIC_URL'],
    [['--url', 'ftp://x'], '--url'],
    [['--url', 'https://user:s3cret@x'], '--url'],
    [app, '--region'],
    [[...url, '--app-id', 'evil.example/', '--region', 'us'], '--app-id'],
    [[...url, '--apply'], '--app-id'],
    [[...app, '--region', 'us', '--apply'], 'CHAT_API_KEY'],
    [[...url, 'more'], 'more'],
    [[...url, '--provider', 'slack'], 'Use one of: ag-ui, mastra, bot.'],
    [[...url, '--provider', ''], 'Give a provider. Use one of: ag-ui, mastra, bot.'],
    [[...url, '--provider', 'ag-ui', '--apply'], '--apply needs --provider mastra or bot'],
    [[...url, '--provider', 'ag-ui', '--direct'], '--direct needs --provider mastra'],
    [[...url, '--direct'], 'DIRECT_AGENT_ID'],
    [[...url, '--namespace', '../hr'], '--namespace'],
  ])('exits with 2 and a hint for %j', async (args, hint) => {
    const { code, out, err } = await registered(args, {});
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(hint);
    expect(err).not.toContain('s3cret');
    expect(err).toMatch(/Try --help\.\n$/);
  });
});
