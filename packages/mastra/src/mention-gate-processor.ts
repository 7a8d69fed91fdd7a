/** Input processor: ends a turn whose last user message does not mention the agent, with an empty answer and without a model call. */
import type { MastraDBMessage } from '@mastra/core/memory';
import type { ProcessInputArgs, Processor } from '@mastra/core/processors';
import type { RequestContext } from '@mastra/core/request-context';
import type { MentionGate } from './mention.ts';

/** Older messages are not used as context. */
const maxEarlierMessages = 12;

export interface MentionedTurn {
  /** The message without its mentions. */
  readonly question: string;
  /** At most 12 messages before it, oldest first, without mentions. */
  readonly earlier: readonly { readonly role: 'user' | 'assistant'; readonly content: string }[];
}

export interface MentionGateProcessorOptions {
  /** Whether a request needs no mention; default and undefined: as the gate is configured. */
  readonly isAddressed?: (context: RequestContext | undefined) => boolean | undefined;
  /** Receives each turn; undefined: it does not mention the agent. */
  readonly onTurn?: (context: RequestContext | undefined, turn: MentionedTurn | undefined) => void;
}

const textOf = ({ content }: Pick<MastraDBMessage, 'content'>): string =>
  content.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');

/** Whether a message is a user turn of a request, or was sent to a thread by Studio's chat or `sendMessage`. */
const isFromUser = ({ role, type }: Pick<MastraDBMessage, 'role' | 'type'>): boolean =>
  role === 'user' || (role === 'signal' && type === 'user');

/** The tripwire of an unmentioned turn has the reason `not_mentioned`. */
export const createMentionGateProcessor = (gate: MentionGate, { isAddressed, onTurn }: MentionGateProcessorOptions = {}) =>
  ({
    id: 'mention-gate' as const,
    processInput({ messages, messageList, requestContext, abort }: ProcessInputArgs) {
      const last = messages.findLast(isFromUser);
      const question = last && gate.question(textOf(last), isAddressed?.(requestContext));
      if (last === undefined || question === undefined) {
        onTurn?.(requestContext, undefined);
        return abort('not_mentioned');
      }
      const earlier = messages
        .slice(0, messages.indexOf(last))
        .slice(-maxEarlierMessages)
        .flatMap((message): MentionedTurn['earlier'][number][] => {
          const content = textOf(message);
          if (message.role === 'assistant') return [{ role: 'assistant', content }];
          return isFromUser(message) ? [{ role: 'user', content: gate.question(content, true) ?? content }] : [];
        });
      onTurn?.(requestContext, { question, earlier });
      return messageList;
    },
  }) satisfies Processor;
