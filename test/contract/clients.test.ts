import { HttpAgent } from '@ag-ui/client';
import { MastraClient } from '@mastra/client-js';
import { describe, expect, it } from 'vitest';
import { client as agUi } from '../support/clients/ag-ui.ts';
import { client as aiSdk } from '../support/clients/ai-sdk.ts';
import { client as openAiChat } from '../support/clients/openai-chat.ts';
import { serveOnLoopback } from '../support/event-stream.ts';
import { sharedModel } from '../support/workspace.ts';

const files = {
  'default/refunds.md': '# Refunds\n\nFull refunds are granted within 30 days of purchase. Refunds are paid to the same card.\n',
};
const granted = 'Full refunds are granted within 30 days of purchase. [1]';
const answer = `${granted}\n\nSources:\n[1] Refunds (refunds.md)`;

const withProvider = () => sharedModel({}, files);

describe('the official client', () => {
  async function agent() {
    const { provider, service } = await withProvider();
    const client = new MastraClient({ baseUrl: await serveOnLoopback(service), retries: 0 });
    return { provider, agent: client.getAgent('knowledge') };
  }

  it('reads a whole answer', async () => {
    const { provider, agent: knowledge } = await agent();
    provider.reply(`${granted} Refunds cost $5. [1]`);
    expect((await knowledge.generate('@agent refund window?')).text).toBe(answer);
  });

  it('reads a stream', async () => {
    const { provider, agent: knowledge } = await agent();
    provider.reply(`${granted} Refunds cost $5. [1]`);
    const response = await knowledge.stream([{ role: 'user', content: '@agent refund window?' }], {
      memory: { thread: 't', resource: 'r' },
    });
    const types: string[] = [];
    let text = '';
    let citations: unknown;
    await response.processDataStream({
      onChunk: async (chunk: any) => {
        types.push(chunk.type);
        if (chunk.type === 'text-delta') text += chunk.payload.text;
        if (chunk.type === 'finish') citations = chunk.payload.citations;
      },
    });
    expect(text).toBe(answer);
    expect(types.at(0)).toBe('start');
    expect(types.at(-1)).toBe('finish');
    expect(citations).toMatchObject([{ index: 1, file: 'refunds.md', quote: 'Full refunds are granted within 30 days of purchase.' }]);
    // Nor does it ask again for a tool result of its own.
    expect(provider.requests).toHaveLength(1);
  });

  it('reads an error', async () => {
    const { provider, agent: knowledge } = await agent();
    const asked = provider.nextLive();
    const response = await knowledge.stream('@agent refund window?');
    const reply = await asked;
    reply.say(`${granted} And`);
    reply.fail('upstream says sk-server-secret');
    const chunks: unknown[] = [];
    await response.processDataStream({ onChunk: async (chunk) => void chunks.push(chunk) });
    expect(chunks.at(-2)).toMatchObject({ type: 'error', payload: { code: 'model_failed' } });
    // As Mastra ends a run that failed.
    expect(chunks.at(-1)).toMatchObject({ type: 'finish', payload: { stepResult: { reason: 'error' } } });
    expect(JSON.stringify(chunks)).not.toMatch(/upstream|sk-server/);
  });
});

describe('a client that sends its whole conversation', () => {
  it.each([agUi, aiSdk, openAiChat])('is answered when the conversation outgrows MAX_BODY_BYTES: $name', async (client) => {
    const { provider, service } = await withProvider();
    provider.reply(granted);
    const url = await serveOnLoopback(service, { MAX_BODY_BYTES: '4096' });
    const { ask } = await client.open({ url, key: 'any', settings: {} });
    for (let turn = 0; turn < 15; turn++) {
      const { text, error } = await ask({ text: 'refund window?', conversation: 'long' });
      expect([text.split('\n')[0], error]).toEqual([granted, undefined]);
    }
    // Earlier turns that fit are still read.
    expect(JSON.stringify(provider.requests.at(-1)?.body.messages).split('refund window?').length).toBeGreaterThan(2);
  });

  it.each([
    ['/api/agents/knowledge/generate', { messages: Array(1_100).fill('@agent refund window?') }],
    ['/v1/responses', { model: 'knowledge', input: Array(1_100).fill({ role: 'user', content: 'refund window?' }) }],
  ])('may send 1,100 messages to %s', async (path, body) => {
    const { provider, service } = await withProvider();
    provider.reply(granted);
    const response = await service.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain(granted);
  });

  it('is refused when its last message alone is larger than MAX_BODY_BYTES', async () => {
    const { service } = await withProvider();
    const url = await serveOnLoopback(service, { MAX_BODY_BYTES: '4096' });
    const { ask } = await openAiChat.open({ url, key: 'any', settings: {} });
    expect((await ask({ text: 'refund window? '.repeat(400) })).error).toContain('413');
  });

  it('receives the places that a search found, without their text', async () => {
    const { provider, service } = await withProvider();
    provider.reply(granted);
    const agent = new HttpAgent({ url: `${await serveOnLoopback(service)}/api/agents/knowledge/ag-ui` });
    agent.addMessage({ id: '1', role: 'user', content: 'refund window?' });
    await agent.runAgent();
    const found = agent.messages.find(({ role }) => role === 'tool');
    const [place] = JSON.parse(String(found?.content)).results;
    expect(Object.keys(place).sort()).toEqual([
      'anchor',
      'chunkId',
      'documentId',
      'end',
      'file',
      'headingPath',
      'kind',
      'page',
      'revision',
      'score',
      'source',
      'start',
      'title',
    ]);
  });
});
