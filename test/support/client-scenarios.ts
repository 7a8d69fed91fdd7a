/**
 * Runs the same scenarios with client packages against a loopback server with a fake model. The
 * outcomes are those that docs/clients.md states; it lists where each client finds the sources.
 */
import { readdirSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ChatClient, ClientQuestion } from './chat-client.ts';
import { serveOnLoopback } from './event-stream.ts';
import { type ProviderRequest, startFakeProvider } from './fake-provider.ts';
import { event, sse } from './provider-wire.ts';
import { read } from './repository.ts';
import { startService } from './workspace.ts';

/** @param folder of modules that each export a `client` */
export const clientsIn = (folder: URL): Promise<ChatClient[]> =>
  Promise.all(
    readdirSync(folder)
      .sort()
      .map(async (name) => (await import(new URL(name, folder).href)).client),
  );

const people = Array.from({ length: 8 }, (_, at) => `Room ${at + 1} holds ${100 + at} people.`);
const files = {
  'default/refunds.md':
    '---\ntitle: Refunds\nsource: https://example.com/refunds\nkind: url\n---\n# Refunds\n\nFull refunds 🎉 are granted within 30 days of purchase.\nRefunds are paid to the same card.\n',
  'default/rooms.md': `# Rooms\n\n${people.map((line, at) => `## Room ${at + 1}\n\n${line}`).join('\n\n')}\n`,
};
const granted = 'Full refunds 🎉 are granted within 30 days of purchase.';
const settings = { API_KEYS: 'all-key' };

type Script = (
  request: ProviderRequest,
  response: ServerResponse,
) => string | undefined | Promise<undefined>;

/** Sends one sentence and keeps the response open. */
function begin(request: ProviderRequest, response: ServerResponse) {
  response.writeHead(200, sse);
  response.write(event(request, { content: `${granted} [1] And` }));
}

/** One server with one fake model for all clients. */
async function startStage() {
  const provider = await startFakeProvider();
  const model = {
    LLM_BASE_URL: provider.baseUrl,
    LLM_API_KEY: 'sk-server-secret',
    ANSWER_EFFORT: 'quick',
  };
  const service = await startService({ ...model, ...settings }, files);
  const url = await serveOnLoopback(service, settings);
  const own = {
    KNOWLEDGE_DIR: service.knowledgeDir,
    INDEX_DIR: join(service.folder, 'own-index'),
    ...model,
  };
  return { provider, url, own };
}

let stage: Awaited<ReturnType<typeof startStage>>;

const opened = new Map<string, ReturnType<ChatClient['open']>>();

async function openClient(
  client: ChatClient,
  reply: string | Script = `${granted} [1] Refunds cost $5. [1]`,
  key = 'all-key',
) {
  const { provider, url, own } = stage;
  provider.reply(reply);
  provider.requests.length = 0;
  const opening = opened.get(`${key} ${client.name}`) ?? client.open({ url, key, settings: own });
  opened.set(`${key} ${client.name}`, opening);
  const { ask } = await opening;
  const mention = client.needsMention ? '@agent ' : '';
  return {
    provider,
    ask: (question: ClientQuestion) => ask({ ...question, text: `${mention}${question.text}` }),
    plain: ask,
  };
}

const question = { text: 'full refunds granted?' };
/**
 * On a busy machine a stream may begin before it fails. A protocol without error codes then carries
 * the sentence.
 */
const namespaceNotFound = /namespace_not_found|There is no namespace "/;
/** A protocol without error codes carries our sentence. */
const modelError = /\bmodel_(?:failed|unavailable)\b|The model (?:did not|is)/;

type Scenario = (client: ChatClient) => Promise<void>;

const scenarios: Readonly<Record<string, Scenario>> = {
  async answered(client) {
    const { ask, provider } = await openClient(client);
    const { text, quotes, error } = await ask(question);
    expect(error).toBeUndefined();
    expect(text).toBe(
      `${granted} [1]\n\nSources:\n[1] ${client.hasLinks ? '[Refunds]' : 'Refunds '}(https://example.com/refunds#refunds)`,
    );
    expect(quotes).toEqual([granted]);
    expect(provider.requests).toHaveLength(1);
  },

  async 'no mention'(client) {
    const { plain, provider } = await openClient(client);
    const answer = await plain(question);
    expect(answer.error).toBeUndefined();
    if (client.needsMention) expect([answer.text, provider.requests.length]).toEqual(['', 0]);
    else expect(answer.text).toContain(granted);
  },

  async '`addressed`'(client) {
    const { plain, provider } = await openClient(client);
    const answer = await plain({ ...question, addressed: client.needsMention });
    expect(answer.error).toBeUndefined();
    if (client.needsMention) expect(answer.text).toContain(granted);
    else expect([answer.text, answer.quotes, provider.requests.length]).toEqual(['', [], 0]);
  },

  async 'nothing found'(client) {
    const { ask } = await openClient(client, 'NO_ANSWER');
    const answer = await ask({ text: 'zzz qqq xxx?' });
    expect(answer.error).toBeUndefined();
    expect(answer.text).toBe(
      `I could not find that in the documents.${client.hidesNoSources ? '' : '\n\nSources: none'}`,
    );
    expect(answer.quotes).toEqual([]);
  },

  async 'unknown namespace'(client) {
    const { ask } = await openClient(client);
    expect((await ask({ ...question, namespace: 'nowhere' })).error).toMatch(namespaceNotFound);
  },

  async 'wrong key'(client) {
    const { ask } = await openClient(client, undefined, 'no-such-key');
    const answer = await ask(question);
    expect(answer.text).toBe('');
    expect(answer.error).toMatch(/unauthorized|401/);
  },

  async 'provider fails'(client) {
    const { ask } = await openClient(
      client,
      (_, response) => void response.writeHead(400).end('{"error":{"message":"sk-server-secret"}}'),
    );
    const answer = await ask(question);
    expect(answer.text).toBe('');
    expect(answer.error).not.toContain('sk-server-secret');
    expect(answer.error).toMatch(modelError);
  },

  async 'provider breaks off'(client) {
    const { ask } = await openClient(client, (request, response) => {
      begin(request, response);
      setTimeout(() => response.destroy(), 50);
      return undefined;
    });
    const answer = await ask(question);
    if (client.isStreamed) expect(answer.text).toContain(granted);
    expect(answer.error).toMatch(modelError);
  },

  async 'caller leaves'(client) {
    const closed = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    const { ask } = await openClient(client, (request, response) => {
      begin(request, response);
      response.once('close', () => closed.resolve());
      asked.resolve();
      return undefined;
    });
    const leaving = new AbortController();
    const answer = ask({ ...question, signal: leaving.signal, onText: () => leaving.abort() });
    await asked.promise;
    if (!client.isStreamed) leaving.abort();
    await closed.promise;
    await answer;
  },

  async 'follow-up'(client) {
    const { ask, provider } = await openClient(client);
    const conversation = crypto.randomUUID();
    await ask({ ...question, conversation });
    const answer = await ask({ text: 'and to which card are they paid?', conversation });
    expect(answer.error).toBeUndefined();
    const shown = JSON.stringify(provider.requests.at(-1)?.body.messages);
    expect(shown).toContain('full refunds granted?');
  },

  async '8 at once'(client) {
    const { ask } = await openClient(client, ({ body }) => {
      const asked = /people does room (\d+) hold/.exec(JSON.stringify(body.messages.at(-1)))?.[1];
      return `${people[Number(asked) - 1]} [1][2][3][4][5][6]`;
    });
    const answers = await Promise.all(
      people.map((_, at) =>
        ask({
          text: `how many people does room ${at + 1} hold?`,
          conversation: `${client.name} room ${at}`,
        }),
      ),
    );
    for (const [at, { text, error }] of answers.entries())
      expect([error, text.split(' [')[0]]).toEqual([undefined, people[at]]);
  },
};

/** Tests each client in each scenario. */
export function testClients(clients: readonly ChatClient[]): void {
  beforeAll(async () => {
    stage = await startStage();
  });
  afterAll(async () => {
    for (const client of opened.values()) await (await client).close?.();
    opened.clear();
  });

  describe.each(clients.map((client) => [client.name, client] as const))('%s', (_, client) => {
    const possible = Object.entries(scenarios).filter(([name]) => !client.without?.includes(name));
    it.each(possible)('%s', (_name, run) => run(client));
  });

  it('docs/clients.md names each client and where it finds the sources', () => {
    const page = read('docs/clients.md');
    for (const { name, sources } of clients) expect(page).toContain(`\n- ${name}: ${sources}\n`);
  });
}
