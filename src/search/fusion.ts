/**
 * Reciprocal rank fusion (Cormack, Clarke & Büttcher 2009): score(c) = Σ 1 / (k + rank of c), over the lists that hold c. Needs the order
 * of each list alone, so scores that cannot be compared (BM25 and cosine) need not be.
 */
import type { Hit } from './search-engine.ts';

type RankedChunk = Omit<Hit, 'score'>;

/** The paper's: how much less the first ranks stand out. */
const k = 60;

/**
 * @param lexical best first; of equal scores the one that stands first here comes first, those that are not in it in the other's order
 * @param semantic best first
 * @returns best first, at most `limit`, scores above 0 and at most 2 / 61; a list that is empty leaves the other's order as it is
 */
export function fuse(lexical: readonly RankedChunk[], semantic: readonly RankedChunk[], limit: number): Hit[] {
  const fused = new Map<string, Hit>();
  for (const list of [lexical, semantic]) {
    const ranked = new Map(list.map(({ documentId, chunk }) => [`${documentId}/${chunk}`, { documentId, chunk }]));
    for (const [rank, [id, place]] of [...ranked].entries()) {
      fused.set(id, { ...place, score: (fused.get(id)?.score ?? 0) + 1 / (k + rank + 1) });
    }
  }
  // The sort is stable, and chunks stand in the order of the lists.
  return [...fused.values()].sort((a, c) => c.score - a.score).slice(0, Math.max(0, limit));
}
