import { DefaultChatTransport, readUIMessageStream, type UIMessage } from 'ai';
import { type ChatClient, messageOf } from '../chat-client.ts';

export const client: ChatClient = {
  name: '`ai` (`DefaultChatTransport`, what `useChat` uses)',
  sources: 'parts `source-url` and `source-document`',
  hidesNoSources: true,
  needsMention: false,
  isStreamed: true,
  async open({ url, key }) {
    const conversations = new Map<string, UIMessage[]>();
    return {
      async ask({
        text: question,
        namespace = 'default',
        conversation = crypto.randomUUID(),
        addressed,
        signal,
        onText,
      }) {
        const transport = new DefaultChatTransport({
          api: `${url}/api/chat/knowledge`,
          headers: {
            authorization: `Bearer ${key}`,
            ...(addressed === undefined ? {} : { addressed: String(addressed) }),
          },
          body: { namespace },
        });
        const asked: UIMessage = {
          id: crypto.randomUUID(),
          role: 'user',
          parts: [{ type: 'text', text: question }],
        };
        const messages = [...(conversations.get(conversation) ?? []), asked];
        let message: UIMessage | undefined;
        let error: string | undefined;
        const textOf = () =>
          message?.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('') ??
          '';
        try {
          const stream = await transport.sendMessages({
            trigger: 'submit-message',
            chatId: conversation,
            messageId: undefined,
            messages,
            abortSignal: signal,
          });
          for await (message of readUIMessageStream({
            stream,
            onError: (thrown) => (error = messageOf(thrown)),
          })) {
            // The first message part has no text.
            if (textOf() !== '') onText?.(textOf());
          }
        } catch (thrown) {
          error = messageOf(thrown);
        }
        if (message) conversations.set(conversation, [...messages, message]);
        const quotes = message?.parts.flatMap((part) =>
          part.type === 'source-url' || part.type === 'source-document'
            ? [String(part.providerMetadata?.['knowledge']?.['quote'])]
            : [],
        );
        return { text: textOf(), quotes: quotes ?? [], error };
      },
    };
  },
};
