import { MastraClient } from '@mastra/client-js';
import { type ChatClient, messageOf } from '../chat-client.ts';

export const client: ChatClient = {
  name: '`@mastra/client-js` 1.x: `stream`',
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
          const memory =
            conversation === undefined
              ? {}
              : { memory: { thread: conversation, resource: 'scenarios' } };
          const options = { toolParams: { namespace }, ...memory } as object;
          const response = await client.getAgent('knowledge').stream(content, options);
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
