/** First processor of the agent: ends a turn that does not mention the agent. */
import type { MastraDBMessage } from '@mastra/core/memory';
import type { ProcessInputArgs, Processor } from '@mastra/core/processors';
import { withoutInvisible } from '../../packages/shared/src/language/invisible.ts';
import { smallTalkOf } from '../../packages/shared/src/language/small-talk.ts';
import type { ChatMessage } from '../answers/conversations.ts';
import type { MentionGate } from '../app/ask/mention.ts';
import { backgroundOf } from '../app/ask/turn.ts';
import { isAddressed, namespaceOf, setTurn } from './agent-runner.ts';

/** Only the beginning of a longer question counts. */
const maxQuestionChars = 2_000;
/** Older messages are not used as context. */
const maxEarlierMessages = 12;

const textOf = (message: Pick<MastraDBMessage, 'content'>): string =>
  message.content.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');

/** Whether a message is a user turn of a request, or was sent to a thread by Studio's chat or `sendMessage`. */
const isFromUser = ({ role, type }: Pick<MastraDBMessage, 'role' | 'type'>): boolean =>
  role === 'user' || (role === 'signal' && type === 'user');

export const createMentionGateProcessor = (gate: MentionGate) =>
  ({
    id: 'mention-gate' as const,
    processInput({ messages, messageList, requestContext, abort }: ProcessInputArgs) {
      setTurn(requestContext, undefined);
      const last = messages.findLast(isFromUser);
      const spoken = last && gate.question(textOf(last), isAddressed(requestContext));
      if (last === undefined || spoken === undefined) return abort('not_mentioned');
      // Invisible characters reach neither the search nor a model.
      const question = withoutInvisible(spoken.slice(0, maxQuestionChars));
      const earlier = messages
        .slice(0, messages.indexOf(last))
        .slice(-maxEarlierMessages)
        .flatMap((message): ChatMessage[] => {
          const content = textOf(message);
          if (message.role === 'assistant') return [{ role: 'assistant', content }];
          return isFromUser(message) ? [{ role: 'user', content: gate.question(content, true) ?? content }] : [];
        });
      setTurn(requestContext, {
        question,
        earlier,
        background: backgroundOf(question, earlier),
        smallTalk: smallTalkOf(question),
        namespace: namespaceOf(requestContext),
        toolUses: [],
        passages: [],
      });
      return messageList;
    },
  }) satisfies Processor;
