/**
 * Embeds many texts at sizes that suit the provider: what it refuses is asked in halves, down to the one text that it does not take, so
 * one bad text costs nobody else a vector; what takes it too long is asked in smaller batches from then on.
 */
import { KnowledgeError } from '../../errors.ts';
import type { Embedder } from './embedder.ts';

export interface BatchEmbedder {
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
