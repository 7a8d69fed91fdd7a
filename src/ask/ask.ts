/**
 * Answers a question, as a whole or as a stream. Results never contain the prompt or the provider's
 * request.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { MentionGate } from '../../packages/mastra/src/mention.ts';
import { yieldToEventLoop } from '../../packages/shared/src/concurrency/event-loop.ts';
import { Notices } from '../../packages/shared/src/concurrency/notices.ts';
import type { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { splitQuestion } from '../calls/calls-question.ts';
import type { Passage } from '../documents/document.ts';
import type { AnswerEntry, Asker } from '../records/answer-log.ts';
import {
  type ChatMessage,
  type ConversationPlace,
  type Conversations,
  conversationIdOf,
} from '../records/conversations.ts';
import { maxClosest } from '../records/gaps.ts';
import { beginSpan, currentRequestId, eachWithin, inStage, note } from '../trace.ts';
import { toSentenceCheck } from './dropped-sentences.ts';
import type { HandOff, HandOffSender, HandOffTrigger } from './hand-off.ts';
import { type Answer, type Citation, emptyAnswer, refusal } from './reply/answer.ts';
import { type PassagePlace, placeOf } from './search-docs.ts';
import {
  previousQuestionOf,
  repeatedReasons,
  searchesOf,
  type ToolUse,
  type Turn,
  wordingOf,
} from './turn.ts';

type ShownCitation = PassagePlace & Pick<Citation, 'index' | 'quote' | 'start' | 'end'>;

export type AskResult = Readonly<{
  text: string;
  answered: boolean;
  reason: Answer['reason'];
  namespace: string;
  runId: string;
  finishReason: string;
  model: string;
  degraded?: true;
  citations: ShownCitation[];
  /** Number of removed sentences; `repaired`: of sections that replaced them. */
  dropped: number;
  repaired: number;
  /** Number of sentences that the model wrote again. */
  rewritten: number;
  checkedBy: Answer['checkedBy'];
  toolCalls: ToolCall[];
  toolResults: ToolResult[];
  usage: { inputTokens: number; outputTokens: number; totalTokens: number };
}>;

export interface AskOptions {
  readonly messages: readonly ChatMessage[];
  readonly namespace: string;
  readonly signal?: AbortSignal;
  readonly callerId?: string;
  /** Caller for fair queueing and token limits; default: `callerId`. */
  readonly countedAs?: string;
  readonly actingUser?: string | undefined;
  /** User that authentication proved, whatever its rights; for people who get the question. */
  readonly provenUser?: string | undefined;
  /**
   * Stored conversation to continue. It is not read if the request itself contains earlier
   * messages.
   */
  readonly memory?: ConversationPlace | undefined;
  /** Whether the message needs no mention; undefined: `REQUIRE_MENTION` decides. */
  readonly addressed?: boolean | undefined;
  /** Operation or protocol of the request, for people who get the question. */
  readonly entryPoint?: string | undefined;
}

/** What a question with a model is waiting for. */
export type Working = 'searching' | 'writing' | 'checking';

export type AskEvent =
  | { readonly type: 'working'; readonly on: Working }
  | { readonly type: 'searched'; readonly call: ToolCall; readonly result: ToolResult }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'finished'; readonly result: AskResult };

/** One request to the agent. Its caller comes from authentication, never from a message or body. */
export interface AgentRequest
  extends Pick<AskOptions, 'messages' | 'namespace' | 'actingUser' | 'addressed'> {
  readonly runId: string;
  readonly countedAs: string;
  readonly conversationId: string | undefined;
  readonly signal: AbortSignal;
  /** Stores the question for a person before the reply says so. @returns whether it is stored */
  readonly holdHandOff: (turn: Turn) => Promise<boolean>;
  readonly onWorking: (on: Working) => void;
}

/** Runs the agent. `turn` is undefined if the agent was not mentioned. */
export interface AgentRunner {
  readonly id: string;
  generate(
    request: AgentRequest,
  ): Promise<{ readonly turn: Turn | undefined; readonly usage: Usage }>;
  stream(request: AgentRequest): AsyncIterable<{
    readonly turn: Turn | undefined;
    readonly text?: string;
    readonly usage?: Usage;
  }>;
  toError(error: unknown, timeoutSeconds?: number): KnowledgeError;
}

export interface AskParts {
  readonly agent: AgentRunner;
  readonly model: string;
  readonly recitesPrompt: (text: string) => boolean;
  readonly conversations: Pick<Conversations, 'recall' | 'remember'>;
  /** For messages without a mention, neither documents nor stored conversations are read. */
  readonly gate: MentionGate;
  /**
   * Whether the documents still exist. Otherwise they were deleted during the request, and the
   * answer is not stored.
   */
  readonly areStored: (namespace: string, documentIds: readonly string[]) => Promise<boolean>;
  readonly onAnswered?: (entry: AnswerEntry) => void;
  /** The reply waits at most two seconds for each call. */
  readonly handOffs?: Pick<HandOffSender, 'keep' | 'release'> | undefined;
  /** Timeout of a question in milliseconds; default 60,000. */
  readonly timeoutMs?: number | undefined;
  readonly onFinished?: (made: AnswerMade) => void;
}

export interface AnswerMade {
  readonly reason: Answer['reason'];
  readonly isDegraded: boolean;
  readonly dropped: number;
  readonly repaired: number;
  readonly rewritten: number;
  readonly coverage: number | undefined;
}

export interface Ask {
  /**
   * @throws KnowledgeError `namespace_not_found`, `model_failed`, `model_unavailable`,
   * `budget_spent`, `busy`, `timeout`
   */
  ask(options: AskOptions): Promise<AskResult>;
  stream(
    options: AskOptions & { readonly runId: string },
  ): AsyncGenerator<AskEvent, void, undefined>;
}

export type Usage = Readonly<{
  inputTokens?: number | undefined;
  outputTokens?: number | undefined;
}>;

export const answerTimeoutMs = 60_000;

export const extractiveModel = 'extractive';

const documentsOf = (passages: readonly Passage[]): string[] => [
  ...new Set(passages.flatMap(({ isRecord, document }) => (isRecord ? [] : [document.id]))),
];

export const toCitation = ({ index, passage, quote, start, end }: Citation): ShownCitation => ({
  index,
  ...placeOf(passage),
  quote,
  start,
  end,
});

type ToolPart<Use, Field extends keyof Use> = Use extends ToolUse
  ? Pick<Use, 'toolCallId' | 'toolName' | Field>
  : never;
export type ToolCall = ToolPart<ToolUse, 'args'>;
export type ToolResult = ToolPart<ToolUse, 'result'>;

const toCall = ({ toolCallId, toolName, args }: ToolUse) =>
  ({ toolCallId, toolName, args }) as ToolCall;
const toCallResult = ({ toolCallId, toolName, result }: ToolUse) =>
  ({ toolCallId, toolName, result }) as ToolResult;

const searchedEvents = (turn: Turn | undefined, from: number): AskEvent[] =>
  (turn?.toolUses ?? [])
    .slice(from)
    .map((use) => ({ type: 'searched', call: toCall(use), result: toCallResult(use) }));

type FinishedRun = Readonly<{ namespace: string; runId: string; model: string; usage: Usage }>;

function toResult(answer: Answer, turn: Turn | undefined, run: FinishedRun): AskResult {
  const { toolUses: uses = [], isDegraded = false, answeredBy = run.model } = turn ?? {};
  const { inputTokens = 0, outputTokens = 0 } = run.usage;
  return {
    text: answer.text,
    answered: answer.reason === 'answered',
    reason: answer.reason,
    namespace: run.namespace,
    runId: run.runId,
    finishReason: 'stop',
    model: isDegraded ? extractiveModel : answeredBy,
    ...(isDegraded ? { degraded: true as const } : {}),
    citations: answer.citations.map(toCitation),
    dropped: answer.dropped,
    repaired: answer.repaired,
    rewritten: answer.rewritten,
    checkedBy: answer.checkedBy,
    toolCalls: uses.map(toCall),
    toolResults: uses.map(toCallResult),
    usage: { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens },
  };
}

/** Below it, sections that may answer the question probably do not. */
const lowCoverage = 0.35;

/** A refusal, or sections of documents that cover the question badly. */
const isUnanswered = (reason: Answer['reason'], coverage: number) =>
  reason === 'no_context' || (reason === 'closest' && coverage < lowCoverage);

/** @throws the error of a failed call lookup, because a refusal would then be wrong */
function answerOf(turn: Turn | undefined): Answer {
  if (!turn) return emptyAnswer;
  const answer = turn.answer ?? refusal(wordingOf(turn));
  const isAnswering =
    answer.reason === 'answered' ||
    (answer.reason === 'closest' && splitQuestion(turn.question).rest !== '');
  if (turn.lookupError && !isAnswering) throw turn.lookupError;
  return answer;
}

function toAnswerEntry(
  turn: Turn,
  options: AskOptions,
  answer: Answer,
  result: AskResult,
  recitesPrompt: AskParts['recitesPrompt'],
): AnswerEntry {
  const { runId, namespace, reason } = result;
  const [search] = searchesOf(turn);
  const seen = new Set<string>();
  const closest = (search?.passages ?? [])
    .filter(({ document }) => !seen.has(document.id) && seen.add(document.id))
    .slice(0, maxClosest);
  return {
    runId,
    namespace,
    question: turn.question,
    callerId: options.callerId ?? '',
    entryPoint: options.entryPoint,
    ...(turn.messages?.handOffOn?.includes('unhelpful') && { asker: askerOf(turn, options) }),
    answer: result,
    check: {
      ...toSentenceCheck(answer, turn.passages, recitesPrompt),
      ...(turn.requests.length > 0 && { requests: turn.requests }),
    },
    coverage: search?.coverage ?? 0,
    closest: closest.map(({ document: { id: documentId, file, title, source } }) => ({
      documentId,
      file,
      title,
      source,
    })),
    // If the model failed, the documents may have the answer.
    isGap: isUnanswered(reason, search?.coverage ?? 0) && !turn.isDegraded,
    isPersonal: result.toolCalls.some(({ toolName }) => toolName !== 'docsRetriever'),
  };
}

/** Newest messages of a request that reach the agent; fewer are read. */
const maxMessages = 40;

const maxHandOffMs = 2_000;
/** Longer than an answer takes. Then a question is sent although its server has ended. */
const holdMs = 120_000;

const withinHandOffMs = <Result>(work: Promise<Result>): Promise<Result | undefined> =>
  Promise.race([work, sleep(maxHandOffMs, undefined, { ref: false })]);

function askerOf(turn: Turn, { provenUser, memory, entryPoint }: AskOptions): Asker {
  return {
    previousQuestion: previousQuestionOf(turn),
    thread: memory?.thread ?? null,
    user: provenUser ?? null,
    resource: memory?.resource ?? null,
    entryPoint: entryPoint ?? null,
  };
}

/** Outcome that a question is held for, before its search. */
function likelyReason(turn: Turn): Answer['reason'] {
  if (turn.isHandoffAsked) return 'small_talk';
  return repeatedReasons(turn).includes('closest') ? 'closest' : 'no_context';
}

function triggerOf(
  turn: Turn,
  reason: Answer['reason'],
  coverage: number,
): HandOffTrigger | undefined {
  const on = turn.messages?.handOffOn ?? [];
  const repeated = repeatedReasons(turn);
  if (isUnanswered(reason, coverage) && on.includes('refusal'))
    return repeated.includes('refusal') ? 'second_refusal' : 'refusal';
  if (reason === 'closest' && on.includes('closest') && repeated.includes('closest'))
    return 'closest';
  return turn.isHandoffAsked && on.includes('asked') ? 'asked' : undefined;
}

/**
 * Question for a person, if HANDOFF_ON has its outcome. The question may be personal, but no answer
 * is included.
 */
function handOffOf(
  turn: Turn,
  options: AskOptions,
  {
    runId,
    reason,
    closest = [],
    coverage = 0,
  }: {
    readonly runId: string;
    readonly reason: Answer['reason'];
    readonly closest?: HandOff['closest'];
    readonly coverage?: number;
  },
): HandOff | undefined {
  const trigger = triggerOf(turn, reason, coverage);
  if (!trigger) return undefined;
  const { namespace, question } = turn;
  return {
    runId,
    trigger,
    namespace,
    question,
    reason,
    closest,
    ...askerOf(turn, options),
  };
}

/** @see https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-agent-spans/ */
function beginAgentSpan(id: string, conversationId: string | undefined) {
  const span = beginSpan(`invoke_agent ${id}`);
  const about = {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.id': id,
    'gen_ai.agent.name': id,
    ...(conversationId === undefined ? {} : { 'gen_ai.conversation.id': conversationId }),
  };
  const endSpan = ({ inputTokens = 0, outputTokens = 0 }: Usage, failure?: string) => {
    const used = {
      'gen_ai.usage.input_tokens': inputTokens,
      'gen_ai.usage.output_tokens': outputTokens,
    };
    span.end({
      attributes: { ...about, ...(inputTokens + outputTokens === 0 ? {} : used) },
      failure,
    });
  };
  return { span, endSpan };
}

const lastQuestion = (messages: readonly ChatMessage[]): string =>
  messages.findLast(({ role }) => role === 'user')?.content ?? '';

function createTimeLimit(timeoutMs: number, signal: AbortSignal | undefined) {
  const deadline = AbortSignal.timeout(timeoutMs);
  const aborting = new AbortController();
  const ending = AbortSignal.any(
    [deadline, aborting.signal, signal].filter((one) => one !== undefined),
  );
  return { ending, isLate: () => deadline.aborted, abort: () => aborting.abort() };
}

async function beginRun(parts: AskParts, options: AskOptions, runId: string) {
  const {
    agent,
    model,
    conversations,
    gate,
    areStored,
    onAnswered,
    handOffs,
    onFinished,
    timeoutMs = answerTimeoutMs,
  } = parts;
  const {
    messages,
    namespace,
    signal,
    callerId = '',
    countedAs = callerId,
    actingUser,
    memory,
    addressed,
  } = options;
  const { ending, isLate, abort } = createTimeLimit(timeoutMs, signal);
  note({ runId });
  await yieldToEventLoop();
  const question = lastQuestion(messages);
  const isRecalled =
    memory && messages.length === 1 && gate.question(question, addressed) !== undefined;
  const earlier = isRecalled ? await inStage('recall', () => conversations.recall(memory)) : [];
  const conversationId = memory && conversationIdOf(memory);
  const asker = { namespace, actingUser, countedAs, addressed, conversationId };
  const working = new Notices<Working>();
  let isHeld = false;
  const holdHandOff = async (turn: Turn): Promise<boolean> => {
    const handOff = handOffOf(turn, options, {
      runId,
      reason: likelyReason(turn),
      coverage: lowCoverage,
    });
    if (!handOff || !handOffs) return false;
    isHeld = true;
    return (await withinHandOffMs(handOffs.keep(handOff, countedAs, holdMs))) === true;
  };
  const request: AgentRequest = {
    messages: [...earlier, ...messages].slice(-maxMessages),
    ...asker,
    holdHandOff,
    onWorking: (on) => working.add(on),
    runId,
    signal: ending,
  };
  const requestId = currentRequestId();
  const { span, endSpan } = beginAgentSpan(agent.id, conversationId);

  const store = async (turn: Turn, answer: Answer, result: AskResult): Promise<void> => {
    const isStored = await areStored(namespace, documentsOf(turn.passages));
    // No `await` before all writes have begun, so a concurrent delete runs before or after all of
    // them.
    const entry = {
      ...toAnswerEntry(turn, options, answer, result, parts.recitesPrompt),
      requestId,
    };
    const closest = isStored ? entry.closest : [];
    const handOff = handOffOf(turn, options, {
      runId,
      reason: answer.reason,
      closest,
      coverage: entry.coverage,
    });
    const handedOff = handOff
      ? handOffs?.keep(handOff, countedAs)
      : isHeld && handOffs?.release(runId);
    if (isStored) onAnswered?.(entry);
    const exchange = [
      { role: 'user', content: question },
      { role: 'assistant', content: answer.text, id: runId },
    ] as const;
    if (isStored && memory)
      conversations.remember(
        memory,
        exchange,
        documentsOf(answer.citations.map(({ passage }) => passage)),
      );
    if (handedOff) await withinHandOffMs<unknown>(handedOff);
  };

  const finish = async (turn: Turn | undefined, usage: Usage): Promise<AskResult> => {
    await yieldToEventLoop();
    if (turn?.error) throw turn.error;
    if (ending.aborted) throw ending.reason;
    endSpan(usage);
    const answer = answerOf(turn);
    const result = toResult(answer, turn, { namespace, runId, model, usage: turn ? usage : {} });
    if (turn) await inStage('keep', () => store(turn, answer, result));
    const coverage = turn && searchesOf(turn)[0]?.coverage;
    const { reason, dropped, repaired, rewritten } = answer;
    const isDegraded = turn?.isDegraded === true;
    onFinished?.({ reason, isDegraded, dropped, repaired, rewritten, coverage });
    return result;
  };

  const toError = (error: unknown) => {
    const known = agent.toError(error, isLate() ? timeoutMs / 1_000 : undefined);
    // A reader who left may have read that a person gets the question.
    if (isHeld && !signal?.aborted) void handOffs?.release(runId);
    endSpan({}, signal?.aborted ? 'left' : known.code);
    return known;
  };
  const end = () => {
    abort();
    endSpan({}, 'left');
  };
  return { request, span, working, finish, toError, end };
}

export function createAsk(parts: AskParts): Ask {
  const { agent } = parts;
  return {
    async ask(options) {
      const run = await beginRun(parts, options, randomUUID());
      try {
        const { turn, usage } = await run.span.within(() => agent.generate(run.request));
        return await run.finish(turn, usage);
      } catch (error) {
        throw run.toError(error);
      }
    },

    async *stream({ runId, ...options }) {
      const run = await beginRun(parts, options, runId);
      try {
        let shown = 0;
        let last: { readonly turn?: Turn | undefined; readonly usage: Usage } = { usage: {} };
        const steps = eachWithin(run.span, agent.stream(run.request));
        for await (const step of run.working.beside(steps)) {
          if ('notice' in step) {
            yield { type: 'working', on: step.notice };
            continue;
          }
          const { turn, text, usage = last.usage } = step.item;
          last = { turn, usage };
          yield* searchedEvents(turn, shown);
          shown = turn?.toolUses.length ?? shown;
          if (text !== undefined) yield { type: 'text', text };
        }
        yield { type: 'finished', result: await run.finish(last.turn, last.usage) };
      } catch (error) {
        throw run.toError(error);
      } finally {
        run.end();
      }
    },
  };
}
