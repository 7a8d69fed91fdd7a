/**
 * Embeds texts of documents in the background, batch by batch, and deletes vectors that no document
 * uses. Retries with exponential backoff. The batch size adapts like a TCP window: a rejection or
 * timeout halves it, down to the one bad text; a success increments it.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { lazy } from '../../../packages/shared/src/concurrency/lazy.ts';
import { backoffMs } from '../../../packages/shared/src/concurrency/retry.ts';
import { type ErrorCode, KnowledgeError } from '../../../packages/shared/src/errors.ts';
import type { EmbeddableText, Embedder } from './embedder.ts';
import type { SharedVectors } from './shared-vectors.ts';
import type { VectorStore } from './vector-store.ts';

/** Shorter parts are not tried: their length is not the problem. */
const minPartChars = 500;
/** After this many consecutive rejected texts, the provider counts as failing. */
const maxRefusedInARow = 5;

const codeOf = (error: unknown) => (error instanceof KnowledgeError ? error.code : 'internal');

/**
 * Models with a 512-token limit reject long chunks. Retries a single text with its first half, then
 * quarter. @throws as `embed`
 */
async function embedTexts(
  embedder: Embedder,
  texts: readonly string[],
  signal: AbortSignal,
  halvings = 2,
) {
  try {
    return await embedder.embed(texts, signal);
  } catch (error) {
    const [text = ''] = texts;
    const half = text.slice(0, Math.ceil(text.length / 2)).toWellFormed();
    const mayBeTooLong =
      codeOf(error) === 'model_failed' && texts.length === 1 && half.length >= minPartChars;
    if (!mayBeTooLong || halvings === 0) throw error;
    return embedTexts(embedder, [half], signal, halvings - 1);
  }
}

export type EmbeddingQueueOptions = Readonly<{
  embedder: Embedder;
  store: VectorStore;
  onWarning: (message: string, error: unknown) => void;
  /** Pause after the first failure; doubles up to five minutes. */
  firstPauseMs?: number;
  /** Delay before the first batch, to collect texts of several documents. */
  gatherMs?: number;
  /** Delay before vectors are deleted, so that replacing a folder of documents is one write. */
  forgetDelayMs?: number;
  shared?: SharedVectors | undefined;
  /** Poll interval for vectors that other servers are embedding. */
  lookAgainMs?: number;
}>;

const pollMs = 100;
const maxPauseMs = 5 * 60_000;
const maxInFlight = 2;
/** Per call. Hosted models take 300,000 tokens; a Chinese character may be one token. */
const maxBatchChars = 100_000;

export class EmbeddingQueue {
  readonly #options: Required<EmbeddingQueueOptions>;
  readonly #closing = new AbortController();
  /** Key → number of chunks with this text. */
  readonly #holders = new Map<string, number>();
  #waiting = new Map<string, string>();
  readonly #refused = new Set<string>();
  readonly #inFlight = new Set<Promise<void>>();
  readonly #inFlightKeys = new Set<string>();
  /** Key → text, for texts that another server is embedding. */
  readonly #elsewhere = new Map<string, string>();
  #batchSize;
  readonly #warnFull = lazy(() =>
    this.#options.onWarning(
      'The vector store is full. Further texts are found by their words only.',
      undefined,
    ),
  );
  #refusedInARow = 0;
  #failures = 0;
  #failure: ErrorCode | undefined;
  #isSettled = false;
  #hasReleased = false;
  /** Delays batches: to collect texts, or as a backoff. */
  #startTimer: NodeJS.Timeout | undefined;
  #forgetTimer: NodeJS.Timeout | undefined;
  #lookTimer: NodeJS.Timeout | undefined;

  constructor(options: EmbeddingQueueOptions) {
    this.#options = {
      firstPauseMs: 1_000,
      gatherMs: 50,
      forgetDelayMs: 1_000,
      lookAgainMs: 1_000,
      shared: undefined,
      ...options,
    };
    this.#batchSize = options.embedder.maxBatch;
  }

  /**
   * Registers the texts of a document. Texts without a vector are embedded, and kept in memory
   * until then.
   */
  hold(texts: readonly EmbeddableText[]) {
    for (const { key, text } of texts) {
      if (key === '') continue;
      this.#holders.set(key, (this.#holders.get(key) ?? 0) + 1);
      if (this.#isMissing(key)) this.#waiting.set(key, text);
    }
    this.#startIn(this.#options.gatherMs);
  }

  /**
   * Reverts one `hold`. Texts that no document uses are not embedded, and their vectors are
   * deleted.
   */
  release(keys: readonly string[]) {
    for (const key of keys) {
      const count = this.#holders.get(key) ?? 0;
      if (count > 1) this.#holders.set(key, count - 1);
      else if (this.#holders.delete(key)) {
        this.#waiting.delete(key);
        this.#refused.delete(key);
        if (this.#options.store.has(key)) this.#forgetLater();
      }
    }
  }

  /** Call when all documents are registered: only then is it known which vectors are unused. */
  settle() {
    this.#isSettled = true;
    this.#forgetLater();
  }

  /**
   * `wanted`: distinct texts of all documents. `done`: texts with a vector. `refused`: texts that
   * the provider rejects; retried after a restart. `failure`: why the last batch failed; undefined
   * after a success.
   */
  progress() {
    const done = this.#holders
      .keys()
      .reduce((sum, key) => sum + Number(this.#options.store.has(key)), 0);
    return {
      wanted: this.#holders.size,
      done,
      refused: this.#refused.size,
      failure: this.#failure,
    };
  }

  /**
   * For commands with a single search: waits until every text has its vector, the provider fails,
   * or `maxMs` have passed.
   */
  async waitForAll(maxMs: number) {
    for (let waitedMs = 0; waitedMs < maxMs; waitedMs += pollMs) {
      const { wanted, done, refused, failure } = this.progress();
      if (done + refused >= wanted || failure !== undefined) return;
      await pause(pollMs);
    }
  }

  async close() {
    this.#closing.abort(new KnowledgeError('cancelled', 'The server is stopping.'));
    clearTimeout(this.#startTimer);
    clearTimeout(this.#lookTimer);
    await Promise.all(this.#inFlight);
    await this.#forget();
  }

  #isMissing(key: string) {
    return (
      !this.#options.store.has(key) &&
      !this.#refused.has(key) &&
      !this.#inFlightKeys.has(key) &&
      !this.#elsewhere.has(key)
    );
  }

  #startIn(ms: number) {
    if (this.#closing.signal.aborted) return;
    this.#startTimer ??= setTimeout(() => {
      this.#startTimer = undefined;
      this.#start();
    }, ms).unref();
  }

  #start() {
    // After a failure a single batch tests the provider.
    const most = this.#failures > 0 ? 1 : maxInFlight;
    while (
      this.#waiting.size > 0 &&
      !this.#startTimer &&
      !this.#closing.signal.aborted &&
      this.#inFlight.size < most
    ) {
      if (this.#options.store.isFull()) {
        this.#warnFull();
        return;
      }
      const batch = this.#nextBatch();
      const work = this.#work(batch).finally(() => {
        this.#inFlight.delete(work);
        this.#start();
      });
      this.#inFlight.add(work);
    }
  }

  #nextBatch() {
    const batch = new Map<string, string>();
    let chars = 0;
    for (const [key, text] of this.#waiting) {
      chars += text.length;
      if (batch.size > 0 && (batch.size >= this.#batchSize || chars > maxBatchChars)) break;
      batch.set(key, text);
      this.#waiting.delete(key);
      this.#inFlightKeys.add(key);
    }
    return batch;
  }

  async #work(batch: ReadonlyMap<string, string>) {
    const failuresBefore = this.#failures;
    const { shared } = this.#options;
    const [outcome] = await Promise.allSettled([
      shared ? this.#embedOnce(batch, shared) : this.#embed(batch),
    ]);
    const hasFailed = outcome.status === 'rejected';
    // Ignores outcomes of batches that started before the last failure, so that only one failure of
    // concurrent batches counts.
    if (this.#failures === failuresBefore && !this.#closing.signal.aborted) {
      if (hasFailed) this.#fail(outcome.reason);
      else if (outcome.value) {
        this.#failures = 0;
        this.#failure = undefined;
      }
    }
    for (const key of batch.keys()) this.#inFlightKeys.delete(key);
    const left = [...batch].filter(([key]) => this.#holders.has(key) && this.#isMissing(key));
    // Texts of a rejected batch are retried first, to find the bad one; after a failure other texts
    // come first.
    if (left.length > 0)
      this.#waiting = new Map(
        hasFailed ? [...this.#waiting, ...left] : [...left, ...this.#waiting],
      );
  }

  /**
   * Embeds the texts that no other server has embedded or is embedding. @returns whether it called
   * the provider @throws as `#embed`
   */
  async #embedOnce(batch: ReadonlyMap<string, string>, shared: SharedVectors) {
    const { store } = this.#options;
    const { found, claimed } = await shared.claim([...batch.keys()]);
    const mine = new Map([...batch].filter(([key]) => claimed.has(key)));
    for (const [key, text] of batch)
      if (!claimed.has(key) && !found.has(key)) this.#elsewhere.set(key, text);
    if (this.#elsewhere.size > 0) this.#lookAgainLater();
    try {
      await store.add(new Map([...found].filter(([key]) => this.#holders.has(key))));
      this.#closing.signal.throwIfAborted();
      return mine.size > 0 && (await this.#embed(mine));
    } finally {
      const keys = [...mine.keys()];
      const vectors = keys.flatMap((key) => {
        const vector = store.vectorOf(key);
        return vector ? [[key, vector] as const] : [];
      });
      if (keys.length > 0) await shared.settle(keys, new Map(vectors));
    }
  }

  #lookAgainLater() {
    if (this.#closing.signal.aborted) return;
    this.#lookTimer ??= setTimeout(() => {
      this.#lookTimer = undefined;
      const looked = [...this.#elsewhere];
      this.#elsewhere.clear();
      for (const [key, text] of looked)
        if (this.#holders.has(key) && this.#isMissing(key)) this.#waiting.set(key, text);
      this.#start();
    }, this.#options.lookAgainMs).unref();
  }

  /**
   * @returns true, because it called the provider @throws errors that concern all texts; rejected
   * texts are retried in smaller batches
   */
  async #embed(batch: ReadonlyMap<string, string>): Promise<true> {
    const { embedder, store } = this.#options;
    const keys = [...batch.keys()];
    let vectors: readonly Float32Array[];
    try {
      vectors = await embedTexts(embedder, [...batch.values()], this.#closing.signal);
    } catch (error) {
      const code = codeOf(error);
      if (code === 'model_failed' || code === 'timeout')
        this.#batchSize = Math.max(1, Math.min(this.#batchSize, keys.length >> 1));
      if (code !== 'model_failed') throw error;
      if (keys.length === 1) this.#refuse(keys[0] as string, error);
      return true;
    }
    this.#refusedInARow = 0;
    this.#batchSize = Math.min(embedder.maxBatch, this.#batchSize + 1);
    const held = keys.flatMap((key, position) =>
      this.#holders.has(key) ? [[key, vectors[position] as Float32Array] as const] : [],
    );
    await store.add(new Map(held));
    return true;
  }

  /** @throws `refusal` if the provider seems to reject everything */
  #refuse(key: string, refusal: unknown) {
    if (++this.#refusedInARow >= maxRefusedInARow) throw refusal;
    if (!this.#holders.has(key)) return;
    this.#refused.add(key);
    this.#options.onWarning(
      'The embedding model rejected a text. It is found by its words only.',
      refusal,
    );
  }

  #fail(error: unknown) {
    this.#failure = codeOf(error);
    if (this.#failures === 0)
      this.#options.onWarning(
        'Embedding documents failed; will retry. Until then they are found by their words only.',
        error,
      );
    const asked = error instanceof KnowledgeError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
    const { firstPauseMs } = this.#options;
    const pauseMs = Math.min(
      maxPauseMs,
      Math.max(asked, backoffMs(++this.#failures, { firstPauseMs })),
    );
    clearTimeout(this.#startTimer);
    this.#startTimer = undefined;
    this.#startIn(pauseMs);
  }

  async #forget() {
    clearTimeout(this.#forgetTimer);
    this.#forgetTimer = undefined;
    if (!this.#isSettled || !this.#hasReleased) return;
    this.#hasReleased = false;
    const { store, shared } = this.#options;
    const forgotten = await store.retain((key) => this.#holders.has(key));
    await shared?.forget(forgotten);
    // The store may have space again.
    this.#start();
  }

  #forgetLater() {
    this.#hasReleased = true;
    if (!this.#isSettled || this.#closing.signal.aborted) return;
    this.#forgetTimer ??= setTimeout(
      () => void this.#forget(),
      this.#options.forgetDelayMs,
    ).unref();
  }
}
