/**
 * Weighed terms → the best chunks. First every chunk that holds a word of the query gets its score, word by word over the inverted lists.
 * Common words stand in many chunks and say little: once the words before them have put enough chunks above anything that they could
 * lift there alone, they add only to chunks that have a score already (MaxScore, Turtle & Flood 1995), and what is found is the same.
 * Then the best of them are ranked again by how close together the words stand: words in one window of some twenty terms are mostly
 * about each other; scattered over a chunk they may be about anything. (Term proximity: Tao & Zhai 2007; the window counts distinct words
 * of the query, each by its idf, as a sentence that answers holds several of them.)
 */
import { Best } from '../best.ts';
import { maxSaturated, normOf, rerankedChunks, saturated, windowExponent, windowTerms, windowWeight } from '../scoring.ts';
import { byPlace, type EngineHit, type EngineQuery } from '../search-engine.ts';
import type { Segment } from './segment.ts';

/** A term by its number, and which of the query's words it stands for. */
interface Meaning {
  readonly id: number;
  readonly term: string;
  /** What one occurrence is worth. */
  readonly impact: number;
  readonly word: number;
}

interface RankedTerm {
  readonly idf: number;
  /** Worth most first. */
  readonly alternatives: readonly Meaning[];
}

interface Candidate {
  /** Number of the chunk. */
  readonly chunk: number;
  readonly score: number;
}

const byScore = (a: Candidate, c: Candidate): number => c.score - a.score || a.chunk - c.chunk;

/** With fewer candidates it costs more to look for the score that all others have to reach than it saves. */
const minTouched = 1_000;
/** Arrays are made this much longer than there are chunks or terms, so that not every document that is added makes new ones. */
const reserve = 1.2;

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

export class Ranking {
  /** Per chunk; all zero between two searches. */
  #scores = new Float32Array(0);
  /** Per chunk, of the word that is being added: its best alternative so far. */
  #ofWord = new Float32Array(0);
  /** Chunks with a score; chunks with one of the current word. */
  #touched = new Uint32Array(0);
  #touchedByWord = new Uint32Array(0);
  #count = 0;
  /** Per term: the number of its meaning, from 1; all zero between two searches. */
  #meaningOf = new Uint16Array(0);
  /** Where the chunk that is looked at holds what the query asks for, in reading order, and which meaning stands there. */
  readonly #positions: number[] = [];
  readonly #meanings: Meaning[] = [];

  rank({ terms, limit }: EngineQuery, segment: Segment): EngineHit[] {
    const { vocabulary, owners, documentOf } = segment;
    const known = terms.map(({ idf, alternatives }, word): RankedTerm => {
      const found = alternatives.map(({ term, impact }) => ({ id: vocabulary.find(term) ?? -1, term, impact, word }));
      return { idf, alternatives: found.filter(({ id }) => id >= 0) };
    });
    const candidates = this.#best(known, Math.max(rerankedChunks, limit), segment);
    // Of a term that may stand for two words, the one for which it is worth more.
    const meanings = known.flatMap(({ alternatives }) => alternatives).sort((a, c) => a.impact - c.impact);
    if (this.#meaningOf.length < vocabulary.size) this.#meaningOf = new Uint16Array(Math.ceil(vocabulary.size * reserve));
    for (const [index, { id }] of meanings.entries()) this.#meaningOf[id] = index + 1;
    const whole = terms.reduce((sum, { idf }) => sum + idf, 0);
    const [above, window] = [new Window(terms.length), new Window(terms.length)];
    const reranked = candidates.map(({ chunk, score }) => {
      this.#find(chunk, segment, meanings);
      const share = whole === 0 ? 0 : this.#bestWindow(above, window, segment.textStarts.values[chunk] as number) / whole;
      const { id: documentId, first } = owners[documentOf.values[chunk] as number] as Segment['owners'][number];
      const matched = new Set(this.#meanings.map(({ term }) => term));
      return { documentId, chunk: chunk - first, score: score + windowWeight * whole * share ** windowExponent, matched };
    });
    for (const { id } of meanings) this.#meaningOf[id] = 0;
    return reranked.sort(byPlace).slice(0, limit);
  }

  /** @returns the best `wanted` chunks, best first */
  #best(terms: readonly RankedTerm[], wanted: number, segment: Segment): readonly Candidate[] {
    if (this.#scores.length < segment.size) {
      const size = Math.ceil(segment.size * reserve);
      [this.#scores, this.#ofWord] = [new Float32Array(size), new Float32Array(size)];
      [this.#touched, this.#touchedByWord] = [new Uint32Array(size), new Uint32Array(size)];
    }
    this.#count = 0;
    const mostOf = ({ alternatives }: RankedTerm) => (alternatives[0]?.impact ?? 0) * maxSaturated;
    const ordered = terms.toSorted((a, c) => c.idf - a.idf);
    let reachable = ordered.reduce((sum, term) => sum + mostOf(term), 0);
    let reached = 0;
    let takesNew = true;
    for (const term of ordered) {
      // No chunk has more than all words so far can give.
      takesNew &&= reachable >= reached || !this.#isOutOfReach(reachable, wanted);
      this.#addBestOf(term.alternatives, segment, takesNew);
      reachable -= mostOf(term);
      reached += mostOf(term);
    }
    const best = new Best(wanted, byScore);
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

  /** Adds a word: to each chunk what the best of its terms gives. */
  #addBestOf(alternatives: readonly Meaning[], segment: Segment, takesNew: boolean): void {
    const [scores, ofWord, touched, alive] = [this.#scores, this.#ofWord, this.#touchedByWord, segment.alive.values];
    const lengths = segment.lengths.values;
    const averageLength = segment.liveLength / segment.liveChunks;
    const norm = normOf(0, averageLength);
    const normPerTerm = normOf(1, averageLength) - norm;
    let count = 0;
    for (const { id, impact } of alternatives) {
      segment.postings.forEach(id, (chunk, frequency) => {
        if (scores[chunk] === 0 && (!takesNew || alive[chunk] === 0)) return;
        const added = impact * saturated(frequency, norm + normPerTerm * (lengths[chunk] as number));
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

  /** Whether so many chunks have reached a score that no other can. */
  #isOutOfReach(score: number, wanted: number): boolean {
    if (this.#count < minTouched) return false;
    let above = 0;
    for (let index = 0; index < this.#count; index++) {
      if ((this.#scores[this.#touched[index] as number] as number) > score && ++above >= wanted) return true;
    }
    return false;
  }

  /** Looks through the terms of a chunk. */
  #find(chunk: number, { terms, starts, lengths }: Segment, meanings: readonly Meaning[]): void {
    this.#positions.length = 0;
    this.#meanings.length = 0;
    const meaningOf = this.#meaningOf;
    const start = starts.values[chunk] as number;
    for (let at = start; at < start + (lengths.values[chunk] as number); at++) {
      const meaning = meaningOf[terms.values[at] as number] as number;
      if (meaning === 0) continue;
      this.#positions.push(at);
      this.#meanings.push(meanings[meaning - 1] as Meaning);
    }
  }

  /** What the richest window of the chunk's text holds together with its title and headings, which are near to all of it. */
  #bestWindow(above: Window, window: Window, textStart: number): number {
    const [positions, meanings] = [this.#positions, this.#meanings];
    above.reset();
    let first = 0;
    while (first < positions.length && (positions[first] as number) < textStart) above.take(meanings[first++] as Meaning);
    let best = above.sum;
    for (let last = first; last < positions.length; last++) {
      const end = positions[last] as number;
      window.reset(above);
      for (let at = last; at >= first && end - (positions[at] as number) <= windowTerms; at--) window.take(meanings[at] as Meaning);
      if (window.sum > best) best = window.sum;
    }
    return best;
  }
}
