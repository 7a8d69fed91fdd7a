/**
 * One model made of one or more of providers: who fails is asked again where that helps, then the next of them is. All of it happens within
 * the deadline of the question, and never once a part of a reply has been handed on. A model that fails again and again is left alone for a
 * while (one circuit for each), so that nobody waits for it. Every call is told of: how it went, how long it took, what it used.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4StreamPart, LanguageModelV4Usage } from '@ai-sdk/provider';
import { type Circuit, type CircuitTry, createCircuit } from '../concurrency/circuit-breaker.ts';
import { untilEnded } from '../concurrency/deadline.ts';
import { KnowledgeError } from '../errors.ts';
import { beginStage, failureName } from '../trace.ts';
import { isCutOff } from './plain-reply.ts';
import { isAboutRequest, isSetUpWrongly, isWorthAnother, readProviderFailure } from './provider-failure.ts';

/** One call of a provider. */
export interface ModelCall {
  readonly model: string;
  /** `answered` also where whoever asked went away; `refused` where the provider would not have this request, or this key. */
  readonly outcome: 'answered' | 'failed' | 'refused';
  readonly ms: number;
  /** As the provider says it; where it does not, a fourth of the characters. */
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** Who a model works for. */
export interface ModelUse {
  readonly countedAs?: string | undefined;
  /** Told which model it is that answers. */
  readonly onAnswering?: ((model: string) => void) | undefined;
}

export interface ModelPatience {
  /** Of one model, for one reply. */
  readonly maxAttempts: number;
  /** Before the second attempt; doubles each time. Milliseconds. */
  readonly firstPauseMs: number;
  /** Until the first part of a reply, where somebody else can be asked. Milliseconds. */
  readonly firstPartMs: number;
  /** The same of a reply that comes as a whole. Milliseconds. */
  readonly wholeMs: number;
  /** In which an attempt may begin. Milliseconds. */
  readonly totalMs: number;
  /** In a row, after which a model is left alone: more than one question makes. */
  readonly maxFailures: number;
  /** For which it is left alone. Milliseconds. */
  readonly circuitPauseMs: number;
}

const usualPatience: ModelPatience = {
  maxAttempts: 3,
  firstPauseMs: 300,
  firstPartMs: 15_000,
  wholeMs: 30_000,
  totalMs: 45_000,
  maxFailures: 5,
  circuitPauseMs: 10_000,
};

/** A longer `Retry-After` is not waited for where somebody else can be asked. Milliseconds. */
const maxWaitBesideOthersMs = 1_000;

export interface ModelChainOptions {
  /** Asked in this order. */
  readonly models: readonly [LanguageModelV4, ...LanguageModelV4[]];
  /** Whether somebody answers where all of them fail. */
  readonly hasStandIn: boolean;
  readonly onCall: (call: ModelCall, countedAs: string) => void;
  readonly onWarning: (message: string) => void;
  readonly patience?: Partial<ModelPatience> | undefined;
}

export interface ModelChain {
  /** Name of the first. */
  readonly modelId: string;
  for(use: ModelUse): LanguageModelV4;
}

/** Throws what a provider threw, or `model_unavailable` where it is left alone. */
export function createModelChain(options: ModelChainOptions): ModelChain {
  const patience = { ...usualPatience, ...options.patience };
  const links: Link[] = options.models.map((model) => ({ model, circuit: createModelCircuit(model.modelId, patience, options.onWarning) }));
  const { provider, modelId, supportedUrls } = options.models[0];
  const { onCall } = options;

  /** One model, again where that helps. @throws its last failure */
  async function askLink<Reply>(link: Link, asked: Asked, once: (attempt: Attempted) => Promise<Reply>): Promise<Reply> {
    const { abortSignal: signal } = asked.options;
    for (let attempt = 1; ; attempt++) {
      try {
        return await attemptOnce(link, asked, once);
      } catch (error) {
        signal?.throwIfAborted();
        const waitMs = attempt < patience.maxAttempts ? pauseBefore(error, attempt, patience.firstPauseMs) : undefined;
        if (waitMs === undefined || waitMs > maxWaitMsOf(asked)) throw error;
        await sleep(waitMs, undefined, { signal });
      }
    }
  }

  async function ask<Reply>(asked: Asked, once: (attempt: Attempted) => Promise<Reply>): Promise<Reply> {
    let failure: unknown;
    for (const [at, link] of links.entries()) {
      try {
        return await askLink(link, { ...asked, hasOther: options.hasStandIn || at + 1 < links.length }, once);
      } catch (error) {
        asked.options.abortSignal?.throwIfAborted();
        failure = error;
        if (performance.now() > asked.until) break;
      }
    }
    throw failure;
  }

  const toAsked = (asking: LanguageModelV4CallOptions, { countedAs = '', onAnswering }: ModelUse, boundMs: number): Asked => ({
    options: asking,
    boundMs,
    hasOther: true,
    until: performance.now() + patience.totalMs,
    onAnswering: (model) => onAnswering?.(model),
    onCall: (call) => onCall(call, countedAs),
  });

  return {
    modelId,
    for: (use) => ({
      specificationVersion: 'v4',
      provider,
      modelId,
      supportedUrls,

      doGenerate: (asking) =>
        ask(toAsked(asking, use, patience.wholeMs), async ({ model, call, bound }) => {
          const reply = await bound.within(() => call.within(async () => model.doGenerate({ ...asking, abortSignal: bound.signal })));
          call.hear(reply.content.map((part) => (part.type === 'text' ? part.text : '')).join(''), reply.usage);
          call.end();
          return reply;
        }),

      doStream: (asking) =>
        ask(toAsked(asking, use, patience.firstPartMs), async ({ model, call, bound }) => {
          const reply = await bound.within(() => call.within(async () => model.doStream({ ...asking, abortSignal: bound.signal })));
          const reader = reply.stream.getReader();
          const first = await firstParts(() => bound.within(() => reader.read()));
          return { ...reply, stream: handOn(first, reader, call, asking.abortSignal) };
        }),
    }),
  };
}

interface Link {
  readonly model: LanguageModelV4;
  readonly circuit: Circuit;
}

/** What is asked, and who is told of it. */
interface Asked {
  readonly options: LanguageModelV4CallOptions;
  /** Whether somebody else can be asked. */
  readonly hasOther: boolean;
  /** Until the first part, where somebody can. Milliseconds. */
  readonly boundMs: number;
  /** No attempt begins later; as `performance.now()` tells the time. */
  readonly until: number;
  readonly onAnswering: (model: string) => void;
  readonly onCall: (call: ModelCall) => void;
}

interface Attempted {
  readonly model: LanguageModelV4;
  readonly call: CallInProgress;
  readonly bound: ReturnType<typeof createBound>;
}

/** @throws also while the model is left alone */
async function attemptOnce<Reply>({ model, circuit }: Link, asked: Asked, once: (attempt: Attempted) => Promise<Reply>): Promise<Reply> {
  const call = beginCall(model, circuit.begin(), asked);
  const bound = createBound(asked.options.abortSignal, asked.hasOther ? asked.boundMs : undefined);
  try {
    const reply = await once({ model, call, bound });
    asked.onAnswering(model.modelId);
    return reply;
  } catch (error) {
    call.end(error);
    // What was still to come is not waited for.
    bound.end(error);
    throw error;
  } finally {
    bound.lift();
  }
}

const leftAlone = (error: unknown, leftMs: number) =>
  new KnowledgeError('model_unavailable', 'The model failed a moment ago and is not asked yet; try again in a moment.', {
    cause: error,
    retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1_000)),
  });

const createModelCircuit = (name: string, patience: ModelPatience, onWarning: ModelChainOptions['onWarning']): Circuit =>
  createCircuit({
    pauseMs: patience.circuitPauseMs,
    maxFailures: patience.maxFailures,
    isAway: (error) => !isAboutRequest(error),
    isCertain: isSetUpWrongly,
    toError: leftAlone,
    onOpen: () =>
      onWarning(`The model ${name} fails, and is asked again every ${patience.circuitPauseMs / 1_000} seconds until it answers.`),
  });

/** Milliseconds, some less for each by chance, so that those who failed together do not come back together; undefined: it would not help. */
function pauseBefore(error: unknown, attempt: number, firstPauseMs: number): number | undefined {
  if (!isWorthAnother(error)) return undefined;
  const usualMs = firstPauseMs * 2 ** (attempt - 1) * (0.5 + Math.random() / 2);
  return Math.max(usualMs, readProviderFailure(error).waitMs ?? 0);
}

function maxWaitMsOf({ until, hasOther }: Asked): number {
  const leftMs = until - performance.now();
  return hasOther ? Math.min(leftMs, maxWaitBesideOthersMs) : leftMs;
}

const isLate = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError';

/** A deadline of an attempt, until it is lifted. @param ms undefined: that of the question alone */
function createBound(outer: AbortSignal | undefined, ms: number | undefined) {
  const ending = new AbortController();
  const signal = outer ? AbortSignal.any([outer, ending.signal]) : ending.signal;
  const late = () => ending.abort(new DOMException(`the model said nothing within ${ms} ms`, 'TimeoutError'));
  const timer = ms === undefined ? undefined : setTimeout(late, ms);
  return {
    signal,
    within: <T>(work: () => Promise<T>): Promise<T> => untilEnded(signal, () => signal.reason, work),
    lift: () => clearTimeout(timer),
    end: (reason: unknown) => ending.abort(reason),
  };
}

const charsPerToken = 4;
/** No model reads or says so much at a time: who tells such a number is not believed. */
const maxTold = 10_000_000;

/** Some tell 0 where they have not counted. */
const toldOr = (told = 0, estimate: number): number => (Number.isInteger(told) && told > 0 && told <= maxTold ? told : estimate);

const charsOf = ({ prompt }: LanguageModelV4CallOptions): number =>
  prompt.reduce((sum, { content }) => {
    const texts = typeof content === 'string' ? [content] : content.map((part) => ('text' in part ? part.text : JSON.stringify(part)));
    return sum + texts.reduce((chars, text) => chars + text.length, 0);
  }, 0);

type CallInProgress = ReturnType<typeof beginCall>;

/** What becomes of one call, told once. */
function beginCall({ modelId: model, provider }: LanguageModelV4, attempt: CircuitTry, { options, onCall }: Asked) {
  const stage = beginStage('model');
  const startedAt = performance.now();
  let usage: LanguageModelV4Usage | undefined;
  let isHeard = false;
  let chars = 0;
  let isOver = false;

  /** @param failure its name */
  function tell(outcome: ModelCall['outcome'], failure?: string): void {
    const estimate = (of: number) => (isHeard ? Math.ceil(of / charsPerToken) : 0);
    const inputTokens = toldOr(usage?.inputTokens.total, estimate(charsOf(options)));
    const outputTokens = toldOr(usage?.outputTokens.total, estimate(chars));
    onCall({ model, outcome, ms: performance.now() - startedAt, inputTokens, outputTokens });
    const asked = { 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': provider, 'gen_ai.request.model': model };
    stage.end({ ...asked, 'gen_ai.usage.input_tokens': inputTokens, 'gen_ai.usage.output_tokens': outputTokens }, failure);
  }

  /** Whether whoever asked went away: a question whose time is up was not answered by this model. */
  const isLeft = () => options.abortSignal?.aborted === true && !isLate(options.abortSignal.reason);

  function decide(error: unknown): void {
    // Whoever is hung up on has read the prompt by then.
    isHeard ||= options.abortSignal?.aborted === true || isLate(error);
    if (isLeft()) {
      attempt.withdrawn();
      tell('answered', 'left');
    } else {
      attempt.failed(error);
      tell(isAboutRequest(error) || isSetUpWrongly(error) ? 'refused' : 'failed', failureName(error));
    }
  }

  function hear(text: string, told?: LanguageModelV4Usage): void {
    isHeard = true;
    chars += text.length;
    usage = told ?? usage;
  }

  /** @param error undefined: the reply is whole, or as much of it as anybody wants */
  function end(error?: unknown): void {
    if (isOver) return;
    isOver = true;
    if (error === undefined) {
      attempt.succeeded();
      tell('answered');
    } else decide(error);
  }

  /** A part of a stream, of which the last ends the call. */
  function hearPart(part: LanguageModelV4StreamPart): void {
    if (!preludes.has(part.type)) hear(saidIn(part), part.type === 'finish' ? part.usage : undefined);
    const failure = failureIn(part);
    if (failure !== undefined || part.type === 'finish') end(failure);
  }

  return { within: stage.within, hear, hearPart, end };
}

const notWhole = () => new Error('the reply of the model ended before it was whole');

/** What comes before anything is said. */
const preludes: ReadonlySet<string> = new Set(['stream-start', 'response-metadata', 'raw', 'text-start', 'reasoning-start']);

/** What a part says has failed; undefined: nothing. */
function failureIn(part: LanguageModelV4StreamPart): unknown {
  if (part.type === 'error') return part.error ?? notWhole();
  return part.type === 'finish' && isCutOff(part.finishReason) ? notWhole() : undefined;
}

type ReadResult = Awaited<ReturnType<ReadableStreamDefaultReader<LanguageModelV4StreamPart>['read']>>;

/** Everything up to the first that is said. @throws what failed until then */
async function firstParts(read: () => Promise<ReadResult>): Promise<LanguageModelV4StreamPart[]> {
  const parts: LanguageModelV4StreamPart[] = [];
  for (;;) {
    const { value, done } = await read();
    if (done) throw notWhole();
    const failure = failureIn(value);
    if (failure !== undefined) throw failure;
    parts.push(value);
    if (!preludes.has(value.type)) return parts;
  }
}

const saidIn = (part: LanguageModelV4StreamPart): string => ('delta' in part ? part.delta : part.type === 'tool-call' ? part.input : '');

/** The parts that were read, and those that follow; the call is over when they are. */
function handOn(
  first: readonly LanguageModelV4StreamPart[],
  reader: ReadableStreamDefaultReader<LanguageModelV4StreamPart>,
  call: CallInProgress,
  signal: AbortSignal | undefined,
): ReadableStream<LanguageModelV4StreamPart> {
  const waiting = [...first];
  return new ReadableStream({
    async pull(controller) {
      try {
        const part = waiting.shift() ?? (await reader.read()).value;
        if (!part) {
          call.end(notWhole());
          return controller.close();
        }
        call.hearPart(part);
        controller.enqueue(part);
      } catch (error) {
        call.end(error);
        controller.error(error);
      }
    },
    cancel(reason) {
      call.end(signal?.aborted ? signal.reason : undefined);
      return reader.cancel(reason);
    },
  });
}
