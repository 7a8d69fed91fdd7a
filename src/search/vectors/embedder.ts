/**
 * Port to an embedding model, and the text embedded for a chunk: title, headings and its own text.
 */
import { hash } from 'node:crypto';
import { KnowledgeError } from '../../../packages/shared/src/errors.ts';
import type { EngineDocument } from '../search-engine.ts';

export interface Embedder {
  /** Model name. Vectors of different models are never compared. */
  readonly model: string;
  /** Maximum texts per call. */
  readonly maxBatch: number;
  /**
   * Returns one unit vector per text, in order, all with the same dimensions (`toUnitVector`).
   * @throws KnowledgeError `model_unavailable` if a retry may help; `timeout`; `model_failed` if
   * the texts are rejected or the response is unusable; the signal's reason
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>;
}

/** Longer texts are cut: models read a few thousand tokens. */
export const maxTextChars = 8_000;

export interface EmbeddableText {
  /** SHA-256 of the text, base64url; empty for a blank text, which is not embedded. */
  readonly key: string;
  readonly text: string;
}

/** One text per chunk, in order. */
export const embeddableTexts = ({
  title,
  chunks,
}: Pick<EngineDocument, 'title' | 'chunks'>): EmbeddableText[] =>
  chunks.map((chunk) => {
    if (chunk.text.trim() === '') return { key: '', text: '' };
    const above =
      chunk.headingPath[0] === title ? chunk.headingPath : [title, ...chunk.headingPath];
    // Some providers reject a whole batch because of one lone surrogate.
    const text = `${above.join(' > ')}\n\n${chunk.text}`.slice(0, maxTextChars).toWellFormed();
    return { key: hash('sha256', text, 'base64url'), text };
  });

/**
 * Normalizes a vector to length 1, so that dot products are cosines. @throws KnowledgeError
 * `model_failed`
 */
export function toUnitVector(values: ArrayLike<number>): Float32Array {
  let squares = 0;
  for (let at = 0; at < values.length; at++) squares += (values[at] as number) ** 2;
  const length = Math.sqrt(squares);
  if (!(length > 0 && Number.isFinite(length))) {
    throw new KnowledgeError(
      'model_failed',
      'The embedding model returned a vector without a direction.',
    );
  }
  return Float32Array.from(values, (value) => value / length);
}
