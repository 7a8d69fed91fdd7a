/**
 * Third step of a question: answers what needs no model, or writes the model's prompt from scratch
 * (instructions, recent turns, passages, question), so that no caller's instructions, system
 * messages, tools or tool results reach a model.
 */
import type { FairQueue } from '../../packages/shared/src/concurrency/fair-queue.ts';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { asksForInstructions } from '../../packages/shared/src/language/addressed-to-model.ts';
import { personRequestIn } from '../../packages/shared/src/language/person-request.ts';
import { mentionsCalls } from '../calls/calls-question.ts';
import { type CallsTools, callsToolCards } from '../calls/user-calls.ts';
import type { TokenBudget } from '../models/token-budget.ts';
import { inStage } from '../trace.ts';
import { lookUpCalls } from './call-evidence.ts';
import { repeatedReasons } from './gate.ts';
import {
  type Prompt,
  renderInstructions,
  renderTurnPrompt,
  toMessage,
  toPromptPassages,
} from './prompt.ts';
import type { Question } from './question.ts';
import { quotedAnswer } from './quoted-answer.ts';
import {
  type Answer,
  handoffAnswer,
  handoffText,
  messageText,
  refusal,
  smallTalkAnswer,
} from './reply/answer.ts';
import { historyOf, isUncovered, type SearchParts } from './search.ts';
import type { ListTopics } from './search-docs.ts';

export type AnswerParts = SearchParts &
  Readonly<{
    listTopics: ListTopics;
    /** Operator's wishes for the wording, see `ANSWER_STYLE`. */
    answerStyle: string | undefined;
    /** Looks up calls of the acting user; undefined: not allowed. */
    calls: CallsTools | undefined;
    /** Limits concurrent questions with the model. */
    modelPlaces: FairQueue;
    /** Whether no model is configured. Then sections are quoted, and the tools are called here. */
    isExtractive: boolean;
    budget: Pick<TokenBudget, 'spent'>;
    /** Whether sections are quoted if the model fails or the token budget is spent. */
    hasFallback: boolean;
  }>;

/** What the agent does: show text, fail, end without a word, or ask the model. */
export type Reply =
  | { readonly texts: readonly string[] }
  | { readonly error: KnowledgeError }
  | { readonly abort: string }
  | { readonly prompt: Prompt };

/** Small talk, and requests for a person, as far as the operator has set how. */
export async function answerWithoutSearch(
  question: Question,
  listTopics: ListTopics,
): Promise<Answer | undefined> {
  return (await answerToPersonRequest(question)) ?? (await answerToSmallTalk(question, listTopics));
}

async function answerToPersonRequest(question: Question) {
  const { own, handOffOn = [] } = question.messages ?? { own: [] };
  const { holdHandOff } = question.asker;
  const language = personRequestIn(question.text);
  question.isHandoffAsked = language !== undefined;
  const reasons = (language ? (['asked'] as const) : repeatedReasons(question)).filter((one) =>
    handOffOn.includes(one),
  );
  if (reasons.length > 0 && (await holdHandOff?.(question)) === true) question.heldFor = reasons;
  if (!language) return undefined;
  const isHandedOff = question.heldFor !== undefined;
  const text = handoffText({ language, own, isHandedOff });
  question.isHandoffAsked = text !== undefined;
  const only = isHandedOff ? [] : [messageText('noPerson', { language })];
  return handoffAnswer([...only, text ?? []].flat().join('\n\n'));
}

async function answerToSmallTalk(
  { asked: { smallTalk }, namespace, messages }: Question,
  listTopics: ListTopics,
) {
  if (!smallTalk) return undefined;
  const { titles, more } =
    smallTalk.kind === 'help' ? await listTopics(namespace) : { titles: [], more: 0 };
  return smallTalkAnswer(smallTalk, messages?.own, titles, more);
}

/**
 * Checks the token budget and waits for a place with the model, which a question takes once.
 * @returns the problem; `ended`: the question ended
 */
export async function takePlace(
  question: Question,
  { modelPlaces, budget }: Pick<AnswerParts, 'modelPlaces' | 'budget'>,
): Promise<KnowledgeError | 'ended' | undefined> {
  const { countedAs, until } = question.asker;
  const spent = await budget.spent(countedAs ?? '');
  if (spent || countedAs === undefined || !until) return spent;
  question.place ??= modelPlaces.acquire(countedAs, until).then(
    () => undefined,
    (error: unknown) => (error instanceof KnowledgeError && !until.aborted ? error : 'ended'),
  );
  return question.place;
}

/** Tools that the model may call before it answers. */
export function offeredTools(
  question: Question,
  { isExtractive, calls }: Pick<AnswerParts, 'isExtractive' | 'calls'>,
): string[] {
  if (isExtractive || question.answer || question.isLookedUp) return [];
  const mayAskForCalls =
    calls !== undefined && question.asker.actingUser !== undefined && mentionsCalls(question.text);
  return mayAskForCalls ? Object.keys(callsToolCards) : [];
}

function isRefused({ text, passages, searches }: Question, isExtractive: boolean) {
  const hasRecords = passages.some(({ isRecord }) => isRecord);
  return (
    asksForInstructions(text) ||
    passages.length === 0 ||
    (!isExtractive && !hasRecords && searches.every(isUncovered))
  );
}

/** Answers without the model; also does the lookups that its tools would have done. */
export async function quote(
  question: Question,
  calls: CallsTools | undefined,
  signal: AbortSignal | undefined,
): Promise<Reply & { readonly texts: readonly string[] }> {
  if (calls && !question.isLookedUp) await lookUpCalls(question, calls, signal);
  question.answer = await inStage('check', async () => quotedAnswer(question));
  return { texts: [question.answer.text] };
}

function promptOf(
  question: Question,
  { answerStyle, contextTokens }: AnswerParts,
  tools: string[],
): Prompt {
  const { text, passages, boundary } = question;
  return [
    { role: 'system', content: renderInstructions(answerStyle, tools) },
    ...historyOf(question, contextTokens),
    toMessage('user', renderTurnPrompt(text, toPromptPassages(passages), boundary)),
  ];
}

/** Says what was found without a model: small talk, a refusal, or sections of the documents. */
export async function replyTo(question: Question, parts: AnswerParts): Promise<Reply> {
  if (question.error) return { error: question.error };
  const tools = offeredTools(question, parts);
  if (!question.answer && tools.length === 0 && isRefused(question, parts.isExtractive))
    question.answer = refusal(question.wording);
  if (question.answer) return { texts: [question.answer.text] };
  if (parts.isExtractive) return quote(question, undefined, undefined);
  // Told before it waits for a place.
  question.asker.onWorking?.('writing');
  const problem = await takePlace(question, parts);
  if (problem === 'ended') return { abort: problem };
  if (problem) {
    question.isDegraded = problem.code === 'budget_spent' && parts.hasFallback;
    if (question.isDegraded) return quote(question, parts.calls, question.asker.until);
    question.error = problem;
    return { abort: problem.code };
  }
  question.prompt = promptOf(question, parts, tools);
  return { prompt: question.prompt };
}
