/**
 * Ranks candidates of an external engine. The engine proposes chunks with their terms in reading
 * order. This module scores them like the in-process index and reranks them by proximity, so the
 * order depends only on the proposed chunks.
 */
import { rankByProximity, type ScoredChunk } from './proximity.ts';
import { QueryTerms } from './query-terms.ts';
import {
  headingWeight,
  maxFrequency,
  normsOf,
  rerankedChunks,
  saturated,
  titleWeight,
} from './scoring.ts';
import { compareHits, type EngineHit, type EngineQuery } from './search-engine.ts';

export interface Candidate extends Omit<ScoredChunk, 'score'> {
  /** Index of the first term after the title, where the headings begin. */
  readonly titleEnd: number;
}

export interface CandidateSource {
  /**
   * Returns the number that chunks use for a term, 0 to 2³² − 1. May be a hash, if collisions are
   * rare.
   */
  numberOf(term: string): number;
  /** `averageLength`: mean number of terms per chunk of the namespace. */
  propose(query: EngineQuery): Promise<{
    readonly candidates: readonly Candidate[];
    readonly averageLength: number;
  }>;
}

/** Writes the weighted frequency of each query term, by the term's position in the query. */
function countTerms(
  query: QueryTerms,
  { terms, start, titleEnd, textStart, end }: Candidate,
  frequencies: Uint32Array,
): void {
  frequencies.fill(0);
  for (let at = start; at < end; at++) {
    const position = query.positionOf(terms[at] as number);
    const weight = at >= textStart ? 1 : at >= titleEnd ? headingWeight : titleWeight;
    frequencies[position] = (frequencies[position] as number) + weight;
  }
}

/** Computes scores with the same order and precision of additions as the in-process index. */
function scored(
  query: QueryTerms,
  candidates: readonly Candidate[],
  averageLength: number,
): ScoredChunk[] {
  const ordered = query.words.toSorted((a, c) => c.idf - a.idf);
  const { base, perTerm } = normsOf(averageLength);
  const frequencies = new Uint32Array(query.numberedTerms.length);
  return candidates.map((candidate) => {
    countTerms(query, candidate, frequencies);
    const norm = base + perTerm * (candidate.end - candidate.start);
    let score = 0;
    for (const { alternatives } of ordered) {
      let best = 0;
      for (const { id, impact } of alternatives) {
        const frequency = Math.min(maxFrequency, frequencies[query.positionOf(id)] as number);
        best = Math.max(best, Math.fround(impact * saturated(frequency, norm)));
      }
      score = Math.fround(score + best);
    }
    return { ...candidate, score };
  });
}

export async function searchCandidates(
  source: CandidateSource,
  { terms, limit }: EngineQuery,
): Promise<EngineHit[]> {
  const wanted = Math.max(rerankedChunks, limit);
  const { candidates, averageLength } = await source.propose({ terms, limit: wanted });
  const query = new QueryTerms(terms, source.numberOf);
  const best = scored(query, candidates, averageLength)
    .filter(({ score }) => score > 0)
    .sort(compareHits)
    .slice(0, wanted);
  return rankByProximity(query, best, limit);
}
