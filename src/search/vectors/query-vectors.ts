/**
 * Vectors of questions: soon or not at all, because somebody waits. The last ones are kept; after a failure the provider is left alone
 * for a while, so that only the first of many questions waits for one that hangs (a circuit breaker; Nygard, Release It!, 2007).
 */
import { untilEnded } from '../../concurrency/deadline.ts';
import { KnowledgeError } from '../../errors.ts';
import type { Embedder } from './embedder.ts';

export interface QueryVectorsOptions {
  readonly embedder: Embedder;
  /** Milliseconds that one question may take. */
  readonly timeoutMs?: number;
  /** Milliseconds without another try after a failure. */
  readonly pauseMs?: number;
  /** Milliseconds, rising. */
  readonly now?: () => number;
}

const maxKept = 256;
const maxQueryChars = 2_000;

export type QueryVectors = ReturnType<typeof createQueryVectors>;

export function createQueryVectors({ embedder, timeoutMs = 1_500, pauseMs = 30_000, now = () => performance.now() }: QueryVectorsOptions) {
  /** Asked last, oldest first; those that fail are not kept. */
  const asked = new Map<string, Promise<Float32Array>>();
  const closing = new AbortController();
  let pausedUntil = Number.NEGATIVE_INFINITY;

  async function embed(query: string): Promise<Float32Array> {
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([deadline, closing.signal]);
    try {
      const [vector] = await untilEnded(
        signal,
        () => signal.reason,
        () => embedder.embed([query], signal),
      );
      if (!vector) throw new KnowledgeError('model_failed', 'The embedding model answered without a vector.');
      pausedUntil = Number.NEGATIVE_INFINITY;
      return vector;
    } catch (thrown) {
      asked.delete(query);
      const error =
        deadline.aborted && !closing.signal.aborted
          ? new KnowledgeError('timeout', `The embedding model did not answer within ${timeoutMs / 1_000} seconds.`)
          : thrown;
      // A question that is refused says nothing of the next one.
      const isRefused = error instanceof KnowledgeError && error.code === 'model_failed';
      pausedUntil = isRefused ? Number.NEGATIVE_INFINITY : now() + pauseMs;
      throw error;
    }
  }

  function ask(query: string): Promise<Float32Array> {
    if (now() < pausedUntil) {
      throw new KnowledgeError('model_unavailable', 'The embedding model failed a moment ago and is not asked yet.', {
        retryAfterSeconds: Math.ceil((pausedUntil - now()) / 1_000),
      });
    }
    // After a pause one question finds out whether it is over; the others do not wait for that.
    if (pausedUntil > Number.NEGATIVE_INFINITY) pausedUntil = now() + pauseMs;
    return embed(query);
  }

  return {
    /** @throws KnowledgeError `timeout`, `model_unavailable`, `model_failed`; the signal's reason where it was aborted */
    async vectorOf(question: string, signal: AbortSignal | undefined): Promise<Float32Array> {
      signal?.throwIfAborted();
      const query = question.trim().slice(0, maxQueryChars).toWellFormed();
      const vector = asked.get(query) ?? ask(query);
      asked.delete(query);
      asked.set(query, vector);
      const [oldest = query] = asked.keys();
      if (asked.size > maxKept) asked.delete(oldest);
      return untilEnded(
        signal,
        () => signal?.reason,
        () => vector,
      );
    },
    close: () => closing.abort(new KnowledgeError('cancelled', 'The server is stopping.')),
  };
}
