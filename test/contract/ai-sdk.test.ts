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
    await send({ messages: [user('full refunds granted?')] });
    await send({
      messages: [
        user('full refunds granted?'),
        { role: 'assistant', parts: [] },
        user('partial refunds granted?'),
      ],
    });
    const { shown } = await send({
      trigger: 'regenerate-message',
      messages: [user('full refunds granted?')],
    });
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
    for (const body of [{}, { messages: [{ role: 'user', content: { a: 1 } }] }])
      expect((await send(body)).status).toBe(400);
    expect((await send({ messages: [{ role: 'user', content: null }] })).status).toBe(400);
    const stored = { format: 2, parts: [{ type: 'text', text: 'full refunds granted?' }] };
    expect((await send({ messages: [{ role: 'user', content: stored }] })).text).toContain(
      '30 days',
    );
  });

  it('shows its user a sentence when a request fails', async () => {
    const settings = { API_KEYS: 'some-key-of-length', MAX_BODY_BYTES: '2048' };
    const url = await serveOnLoopback(await startService(settings, files), settings);
    const fail = async (text: string, headers: Record<string, string>, body = {}) => {
      const transport = new DefaultChatTransport({
        api: `${url}/api/chat/knowledge`,
        headers,
        body,
      });
      const messages: UIMessage[] = [{ id: '1', role: 'user', parts: [{ type: 'text', text }] }];
      const sent = {
        trigger: 'submit-message',
        chatId: 'c',
        messageId: undefined,
        messages,
        abortSignal: undefined,
      } as const;
      return transport.sendMessages(sent).then(String, (error: Error) => error.message);
    };
    const key = { authorization: 'Bearer some-key-of-length' };
    const sentence = /^[A-Z][^{}]+\.$/;
    expect(await fail('hello', {})).toMatch(sentence);
    expect(await fail('x'.repeat(3_000), key)).toMatch(sentence);
    // The first question loads the agent. A later failure would be a chunk of the stream.
    await fail('refunds?', key);
    expect(await fail('refunds?', key, { namespace: 'nowhere' })).toMatch(
      /^There is no namespace[^{]+\.$/,
    );
    expect(await fail('refunds?', key, { namespace: 7 })).toMatch(sentence);
  });

  it('returns the error code to programs', async () => {
    const { service } = await chat();
    const send = (accept?: string) =>
      service.send('/api/chat/knowledge', {}, accept ? { accept } : {});
    const plain = await send('*/*');
    expect([
      plain.status,
      plain.headers.get('content-type'),
      plain.headers.get('x-error-code'),
    ]).toEqual([400, expect.stringContaining('text/plain'), 'invalid_request']);
    const error = await plain.text();
    for (const accept of ['application/json', undefined])
      expect(await (await send(accept)).json()).toMatchObject({ code: 'invalid_request', error });
  });
});
