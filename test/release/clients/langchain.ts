import { AIMessage, type BaseMessage, HumanMessage } from '@langchain/core/messages';
import { ChatOpenAI } from '@langchain/openai';
import { historyClient } from '../../support/chat-client.ts';

type Proof = { knowledge?: { citations: { quote: string }[] } } | undefined;

/**
 * LangChain keeps only text and usage of chat completions unless it is configured to keep raw
 * chunks.
 */
const facts = {
  name: '`@langchain/openai`: `ChatOpenAI`, streamed',
  sources: "text's `Sources:`; with `__includeRawResponse`, `knowledge` of the last chunk",
  hasLinks: true,
};

export const client = historyClient<BaseMessage>(facts, async (turn, earlier) => {
  const { apiKey, maxRetries, ...configuration } = turn.openAi;
  const model = new ChatOpenAI({
    model: turn.model,
    apiKey,
    maxRetries,
    __includeRawResponse: true,
    configuration,
  });
  const messages = [...earlier, new HumanMessage(turn.question)];
  for await (const chunk of await model.stream(messages, turn.request)) {
    turn.cite((chunk.additional_kwargs['__raw_response'] as Proof)?.knowledge?.citations);
    turn.add(chunk.text);
  }
  return [...messages, new AIMessage(turn.text)];
});
