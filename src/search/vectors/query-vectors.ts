/**
 * Vectors of questions: soon or not at all, because somebody waits. The last ones are kept; after a failure the provider is left alone
 * for a while, so that only the first of many questions waits for one that hangs (a circuit breaker; Nygard, Release It!, 2007).
 */
import { KnowledgeError } from '../../errors.ts';
import type { Embedder } from './embedder.ts';

export interface QueryVectors {
  /** @throws KnowledgeError `timeout`, `model_unavailable`, `model_failed`; the signal's reason where it was aborted */
  vectorOf(query: string, signal: AbortSignal | undefined): Promise<Float32Array>;
  close(): void;
}

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

/** What `promise` becomes, or the signal's reason where that is earlier. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  const aborted = Promise.withResolvers<never>();
  const onAbort = () => aborted.reject(signal.reason);
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  return Promise.race([promise, aborted.promise]).finally(() => signal.removeEventListener('abort', onAbort));
}

export function createQueryVectors(options: QueryVectorsOptions): QueryVectors {
  const { embedder, timeoutMs = 1_500, pauseMs = 30_000, now = () => performance.now() } = options;
  /** Asked last, oldest first. */
  const kept = new Map<string, Float32Array>();
  /** Questions that come twice at once are asked once. */
  const asked = new Map<string, Promise<Float32Array>>();
  const closing = new AbortController();
  let pausedUntil = Number.NEGATIVE_INFINITY;

  function keep(query: string, vector: Float32Array): void {
    kept.delete(query);
    kept.set(query, vector);
    for (const oldest of kept.keys()) {
      if (kept.size <= maxKept) break;
      kept.delete(oldest);
    }
  }

  async function embed(query: string): Promise<Float32Array> {
    const deadline = AbortSignal.timeout(timeoutMs);
    const signal = AbortSignal.any([deadline, closing.signal]);
    try {
      const [vector] = await unlessAborted(embedder.embed([query], signal), signal);
      if (!vector) throw new KnowledgeError('model_failed', 'The embedding model answered without a vector.');
      pausedUntil = Number.NEGATIVE_INFINITY;
      keep(query, vector);
      return vector;
    } catch (thrown) {
      const error =
        deadline.aborted && !closing.signal.aborted
          ? new KnowledgeError('timeout', `The embedding model did not answer within ${timeoutMs / 1_000} seconds.`)
          : thrown;
      // A question that is refused says nothing of the next one.
      if (error instanceof KnowledgeError && error.code === 'model_failed') pausedUntil = Number.NEGATIVE_INFINITY;
      else pausedUntil = now() + pauseMs;
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
    const answer = embed(query).finally(() => asked.delete(query));
    asked.set(query, answer);
    return answer;
  }

  return {
    async vectorOf(question, signal) {
      signal?.throwIfAborted();
      const query = question.trim().slice(0, maxQueryChars).toWellFormed();
      const vector = kept.get(query);
      if (vector) keep(query, vector);
      return vector ?? unlessAborted(asked.get(query) ?? ask(query), signal);
    },
    close: () => closing.abort(new KnowledgeError('cancelled', 'The server is stopping.')),
  };
}
