import { HttpAgent } from '@ag-ui/client';
import { describe, expect, it } from 'vitest';
import { client as agUi } from '../support/clients/ag-ui.ts';
import { client as aiSdk } from '../support/clients/ai-sdk.ts';
import { client as openAiChat } from '../support/clients/openai-chat.ts';
import { serveOnLoopback } from '../support/event-stream.ts';
import { listed } from '../support/listed.ts';
import { sharedModel } from '../support/workspace.ts';

const files = {
  'default/refunds.md':
    '# Refunds\n\nFull refunds are granted within 30 days of purchase. Refunds are paid to the same card.\n',
};
const granted = 'Full refunds are granted within 30 days of purchase. [1]';

describe('a client that sends its whole conversation', () => {
  it.each([agUi, aiSdk, openAiChat])(
    'is answered after the conversation outgrows MAX_BODY_BYTES: $name',
    async (client) => {
      const { provider, service } = await sharedModel({}, files);
      provider.reply(granted);
      const url = await serveOnLoopback(service, { MAX_BODY_BYTES: '2048' });
      const { ask } = await client.open({ url, key: 'any', settings: {} });
      for (let round = 0; round < 8; round++) {
        const { text, error } = await ask({ text: 'refund window?', conversation: 'long' });
        expect([text.split('\n')[0], error]).toEqual([granted, undefined]);
      }
      // Earlier messages that fit are still read.
      expect(
        JSON.stringify(provider.requests.at(-1)?.body.messages).split('refund window?').length,
      ).toBeGreaterThan(2);
    },
  );

  it('receives the passages of a search without their text', async () => {
    const { provider, service } = await sharedModel({}, files);
    provider.reply(granted);
    const agent = new HttpAgent({
      url: `${await serveOnLoopback(service)}/api/agents/knowledge/ag-ui`,
    });
    agent.addMessage({ id: '1', role: 'user', content: 'refund window?' });
    await agent.runAgent();
    const found = agent.messages.find(({ role }) => role === 'tool');
    const [place] = JSON.parse(String(found?.content)).results;
    expect(Object.keys(place).sort()).toEqual([
      ...listed(`
      anchor | chunkId | documentId | end | file | headingPath | kind | page | revision | score | source | start | title
    `),
    ]);
  });
});
