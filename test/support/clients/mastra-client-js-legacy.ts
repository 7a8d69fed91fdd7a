import { MastraClient } from '@mastra/client-js';
import { type ChatClient, messageOf } from '../chat-client.ts';

export const client: ChatClient = {
  name: '`@mastra/client-js` 1.x: `streamLegacy` (AI SDK 4)',
  sources: 'source parts',
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
        const quotes: string[] = [];
        const over = Promise.withResolvers<void>();
        let text = '';
        let error: string | undefined;
        let code = '';
        try {
          const thread =
            conversation === undefined ? {} : { threadId: conversation, resourceId: 'scenarios' };
          const asked = { messages: content, toolParams: { namespace }, ...thread } as any;
          const response = await client.getAgent('knowledge').streamLegacy(asked);
          const read = response.processDataStream({
            onTextPart(part: string) {
              text += part;
              onText?.(text);
            },
            onSourcePart: ({ providerMetadata }: any) =>
              void quotes.push(providerMetadata.knowledge.quote),
            onMessageAnnotationsPart([said]: any[]) {
              code = said.error?.code ?? '';
            },
            onErrorPart(message: string) {
              error = `${message} ${code}`;
            },
            // The stream may stay open after the last part.
            onFinishMessagePart: () => over.resolve(),
          });
          signal?.addEventListener('abort', () => over.resolve());
          await Promise.race([read, over.promise]);
        } catch (thrown) {
          error = messageOf(thrown);
        }
        return { text, quotes, error };
      },
    };
  },
};
