/** `npm run register` against a real service and the stand-in of the chat platform. */
import { describe, expect, it } from 'vitest';
import { sayByAgUi, sayByMastra, startChatPlatform } from '../support/chat-platform.ts';
import { serveOnLoopback } from '../support/event-stream.ts';
import { runCommand } from '../support/run-command.ts';
import { startSite } from '../support/site.ts';
import { sharedService } from '../support/workspace.ts';

const restKey = 'rest-api-key-1';
const ownKey = 'our-key-0123456789';
const prefix = '/k/secret-path-0123456789';
const documents = {
  'default/refunds.md':
    '# Refunds\n\n## How long do refunds take?\n\nRefunds take 10 business days.\n',
  'help/parking.md': '# Parking\n\n## Where can visitors park?\n\nVisitors park on level 2.\n',
};
const question = 'How long do refunds take?';
const answer = 'Refunds take 10 business days. [1]';

/** Serves the app with these settings. @returns its URL, and the command with the same settings */
async function startServer(settings: Record<string, string> = {}) {
  const served = { RATE_LIMIT_PER_MINUTE: '0,visitor=10000', ...settings };
  const url =
    (await serveOnLoopback(await sharedService(settings, documents), served)) +
    (settings['PATH_PREFIX'] ?? '');
  const register = async (
    provider: string,
    args: readonly string[] = [],
    more: Record<string, string> = {},
  ) => {
    const asked = args.includes('--suggest') ? [] : ['--suggest', question];
    const all = ['register', '--provider', provider, '--url', url, ...asked, ...args];
    const ran = await runCommand(all, { ...settings, CHAT_API_KEY: restKey, ...more });
    return { ...ran, chats: chatsIn(ran.out) };
  };
  return { url, register };
}

/** Lines of the report about chats, without their column widths. */
const chatsIn = (out: string) =>
  [...out.matchAll(/^ {2}((?:one-to-one|group)[, ].*)$/gm)].map(([, line = '']) =>
    line.replace(/ +/g, ' '),
  );
const methodsOf = (requests: readonly string[]) =>
  requests.map((request) => request.split(' ')[0]).join(' ');
const answered = `one-to-one answered: ${answer}`;

const anonymous = { ALLOW_ANONYMOUS: 'read', ANONYMOUS_NAMESPACES: 'default' };
const direct = { DIRECT_AGENT_ID: 'knowledge-direct' };
const keyed = { API_KEYS: `${ownKey}=default:ask` };
const secretPath = { PATH_PREFIX: prefix, PATH_PREFIX_RIGHTS: 'ask', ...keyed, ...direct };
const withKey = { KNOWLEDGE_API_KEY: ownKey };

describe('npm run register --provider mastra', () => {
  it.each<[string, object, string[], number, string]>([
    ['is answered below a secret path', secretPath, ['--direct'], 0, answered],
    ['is answered by a mention', anonymous, [], 0, `one-to-one, mention answered: ${answer}`],
    ['is answered without one', { ...anonymous, REQUIRE_MENTION: 'false' }, [], 0, answered],
    [
      'reports a namespace that the caller may not read',
      { ...anonymous, ANONYMOUS_NAMESPACES: 'help,hr', ...direct },
      ['--direct'],
      1,
      'refused: 404: ',
    ],
    [
      'reports a question that the documents do not answer',
      { ...anonymous, ...direct },
      ['--suggest', 'Who won the world cup?'],
      0,
      'not known: the documents do not answer it: npm run ingest -- FILE',
    ],
  ])('%s', async (_what, settings, args, status, chat) => {
    const { register } = await startServer({ ...settings });
    const { code, chats } = await register('mastra', args);
    expect([code, chats]).toEqual([status, [expect.stringContaining(chat)]]);
  });
});

describe('npm run register --provider ag-ui', () => {
  it('is answered with the key, and prints it only with --show-secrets', async () => {
    const { url, register } = await startServer(keyed);
    const { code, chats, out } = await register('ag-ui', [], withKey);
    expect([code, chats]).toEqual([0, [answered]]);
    expect(out).toContain(`  Deployment URL  ${url}/api/agents/knowledge/ag-ui\n`);
    expect(out).toContain('  Headers         {"Authorization":"Bearer <KNOWLEDGE_API_KEY>"}\n');
    expect(out).toContain(`  Suggestion      ${question}\n`);
    expect(out).not.toContain(ownKey);
    const shown = await register('ag-ui', ['--show-secrets', '--json'], withKey);
    const { 'Deployment URL': deploymentUrl, Headers: sent } = Object.fromEntries(
      JSON.parse(shown.out).dashboard,
    );
    const headers = JSON.parse(sent);
    expect(headers).toEqual({ Authorization: `Bearer ${ownKey}` });
    expect(await sayByAgUi({ deploymentUrl, headers }, question)).toContain(answer);
  });

  it.each<[string, string, Record<string, string>, RegExp]>([
    [
      'a wrong key',
      'default:ask',
      { KNOWLEDGE_API_KEY: 'wrong-key-0123456789' },
      /401: .* Set KNOWLEDGE_API_KEY/,
    ],
    [
      'a key that may not ask',
      'default:write',
      withKey,
      /403: .* Set KNOWLEDGE_API_KEY to a key that may ask/,
    ],
  ])('explains with %s how to get one', async (_what, limit, settings, problem) => {
    const { register } = await startServer({ API_KEYS: `${ownKey}=${limit}` });
    const { code, out, err } = await register('ag-ui', [], settings);
    expect([code, out]).toEqual([1, expect.stringMatching(problem)]);
    expect(out).toContain('npm run keys -- add --name "Chat platform" --rights ask');
    expect(out + err).not.toMatch(/wrong-key|our-key/);
  });

  it('is answered from the only namespace of its key', async () => {
    const { register } = await startServer({ API_KEYS: `${ownKey}=help:ask` });
    const args = ['--namespace', 'help', '--suggest', 'Where can visitors park?'];
    const { code, chats } = await register('ag-ui', args, withKey);
    expect([code, chats[0]]).toEqual([0, 'one-to-one answered: Visitors park on level 2. [1]']);
  });
});

it('npm run register --apply creates entries that are answered, and changes nothing the second time', async () => {
  const platform = await startChatPlatform(restKey);
  const { url, register } = await startServer({ ...anonymous, ...direct });
  const apply = (args: readonly string[] = [], more: Record<string, string> = {}) =>
    register('mastra', ['--api-base', platform.url, '--apply', ...args], more);
  const icon = ['--icon', 'https://agent.example.com/icon.png'];
  const refused = 'status 400: icon is required.';
  expect(await apply()).toMatchObject({ code: 1, err: expect.stringContaining(refused) });
  expect(platform.entries).toEqual([]);
  const created = await apply(icon);
  const createdDirect = await apply([...icon, '--direct']);
  expect([created.code, createdDirect.code]).toEqual([0, 0]);
  expect(platform.entries).toMatchObject([
    {
      ...{ name: 'Knowledge', icon: icon[1], integrateWith: 'mastra', integrationType: 'agent' },
      integrationMeta: { baseUrl: url, agentId: 'knowledge' },
      metaData: { suggestedMessages: [`@agent ${question}`] },
      isActive: true,
    },
    {
      integrationMeta: { baseUrl: url, agentId: 'knowledge-direct' },
      metaData: { suggestedMessages: [question] },
    },
  ]);
  const [group] = platform.entries;
  for (const entry of platform.entries)
    expect(await sayByMastra(entry, entry.metaData.suggestedMessages[0])).toContain(answer);
  expect(group && (await sayByMastra(group, question))).toBe('');

  // The platform gave the agent another uid.
  expect(created.out).toContain(
    `Set CHAT_AGENT_UID=${group?.uid}, so that the platform's mention of the agent counts.`,
  );
  expect(createdDirect.out).not.toContain('CHAT_AGENT_UID');
  const again = await apply([], { CHAT_AGENT_UID: group?.uid ?? '' });
  expect(again.out).toMatch(/^The agent is unchanged: (?![\s\S]*CHAT_AGENT_UID)/);
  expect((await apply(['--direct'])).out).toMatch(/^The agent is unchanged: /);
  expect(methodsOf(platform.requests)).toBe('GET POST GET POST GET POST GET GET');
});

describe('npm run register --provider bot', () => {
  const password = 'p4ssword-of-the-hook';
  const startBot = async () => {
    const platform = await startChatPlatform(restKey);
    const { url, register } = await startServer({
      CHAT_WEBHOOK_PASSWORD: password,
      CHAT_CALLBACK_KEY: restKey,
      CHAT_CALLBACK_URL: `${platform.url}/v3/messages`,
    });
    const run = (args: readonly string[] = [], more: Record<string, string> = {}) =>
      register('bot', ['--api-base', platform.url, ...args], more);
    return { platform, url, run };
  };

  it('makes user and bot once, asks in every kind of chat, and never prints the password', async () => {
    const { platform, url, run } = await startBot();
    const dry = await run();
    const rows = dry.out.split('Asked as this provider:\n')[1]?.trimEnd().split('\n');
    expect([dry.code, rows, platform.requests]).toEqual([
      0,
      [
        ...['one-to-one', 'mention', 'name', 'slash', 'thread'].map((chat) =>
          expect.stringMatching(`${chat} .*answered`),
        ),
        expect.stringMatching(/^ +group, other .*silent: as it should be$/),
      ],
      [],
    ]);
    expect(dry.out).toContain('"password":"<CHAT_WEBHOOK_PASSWORD>"');
    const created = await run(['--apply']);
    expect([created.code, created.out]).toEqual([
      0,
      expect.stringMatching(/^The agent is created: knowledge\./),
    ]);
    expect((await run(['--apply'])).out).toMatch(/^The agent is unchanged: knowledge\./);
    const bot = {
      uid: 'knowledge',
      webhookURL: `${url}/api/webhooks/chat`,
      groupChatSetting: 'mentionedMessages',
      ...{ enabled: true, useBasicAuth: true, username: 'knowledge', password },
    };
    expect([platform.users, platform.bots]).toEqual([
      [{ uid: 'knowledge', name: 'Knowledge' }],
      [bot],
    ]);
    platform.bots[0] = { ...bot, enabled: false };
    const updated = await run(['--apply', '--json']);
    expect([JSON.parse(updated.out).done, platform.bots]).toEqual(['updated', [bot]]);
    expect(methodsOf(platform.requests)).toBe('GET POST GET POST GET GET GET GET PUT');
    for (const { out, err } of [dry, created, updated])
      expect(out + err).not.toMatch(/p4ssword-of-the-hook|rest-api-key-1/);
  });

  it('prints the settings that .env lacks, with a new password, and sends nothing', async () => {
    const platform = await startSite();
    const args = ['register', '--provider', 'bot', '--url', 'https://agent.example.com'];
    const { code, out } = await runCommand([...args, '--api-base', platform.url, '--apply'], {});
    expect([code, platform.requests]).toEqual([0, []]);
    expect(out).toMatch(
      /^CHAT_WEBHOOK_PASSWORD=[\w-]{32}\nCHAT_CALLBACK_URL=http:\S+\/v3\/bots\/knowledge\/messages\n$/,
    );
  });

  it('reports a server with another password, and a name that AGENT_MENTIONS lacks', async () => {
    const { run } = await startBot();
    const wrong = await run([], { CHAT_WEBHOOK_PASSWORD: 'an-other-passw0rd' });
    expect([wrong.code, wrong.out]).toEqual([1, expect.stringContaining('refused: 401: ')]);
    expect(wrong.out).toContain('Restart the server with the CHAT_WEBHOOK_PASSWORD');
    const named = await run(['--name', 'Docs Helper']);
    expect([named.code, named.out]).toEqual([
      1,
      expect.stringContaining('Add @Docs Helper to AGENT_MENTIONS.'),
    ]);
  });
});

it('npm run register prints no secret path in texts, plans, JSON and errors without --show-secrets', async () => {
  const { url, register } = await startServer(secretPath);
  const message = `Wrong: ${url}`;
  const repeats = await startSite({}, () => ({
    status: 400,
    body: JSON.stringify({ error: { message } }),
  }));
  const platform = ['--api-base', repeats.url];
  for (const args of [
    [],
    ['--json'],
    platform,
    [...platform, '--apply'],
    [...platform, '--apply', '--json'],
  ]) {
    const { out, err } = await register('mastra', args);
    expect(out + err, args.join(' ')).not.toContain(prefix);
    expect(out + err).toContain('<PATH_PREFIX>');
  }
  expect((await register('mastra', ['--show-secrets'])).out).toContain(`Deployment URL  ${url}\n`);
});

describe('npm run register', () => {
  const attachLookalike = async () => {
    const json = (body: unknown) => ({ body: JSON.stringify(body) });
    const { url } = await startSite({
      '/api/agents/knowledge/generate': json({ text: 'Here.', reason: 'answered' }),
      '/api/namespaces/help/suggestions': json({
        suggestions: [{ question: 'Where?' }, { question: 'When?' }],
      }),
    });
    const platform = await startChatPlatform(restKey);
    const base = ['register', '--provider', 'mastra', '--url', url, '--api-base', platform.url];
    const run = (...args: string[]) =>
      runCommand([...base, ...args], { CHAT_API_KEY: restKey, AGENT_MENTIONS: '@help' });
    return { url, platform, run };
  };
  const ofServer = ['@help Where?', '@help When?'];

  it("suggests the server's own questions, with the mention that the server wants", async () => {
    const { run } = await attachLookalike();
    const suggested = async (...args: string[]) =>
      JSON.parse((await run('--json', ...args)).out).requests.map(
        ([, , body]: any) => body.metaData.suggestedMessages,
      );
    expect(await suggested('--namespace', 'help')).toEqual([ofServer, ofServer]);
    expect((await suggested())[0]).toEqual(['@help What can you do?']);
    const given = await suggested('--namespace', 'help', '--suggest', 'Who?');
    expect(given[0]).toEqual(['@help Who?']);
  });

  it('replaces suggestions of the entry only if --namespace or --suggest is given', async () => {
    const { url, platform, run } = await attachLookalike();
    platform.entries.push({
      uid: 'uid-1',
      integrationMeta: { baseUrl: url, agentId: 'knowledge' },
      metaData: { suggestedMessages: ['Mine?'] },
    });
    for (const [args, suggested] of [
      [['--unchecked'], ['Mine?']],
      [['--unchecked', '--suggest', 'New?'], ['@help New?']],
      [['--namespace', 'help'], ofServer],
    ] as const) {
      expect((await run('--apply', ...args)).code).toBe(0);
      expect(platform.entries[0]?.metaData.suggestedMessages).toEqual(suggested);
    }
  });
});
