/** Last processor of the agent: checks each sentence of the model's reply against the passages of this request. */
import type { MastraDBMessage } from '@mastra/core/memory';
import type { ProcessOutputResultArgs, ProcessOutputStreamArgs, Processor } from '@mastra/core/processors';
import type { RequestContext } from '@mastra/core/request-context';
import { yieldToEventLoop } from '../../packages/shared/src/concurrency/event-loop.ts';
import { answerWriterOf, type ToolUse, type Turn } from '../app/ask/turn.ts';
import type { AnswerWriter } from '../reply/answer-writer.ts';
import { inStage, inStageNow } from '../trace.ts';
import { modelUseOf, readTurn, signalOfRequest } from './agent-runner.ts';
import type { JudgeModel } from './judge-model.ts';

/** Types of stream parts without model content. */
const forwardedTypes = new Set(['start', 'step-start', 'text-start', 'step-finish', 'finish', 'error', 'abort', 'tripwire']);
const isToolUse = ({ type }: { readonly type: string }) => type === 'tool-call' || type === 'tool-result';

/** Ends the answer. @returns text that is not shown yet */
function finish(turn: Turn, writer: AnswerWriter): string {
  const { rest, answer } = writer.end();
  turn.answer = answer;
  return rest;
}

/** Like `finish`, after one judge call for all unsure sentences. */
async function finishJudged(
  turn: Turn,
  writer: AnswerWriter,
  judge: JudgeModel | undefined,
  requestContext?: RequestContext,
): Promise<string> {
  if (!judge) return finish(turn, writer);
  let shown = writer.close();
  const { waiting } = writer;
  if (waiting.length > 0) {
    const { verdicts, usage } = await judge(waiting, signalOfRequest(requestContext), modelUseOf(requestContext));
    turn.judged = usage;
    shown += writer.resolve(verdicts);
  }
  return shown + finish(turn, writer);
}

/** Part of the message for chat windows of Mastra's hosts and for scorers. */
const toPart = ({ toolCallId, toolName, args, result }: ToolUse): MastraDBMessage['content']['parts'][number] => ({
  type: 'tool-invocation',
  toolInvocation: { state: 'result', toolCallId, toolName, args, result },
});

/** Shows only checked sentences, in `generate` and in `stream`. Drops reasoning and all other model output. */
export const createGroundingProcessor = (maxSentences: number, judge?: JudgeModel) => {
  const writerOf = (turn: Turn) => answerWriterOf(turn, maxSentences, judge !== undefined);
  return {
    id: 'grounding' as const,

    async processOutputStream({ part, requestContext }: ProcessOutputStreamArgs) {
      const turn = readTurn(requestContext);
      if (forwardedTypes.has(part.type) || (turn && isToolUse(part))) return part;
      if (!turn || turn.answer) return null;
      if (part.type === 'text-delta') {
        const text = inStageNow('check', () => writerOf(turn).push(part.payload.text));
        return text === '' ? null : { ...part, payload: { ...part.payload, text } };
      }
      if (part.type !== 'text-end') return null;
      await yieldToEventLoop();
      // One part can become only one part, so the rest of the text replaces `text-end`, which consumers do not need.
      const text = await inStage('check', () => finishJudged(turn, writerOf(turn), judge, requestContext));
      return { ...part, type: 'text-delta', payload: { id: part.payload.id, text } };
    },

    processOutputResult({ messages, messageList, requestContext }: ProcessOutputResultArgs) {
      const turn = readTurn(requestContext);
      if (turn && !turn.answer) finish(turn, writerOf(turn));
      const text = turn?.answer?.text ?? '';
      const last = messages.findLast((message: MastraDBMessage) => message.role === 'assistant');
      if (last) {
        last.content.parts = [...(turn?.toolUses ?? []).map(toPart), { type: 'text', text }];
        last.content.content = text;
        return messages;
      }
      // If the model sent nothing, there is no message to rewrite.
      if (text !== '') messageList.add({ role: 'assistant', content: text }, 'response');
      return messageList;
    },
  } satisfies Processor;
};
