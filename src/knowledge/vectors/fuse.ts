/**
 * Reciprocal rank fusion (Cormack, Clarke & Büttcher 2009): score(c) = Σ 1 / (k + rank of c), over the lists that hold c. Needs the order
 * of each list alone, so scores that cannot be compared (BM25 and cosine) need not be.
 */

interface RankedChunk {
  readonly documentId: string;
  readonly chunk: number;
}

export interface FusedHit extends RankedChunk {
  /** Above 0, at most 2 / 61; comparable within one query only. */
  readonly score: number;
}

/** The paper's: how much less the first ranks stand out. */
const k = 60;

interface Candidate {
  readonly documentId: string;
  readonly chunk: number;
  score: number;
}

/**
 * @param lexical best first; of equal scores the one that stands first here comes first, those that are not in it in the other's order
 * @param semantic best first
 * @returns best first, at most `limit`; a list that is empty leaves the other's order as it is
 */
export function fuse(lexical: readonly RankedChunk[], semantic: readonly RankedChunk[], limit: number): FusedHit[] {
  const candidates = new Map<string, Candidate>();
  for (const list of [lexical, semantic]) {
    const seen = new Set<string>();
    for (const { documentId, chunk } of list) {
      const id = `${documentId}/${chunk}`;
      if (seen.has(id)) continue;
      seen.add(id);
      const candidate = candidates.get(id) ?? { documentId, chunk, score: 0 };
      candidate.score += 1 / (k + seen.size);
      candidates.set(id, candidate);
    }
  }
  // The sort is stable, and candidates stand in the order of the lists.
  return [...candidates.values()].sort((a, b) => b.score - a.score).slice(0, Math.max(0, limit));
}
