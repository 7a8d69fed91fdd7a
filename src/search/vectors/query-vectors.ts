/**
 * Embeds questions, with a short timeout, a cache and a circuit breaker (Nygard, Release It!,
 * 2007). So only the first of many questions waits for a provider that hangs.
 */
import { LRUCache } from 'lru-cache';
import { CircuitBreaker } from '../../../packages/shared/src/concurrency/circuit-breaker.ts';
import { withAbort } from '../../../packages/shared/src/concurrency/deadline.ts';
import { KnowledgeError } from '../../../packages/shared/src/errors.ts';
import type { Embedder } from './embedder.ts';

export interface QueryVectorsOptions {
  readonly embedder: Embedder;
  readonly timeoutMs?: number;
  /** Pause after a failure. */
  readonly pauseMs?: number;
}

const maxKept = 256;
const maxQueryChars = 2_000;

export interface QueryVectors {
  /** @throws KnowledgeError `timeout`, `model_unavailable`, `model_failed`; the signal's reason */
  vectorOf(question: string, signal: AbortSignal | undefined): Promise<Float32Array>;
  close(): void;
}

/**
 * Whether an error opens the circuit breaker. `model_failed` does not, because it concerns one
 * question.
 */
const isAway = (error: unknown) =>
  !(error instanceof KnowledgeError && error.code === 'model_failed');

const paused = (_: unknown, leftMs: number) =>
  new KnowledgeError(
    'model_unavailable',
    'The embedding model is failing and is paused. Retry in a moment.',
    {
      retryAfterSeconds: Math.ceil(leftMs / 1_000),
    },
  );

export function createQueryVectors({
  embedder,
  timeoutMs = 1_500,
  pauseMs = 30_000,
}: QueryVectorsOptions): QueryVectors {
  const kept = new LRUCache<string, Promise<Float32Array>>({ max: maxKept });
  const closing = new AbortController();
  const breaker = new CircuitBreaker({ pauseMs, isAway, toError: paused });

  async function embed(query: string): Promise<Float32Array> {
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([deadline, closing.signal]);
    const late = () =>
      new KnowledgeError(
        'timeout',
        `The embedding model did not answer within ${timeoutMs / 1_000} seconds.`,
      );
    const errorOf = () => (closing.signal.aborted ? closing.signal.reason : late());
    const [vector] = await withAbort(signal, errorOf, () => embedder.embed([query], signal));
    if (!vector)
      throw new KnowledgeError('model_failed', 'The embedding model answered without a vector.');
    return vector;
  }

  function ask(query: string): Promise<Float32Array> {
    const vector = breaker.run(() => embed(query));
    kept.set(query, vector);
    vector.catch(() => kept.delete(query));
    return vector;
  }

  return {
    async vectorOf(question, signal) {
      signal?.throwIfAborted();
      const query = question.trim().slice(0, maxQueryChars).toWellFormed();
      const errorOf = () => signal?.reason;
      return withAbort(signal, errorOf, () => kept.get(query) ?? ask(query));
    },
    close: () => closing.abort(new KnowledgeError('cancelled', 'The server is stopping.')),
  };
}
