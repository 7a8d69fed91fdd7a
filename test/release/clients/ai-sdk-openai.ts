import { createOpenAI } from '@ai-sdk/openai';
import { type ModelMessage, streamText } from 'ai';
import { historyClient, messageOf } from '../../support/chat-client.ts';

type Raw = { response?: { knowledge?: { citations: { quote: string }[] } } };

const facts = {
  name: '`@ai-sdk/openai`: `streamText`',
  sources: 'parts `source`; with `includeRawChunks`, `knowledge` of the last chunk',
};

export const client = historyClient<ModelMessage>(facts, async (turn, earlier) => {
  const { baseURL, apiKey } = turn.openAi;
  const messages: ModelMessage[] = [...earlier, { role: 'user', content: turn.question }];
  let sources = 0;
  const result = streamText({
    model: createOpenAI({ baseURL, apiKey, headers: { ...turn.headers } })(turn.model),
    messages,
    maxRetries: 0,
    includeRawChunks: true,
    onError: () => undefined,
    ...(turn.signal ? { abortSignal: turn.signal } : {}),
  });
  for await (const part of result.fullStream) {
    if (part.type === 'text-delta') turn.add(part.text);
    if (part.type === 'source') sources += 1;
    if (part.type === 'raw') turn.cite((part.rawValue as Raw).response?.knowledge?.citations);
    if (part.type === 'error') turn.error ??= messageOf(part.error);
    if (part.type === 'tool-call') turn.error ??= `a call of ${part.toolName}`;
  }
  turn.quotes = turn.quotes.slice(0, sources);
  if (turn.error || turn.signal?.aborted) return earlier;
  return [...messages, ...(await result.response).messages];
});
