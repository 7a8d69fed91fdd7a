import OpenAI from 'openai';
import { type ChatClient, messageOf } from '../chat-client.ts';

export const client: ChatClient = {
  name: '`openai`: `responses`, streamed',
  sources: 'annotations `url_citation` and `file_citation`',
  needsMention: false,
  isStreamed: true,
  async open({ url, key }) {
    /** Conversation → id of its last response. */
    const conversations = new Map<string, string>();
    return {
      async ask({
        text: input,
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
        let text = '';
        const quotes: string[] = [];
        let error: string | undefined;
        try {
          const stream = await client.responses.create(
            {
              model: `knowledge/${namespace}`,
              input,
              stream: true,
              previous_response_id: conversations.get(conversation) ?? null,
            },
            { ...(signal ? { signal } : {}) },
          );
          for await (const event of stream) {
            if (event.type === 'response.output_text.delta') {
              text += event.delta;
              onText?.(text);
            }
            if (event.type === 'response.output_text.annotation.added')
              quotes.push((event.annotation as unknown as { quote: string }).quote);
            if (event.type === 'response.completed')
              conversations.set(conversation, event.response.id);
          }
        } catch (thrown) {
          error = messageOf(thrown);
        }
        return { text, quotes, error };
      },
    };
  },
};
