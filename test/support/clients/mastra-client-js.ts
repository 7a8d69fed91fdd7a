import { MastraClient } from '@mastra/client-js';
import { chatClient } from '../chat-client.ts';

const facts = {
  name: '`@mastra/client-js` 1.x: `stream`',
  sources: '`citations` of the `finish` chunk',
  needsMention: true,
};

export const client = chatClient(facts, () => async (turn) => {
  const { question, namespace, conversation: thread } = turn;
  const memory = thread === undefined ? {} : { memory: { thread, resource: 'scenarios' } };
  const options = { toolParams: { namespace }, ...memory } as object;
  const agent = new MastraClient(turn.mastra).getAgent('knowledge');
  const { onChunk } = turn;
  await (await agent.stream(question, options)).processDataStream({ onChunk });
});
