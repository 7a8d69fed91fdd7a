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
import { startService } from '../support/workspace.ts';

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

/**
 * Starts the service, and returns its URL and a function that runs the command with the same
 * settings.
 */
async function startServer(settings: Record<string, string> = {}) {
  const served = { RATE_LIMIT_PER_MINUTE: '0,visitor=10000', ...settings };
  const url =
    (await serveOnLoopback(await startService(settings, documents), served)) +
    (settings['PATH_PREFIX'] ?? '');
  const register = async (
    provider: string,
    args: readonly string[] = [],
    more: Record<string, string> = {},
  ) => {
    const asked = args.includes('--suggest') ? [] : ['--suggest', question];
    const all = ['register', '--provider', provider, '--url', url, ...asked, ...args];
    return runCommand(all, { ...settings, CHAT_API_KEY: restKey, ...more });
  };
  return { url, register };
}

/** Lines of the report about the two chats, without their column widths. */
const chatsIn = (out: string) =>
  [...out.matchAll(/^ {2}((?:one-to-one|group) .*)$/gm)].map(([, line = '']) =>
    line.replace(/ +/g, ' '),
  );

const anonymous = { ALLOW_ANONYMOUS: 'read', ANONYMOUS_NAMESPACES: 'default' };
const direct = { DIRECT_AGENT_ID: 'knowledge-direct' };
const keyed = { API_KEYS: `${ownKey}=default:ask` };

describe('npm run register --provider mastra', () => {
  it.each([
    ['a secret path', { PATH_PREFIX: prefix, PATH_PREFIX_RIGHTS: 'ask', ...keyed, ...direct }],
    ['anonymous read', { ...anonymous, ...direct }],
  ])('is answered in both chats of a server with %s', async (_what, settings) => {
    const { register } = await startServer(settings);
    for (const args of [[], ['--direct']]) {
      const { code, out } = await register('mastra', args);
      expect(chatsIn(out)).toEqual([
        `one-to-one knowledge-direct answered: ${answer}`,
        `group knowledge answered: ${answer}`,
      ]);
      expect(code).toBe(0);
    }
  });

  it('reports a chat that stays silent, with the setting that it needs', async () => {
    const { register } = await startServer(anonymous);
    const { code, out } = await register('mastra');
    expect(chatsIn(out)).toEqual([
      'one-to-one knowledge silent: the message does not mention the agent. Set DIRECT_AGENT_ID=knowledge-direct and add --direct, or use --provider ag-ui.',
      `group knowledge answered: ${answer}`,
    ]);
    expect(code).toBe(1);
  });

  it('finds no silence with REQUIRE_MENTION=false', async () => {
    const { register } = await startServer({ ...anonymous, REQUIRE_MENTION: 'false' });
    const { code, out } = await register('mastra');
    expect(chatsIn(out)).toEqual([
      `one-to-one knowledge answered: ${answer}`,
      `group knowledge answered: ${answer}`,
    ]);
    expect(code).toBe(0);
  });

  it('reports a server that requires a key, without its answers', async () => {
    const { register } = await startServer(keyed);
    const { code, out, err } = await register('mastra', [], { KNOWLEDGE_API_KEY: ownKey });
    expect([code, chatsIn(out)]).toEqual([1, []]);
    expect(err).toContain(
      '401: the server requires a key, but this provider sends none. Set PATH_PREFIX',
    );
    expect(out + err).not.toContain(ownKey);
  });

  it('reports a namespace that the caller may not read', async () => {
    const { register } = await startServer({
      ALLOW_ANONYMOUS: 'read',
      ANONYMOUS_NAMESPACES: 'help,hr',
      ...direct,
    });
    const { code, out } = await register('mastra', ['--direct']);
    expect([code, chatsIn(out)[0]]).toEqual([
      1,
      expect.stringContaining('refused: 404: the platform names no namespace'),
    ]);
  });

  it('reports an agent that the server does not have', async () => {
    const { register } = await startServer(anonymous);
    const { code, out } = await register('mastra', ['--direct'], direct);
    expect([code, chatsIn(out)[0]]).toEqual([
      1,
      expect.stringContaining('404: there is no agent knowledge-direct. Set DIRECT_AGENT_ID='),
    ]);
  });

  it('reports a question that the documents do not answer', async () => {
    const { register } = await startServer({ ...anonymous, ...direct });
    const { code, out } = await register('mastra', ['--suggest', 'Who won the world cup?']);
    expect(code).toBe(0);
    expect(chatsIn(out)[1]).toMatch(
      /not known: the documents do not answer it\. .*npm run ingest -- FILE --namespace default/,
    );
  });
});

describe('npm run register --provider ag-ui', () => {
  it('is answered in both chats with the key, and does not print it', async () => {
    const { url, register } = await startServer(keyed);
    const { code, out } = await register('ag-ui', [], { KNOWLEDGE_API_KEY: ownKey });
    expect(chatsIn(out)).toEqual([
      `one-to-one knowledge answered: ${answer}`,
      `group knowledge answered: ${answer}`,
    ]);
    expect(code).toBe(0);
    expect(out).toContain(`  Deployment URL  ${url}/api/agents/knowledge/ag-ui\n`);
    expect(out).toContain('  Headers         {"Authorization":"Bearer <KNOWLEDGE_API_KEY>"}\n');
    expect(out).toContain(`  Suggestions     ${question}\n`);
    expect(out).not.toContain(ownKey);
  });

  it('prints the headers for the dashboard with --show-secrets', async () => {
    const { url, register } = await startServer(keyed);
    const { out } = await register('ag-ui', ['--show-secrets', '--json'], {
      KNOWLEDGE_API_KEY: ownKey,
    });
    const { deploymentUrl, headers } = JSON.parse(out).dashboard;
    expect([deploymentUrl, headers]).toEqual([
      `${url}/api/agents/knowledge/ag-ui`,
      { Authorization: `Bearer ${ownKey}` },
    ]);
    expect(await sayByAgUi({ deploymentUrl, headers }, question)).toContain(answer);
  });

  it('explains how to get a key if it is missing or wrong', async () => {
    const { register } = await startServer(keyed);
    const none = await register('ag-ui');
    expect(none).toMatchObject({
      code: 1,
      err: expect.stringContaining('401: the server requires a key. Set KNOWLEDGE_API_KEY'),
    });
    expect(none.out).toContain(
      'npm run keys -- add --name "Chat platform" --namespaces default --rights ask',
    );
    const wrong = await register('ag-ui', [], { KNOWLEDGE_API_KEY: 'wrong-key-0123456789' });
    expect(wrong).toMatchObject({
      code: 1,
      err: expect.stringContaining('401: the server does not know the key.'),
    });
    expect(wrong.out + wrong.err).not.toContain('wrong-key');
  });

  it('names the right that the key lacks', async () => {
    const { register } = await startServer({ API_KEYS: `${ownKey}=default:write` });
    const { code, err } = await register('ag-ui', [], { KNOWLEDGE_API_KEY: ownKey });
    expect([code, err]).toEqual([
      1,
      expect.stringContaining('403: the caller may not ask. Add the right "ask" to the key.'),
    ]);
  });

  it('is answered from the only namespace of its key', async () => {
    const { register } = await startServer({ API_KEYS: `${ownKey}=help:ask` });
    const args = ['--namespace', 'help', '--suggest', 'Where can visitors park?'];
    const { code, out } = await register('ag-ui', args, { KNOWLEDGE_API_KEY: ownKey });
    expect([code, chatsIn(out)[0]]).toEqual([
      0,
      'one-to-one knowledge answered: Visitors park on level 2. [1]',
    ]);
  });

  it('never sends the key to a remote address without TLS', async () => {
    const { code, err, out } = await runCommand(
      ['register', '--provider', 'ag-ui', '--url', 'http://agent.example.com'],
      {
        KNOWLEDGE_API_KEY: ownKey,
      },
    );
    expect([code, err]).toEqual([
      1,
      'http://agent.example.com is not https, which the platform requires.\n',
    ]);
    expect(chatsIn(out)).toEqual([]);
  });
});

describe('npm run register --apply', () => {
  const icon = ['--icon', 'https://agent.example.com/icon.png'];
  const attach = async (
    platform: ChatPlatform,
    settings: Record<string, string> = { ...anonymous, ...direct },
  ) => {
    const { url, register } = await startServer(settings);
    const apply = (...args: string[]) =>
      register('mastra', ['--api-base', platform.url, '--apply', ...args]);
    return { url, apply };
  };
  const methods = (platform: ChatPlatform) =>
    platform.requests.map((request) => request.split(' ')[0]).join(' ');

  it('creates entries whose suggestions are answered in both chats, and changes nothing the second time', async () => {
    const platform = await startChatPlatform(restKey);
    const { url, apply } = await attach(platform);
    for (const args of [icon, [...icon, '--direct']])
      expect(await apply(...args)).toMatchObject({ code: 0 });
    const [group, oneToOne] = platform.entries;
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
      expect(await apply(...args)).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^The agent is up to date: .*Nothing was changed\./),
      });
    expect(methods(platform)).toBe('GET POST GET POST GET GET');
    expect(await apply('--greeting', 'Hi')).toMatchObject({
      out: expect.stringMatching(/^The agent was updated: /),
    });
    expect(platform.entries[0]?.metaData).toMatchObject({
      greetingMessage: 'Hi',
      suggestedMessages: [`@agent ${question}`],
    });
  });

  it('requires a picture to create, and not to update', async () => {
    const platform = await startChatPlatform(restKey);
    const { apply } = await attach(platform);
    const refused =
      'status 400: icon is required. It requires a picture to create an agent: give --icon.';
    expect(await apply()).toMatchObject({ code: 1, err: expect.stringContaining(refused) });
    expect(platform.entries).toEqual([]);
    await apply(...icon);
    expect(await apply('--name', 'Docs')).toMatchObject({ code: 0 });
  });

  it('names CHAT_AGENT_UID if the platform gave the agent another uid', async () => {
    const platform = await startChatPlatform(restKey);
    const { apply } = await attach(platform);
    const { out } = await apply(...icon);
    const uid = platform.entries[0]?.uid ?? '';
    expect(out).toContain(
      `Set CHAT_AGENT_UID=${uid}, so that the platform's mention of the agent counts.`,
    );
    expect((await apply('--direct', ...icon)).out).not.toContain('CHAT_AGENT_UID');
    const known = await attach(platform, { ...anonymous, ...direct, CHAT_AGENT_UID: uid });
    expect((await known.apply()).out).not.toContain('CHAT_AGENT_UID');
  });

  it('creates the agent if one of its chats is answered, and else sends nothing', async () => {
    const platform = await startChatPlatform(restKey);
    const half = await attach(platform, anonymous);
    expect(await half.apply(...icon)).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^The agent was created/),
    });
    const missing = await startServer(anonymous);
    const args = ['--api-base', platform.url, '--apply', '--direct', ...icon];
    expect(await missing.register('mastra', args, direct)).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^Nothing was sent\./),
    });
    expect(platform.entries.length).toBe(1);
  });
});

describe('npm run register prints no secret path', () => {
  const settings = { PATH_PREFIX: prefix, PATH_PREFIX_RIGHTS: 'ask', ...keyed, ...direct };
  it('in texts, plans, JSON and errors of the platform, unless --show-secrets is given', async () => {
    const { url, register } = await startServer(settings);
    const platform = await startChatPlatform('another-key');
    const repeats = await startSite({}, () => ({
      status: 400,
      body: JSON.stringify({ error: { message: `Wrong: ${url}` } }),
    }));
    for (const args of [
      [],
      ['--json'],
      ['--api-base', platform.url],
      ['--api-base', platform.url, '--json'],
      ['--api-base', repeats.url, '--apply'],
      ['--api-base', repeats.url, '--apply', '--json'],
    ]) {
      const { out, err } = await register('mastra', args);
      expect(out + err, args.join(' ')).not.toContain(prefix);
      expect(out + err).toContain('<PATH_PREFIX>');
    }
    expect((await register('mastra', ['--show-secrets'])).out).toContain(
      `Deployment URL  ${url}\n`,
    );
    const wrong = await register('mastra', ['--url', `${url}x`]);
    expect([wrong.code, wrong.err]).toEqual([
      1,
      expect.stringContaining('404: the path does not exist. Check --url and PATH_PREFIX'),
    ]);
  });
});

describe('npm run register', () => {
  it('reports a server where callers without a key may write', async () => {
    const note = 'Callers without a key may write and delete documents there.';
    expect((await (await startServer()).register('mastra')).err).toContain(note);
    expect((await (await startServer(anonymous)).register('mastra')).err).not.toContain(note);
    expect(
      (await (await startServer(keyed)).register('ag-ui', [], { KNOWLEDGE_API_KEY: ownKey })).err,
    ).not.toContain(note);
  });

  const agents = { knowledge: { requiresMention: true, mentions: ['@help'] } };
  const json = (body: unknown) => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const suggestions = json({
    namespace: 'help',
    suggestions: [{ question: 'Where?', documentId: 'a', title: 'A' }, { question: 'When?' }],
  });
  const lookalike = () =>
    startSite({
      '/ready': json({ status: 'ready' }),
      '/api/agents': json(agents),
      '/api/agents/knowledge/generate': json({ text: 'Here.', reason: 'answered' }),
      '/api/agents/knowledge/stream': {
        body: 'data: {"type":"finish","payload":{"reason":"answered"}}\n',
      },
      '/api/namespaces/help/suggestions': suggestions,
    });

  it("suggests the server's own questions, with the mention that the server wants", async () => {
    const { url } = await lookalike();
    const platform = await startChatPlatform(restKey);
    const args = [
      'register',
      '--provider',
      'mastra',
      '--url',
      url,
      '--api-base',
      platform.url,
      '--json',
    ];
    const suggested = async (more: readonly string[]) =>
      JSON.parse((await runCommand([...args, ...more], {})).out).requests.map(
        ({ body }: any) => body.metaData.suggestedMessages,
      );
    expect(await suggested(['--namespace', 'help'])).toEqual([
      ['@help Where?', '@help When?'],
      ['@help Where?', '@help When?'],
    ]);
    expect((await suggested([]))[0]).toEqual(['@help What can you do?']);
    expect((await suggested(['--namespace', 'help', '--suggest', 'Who?']))[0]).toEqual([
      '@help Who?',
    ]);
  });

  it('replaces suggestions of the entry only if --namespace or --suggest is given', async () => {
    const { url } = await lookalike();
    const platform = await startChatPlatform(restKey);
    const args = [
      'register',
      '--provider',
      'mastra',
      '--url',
      url,
      '--api-base',
      platform.url,
      '--apply',
      '--unchecked',
    ];
    const integrationMeta = { baseUrl: url, agentId: 'knowledge' };
    platform.entries.push({
      uid: 'uid-1',
      integrationMeta,
      metaData: { suggestedMessages: ['Mine?'] },
    });
    const suggested = async (more: readonly string[]) => {
      await runCommand([...args, ...more], { CHAT_API_KEY: restKey });
      return platform.entries[0]?.metaData.suggestedMessages;
    };
    expect(await suggested([])).toEqual(['@agent Mine?']);
    expect(await suggested(['--suggest', 'New?'])).toEqual(['@agent New?']);
    const checked = args.filter((arg) => arg !== '--unchecked');
    const { code } = await runCommand([...checked, '--namespace', 'help'], {
      CHAT_API_KEY: restKey,
    });
    expect([code, platform.entries[0]?.metaData.suggestedMessages]).toEqual([1, ['@agent New?']]);
  });
});
