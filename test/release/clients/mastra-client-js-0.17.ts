import { MastraClient } from 'client-js-0.17';
import { chatClient } from '../../support/chat-client.ts';

const facts = {
  name: '`@mastra/client-js` 0.17: `stream`',
  sources: '`citations` of the `finish` chunk',
  needsMention: true,
};

export const client = chatClient(facts, () => async (turn) => {
  const { question: messages, namespace, conversation: threadId } = turn;
  const thread = threadId === undefined ? {} : { threadId, resourceId: 'scenarios' };
  const asked = { messages, toolParams: { namespace }, ...thread } as any;
  const response = await new MastraClient(turn.mastra).getAgent('knowledge').stream(asked);
  const { onChunk } = turn;
  await response.processDataStream({ onChunk });
});
