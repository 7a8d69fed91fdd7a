import { type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { concat } from '@langchain/core/utils/stream';
import { ChatOpenAI } from '@langchain/openai';
import { historyClient } from '../../support/chat-client.ts';

type Proof = { citations: { quote: string }[] } | undefined;

const facts = {
  name: '`@langchain/openai`: `ChatOpenAI` with `useResponsesApi`, streamed',
  sources: 'annotations of the content, `response_metadata.knowledge`',
};

export const client = historyClient<BaseMessage>(facts, async (turn, earlier) => {
  const { apiKey, maxRetries, ...configuration } = turn.openAi;
  const model = new ChatOpenAI({
    model: turn.model,
    apiKey,
    maxRetries,
    useResponsesApi: true,
    configuration,
  });
  const messages = [...earlier, new HumanMessage(turn.question)];
  let whole: Awaited<ReturnType<typeof model.invoke>> | undefined;
  for await (const chunk of await model.stream(messages, turn.request)) {
    whole = whole ? concat(whole, chunk) : chunk;
    turn.add(chunk.text);
  }
  turn.cite((whole?.response_metadata['knowledge'] as Proof)?.citations);
  return whole ? [...messages, whole] : earlier;
});
