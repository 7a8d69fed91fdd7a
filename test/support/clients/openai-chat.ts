import OpenAI from 'openai';
import { historyClient } from '../chat-client.ts';

type Message = OpenAI.ChatCompletionMessageParam;
type Delta = { content?: string; annotations?: { url_citation: { quote: string } }[] };

const facts = {
  name: '`openai`: `chat.completions`, streamed',
  sources: '`annotations` of the last delta',
  hasLinks: true,
};

export const client = historyClient<Message>(facts, async (turn, earlier) => {
  const messages: Message[] = [...earlier, { role: 'user', content: turn.question }];
  const stream = await new OpenAI(turn.openAi).chat.completions.create(
    { model: turn.model, messages, stream: true },
    turn.request,
  );
  for await (const { choices } of stream) {
    const { content, annotations = [] } = (choices[0]?.delta ?? {}) as Delta;
    turn.quotes.push(...annotations.map(({ url_citation }) => url_citation.quote));
    turn.add(content);
  }
  return [...messages, { role: 'assistant', content: turn.text }];
});
