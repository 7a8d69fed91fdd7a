/**
 * Combines models into one: retries a model after temporary errors, then calls the next one. There
 * are no retries after `totalMs` or after the first token. A circuit breaker pauses each model that
 * keeps failing.
 */
import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider';
import { CircuitBreaker } from '../../packages/shared/src/concurrency/circuit-breaker.ts';
import { retry } from '../../packages/shared/src/concurrency/retry.ts';
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { type ModelCall, type ModelUse, OpenCall, type Purpose } from './model-call.ts';
import {
  describeFailure,
  isAboutRequest,
  isSetUpWrongly,
  isWorthAnother,
  readProviderFailure,
} from './provider-failure.ts';

export const defaultPatience = {
  /** Attempts per model and reply. */
  maxAttempts: 3,
  /** Longest pause before the second attempt; doubles each time. Milliseconds. */
  firstPauseMs: 450,
  /** Timeout of the first token. Milliseconds. */
  firstPartMs: 20_000,
  /** Timeout between two parts. Milliseconds. */
  stallMs: 10_000,
  /** Timeout of a reply that is not streamed, if there is a fallback. Milliseconds. */
  wholeMs: 30_000,
  /** Time from the start of the request in which attempts may begin. Milliseconds. */
  totalMs: 45_000,
  /**
   * Consecutive failures that pause a model. Above `maxAttempts`, so that one question cannot cause
   * them.
   */
  maxFailures: 5,
  /** Length of the pause. Milliseconds. */
  circuitPauseMs: 10_000,
};

/** With a fallback, the chain does not wait for a longer `Retry-After`. Milliseconds. */
const maxRetryAfterWithFallbackMs = 1_000;

interface NamedModel {
  readonly role: 'main' | 'fallback' | 'judge';
  readonly model: LanguageModelV4;
}

/** A model, and a breaker for each purpose, because a model that cannot check may still answer. */
interface Link {
  readonly model: LanguageModelV4;
  readonly breakers: Readonly<Record<Purpose, CircuitBreaker>>;
}

type ModelChainOptions = Readonly<{
  /** In the order of the calls. */
  models: readonly [NamedModel, ...NamedModel[]];
  /** Whether the question is still answered if all models fail. */
  hasFallbackAnswerer: boolean;
  onCall: (call: ModelCall, use: ModelUse) => void;
  /** @param message for the log: names the model and the reason, without the provider's text */
  onCircuit: (role: NamedModel['role'], isOpen: boolean, message: string) => void;
  patience?: Partial<typeof defaultPatience> | undefined;
  /** Whether requests have the header `x-knowledge-purpose`. */
  tellsPurpose?: boolean;
}>;

/** The chain's models throw the provider's error, or `model_unavailable` while they are paused. */
export class ModelChain {
  /** Name of the first model. */
  readonly modelId: string;
  readonly #options;
  readonly #patience: typeof defaultPatience;
  readonly #links: readonly Link[];

  constructor(options: ModelChainOptions) {
    this.modelId = options.models[0].model.modelId;
    this.#options = options;
    this.#patience = { ...defaultPatience, ...options.patience };
    this.#links = options.models.map((one) => ({
      model: one.model,
      breakers: {
        search: this.#breakerOf(one, 'search'),
        answer: this.#breakerOf(one, 'answer'),
        check: this.#breakerOf(one, 'check'),
        rewrite: this.#breakerOf(one, 'rewrite'),
      },
    }));
  }

  /** Returns the chain as one model. */
  for(use: ModelUse): LanguageModelV4 {
    const { provider, modelId, supportedUrls } = this.#options.models[0].model;
    const { wholeMs } = this.#patience;
    return {
      specificationVersion: 'v4',
      provider,
      modelId,
      supportedUrls,
      // Also streams internally, because only the first token distinguishes a slow model from a
      // hanging one.
      doGenerate: (options) =>
        this.#call(options, use, (call, hasFallback) =>
          call.readWhole(hasFallback ? wholeMs : undefined),
        ),
      doStream: (options) => this.#call(options, use, (call) => call.begin()),
    };
  }

  /** @throws the last failure of the last model */
  async #call<Reply>(
    options: LanguageModelV4CallOptions,
    use: ModelUse,
    read: (call: OpenCall, hasFallback: boolean) => Promise<Reply>,
  ) {
    const { maxAttempts, firstPauseMs, totalMs } = this.#patience;
    const until = performance.now() + totalMs;
    let failure: unknown;
    for (const [at, link] of this.#links.entries()) {
      const hasFallback = this.#options.hasFallbackAnswerer || at + 1 < this.#links.length;
      try {
        return await retry(
          () => this.#attempt(link, options, use, (call) => read(call, hasFallback)),
          {
            // A reader waits for the answer; the other requests can be missing.
            maxAttempts: (use.purpose ?? 'answer') === 'answer' ? maxAttempts : 1,
            firstPauseMs,
            totalMs: until - performance.now(),
            isRetryable: isWorthAnother,
            retryAfterMs: (error) => readProviderFailure(error).waitMs,
            maxRetryAfterMs: hasFallback ? maxRetryAfterWithFallbackMs : Number.POSITIVE_INFINITY,
            signal: options.abortSignal,
          },
        );
      } catch (error) {
        options.abortSignal?.throwIfAborted();
        failure = error;
        if (performance.now() > until) break;
      }
    }
    throw failure;
  }

  /** @throws `model_unavailable` while the model is paused */
  async #attempt<Reply>(
    { model, breakers }: Link,
    options: LanguageModelV4CallOptions,
    use: ModelUse,
    read: (call: OpenCall) => Promise<Reply>,
  ) {
    const { purpose = 'answer' } = use;
    const { tellsPurpose = true, onCall } = this.#options;
    const headers = { ...options.headers, 'x-knowledge-purpose': purpose };
    // A model that cannot answer is not asked for anything else.
    breakers.answer.throwIfPaused();
    const call = new OpenCall({
      model,
      breaker: breakers[purpose],
      options: tellsPurpose ? { ...options, headers } : options,
      use,
      patience: this.#patience,
      onCall: (ended) => onCall(ended, use),
    });
    try {
      const reply = await read(call);
      use.onAnswering?.(model.modelId);
      return reply;
    } catch (error) {
      call.cancel(error);
      throw error;
    }
  }

  #breakerOf({ role, model }: NamedModel, purpose: Purpose) {
    const { circuitPauseMs: pauseMs, maxFailures } = this.#patience;
    const { onCircuit } = this.#options;
    const isReported = purpose === (role === 'judge' ? 'check' : 'answer');
    const report = (isOpen: boolean, message: string) =>
      isReported && onCircuit(role, isOpen, `The model ${model.modelId} ${message}`);
    return new CircuitBreaker({
      pauseMs,
      maxFailures,
      isAway: (error) => !isAboutRequest(error),
      isCertain: isSetUpWrongly,
      toError: (error, leftMs) =>
        new KnowledgeError(
          'model_unavailable',
          'The model is failing and is paused. Retry in a moment.',
          { cause: error, retryAfterSeconds: Math.max(1, Math.ceil(leftMs / 1_000)) },
        ),
      onOpen: (error) =>
        report(
          true,
          `is failing (${describeFailure(error)}). It is paused and retried every ${pauseMs / 1_000} seconds.`,
        ),
      onClose: () => report(false, 'answers again.'),
    });
  }
}
