/** First processor: without a mention in the last user message nothing is searched, no model is asked, nothing is said. */
import type { MastraDBMessage } from '@mastra/core/memory';
import type { ProcessInputArgs, Processor } from '@mastra/core/processors';
import type { MentionGate } from '../../knowledge/answer/mention.ts';
import { beginTurn, clearTurn, namespaceOf } from '../turn.ts';

const textOf = (message: MastraDBMessage): string =>
  message.content.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');

export const createMentionGateProcessor = (gate: MentionGate) =>
  ({
    id: 'mention-gate' as const,
    processInput({ messages, messageList, requestContext, abort }: ProcessInputArgs) {
      clearTurn(requestContext);
      const last = messages.findLast((message) => message.role === 'user');
      const question = last && gate.question(textOf(last));
      if (question === undefined) return abort('not_mentioned');
      beginTurn(requestContext, { question, namespace: namespaceOf(requestContext) });
      return messageList;
    },
  }) satisfies Processor;
