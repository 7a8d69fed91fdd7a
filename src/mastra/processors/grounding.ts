/**
 * Last processor, and the last word: the model's reply is held back, checked against the passages of this request, and what remains is
 * what everybody reads, in `generate` and in `stream`. Reasoning, tool calls and anything else that a model sends is dropped.
 */
import type { MastraDBMessage } from '@mastra/core/memory';
import type { ProcessOutputResultArgs, ProcessOutputStreamArgs, Processor } from '@mastra/core/processors';
import { courtesy, groundReply } from '../../knowledge/answer/answer.ts';
import { readTurn, type Turn } from '../turn.ts';

/** Chunks that carry no content of the model. */
const passedOn = new Set(['start', 'step-start', 'text-start', 'step-finish', 'finish', 'error', 'abort', 'tripwire']);
/** A reply is held back in memory up to this length; an answer is far shorter. */
const maxHeldChars = 100_000;

const settled = (turn: Turn, reply: string) => {
  turn.answer ??= turn.isSmallTalk ? courtesy(turn.namespace) : groundReply(reply, turn.retrieval?.snippets ?? [], turn.namespace);
  return turn.answer;
};

export const createGroundingProcessor = () =>
  ({
    id: 'grounding' as const,

    async processOutputStream({ part, state, requestContext }: ProcessOutputStreamArgs) {
      const turn = readTurn(requestContext);
      if (passedOn.has(part.type) && !(part.type === 'text-start' && turn?.answer)) return part;
      if (!turn || turn.answer) return null;
      if (part.type === 'text-delta') state['reply'] = `${state['reply'] ?? ''}${part.payload.text}`.slice(0, maxHeldChars);
      if (part.type !== 'text-end') return null;
      // The end of the text becomes the checked text: one chunk goes in, one comes out, and the consumer needs no end mark.
      const reply = typeof state['reply'] === 'string' ? state['reply'] : '';
      return { ...part, type: 'text-delta', payload: { id: part.payload.id, text: settled(turn, reply).text } };
    },

    processOutputResult({ messages, messageList, requestContext }: ProcessOutputResultArgs) {
      const turn = readTurn(requestContext);
      const text = turn ? settled(turn, '').text : '';
      const last = messages.findLast((message: MastraDBMessage) => message.role === 'assistant');
      if (last) {
        last.content.parts = [{ type: 'text', text }];
        last.content.content = text;
        return messages;
      }
      // A model that said nothing at all left no message to rewrite.
      if (text !== '') messageList.add({ role: 'assistant', content: text }, 'response');
      return messageList;
    },
  }) satisfies Processor;
