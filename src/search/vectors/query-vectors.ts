/**
 * Embeds questions, with a short timeout, a cache and a circuit breaker (Nygard, Release It!,
 * 2007). So only the first of many questions waits for a provider that hangs.
 */
import { LRUCache } from 'lru-cache';
import { CircuitBreaker } from '../../../packages/shared/src/concurrency/circuit-breaker.ts';
import { withAbort } from '../../../packages/shared/src/concurrency/deadline.ts';
import { KnowledgeError } from '../../../packages/shared/src/errors.ts';
import type { Embedder } from './embedder.ts';

const maxKept = 256;
const maxQueryChars = 2_000;

/**
 * Whether an error opens the circuit breaker. `model_failed` does not, because it concerns one
 * question.
 */
const isAway = (error: unknown) =>
  !(error instanceof KnowledgeError && error.code === 'model_failed');

export class QueryVectors {
  readonly #embedder;
  readonly #timeoutMs;
  readonly #kept = new LRUCache<string, Promise<Float32Array>>({ max: maxKept });
  readonly #closing = new AbortController();
  readonly #breaker;

  /** @param pauseMs pause after a failure */
  constructor(embedder: Embedder, timeoutMs = 1_500, pauseMs = 30_000) {
    this.#embedder = embedder;
    this.#timeoutMs = timeoutMs;
    this.#breaker = new CircuitBreaker({
      pauseMs,
      isAway,
      toError: (_, leftMs) =>
        new KnowledgeError(
          'model_unavailable',
          'The embedding model is failing and is paused. Retry in a moment.',
          { retryAfterSeconds: Math.ceil(leftMs / 1_000) },
        ),
    });
  }

  /** @throws KnowledgeError `timeout`, `model_unavailable`, `model_failed` */
  async vectorOf(question: string): Promise<Float32Array> {
    const query = question.trim().slice(0, maxQueryChars).toWellFormed();
    return this.#kept.get(query) ?? this.#ask(query);
  }

  close() {
    this.#closing.abort(new KnowledgeError('cancelled', 'The server is stopping.'));
  }

  #ask(query: string) {
    const vector = this.#breaker.run(() => this.#embed(query));
    this.#kept.set(query, vector);
    vector.catch(() => this.#kept.delete(query));
    return vector;
  }

  async #embed(query: string) {
    const closing = this.#closing.signal;
    const signal = AbortSignal.any([AbortSignal.timeout(this.#timeoutMs), closing]);
    const late = `The embedding model did not answer within ${this.#timeoutMs / 1_000} seconds.`;
    const errorOf = () => (closing.aborted ? closing.reason : new KnowledgeError('timeout', late));
    const embed = () => this.#embedder.embed([query], signal);
    const [vector] = await withAbort(signal, errorOf, embed);
    if (!vector)
      throw new KnowledgeError('model_failed', 'The embedding model answered without a vector.');
    return vector;
  }
}
