import OpenAI from 'openai';
import { type ChatClient, messageOf } from '../../support/chat-client.ts';

type Messages = OpenAI.ChatCompletionMessageParam[];

export const client: ChatClient = {
  name: '`openai`: `chat.completions`',
  sources: "`annotations` of the message, and the completion's `knowledge`",
  hasLinks: true,
  needsMention: false,
  isStreamed: false,
  async open({ url, key }) {
    const conversations = new Map<string, Messages>();
    return {
      async ask({
        text: content,
        namespace = 'default',
        conversation = crypto.randomUUID(),
        addressed,
        signal,
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
        try {
          const model = `knowledge/${namespace}`;
          const { choices } = await client.chat.completions.create(
            { model, messages },
            { ...(signal ? { signal } : {}) },
          );
          const answer = choices[0]!.message;
          conversations.set(conversation, [...messages, answer]);
          const quotes = (answer.annotations ?? []).map(
            ({ url_citation }) => (url_citation as { quote?: string }).quote ?? '',
          );
          return { text: answer.content ?? '', quotes };
        } catch (thrown) {
          return { text: '', quotes: [], error: messageOf(thrown) };
        }
      },
    };
  },
};
