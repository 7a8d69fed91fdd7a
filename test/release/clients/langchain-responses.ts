import { type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { concat } from '@langchain/core/utils/stream';
import { ChatOpenAI } from '@langchain/openai';
import { type ChatClient, messageOf } from '../../support/chat-client.ts';

type Proof = { citations: { quote: string }[] } | undefined;

export const client: ChatClient = {
  name: '`@langchain/openai`: `ChatOpenAI` with `useResponsesApi`, streamed',
  sources: 'annotations of the content, `response_metadata.knowledge`',
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
          useResponsesApi: true,
          configuration: {
            baseURL: `${url}/v1`,
            defaultHeaders: addressed === undefined ? {} : { addressed: String(addressed) },
          },
        });
        const messages = [...(conversations.get(conversation) ?? []), new HumanMessage(content)];
        let text = '';
        let error: string | undefined;
        let whole: Awaited<ReturnType<typeof model.invoke>> | undefined;
        try {
          for await (const chunk of await model.stream(messages, {
            ...(signal ? { signal } : {}),
          })) {
            whole = whole ? concat(whole, chunk) : chunk;
            text += chunk.text;
            if (chunk.text) onText?.(text);
          }
        } catch (thrown) {
          error = messageOf(thrown);
        }
        if (whole) conversations.set(conversation, [...messages, whole]);
        const proof = whole?.response_metadata['knowledge'] as Proof;
        return { text, quotes: proof?.citations.map(({ quote }) => quote) ?? [], error };
      },
    };
  },
};
