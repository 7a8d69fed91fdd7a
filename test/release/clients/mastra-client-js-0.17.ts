import { MastraClient } from 'client-js-0.17';
import { type ChatClient, messageOf } from '../../support/chat-client.ts';

export const client: ChatClient = {
  name: '`@mastra/client-js` 0.17: `stream`',
  sources: '`citations` of the `finish` chunk',
  needsMention: true,
  isStreamed: true,
  async open({ url, key }) {
    return {
      async ask({ text: content, namespace = 'default', conversation, addressed, signal, onText }) {
        const headers = {
          authorization: `Bearer ${key}`,
          ...(addressed === undefined ? {} : { addressed: String(addressed) }),
        };
        const client = new MastraClient({
          baseUrl: url,
          retries: 0,
          headers,
          ...(signal ? { abortSignal: signal } : {}),
        });
        let text = '';
        let quotes: string[] = [];
        let error: string | undefined;
        try {
          const thread =
            conversation === undefined ? {} : { threadId: conversation, resourceId: 'scenarios' };
          const asked = { messages: content, toolParams: { namespace }, ...thread } as any;
          const response = await client.getAgent('knowledge').stream(asked);
          await response.processDataStream({
            onChunk: async (chunk: any) => {
              if (chunk.type === 'text-delta') {
                text += chunk.payload.text;
                onText?.(text);
              }
              if (chunk.type === 'finish')
                quotes = chunk.payload.citations.map(({ quote }: { quote: string }) => quote);
              if (chunk.type === 'error') error = JSON.stringify(chunk.payload);
            },
          });
        } catch (thrown) {
          error = messageOf(thrown);
        }
        return { text, quotes, error };
      },
    };
  },
};
