import OpenAI from 'openai';
import { historyClient } from '../../support/chat-client.ts';

type Message = OpenAI.ChatCompletionMessageParam;

const facts = {
  name: '`openai`: `chat.completions`',
  sources: "`annotations` of the message, and the completion's `knowledge`",
  hasLinks: true,
  isStreamed: false,
};

export const client = historyClient<Message>(facts, async (turn, earlier) => {
  const { model } = turn;
  const messages: Message[] = [...earlier, { role: 'user', content: turn.question }];
  const { choices } = await new OpenAI(turn.openAi).chat.completions.create(
    { model, messages },
    turn.request,
  );
  const answer = choices[0]!.message;
  turn.add(answer.content);
  turn.quotes = (answer.annotations ?? []).map(({ url_citation }) =>
    String((url_citation as { quote?: string }).quote),
  );
  return [...messages, answer];
});
