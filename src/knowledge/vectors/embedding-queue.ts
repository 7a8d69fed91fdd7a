/**
 * Embeds in the background what documents hold and the cache lacks, and lets the cache forget what no document holds any more. What is
 * done is on disk batch by batch, so a restart goes on where it was. A provider that fails is asked again after pauses that
 * double; nothing here keeps the process alive or makes anybody wait.
 */
import { type ErrorCode, KnowledgeError } from '../../errors.ts';
import { createBatchEmbedder } from './batch-embedder.ts';
import type { EmbeddableText, Embedder } from './embedder.ts';
import type { VectorCache } from './vector-cache.ts';

export interface EmbeddingProgress {
  /** Distinct texts that documents hold. */
  readonly wanted: number;
  /** How many of them have a vector. */
  readonly done: number;
  /** How many the provider does not take; they are tried again after a restart. */
  readonly refused: number;
  /** Why the last batch failed; undefined once one succeeds. */
  readonly failure: ErrorCode | undefined;
}

export interface EmbeddingQueue {
  /** A document holds these texts; each is embedded unless that is done, and kept in memory until it is. */
  hold(texts: readonly EmbeddableText[]): void;
  /** A document no longer holds them: once for each `hold`. What is waiting is not embedded, what nobody holds is forgotten. */
  release(keys: readonly string[]): void;
  /** All documents have told what they hold: from now on vectors are forgotten, which before would be those of the rest. */
  settle(): void;
  progress(): EmbeddingProgress;
  /** Ends what is in flight and waits for it. */
  close(): Promise<void>;
}

export interface EmbeddingQueueOptions {
  readonly embedder: Embedder;
  readonly cache: VectorCache;
  readonly onWarning: (message: string, error: unknown) => void;
  /** After the first failure; doubles up to five minutes. Milliseconds. */
  readonly firstPauseMs?: number;
  /** Documents come one by one; a batch that is not full waits so long for more. Milliseconds. */
  readonly gatherMs?: number;
  /** Between a release and forgetting, so that replacing a folder of documents is one write. Milliseconds. */
  readonly forgetDelayMs?: number;
}

const maxPauseMs = 5 * 60_000;
const maxInFlight = 2;
/** Of one call; hosted models take 300,000 tokens, and a Chinese character may be one. */
const maxBatchChars = 100_000;

export function createEmbeddingQueue(options: EmbeddingQueueOptions): EmbeddingQueue {
  const { cache, onWarning, firstPauseMs = 1_000, gatherMs = 50, forgetDelayMs = 1_000 } = options;
  const batches = createBatchEmbedder(options.embedder);
  const closing = new AbortController();
  /** Key → how many documents' chunks hold it. */
  const holders = new Map<string, number>();
  const waiting = new Map<string, string>();
  const refused = new Set<string>();
  const inFlight = new Set<Promise<void>>();
  const inFlightKeys = new Set<string>();
  let failures = 0;
  let failure: ErrorCode | undefined;
  let isSettled = false;
  let hasReleased = false;
  let isFullTold = false;
  let startTimer: NodeJS.Timeout | undefined;
  let pauseTimer: NodeJS.Timeout | undefined;
  let forgetTimer: NodeJS.Timeout | undefined;

  const isMissing = (key: string): boolean => !cache.has(key) && !refused.has(key) && !inFlightKeys.has(key);

  function nextBatch(): Map<string, string> {
    const batch = new Map<string, string>();
    let chars = 0;
    for (const [key, text] of waiting) {
      chars += text.length;
      if (batch.size > 0 && (batch.size >= batches.maxTexts() || chars > maxBatchChars)) break;
      batch.set(key, text);
    }
    return batch;
  }

  function start(): void {
    startTimer = undefined;
    // After a failure one batch finds out whether it is over.
    while (waiting.size > 0 && !pauseTimer && !closing.signal.aborted && inFlight.size < (failures > 0 ? 1 : maxInFlight)) {
      if (cache.isFull()) {
        if (!isFullTold) onWarning('There is no room for more vectors: texts beyond that are found by their words alone.', undefined);
        isFullTold = true;
        return;
      }
      const batch = nextBatch();
      for (const key of batch.keys()) {
        waiting.delete(key);
        inFlightKeys.add(key);
      }
      const work = embed(batch).finally(() => {
        inFlight.delete(work);
        start();
      });
      inFlight.add(work);
    }
  }

  async function embed(batch: ReadonlyMap<string, string>): Promise<void> {
    const keys = [...batch.keys()];
    const vectors = new Map<string, Float32Array>();
    let areAllTaken = true;
    let thrown: unknown;
    try {
      await batches.embed([...batch.values()], closing.signal, (position, vector) => {
        const key = keys[position] as string;
        if (!holders.has(key)) return;
        if (vector) vectors.set(key, vector);
        else {
          refused.add(key);
          areAllTaken = false;
        }
      });
    } catch (error) {
      thrown = error;
    }
    // What came before a failure is paid for.
    await cache.add(vectors).catch((error: unknown) => {
      thrown = error;
    });
    for (const [key, text] of batch) {
      inFlightKeys.delete(key);
      // To the end of the queue: others may fare better.
      if (isMissing(key) && holders.has(key)) waiting.set(key, text);
    }
    if (!areAllTaken) onWarning('The embedding model does not take some texts; they are found by their words alone.', thrown);
    if (thrown === undefined) succeed();
    else if (!closing.signal.aborted) fail(thrown);
  }

  function succeed(): void {
    failures = 0;
    failure = undefined;
  }

  function fail(error: unknown): void {
    const known = error instanceof KnowledgeError ? error : undefined;
    failure = known?.code ?? 'internal';
    if (pauseTimer) return;
    if (failures === 0) onWarning('Documents could not be embedded; they are found by their words until that succeeds.', error);
    const asked = (known?.retryAfterSeconds ?? 0) * 1_000;
    const pauseMs = Math.min(maxPauseMs, Math.max(asked, firstPauseMs * 2 ** failures));
    failures++;
    pauseTimer = setTimeout(() => {
      pauseTimer = undefined;
      start();
    }, pauseMs).unref();
  }

  async function forget(): Promise<void> {
    clearTimeout(forgetTimer);
    forgetTimer = undefined;
    if (!isSettled || !hasReleased) return;
    hasReleased = false;
    await cache.retain((key) => holders.has(key));
    // There may be room again.
    start();
  }

  function forgetLater(): void {
    hasReleased = true;
    if (isSettled && !closing.signal.aborted) forgetTimer ??= setTimeout(() => void forget(), forgetDelayMs).unref();
  }

  return {
    hold(texts) {
      for (const { key, text } of texts) {
        if (key === '') continue;
        holders.set(key, (holders.get(key) ?? 0) + 1);
        if (isMissing(key)) waiting.set(key, text);
      }
      if (waiting.size >= batches.maxTexts()) start();
      else startTimer ??= setTimeout(start, gatherMs).unref();
    },

    release(keys) {
      for (const key of keys) {
        const count = holders.get(key) ?? 0;
        if (count > 1) holders.set(key, count - 1);
        else if (holders.delete(key)) {
          waiting.delete(key);
          refused.delete(key);
          if (cache.has(key)) forgetLater();
        }
      }
    },

    settle() {
      isSettled = true;
      forgetLater();
    },

    progress() {
      let done = 0;
      for (const key of holders.keys()) if (cache.has(key)) done++;
      return { wanted: holders.size, done, refused: refused.size, failure };
    },

    async close() {
      closing.abort(new KnowledgeError('cancelled', 'The server is stopping.'));
      clearTimeout(startTimer);
      clearTimeout(pauseTimer);
      await Promise.all(inFlight);
      await forget();
    },
  };
}
