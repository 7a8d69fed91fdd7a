import { ClientFactory } from 'a2a-js-0.3/client';
import { type ChatClient, messageOf } from '../chat-client.ts';

export const client: ChatClient = {
  name: '`@a2a-js/sdk` 0.3: `sendMessage`',
  sources: '`metadata.knowledge` of the message',
  needsMention: false,
  isStreamed: false,
  async open({ url, key }) {
    const client = await new ClientFactory().createFromUrl(url);
    return {
      async ask({ text: question, namespace = 'default', conversation, addressed, signal }) {
        const serviceParameters = {
          authorization: `Bearer ${key}`,
          ...(addressed === undefined ? {} : { addressed: String(addressed) }),
        };
        const message = {
          kind: 'message' as const,
          messageId: crypto.randomUUID(),
          ...(conversation === undefined ? {} : { contextId: conversation }),
          role: 'user' as const,
          parts: [{ kind: 'text' as const, text: question }],
          metadata: { namespace },
        };
        try {
          const answer = await client.sendMessage(
            { message },
            { serviceParameters, ...(signal ? { signal } : {}) },
          );
          if (answer.kind !== 'message')
            return { text: '', quotes: [], error: `a ${answer.kind} came` };
          const { citations = [] } = (answer.metadata?.['knowledge'] ?? {}) as {
            citations?: { quote: string }[];
          };
          const text = answer.parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
          return { text, quotes: citations.map(({ quote }) => quote) };
        } catch (thrown) {
          return { text: '', quotes: [], error: messageOf(thrown) };
        }
      },
    };
  },
};
