/** `npm run register` against a real service and the stand-in of the chat platform. */
import { describe, expect, it } from 'vitest';
import {
  type ChatPlatform,
  sayByAgUi,
  sayByMastra,
  startChatPlatform,
} from '../support/chat-platform.ts';
import { serveOnLoopback } from '../support/event-stream.ts';
import { runCommand } from '../support/run-command.ts';
import { startSite } from '../support/site.ts';
import { sharedService } from '../support/workspace.ts';

const [restKey, ownKey, prefix] = [
  'rest-api-key-1',
  'our-key-0123456789',
  '/k/secret-path-0123456789',
];
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
const answered = [`one-to-one answered: ${answer}`];
const answeredMention = [`one-to-one, mention answered: ${answer}`];

const anonymous = { ALLOW_ANONYMOUS: 'read', ANONYMOUS_NAMESPACES: 'default' };
const direct = { DIRECT_AGENT_ID: 'knowledge-direct' };
const keyed = { API_KEYS: `${ownKey}=default:ask` };
const secretPath = { PATH_PREFIX: prefix, PATH_PREFIX_RIGHTS: 'ask', ...keyed, ...direct };
const withKey = { KNOWLEDGE_API_KEY: ownKey };

describe('npm run register --provider mastra', () => {
  it.each([
    ['a secret path', secretPath, ['--direct'], answered],
    ['anonymous read', anonymous, [], answeredMention],
    ['no required mention', { ...anonymous, REQUIRE_MENTION: 'false' }, [], answered],
  ])('is answered in a chat of a server with %s', async (_what, settings, args, chats) => {
    const { register } = await startServer(settings);
    expect(await register('mastra', args)).toMatchObject({ code: 0, chats });
  });

  it.each<[string, object, object, string]>([
    [
      'a namespace that the caller may not read',
      { ...anonymous, ANONYMOUS_NAMESPACES: 'help,hr', ...direct },
      {},
      'refused: 404: ',
    ],
    ['an agent that the server does not have', anonymous, direct, 'refused: 404: '],
  ])('reports %s', async (_what, settings, more, reason) => {
    const { register } = await startServer({ ...settings });
    const { code, chats } = await register('mastra', ['--direct'], { ...more });
    expect([code, chats[0]]).toEqual([1, expect.stringContaining(reason)]);
  });

  it('reports a question that the documents do not answer', async () => {
    const { register } = await startServer({ ...anonymous, ...direct });
    const { code, chats } = await register('mastra', ['--suggest', 'Who won the world cup?']);
    expect(code).toBe(0);
    expect(chats[0]).toMatch(/not known: the documents do not answer it: npm run ingest -- FILE/);
  });
});

describe('npm run register --provider ag-ui', () => {
  it('is answered with the key, and prints it only with --show-secrets', async () => {
    const { url, register } = await startServer(keyed);
    const { code, chats, out } = await register('ag-ui', [], withKey);
    expect([code, chats]).toEqual([0, answered]);
    expect(out).toContain(`  Deployment URL  ${url}/api/agents/knowledge/ag-ui\n`);
    expect(out).toContain('  Headers         {"Authorization":"Bearer <KNOWLEDGE_API_KEY>"}\n');
    expect(out).toContain(`  Suggestion      ${question}\n`);
    expect(out).not.toContain(ownKey);
    const shown = await register('ag-ui', ['--show-secrets', '--json'], withKey);
    const { 'Deployment URL': deploymentUrl, Headers: sent } = Object.fromEntries(
      JSON.parse(shown.out).dashboard,
    );
    const headers = JSON.parse(sent);
    expect([deploymentUrl, headers]).toEqual([
      `${url}/api/agents/knowledge/ag-ui`,
      { Authorization: `Bearer ${ownKey}` },
    ]);
    expect(await sayByAgUi({ deploymentUrl, headers }, question)).toContain(answer);
  });

  it('explains how to get a key if it is missing or wrong', async () => {
    const { register } = await startServer(keyed);
    const none = await register('ag-ui');
    expect([none.code, none.out]).toEqual([
      1,
      expect.stringMatching(/401: .* Set KNOWLEDGE_API_KEY/),
    ]);
    expect(none.out).toContain('npm run keys -- add --name "Chat platform" --rights ask');
    const wrong = await register('ag-ui', [], { KNOWLEDGE_API_KEY: 'wrong-key-0123456789' });
    expect([wrong.code, wrong.out]).toEqual([
      1,
      expect.stringMatching(/401: .* Set KNOWLEDGE_API_KEY/),
    ]);
    expect(wrong.out + wrong.err).not.toContain('wrong-key');
  });

  it('names the right that the key lacks', async () => {
    const { register } = await startServer({ API_KEYS: `${ownKey}=default:write` });
    const { code, out } = await register('ag-ui', [], withKey);
    expect([code, out]).toEqual([
      1,
      expect.stringMatching(/403: .* Set KNOWLEDGE_API_KEY to a key that may ask/),
    ]);
  });

  it('is answered from the only namespace of its key', async () => {
    const { register } = await startServer({ API_KEYS: `${ownKey}=help:ask` });
    const args = ['--namespace', 'help', '--suggest', 'Where can visitors park?'];
    const { code, chats } = await register('ag-ui', args, withKey);
    expect([code, chats[0]]).toEqual([0, 'one-to-one answered: Visitors park on level 2. [1]']);
  });

  it('never sends the key to a remote address without TLS', async () => {
    const remote = ['register', '--provider', 'ag-ui', '--url', 'http://agent.example.com'];
    const { code, err, out } = await runCommand(remote, withKey);
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('http://agent.example.com is not https, which the platform requires.');
  });
});

describe('npm run register --apply', () => {
  const icon = ['--icon', 'https://agent.example.com/icon.png'];
  const attach = async (
    platform: ChatPlatform,
    settings: Record<string, string> = { ...anonymous, ...direct },
  ) => {
    const { url, register } = await startServer(settings);
    const apply = (args: readonly string[] = [], more: Record<string, string> = {}) =>
      register('mastra', ['--api-base', platform.url, '--apply', ...args], more);
    return { url, apply };
  };

  it('creates entries that are answered, changes nothing the second time, and updates', async () => {
    const platform = await startChatPlatform(restKey);
    const { url, apply } = await attach(platform);
    const refused = 'status 400: icon is required.';
    expect(await apply()).toMatchObject({ code: 1, err: expect.stringContaining(refused) });
    expect(platform.entries).toEqual([]);
    for (const args of [icon, [...icon, '--direct']])
      expect(await apply(args)).toMatchObject({ code: 0 });
    const [group, oneToOne] = platform.entries;
    expect(group).toMatchObject({
      name: 'Knowledge',
      icon: icon[1],
      integrateWith: 'mastra',
      integrationType: 'agent',
      isActive: true,
    });
    expect([group?.integrationMeta, oneToOne?.integrationMeta]).toEqual([
      { baseUrl: url, agentId: 'knowledge' },
      { baseUrl: url, agentId: 'knowledge-direct' },
    ]);
    expect([group?.metaData.suggestedMessages, oneToOne?.metaData.suggestedMessages]).toEqual([
      [`@agent ${question}`],
      [question],
    ]);
    for (const entry of platform.entries)
      expect(await sayByMastra(entry, entry.metaData.suggestedMessages[0])).toContain(answer);
    expect(group && (await sayByMastra(group, question))).toBe('');

    for (const args of [[], ['--direct']])
      expect((await apply(args)).out).toMatch(/^The agent is unchanged: /);
    expect((await apply(['--name', 'Docs'])).out).toMatch(/^The agent is updated: /);
    const methods = platform.requests.map((request) => request.split(' ')[0]).join(' ');
    expect(methods).toBe('GET POST GET POST GET POST GET GET GET PATCH');
    expect(platform.entries[0]).toMatchObject({
      name: 'Docs',
      metaData: { suggestedMessages: [`@agent ${question}`] },
    });
  });

  it('names CHAT_AGENT_UID if the platform gave the agent another uid', async () => {
    const platform = await startChatPlatform(restKey);
    const { apply } = await attach(platform);
    const { out } = await apply(icon);
    const uid = platform.entries[0]?.uid ?? '';
    expect(out).toContain(
      `Set CHAT_AGENT_UID=${uid}, so that the platform's mention of the agent counts.`,
    );
    expect((await apply(['--direct', ...icon])).out).not.toContain('CHAT_AGENT_UID');
    expect((await apply([], { CHAT_AGENT_UID: uid })).out).not.toContain('CHAT_AGENT_UID');
  });

  it('sends nothing for an agent that the server does not have', async () => {
    const platform = await startChatPlatform(restKey);
    const { apply } = await attach(platform, anonymous);
    const { code, out } = await apply(['--direct', ...icon], direct);
    expect([code, out]).toEqual([1, expect.stringMatching(/^Nothing was sent\./)]);
    expect(platform.entries).toEqual([]);
  });
});

describe('npm run register --provider bot', () => {
  const settings = {
    CHAT_WEBHOOK_PASSWORD: 'p4ssword-of-the-hook',
    CHAT_CALLBACK_KEY: restKey,
  };
  const chats = ['one-to-one', 'mention', 'name', 'slash', 'thread', 'other'].map((chat, at) =>
    expect.stringMatching(
      at === 5 ? /^ +group, other .*silent: as it should be$/ : new RegExp(`${chat} .*answered`),
    ),
  );
  const rowsOf = (out: string) => out.split('Asked as this provider:\n')[1]?.trimEnd().split('\n');

  it('makes user and bot once, asks in every kind of chat, and never prints the password', async () => {
    const platform = await startChatPlatform(restKey);
    const all = { ...settings, CHAT_CALLBACK_URL: `${platform.url}/v3/messages` };
    const { url, register } = await startServer(all);
    const run = (...args: string[]) => register('bot', ['--api-base', platform.url, ...args]);
    const dry = await run();
    expect([dry.code, rowsOf(dry.out), platform.requests]).toEqual([0, chats, []]);
    expect(dry.out).toContain('"password":"<CHAT_WEBHOOK_PASSWORD>"');
    const created = await run('--apply');
    expect([created.code, created.out]).toEqual([
      0,
      expect.stringMatching(/^The agent is created: knowledge\./),
    ]);
    expect((await run('--apply')).out).toMatch(/^The agent is unchanged: knowledge\./);
    const bot = {
      uid: 'knowledge',
      webhookURL: `${url}/api/webhooks/chat`,
      groupChatSetting: 'mentionedMessages',
      enabled: true,
      useBasicAuth: true,
      username: 'knowledge',
      password: 'p4ssword-of-the-hook',
    };
    expect([platform.users, platform.bots]).toEqual([
      [{ uid: 'knowledge', name: 'Knowledge' }],
      [bot],
    ]);
    platform.bots[0] = { ...bot, enabled: false };
    const updated = await run('--apply', '--json');
    expect([JSON.parse(updated.out).done, platform.bots]).toEqual(['updated', [bot]]);
    const sent = platform.requests.map((request) => request.split(' ')[0]).join(' ');
    expect(sent).toBe('GET POST GET POST GET GET GET GET PUT');
    for (const { out, err } of [dry, created, updated])
      expect(out + err).not.toMatch(/p4ssword-of-the-hook|rest-api-key-1/);
  });

  it('prints the settings that .env lacks, with a new password, and sends nothing', async () => {
    const platform = await startChatPlatform(restKey);
    const args = ['register', '--provider', 'bot', '--url', 'https://agent.example.com'];
    const { code, out } = await runCommand([...args, '--api-base', platform.url, '--apply'], {});
    expect([code, platform.requests]).toEqual([0, []]);
    expect(out).toMatch(
      /^CHAT_WEBHOOK_PASSWORD=[\w-]{32}\nCHAT_CALLBACK_URL=http:\S+\/v3\/bots\/knowledge\/messages\n$/,
    );
  });

  it('reports a server with another password, and a name that AGENT_MENTIONS lacks', async () => {
    const platform = await startChatPlatform(restKey);
    const all = { ...settings, CHAT_CALLBACK_URL: `${platform.url}/v3/messages` };
    const { register } = await startServer(all);
    const base = ['--api-base', platform.url];
    const wrong = await register('bot', base, { CHAT_WEBHOOK_PASSWORD: 'an-other-passw0rd' });
    expect([wrong.code, wrong.out]).toEqual([1, expect.stringContaining('refused: 401: ')]);
    expect(wrong.out).toContain('Restart the server with the CHAT_WEBHOOK_PASSWORD');
    const named = await register('bot', [...base, '--name', 'Docs Helper']);
    expect([named.code, named.out]).toEqual([
      1,
      expect.stringContaining('Add @Docs Helper to AGENT_MENTIONS.'),
    ]);
  });
});

it('npm run register prints no secret path in texts, plans, JSON and errors without --show-secrets', async () => {
  const { url, register } = await startServer(secretPath);
  const repeats = await startSite({}, () => ({
    status: 400,
    body: JSON.stringify({ error: { message: `Wrong: ${url}` } }),
  }));
  for (const args of [
    [],
    ['--json'],
    ['--api-base', repeats.url],
    ['--api-base', repeats.url, '--apply'],
    ['--api-base', repeats.url, '--apply', '--json'],
  ]) {
    const { out, err } = await register('mastra', args);
    expect(out + err, args.join(' ')).not.toContain(prefix);
    expect(out + err).toContain('<PATH_PREFIX>');
  }
  expect((await register('mastra', ['--show-secrets'])).out).toContain(`Deployment URL  ${url}\n`);
  const wrong = await register('mastra', ['--url', `${url}x`]);
  expect([wrong.code, wrong.out]).toEqual([1, expect.stringContaining('refused: 404: ')]);
});

describe('npm run register', () => {
  const json = (body: unknown) => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const attachLookalike = async () => {
    const { url } = await startSite({
      '/api/agents/knowledge/generate': json({ text: 'Here.', reason: 'answered' }),
      '/api/namespaces/help/suggestions': json({
        namespace: 'help',
        suggestions: [{ question: 'Where?', documentId: 'a', title: 'A' }, { question: 'When?' }],
      }),
    });
    const platform = await startChatPlatform(restKey);
    const base = ['register', '--provider', 'mastra', '--url', url, '--api-base', platform.url];
    const run = (...args: string[]) =>
      runCommand([...base, ...args], { CHAT_API_KEY: restKey, AGENT_MENTIONS: '@help' });
    return { url, platform, run };
  };

  it("suggests the server's own questions, with the mention that the server wants", async () => {
    const { run } = await attachLookalike();
    const suggested = async (...args: string[]) =>
      JSON.parse((await run('--json', ...args)).out).requests.map(
        ([, , body]: any) => body.metaData.suggestedMessages,
      );
    const both = ['@help Where?', '@help When?'];
    expect(await suggested('--namespace', 'help')).toEqual([both, both]);
    expect((await suggested())[0]).toEqual(['@help What can you do?']);
    expect((await suggested('--namespace', 'help', '--suggest', 'Who?'))[0]).toEqual([
      '@help Who?',
    ]);
  });

  it('replaces suggestions of the entry only if --namespace or --suggest is given', async () => {
    const { url, platform, run } = await attachLookalike();
    platform.entries.push({
      uid: 'uid-1',
      integrationMeta: { baseUrl: url, agentId: 'knowledge' },
      metaData: { suggestedMessages: ['Mine?'] },
    });
    const suggested = () => platform.entries[0]?.metaData.suggestedMessages;
    await run('--apply', '--unchecked');
    expect(suggested()).toEqual(['Mine?']);
    await run('--apply', '--unchecked', '--suggest', 'New?');
    expect(suggested()).toEqual(['@help New?']);
    expect((await run('--apply', '--namespace', 'help')).code).toBe(0);
    expect(suggested()).toEqual(['@help Where?', '@help When?']);
  });
});
