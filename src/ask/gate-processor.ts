/** First processor of the agent: ends a turn that does not mention the agent. */
import type { ProcessInputArgs, Processor } from '@mastra/core/processors';
import type { MentionGate } from '../../packages/mastra/src/mention.ts';
import { mentionedTurn } from '../../packages/mastra/src/mention-gate-processor.ts';
import { withoutInvisible } from '../../packages/shared/src/language/invisible.ts';
import { smallTalkOf } from '../../packages/shared/src/language/small-talk.ts';
import { isAddressed, namespaceOf, setTurn } from './agent-runner.ts';
import { backgroundOf, newTurn } from './turn.ts';

/** Only the beginning of a longer question counts. */
const maxQuestionChars = 2_000;

export const createTurnProcessor = (gate: MentionGate) =>
  ({
    id: 'mention-gate' as const,
    processInput({ messages, messageList, requestContext }: ProcessInputArgs) {
      setTurn(requestContext, undefined);
      const mentioned = mentionedTurn(messages, gate, isAddressed(requestContext));
      if (!mentioned) return messageList;
      // Invisible characters reach neither the search nor a model.
      const question = withoutInvisible(mentioned.question.slice(0, maxQuestionChars));
      setTurn(requestContext, {
        ...newTurn(question, namespaceOf(requestContext)),
        earlier: mentioned.earlier,
        background: backgroundOf(question, mentioned.earlier),
        smallTalk: smallTalkOf(question),
      });
      return messageList;
    },
  }) satisfies Processor;
