/**
 * The first look: every chunk that holds a word of the query gets its score, term by term over the inverted lists; the best go on to
 * the second look. Common words stand in many chunks and say little: once the words before them have put enough chunks above
 * anything that they could lift there alone, they add only to chunks that have a score already (MaxScore, Turtle & Flood 1995).
 * What is found is the same, exactly.
 */
import { BestHits } from './best-hits.ts';
import type { ForwardLists } from './forward-lists.ts';
import type { PostingLists } from './posting-lists.ts';
import type { Alternative, Slot } from './query-plan.ts';
import { maxSaturated, normOf, saturated } from './scoring.ts';

export interface SearchedLists {
  readonly postings: PostingLists;
  readonly chunks: ForwardLists;
  /** In terms. */
  readonly averageLength: number;
}

export interface Candidate {
  /** Number of the chunk. */
  readonly chunk: number;
  readonly score: number;
}

const byScore = (a: Candidate, c: Candidate) => c.score - a.score || a.chunk - c.chunk;

/** Fewer candidates are not worth looking for the one that all others have to reach. */
const minTouched = 1_000;

/** @returns the best `wanted` chunks, best first */
export type FirstLook = (slots: readonly Slot[], wanted: number, lists: SearchedLists) => readonly Candidate[];

export function createFirstLook(): FirstLook {
  /** Per chunk; all zero between two searches. */
  let scores = new Float32Array(0);
  /** Per chunk, of the slot that is being added: its best alternative so far. */
  let ofSlot = new Float32Array(0);
  /** Chunks with a score; chunks with one of the current slot. */
  let touched = new Uint32Array(0);
  let touchedBySlot = new Uint32Array(0);
  let count = 0;
  /** Per chunk what its length does to the score, as of an average length. */
  let norms = new Float32Array(0);
  let normedChunks: ForwardLists | undefined;
  let normedSize = 0;
  let normedAverage = 0;

  function reserve({ chunks, averageLength }: SearchedLists): void {
    if (scores.length < chunks.size) {
      const size = Math.ceil(chunks.size * 1.2);
      scores = new Float32Array(size);
      ofSlot = new Float32Array(size);
      touched = new Uint32Array(size);
      touchedBySlot = new Uint32Array(size);
      norms = new Float32Array(size);
      normedChunks = undefined;
    }
    const isSame = normedChunks === chunks && normedAverage === averageLength;
    if (isSame && normedSize === chunks.size) return;
    for (let chunk = isSame ? normedSize : 0; chunk < chunks.size; chunk++) norms[chunk] = normOf(chunks.lengthOf(chunk), averageLength);
    normedChunks = chunks;
    normedSize = chunks.size;
    normedAverage = averageLength;
  }

  /** Adds a slot that only one term stands for. */
  function addTerm({ id, impact }: Alternative, { postings, chunks }: SearchedLists, takesNew: boolean): void {
    const alive = chunks.alive.values;
    postings.forEachRun(id, (run, frequencies, from, to) => {
      for (let index = from; index < to; index++) {
        const chunk = run[index] as number;
        const score = scores[chunk] as number;
        if (score === 0) {
          if (!takesNew || alive[chunk] === 0) continue;
          touched[count++] = chunk;
        }
        scores[chunk] = score + impact * saturated(frequencies[index] as number, norms[chunk] as number);
      }
    });
  }

  /** Adds a slot of several terms: of each chunk the best. */
  function addBestOf(alternatives: readonly Alternative[], { postings, chunks }: SearchedLists, takesNew: boolean): void {
    let slotCount = 0;
    const alive = chunks.alive.values;
    for (const { id, impact } of alternatives) {
      postings.forEachRun(id, (run, frequencies, from, to) => {
        for (let index = from; index < to; index++) {
          const chunk = run[index] as number;
          if (scores[chunk] === 0 && (!takesNew || alive[chunk] === 0)) continue;
          const added = impact * saturated(frequencies[index] as number, norms[chunk] as number);
          const best = ofSlot[chunk] as number;
          if (best === 0) touchedBySlot[slotCount++] = chunk;
          if (added > best) ofSlot[chunk] = added;
        }
      });
    }
    for (let index = 0; index < slotCount; index++) {
      const chunk = touchedBySlot[index] as number;
      const score = scores[chunk] as number;
      if (score === 0) touched[count++] = chunk;
      scores[chunk] = score + (ofSlot[chunk] as number);
      ofSlot[chunk] = 0;
    }
  }

  /** Whether so many chunks have reached a score that no other can. */
  function isOutOfReach(score: number, wanted: number): boolean {
    if (count < minTouched) return false;
    let above = 0;
    for (let index = 0; index < count; index++) {
      if ((scores[touched[index] as number] as number) > score && ++above >= wanted) return true;
    }
    return false;
  }

  return (slots, wanted, lists) => {
    reserve(lists);
    count = 0;
    const ordered = slots.filter(({ alternatives }) => alternatives.length > 0).sort((a, c) => c.idf - a.idf);
    let reachable = ordered.reduce((sum, { alternatives }) => sum + (alternatives[0] as Alternative).impact * maxSaturated, 0);
    let reached = 0;
    let takesNew = true;
    for (const { alternatives } of ordered) {
      const [best, ...others] = alternatives as [Alternative, ...Alternative[]];
      // No chunk has more than all words so far can give.
      takesNew &&= reachable >= reached || !isOutOfReach(reachable, wanted);
      if (others.length === 0) addTerm(best, lists, takesNew);
      else addBestOf(alternatives, lists, takesNew);
      reachable -= best.impact * maxSaturated;
      reached += best.impact * maxSaturated;
    }
    const best = new BestHits<Candidate>(wanted, byScore);
    let { floor } = best;
    for (let index = 0; index < count; index++) {
      const chunk = touched[index] as number;
      const score = scores[chunk] as number;
      scores[chunk] = 0;
      if (score < floor) continue;
      best.add({ chunk, score });
      floor = best.floor;
    }
    return best.items;
  };
}
