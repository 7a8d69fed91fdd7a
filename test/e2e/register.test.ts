import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { serveOnLoopback } from '../support/event-stream.ts';
import { runCommand } from '../support/run-command.ts';
import { type Page, startSite } from '../support/site.ts';
import { startService } from '../support/workspace.ts';

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

const answerPages = {
  '/api/agents/knowledge/generate': json({ text: 'In ten days. [1]', reason: 'answered' }),
  '/api/agents/knowledge/stream': {
    body: [
      { type: 'text-delta', payload: { text: 'In ten days. [1]' } },
      { type: 'finish', payload: { reason: 'answered' } },
    ]
      .map((event) => `data: ${JSON.stringify(event)}\n\n`)
      .join(''),
  },
};
const agentCard = {
  id: 'knowledge',
  requiresMention: true,
  mentions: ['@agent', '<@uid:knowledge>'],
};

const startServerLookalike = (pages: Record<string, Page> = {}) =>
  startSite({
    '/ready': json({ status: 'ready' }),
    '/api/agents': json({ knowledge: agentCard }),
    ...answerPages,
    ...pages,
  });

const run = (args: readonly string[], settings: Record<string, string> = { CHAT_API_KEY: key }) =>
  runCommand(['register', '--provider', 'mastra', ...args], settings);
const icon = ['--icon', 'https://agent.example.com/icon.png'];

describe('npm run register --apply', () => {
  it('creates the agent with the URL of this server if the app has none', async () => {
    const url = await serveOnLoopback(await startService());
    const platform = await startPlatform(() => [
      agentAt('uid-2', 'weather', 'https://weather.example'),
      'odd',
      { uid: 7 },
    ]);
    const { code, out, err } = await run(
      [
        '--api-base',
        platform.url,
        '--apply',
        '--unchecked',
        ...icon,
        '--greeting',
        'Hi 👋',
        '--suggest',
        'One?',
        '--suggest',
        'Two?',
      ],
      {
        CHAT_API_KEY: key,
        PUBLIC_URL: `${url}/`,
      },
    );
    expect([code, err]).toEqual([0, `${url} is not https, which the platform requires.\n`]);
    expect(out).toContain('The agent was created: uid-new.');
    expect(platform.sent).toEqual([
      { method: 'GET', path: agentsPath, body: undefined },
      {
        method: 'POST',
        path: agentsPath,
        body: {
          name: 'Knowledge',
          icon: icon[1],
          integrateWith: 'mastra',
          integrationType: 'agent',
          integrationMeta: { baseUrl: url, agentId: 'knowledge' },
          isActive: true,
          metaData: {
            greetingMessage: 'Hi 👋',
            introductoryMessage: expect.any(String),
            suggestedMessages: ['@agent One?', '@agent Two?'],
          },
        },
      },
    ]);
  });

  it('updates an existing agent on any page, keeps dashboard texts and adds missing mentions to its suggestions', async () => {
    const server = await startServerLookalike();
    const metaData = {
      greetingMessage: 'Written by hand',
      suggestedMessages: ['How?', 'When, <@uid:knowledge>?', '@agent who?'],
    };
    const kept = {
      ...metaData,
      suggestedMessages: ['@agent How?', '@agent When, <@uid:knowledge>?', '@agent who?'],
    };
    const platform = await startPlatform((page) => ({
      data:
        page === 1
          ? [agentAt('uid-9', 'knowledge', server.url, { deletedAt: '2026-01-01' })]
          : [agentAt('uid-1', 'knowledge', 'https://old.example', { metaData })],
      meta: { pagination: { total: 2, current_page: page, total_pages: 2 } },
    }));
    const args = [
      '--api-base',
      `${platform.url}/`,
      '--url',
      server.url,
      '--apply',
      '--unchecked',
      '--endpoint',
      '--json',
    ];
    const { code, out } = await run(args);
    expect([code, JSON.parse(out)]).toMatchObject([
      0,
      { done: 'updated', uid: 'uid-1', requests: [] },
    ]);
    const own = { integrateWith: 'mastra', integrationType: 'agent', isActive: true };
    const integrationMeta = {
      baseUrl: `${server.url}/api/agents/knowledge/generate`,
      agentId: 'knowledge',
    };
    expect(platform.sent.slice(1)).toEqual([
      { method: 'GET', path: `${agentsPath}?page=2`, body: undefined },
      {
        method: 'PATCH',
        path: `${agentsPath}/uid-1`,
        body: { ...own, integrationMeta, metaData: kept },
      },
    ]);
    await run([...args, '--intro', 'New', '--name', 'Docs']);
    expect(platform.sent.at(-1)?.body).toEqual({
      name: 'Docs',
      ...own,
      integrationMeta,
      metaData: { ...kept, introductoryMessage: 'New' },
    });
  });

  it('updates the agent with this URL if several share the id, and changes nothing if no URL matches', async () => {
    const server = await startServerLookalike();
    const others = [
      agentAt('uid-1', 'knowledge', 'https://a.example'),
      agentAt('uid-2', 'knowledge', 'https://b.example'),
    ];
    const unclear = await startPlatform(() => ({ agents: others }));
    const refused = await run([
      '--api-base',
      unclear.url,
      '--url',
      server.url,
      '--apply',
      '--unchecked',
    ]);
    expect(refused).toMatchObject({
      code: 1,
      err: expect.stringContaining('several agents with the id knowledge (uid-1, uid-2)'),
    });
    expect(unclear.sent.map(({ method }) => method)).toEqual(['GET']);
    const clear = await startPlatform(() => ({
      agents: [others[0], agentAt('uid-2', 'knowledge', `${server.url}/`)],
    }));
    expect(
      (await run(['--api-base', clear.url, '--url', server.url, '--apply', '--unchecked'])).code,
    ).toBe(0);
    expect(clear.sent.at(-1)).toMatchObject({ method: 'PATCH', path: `${agentsPath}/uid-2` });
  });
});

describe('npm run register without --apply', () => {
  it('sends nothing to the platform and prints the requests without the key', async () => {
    const server = await startServerLookalike();
    const platform = await startPlatform();
    const { code, out, err } = await run(['--api-base', platform.url, '--url', server.url]);
    expect(code).toBe(0);
    expect(platform.sent).toEqual([]);
    expect(out).toContain('The platform requires a picture to create an agent: give --icon.\n');
    expect(out).toContain(`POST ${platform.url}${agentsPath}\n{`);
    expect(out).toContain(`PATCH ${platform.url}${agentsPath}/{uid}\n{`);
    expect(out).toContain(
      `or, if the platform requires the full endpoint, ${server.url}/api/agents/knowledge/generate`,
    );
    expect(out + err).not.toContain(key);
  });

  it('prints the requests as JSON with --json', async () => {
    const server = await startServerLookalike();
    const { code, out, err } = await run(
      ['--app-id', 'App1', '--region', 'EU', '--url', server.url, '--json'],
      {},
    );
    expect([code, err]).toEqual([0, '']);
    const address = 'https://app1.api-eu.cometchat.io/v3/ai-agents/agents';
    expect(JSON.parse(out)).toMatchObject({
      done: 'nothing',
      requests: [
        {
          method: 'POST',
          url: address,
          body: { integrationMeta: { baseUrl: server.url, agentId: 'knowledge' } },
        },
        { method: 'PATCH', url: `${address}/{uid}` },
      ],
      problems: [`${server.url} is not https, which the platform requires.`],
      dashboard: { provider: 'Mastra', agentId: 'knowledge', deploymentUrl: server.url },
    });
  });

  it('prints the values for the dashboard without an app', async () => {
    const { code, out, err } = await run(
      ['--url', 'https://agent.example.com/docs/', '--unchecked'],
      {},
    );
    expect([code, err]).toEqual([0, '']);
    expect(out).toContain('Give --app-id and --region');
    expect(out).toMatch(/Deployment URL +https:\/\/agent\.example\.com\/docs\n/);
  });
});

describe('npm run register checks that the public URL', () => {
  const closed = async () => {
    const site = await startSite();
    await site.close();
    return site;
  };
  it.each([
    ['is reachable', closed, 'is unreachable: the connection was refused.'],
    [
      'needs no key',
      () =>
        startServerLookalike({
          '/api/agents': json({ code: 'unauthorized', error: 'No key.' }, 401),
        }),
      '401: the server requires a key, but this provider sends none.',
    ],
    [
      'passes a proxy',
      () => startServerLookalike({ '/api/agents': { status: 403, body: 'no' } }),
      '403: a proxy refuses the request.',
    ],
    [
      'has a server behind it',
      () => startSite({}, () => ({ status: 502, body: '<h1>Bad gateway' })),
      '502: the server or its proxy failed.',
    ],
    [
      'has a known host name',
      () => startSite({ '/ready': json({ code: 'host_not_allowed', error: 'Host.' }, 421) }),
      '421: the server does not accept this host name. Add 127.0.0.1 to ALLOWED_HOSTS, or set PUBLIC_URL.',
    ],
    [
      'is this server',
      () => startSite({ '/ready': { body: '<p>ok' }, '/api/agents': { body: '<p>hi' } }),
      '200: a web page answers instead',
    ],
    [
      'is this program',
      () => startServerLookalike({ '/api/agents': json({ weather: {} }) }),
      '200: another program answers instead',
    ],
    [
      'does not redirect',
      () => startSite({}, () => ({ status: 302, headers: { location: 'https://example.com/' } })),
      '302: a redirect',
    ],
    [
      'is ready',
      () => startSite({ '/ready': json({ code: 'not_ready', error: 'It is starting.' }, 503) }),
      '503: It is starting.',
    ],
    [
      'gets answers from the agent',
      () =>
        startServerLookalike({
          '/api/agents/knowledge/stream': { body: 'data: {"type":"start"}\n\n' },
        }),
      undefined,
    ],
  ])('%s, and otherwise reports it and sends nothing', async (_what, start, sentence) => {
    const server = await start();
    const platform = await startPlatform();
    const { code, out, err } = await run([
      '--api-base',
      platform.url,
      '--url',
      server.url,
      '--apply',
    ]);
    expect([code, platform.sent]).toEqual([1, []]);
    expect(out).toMatch(/^Nothing was sent\.\n/);
    const json = await run(['--url', server.url, '--json']);
    if (sentence === undefined) {
      expect(out).toContain('group       knowledge  refused: 200: another program answers instead');
      expect([json.code, JSON.parse(json.out).checks[1].outcome]).toEqual([1, 'refused']);
      return;
    }
    expect(err.split('\n').find((line) => line.includes(sentence))).toMatch(/\.$/);
    expect([json.code, JSON.parse(json.out).problems[1]]).toEqual([
      1,
      expect.stringContaining(sentence),
    ]);
  });

  it('uses TLS with --apply, unless the platform is also loopback, or it is loopback and unchecked', async () => {
    const platform = await startPlatform();
    const server = await startServerLookalike();
    const local = await run(['--app-id', 'a', '--region', 'us', '--url', server.url, '--apply']);
    expect(local).toMatchObject({
      code: 1,
      err: `${server.url} is not https, which the platform requires.\n`,
    });
    expect(local.out).toMatch(/^Nothing was sent\.\n/);
    const refused = await run([
      '--api-base',
      platform.url,
      '--url',
      'http://agent.example.com',
      '--apply',
      '--unchecked',
    ]);
    expect(refused).toMatchObject({
      code: 2,
      err: expect.stringContaining('is not https, which the platform requires.'),
    });
    expect(platform.sent).toEqual([]);
  });
});

describe('npm run register', () => {
  it('prints the error text of the platform, shortened and without the key', async () => {
    const server = await startServerLookalike();
    const platform = await startPlatform();
    const { code, out, err } = await run(
      ['--api-base', platform.url, '--url', server.url, '--apply', '--unchecked'],
      {
        CHAT_API_KEY: 'wrong-key',
      },
    );
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(
      'The chat platform answered with status 401: The key [key] is not known. Ask an admin.',
    );
    expect(err).not.toContain('wrong-key');
    expect(err.length).toBeLessThan(600);
  });

  it.each([
    ['an object instead of a list', () => ({ hello: 1 }), 'did not return a list of agents'],
    ['null', () => null, 'did not return a list of agents'],
  ])('reports %s and creates nothing', async (_what, listing, sentence) => {
    const server = await startServerLookalike();
    const platform = await startPlatform(listing);
    const { code, err } = await run([
      '--api-base',
      platform.url,
      '--url',
      server.url,
      '--apply',
      '--unchecked',
    ]);
    expect([code, platform.sent.length]).toEqual([1, 1]);
    expect(err).toContain(sentence);
  });

  const own = agentAt('uid-1', 'knowledge', 'https://agent.example.com');
  const unclear: readonly (readonly [string, Page])[] = [
    ['a page', { headers: { 'content-type': 'text/html' }, body: '<p>Welcome' }],
    ['nothing', { status: 204 }],
    ['a list', json([])],
    ['a text', json('ok')],
    ['an empty object', json({})],
    ['an error with status 200', json({ error: { message: 'no' } })],
    ['a failed creation', json({ success: false, data: { uid: 'uid-7' } })],
  ];
  it.each(
    unclear.map(([what, page], at) =>
      at % 2 ? ([what, 'POST', [], page] as const) : ([what, 'PATCH', [own], page] as const),
    ),
  )(
    'exits with 1 if the platform returns %s instead of confirming the %s',
    async (_what, method, agents, page) => {
      const platform = await startPlatform(() => agents, page);
      const { code, out, err } = await run([
        '--api-base',
        platform.url,
        '--url',
        'https://agent.example.com',
        '--apply',
        '--unchecked',
        ...icon,
      ]);
      expect([code, out, platform.sent.at(-1)?.method]).toEqual([1, '', method]);
      expect(err).toMatch(/^The chat platform did not confirm the change\. .*\.\n$/);
    },
  );

  it.each([
    ['an agent', json({ uid: 'uid-7', name: 'Knowledge' })],
    ['success', json({ success: true })],
    ['data', json({ data: { message: 'created' } })],
  ])('accepts %s as a confirmation', async (_what, page) => {
    const platform = await startPlatform(() => [], page);
    const { code, out } = await run([
      '--api-base',
      platform.url,
      '--url',
      'https://agent.example.com',
      '--apply',
      '--unchecked',
      ...icon,
    ]);
    expect([code, out]).toEqual([0, expect.stringContaining('The agent was created')]);
  });

  it('creates nothing if there are more pages of agents than it reads', async () => {
    const platform = await startPlatform((page) => ({
      data: [],
      meta: { pagination: { current_page: page, total_pages: 51 } },
    }));
    const { code, err } = await run([
      '--api-base',
      platform.url,
      '--url',
      'https://agent.example.com',
      '--apply',
      '--unchecked',
    ]);
    expect([code, new Set(platform.sent.map(({ method }) => method))]).toEqual([
      1,
      new Set(['GET']),
    ]);
    expect(err).toContain('more than 50 pages of agents');
  });

  it('prints platform errors as JSON with --json', async () => {
    const platform = await startPlatform();
    const args = [
      '--api-base',
      platform.url,
      '--url',
      'https://agent.example.com',
      '--apply',
      '--unchecked',
      '--json',
    ];
    const { code, out } = await run(args, { CHAT_API_KEY: 'wrong-key' });
    expect([code, JSON.parse(out)]).toMatchObject([
      1,
      { error: expect.stringContaining('status 401'), problems: [] },
    ]);
    expect(out).not.toContain('wrong-key');
  });

  it('does not follow a redirect, because it would forward the key', async () => {
    const server = await startServerLookalike();
    const platform = await startPlatform();
    const other = await startSite({
      [agentsPath]: { status: 302, headers: { location: `${platform.url}${agentsPath}` } },
    });
    const { code, err } = await run([
      '--api-base',
      other.url,
      '--url',
      server.url,
      '--apply',
      '--unchecked',
    ]);
    expect([code, platform.sent]).toEqual([1, []]);
    expect(err).toContain('a redirect, which is not followed');
  });
});

describe('npm run register accepts pasted addresses:', () => {
  it.each([
    ['--url', ' https://agent.example.com/docs/ \n'],
    ['--url', 'https://agent.example.com/docs/api/agents/knowledge/generate'],
    ['--url', 'https://agent.example.com/docs/api/agents/knowledge/generate/'],
  ])('%s %j becomes the server URL', async (...args) => {
    const { code, out } = await run([...args, '--unchecked', '--json'], {});
    const address = 'https://agent.example.com/docs';
    expect([code, JSON.parse(out).dashboard]).toMatchObject([
      0,
      { deploymentUrl: address, endpoint: `${address}/api/agents/knowledge/generate` },
    ]);
  });

  it.each([
    'https://platform.example.com/x',
    'https://platform.example.com/x/v3',
    ' https://platform.example.com/x/v3/ ',
  ])('--api-base %j works with and without the version', async (base) => {
    const { out } = await run(
      ['--url', 'https://agent.example.com', '--api-base', base, '--unchecked', '--json'],
      {},
    );
    expect(JSON.parse(out).requests[0].url).toBe(
      'https://platform.example.com/x/v3/ai-agents/agents',
    );
  });
});

describe('npm run register without --provider', () => {
  it('explains the three ways and marks those that fit the settings', async () => {
    const secret = '/k/secret-path-0123456789';
    const fits = async (settings: Record<string, string>) => {
      const { code, out } = await runCommand(['register', '--namespace', 'help'], settings);
      expect(code).toBe(0);
      expect(out).not.toContain(secret);
      return (
        [...out.matchAll(/^ {2}(yes|no) /gm)].map(([, fit]) => fit).join(' ') +
        (out.includes('protect nothing') ? ' open' : '')
      );
    };
    expect(await fits({})).toBe('no no no open');
    expect(await fits({ API_KEYS_FILE: 'keys.jsonl' })).toBe('yes no no');
    expect(await fits({ API_KEYS: key })).toBe('yes no no');
    expect(await fits({ PATH_PREFIX: secret })).toBe('no yes no');
    expect(await fits({ PATH_PREFIX: secret, API_KEYS: key })).toBe('yes no no');
    expect(await fits({ PATH_PREFIX: secret, API_KEYS: key, PATH_PREFIX_RIGHTS: 'ask' })).toBe(
      'yes yes no',
    );
    expect(
      await fits({ ALLOW_ANONYMOUS: 'read', ANONYMOUS_NAMESPACES: 'help', API_KEYS: key }),
    ).toBe('yes no yes');
  });

  it('names the agent id of each kind of chat, and how to get a key', async () => {
    const { out } = await runCommand(['register', '--namespace', 'help'], {});
    expect(out).toContain(
      'npm run keys -- add --name "Chat platform" --namespaces help --rights ask',
    );
    expect(out).toMatch(/groups +knowledge\..*@agent/);
    expect(out).toMatch(/one-to-one chats +knowledge-direct, after you set DIRECT_AGENT_ID/);
    expect((await runCommand(['register'], { DIRECT_AGENT_ID: 'help-desk' })).out).toMatch(
      /one-to-one chats +help-desk \(--direct\)/,
    );
  });

  it('means the Mastra provider if the platform is named', async () => {
    const args = [
      'register',
      '--url',
      'https://agent.example.com',
      '--unchecked',
      '--app-id',
      '24a1b2c3',
      '--region',
      'us',
    ];
    expect((await runCommand(args, {})).out).toMatch(
      /^Nothing was sent\.[\s\S]*"integrateWith": "mastra"/,
    );
  });
});

describe('npm run register with wrong arguments', () => {
  const url = ['--url', 'https://agent.example.com', '--unchecked'];
  it.each([
    [[], 'PUBLIC_URL'],
    [['--url', 'ftp://x'], '--url'],
    [['--url', 'https://user:s3cret@x'], '--url'],
    [[...url, '--app-id', 'a'], '--region'],
    [[...url, '--app-id', 'evil.example/', '--region', 'us'], '--app-id'],
    [[...url, '--app-id', 'a', '--region', 'us', '--api-base', 'https://x'], 'cannot be combined'],
    [[...url, '--name', ' '], '--name'],
    [[...url, '--icon', 'javascript:alert(1)'], '--icon'],
    [[...url, '--apply'], '--app-id'],
    [[...url, '--apply', '--app-id', 'a', '--region', 'us'], 'CHAT_API_KEY'],
    [[...url, 'more'], 'more'],
    [[...url, '--provider', 'slack'], '--provider must be one of ag-ui, mastra'],
    [[...url, '--provider', 'ag-ui', '--apply'], '--apply needs --provider mastra'],
    [[...url, '--provider', 'ag-ui', '--direct'], '--direct is for --provider mastra'],
    [[...url, '--direct'], 'DIRECT_AGENT_ID=knowledge-direct'],
    [[...url, '--namespace', '../hr'], '--namespace'],
  ])('exits with 2 and a hint for %j', async (args, hint) => {
    const { code, out, err } = await run(args, {});
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(hint);
    expect(err).not.toContain('s3cret');
    expect(err).toMatch(/Try --help\.\n$/);
  });

  it('prints help with --help', async () => {
    const { code, out } = await run(['--help'], {});
    expect([code, out.includes('knowledge-agent register ')]).toEqual([0, true]);
  });
});
