/** First processor of the agent: ends a turn that does not mention the agent, and begins the others. */
import type { MentionGate } from '../../packages/mastra/src/mention.ts';
import { createMentionGateProcessor } from '../../packages/mastra/src/mention-gate-processor.ts';
import { withoutInvisible } from '../../packages/shared/src/language/invisible.ts';
import { smallTalkOf } from '../../packages/shared/src/language/small-talk.ts';
import { backgroundOf } from '../app/ask/turn.ts';
import { isAddressed, namespaceOf, setTurn } from './agent-runner.ts';

/** Only the beginning of a longer question counts. */
const maxQuestionChars = 2_000;

export const createTurnProcessor = (gate: MentionGate) =>
  createMentionGateProcessor(gate, {
    isAddressed,
    onTurn(context, mentioned) {
      if (!mentioned) return setTurn(context, undefined);
      const { earlier } = mentioned;
      // Invisible characters reach neither the search nor a model.
      const question = withoutInvisible(mentioned.question.slice(0, maxQuestionChars));
      setTurn(context, {
        question,
        earlier,
        background: backgroundOf(question, earlier),
        smallTalk: smallTalkOf(question),
        namespace: namespaceOf(context),
        toolUses: [],
        passages: [],
      });
    },
  });
