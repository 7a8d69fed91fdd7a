/** The port to an embedding model, and what of a chunk is embedded: its own text under the title and headings that it stands below. */
import { createHash } from 'node:crypto';
import { KnowledgeError } from '../../errors.ts';
import type { EngineDocument } from '../search-engine.ts';

export interface Embedder {
  /** Name of the model: vectors of two models are never compared. */
  readonly model: string;
  /** Most texts in one call. */
  readonly maxBatch: number;
  /**
   * One vector for each text, in their order: all of the same length, each of length 1 (`toUnitVector`).
   * @throws KnowledgeError `model_unavailable` where asking later may help, `timeout`, `model_failed` where it does not: these texts
   * are refused, or the answer cannot be used. The signal's reason where it was aborted
   */
  embed(texts: readonly string[], signal: AbortSignal): Promise<Float32Array[]>;
}

/** A longer text is cut: models read some thousand tokens at most, and what a chunk is about is said by then. */
export const maxTextChars = 8_000;

export type EmbeddableDocument = Pick<EngineDocument, 'id' | 'title' | 'chunks'>;

export interface EmbeddableText {
  /** SHA-256 of the text, base64url; empty for a text that says nothing, which is not embedded. */
  readonly key: string;
  readonly text: string;
}

/** Half of a pair of UTF-16 units is no character, and some providers refuse all texts because of one. */
const wellFormed = (text: string): string => text.slice(0, maxTextChars).toWellFormed();

/** One text for each chunk, in their order. */
export const embeddableTexts = ({ title, chunks }: Omit<EmbeddableDocument, 'id'>): EmbeddableText[] =>
  chunks.map((chunk) => {
    if (chunk.text.trim() === '') return { key: '', text: '' };
    const above = chunk.headingPath[0] === title ? chunk.headingPath : [title, ...chunk.headingPath];
    const text = wellFormed(`${above.join(' > ')}\n\n${chunk.text}`);
    return { key: createHash('sha256').update(text).digest('base64url'), text };
  });

/** The vector of the same direction and length 1: the dot product of two of them is their cosine. @throws KnowledgeError `model_failed` */
export function toUnitVector(values: ArrayLike<number>): Float32Array {
  let squares = 0;
  for (let at = 0; at < values.length; at++) squares += (values[at] as number) ** 2;
  const length = Math.sqrt(squares);
  if (!(length > 0 && Number.isFinite(length))) {
    throw new KnowledgeError('model_failed', 'The embedding model answered with a vector that has no direction.');
  }
  return Float32Array.from(values, (value) => value / length);
}
