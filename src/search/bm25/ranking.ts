/**
 * Weighted terms → best chunks, scored word by word over the inverted lists, then reranked by
 * proximity. Uses MaxScore (Turtle & Flood 1995): when new chunks can no longer reach the top,
 * further words only add to chunks that already have a score.
 */

import { rankByProximity } from '../proximity.ts';
import { type NumberedTerm, QueryTerms } from '../query-terms.ts';
import { maxSaturated, normsOf, rerankedChunks, saturated } from '../scoring.ts';
import type { EngineHit, EngineQuery } from '../search-engine.ts';
import { TopItems } from '../top-items.ts';
import type { Segment } from './segment.ts';

interface NumberedChunk {
  readonly chunk: number;
  readonly score: number;
}

const byScore = (a: NumberedChunk, c: NumberedChunk) => c.score - a.score || a.chunk - c.chunk;

/** With fewer candidates the MaxScore check costs more than it saves. */
const minTouched = 1_000;
/** Spare capacity, so that not every new document reallocates the arrays. */
const spareFactor = 1.2;

export class Ranking {
  /** Score per chunk; all zero between searches. */
  #scores = new Float32Array(0);
  /** Per chunk: best alternative of the current word so far. */
  #ofWord = new Float32Array(0);
  /** Chunks with a score, and chunks with a score of the current word. */
  #touched = new Uint32Array(0);
  #touchedByWord = new Uint32Array(0);
  #count = 0;

  rank({ terms, limit }: EngineQuery, segment: Segment): EngineHit[] {
    const { vocabulary, owners, documentOf } = segment;
    const query = new QueryTerms(terms, (term) => vocabulary.find(term));
    const candidates = this.#best(query.words, Math.max(rerankedChunks, limit), segment).map(
      ({ chunk, score }) => {
        const { id: documentId, first } = owners[
          documentOf.values[chunk] as number
        ] as Segment['owners'][number];
        const terms = segment.terms.values;
        return { documentId, chunk: chunk - first, score, terms, ...segment.placesOf(chunk) };
      },
    );
    return rankByProximity(query, candidates, limit);
  }

  #best(terms: QueryTerms['words'], wanted: number, segment: Segment) {
    if (this.#scores.length < segment.size) {
      const size = Math.ceil(segment.size * spareFactor);
      this.#scores = new Float32Array(size);
      this.#ofWord = new Float32Array(size);
      this.#touched = new Uint32Array(size);
      this.#touchedByWord = new Uint32Array(size);
    }
    this.#count = 0;
    const mostOf = ({ alternatives }: QueryTerms['words'][number]) =>
      (alternatives[0]?.impact ?? 0) * maxSaturated;
    const ordered = terms.toSorted((a, c) => c.idf - a.idf);
    let reachable = ordered.reduce((sum, term) => sum + mostOf(term), 0);
    let reached = 0;
    let takesNew = true;
    for (const term of ordered) {
      // No score exceeds `reached`, so the check can succeed only if `reachable` is lower.
      takesNew &&= reachable >= reached || !this.#isOutOfReach(reachable, wanted);
      this.#addBestOf(term.alternatives, segment, takesNew);
      reachable -= mostOf(term);
      reached += mostOf(term);
    }
    const best = new TopItems(wanted, byScore);
    let { floor } = best;
    for (let index = 0; index < this.#count; index++) {
      const chunk = this.#touched[index] as number;
      const score = this.#scores[chunk] as number;
      this.#scores[chunk] = 0;
      if (score < floor) continue;
      best.add({ chunk, score });
      floor = best.floor;
    }
    return best.items;
  }

  /** Adds the best alternative of a word to the score of each chunk. */
  #addBestOf(alternatives: readonly NumberedTerm[], segment: Segment, takesNew: boolean) {
    const [scores, ofWord, touched, alive] = [
      this.#scores,
      this.#ofWord,
      this.#touchedByWord,
      segment.alive.values,
    ];
    const lengths = segment.lengths.values;
    const averageLength = segment.liveLength / segment.liveChunks;
    const { base: norm, perTerm: normPerTerm } = normsOf(averageLength);
    let count = 0;
    for (const { id, impact } of alternatives) {
      segment.postings.forEach(id, (chunk, frequency) => {
        if (scores[chunk] === 0 && (!takesNew || alive[chunk] === 0)) return;
        const added =
          impact * saturated(frequency, norm + normPerTerm * (lengths[chunk] as number));
        const best = ofWord[chunk] as number;
        if (best === 0) touched[count++] = chunk;
        if (added > best) ofWord[chunk] = added;
      });
    }
    for (let index = 0; index < count; index++) {
      const chunk = touched[index] as number;
      const score = scores[chunk] as number;
      if (score === 0) this.#touched[this.#count++] = chunk;
      scores[chunk] = score + (ofWord[chunk] as number);
      ofWord[chunk] = 0;
    }
  }

  /** Whether `wanted` chunks have more than this score. */
  #isOutOfReach(score: number, wanted: number) {
    if (this.#count < minTouched) return false;
    let above = 0;
    for (let index = 0; index < this.#count; index++) {
      if ((this.#scores[this.#touched[index] as number] as number) > score && ++above >= wanted)
        return true;
    }
    return false;
  }
}
