import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { type ChatClient, messageOf } from '../../support/chat-client.ts';

type Proof = { knowledge?: { citations: { quote: string }[] } } | undefined;

/**
 * LangChain keeps only text and usage of chat completions unless it is configured to keep raw
 * chunks.
 */
export const client: ChatClient = {
  name: '`@langchain/openai`: `ChatOpenAI`, streamed',
  sources: "text's `Sources:`; with `__includeRawResponse`, `knowledge` of the last chunk",
  hasLinks: true,
  needsMention: false,
  isStreamed: true,
  async open({ url, key }) {
    const conversations = new Map<string, BaseMessage[]>();
    return {
      async ask({
        text: content,
        namespace = 'default',
        conversation = crypto.randomUUID(),
        addressed,
        signal,
        onText,
      }) {
        const model = new ChatOpenAI({
          model: `knowledge/${namespace}`,
          apiKey: key,
          maxRetries: 0,
          __includeRawResponse: true,
          configuration: {
            baseURL: `${url}/v1`,
            defaultHeaders: addressed === undefined ? {} : { addressed: String(addressed) },
          },
        });
        const messages = [...(conversations.get(conversation) ?? []), new HumanMessage(content)];
        let text = '';
        let quotes: string[] = [];
        let error: string | undefined;
        try {
          for await (const chunk of await model.stream(messages, {
            ...(signal ? { signal } : {}),
          })) {
            text += chunk.text;
            const raw = chunk.additional_kwargs['__raw_response'] as Proof;
            if (raw?.knowledge) quotes = raw.knowledge.citations.map(({ quote }) => quote);
            if (chunk.text) onText?.(text);
          }
        } catch (thrown) {
          error = messageOf(thrown);
        }
        conversations.set(conversation, [...messages, new AIMessage(text)]);
        return { text, quotes, error };
      },
    };
  },
};
