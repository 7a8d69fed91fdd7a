/**
 * Embeds in the background what documents hold and the store lacks, and lets the store forget what no document holds any more. What is
 * done is on disk batch by batch, so a restart goes on where it was. A provider that fails is asked again after pauses that
 * double; nothing here keeps the process alive or makes anybody wait.
 *
 * Batches find the size that suits the provider, as TCP finds its window: what is refused or takes too long is asked again in half the
 * size, down to the one text that is not taken, so that one bad text costs nobody else a vector; each batch that is taken makes the
 * next one larger by one.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { lazy } from '../../concurrency/lazy.ts';
import { backoffMs } from '../../concurrency/retry.ts';
import { type ErrorCode, KnowledgeError } from '../../errors.ts';
import type { EmbeddableText, Embedder } from './embedder.ts';
import type { SharedVectors } from './shared-vectors.ts';
import type { VectorStore } from './vector-store.ts';

/** A part of fewer characters was not refused for its length. */
const minPartChars = 500;
/** So many single texts refused one after another are no bad texts but a provider that refuses all. */
const maxRefusedInARow = 5;

const codeOf = (error: unknown): ErrorCode => (error instanceof KnowledgeError ? error.code : 'internal');

/**
 * Models for 512 tokens refuse a long chunk, and its beginning says what it is about: of a single text that is refused a half is tried,
 * then a quarter. @throws what `Embedder.embed` throws
 */
async function embedTexts(embedder: Embedder, texts: readonly string[], signal: AbortSignal, halvings = 2): Promise<Float32Array[]> {
  try {
    return await embedder.embed(texts, signal);
  } catch (error) {
    const [text = ''] = texts;
    const half = text.slice(0, Math.ceil(text.length / 2)).toWellFormed();
    const mayBeTooLong = codeOf(error) === 'model_failed' && texts.length === 1 && half.length >= minPartChars;
    if (!mayBeTooLong || halvings === 0) throw error;
    return embedTexts(embedder, [half], signal, halvings - 1);
  }
}

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

export interface EmbeddingQueueOptions {
  readonly embedder: Embedder;
  readonly store: VectorStore;
  readonly onWarning: (message: string, error: unknown) => void;
  /** After the first failure; doubles up to five minutes. Milliseconds. */
  readonly firstPauseMs?: number;
  /** Documents come one by one; a batch that is not full waits so long for more. Milliseconds. */
  readonly gatherMs?: number;
  /** Between a release and forgetting, so that replacing a folder of documents is one write. Milliseconds. */
  readonly forgetDelayMs?: number;
  /** With other servers; unset: this one embeds for itself. */
  readonly shared?: SharedVectors | undefined;
  /** Until what another server embeds is looked for again. Milliseconds. */
  readonly lookAgainMs?: number;
}

const maxPauseMs = 5 * 60_000;
const maxInFlight = 2;
/** Of one call; hosted models take 300,000 tokens, and a Chinese character may be one. */
const maxBatchChars = 100_000;

export class EmbeddingQueue {
  readonly #options: Required<EmbeddingQueueOptions>;
  readonly #closing = new AbortController();
  /** Key → how many documents' chunks hold it. */
  readonly #holders = new Map<string, number>();
  #waiting = new Map<string, string>();
  readonly #refused = new Set<string>();
  readonly #inFlight = new Set<Promise<void>>();
  readonly #inFlightKeys = new Set<string>();
  /** What another server is embedding. */
  readonly #elsewhere = new Map<string, string>();
  /** Most texts of the next batch. */
  #batchSize: number;
  readonly #warnFull = lazy(() =>
    this.#options.onWarning('There is no room for more vectors: texts beyond that are found by their words alone.', undefined),
  );
  #refusedInARow = 0;
  #failures = 0;
  #failure: ErrorCode | undefined;
  #isSettled = false;
  #hasReleased = false;
  /** Until it runs out more texts may come, or a provider that failed is left alone. */
  #startTimer: NodeJS.Timeout | undefined;
  #forgetTimer: NodeJS.Timeout | undefined;
  #lookTimer: NodeJS.Timeout | undefined;

  constructor(options: EmbeddingQueueOptions) {
    this.#options = { firstPauseMs: 1_000, gatherMs: 50, forgetDelayMs: 1_000, lookAgainMs: 1_000, shared: undefined, ...options };
    this.#batchSize = options.embedder.maxBatch;
  }

  /** A document holds these texts; each is embedded unless that is done, and kept in memory until it is. */
  hold(texts: readonly EmbeddableText[]): void {
    for (const { key, text } of texts) {
      if (key === '') continue;
      this.#holders.set(key, (this.#holders.get(key) ?? 0) + 1);
      if (this.#isMissing(key)) this.#waiting.set(key, text);
    }
    this.#startIn(this.#options.gatherMs);
  }

  /** A document no longer holds them: once for each `hold`. What is waiting is not embedded, what nobody holds is forgotten. */
  release(keys: readonly string[]): void {
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

  /** All documents have told what they hold: from now on vectors are forgotten, which before would be those of the rest. */
  settle(): void {
    this.#isSettled = true;
    this.#forgetLater();
  }

  progress(): EmbeddingProgress {
    const done = this.#holders.keys().reduce((sum, key) => sum + Number(this.#options.store.has(key)), 0);
    return { wanted: this.#holders.size, done, refused: this.#refused.size, failure: this.#failure };
  }

  /** Ends what is in flight and waits for it. */
  async close(): Promise<void> {
    this.#closing.abort(new KnowledgeError('cancelled', 'The server is stopping.'));
    clearTimeout(this.#startTimer);
    clearTimeout(this.#lookTimer);
    await Promise.all(this.#inFlight);
    await this.#forget();
  }

  #isMissing(key: string): boolean {
    return !this.#options.store.has(key) && !this.#refused.has(key) && !this.#inFlightKeys.has(key) && !this.#elsewhere.has(key);
  }

  #startIn(ms: number): void {
    if (this.#closing.signal.aborted) return;
    this.#startTimer ??= setTimeout(() => {
      this.#startTimer = undefined;
      this.#start();
    }, ms).unref();
  }

  #start(): void {
    // After a failure one batch finds out whether it is over.
    const most = this.#failures > 0 ? 1 : maxInFlight;
    while (this.#waiting.size > 0 && !this.#startTimer && !this.#closing.signal.aborted && this.#inFlight.size < most) {
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

  /** From here on in flight. */
  #nextBatch(): ReadonlyMap<string, string> {
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

  async #work(batch: ReadonlyMap<string, string>): Promise<void> {
    const failuresBefore = this.#failures;
    const { shared } = this.#options;
    const [outcome] = await Promise.allSettled([shared ? this.#embedOnce(batch, shared) : this.#embed(batch)]);
    const hasFailed = outcome.status === 'rejected';
    // Of batches that were in flight together the first that fails tells, and one that was sent before says nothing of the time after.
    if (this.#failures === failuresBefore && !this.#closing.signal.aborted) {
      if (hasFailed) this.#fail(outcome.reason);
      else if (outcome.value) [this.#failures, this.#failure] = [0, undefined];
    }
    for (const key of batch.keys()) this.#inFlightKeys.delete(key);
    const left = [...batch].filter(([key]) => this.#holders.has(key) && this.#isMissing(key));
    // Of a batch that was refused the one bad text is looked for at once; after a failure others may fare better.
    if (left.length > 0) this.#waiting = new Map(hasFailed ? [...this.#waiting, ...left] : [...left, ...this.#waiting]);
  }

  /** What no other server has embedded or is embedding. @returns whether the provider was asked @throws as `#embed` */
  async #embedOnce(batch: ReadonlyMap<string, string>, shared: SharedVectors): Promise<boolean> {
    const { store } = this.#options;
    const { found, claimed } = await shared.claim([...batch.keys()]);
    const mine = new Map([...batch].filter(([key]) => claimed.has(key)));
    for (const [key, text] of batch) if (!claimed.has(key) && !found.has(key)) this.#elsewhere.set(key, text);
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

  #lookAgainLater(): void {
    if (this.#closing.signal.aborted) return;
    this.#lookTimer ??= setTimeout(() => {
      this.#lookTimer = undefined;
      const looked = [...this.#elsewhere];
      this.#elsewhere.clear();
      for (const [key, text] of looked) if (this.#holders.has(key) && this.#isMissing(key)) this.#waiting.set(key, text);
      this.#start();
    }, this.#options.lookAgainMs).unref();
  }

  /**
   * @returns true: the provider was asked
   * @throws what stands in the way of all texts; where only these are refused, they are asked in smaller batches
   */
  async #embed(batch: ReadonlyMap<string, string>): Promise<true> {
    const { embedder, store } = this.#options;
    const keys = [...batch.keys()];
    let vectors: readonly Float32Array[];
    try {
      vectors = await embedTexts(embedder, [...batch.values()], this.#closing.signal);
    } catch (error) {
      const code = codeOf(error);
      if (code === 'model_failed' || code === 'timeout') this.#batchSize = Math.max(1, Math.min(this.#batchSize, keys.length >> 1));
      if (code !== 'model_failed') throw error;
      if (keys.length === 1) this.#refuse(keys[0] as string, error);
      return true;
    }
    this.#refusedInARow = 0;
    this.#batchSize = Math.min(embedder.maxBatch, this.#batchSize + 1);
    const held = keys.flatMap((key, position) => (this.#holders.has(key) ? [[key, vectors[position] as Float32Array] as const] : []));
    await store.add(new Map(held));
    return true;
  }

  /** @throws `refusal` where the provider seems to refuse everything */
  #refuse(key: string, refusal: unknown): void {
    if (++this.#refusedInARow >= maxRefusedInARow) throw refusal;
    if (!this.#holders.has(key)) return;
    this.#refused.add(key);
    this.#options.onWarning('The embedding model does not take a text; it is found by its words alone.', refusal);
  }

  #fail(error: unknown): void {
    this.#failure = codeOf(error);
    if (this.#failures === 0)
      this.#options.onWarning('Documents could not be embedded; they are found by their words until that succeeds.', error);
    const asked = error instanceof KnowledgeError ? (error.retryAfterSeconds ?? 0) * 1_000 : 0;
    const { firstPauseMs } = this.#options;
    const pauseMs = Math.min(maxPauseMs, Math.max(asked, backoffMs(++this.#failures, { firstPauseMs })));
    clearTimeout(this.#startTimer);
    this.#startTimer = undefined;
    this.#startIn(pauseMs);
  }

  async #forget(): Promise<void> {
    clearTimeout(this.#forgetTimer);
    this.#forgetTimer = undefined;
    if (!this.#isSettled || !this.#hasReleased) return;
    this.#hasReleased = false;
    const { store, shared } = this.#options;
    const forgotten = await store.retain((key) => this.#holders.has(key));
    await shared?.forget(forgotten);
    // There may be room again.
    this.#start();
  }

  #forgetLater(): void {
    this.#hasReleased = true;
    if (!this.#isSettled || this.#closing.signal.aborted) return;
    this.#forgetTimer ??= setTimeout(() => void this.#forget(), this.#options.forgetDelayMs).unref();
  }
}

/** Milliseconds between two looks at the progress. */
const lookMs = 100;

/**
 * For a command that measures or asks once: what is searched by meaning has its vectors first, as it has in a server that has run a
 * while. Resolves when every text has its vector, when the provider fails, or after `maxMs`; search goes on with what there is.
 */
export async function waitForVectors(progress: () => EmbeddingProgress, maxMs: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < maxMs; waitedMs += lookMs) {
    const { wanted, done, refused, failure } = progress();
    if (done + refused >= wanted || failure !== undefined) return;
    await pause(lookMs);
  }
}
