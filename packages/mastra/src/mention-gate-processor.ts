/**
 * Input processor: ends a turn whose last user message does not mention the agent, with an empty
 * answer and without a model call.
 */
import type { MastraDBMessage } from '@mastra/core/memory';
import type { ProcessInputArgs, Processor } from '@mastra/core/processors';
import type { MentionGate } from './mention.ts';

/** Older messages are not used as context. */
const maxEarlierMessages = 12;

const textOf = ({ content }: Pick<MastraDBMessage, 'content'>) =>
  content.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');

/**
 * Whether a message is a user turn of a request, or was sent to a thread by Studio's chat or
 * `sendMessage`.
 */
const isFromUser = ({ role, type }: Pick<MastraDBMessage, 'role' | 'type'>) =>
  role === 'user' || (role === 'signal' && type === 'user');

/**
 * Undefined without a mention. @param isAddressed whether none is needed; default: as the gate is
 * configured
 */
export function mentionedTurn(
  messages: readonly MastraDBMessage[],
  gate: MentionGate,
  isAddressed?: boolean,
) {
  const at = messages.findLastIndex(isFromUser);
  const question = messages[at] && gate.question(textOf(messages[at]), isAddressed);
  if (question === undefined) return undefined;
  const earlier = messages
    .slice(Math.max(0, at - maxEarlierMessages), at)
    .flatMap((message): { role: 'user' | 'assistant'; content: string }[] => {
      const content = textOf(message);
      if (message.role === 'assistant') return [{ role: 'assistant', content }];
      return isFromUser(message)
        ? [{ role: 'user', content: gate.question(content, true) ?? content }]
        : [];
    });
  return { question, earlier };
}

export const createMentionGateProcessor = (gate: MentionGate) =>
  ({
    id: 'mention-gate' as const,
    processInput: ({ messages, messageList, abort }: ProcessInputArgs) =>
      mentionedTurn(messages, gate) ? messageList : abort('not_mentioned'),
  }) satisfies Processor;
