/** The terms of a query, by their numbers in chunks. */
import type { EngineQuery } from './search-engine.ts';

/** `word`: index of the query word that the term is an alternative of. */
export type NumberedTerm = Readonly<{
  id: number;
  term: string;
  impact: number;
  word: number;
}>;

interface NumberedWord {
  readonly idf: number;
  /** Highest impact first, without terms that no chunk has. */
  readonly alternatives: readonly NumberedTerm[];
}

/** Hash slots per number: most misses end at the first slot. */
const slotsPerNumber = 16;
/** 2³² / golden ratio: Fibonacci hashing (Knuth, The Art of Computer Programming, 6.4). */
const spread = 0x9e3779b1;

/**
 * Finds the query's terms in chunks with a small hash table, which stays in the CPU cache. Term
 * numbers may be hashes.
 */
export class QueryTerms {
  readonly words: readonly NumberedWord[];
  /** Sum of the words' idf. */
  readonly idf: number;
  /** By position, from 1. A term of two words appears once, with the higher impact. */
  readonly numberedTerms: NumberedTerm[];
  readonly #numbers;
  /** Per slot: position of its number, or 0. */
  readonly #positions;
  readonly #shift;

  /** @param numberOf returns 0 to 2³² − 1; undefined if no chunk has the term */
  constructor(terms: EngineQuery['terms'], numberOf: (term: string) => number | undefined) {
    this.words = terms.map(({ idf, alternatives }, word) => ({
      idf,
      alternatives: alternatives.flatMap(({ term, impact }) => {
        const id = numberOf(term);
        return id === undefined ? [] : [{ id, term, impact, word }];
      }),
    }));
    this.idf = terms.reduce((sum, { idf }) => sum + idf, 0);
    const rising = this.words
      .flatMap(({ alternatives }) => alternatives)
      .sort((a, c) => a.impact - c.impact);
    const bits = Math.ceil(Math.log2(slotsPerNumber * (rising.length + 1)));
    this.#shift = 32 - bits;
    this.#numbers = new Int32Array(2 ** bits);
    this.#positions = new Uint16Array(2 ** bits);
    const [none] = rising;
    this.numberedTerms = none ? [none] : [];
    for (const term of rising) {
      const slot = this.#slotOf(term.id);
      if (this.#positions[slot] === 0) this.#positions[slot] = this.numberedTerms.push(term) - 1;
      this.#numbers[slot] = term.id;
      this.numberedTerms[this.#positions[slot] as number] = term;
    }
  }

  /** @returns from 1; 0 if the query does not have the term */
  positionOf(number: number) {
    return this.#positions[this.#slotOf(number)] as number;
  }

  /**
   * Finds query terms from `start` to before `end`. Writes positions and terms to two arrays.
   * @returns their count
   */
  find(terms: Uint32Array, start: number, end: number, places: number[], found: NumberedTerm[]) {
    const positions = this.#positions;
    const shift = this.#shift;
    let count = 0;
    for (let at = start; at < end; at++) {
      const number = terms[at] as number;
      if (positions[Math.imul(number, spread) >>> shift] === 0) continue;
      const position = this.positionOf(number);
      if (position === 0) continue;
      places[count] = at;
      found[count++] = this.numberedTerms[position] as NumberedTerm;
    }
    return count;
  }

  #slotOf(number: number): number {
    const key = number | 0;
    const mask = this.#positions.length - 1;
    let slot = Math.imul(key, spread) >>> this.#shift;
    while (this.#positions[slot] !== 0 && this.#numbers[slot] !== key) slot = (slot + 1) & mask;
    return slot;
  }
}
