import { readdirSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';
import { text as textOf } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import type { ChatClient } from '../support/chat-client.ts';
import { cases } from '../support/depth.ts';
import { serveOnLoopback } from '../support/event-stream.ts';
import { startFakeProvider } from '../support/fake-provider.ts';
import { startSite } from '../support/site.ts';
import { startService } from '../support/workspace.ts';

const folder = new URL('../support/clients/', import.meta.url);
/** One client of each kind; `npm run test:deep` tests all. Unit tests cover the other formats. */
const kinds = ['ai-sdk.ts', 'mastra-client-js.ts', 'mcp-http.ts', 'openai-chat.ts'];
const clients = await Promise.all(
  (cases(1) > 1 ? readdirSync(folder).sort() : kinds).map(
    async (name): Promise<ChatClient> => (await import(new URL(name, folder).href)).client,
  ),
);

const code = 'shop install --port 8080\nshop start';
const files = {
  'default/shop.md': `---\ntitle: Shop\nsource: https://example.com/shop\nkind: url\n---\n# Shop\n\nRefunds are paid within 30 days of purchase. Gift cards are replaced within 10 days of a complaint.\n\nInstall the shop and start it:\n\n\`\`\`sh\n${code}\n\`\`\`\n`,
};
const question =
  'within how many days are refunds paid and gift cards replaced, and how do I install the shop?';
const lie = 'Gift cards are replaced within 40 days of a complaint.';
const changed = 'shop install --port 9090\nshop start';
const reply = `Refunds are paid within 30 days of purchase. [1] ${lie} [1]\n\n\`\`\`sh\n${changed}\n\`\`\`\n[1]`;

const answer = `Refunds are paid within 30 days of purchase. [1] Gift cards are replaced within 10 days of a complaint. [1]\n\n\`\`\`\n${code}\n\`\`\`\n[1]`;
const sourceOf = ({ hasLinks = false }: { readonly hasLinks?: boolean }) =>
  `[1] ${hasLinks ? '[Shop]' : 'Shop '}(https://example.com/shop#shop)`;
const secret = Buffer.from('a secret of thirty-two bytes, ok!');

async function setUp() {
  const provider = await startFakeProvider();
  onTestFinished(() => provider.close());
  provider.reply(reply);
  const delivered: any[] = [];
  const listener: RequestListener = async (request, response) => {
    delivered.push(JSON.parse(await textOf(request)));
    response.end('{"data":{}}');
  };
  const platform = await startSite({ '/messages': listener });
  const model = { LLM_BASE_URL: provider.baseUrl, LLM_API_KEY: 'sk-server-secret' };
  const chat = {
    CHAT_WEBHOOK_SECRET: `whsec_${secret.toString('base64')}`,
    CHAT_CALLBACK_URL: `${platform.url}/messages`,
    ALLOWED_URL_HOSTS: platform.host,
  };
  const service = await startService({ ...model, ...chat }, files);
  return { service, model, delivered };
}

it.each(clients)(
  '$name receives the repaired answer',
  async ({ open, needsMention, hasLinks = false }) => {
    const { service, model } = await setUp();
    const settings = {
      KNOWLEDGE_DIR: service.knowledgeDir,
      INDEX_DIR: join(service.folder, 'own-index'),
      ...model,
    };
    const { ask, close } = await open({
      url: await serveOnLoopback(service),
      key: 'some-key',
      settings,
    });
    if (close) onTestFinished(close);
    const { text, error } = await ask({ text: `${needsMention ? '@agent ' : ''}${question}` });
    expect(error).toBeUndefined();
    expect(text).toBe(`${answer}\n\nSources:\n${sourceOf({ hasLinks })}`);
  },
);

it("the stored answer lists the repaired sentences, their reasons and the model's words", async () => {
  const { service } = await setUp();
  const { body } = await service.post('/api/agents/knowledge/generate', {
    messages: `@agent ${question}`,
  });
  expect(body).toMatchObject({ answered: true, dropped: 0, repaired: 2 });
  expect(JSON.stringify(body)).not.toMatch(/40 days|9090/);
  const { answer: storedAnswer, check } = (await service.get(`/api/answers/${body.runId}`)).body;
  expect(storedAnswer.repaired).toBe(2);
  expect(check).toEqual({
    kept: [
      { text: 'Refunds are paid within 30 days of purchase.', index: 1, score: 1 },
      {
        text: 'Gift cards are replaced within 10 days of a complaint.',
        index: 1,
        score: 1,
        repaired: true,
        reason: 'figure',
        instead: lie,
      },
      {
        text: code,
        index: 1,
        score: 1,
        repaired: true,
        reason: 'exact',
        instead: changed.replaceAll('\n', ' '),
      },
    ],
    dropped: 0,
    repaired: 2,
    droppedSentences: [],
  });
});
