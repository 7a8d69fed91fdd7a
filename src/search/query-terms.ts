/** The terms of a query by the numbers under which chunks carry them. */
import type { EngineTerm } from './search-engine.ts';

/** A term by its number, and which of the query's words it stands for. */
export interface Meaning {
  readonly id: number;
  readonly term: string;
  /** What one occurrence is worth. */
  readonly impact: number;
  readonly word: number;
}

export interface NumberedWord {
  readonly idf: number;
  /** Worth most first; those that have a number. */
  readonly alternatives: readonly Meaning[];
}

/** Slots for each number: most looks for a number that is not there end at the first. */
const slotsPerNumber = 16;
/** 2³² over the golden ratio: neighbouring numbers come far apart (Knuth, The Art of Computer Programming, 6.4). */
const spread = 0x9e3779b1;

/**
 * Tells for each term of a chunk whether the query asks for it, over the numbers of the query alone: a table that stays in the nearest
 * cache, whatever is held, and that takes hashes for numbers as well.
 */
export class QueryTerms {
  readonly words: readonly NumberedWord[];
  /** Sum of the words' idf. */
  readonly idf: number;
  /** By position, from 1: of a term that may stand for two words, the one for which it is worth more. */
  readonly meanings: Meaning[];
  readonly #numbers: Int32Array;
  /** Per slot: position of its number, 0 where it is empty. */
  readonly #positions: Uint16Array;
  readonly #shift: number;

  /** @param numberOf a term, 0 to 2³² − 1; undefined where no chunk holds it */
  constructor(terms: readonly EngineTerm[], numberOf: (term: string) => number | undefined) {
    this.words = terms.map(({ idf, alternatives }, word) => ({
      idf,
      alternatives: alternatives.flatMap(({ term, impact }) => {
        const id = numberOf(term);
        return id === undefined ? [] : [{ id, term, impact, word }];
      }),
    }));
    this.idf = terms.reduce((sum, { idf }) => sum + idf, 0);
    const rising = this.words.flatMap(({ alternatives }) => alternatives).sort((a, c) => a.impact - c.impact);
    const bits = Math.ceil(Math.log2(slotsPerNumber * (rising.length + 1)));
    this.#shift = 32 - bits;
    this.#numbers = new Int32Array(2 ** bits);
    this.#positions = new Uint16Array(2 ** bits);
    const [none] = rising;
    this.meanings = none ? [none] : [];
    for (const meaning of rising) {
      const slot = this.#slotOf(meaning.id);
      if (this.#positions[slot] === 0) this.#positions[slot] = this.meanings.push(meaning) - 1;
      this.#numbers[slot] = meaning.id;
      this.meanings[this.#positions[slot] as number] = meaning;
    }
  }

  /** @returns from 1; 0 where the query does not ask for it */
  positionOf(number: number): number {
    return this.#positions[this.#slotOf(number)] as number;
  }

  /**
   * Looks through `terms` from `start` to before `end`. Where those of the query stand, and which they are, is written over the beginnings
   * of two arrays.
   * @returns how many
   */
  find(terms: Uint32Array, start: number, end: number, places: number[], found: Meaning[]): number {
    const positions = this.#positions;
    const shift = this.#shift;
    let count = 0;
    for (let at = start; at < end; at++) {
      const number = terms[at] as number;
      if (positions[Math.imul(number, spread) >>> shift] === 0) continue;
      const position = this.positionOf(number);
      if (position === 0) continue;
      places[count] = at;
      found[count++] = this.meanings[position] as Meaning;
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
