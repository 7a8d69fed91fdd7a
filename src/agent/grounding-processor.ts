/**
 * Last processor of the agent: checks each sentence of the model's reply against the passages of
 * this request.
 */
import type { RequestContext } from '@mastra/core/request-context';
import {
  createReplyProcessor,
  type MessagePart,
  type ReplyWriter,
} from '../../packages/mastra/src/reply-processor.ts';
import { yieldToEventLoop } from '../../packages/shared/src/concurrency/event-loop.ts';
import { answerWriterOf, type ToolUse, type Turn } from '../app/ask/turn.ts';
import type { AnswerWriter } from '../reply/answer-writer.ts';
import { inStage, inStageNow } from '../trace.ts';
import { modelUseOf, readTurn, signalOfRequest } from './agent-runner.ts';
import type { JudgeModel } from './judge-model.ts';

/** Ends the answer. @returns text that is not shown yet */
function finish(turn: Turn, writer: AnswerWriter): string {
  const { rest, answer } = writer.end();
  turn.answer = answer;
  return rest;
}

/** Asks the judge once about all unsure sentences. @returns text that is not shown yet */
async function decideUnsure(
  turn: Turn,
  writer: AnswerWriter,
  judge: JudgeModel,
  context: RequestContext | undefined,
): Promise<string> {
  const shown = writer.close();
  const { waiting } = writer;
  if (waiting.length === 0) return shown;
  const { verdicts, usage } = await judge(waiting, signalOfRequest(context), modelUseOf(context));
  turn.judged = usage;
  return shown + writer.resolve(verdicts);
}

/** Part of the message for chat windows of Mastra's hosts and for scorers. */
const toPart = ({ toolCallId, toolName, args, result }: ToolUse): MessagePart => ({
  type: 'tool-invocation',
  toolInvocation: { state: 'result', toolCallId, toolName, args, result },
});

/** Keeps the answer in the turn. Text before tool calls is no answer. */
export const createAnswerProcessor = (maxSentences: number, judge?: JudgeModel) =>
  createReplyProcessor(({ requestContext }): ReplyWriter | undefined => {
    const turn = readTurn(requestContext);
    if (!turn) return undefined;
    const writerOf = () => answerWriterOf(turn, maxSentences, judge !== undefined);
    const end = async () =>
      (judge ? await decideUnsure(turn, writerOf(), judge, requestContext) : '') +
      finish(turn, writerOf());
    return {
      push: (text) => (turn.answer ? '' : inStageNow('check', () => writerOf().push(text))),
      async end(isLast) {
        if (turn.answer || !isLast) return '';
        await yieldToEventLoop();
        return inStage('check', end);
      },
      answer() {
        if (!turn.answer) finish(turn, writerOf());
        return { text: turn.answer?.text ?? '', others: turn.toolUses.map(toPart) };
      },
    };
  }, /^tool-(?:call|result)$/);
