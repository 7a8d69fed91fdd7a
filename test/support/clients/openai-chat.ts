import OpenAI from 'openai';
import { type ChatClient, messageOf } from '../chat-client.ts';

type Messages = OpenAI.ChatCompletionMessageParam[];

export const client: ChatClient = {
  name: '`openai`: `chat.completions`, streamed',
  sources: '`annotations` of the last delta',
  hasLinks: true,
  needsMention: false,
  isStreamed: true,
  async open({ url, key }) {
    const conversations = new Map<string, Messages>();
    return {
      async ask({
        text: content,
        namespace = 'default',
        conversation = crypto.randomUUID(),
        addressed,
        signal,
        onText,
      }) {
        const defaultHeaders = addressed === undefined ? {} : { addressed: String(addressed) };
        const client = new OpenAI({
          baseURL: `${url}/v1`,
          apiKey: key,
          maxRetries: 0,
          defaultHeaders,
        });
        const messages: Messages = [
          ...(conversations.get(conversation) ?? []),
          { role: 'user', content },
        ];
        let text = '';
        const quotes: string[] = [];
        let error: string | undefined;
        try {
          const model = `knowledge/${namespace}`;
          const stream = await client.chat.completions.create(
            { model, messages, stream: true },
            { ...(signal ? { signal } : {}) },
          );
          for await (const { choices } of stream) {
            const delta = choices[0]?.delta as {
              content?: string;
              annotations?: { url_citation: { quote: string } }[];
            };
            text += delta.content ?? '';
            quotes.push(
              ...(delta.annotations ?? []).map((annotation) => annotation.url_citation.quote),
            );
            if (delta.content) onText?.(text);
          }
        } catch (thrown) {
          error = messageOf(thrown);
        }
        conversations.set(conversation, [...messages, { role: 'assistant', content: text }]);
        return { text, quotes, error };
      },
    };
  },
};
