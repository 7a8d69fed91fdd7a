import { DefaultChatTransport, type UIMessage } from 'ai';
import { describe, expect, it } from 'vitest';
import { serveOnLoopback } from '../support/event-stream.ts';
import { sharedModel, startService } from '../support/workspace.ts';

const files = {
  'default/refunds.md':
    '# Refunds\n\nFull refunds are granted within 30 days.\n\nPartial refunds are granted within 60 days.\n',
};

async function chat() {
  const { provider, service } = await sharedModel({}, files);
  provider.reply('Full refunds are granted within 30 days. [1]');
  const id = crypto.randomUUID();
  const user = (text: string) => ({ role: 'user', parts: [{ type: 'text', text }] });
  const send = async (body: object) => {
    const response = await service.send('/api/chat/knowledge', { id, ...body });
    return {
      status: response.status,
      text: await response.text(),
      shown: JSON.stringify(provider.requests.at(-1)?.body.messages),
    };
  };
  return { service, user, send };
}

describe('a chat of the AI SDK', () => {
  it('omits later messages from the model request after the user regenerates the first one', async () => {
    const { user, send } = await chat();
    const first = user('full refunds granted?');
    await send({ messages: [first] });
    const later = [{ role: 'assistant', parts: [] }, user('partial refunds granted?')];
    await send({ messages: [first, ...later] });
    const { shown } = await send({ trigger: 'regenerate-message', messages: [first] });
    expect(shown).not.toContain('partial refunds granted?');
  });

  it('is remembered if it sends only its last message', async () => {
    const { user, send } = await chat();
    await send({ message: user('full refunds granted?') });
    const { shown } = await send({ message: user('and within how many days?') });
    expect(shown).toContain('full refunds granted?');
  });

  it('is rejected without text', async () => {
    const { send } = await chat();
    const withContent = (content: unknown) => send({ messages: [{ role: 'user', content }] });
    for (const answer of [send({}), withContent({ a: 1 }), withContent(null)])
      expect((await answer).status).toBe(400);
    const stored = { format: 2, parts: [{ type: 'text', text: 'full refunds granted?' }] };
    expect((await withContent(stored)).text).toContain('30 days');
  });

  it('shows its user a sentence when a request fails', async () => {
    const settings = { API_KEYS: 'some-key-of-length', MAX_BODY_BYTES: '2048' };
    const url = await serveOnLoopback(await startService(settings, files), settings);
    const api = `${url}/api/chat/knowledge`;
    const fail = async (text: string, headers: Record<string, string>, body = {}) => {
      const transport = new DefaultChatTransport({ api, headers, body });
      const messages: UIMessage[] = [{ id: '1', role: 'user', parts: [{ type: 'text', text }] }];
      const about = { chatId: 'c', messageId: undefined, abortSignal: undefined };
      return transport
        .sendMessages({ trigger: 'submit-message', messages, ...about })
        .then(String, (error: Error) => error.message);
    };
    const key = { authorization: 'Bearer some-key-of-length' };
    // The first question loads the agent. A later failure would be a chunk of the stream.
    await fail('refunds?', key);
    for (const message of [
      await fail('hello', {}),
      await fail('x'.repeat(3_000), key),
      await fail('refunds?', key, { namespace: 'nowhere' }),
      await fail('refunds?', key, { namespace: 7 }),
    ])
      expect(message).toMatch(/^[A-Z][^{}]+\.$/);
  });

  it('returns the error code to programs', async () => {
    const { service } = await chat();
    const send = (accept?: string) =>
      service.send('/api/chat/knowledge', {}, accept ? { accept } : {});
    const plain = await send('*/*');
    expect([plain.status, plain.headers.get('x-error-code')]).toEqual([400, 'invalid_request']);
    expect(plain.headers.get('content-type')).toContain('text/plain');
    const error = await plain.text();
    for (const accept of ['application/json', undefined])
      expect(await (await send(accept)).json()).toMatchObject({ code: 'invalid_request', error });
  });
});
