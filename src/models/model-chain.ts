/**
 * Combines models into one: retries a model after temporary errors, then calls the next one. There
 * are no retries after `totalMs` or after the first token. A circuit breaker pauses each model that
 * keeps failing.
 */
import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
  LanguageModelV4ToolCall,
} from '@ai-sdk/provider';
import {
  type Circuit,
  createCircuit,
} from '../../packages/shared/src/concurrency/circuit-breaker.ts';
import { withAbort } from '../../packages/shared/src/concurrency/deadline.ts';
import { retry } from '../../packages/shared/src/concurrency/retry.ts';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import {
  beginCall,
  type CallInProgress,
  type CallRequest,
  failureIn,
  isContent,
  isPrelude,
  type ModelCall,
  type ModelUse,
  type Purpose,
} from './model-call.ts';
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
  /** Timeout of the first token. Milliseconds. */
  readonly firstPartMs: number;
  /** Timeout between two parts. Milliseconds. */
  readonly stallMs: number;
  /** Timeout of a reply that is not streamed, if there is a fallback. Milliseconds. */
  readonly wholeMs: number;
  /** Time from the start of the request in which attempts may begin. Milliseconds. */
  readonly totalMs: number;
  /**
   * Consecutive failures that pause a model. Above `maxAttempts`, so that one question cannot cause
   * them.
   */
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

/** With a fallback, the chain does not wait for a longer `Retry-After`. Milliseconds. */
const maxRetryAfterWithFallbackMs = 1_000;

export type ModelRole = 'main' | 'fallback' | 'judge';

export interface CircuitChange {
  readonly role: ModelRole;
  readonly isOpen: boolean;
  /** For the log: names the model and the reason, without text from the provider. */
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
  /** Whether requests have the header `x-knowledge-purpose`. */
  readonly tellsPurpose?: boolean;
}

export interface ModelChain {
  /** Name of the first model. */
  readonly modelId: string;
  for(use: ModelUse): LanguageModelV4;
}

/** The chain's models throw the provider's error, or `model_unavailable` while they are paused. */
export function createModelChain(options: ModelChainOptions): ModelChain {
  const patience = { ...defaultRetryPolicy, ...options.patience };
  const links: Link[] = options.models.map((one) => ({
    model: one.model,
    circuitOf: createCircuits(one, patience, options.onCircuit),
  }));
  const { provider, modelId, supportedUrls } = options.models[0].model;
  const { onCall } = options;

  /** Calls one model, with retries. @throws its last failure */
  const callModel = <Reply>(
    link: Link,
    request: ChainRequest,
    run: (attempt: Attempt) => Promise<Reply>,
  ): Promise<Reply> =>
    retry(() => attemptOnce(link, request, run), {
      // A reader waits for the answer; the other requests can be missing.
      maxAttempts: isAnswer(request.use) ? patience.maxAttempts : 1,
      firstPauseMs: patience.firstPauseMs,
      totalMs: request.until - performance.now(),
      isRetryable: isWorthAnother,
      retryAfterMs: (error) => readProviderFailure(error).waitMs,
      maxRetryAfterMs: request.hasFallback ? maxRetryAfterWithFallbackMs : Number.POSITIVE_INFINITY,
      signal: request.options.abortSignal,
    });

  async function callInOrder<Reply>(
    request: ChainRequest,
    run: (attempt: Attempt) => Promise<Reply>,
  ): Promise<Reply> {
    let failure: unknown;
    for (const [at, link] of links.entries()) {
      try {
        return await callModel(
          link,
          { ...request, hasFallback: options.hasFallbackAnswerer || at + 1 < links.length },
          run,
        );
      } catch (error) {
        request.options.abortSignal?.throwIfAborted();
        failure = error;
        if (performance.now() > request.until) break;
      }
    }
    throw failure;
  }

  const withPurpose = (
    callOptions: LanguageModelV4CallOptions,
    { purpose = 'answer' }: ModelUse,
  ) =>
    options.tellsPurpose === false
      ? callOptions
      : { ...callOptions, headers: { ...callOptions.headers, 'x-knowledge-purpose': purpose } };

  const toChainRequest = (
    callOptions: LanguageModelV4CallOptions,
    use: ModelUse,
  ): ChainRequest => ({
    options: withPurpose(callOptions, use),
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

      // Also streams internally, because only the first token distinguishes a slow model from a
      // hanging one.
      doGenerate: (callOptions) =>
        callInOrder(toChainRequest(callOptions, use), async (attempt) => {
          const { limits, hasFallback } = attempt;
          return limits.within(hasFallback ? patience.wholeMs : undefined, 'whole', async () =>
            gather(await openStream(attempt, withPurpose(callOptions, use), patience)),
          );
        }),

      doStream: (callOptions) =>
        callInOrder(toChainRequest(callOptions, use), (attempt) =>
          openStream(attempt, withPurpose(callOptions, use), patience),
        ),
    }),
  };
}

interface Link {
  readonly model: LanguageModelV4;
  readonly circuitOf: (purpose: Purpose) => Circuit;
}

const isAnswer = ({ purpose = 'answer' }: ModelUse) => purpose === 'answer';

interface ChainRequest extends CallRequest {
  readonly hasFallback: boolean;
  /** No attempt begins later. Time of `performance.now()`. */
  readonly until: number;
}

interface Attempt {
  readonly model: LanguageModelV4;
  readonly call: CallInProgress;
  readonly limits: TimeLimits;
  readonly hasFallback: boolean;
}

/** @throws `model_unavailable` while the model is paused */
async function attemptOnce<Reply>(
  { model, circuitOf }: Link,
  request: ChainRequest,
  run: (attempt: Attempt) => Promise<Reply>,
): Promise<Reply> {
  if (!isAnswer(request.use)) circuitOf('answer').throwIfPaused();
  const call = beginCall(model, circuitOf(request.use.purpose ?? 'answer').begin(), request);
  const limits = createTimeLimits(request.options.abortSignal);
  try {
    const reply = await run({ model, call, limits, hasFallback: request.hasFallback });
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
  new KnowledgeError(
    'model_unavailable',
    'The model is failing and is paused. Retry in a moment.',
    {
      cause: error,
      retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1_000)),
    },
  );

/** One for each purpose, because a model that cannot check may still answer. */
function createCircuits(
  of: RoleModel,
  patience: ModelRetryPolicy,
  onCircuit: ModelChainOptions['onCircuit'],
): Link['circuitOf'] {
  const purposes: readonly Purpose[] = ['search', 'answer', 'check', 'rewrite'];
  const told = of.role === 'judge' ? 'check' : 'answer';
  const circuits = Object.fromEntries(
    purposes.map((one) => [
      one,
      createModelCircuit(of, patience, one === told ? onCircuit : () => undefined),
    ]),
  ) as Record<Purpose, Circuit>;
  return (purpose) => circuits[purpose];
}

const createModelCircuit = (
  { role, model }: RoleModel,
  patience: ModelRetryPolicy,
  onCircuit: ModelChainOptions['onCircuit'],
): Circuit =>
  createCircuit({
    pauseMs: patience.circuitPauseMs,
    maxFailures: patience.maxFailures,
    isAway: (error) => !isAboutRequest(error),
    isCertain: isSetUpWrongly,
    toError: pausedError,
    onOpen(error) {
      const pause = `It is paused and retried every ${patience.circuitPauseMs / 1_000} seconds.`;
      onCircuit({
        role,
        isOpen: true,
        message: `The model ${model.modelId} is failing (${describeFailure(error)}). ${pause}`,
      });
    },
    onClose: () =>
      onCircuit({ role, isOpen: false, message: `The model ${model.modelId} answers again.` }),
  });

/** Aborts an attempt when its question is aborted or the model sends nothing for too long. */
interface TimeLimits {
  readonly signal: AbortSignal;
  /** @param ms undefined: only the question's time limit applies @throws SilentModelError */
  within<T>(ms: number | undefined, silence: Silence, work: () => Promise<T>): Promise<T>;
  end(reason: unknown): void;
}

function createTimeLimits(outer: AbortSignal | undefined): TimeLimits {
  const ending = new AbortController();
  const signal = outer ? AbortSignal.any([outer, ending.signal]) : ending.signal;
  return {
    signal,
    within(ms, silence, work) {
      const timer =
        ms === undefined
          ? undefined
          : setTimeout(() => ending.abort(new SilentModelError(silence, ms)), ms);
      return withAbort(signal, () => signal.reason, work).finally(() => clearTimeout(timer));
    },
    end: (reason: unknown) => ending.abort(reason),
  };
}

type ReadResult = Awaited<
  ReturnType<ReadableStreamDefaultReader<LanguageModelV4StreamPart>['read']>
>;

/** Reads parts up to the first token. @throws the error if the reply fails before it */
async function firstParts(read: () => Promise<ReadResult>): Promise<LanguageModelV4StreamPart[]> {
  const parts: LanguageModelV4StreamPart[] = [];
  for (;;) {
    const { value, done } = await read();
    if (done) throw incompleteReply();
    const failure = failureIn(value, parts.some(isContent));
    if (failure !== undefined) throw failure;
    parts.push(value);
    if (!isPrelude(value)) return parts;
  }
}

/** Begins a reply and waits for its first token. @throws the error if the reply fails before it */
async function openStream(
  { model, call, limits }: Attempt,
  callOptions: LanguageModelV4CallOptions,
  { firstPartMs, stallMs }: ModelRetryPolicy,
) {
  return limits.within(firstPartMs, 'first_token', async () => {
    const streamOptions = { ...callOptions, abortSignal: limits.signal, includeRawChunks: true };
    const reply = await call.within(async () => model.doStream(streamOptions));
    const reader = reply.stream.getReader();
    const first = await firstParts(() => reader.read());
    const read = () => limits.within(stallMs, 'stall', () => reader.read());
    return {
      ...reply,
      stream: relayStream(
        first,
        read,
        (reason) => reader.cancel(reason),
        call,
        callOptions.abortSignal,
      ),
    };
  });
}

/** Collects the text and tool calls of a reply. @throws the error if the reply fails */
async function gather({
  stream,
  request,
  response,
}: LanguageModelV4StreamResult): Promise<LanguageModelV4GenerateResult> {
  let text = '';
  const calls: LanguageModelV4ToolCall[] = [];
  for await (const part of stream) {
    const failure = failureIn(part, text.trim() !== '' || calls.length > 0);
    if (failure !== undefined) throw failure;
    if (part.type === 'text-delta') text += part.delta;
    if (part.type === 'tool-call') calls.push(part);
    if (part.type !== 'finish') continue;
    const { finishReason, usage } = part;
    const sent = { ...(request ? { request } : {}), ...(response ? { response } : {}) };
    return {
      content: [{ type: 'text', text }, ...calls],
      finishReason,
      usage,
      warnings: [],
      ...sent,
    };
  }
  throw incompleteReply();
}

/**
 * Streams the first parts, then the rest. Ends `call` when the stream ends, fails or is cancelled.
 */
function relayStream(
  first: readonly LanguageModelV4StreamPart[],
  read: () => Promise<ReadResult>,
  cancelReader: (reason: unknown) => Promise<void>,
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
      return cancelReader(reason);
    },
  });
}
