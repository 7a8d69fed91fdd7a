import { MastraClient } from '@mastra/client-js';
import { type ChatClient, messageOf } from '../chat-client.ts';

export const client: ChatClient = {
  name: '`@mastra/client-js` 1.x: `generate`',
  sources: '`citations`',
  needsMention: true,
  isStreamed: false,
  async open({ url, key }) {
    return {
      async ask({ text: content, namespace = 'default', conversation, addressed, signal }) {
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
        const memory =
          conversation === undefined
            ? {}
            : { memory: { thread: conversation, resource: 'scenarios' } };
        const options = { toolParams: { namespace }, ...memory } as object;
        try {
          const { text, citations }: any = await client
            .getAgent('knowledge')
            .generate(content, options);
          return { text, quotes: citations.map(({ quote }: { quote: string }) => quote) };
        } catch (thrown) {
          return { text: '', quotes: [], error: messageOf(thrown) };
        }
      },
    };
  },
};
