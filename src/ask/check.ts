/**
 * Fourth step of a question: checks each sentence of the model's reply against the passages of this
 * question, and lets the model write again what failed.
 */
import { toolUsePart } from '../../packages/mastra/src/found-passages.ts';
import type {
  CitedSource,
  MessagePart,
  ReplyWriter,
} from '../../packages/mastra/src/reply-processor.ts';
import { yieldToEventLoop } from '../../packages/shared/src/concurrency/event-loop.ts';
import { withoutThinking } from '../models/plain-reply.ts';
import { inStage, inStageNow } from '../trace.ts';
import type { ModelRequests } from './model-requests.ts';
import type { Question, ToolUse } from './question.ts';
import type { Citation } from './reply/answer.ts';
import { AnswerWriter } from './reply/answer-writer.ts';
import { isWebAddress, sourceIdOf } from './reply/sources.ts';
import { type PassagePlace, placeOf } from './search-docs.ts';

export type ShownCitation = PassagePlace & Pick<Citation, 'index' | 'quote' | 'start' | 'end'>;

export const toCitation = ({ index, passage, ...span }: Citation): ShownCitation => ({
  index,
  ...placeOf(passage),
  ...span,
});

/**
 * Checks the reply of the question; one instance per question. @param mayAsk whether a model checks
 * sentences
 */
export function writerOf(question: Question, mayAsk: boolean) {
  question.writer ??= new AnswerWriter({
    passages: question.passages,
    ...question.wording,
    asked: question.searches[0]?.asked ?? [],
    question: question.text,
    mayAsk,
  });
  return question.writer;
}

/** The context of a model has to hold the passages too. */
const maxReplyChars = 8_000;

/** Ends the answer. @returns text that is not shown yet */
function finish(question: Question, writer: AnswerWriter) {
  const { rest, answer } = writer.end();
  question.answer = answer;
  return rest;
}

/**
 * Lets the model check what is not a quotation, and write again what failed. @returns text that is
 * not shown yet
 */
async function decide(question: Question, writer: AnswerWriter, requests: ModelRequests) {
  const shownBefore = writer.close();
  // Reasoning is no part of the reply.
  const reply = withoutThinking(writer.reply).slice(0, maxReplyChars).toWellFormed();
  const check = async () => writer.resolve(await requests.check(question, writer.waiting, reply));
  const shown = shownBefore + (await check());
  const { failed, shownSentences } = writer;
  if (failed.length === 0) return shown;
  const lines = await requests.rewrite(question, failed, reply, shownSentences);
  return shown + writer.rewrite(lines) + (await check());
}

/**
 * Part of the message for scorers. Studio shows an answer twice if its message has a tool call that
 * its stream lacks, and Mastra streams none before a reply without a model.
 */
const toPart = ({ toolCallId, toolName, args, result }: ToolUse): MessagePart => ({
  type: toolUsePart,
  data: { state: 'result', toolCallId, toolName, args, result },
});

/** `providerMetadata.knowledge`: the citation, as the API returns it. */
const citedSources = ({ answer }: Question): CitedSource[] =>
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

/** Shows what holds, and keeps the answer. Text before tool calls is no answer. */
export function checkedReply(question: Question, requests: ModelRequests | undefined): ReplyWriter {
  const mayAsk = requests?.mayCheck === true;
  const writer = () => writerOf(question, mayAsk);
  const end = async () =>
    (mayAsk ? await decide(question, writer(), requests) : '') + finish(question, writer());
  return {
    push: (text) => (question.answer ? '' : inStageNow('check', () => writer().push(text))),
    async end(isLast) {
      if (question.answer || !isLast) return '';
      question.asker.onReplied?.();
      await yieldToEventLoop();
      return inStage('check', end);
    },
    sources: () => citedSources(question),
    answer() {
      if (!question.answer) finish(question, writer());
      return { text: question.answer?.text ?? '', others: question.toolUses.map(toPart) };
    },
  };
}
