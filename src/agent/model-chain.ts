/**
 * Combines models into one: retries a failing model if that helps, then calls the next one. Retries end with the question's deadline or the
 * first shown part. A circuit breaker per model pauses one that keeps failing.
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
import { beginCall, type CallInProgress, type CallRequest, failureIn, isPrelude, type ModelCall, type ModelUse } from './model-call.ts';
import { incompleteReply } from './plain-reply.ts';
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
  /** Attempts per model and reply. */
  readonly maxAttempts: number;
  /** Longest pause before the second attempt; doubles each time. Milliseconds. */
  readonly firstPauseMs: number;
  /** Time to the first token. Milliseconds. */
  readonly firstPartMs: number;
  /** Time between two parts. Milliseconds. */
  readonly stallMs: number;
  /** Time for a reply that is not streamed, if there is a fallback. Milliseconds. */
  readonly wholeMs: number;
  /** Time in which attempts may begin. Milliseconds. */
  readonly totalMs: number;
  /** Consecutive failures that pause a model; more than one question can cause. */
  readonly maxFailures: number;
  /** Length of the pause. Milliseconds. */
  readonly circuitPauseMs: number;
}

const defaultRetryPolicy: ModelRetryPolicy = {
  maxAttempts: 3,
  firstPauseMs: 450,
  firstPartMs: 20_000,
  stallMs: 10_000,
  wholeMs: 30_000,
  totalMs: 45_000,
  maxFailures: 5,
  circuitPauseMs: 10_000,
};

/** A longer `Retry-After` is skipped if there is a fallback. Milliseconds. */
const maxRetryAfterWithOtherMs = 1_000;

export type ModelRole = 'main' | 'fallback' | 'judge';

export interface CircuitChange {
  readonly role: ModelRole;
  readonly isOpen: boolean;
  /** For the log: the model and the reason, no text of the provider. */
  readonly message: string;
}

export interface RoleModel {
  readonly role: ModelRole;
  readonly model: LanguageModelV4;
}

export interface ModelChainOptions {
  /** In the order of the calls. */
  readonly models: readonly [RoleModel, ...RoleModel[]];
  /** Whether the question is still answered if all models fail. */
  readonly hasFallbackAnswerer: boolean;
  readonly onCall: (call: ModelCall, use: ModelUse) => void;
  readonly onCircuit: (change: CircuitChange) => void;
  readonly patience?: Partial<ModelRetryPolicy> | undefined;
}

export interface ModelChain {
  /** Name of the first model. */
  readonly modelId: string;
  for(use: ModelUse): LanguageModelV4;
}

/** Its models throw the provider's error, or `model_unavailable` during a pause. */
export function createModelChain(options: ModelChainOptions): ModelChain {
  const patience = { ...defaultRetryPolicy, ...options.patience };
  const links: Link[] = options.models.map((one) => ({ model: one.model, circuit: createModelCircuit(one, patience, options.onCircuit) }));
  const { provider, modelId, supportedUrls } = options.models[0].model;
  const { onCall } = options;

  /** Calls one model, with retries. @throws its last failure */
  const askLink = <Reply>(link: Link, request: ChainRequest, once: (attempt: Attempted) => Promise<Reply>): Promise<Reply> =>
    retry(() => attemptOnce(link, request, once), {
      maxAttempts: patience.maxAttempts,
      firstPauseMs: patience.firstPauseMs,
      totalMs: request.until - performance.now(),
      isRetryable: isWorthAnother,
      retryAfterMs: (error) => readProviderFailure(error).waitMs,
      maxRetryAfterMs: request.hasFallback ? maxRetryAfterWithOtherMs : Number.POSITIVE_INFINITY,
      signal: request.options.abortSignal,
    });

  async function ask<Reply>(request: ChainRequest, once: (attempt: Attempted) => Promise<Reply>): Promise<Reply> {
    let failure: unknown;
    for (const [at, link] of links.entries()) {
      try {
        return await askLink(link, { ...request, hasFallback: options.hasFallbackAnswerer || at + 1 < links.length }, once);
      } catch (error) {
        request.options.abortSignal?.throwIfAborted();
        failure = error;
        if (performance.now() > request.until) break;
      }
    }
    throw failure;
  }

  const toChainRequest = (callOptions: LanguageModelV4CallOptions, use: ModelUse): ChainRequest => ({
    options: callOptions,
    hasFallback: true,
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

      // Streams too: without a first token, a slow model looks like a hanging one.
      doGenerate: (callOptions) =>
        ask(toChainRequest(callOptions, use), async (attempted) => {
          const { limits, hasFallback } = attempted;
          return limits.within(hasFallback ? patience.wholeMs : undefined, 'whole', async () =>
            gather(await openStream(attempted, callOptions, patience)),
          );
        }),

      doStream: (callOptions) => ask(toChainRequest(callOptions, use), (attempted) => openStream(attempted, callOptions, patience)),
    }),
  };
}

interface Link {
  readonly model: LanguageModelV4;
  readonly circuit: Circuit;
}

interface ChainRequest extends CallRequest {
  readonly hasFallback: boolean;
  /** No attempt begins later; time of `performance.now()`. */
  readonly until: number;
}

interface Attempted {
  readonly model: LanguageModelV4;
  readonly call: CallInProgress;
  readonly limits: TimeLimits;
  readonly hasFallback: boolean;
}

/** @throws `model_unavailable` while the model is paused */
async function attemptOnce<Reply>(
  { model, circuit }: Link,
  request: ChainRequest,
  once: (attempt: Attempted) => Promise<Reply>,
): Promise<Reply> {
  const call = beginCall(model, circuit.begin(), request);
  const limits = createTimeLimits(request.options.abortSignal);
  try {
    const reply = await once({ model, call, limits, hasFallback: request.hasFallback });
    request.use.onAnswering?.(model.modelId);
    return reply;
  } catch (error) {
    call.end(error);
    // Cancels the rest of the reply.
    limits.end(error);
    throw error;
  }
}

const pausedError = (error: unknown, leftMs: number) =>
  new KnowledgeError('model_unavailable', 'The model is failing and is paused. Retry in a moment.', {
    cause: error,
    retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1_000)),
  });

const createModelCircuit = ({ role, model }: RoleModel, patience: ModelRetryPolicy, onCircuit: ModelChainOptions['onCircuit']): Circuit =>
  createCircuit({
    pauseMs: patience.circuitPauseMs,
    maxFailures: patience.maxFailures,
    isAway: (error) => !isAboutRequest(error),
    isCertain: isSetUpWrongly,
    toError: pausedError,
    onOpen(error) {
      const pause = `It is paused and retried every ${patience.circuitPauseMs / 1_000} seconds.`;
      onCircuit({ role, isOpen: true, message: `The model ${model.modelId} is failing (${describeFailure(error)}). ${pause}` });
    },
    onClose: () => onCircuit({ role, isOpen: false, message: `The model ${model.modelId} answers again.` }),
  });

/** Aborts an attempt with its question, or if the model is silent for too long. */
interface TimeLimits {
  readonly signal: AbortSignal;
  /** @param ms undefined: no limit but that of the question @throws SilentModelError */
  within<T>(ms: number | undefined, silence: Silence, work: () => Promise<T>): Promise<T>;
  end(reason: unknown): void;
}

function createTimeLimits(outer: AbortSignal | undefined): TimeLimits {
  const ending = new AbortController();
  const signal = outer ? AbortSignal.any([outer, ending.signal]) : ending.signal;
  return {
    signal,
    within(ms, silence, work) {
      const timer = ms === undefined ? undefined : setTimeout(() => ending.abort(new SilentModelError(silence, ms)), ms);
      return withAbort(signal, () => signal.reason, work).finally(() => clearTimeout(timer));
    },
    end: (reason: unknown) => ending.abort(reason),
  };
}

type ReadResult = Awaited<ReturnType<ReadableStreamDefaultReader<LanguageModelV4StreamPart>['read']>>;

/** Reads parts up to the first token. @throws a failure before it */
async function firstParts(read: () => Promise<ReadResult>): Promise<LanguageModelV4StreamPart[]> {
  const parts: LanguageModelV4StreamPart[] = [];
  for (;;) {
    const { value, done } = await read();
    if (done) throw incompleteReply();
    const failure = failureIn(value);
    if (failure !== undefined) throw failure;
    parts.push(value);
    if (!isPrelude(value)) return parts;
  }
}

/** Begins a reply and waits for its first token; the end of the stream ends the call. @throws a failure before that token */
async function openStream(
  { model, call, limits }: Attempted,
  callOptions: LanguageModelV4CallOptions,
  { firstPartMs, stallMs }: ModelRetryPolicy,
) {
  return limits.within(firstPartMs, 'first_token', async () => {
    const streamOptions = { ...callOptions, abortSignal: limits.signal, includeRawChunks: true };
    const reply = await call.within(async () => model.doStream(streamOptions));
    const reader = reply.stream.getReader();
    const first = await firstParts(() => reader.read());
    const read = () => limits.within(stallMs, 'stall', () => reader.read());
    return { ...reply, stream: relayStream(first, read, (reason) => reader.cancel(reason), call, callOptions.abortSignal) };
  });
}

/** Collects a whole reply: its text and tool calls. @throws its failure */
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
  throw incompleteReply();
}

/** Streams the parts read so far and the rest; the end of the stream ends the call. */
function relayStream(
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
          call.end(incompleteReply());
          return controller.close();
        }
        call.addPart(part);
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
