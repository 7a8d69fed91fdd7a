/**
 * Embeds in the background what documents hold and the store lacks, and lets the store forget what no document holds any more. What is
 * done is on disk batch by batch, so a restart goes on where it was. A provider that fails is asked again after pauses that
 * double; nothing here keeps the process alive or makes anybody wait.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { type ErrorCode, KnowledgeError } from '../../errors.ts';
import type { EmbeddableText, Embedder } from './embedder.ts';
import type { VectorStore } from './vector-store.ts';

interface BatchEmbedder {
  /** Most texts of the next batch: the provider's own, or what it has turned out to take. */
  maxTexts(): number;
  /**
   * Tells each text's vector as it comes, undefined for a text that is refused alone.
   * @throws what `Embedder.embed` throws where it is not about single texts; what was told before that stays true
   */
  embed(
    texts: readonly string[],
    signal: AbortSignal,
    onVector: (position: number, vector: Float32Array | undefined) => void,
  ): Promise<void>;
}

/** Models for 512 tokens refuse a long chunk, and its beginning says what it is about. */
const shorterParts = [1, 1 / 2, 1 / 4];
/** A part of fewer characters was not refused for its length. */
const minPartChars = 500;
/** So many single texts refused one after another are no bad texts but a provider that refuses all. */
const maxRefusedInARow = 5;

const isRefusal = (error: unknown): boolean => error instanceof KnowledgeError && error.code === 'model_failed';
const isTimeout = (error: unknown): boolean => error instanceof KnowledgeError && error.code === 'timeout';

/**
 * Embeds many texts at sizes that suit the provider: what it refuses is asked in halves, down to the one text that it does not take, so
 * one bad text costs nobody else a vector; what takes it too long is asked in smaller batches from then on.
 */
export function createBatchEmbedder(embedder: Embedder): BatchEmbedder {
  let mostTaken = embedder.maxBatch;
  let size = mostTaken;
  let refusedInARow = 0;

  async function embedOne(text: string, signal: AbortSignal): Promise<Float32Array | undefined> {
    let refusal: unknown;
    for (const part of shorterParts) {
      const chars = Math.ceil(text.length * part);
      if (part < 1 && chars < minPartChars) break;
      try {
        const [vector] = await embedder.embed([text.slice(0, chars).toWellFormed()], signal);
        refusedInARow = 0;
        return vector;
      } catch (error) {
        if (!isRefusal(error)) throw error;
        refusal = error;
      }
    }
    if (++refusedInARow >= maxRefusedInARow) throw refusal;
    return undefined;
  }

  return {
    maxTexts: () => size,

    async embed(texts, signal, onVector) {
      /** Whether no text of the range was refused alone. */
      async function embedRange(from: number, to: number): Promise<boolean> {
        if (to - from === 1) {
          const vector = await embedOne(texts[from] as string, signal);
          onVector(from, vector);
          return vector !== undefined;
        }
        try {
          const vectors = await embedder.embed(texts.slice(from, to), signal);
          vectors.forEach((vector, index) => {
            onVector(from + index, vector);
          });
          refusedInARow = 0;
          return true;
        } catch (error) {
          if (!isRefusal(error)) throw error;
        }
        const middle = from + Math.ceil((to - from) / 2);
        const areTaken = [await embedRange(from, middle), await embedRange(middle, to)];
        if (areTaken.includes(false)) return false;
        // Nothing was wrong with the texts: there were too many.
        mostTaken = Math.min(mostTaken, middle - from);
        size = Math.min(size, mostTaken);
        return true;
      }

      if (texts.length === 0) return;
      try {
        await embedRange(0, texts.length);
        // Slowly up again: a batch that takes too long costs a whole timeout.
        size = Math.min(mostTaken, size + 1);
      } catch (error) {
        if (isTimeout(error)) size = Math.max(1, Math.floor(texts.length / 2));
        throw error;
      }
    },
  };
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
}

const maxPauseMs = 5 * 60_000;
const maxInFlight = 2;
/** Of one call; hosted models take 300,000 tokens, and a Chinese character may be one. */
const maxBatchChars = 100_000;

export class EmbeddingQueue {
  readonly #options: Required<EmbeddingQueueOptions>;
  readonly #store: VectorStore;
  readonly #batches: BatchEmbedder;
  readonly #closing = new AbortController();
  /** Key → how many documents' chunks hold it. */
  readonly #holders = new Map<string, number>();
  readonly #waiting = new Map<string, string>();
  readonly #refused = new Set<string>();
  readonly #inFlight = new Set<Promise<void>>();
  readonly #inFlightKeys = new Set<string>();
  #failures = 0;
  #failure: ErrorCode | undefined;
  #isSettled = false;
  #hasReleased = false;
  #hasWarnedFull = false;
  #startTimer: NodeJS.Timeout | undefined;
  #pauseTimer: NodeJS.Timeout | undefined;
  #forgetTimer: NodeJS.Timeout | undefined;

  constructor({ firstPauseMs = 1_000, gatherMs = 50, forgetDelayMs = 1_000, ...options }: EmbeddingQueueOptions) {
    this.#options = { firstPauseMs, gatherMs, forgetDelayMs, ...options };
    this.#store = options.store;
    this.#batches = createBatchEmbedder(options.embedder);
  }

  /** A document holds these texts; each is embedded unless that is done, and kept in memory until it is. */
  hold(texts: readonly EmbeddableText[]): void {
    for (const { key, text } of texts) {
      if (key === '') continue;
      this.#holders.set(key, (this.#holders.get(key) ?? 0) + 1);
      if (this.#isMissing(key)) this.#waiting.set(key, text);
    }
    if (this.#waiting.size >= this.#batches.maxTexts()) this.#start();
    else this.#startTimer ??= setTimeout(() => this.#start(), this.#options.gatherMs).unref();
  }

  /** A document no longer holds them: once for each `hold`. What is waiting is not embedded, what nobody holds is forgotten. */
  release(keys: readonly string[]): void {
    for (const key of keys) {
      const count = this.#holders.get(key) ?? 0;
      if (count > 1) this.#holders.set(key, count - 1);
      else if (this.#holders.delete(key)) {
        this.#waiting.delete(key);
        this.#refused.delete(key);
        if (this.#store.has(key)) this.#forgetLater();
      }
    }
  }

  /** All documents have told what they hold: from now on vectors are forgotten, which before would be those of the rest. */
  settle(): void {
    this.#isSettled = true;
    this.#forgetLater();
  }

  progress(): EmbeddingProgress {
    let done = 0;
    for (const key of this.#holders.keys()) if (this.#store.has(key)) done++;
    return { wanted: this.#holders.size, done, refused: this.#refused.size, failure: this.#failure };
  }

  /** Ends what is in flight and waits for it. */
  async close(): Promise<void> {
    this.#closing.abort(new KnowledgeError('cancelled', 'The server is stopping.'));
    clearTimeout(this.#startTimer);
    clearTimeout(this.#pauseTimer);
    await Promise.all(this.#inFlight);
    await this.#forget();
  }

  #isMissing(key: string): boolean {
    return !this.#store.has(key) && !this.#refused.has(key) && !this.#inFlightKeys.has(key);
  }

  #nextBatch(): Map<string, string> {
    const batch = new Map<string, string>();
    let chars = 0;
    for (const [key, text] of this.#waiting) {
      chars += text.length;
      if (batch.size > 0 && (batch.size >= this.#batches.maxTexts() || chars > maxBatchChars)) break;
      batch.set(key, text);
    }
    return batch;
  }

  #mayStart(): boolean {
    // After a failure one batch finds out whether it is over.
    const most = this.#failures > 0 ? 1 : maxInFlight;
    return this.#waiting.size > 0 && !this.#pauseTimer && !this.#closing.signal.aborted && this.#inFlight.size < most;
  }

  #start(): void {
    this.#startTimer = undefined;
    while (this.#mayStart()) {
      if (this.#store.isFull()) {
        this.#warnFull();
        return;
      }
      const batch = this.#nextBatch();
      for (const key of batch.keys()) {
        this.#waiting.delete(key);
        this.#inFlightKeys.add(key);
      }
      const work = this.#embed(batch).finally(() => {
        this.#inFlight.delete(work);
        this.#start();
      });
      this.#inFlight.add(work);
    }
  }

  #warnFull(): void {
    if (this.#hasWarnedFull) return;
    this.#hasWarnedFull = true;
    this.#options.onWarning('There is no room for more vectors: texts beyond that are found by their words alone.', undefined);
  }

  async #embed(batch: ReadonlyMap<string, string>): Promise<void> {
    const keys = [...batch.keys()];
    const vectors = new Map<string, Float32Array>();
    const told = (position: number, vector: Float32Array | undefined) => {
      const key = keys[position] as string;
      if (!this.#holders.has(key)) return;
      if (vector) vectors.set(key, vector);
      else this.#refused.add(key);
    };
    let thrown: unknown;
    const failed = (error: unknown) => {
      thrown = error;
    };
    await this.#batches.embed([...batch.values()], this.#closing.signal, told).catch(failed);
    // What came before a failure is paid for.
    await this.#store.add(vectors).catch(failed);
    for (const [key, text] of batch) {
      this.#inFlightKeys.delete(key);
      // To the end of the queue: others may fare better.
      if (this.#isMissing(key) && this.#holders.has(key)) this.#waiting.set(key, text);
    }
    if (keys.some((key) => this.#refused.has(key))) {
      this.#options.onWarning('The embedding model does not take some texts; they are found by their words alone.', thrown);
    }
    if (thrown === undefined) {
      this.#failures = 0;
      this.#failure = undefined;
    } else if (!this.#closing.signal.aborted) this.#fail(thrown);
  }

  #fail(error: unknown): void {
    const known = error instanceof KnowledgeError ? error : undefined;
    this.#failure = known?.code ?? 'internal';
    if (this.#pauseTimer) return;
    if (this.#failures === 0)
      this.#options.onWarning('Documents could not be embedded; they are found by their words until that succeeds.', error);
    const asked = (known?.retryAfterSeconds ?? 0) * 1_000;
    const pauseMs = Math.min(maxPauseMs, Math.max(asked, this.#options.firstPauseMs * 2 ** this.#failures));
    this.#failures++;
    this.#pauseTimer = setTimeout(() => {
      this.#pauseTimer = undefined;
      this.#start();
    }, pauseMs).unref();
  }

  async #forget(): Promise<void> {
    clearTimeout(this.#forgetTimer);
    this.#forgetTimer = undefined;
    if (!this.#isSettled || !this.#hasReleased) return;
    this.#hasReleased = false;
    await this.#store.retain((key) => this.#holders.has(key));
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
