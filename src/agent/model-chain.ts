/**
 * One model made of one or more of providers: who fails is asked again where that helps, then the next of them is. All of it happens within
 * the deadline of the question, and never once a part of a reply has been handed on. A model that fails again and again is left alone for a
 * while (one circuit for each), so that nobody waits for it. Every call is told of: how it went, how long it took, what it used.
 */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
  LanguageModelV4ToolCall,
} from '@ai-sdk/provider';
import { type Circuit, createCircuit } from '../concurrency/circuit-breaker.ts';
import { withAbort } from '../concurrency/deadline.ts';
import { retry } from '../concurrency/retry.ts';
import { KnowledgeError } from '../errors.ts';
import {
  type Asking,
  beginCall,
  type CallInProgress,
  failureIn,
  isPrelude,
  type ModelCall,
  type ModelUse,
  notWhole,
} from './model-call.ts';
import {
  describeFailure,
  isAboutRequest,
  isSetUpWrongly,
  isWorthAnother,
  readProviderFailure,
  type Silence,
  SilentModelError,
} from './provider-failure.ts';

export interface ModelRetryPolicy {
  /** Of one model, for one reply. */
  readonly maxAttempts: number;
  /** Longest pause before the second attempt; doubles each time. Milliseconds. */
  readonly firstPauseMs: number;
  /** Until the first token of a reply. Milliseconds. */
  readonly firstPartMs: number;
  /** Between two parts of a reply. Milliseconds. */
  readonly stallMs: number;
  /** For a reply that no reader sees before its end, if another model or the documents can answer. Milliseconds. */
  readonly wholeMs: number;
  /** In which an attempt may begin. Milliseconds. */
  readonly totalMs: number;
  /** In a row, after which a model is left alone: more than one question makes. */
  readonly maxFailures: number;
  /** For which it is left alone. Milliseconds. */
  readonly circuitPauseMs: number;
}

const usualPatience: ModelRetryPolicy = {
  maxAttempts: 3,
  firstPauseMs: 450,
  firstPartMs: 20_000,
  stallMs: 10_000,
  wholeMs: 30_000,
  totalMs: 45_000,
  maxFailures: 5,
  circuitPauseMs: 10_000,
};

/** A longer `Retry-After` is not waited for where somebody else can be asked. Milliseconds. */
const maxWaitBesideOthersMs = 1_000;

export type ModelRole = 'main' | 'fallback' | 'judge';

export interface CircuitChange {
  readonly role: ModelRole;
  readonly isOpen: boolean;
  /** For the log: the model and the reason, nothing that the provider wrote. */
  readonly message: string;
}

export interface RoleModel {
  readonly role: ModelRole;
  readonly model: LanguageModelV4;
}

export interface ModelChainOptions {
  /** Asked in this order. */
  readonly models: readonly [RoleModel, ...RoleModel[]];
  /** Whether somebody answers where all of them fail. */
  readonly hasStandIn: boolean;
  readonly onCall: (call: ModelCall, use: ModelUse) => void;
  /** Called when the circuit of a model opens or closes. */
  readonly onCircuit: (change: CircuitChange) => void;
  readonly patience?: Partial<ModelRetryPolicy> | undefined;
}

export interface ModelChain {
  /** Name of the first. */
  readonly modelId: string;
  for(use: ModelUse): LanguageModelV4;
}

/** Throws what a provider threw, or `model_unavailable` where it is left alone. */
export function createModelChain(options: ModelChainOptions): ModelChain {
  const patience = { ...usualPatience, ...options.patience };
  const links: Link[] = options.models.map((one) => ({ model: one.model, circuit: createModelCircuit(one, patience, options.onCircuit) }));
  const { provider, modelId, supportedUrls } = options.models[0].model;
  const { onCall } = options;

  /** Asks one model, again if that helps. @throws its last failure */
  const askLink = <Reply>(link: Link, asked: Asked, once: (attempt: Attempted) => Promise<Reply>): Promise<Reply> =>
    retry(() => attemptOnce(link, asked, once), {
      maxAttempts: patience.maxAttempts,
      firstPauseMs: patience.firstPauseMs,
      totalMs: asked.until - performance.now(),
      isRetryable: isWorthAnother,
      retryAfterMs: (error) => readProviderFailure(error).waitMs,
      maxRetryAfterMs: asked.hasOther ? maxWaitBesideOthersMs : Number.POSITIVE_INFINITY,
      signal: asked.options.abortSignal,
    });

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

  const toAsked = (asking: LanguageModelV4CallOptions, use: ModelUse): Asked => ({
    options: asking,
    hasOther: true,
    until: performance.now() + patience.totalMs,
    use,
    onCall: (call) => onCall(call, use),
  });

  return {
    modelId,
    for: (use) => ({
      specificationVersion: 'v4',
      provider,
      modelId,
      supportedUrls,

      // As a stream too: a reply that comes as a whole has no first token, so a slow model could not be distinguished from a hanging one.
      doGenerate: (asking) =>
        ask(toAsked(asking, use), async (attempted) => {
          const { bound, hasOther } = attempted;
          return bound.within(hasOther ? patience.wholeMs : undefined, 'whole', async () =>
            gather(await openStream(attempted, asking, patience)),
          );
        }),

      doStream: (asking) => ask(toAsked(asking, use), (attempted) => openStream(attempted, asking, patience)),
    }),
  };
}

interface Link {
  readonly model: LanguageModelV4;
  readonly circuit: Circuit;
}

interface Asked extends Asking {
  /** Whether somebody else can be asked. */
  readonly hasOther: boolean;
  /** No attempt begins later; as `performance.now()` tells the time. */
  readonly until: number;
}

interface Attempted {
  readonly model: LanguageModelV4;
  readonly call: CallInProgress;
  readonly bound: ReturnType<typeof createBound>;
  readonly hasOther: boolean;
}

/** @throws also while the model is left alone */
async function attemptOnce<Reply>({ model, circuit }: Link, asked: Asked, once: (attempt: Attempted) => Promise<Reply>): Promise<Reply> {
  const call = beginCall(model, circuit.begin(), asked);
  const bound = createBound(asked.options.abortSignal);
  try {
    const reply = await once({ model, call, bound, hasOther: asked.hasOther });
    asked.use.onAnswering?.(model.modelId);
    return reply;
  } catch (error) {
    call.end(error);
    // What was still to come is not waited for.
    bound.end(error);
    throw error;
  }
}

const leftAlone = (error: unknown, leftMs: number) =>
  new KnowledgeError('model_unavailable', 'The model failed a moment ago and is not asked yet; try again in a moment.', {
    cause: error,
    retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1_000)),
  });

const createModelCircuit = ({ role, model }: RoleModel, patience: ModelRetryPolicy, onCircuit: ModelChainOptions['onCircuit']): Circuit =>
  createCircuit({
    pauseMs: patience.circuitPauseMs,
    maxFailures: patience.maxFailures,
    isAway: (error) => !isAboutRequest(error),
    isCertain: isSetUpWrongly,
    toError: leftAlone,
    onOpen(error) {
      const pause = `It is paused and retried every ${patience.circuitPauseMs / 1_000} seconds.`;
      onCircuit({ role, isOpen: true, message: `The model ${model.modelId} is failing (${describeFailure(error)}). ${pause}` });
    },
    onClose: () => onCircuit({ role, isOpen: false, message: `The model ${model.modelId} answers again.` }),
  });

/** Ends an attempt with its question, or when the model is silent for too long. */
function createBound(outer: AbortSignal | undefined) {
  const ending = new AbortController();
  const signal = outer ? AbortSignal.any([outer, ending.signal]) : ending.signal;
  return {
    signal,
    /** @param ms undefined: no limit but that of the question @throws SilentModelError */
    within<T>(ms: number | undefined, silence: Silence, work: () => Promise<T>): Promise<T> {
      const timer = ms === undefined ? undefined : setTimeout(() => ending.abort(new SilentModelError(silence, ms)), ms);
      return withAbort(signal, () => signal.reason, work).finally(() => clearTimeout(timer));
    },
    end: (reason: unknown) => ending.abort(reason),
  };
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
    if (!isPrelude(value)) return parts;
  }
}

/** Begins a reply and waits for its first token; the call is over when the stream is. @throws what failed until then */
async function openStream(
  { model, call, bound }: Attempted,
  asking: LanguageModelV4CallOptions,
  { firstPartMs, stallMs }: ModelRetryPolicy,
) {
  return bound.within(firstPartMs, 'first_token', async () => {
    const asked = { ...asking, abortSignal: bound.signal, includeRawChunks: true };
    const reply = await call.within(async () => model.doStream(asked));
    const reader = reply.stream.getReader();
    const first = await firstParts(() => reader.read());
    const read = () => bound.within(stallMs, 'stall', () => reader.read());
    return { ...reply, stream: handOn(first, read, (reason) => reader.cancel(reason), call, asking.abortSignal) };
  });
}

/** A reply as a whole: its text and its calls of tools. @throws what failed */
async function gather({ stream, request, response }: LanguageModelV4StreamResult): Promise<LanguageModelV4GenerateResult> {
  let text = '';
  const calls: LanguageModelV4ToolCall[] = [];
  for await (const part of stream) {
    const failure = failureIn(part);
    if (failure !== undefined) throw failure;
    if (part.type === 'text-delta') text += part.delta;
    if (part.type === 'tool-call') calls.push(part);
    if (part.type !== 'finish') continue;
    const { finishReason, usage } = part;
    const sent = { ...(request ? { request } : {}), ...(response ? { response } : {}) };
    return { content: [{ type: 'text', text }, ...calls], finishReason, usage, warnings: [], ...sent };
  }
  throw notWhole();
}

/** The parts that were read, and those that follow; the call is over when they are. */
function handOn(
  first: readonly LanguageModelV4StreamPart[],
  read: () => Promise<ReadResult>,
  leave: (reason: unknown) => Promise<void>,
  call: CallInProgress,
  signal: AbortSignal | undefined,
): ReadableStream<LanguageModelV4StreamPart> {
  const waiting = [...first];
  return new ReadableStream({
    async pull(controller) {
      try {
        const part = waiting.shift() ?? (await read()).value;
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
      return leave(reason);
    },
  });
}
