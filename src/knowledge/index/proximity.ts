/**
 * The second look at a chunk: how much of what the query asks for stands close together. Words that stand in one window of some twenty
 * terms are mostly about each other; the same words scattered over a chunk may be about anything. (Term proximity: Tao & Zhai 2007;
 * the window counts distinct words of the query, each by its idf, as a sentence that answers holds several of them.)
 */
import { windowExponent, windowTerms, windowWeight } from './scoring.ts';

/** Where a chunk holds what the query asks for, in reading order. Used again for each chunk. */
export class Occurrences {
  count = 0;
  positions = new Uint32Array(256);
  /** Which of the query's alternatives stands there. */
  meanings = new Uint8Array(256);

  clear(): void {
    this.count = 0;
  }

  add(position: number, meaning: number): void {
    if (this.count === this.positions.length) {
      const [positions, meanings] = [new Uint32Array(this.count * 2), new Uint8Array(this.count * 2)];
      positions.set(this.positions);
      meanings.set(this.meanings);
      [this.positions, this.meanings] = [positions, meanings];
    }
    this.positions[this.count] = position;
    this.meanings[this.count++] = meaning;
  }
}

/**
 * What the richest window of a chunk's text holds together with its title and headings, which are near to all of it: the sum over the
 * slots of the best occurrence.
 * @param worths and slotOf: per meaning
 * @param textStart position at which the text begins
 */
export function bestWindow(
  { count, positions, meanings }: Occurrences,
  worths: Float64Array,
  slotOf: Uint16Array,
  slots: number,
  textStart: number,
): number {
  /** Counts an occurrence in. @returns what it adds to what is held already */
  const take = (held: Float64Array, at: number): number => {
    const meaning = meanings[at] as number;
    const slot = slotOf[meaning] as number;
    const more = (worths[meaning] as number) - (held[slot] as number);
    if (more <= 0) return 0;
    held[slot] = worths[meaning] as number;
    return more;
  };
  const above = new Float64Array(slots);
  let aboveSum = 0;
  let first = 0;
  while (first < count && (positions[first] as number) < textStart) aboveSum += take(above, first++);
  const held = new Float64Array(slots);
  let best = aboveSum;
  for (let last = first; last < count; last++) {
    const end = positions[last] as number;
    held.set(above);
    let sum = aboveSum;
    for (let at = last; at >= first && end - (positions[at] as number) <= windowTerms; at--) sum += take(held, at);
    if (sum > best) best = sum;
  }
  return best;
}

/** @param share of the query's whole worth that stands in the best window, 0 to 1 */
export const proximityOf = (share: number, whole: number): number => windowWeight * whole * share ** windowExponent;
