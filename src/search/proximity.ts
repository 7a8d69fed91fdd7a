/**
 * Second ranking stage for every engine: reranks scored candidates by term proximity (Tao & Zhai
 * 2007). The best window counts distinct words of the query, weighted by idf, because a sentence
 * with the answer has several of them.
 */
import type { NumberedTerm, QueryTerms } from './query-terms.ts';
import { windowExponent, windowTerms, windowWeight } from './scoring.ts';
import { compareHits, type EngineHit, type Hit } from './search-engine.ts';

/** A chunk with its score before proximity. */
type ScoredChunk = Hit &
  Readonly<{
    /** Term numbers in reading order; may include terms of other chunks. */
    terms: Uint32Array;
    /** First term of the title, followed by the headings. */
    start: number;
    /** First term of the text. */
    textStart: number;
    end: number;
  }>;

/** Highest impact of each query word in a window. */
class Window {
  readonly #held;
  sum = 0;

  constructor(words: number) {
    this.#held = new Float64Array(words);
  }

  reset(from?: Window) {
    if (from) this.#held.set(from.#held);
    else this.#held.fill(0);
    this.sum = from?.sum ?? 0;
  }

  take({ word, impact }: NumberedTerm) {
    const more = impact - (this.#held[word] as number);
    if (more <= 0) return;
    this.#held[word] = impact;
    this.sum += more;
  }
}

class Proximity {
  readonly #query;
  readonly #above;
  readonly #window;
  /**
   * Positions of query terms in the current chunk, and the terms. Both arrays are reused and may
   * end with stale entries.
   */
  readonly #places: number[] = [];
  readonly #found: NumberedTerm[] = [];

  constructor(query: QueryTerms) {
    this.#query = query;
    this.#above = new Window(query.words.length);
    this.#window = new Window(query.words.length);
  }

  toHit({ documentId, chunk, score, terms, start, textStart, end }: ScoredChunk): EngineHit {
    const { idf } = this.#query;
    const count = this.#query.find(terms, start, end, this.#places, this.#found);
    const share = idf === 0 ? 0 : this.#bestWindow(textStart, count) / idf;
    const matched = new Set<string>();
    for (let index = 0; index < count; index++)
      matched.add((this.#found[index] as NumberedTerm).term);
    return {
      documentId,
      chunk,
      score: score + windowWeight * idf * share ** windowExponent,
      matched,
    };
  }

  /**
   * Highest sum of idf in a window of the text. Title and headings count as part of every window.
   */
  #bestWindow(textStart: number, count: number) {
    const [places, found, above, window] = [this.#places, this.#found, this.#above, this.#window];
    above.reset();
    let first = 0;
    while (first < count && (places[first] as number) < textStart)
      above.take(found[first++] as NumberedTerm);
    let best = above.sum;
    for (let last = first; last < count; last++) {
      const end = places[last] as number;
      window.reset(above);
      for (let at = last; at >= first && end - (places[at] as number) <= windowTerms; at--)
        window.take(found[at] as NumberedTerm);
      if (window.sum > best) best = window.sum;
    }
    return best;
  }
}

/** @returns best first, at most `limit`; equal scores by document id and chunk */
export function rankByProximity(
  query: QueryTerms,
  candidates: readonly ScoredChunk[],
  limit: number,
): EngineHit[] {
  const proximity = new Proximity(query);
  return candidates
    .map((candidate) => proximity.toHit(candidate))
    .sort(compareHits)
    .slice(0, limit);
}
