import OpenAI from 'openai';
import { chatClient } from '../chat-client.ts';

const facts = {
  name: '`openai`: `responses`, streamed',
  sources: 'annotations `url_citation` and `file_citation`',
};

export const client = chatClient(facts, () => {
  /** Conversation → id of its last response. */
  const responses = new Map<string, string>();
  return async (turn) => {
    const { model, question: input } = turn;
    const previous_response_id = responses.get(turn.thread) ?? null;
    const stream = await new OpenAI(turn.openAi).responses.create(
      { model, input, stream: true, previous_response_id },
      turn.request,
    );
    for await (const event of stream) {
      if (event.type === 'response.output_text.delta') turn.add(event.delta);
      if (event.type === 'response.output_text.annotation.added')
        turn.quotes.push((event.annotation as unknown as { quote: string }).quote);
      if (event.type === 'response.completed') responses.set(turn.thread, event.response.id);
    }
  };
});
