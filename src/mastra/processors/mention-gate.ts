/** First processor: without a mention in the last user message nothing is searched, no model is asked, nothing is said. */
import type { MastraDBMessage } from '@mastra/core/memory';
import type { ProcessInputArgs, Processor } from '@mastra/core/processors';
import { backgroundOf, type EarlierMessage } from '../../knowledge/answer/follow-up.ts';
import type { MentionGate } from '../../knowledge/answer/mention.ts';
import { isSmallTalk } from '../../knowledge/text/lexicon/small-talk.ts';
import { namespaceOf } from '../request-context.ts';
import { beginTurn, clearTurn } from '../turn.ts';

const textOf = (message: Pick<MastraDBMessage, 'content'>): string =>
  message.content.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');

export const createMentionGateProcessor = (gate: MentionGate) =>
  ({
    id: 'mention-gate' as const,
    processInput({ messages, messageList, requestContext, abort }: ProcessInputArgs) {
      clearTurn(requestContext);
      const last = messages.findLast((message) => message.role === 'user');
      const question = last && gate.question(textOf(last));
      if (last === undefined || question === undefined) return abort('not_mentioned');
      const earlier = messages.slice(0, messages.indexOf(last)).flatMap(({ role, ...message }): EarlierMessage[] => {
        const text = textOf(message);
        if (role === 'assistant') return [{ role, text }];
        return role === 'user' ? [{ role, text: gate.question(text) ?? text }] : [];
      });
      beginTurn(requestContext, {
        question,
        background: backgroundOf(question, earlier),
        isSmallTalk: question.trim() === '' || isSmallTalk(question),
        namespace: namespaceOf(requestContext),
        toolUses: [],
        passages: [],
      });
      return messageList;
    },
  }) satisfies Processor;
