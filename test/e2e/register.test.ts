/** `npm run register` against scripted answers of the server and of the platform. */
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { runCommand } from '../support/run-command.ts';
import { type Page, startSite } from '../support/site.ts';

const key = 'rest-api-key-1';
const agentsPath = '/v3/ai-agents/agents';
const generatePath = '/api/agents/knowledge/generate';
const ownUrl = 'https://agent.example.com';

const json = (body: unknown, status = 200) => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});
const agentAt = (uid: string, baseUrl: string, more: object = {}) => ({
  ...{ uid, integrationMeta: { baseUrl, agentId: 'knowledge' }, metaData: {}, deletedAt: null },
  ...more,
});

/**
 * The agents part of the platform's REST API. @param listing response to `GET`, by page @param
 * confirmed response to all other methods
 */
async function startPlatform(
  listing: (page: number) => unknown,
  confirmed: Page = json({ success: true }),
) {
  const sent: { method: string | undefined; path: string; body: any }[] = [];
  const { url } = await startSite({}, (path) => async (request, response) => {
    const { method } = request;
    const body = await text(request);
    sent.push({ method, path, body: body && JSON.parse(body) });
    const page = Number(new URL(path, 'http://platform').searchParams.get('page') ?? 1);
    const answer = method === 'GET' ? json(listing(page)) : confirmed;
    response.writeHead(answer.status ?? 200, answer.headers).end(answer.body);
  });
  return { url, sent };
}

const register = (
  args: readonly string[],
  settings: Record<string, string> = { CHAT_API_KEY: key },
) => runCommand(['register', '--provider', 'mastra', ...args], settings);
/** Applies without asking the public URL. */
const apply = (platform: string, ...more: string[]) =>
  register(['--api-base', platform, '--url', ownUrl, '--apply', '--unchecked', ...more]);

describe('npm run register --apply', () => {
  it('updates an existing agent on any page, keeps dashboard texts', async () => {
    const metaData = {
      greetingMessage: 'Written by hand',
      suggestedMessages: ['How?', 'When, <@uid:knowledge>?', '@agent who?'],
    };
    const platform = await startPlatform((page) => ({
      data:
        page === 1
          ? ['odd', { uid: 7 }, agentAt('uid-9', ownUrl, { deletedAt: '2026-01-01' })]
          : [agentAt('uid-1', 'https://old.example', { metaData })],
      meta: { pagination: { current_page: page, total_pages: 2 } },
    }));
    const { code, out } = await apply(platform.url, '--json');
    expect([code, JSON.parse(out)]).toMatchObject([
      0,
      { done: 'updated', uid: 'uid-1', requests: [] },
    ]);
    const updated = {
      ...{ integrateWith: 'mastra', integrationType: 'agent', isActive: true, metaData },
      integrationMeta: { baseUrl: ownUrl, agentId: 'knowledge' },
    };
    expect(platform.sent.slice(1)).toEqual([
      { method: 'GET', path: `${agentsPath}?page=2`, body: '' },
      { method: 'PATCH', path: `${agentsPath}/uid-1`, body: updated },
    ]);
    await apply(platform.url, '--name', 'Docs');
    expect(platform.sent.at(-1)?.body).toEqual({ ...updated, name: 'Docs' });
  });

  it('updates the agent with this URL if several share the id, and changes nothing if no URL matches', async () => {
    const first = agentAt('uid-1', 'https://a.example');
    const unclear = await startPlatform(() => ({
      agents: [first, agentAt('uid-2', 'https://b.example')],
    }));
    expect(await apply(unclear.url)).toMatchObject({
      code: 1,
      err: expect.stringContaining('Delete all but one agent knowledge'),
    });
    expect(unclear.sent.map(({ method }) => method)).toEqual(['GET']);
    const clear = await startPlatform(() => ({ agents: [first, agentAt('uid-2', `${ownUrl}/`)] }));
    expect((await apply(clear.url)).code).toBe(0);
    expect(clear.sent.at(-1)).toMatchObject({ method: 'PATCH', path: `${agentsPath}/uid-2` });
  });

  it('prints the error text of the platform, shortened and without the key', async () => {
    const message = `The key ${key} is not known. ${'Ask an admin. '.repeat(100)}`;
    const { url } = await startSite({}, () => json({ error: { message } }, 401));
    const { code, out, err } = await apply(url);
    expect([code, out]).toEqual([1, '']);
    expect(err).toContain(
      'The chat platform answered with status 401: The key [key] is not known. Ask an admin.',
    );
    expect(err.length).toBeLessThan(600);
  });

  it.each<[string, (page: number) => unknown]>([
    ['an object instead of a list', () => ({ hello: 1 })],
    [
      'more pages than it reads',
      (page) => ({ data: [], meta: { pagination: { current_page: page, total_pages: 51 } } }),
    ],
  ])('reports %s and creates nothing', async (_what, listing) => {
    const platform = await startPlatform(listing);
    const { code, err } = await apply(platform.url);
    expect(code).toBe(1);
    expect(err).toContain('did not return a list of agents');
    expect(platform.sent.filter(({ method }) => method !== 'GET')).toEqual([]);
  });

  it.each<[string, string, Page, boolean]>([
    ['a page', 'PATCH', { headers: { 'content-type': 'text/html' }, body: '<p>Hi' }, false],
    ['a failed creation', 'POST', json({ success: false, data: { uid: 'uid-7' } }), false],
    ['an agent', 'POST', json({ uid: 'uid-7', name: 'Knowledge' }), true],
    ['data', 'POST', json({ data: { message: 'created' } }), true],
  ])('takes %s for a confirmation of the %s or not', async (_what, method, page, isConfirmed) => {
    const known = method === 'PATCH' ? [agentAt('uid-1', ownUrl)] : [];
    const platform = await startPlatform(() => known, page);
    const { code, out, err } = await apply(platform.url, '--icon', `${ownUrl}/icon.png`);
    expect([code, platform.sent.at(-1)?.method]).toEqual([isConfirmed ? 0 : 1, method]);
    if (isConfirmed) expect(out).toMatch(/^The agent is created/);
    else expect(err).toMatch(/^The chat platform did not confirm the change\. .*\.\n$/);
  });

  it('does not follow a redirect, because it would forward the key', async () => {
    const other = await startSite();
    const headers = { location: `${other.url}${agentsPath}` };
    const { url } = await startSite({ [agentsPath]: { status: 302, headers } });
    const { code, err } = await apply(url);
    expect([code, other.requests]).toEqual([1, []]);
    expect(err).toContain('a redirect, which is not followed');
  });
});

it('npm run register without --apply sends nothing to the platform and prints the requests without the key', async () => {
  const server = await startSite({ [generatePath]: json({ text: 'Yes.', reason: 'answered' }) });
  const platform = await startSite();
  const plan = ['--api-base', platform.url, '--url', server.url];
  const { code, out, err } = await register(plan);
  for (const part of [
    `sends to ${platform.url}/v3, as far as needed:\n  POST            /ai-agents/agents  {`,
    `  PATCH           /ai-agents/agents/{uid}  {`,
    `  Full endpoint   ${server.url}${generatePath}\n`,
  ])
    expect(out).toContain(part);
  const inJson = await register([...plan, '--json']);
  const integrationMeta = { baseUrl: server.url, agentId: 'knowledge' };
  expect(JSON.parse(inJson.out)).toMatchObject({
    done: 'nothing',
    requests: [
      ['POST', '/ai-agents/agents', { integrationMeta }],
      ['PATCH', '/ai-agents/agents/{uid}', {}],
    ],
    dashboard: expect.arrayContaining([['Deployment URL', server.url]]),
  });
  expect([code, inJson.code, inJson.err, platform.requests]).toEqual([0, 0, '', []]);
  expect(out + err + inJson.out).not.toContain(key);
});

describe('npm run register checks that the public URL', () => {
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
    ['is this server', { body: '<p>hi' }, '200: a proxy or another program answers'],
    ['is ready', json({ error: 'It is starting.' }, 503), '503: It is starting.'],
  ])('%s, and otherwise reports it and sends nothing', async (_what, page, sentence) => {
    const server = await startSite({ [generatePath]: page });
    const platform = await startSite();
    const args = ['--api-base', platform.url, '--url', server.url, '--apply', '--json'];
    const { code, out } = await register(args);
    expect([code, platform.requests]).toEqual([1, []]);
    const { done, checks } = JSON.parse(out);
    expect([done, checks[0].text]).toEqual(['nothing', expect.stringContaining(sentence)]);
  });

  it('is reachable', async () => {
    const site = await startSite();
    await site.close();
    const { code, err } = await register(['--url', site.url]);
    expect(code).toBe(1);
    expect(err).toContain('is unreachable: the connection was refused.');
  });
});

it('npm run register accepts pasted addresses', async () => {
  const url = ' https://agent.example.com/docs/api/agents/knowledge/generate/ \n';
  const base = ' https://platform.example.com/x/v3/ ';
  const { code, out } = await register(['--url', url, '--api-base', base, '--unchecked'], {});
  expect(code).toBe(0);
  expect(out).toContain('  Deployment URL  https://agent.example.com/docs\n');
  expect(out).toContain('--apply sends to https://platform.example.com/x/v3,');
});

describe('npm run register with wrong arguments', () => {
  const url = ['--url', ownUrl, '--unchecked'];
  const app = ['--app-id', 'a', '--region', 'us'];
  it.each([
    [[], 'PUBLIC_URL'],
    [['--url', 'https://user:s3cret@x'], '--url'],
    [['--url', 'http://x.example'], 'http://x.example is not https, which the platform requires.'],
    [['--url', 'http://127.0.0.1:1', ...app, '--apply'], 'http://127.0.0.1:1 is not https'],
    [[...url, '--app-id', 'a'], '--region'],
    [[...url, '--app-id', 'evil.example/', '--region', 'us'], '--app-id'],
    [[...url, '--apply'], '--app-id'],
    [[...url, ...app, '--apply'], 'CHAT_API_KEY'],
    [[...url, '--provider', 'slack'], 'Use one of: ag-ui, mastra, bot.'],
    [[...url, '--provider', 'ag-ui', '--apply'], '--apply needs --provider mastra or bot'],
    [[...url, '--provider', 'ag-ui', '--direct'], '--direct needs --provider mastra'],
    [[...url, '--direct'], 'DIRECT_AGENT_ID'],
    [[...url, '--namespace', '../hr'], '--namespace'],
  ])('exits with 2 and a hint for %j', async (args, hint) => {
    const { code, out, err } = await register(args, {});
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain(hint);
    expect(err).not.toContain('s3cret');
    expect(err).toMatch(/Try --help\.\n$/);
  });
});
