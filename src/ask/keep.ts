/**
 * Last step of a question: what its caller gets, what is stored, and what a person gets.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { splitQuestion } from '../calls/calls-question.ts';
import type { Passage } from '../documents/document.ts';
import type { AnswerEntry, Asker } from '../records/answer-log.ts';
import type { ChatMessage, Conversations } from '../records/conversations.ts';
import { maxClosest } from '../records/gaps.ts';
import type { AskOptions, AskResult } from './ask-result.ts';
import { toSentenceCheck } from './dropped-sentences.ts';
import { previousQuestionOf, repeatedReasons } from './gate.ts';
import type { HandOff, HandOffSender, HandOffTrigger } from './hand-off.ts';
import type { Question } from './question.ts';
import { type Answer, emptyAnswer, refusal } from './reply/answer.ts';

export type KeepParts = Readonly<{
  recitesPrompt: (text: string) => boolean;
  conversations: Pick<Conversations, 'recall' | 'remember'>;
  /**
   * Whether the documents still exist. Otherwise they were deleted during the request, and the
   * answer is not stored.
   */
  areStored: (namespace: string, documentIds: readonly string[]) => Promise<boolean>;
  onAnswered: (entry: AnswerEntry) => void;
  /** The reply waits at most two seconds for each call. */
  handOffs?: Pick<HandOffSender, 'keep' | 'release'> | undefined;
}>;

export const lastQuestion = (messages: readonly ChatMessage[]) =>
  messages.findLast(({ role }) => role === 'user')?.content ?? '';

const documentsOf = (passages: readonly Passage[]) => [
  ...new Set(passages.flatMap(({ isRecord, document }) => (isRecord ? [] : [document.id]))),
];

/** Below it, sections that may answer the question probably do not. */
const lowCoverage = 0.35;

/** A refusal, or sections of documents that cover the question badly. */
const isUnanswered = (reason: Answer['reason'], coverage: number) =>
  reason === 'no_context' || (reason === 'closest' && coverage < lowCoverage);

/** @throws the error of a failed call lookup, because a refusal would then be wrong */
export function answerOf(question: Question | undefined): Answer {
  if (!question) return emptyAnswer;
  const answer = question.answer ?? refusal(question.wording);
  const isAnswering =
    answer.reason === 'answered' ||
    (answer.reason === 'closest' && splitQuestion(question.text).rest !== '');
  if (question.lookupError && !isAnswering) throw question.lookupError;
  return answer;
}

function toAnswerEntry(
  question: Question,
  { answer, result, options, requestId }: Kept,
  recitesPrompt: KeepParts['recitesPrompt'],
): AnswerEntry {
  const { runId, namespace, reason } = result;
  const [search] = question.searches;
  const passages = search?.passages ?? [];
  const closest = new Map(passages.map(({ document }) => [document.id, document]));
  return {
    runId,
    requestId,
    namespace,
    question: question.text,
    callerId: options.callerId ?? '',
    entryPoint: options.entryPoint,
    ...(question.messages?.handOffOn?.includes('unhelpful') && {
      asker: askerOf(question, options),
    }),
    answer: result,
    check: {
      ...toSentenceCheck(answer, question.passages, recitesPrompt),
      ...(question.requests.length > 0 && { requests: question.requests }),
    },
    coverage: search?.coverage ?? 0,
    closest: [...closest.values()]
      .slice(0, maxClosest)
      .map(({ id: documentId, file, title, source }) => ({ documentId, file, title, source })),
    // If the model failed, the documents may have the answer.
    isGap: isUnanswered(reason, search?.coverage ?? 0) && !question.isDegraded,
    isPersonal: result.toolCalls.some(({ toolName }) => toolName !== 'docsRetriever'),
  };
}

const maxHandOffMs = 2_000;
/** Longer than an answer takes. Then a question is sent although its server has ended. */
const holdMs = 120_000;

const withinHandOffMs = <Result>(work: Promise<Result>): Promise<Result | undefined> =>
  Promise.race([work, sleep(maxHandOffMs, undefined, { ref: false })]);

function askerOf(question: Question, { provenUser, memory, entryPoint, chat }: AskOptions): Asker {
  return {
    previousQuestion: previousQuestionOf(question),
    thread: memory?.thread ?? null,
    user: provenUser ?? null,
    resource: memory?.resource ?? null,
    entryPoint: entryPoint ?? null,
    ...chat,
  };
}

/** Outcome that a question is held for, before its search. */
function likelyReason(question: Question): Answer['reason'] {
  if (question.isHandoffAsked) return 'small_talk';
  return repeatedReasons(question).includes('closest') ? 'closest' : 'no_context';
}

function triggerOf(
  question: Question,
  reason: Answer['reason'],
  coverage: number,
): HandOffTrigger | undefined {
  const on = question.messages?.handOffOn ?? [];
  const repeated = repeatedReasons(question);
  if (isUnanswered(reason, coverage) && on.includes('refusal'))
    return repeated.includes('refusal') ? 'second_refusal' : 'refusal';
  if (reason === 'closest' && on.includes('closest') && repeated.includes('closest'))
    return 'closest';
  return question.isHandoffAsked && on.includes('asked') ? 'asked' : undefined;
}

/**
 * Question for a person, if HANDOFF_ON has its outcome. The question may be personal, but no answer
 * is included.
 */
function handOffOf(
  question: Question,
  options: AskOptions,
  outcome: Readonly<{
    runId: string;
    reason: Answer['reason'];
    closest: HandOff['closest'];
    coverage: number;
  }>,
): HandOff | undefined {
  const { coverage, ...known } = outcome;
  const trigger = triggerOf(question, known.reason, coverage);
  const { namespace, text } = question;
  return trigger && { ...known, trigger, namespace, question: text, ...askerOf(question, options) };
}

/**
 * Stores a question for a person before its reply says so, with the outcome that it probably gets.
 * @returns undefined if HANDOFF_ON has none of it; otherwise whether it is stored in time
 */
export function holdHandOff(
  question: Question,
  options: AskOptions,
  runId: string,
  handOffs: KeepParts['handOffs'],
): Promise<boolean> | undefined {
  const outcome = { runId, reason: likelyReason(question), coverage: lowCoverage, closest: [] };
  const handOff = handOffOf(question, options, outcome);
  if (!handOff || !handOffs) return undefined;
  const { countedAs = options.callerId ?? '' } = options;
  return withinHandOffMs(handOffs.keep(handOff, countedAs, holdMs)).then((kept) => kept === true);
}

type Kept = Readonly<{
  answer: Answer;
  result: AskResult;
  options: AskOptions;
  requestId: string | undefined;
  /** Whether the question waits for a person already. */
  isHeld: boolean;
}>;

/**
 * Last step of a question: stores its answer, its conversation and what a person gets, unless its
 * documents were deleted during the question.
 */
export async function keep(question: Question, kept: Kept, parts: KeepParts) {
  const { answer, result, options, isHeld } = kept;
  const { areStored, conversations, handOffs, onAnswered, recitesPrompt } = parts;
  const { runId, namespace } = result;
  const { memory, callerId = '', countedAs = callerId } = options;
  const isStored = await areStored(namespace, documentsOf(question.passages));
  // No `await` before all writes have begun, so a concurrent delete runs before or after all of
  // them.
  const entry = toAnswerEntry(question, kept, recitesPrompt);
  const { coverage } = entry;
  const closest = isStored ? entry.closest : [];
  const outcome = { runId, reason: answer.reason, closest, coverage };
  const handOff = handOffOf(question, options, outcome);
  const handedOff = handOff
    ? handOffs?.keep(handOff, countedAs)
    : isHeld && handOffs?.release(runId);
  if (isStored) onAnswered(entry);
  const exchange = [
    { role: 'user', content: lastQuestion(options.messages) },
    { role: 'assistant', content: answer.text, id: runId },
  ] as const;
  if (isStored && memory)
    conversations.remember(
      memory,
      exchange,
      documentsOf(answer.citations.map(({ passage }) => passage)),
    );
  if (handedOff) await withinHandOffMs<unknown>(handedOff);
}
