import { MastraClient } from '@mastra/client-js';
import { chatClient } from '../chat-client.ts';

const facts = {
  name: '`@mastra/client-js` 1.x: `streamLegacy` (AI SDK 4)',
  sources: 'source parts',
  needsMention: true,
};

export const client = chatClient(facts, () => async (turn) => {
  const { question: messages, namespace, conversation: threadId } = turn;
  const thread = threadId === undefined ? {} : { threadId, resourceId: 'scenarios' };
  const asked = { messages, toolParams: { namespace }, ...thread } as any;
  const response = await new MastraClient(turn.mastra).getAgent('knowledge').streamLegacy(asked);
  const over = Promise.withResolvers<void>();
  let code = '';
  const read = response.processDataStream({
    onTextPart: (part: string) => turn.add(part),
    onSourcePart: ({ providerMetadata }: any) =>
      void turn.quotes.push(providerMetadata.knowledge.quote),
    onMessageAnnotationsPart([said]: any[]) {
      code = said.error?.code ?? '';
    },
    onErrorPart(message: string) {
      turn.error = `${message} ${code}`;
    },
    // The stream may stay open after the last part.
    onFinishMessagePart: () => over.resolve(),
  });
  turn.signal?.addEventListener('abort', () => over.resolve());
  await Promise.race([read, over.promise]);
});
