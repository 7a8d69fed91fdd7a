/**
 * Second processor of the agent: searches and writes the model's prompt, or answers without a
 * model.
 */
import type {
  ProcessInputArgs,
  ProcessInputStepArgs,
  ProcessLLMRequestArgs,
  ProcessLLMRequestResult,
  Processor,
} from '@mastra/core/processors';
import type { RequestContext } from '@mastra/core/request-context';
import { yieldToEventLoop } from '../../packages/shared/src/concurrency/event-loop.ts';
import type { FairQueue } from '../../packages/shared/src/concurrency/fair-queue.ts';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { asksForInstructions } from '../../packages/shared/src/language/addressed-to-model.ts';
import { withoutInvisible } from '../../packages/shared/src/language/invisible.ts';
import { personRequestIn } from '../../packages/shared/src/language/person-request.ts';
import { mentionsCalls } from '../calls/calls-question.ts';
import { type CallsTools, callsToolCards } from '../calls/user-calls.ts';
import type { NamespaceMessages } from '../documents/messages-file.ts';
import type { ParseNamespace } from '../documents/namespace-name.ts';
import type { TokenBudget } from '../models/token-budget.ts';
import { inStage } from '../trace.ts';
import {
  actingUserOf,
  type FallbackAnswerer,
  holdHandOffOf,
  lifetimeOf,
  noteWorking,
  readTurn,
  type TurnLifetime,
} from './agent-runner.ts';
import { lookUpCalls } from './call-evidence.ts';
import {
  type Prompt,
  renderInstructions,
  renderTurnPrompt,
  toPromptPassages,
  withoutCitations,
} from './prompt.ts';
import { quotedAnswer } from './quoted-answer.ts';
import {
  type Answer,
  handoffAnswer,
  handoffText,
  messageText,
  refusal,
  smallTalkAnswer,
} from './reply/answer.ts';
import { docsRetrieverCard, type ListTopics } from './search-docs.ts';
import {
  maxHistoryChars,
  maxHistoryMessages,
  repeatedReasons,
  type Search,
  type Turn,
  wordingOf,
} from './turn.ts';
import { isNothingFound, searchForTurn, type TurnSearchOptions } from './turn-search.ts';

/** Coverage below which a question is refused without a model call, 0 to 1. */
export interface MinCoverage {
  readonly lexical: number;
  readonly hybrid: number;
}

/**
 * Earlier user and assistant texts; omits roles that could carry instructions or forged tool
 * results.
 */
const history = ({ earlier }: Turn): Prompt =>
  earlier.slice(-maxHistoryMessages).flatMap(({ role, content }): Prompt => {
    const start = content.slice(0, maxHistoryChars);
    const text = withoutInvisible(role === 'assistant' ? withoutCitations(start) : start);
    return text === '' ? [] : [{ role, content: [{ type: 'text', text }] }];
  });

function turnPrompt({ question, passages, boundary }: Turn): Prompt[number] {
  const text = renderTurnPrompt(question, toPromptPassages(passages), boundary);
  return { role: 'user', content: [{ type: 'text', text }] };
}

const cannedReply = (...texts: readonly string[]) => ({
  chunks: [
    { type: 'text-start', payload: { id: '0' } },
    ...texts.map((text) => ({ type: 'text-delta', payload: { id: '0', text } })),
    { type: 'text-end', payload: { id: '0' } },
    {
      type: 'finish',
      payload: {
        stepResult: { reason: 'stop' },
        output: { usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 } },
        metadata: {},
        messages: { all: [], user: [], nonUser: [] },
      },
    },
  ],
});

/** Ends a turn without a mention. An `abort` would log an error with a stack. */
const silence = {
  chunks: [{ type: 'tripwire', payload: { reason: 'not_mentioned', processorId: 'mention-gate' } }],
};

const failedReply = (error: KnowledgeError) => ({
  chunks: [{ type: 'error', payload: { error } }],
});

/** A semantic match may share no word with the question; the model judges it. */
const createUncovered =
  ({ lexical, hybrid }: MinCoverage) =>
  ({ coverage, mode }: Search) =>
    coverage < (mode === 'hybrid' ? hybrid : lexical);

function refusalIfUncovered(
  turn: Turn,
  { minCoverage, isExtractive }: RetrievalOptions,
): Answer | undefined {
  const { question, passages } = turn;
  const hasRecords = passages.some(({ isRecord }) => isRecord);
  const isNothing =
    passages.length === 0 ||
    (!isExtractive && !hasRecords && isNothingFound(turn, createUncovered(minCoverage)));
  return asksForInstructions(question) || isNothing ? refusal(wordingOf(turn)) : undefined;
}

/**
 * Answers a request for a person: that a person gets it, or whom to ask, as far as the operator has
 * set it.
 */
async function answerToPersonRequest(
  turn: Turn,
  context: RequestContext | undefined,
): Promise<Answer | undefined> {
  const { own, handOffOn = [] } = turn.messages ?? { own: [] };
  const language = personRequestIn(turn.question);
  turn.isHandoffAsked = language !== undefined;
  const reasons = (language ? (['asked'] as const) : repeatedReasons(turn)).filter((one) =>
    handOffOn.includes(one),
  );
  if (reasons.length > 0 && (await holdHandOffOf(context)?.(turn)) === true) turn.heldFor = reasons;
  if (!language) return undefined;
  const isHandOffKept = turn.heldFor !== undefined;
  const text = handoffText({ language, own, isHandedOff: isHandOffKept });
  turn.isHandoffAsked = text !== undefined;
  const only = isHandOffKept ? [] : [messageText('noPerson', { language })];
  return handoffAnswer([...only, text ?? []].flat().join('\n\n'));
}

async function answerToSmallTalk(
  { smallTalk, namespace, messages }: Turn,
  listTopics: ListTopics,
): Promise<Answer | undefined> {
  if (!smallTalk) return undefined;
  const { titles, more } =
    smallTalk.kind === 'help' ? await listTopics(namespace) : { titles: [], more: 0 };
  return smallTalkAnswer(smallTalk, messages?.own, titles, more);
}

export interface RetrievalOptions
  extends Pick<TurnSearchOptions, 'retriever' | 'languagesOf' | 'contextTokens' | 'requests'> {
  readonly listTopics: ListTopics;
  /** Operator's messages of a namespace. */
  readonly messagesOf: (namespace: string) => Promise<NamespaceMessages>;
  readonly parseNamespace: ParseNamespace;
  readonly minCoverage: MinCoverage;
  /** Per answer. */
  readonly maxSentences: number;
  /** Operator's wishes for the wording, see `ANSWER_STYLE`. */
  readonly answerStyle?: string | undefined;
  /** Looks up calls of the acting user; undefined: not allowed. */
  readonly calls?: CallsTools | undefined;
  /** Limits concurrent turns with the model; undefined: no limit. */
  readonly modelPlaces?: FairQueue | undefined;
  /**
   * Whether no model is configured. Then answers quote sentences, and this processor calls the
   * tools.
   */
  readonly isExtractive: boolean;
  /** Undefined: no token limit. */
  readonly budget?: Pick<TokenBudget, 'spent'> | undefined;
  /** Answers if the token budget is spent. */
  readonly fallbackAnswerer?: FallbackAnswerer | undefined;
}

/**
 * Checks the token budget and waits for a model slot, which a turn acquires once. @returns the
 * problem; `ended`: the turn ended
 */
async function acquireModelSlot(
  turn: Turn,
  lifetime: TurnLifetime | undefined,
  { modelPlaces, budget }: RetrievalOptions,
): Promise<KnowledgeError | 'ended' | undefined> {
  const spent = await budget?.spent(lifetime?.countedAs ?? '');
  if (spent || !lifetime || !modelPlaces) return spent;
  turn.place ??= modelPlaces.acquire(lifetime.countedAs, lifetime.until).then(
    () => undefined,
    (error: unknown) =>
      error instanceof KnowledgeError && !lifetime.until.aborted ? error : 'ended',
  );
  return turn.place;
}

/**
 * Returns the answer of the fallback if the budget is spent. Otherwise undefined: the turn ends
 * with the problem.
 */
async function replyInstead(
  turn: Turn,
  problem: KnowledgeError | 'ended',
  context: RequestContext | undefined,
  fallbackAnswerer?: FallbackAnswerer,
) {
  if (problem === 'ended') return undefined;
  const signal = lifetimeOf(context)?.until ?? new AbortController().signal;
  turn.isDegraded = problem.code === 'budget_spent' && fallbackAnswerer !== undefined;
  if (turn.isDegraded)
    return fallbackAnswerer?.(turn, { actingUser: actingUserOf(context), signal });
  turn.error = problem;
  return undefined;
}

function offeredTools(
  { isExtractive, calls }: RetrievalOptions,
  turn: Turn | undefined,
  requestContext: RequestContext | undefined,
): string[] {
  const isLookedUp = turn?.toolUses.some(({ toolName }) => toolName !== docsRetrieverCard.id);
  if (isExtractive || !turn || turn.answer || isLookedUp) return [];
  const mayAskForCalls =
    calls !== undefined &&
    actingUserOf(requestContext) !== undefined &&
    mentionsCalls(turn.question);
  return mayAskForCalls ? Object.keys(callsToolCards) : [];
}

function answerByQuotation(turn: Turn): string[] {
  turn.answer = quotedAnswer(turn);
  return [turn.answer.text];
}

/**
 * Answers a turn without its model; also does the lookups that the model's tools would have done.
 */
export const createFallbackAnswerer =
  (options: Pick<RetrievalOptions, 'calls'>): FallbackAnswerer =>
  async (turn, { actingUser, signal }) => {
    const isLookedUp = turn.toolUses.some(({ toolName }) => toolName !== docsRetrieverCard.id);
    if (options.calls && !isLookedUp) await lookUpCalls(turn, options.calls, actingUser, signal);
    return inStage('check', async () => answerByQuotation(turn));
  };

/** Returns small talk and refusals, or all answers if no model is configured. */
async function replyWithoutModel(
  turn: Turn,
  offered: readonly string[],
  options: RetrievalOptions,
): Promise<readonly string[] | undefined> {
  const answer =
    turn.answer ?? (offered.length === 0 ? refusalIfUncovered(turn, options) : undefined);
  if (answer) {
    turn.answer = answer;
    return [answer.text];
  }
  return options.isExtractive ? inStage('check', async () => answerByQuotation(turn)) : undefined;
}

/**
 * Searches, then writes the prompt from scratch (instructions, recent turns, passages, question),
 * so that no caller's instructions, system messages, tools or tool results reach a model. If
 * nothing was found, refuses without a model call.
 */
export const createRetrievalProcessor = (options: RetrievalOptions) => {
  const {
    listTopics,
    messagesOf,
    parseNamespace,
    maxSentences,
    answerStyle: style,
    calls,
    isExtractive,
  } = options;
  return {
    id: 'retrieval' as const,

    async processInput({ messageList, requestContext, abortSignal }: ProcessInputArgs) {
      const turn = readTurn(requestContext);
      if (!turn) return messageList;
      try {
        await yieldToEventLoop();
        turn.namespace = parseNamespace(turn.namespace);
        turn.messages = await messagesOf(turn.namespace);
        const answer =
          (await answerToPersonRequest(turn, requestContext)) ??
          (await answerToSmallTalk(turn, listTopics));
        if (answer) {
          turn.answer = answer;
          return messageList;
        }
        const hasPlace = async () =>
          (await acquireModelSlot(turn, lifetimeOf(requestContext), options)) === undefined;
        const isUncovered = createUncovered(options.minCoverage);
        await searchForTurn(turn, { ...options, isUncovered, hasPlace }, requestContext);
        await yieldToEventLoop();
        if (isExtractive && calls)
          await lookUpCalls(turn, calls, actingUserOf(requestContext), abortSignal);
      } catch (error) {
        const failed = () =>
          new KnowledgeError('internal', 'The search of the documents failed.', { cause: error });
        turn.error = error instanceof KnowledgeError ? error : failed();
      }
      return messageList;
    },

    processInputStep({ stepNumber, requestContext, abort }: ProcessInputStepArgs) {
      const turn = readTurn(requestContext);
      const offered = stepNumber === 0 ? offeredTools(options, turn, requestContext) : [];
      if (offered.length > 0) return { activeTools: offered, toolChoice: 'auto' as const };
      // A second call answers with the results of the tools, or with the documents if the tools
      // failed.
      if (stepNumber > 1) return abort('one_model_call');
      return { tools: {}, activeTools: [], toolChoice: 'none' as const };
    },

    async processLLMRequest({
      requestContext,
      abort,
    }: ProcessLLMRequestArgs): Promise<ProcessLLMRequestResult> {
      const turn = readTurn(requestContext);
      if (!turn) return { response: silence };
      if (turn.error) return { response: failedReply(turn.error) };
      const offered = offeredTools(options, turn, requestContext);
      await yieldToEventLoop();
      const canned = await replyWithoutModel(turn, offered, options);
      await yieldToEventLoop();
      if (canned) return { response: cannedReply(...canned) };
      const problem = await acquireModelSlot(turn, lifetimeOf(requestContext), options);
      if (problem !== undefined) {
        const reply = await replyInstead(turn, problem, requestContext, options.fallbackAnswerer);
        return reply
          ? { response: cannedReply(...reply) }
          : abort(problem === 'ended' ? problem : problem.code);
      }
      const instructions = renderInstructions({ maxSentences, style, tools: offered });
      turn.prompt = [{ role: 'system', content: instructions }, ...history(turn), turnPrompt(turn)];
      options.requests?.prepare();
      noteWorking(requestContext, 'writing');
      // Mastra names the prompt after an earlier version of the interface.
      return { prompt: turn.prompt as ProcessLLMRequestArgs['prompt'] };
    },
  } satisfies Processor;
};
