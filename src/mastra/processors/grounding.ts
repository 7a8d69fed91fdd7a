/**
 * Last processor, and the last word: the model's reply is checked against the passages of this request, sentence by sentence, and what
 * passes is what everybody reads, in `generate` and in `stream`. Reasoning, tool calls and anything else that a model sends is dropped.
 */
import type { MastraDBMessage } from '@mastra/core/memory';
import type { ProcessOutputResultArgs, ProcessOutputStreamArgs, Processor } from '@mastra/core/processors';
import type { Answer } from '../../knowledge/answer/answer.ts';
import { type AnswerWriter, createAnswerWriter } from '../../knowledge/answer/answer-writer.ts';
import { readTurn, searchesOf, type Turn } from '../turn.ts';

/** Chunks that carry no content of the model. */
const passedOn = new Set(['start', 'step-start', 'text-start', 'step-finish', 'finish', 'error', 'abort', 'tripwire']);
/** Calls of tools, where they are offered. */
const isToolUse = ({ type }: { readonly type: string }) => type === 'tool-call' || type === 'tool-result';

function writerOf(turn: Turn, maxSentences: number): AnswerWriter {
  turn.writer ??= createAnswerWriter({
    passages: turn.passages,
    namespace: turn.namespace,
    asked: searchesOf(turn)[0]?.asked ?? [],
    maxSentences,
  });
  return turn.writer;
}

function finished(turn: Turn, writer: AnswerWriter): { readonly rest: string; readonly answer: Answer } {
  const { rest, answer } = writer.end();
  turn.answer = answer;
  return { rest, answer };
}

/** @param maxSentences of an answer */
export const createGroundingProcessor = (maxSentences: number) =>
  ({
    id: 'grounding' as const,

    async processOutputStream({ part, requestContext }: ProcessOutputStreamArgs) {
      const turn = readTurn(requestContext);
      if (passedOn.has(part.type) || (turn && isToolUse(part))) return part;
      if (!turn || turn.answer) return null;
      if (part.type === 'text-delta') {
        const text = writerOf(turn, maxSentences).push(part.payload.text);
        return text === '' ? null : { ...part, payload: { ...part.payload, text } };
      }
      if (part.type !== 'text-end') return null;
      // The end of the text becomes its rest: one chunk goes in, one comes out, and a consumer needs no end mark.
      const { rest } = finished(turn, writerOf(turn, maxSentences));
      return { ...part, type: 'text-delta', payload: { id: part.payload.id, text: rest } };
    },

    processOutputResult({ messages, messageList, requestContext }: ProcessOutputResultArgs) {
      const turn = readTurn(requestContext);
      const text = turn ? (turn.answer ?? finished(turn, writerOf(turn, maxSentences)).answer).text : '';
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
