/**
 * Ranking of candidates that came from elsewhere. A source outside the process proposes the chunks that it takes for the best, each with
 * its terms in reading order; they get the score that the index in process would have given them, and are ranked by it and by proximity.
 * So the order is the same whatever the source thinks of it, as long as it proposes the same chunks.
 */
import { rankByProximity, type ScoredChunk } from './proximity.ts';
import { QueryTerms } from './query-terms.ts';
import { headingWeight, maxFrequency, normsOf, rerankedChunks, saturated, titleWeight } from './scoring.ts';
import { byPlace, type EngineHit, type EngineQuery } from './search-engine.ts';

/** A chunk that may be among the best. */
export interface Candidate extends Omit<ScoredChunk, 'score'> {
  /** Where the terms of its title end, and those of its headings begin. */
  readonly titleEnd: number;
}

export interface Candidates {
  readonly candidates: readonly Candidate[];
  /** Terms of a chunk of the namespace, in the mean. */
  readonly averageLength: number;
}

export interface CandidateSource {
  /** The number under which chunks carry a term, 0 to 2³² − 1. Two terms may have the same, where that is too seldom to be noticed. */
  numberOf(term: string): number;
  /** @param query its limit is how many are wanted @throws the signal's reason where it was aborted */
  propose(query: EngineQuery): Promise<Candidates>;
}

/** How often a chunk holds each term of the query, by the terms' positions. */
function countTerms(query: QueryTerms, { terms, start, titleEnd, textStart, end }: Candidate, frequencies: Uint32Array): void {
  frequencies.fill(0);
  for (let at = start; at < end; at++) {
    const position = query.positionOf(terms[at] as number);
    const weight = at >= textStart ? 1 : at >= titleEnd ? headingWeight : titleWeight;
    frequencies[position] = (frequencies[position] as number) + weight;
  }
}

/** The words' scores, added in the order and with the precision of the index in process. */
function scored(query: QueryTerms, candidates: readonly Candidate[], averageLength: number): ScoredChunk[] {
  const ordered = query.words.toSorted((a, c) => c.idf - a.idf);
  const { base, perTerm } = normsOf(averageLength);
  const frequencies = new Uint32Array(query.meanings.length);
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

/** @throws the signal's reason where it was aborted */
export async function searchCandidates(source: CandidateSource, { terms, limit, signal }: EngineQuery): Promise<EngineHit[]> {
  const wanted = Math.max(rerankedChunks, limit);
  const { candidates, averageLength } = await source.propose({ terms, limit: wanted, signal });
  const query = new QueryTerms(terms, source.numberOf);
  const best = scored(query, candidates, averageLength)
    .filter(({ score }) => score > 0)
    .sort(byPlace)
    .slice(0, wanted);
  return rankByProximity(query, best, limit);
}
