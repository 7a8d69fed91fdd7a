import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai';
import { historyClient, messageOf } from '../chat-client.ts';

const facts = {
  name: '`ai` (`DefaultChatTransport`, what `useChat` uses)',
  sources: 'parts `source-url` and `source-document`',
  hidesNoSources: true,
};

export const client = historyClient<UIMessage>(facts, async (turn, earlier) => {
  const { namespace, authorized: headers } = turn;
  const api = `${turn.server.url}/api/chat/knowledge`;
  const text = { type: 'text', text: turn.question } as const;
  const asked: UIMessage = { id: crypto.randomUUID(), role: 'user', parts: [text] };
  const messages = [...earlier, asked];
  const stream = await new DefaultChatTransport({ api, headers, body: { namespace } }).sendMessages(
    {
      trigger: 'submit-message',
      chatId: turn.thread,
      messageId: undefined,
      messages,
      abortSignal: turn.signal,
    },
  );
  let message: UIMessage | undefined;
  const onError = (thrown: unknown) => (turn.error = messageOf(thrown));
  for await (message of readUIMessageStream({ stream, onError })) {
    turn.show(message.parts.map((part) => (part.type === 'text' ? part.text : '')).join(''));
    turn.quotes = message.parts.flatMap((part) =>
      part.type === 'source-url' || part.type === 'source-document'
        ? String(part.providerMetadata?.['knowledge']?.['quote'])
        : [],
    );
  }
  return message ? [...messages, message] : earlier;
});
