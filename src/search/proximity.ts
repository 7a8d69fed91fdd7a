/**
 * The second stage of ranking, the same for every engine: candidates that were scored word by word are ranked again by how close
 * together the words stand. Words in one window of some twenty terms are mostly about each other; scattered over a chunk they may be
 * about anything. (Term proximity: Tao & Zhai 2007; the window counts distinct words of the query, each by its idf, as a sentence that
 * answers holds several of them.)
 */
import type { Meaning, QueryTerms } from './query-terms.ts';
import { windowExponent, windowTerms, windowWeight } from './scoring.ts';
import { byPlace, type EngineHit, type Hit } from './search-engine.ts';

/** A chunk with its score by its words alone, and what it holds. */
export interface ScoredChunk extends Hit {
  /** Numbers of terms in reading order; perhaps those of other chunks around its own. */
  readonly terms: Uint32Array;
  /** Where those of its title begin, then those of its headings. */
  readonly start: number;
  /** Where those of its text begin, and where they end. */
  readonly textStart: number;
  readonly end: number;
}

/** The best occurrence of each word in a window. */
class Window {
  readonly #held: Float64Array;
  sum = 0;

  constructor(words: number) {
    this.#held = new Float64Array(words);
  }

  reset(from?: Window): void {
    if (from) this.#held.set(from.#held);
    else this.#held.fill(0);
    this.sum = from?.sum ?? 0;
  }

  take({ word, impact }: Meaning): void {
    const more = impact - (this.#held[word] as number);
    if (more <= 0) return;
    this.#held[word] = impact;
    this.sum += more;
  }
}

class Proximity {
  readonly #query: QueryTerms;
  readonly #above: Window;
  readonly #window: Window;
  /** Where the chunk that is looked at holds what the query asks for, in reading order, and which meaning stands there; perhaps longer. */
  readonly #places: number[] = [];
  readonly #meanings: Meaning[] = [];

  constructor(query: QueryTerms) {
    this.#query = query;
    this.#above = new Window(query.words.length);
    this.#window = new Window(query.words.length);
  }

  toHit({ documentId, chunk, score, terms, start, textStart, end }: ScoredChunk): EngineHit {
    const { idf } = this.#query;
    const count = this.#query.find(terms, start, end, this.#places, this.#meanings);
    const share = idf === 0 ? 0 : this.#bestWindow(textStart, count) / idf;
    const matched = new Set<string>();
    for (let index = 0; index < count; index++) matched.add((this.#meanings[index] as Meaning).term);
    return { documentId, chunk, score: score + windowWeight * idf * share ** windowExponent, matched };
  }

  /** What the richest window of the chunk's text holds together with its title and headings, which are near to all of it. */
  #bestWindow(textStart: number, count: number): number {
    const [places, meanings, above, window] = [this.#places, this.#meanings, this.#above, this.#window];
    above.reset();
    let first = 0;
    while (first < count && (places[first] as number) < textStart) above.take(meanings[first++] as Meaning);
    let best = above.sum;
    for (let last = first; last < count; last++) {
      const end = places[last] as number;
      window.reset(above);
      for (let at = last; at >= first && end - (places[at] as number) <= windowTerms; at--) window.take(meanings[at] as Meaning);
      if (window.sum > best) best = window.sum;
    }
    return best;
  }
}

/** @returns best first, at most `limit`; equal scores in the order of document id and chunk */
export function rankByProximity(query: QueryTerms, candidates: readonly ScoredChunk[], limit: number): EngineHit[] {
  const proximity = new Proximity(query);
  return candidates
    .map((candidate) => proximity.toHit(candidate))
    .sort(byPlace)
    .slice(0, limit);
}
