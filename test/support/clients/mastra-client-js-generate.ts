import { MastraClient } from '@mastra/client-js';
import { chatClient } from '../chat-client.ts';

const facts = {
  name: '`@mastra/client-js` 1.x: `generate`',
  sources: '`citations`',
  needsMention: true,
  isStreamed: false,
};

export const client = chatClient(facts, () => async (turn) => {
  const { question, namespace, conversation: thread } = turn;
  const memory = thread === undefined ? {} : { memory: { thread, resource: 'scenarios' } };
  const options = { toolParams: { namespace }, ...memory } as object;
  const agent = new MastraClient(turn.mastra).getAgent('knowledge');
  const { text, citations }: any = await agent.generate(question, options);
  turn.add(text);
  turn.cite(citations);
});
