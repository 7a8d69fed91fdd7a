import { createOpenAI } from '@ai-sdk/openai';
import { type ModelMessage, streamText } from 'ai';
import { type ChatClient, messageOf } from '../../support/chat-client.ts';

type Raw = { response?: { knowledge?: { citations: { quote: string }[] } } };

export const client: ChatClient = {
  name: '`@ai-sdk/openai`: `streamText`',
  sources: 'parts `source`; with `includeRawChunks`, `knowledge` of the last chunk',
  needsMention: false,
  isStreamed: true,
  async open({ url, key }) {
    const conversations = new Map<string, ModelMessage[]>();
    return {
      async ask({
        text: content,
        namespace = 'default',
        conversation = crypto.randomUUID(),
        addressed,
        signal,
        onText,
      }) {
        const openai = createOpenAI({
          baseURL: `${url}/v1`,
          apiKey: key,
          headers: addressed === undefined ? {} : { addressed: String(addressed) },
        });
        const messages: ModelMessage[] = [
          ...(conversations.get(conversation) ?? []),
          { role: 'user', content },
        ];
        let text = '';
        let quotes: string[] = [];
        let sources = 0;
        let error: string | undefined;
        const result = streamText({
          model: openai(`knowledge/${namespace}`),
          messages,
          maxRetries: 0,
          includeRawChunks: true,
          onError: () => undefined,
          ...(signal ? { abortSignal: signal } : {}),
        });
        try {
          for await (const part of result.fullStream) {
            if (part.type === 'text-delta') {
              text += part.text;
              onText?.(text);
            }
            if (part.type === 'source') sources += 1;
            if (part.type === 'raw')
              quotes =
                (part.rawValue as Raw).response?.knowledge?.citations.map(({ quote }) => quote) ??
                quotes;
            if (part.type === 'error') error ??= messageOf(part.error);
            if (part.type === 'tool-call') error ??= `a call of ${part.toolName}`;
          }
          if (!error && !signal?.aborted)
            conversations.set(conversation, [...messages, ...(await result.response).messages]);
        } catch (thrown) {
          error ??= messageOf(thrown);
        }
        return { text, quotes: quotes.slice(0, sources), error };
      },
    };
  },
};
