/**
 * A question from its message to its stored answer, step by step: gate, search, answer, check,
 * keep. Mastra's agent (`agent.ts`) hosts the steps before `keep`, for this server's callers and
 * for those of a Mastra project. Results never contain the prompt or the provider's request.
 */
import { randomUUID } from 'node:crypto';
import type { Agent } from '@mastra/core/agent';
import type { Mastra } from '@mastra/core/mastra';
import type { MastraDBMessage } from '@mastra/core/memory';
import type { RequestContext } from '@mastra/core/request-context';
import type { MentionGate } from '../../packages/mastra/src/mention.ts';
import { withAbort } from '../../packages/shared/src/concurrency/deadline.ts';
import { yieldToEventLoop } from '../../packages/shared/src/concurrency/event-loop.ts';
import { Notices } from '../../packages/shared/src/concurrency/notices.ts';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import type { NamespaceMessages } from '../documents/messages-file.ts';
import type { ParseNamespace } from '../documents/namespace-name.ts';
import { modelError } from '../models/provider-failure.ts';
import { type ChatMessage, conversationIdOf } from '../records/conversations.ts';
import { beginSpan, currentRequestId, eachWithin, inStage, note } from '../trace.ts';
import { type AnswerParts, answerWithoutSearch, quote, replyTo, takePlace } from './answer.ts';
import { type AskEvent, type AskOptions, toCall, toCallResult, toResult } from './ask-result.ts';
import { lookUpCalls } from './call-evidence.ts';
import { checkedReply } from './check.ts';
import { askedIn } from './gate.ts';
import { answerOf, holdHandOff, type KeepParts, keep, lastQuestion } from './keep.ts';
import { type AskedBy, Question, type Usage, type Working } from './question.ts';
import type { Answer } from './reply/answer.ts';
import { searchDocuments } from './search.ts';

export type StepParts = AnswerParts &
  Readonly<{
    gate: MentionGate;
    parseNamespace: ParseNamespace;
    /** Operator's messages of a namespace. */
    messagesOf: (namespace: string) => Promise<NamespaceMessages>;
  }>;

/** The steps of a question, in the order in which the agent calls them. */
export class Steps {
  readonly parts;

  constructor(parts: StepParts) {
    this.parts = parts;
  }

  /** @returns undefined if the last message does not mention the agent */
  gate(messages: readonly MastraDBMessage[], asker: AskedBy) {
    const asked = askedIn(messages, this.parts.gate, asker.addressed);
    return asked && new Question(asker, asked);
  }

  /**
   * Searches the documents, with queries of a model if the question's own words find too little.
   * Small talk and requests for a person need no search. A failure becomes the question's error.
   */
  async search(question: Question, signal: AbortSignal | undefined) {
    const { parseNamespace, messagesOf, listTopics, isExtractive, calls } = this.parts;
    try {
      await yieldToEventLoop();
      question.namespace = parseNamespace(question.namespace);
      question.messages = await messagesOf(question.namespace);
      question.answer = await answerWithoutSearch(question, listTopics);
      if (question.answer) return;
      const hasPlace = async () => (await takePlace(question, this.parts)) === undefined;
      await searchDocuments(question, this.parts, hasPlace);
      await yieldToEventLoop();
      if (isExtractive && calls) await lookUpCalls(question, calls, signal);
    } catch (error) {
      question.error =
        error instanceof KnowledgeError
          ? error
          : new KnowledgeError('internal', 'The search of the documents failed.', { cause: error });
    }
  }

  /** Answers what needs no model, or writes its prompt. */
  async answer(question: Question) {
    await yieldToEventLoop();
    const reply = await replyTo(question, this.parts);
    await yieldToEventLoop();
    if ('prompt' in reply) this.parts.requests?.prepare();
    return reply;
  }

  /** Shows the sentences that hold; lets the model write again what does not. */
  check(question: Question) {
    return checkedReply(question, this.parts.requests);
  }
}

/** `contextFor` and `questionOf` are in it, because importing them loads a part of Mastra. */
export type OpenAgent = Readonly<{
  agent: Agent;
  mastra: Mastra;
  contextFor: (asker: AskedBy) => RequestContext;
  questionOf: (context: RequestContext) => Question | undefined;
}>;

type AskParts = KeepParts &
  Readonly<{
    /** Loads the agent, which is slow at first. */
    openAgent: () => Promise<OpenAgent>;
    agentId: string;
    model: string;
    /** For messages without a mention, neither documents nor stored conversations are read. */
    gate: MentionGate;
    /** Timeout of a question, milliseconds. */
    timeoutMs: number;
    /**
     * Milliseconds until sections of the documents answer instead of a silent model; undefined: the
     * question fails.
     */
    giveUpMs: number | undefined;
    calls: AnswerParts['calls'];
    onFinished: (made: AnswerMade) => void;
  }>;

export type AnswerMade = Pick<Answer, 'reason' | 'dropped' | 'repaired' | 'rewritten'> &
  Readonly<{
    isDegraded: boolean;
    coverage: number | undefined;
  }>;

export const answerTimeoutMs = 60_000;

/** Newest messages of a request that reach the agent; fewer are read. */
const maxMessages = 40;

function addUsage({ inputTokens = 0, outputTokens = 0 }: Usage, other: Usage = {}) {
  return {
    inputTokens: inputTokens + (other.inputTokens ?? 0),
    outputTokens: outputTokens + (other.outputTokens ?? 0),
  };
}

/** Tokens of the other requests than that of the reply. */
const usedBesides = (question: Question | undefined) =>
  (question?.requests ?? [])
    .filter(({ purpose }) => purpose !== 'answer')
    .reduce<Usage>(addUsage, {});

/** The agent's part of a question is over; `question` is undefined if it was not mentioned. */
type Ended = Readonly<{ question: Question | undefined; usage: Usage }>;
type Step = Readonly<{ question: Question | undefined; text?: string; usage?: Usage }>;

type Chunk =
  Awaited<ReturnType<OpenAgent['agent']['stream']>>['fullStream'] extends AsyncIterable<infer One>
    ? One
    : never;

function toStep(chunk: Chunk, question: Question | undefined): Step {
  // The caller reads the error of the question, which names the cause.
  if (chunk.type === 'error' && !question?.error) throw chunk.payload.error;
  if (chunk.type === 'text-delta') return { question, text: chunk.payload.text };
  return chunk.type === 'finish'
    ? { question, usage: addUsage(chunk.payload.output.usage, usedBesides(question)) }
    : { question };
}

const searchedEvents = (question: Question | undefined, from: number): AskEvent[] =>
  (question?.toolUses ?? [])
    .slice(from)
    .map((use) => ({ type: 'searched', call: toCall(use), result: toCallResult(use) }));

/** One question of a caller of this server: runs the agent, then keeps the answer. */
class Run {
  readonly working = new Notices<Working>();
  readonly #parts;
  readonly #options;
  readonly #runId;
  readonly #messages;
  readonly #requestId = currentRequestId();
  readonly #deadline;
  /** Aborts when the caller has left. */
  readonly #leaving = new AbortController();
  /** Aborts when sections of the documents answer instead of a silent model. */
  readonly #givingUp = new AbortController();
  /** Aborts when the agent's part is over. */
  readonly #over = new AbortController();
  /** The deadline, or the caller left. */
  readonly #ending;
  readonly #signal;
  readonly #span;
  #giveUpTimer: NodeJS.Timeout | undefined;
  #isHeld = false;
  #question: () => Question | undefined = () => undefined;

  constructor(
    parts: AskParts,
    options: AskOptions,
    runId: string,
    deadline: AbortSignal,
    earlier: readonly ChatMessage[],
  ) {
    this.#parts = parts;
    this.#options = options;
    this.#runId = runId;
    this.#messages = [...earlier, ...options.messages].slice(-maxMessages);
    this.#deadline = deadline;
    this.#ending = AbortSignal.any(
      [deadline, this.#leaving.signal, options.signal].filter((one) => one !== undefined),
    );
    this.#signal = AbortSignal.any([this.#ending, this.#givingUp.signal]);
    this.#span = beginSpan(`invoke_agent ${parts.agentId}`);
  }

  get #conversationId() {
    return this.#options.memory && conversationIdOf(this.#options.memory);
  }

  get #asker(): AskedBy {
    const { namespace, actingUser, addressed, callerId = '', countedAs = callerId } = this.#options;
    return {
      namespace,
      actingUser,
      addressed,
      countedAs,
      conversationId: this.#conversationId,
      signal: this.#signal,
      until: AbortSignal.any([this.#signal, this.#over.signal]),
      onWorking: (on) => this.working.add(on),
      onReplied: () => clearTimeout(this.#giveUpTimer),
      holdHandOff: async (question) => {
        const held = holdHandOff(question, this.#options, this.#runId, this.#parts.handOffs);
        this.#isHeld = held !== undefined;
        return (await held) ?? false;
      },
    };
  }

  /** Runs work of the agent's part as a child of its span. */
  readonly within = <Result>(work: () => Result) => this.#span.within(work);

  /** @see https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-agent-spans/ */
  #endSpan({ inputTokens = 0, outputTokens = 0 }: Usage, failure?: string) {
    const { agentId } = this.#parts;
    const conversationId = this.#conversationId;
    const attributes = {
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.id': agentId,
      'gen_ai.agent.name': agentId,
      ...(conversationId !== undefined && { 'gen_ai.conversation.id': conversationId }),
      ...(inputTokens + outputTokens > 0 && {
        'gen_ai.usage.input_tokens': inputTokens,
        'gen_ai.usage.output_tokens': outputTokens,
      }),
    };
    this.#span.end({ attributes, failure });
  }

  /** Questions that waited for the agent continue one per iteration of the event loop. */
  async #openAgent() {
    const { agent, contextFor, questionOf } = await this.#parts.openAgent();
    await yieldToEventLoop();
    const { giveUpMs } = this.#parts;
    const late = () =>
      this.#givingUp.abort(
        new DOMException(`the model sent no text within ${giveUpMs} ms`, 'TimeoutError'),
      );
    if (giveUpMs !== undefined) this.#giveUpTimer = setTimeout(late, giveUpMs);
    const requestContext = contextFor(this.#asker);
    this.#question = () => questionOf(requestContext);
    const options = { requestContext, runId: this.#runId, abortSignal: this.#signal };
    return { agent, messages: [...this.#messages], options };
  }

  /** Ends the agent's part. */
  #endAgent() {
    clearTimeout(this.#giveUpTimer);
    this.#over.abort();
  }

  async generate() {
    try {
      const { agent, messages, options } = await this.#openAgent();
      const result = await withAbort(
        this.#signal,
        () => this.#signal.reason,
        () => agent.generate(messages, options),
      );
      this.#signal.throwIfAborted();
      if (result.error) throw result.error;
      const question = this.#question();
      return { question, usage: addUsage(result.usage, usedBesides(question)) };
    } catch (error) {
      const question = this.#question();
      // The error of the question names the cause; the other one says only that the stream ended.
      if (question?.error) return { question, usage: usedBesides(question) };
      return (await this.#quoteInstead(error)).ended;
    } finally {
      this.#endAgent();
    }
  }

  async *stream(): AsyncGenerator<Step, void, undefined> {
    let isShown = false;
    try {
      const { agent, messages, options } = await this.#openAgent();
      const output = await agent.stream(messages, options);
      yield { question: this.#question() };
      for await (const chunk of output.fullStream) {
        const step = toStep(chunk, this.#question());
        if (step.text) {
          isShown = true;
          clearTimeout(this.#giveUpTimer);
        }
        yield step;
      }
      this.#signal.throwIfAborted();
    } catch (error) {
      if (isShown) throw error;
      const { ended, texts } = await this.#quoteInstead(error);
      yield ended;
      for (const text of texts) yield { question: ended.question, text };
    } finally {
      this.#endAgent();
    }
  }

  /** Quotes sections if the model failed after a search. @throws the failure without a fallback */
  async #quoteInstead(failure: unknown): Promise<{ ended: Ended; texts: readonly string[] }> {
    const { giveUpMs, calls } = this.#parts;
    const before = this.#question();
    const isLost = this.#ending.aborted || giveUpMs === undefined || before?.error;
    if (isLost || !before || before.toolUses.length === 0) throw failure;
    // The model cannot change a copy.
    const question = before.withoutAnswer();
    const { texts } = await quote(question, calls, this.#ending);
    return { ended: { question, usage: usedBesides(before) }, texts };
  }

  async finish({ question, usage }: Ended) {
    await yieldToEventLoop();
    if (question?.error) throw question.error;
    if (this.#ending.aborted) throw this.#ending.reason;
    this.#endSpan(usage);
    const { model, onFinished } = this.#parts;
    const { namespace } = this.#options;
    const answer = answerOf(question);
    const result = toResult(answer, question, {
      namespace,
      runId: this.#runId,
      model,
      usage: question ? usage : {},
    });
    const known = { options: this.#options, requestId: this.#requestId, isHeld: this.#isHeld };
    const kept = { answer, result, ...known };
    if (question) await inStage('keep', () => keep(question, kept, this.#parts));
    const isDegraded = question?.isDegraded === true;
    onFinished({ ...answer, isDegraded, coverage: question?.searches[0]?.coverage });
    return result;
  }

  toError(error: unknown) {
    const { timeoutMs, handOffs } = this.#parts;
    const known = modelError(error, this.#deadline.aborted ? timeoutMs / 1_000 : undefined);
    const hasLeft = this.#options.signal?.aborted === true;
    // A reader who left may have read that a person gets the question.
    if (this.#isHeld && !hasLeft) void handOffs?.release(this.#runId);
    this.#endSpan({}, hasLeft ? 'left' : known.code);
    return known;
  }

  end() {
    this.#leaving.abort();
    this.#endSpan({}, 'left');
  }
}

/** Answers questions, as a whole or as a stream. */
export class Ask {
  readonly #parts;

  constructor(parts: AskParts) {
    this.#parts = parts;
  }

  /** Reads the earlier messages of the conversation. */
  async #begin(options: AskOptions, runId: string) {
    const { gate, conversations, timeoutMs } = this.#parts;
    const { messages, memory, addressed } = options;
    const deadline = AbortSignal.timeout(timeoutMs);
    note({ runId });
    await yieldToEventLoop();
    const isRecalled =
      memory &&
      messages.length === 1 &&
      gate.question(lastQuestion(messages), addressed) !== undefined;
    const earlier = isRecalled ? await inStage('recall', () => conversations.recall(memory)) : [];
    return new Run(this.#parts, options, runId, deadline, earlier);
  }

  /**
   * @throws KnowledgeError `namespace_not_found`, `model_failed`, `model_unavailable`,
   * `budget_spent`, `busy`, `timeout`
   */
  readonly ask = async (options: AskOptions) => {
    const run = await this.#begin(options, randomUUID());
    try {
      return await run.finish(await run.within(() => run.generate()));
    } catch (error) {
      throw run.toError(error);
    }
  };

  readonly stream = async function* (
    this: Ask,
    { runId, ...options }: AskOptions & { readonly runId: string },
  ): AsyncGenerator<AskEvent, void, undefined> {
    const run = await this.#begin(options, runId);
    try {
      let shown = 0;
      let last: Ended = { question: undefined, usage: {} };
      for await (const step of run.working.beside(eachWithin(run, run.stream()))) {
        if ('notice' in step) {
          yield { type: 'working', on: step.notice };
          continue;
        }
        const { question, text, usage = last.usage } = step.item;
        last = { question, usage };
        yield* searchedEvents(question, shown);
        shown = question?.toolUses.length ?? shown;
        if (text !== undefined) yield { type: 'text', text };
      }
      yield { type: 'finished', result: await run.finish(last) };
    } catch (error) {
      throw run.toError(error);
    } finally {
      run.end();
    }
  }.bind(this);
}
