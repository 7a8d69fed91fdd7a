/**
 * Last processor of the agent: checks each sentence of the model's reply against the passages of
 * this request.
 */
import type { RequestContext } from '@mastra/core/request-context';
import {
  type CitedSource,
  createReplyProcessor,
  type MessagePart,
  type ReplyWriter,
} from '../../packages/mastra/src/reply-processor.ts';
import { yieldToEventLoop } from '../../packages/shared/src/concurrency/event-loop.ts';
import { inStage, inStageNow } from '../trace.ts';
import { noteReplied, readTurn } from './agent-runner.ts';
import { toCitation } from './ask.ts';
import type { ModelRequests } from './model-requests.ts';
import type { AnswerWriter } from './reply/answer-writer.ts';
import { isWebAddress, sourceIdOf } from './reply/sources.ts';
import { answerWriterOf, type ToolUse, type Turn } from './turn.ts';

/** Ends the answer. @returns text that is not shown yet */
function finish(turn: Turn, writer: AnswerWriter): string {
  const { rest, answer } = writer.end();
  turn.answer = answer;
  return rest;
}

/**
 * Lets the model check what is not a quotation, and write again what failed. @returns text that is
 * not shown yet
 */
async function decide(
  turn: Turn,
  writer: AnswerWriter,
  requests: ModelRequests,
  context: RequestContext | undefined,
): Promise<string> {
  const check = async () =>
    writer.resolve(await requests.check(turn, writer.waiting, writer.reply, context));
  const shown = writer.close() + (await check());
  const { failed } = writer;
  if (failed.length === 0) return shown;
  const { reply, shownSentences } = writer;
  const lines = await requests.rewrite(turn, failed, reply, shownSentences, context);
  return shown + writer.rewrite(lines) + (await check());
}

/** Part of the message for chat windows of Mastra's hosts and for scorers. */
const toPart = ({ toolCallId, toolName, args, result }: ToolUse): MessagePart => ({
  type: 'tool-invocation',
  toolInvocation: { state: 'result', toolCallId, toolName, args, result },
});

/** `providerMetadata.knowledge`: the citation, as the API returns it. */
const citedSources = ({ answer }: Turn): CitedSource[] =>
  (answer?.citations ?? []).map(toCitation).map((citation, at, all) => {
    const { title, source, file } = citation;
    const place = isWebAddress(source) ? { url: source } : { filename: file };
    return {
      id: sourceIdOf(citation, at, all),
      title,
      ...place,
      providerMetadata: { knowledge: citation },
    };
  });

/** Keeps the answer in the turn. Text before tool calls is no answer. */
export const createAnswerProcessor = (maxSentences: number, requests?: ModelRequests) =>
  createReplyProcessor(({ requestContext }): ReplyWriter | undefined => {
    const turn = readTurn(requestContext);
    if (!turn || turn.error) return undefined;
    const mayAsk = requests?.mayCheck === true;
    const writerOf = () => answerWriterOf(turn, maxSentences, mayAsk);
    const end = async () =>
      (mayAsk ? await decide(turn, writerOf(), requests, requestContext) : '') +
      finish(turn, writerOf());
    return {
      push: (text) => (turn.answer ? '' : inStageNow('check', () => writerOf().push(text))),
      async end(isLast) {
        if (turn.answer || !isLast) return '';
        noteReplied(requestContext);
        await yieldToEventLoop();
        return inStage('check', end);
      },
      sources: () => citedSources(turn),
      answer() {
        if (!turn.answer) finish(turn, writerOf());
        return { text: turn.answer?.text ?? '', others: turn.toolUses.map(toPart) };
      },
    };
  }, /^tool-(?:call|result)$/);
