/**
 * Vectors of questions: soon or not at all, because somebody waits. The last ones are kept; after a failure the provider is left alone
 * for a while, so that only the first of many questions waits for one that hangs (a circuit breaker; Nygard, Release It!, 2007).
 */
import { LRUCache } from 'lru-cache';
import { createCircuitBreaker } from '../../concurrency/circuit-breaker.ts';
import { withAbort } from '../../concurrency/deadline.ts';
import { KnowledgeError } from '../../errors.ts';
import type { Embedder } from './embedder.ts';

export interface QueryVectorsOptions {
  readonly embedder: Embedder;
  /** Milliseconds that one question may take. */
  readonly timeoutMs?: number;
  /** Milliseconds without another try after a failure. */
  readonly pauseMs?: number;
}

const maxKept = 256;
const maxQueryChars = 2_000;

export type QueryVectors = ReturnType<typeof createQueryVectors>;

/** A refused question says nothing about the next one. */
const isAway = (error: unknown) => !(error instanceof KnowledgeError && error.code === 'model_failed');

const paused = (_: unknown, leftMs: number) =>
  new KnowledgeError('model_unavailable', 'The embedding model is failing and is paused. Retry in a moment.', {
    retryAfterSeconds: Math.ceil(leftMs / 1_000),
  });

export function createQueryVectors({ embedder, timeoutMs = 1_500, pauseMs = 30_000 }: QueryVectorsOptions) {
  /** Without those that failed. */
  const kept = new LRUCache<string, Promise<Float32Array>>({ max: maxKept });
  const closing = new AbortController();
  const attempt = createCircuitBreaker(pauseMs, isAway, { toError: paused });

  async function embed(query: string): Promise<Float32Array> {
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([deadline, closing.signal]);
    const late = () => new KnowledgeError('timeout', `The embedding model did not answer within ${timeoutMs / 1_000} seconds.`);
    const errorOf = () => (closing.signal.aborted ? closing.signal.reason : late());
    const [vector] = await withAbort(signal, errorOf, () => embedder.embed([query], signal));
    if (!vector) throw new KnowledgeError('model_failed', 'The embedding model answered without a vector.');
    return vector;
  }

  function ask(query: string): Promise<Float32Array> {
    const vector = attempt(() => embed(query));
    kept.set(query, vector);
    vector.catch(() => kept.delete(query));
    return vector;
  }

  return {
    /** @throws KnowledgeError `timeout`, `model_unavailable`, `model_failed`; the signal's reason where it was aborted */
    async vectorOf(question: string, signal: AbortSignal | undefined): Promise<Float32Array> {
      signal?.throwIfAborted();
      const query = question.trim().slice(0, maxQueryChars).toWellFormed();
      const errorOf = () => signal?.reason;
      return withAbort(signal, errorOf, () => kept.get(query) ?? ask(query));
    },
    close: () => closing.abort(new KnowledgeError('cancelled', 'The server is stopping.')),
  };
}
